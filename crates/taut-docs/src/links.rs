//! Checks that every link leads to a page, a heading or a file.

use crate::html::{Rendered, outside};
use std::collections::BTreeMap;
use thiserror::Error;

/// A link that leads nowhere.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{page}: `{link}` {why}")]
pub struct BrokenLink {
    /// The page, by its path.
    pub page: String,
    /// The link as written.
    pub link: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// The path of a link from the root of the site; `None` if it leaves the site.
fn resolve(page: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

/// Broken links of all pages. Links to other sites are not checked; for files outside `docs/`, `is_file` is called with `../`
/// before the path.
pub(crate) fn check(pages: &BTreeMap<String, Rendered>, is_file: impl Fn(&str) -> bool) -> Vec<BrokenLink> {
    let mut broken = Vec::new();
    for (name, page) in pages {
        for link in page.links.iter().filter(|l| !l.contains("://") && !l.starts_with("mailto:")) {
            let mut refuse = |why| broken.push(BrokenLink { page: name.clone(), link: link.clone(), why });
            let (path, place) = link.split_once('#').map_or((link.as_str(), None), |(p, a)| (p, Some(a)));
            let target = if path.is_empty() { Some(format!("{name}.md")) } else { resolve(name, path) };
            let Some(target) = target else {
                if outside(name, link).is_none_or(|path| !is_file(&format!("../{path}"))) {
                    refuse("is not a file of the project");
                }
                continue;
            };
            let Some(page) = target.strip_suffix(".md") else {
                if !is_file(&target) {
                    refuse("is not a file of the documentation");
                }
                continue;
            };
            match (pages.get(page), place) {
                (None, _) => refuse("is not a page in the table of contents"),
                (Some(page), Some(place)) if !page.headings.iter().any(|h| h.anchor == place) => {
                    refuse("does not name a heading of that page");
                }
                _ => {}
            }
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::render;

    #[test]
    fn what_leads_nowhere_is_found() {
        let text = "# One\n[a](#one) [b](two.md#two) [c](sub/p.svg) [d](three.md) [e](two.md#x) [f](q.svg) [g](../../z) [h](../m) [i](../n)";
        let pages =
            BTreeMap::from([("one".to_string(), render("one", text)), ("two".to_string(), render("two", "# Two"))]);
        let found: Vec<String> =
            check(&pages, |f| f == "sub/p.svg" || f == "../m").into_iter().map(|b| b.link).collect();
        assert_eq!(found, ["three.md", "two.md#x", "q.svg", "../../z", "../n"]);
    }
}
