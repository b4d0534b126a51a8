//! Names of numbered rows.

use std::sync::Mutex;

/// `number` as text. Each text is made once and kept, so there are as many as the largest function has rows.
pub(super) fn row_number(number: usize) -> &'static str {
    static TEXTS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut texts = TEXTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    while texts.len() <= number {
        let text = texts.len().to_string();
        texts.push(Box::leak(text.into_boxed_str()));
    }
    texts[number]
}
