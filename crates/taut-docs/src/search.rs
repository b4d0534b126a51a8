//! The search index: a script that the pages load, so that the search works without a server.

use crate::html::plain;
use crate::site::Page;
use serde_json::json;

/// Number of characters of a page that are indexed.
const MAX_CHARACTERS: usize = 60_000;

/// `window.TAUT_INDEX = [{ title, path, text }, …]`.
pub(crate) fn index(pages: &[Page]) -> String {
    let entries: Vec<_> = pages
        .iter()
        .map(|page| {
            let text: String = plain(&page.markdown).chars().take(MAX_CHARACTERS).collect();
            json!({ "title": page.title(), "path": format!("{}.html", page.path), "text": text })
        })
        .collect();
    // The text of a page must not close the script element.
    format!("window.TAUT_INDEX = {};\n", json!(entries)).replace("</", "<\\/")
}
