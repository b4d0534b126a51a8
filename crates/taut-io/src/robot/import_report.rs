//! Report of an import: what is not imported, and notes.

use super::NotImported;
use crate::diagnostic::Place;
use std::collections::HashMap;

/// Largest number of names that a summary lists.
const MAX_NAMES_LISTED: usize = 12;

/// Collects what is not imported; repeated kinds share one entry.
#[derive(Debug, Default)]
pub(crate) struct ImportReport {
    entries: Vec<ImportEntry>,
    /// Kind → its entry.
    kinds: HashMap<String, usize>,
    notes: Vec<String>,
}

#[derive(Debug)]
struct ImportEntry {
    element: String,
    what: Occurrences,
    place: Option<Place>,
}

#[derive(Debug)]
enum Occurrences {
    One(String),
    Many(Vec<String>),
}

impl ImportReport {
    /// Reports one element that is not imported, and why.
    pub fn not_imported(&mut self, element: impl Into<String>, what: impl Into<String>, place: Option<&Place>) {
        let what = Occurrences::One(what.into());
        self.entries.push(ImportEntry { element: element.into(), what, place: place.cloned() });
    }

    /// Reports one more element of a kind that is not imported.
    pub fn not_imported_kind(&mut self, kind: &str, name: &str, place: Option<&Place>) {
        if let Some(&known) = self.kinds.get(kind)
            && let Occurrences::Many(names) = &mut self.entries[known].what
        {
            names.push(name.to_string());
            return;
        }
        self.kinds.insert(kind.to_string(), self.entries.len());
        let what = Occurrences::Many(vec![name.to_string()]);
        self.entries.push(ImportEntry { element: kind.to_string(), what, place: place.cloned() });
    }

    /// A note about something that was imported.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The lists.
    pub fn into_lists(self) -> (Vec<NotImported>, Vec<String>) {
        let close = |e: ImportEntry| NotImported {
            what: match e.what {
                Occurrences::One(what) => what,
                Occurrences::Many(names) => summary(&names),
            },
            element: e.element,
            place: e.place,
        };
        (self.entries.into_iter().map(close).collect(), self.notes)
    }
}

/// `3: a, b, c`, or the first few of many.
fn summary(names: &[String]) -> String {
    let listed = names.iter().take(MAX_NAMES_LISTED).filter(|n| !n.is_empty()).cloned().collect::<Vec<_>>().join(", ");
    let dots = if names.len() > MAX_NAMES_LISTED { ", …" } else { "" };
    match listed.is_empty() {
        true => format!("{}", names.len()),
        false => format!("{}: {listed}{dots}", names.len()),
    }
}
