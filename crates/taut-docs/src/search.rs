//! The index of the search: a script that the pages load, so that it works without a server.

use crate::html::plain;
use crate::site::Page;
use serde_json::json;

/// Characters of a page that are searched.
const LONGEST: usize = 60_000;

/// `window.TAUT_INDEX = [{ title, path, text }, …]`.
pub(crate) fn index(pages: &[Page]) -> String {
    let entries: Vec<_> = pages
        .iter()
        .map(|page| {
            let text: String = plain(&page.markdown).chars().take(LONGEST).collect();
            json!({ "title": page.title(), "path": format!("{}.html", page.path), "text": text })
        })
        .collect();
    // A page must not end the script that carries it.
    format!("window.TAUT_INDEX = {};\n", json!(entries)).replace("</", "<\\/")
}
