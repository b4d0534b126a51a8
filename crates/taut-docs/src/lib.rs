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

/// All files of `docs/`: path and content.
pub static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The text of a file of `docs/`.
pub fn text(path: &str) -> Option<&'static str> {
    let (_, bytes) = FILES.iter().find(|(name, _)| *name == path)?;
    std::str::from_utf8(bytes).ok()
}
