//! The documentation as pages for the browser.
//!
//! ```text
//! docs/*.md, generated pages ─ Page ─ html: headings with anchors, links between pages ─ Site ─ files on disk
//!                                   └ search: index of all pages     └ links: check of all links
//! ```
//!
//! The files of `docs/` are embedded in the program, so the pages can be written without a network and always match its
//! version. [`contents`](contents::CONTENTS) is the list of pages; a test fails if a page is missing there.

pub mod contents;
mod html;
mod links;
mod math;
mod search;
mod site;

pub use links::BrokenLink;
pub use site::{Page, Site};

use flate2::read::GzDecoder;
use std::borrow::Cow;
use std::io::Read;

/// How a file is stored in the program.
enum Embedded {
    Plain(&'static [u8]),
    Gzip(&'static [u8]),
}

/// The pages of `docs/`, and the files that they show or link to.
static FILES: &[(&str, Embedded)] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The paths of these files.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The content of a file of `docs/`.
pub fn content(path: &str) -> Option<Cow<'static, [u8]>> {
    let (_, embedded) = FILES.iter().find(|(name, _)| *name == path)?;
    match embedded {
        Embedded::Plain(bytes) => Some(Cow::Borrowed(bytes)),
        Embedded::Gzip(bytes) => {
            let mut content = Vec::new();
            GzDecoder::new(*bytes).read_to_end(&mut content).ok()?;
            Some(Cow::Owned(content))
        }
    }
}

/// The text of a file of `docs/`.
pub fn text(path: &str) -> Option<String> {
    String::from_utf8(content(path)?.into_owned()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn embedded_files_equal_those_in_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
        assert!(names().count() > 50 && names().any(|name| name.ends_with(".svg")));
        for name in names() {
            assert!(*content(name).unwrap() == *std::fs::read(folder.join(name)).unwrap(), "{name}");
        }
        assert!(text("theory.md").is_some_and(|t| t.starts_with("# ")) && content("none.md").is_none());
    }
}
