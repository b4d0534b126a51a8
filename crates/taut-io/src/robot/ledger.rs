//! Report of an import: what is not imported, and notes.

use super::NotCarried;
use crate::diagnostic::Place;
use std::collections::HashMap;

/// Largest number of names that a summary lists.
const SPELT_OUT: usize = 12;

/// Collects what is not imported; repeated kinds share one entry.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    entries: Vec<Entry>,
    /// Kind → its entry.
    kinds: HashMap<String, usize>,
    notes: Vec<String>,
}

#[derive(Debug)]
struct Entry {
    element: String,
    what: What,
    place: Option<Place>,
}

#[derive(Debug)]
enum What {
    One(String),
    Many(Vec<String>),
}

impl Ledger {
    /// Reports one element that is not imported, and why.
    pub fn one(&mut self, element: impl Into<String>, what: impl Into<String>, place: Option<&Place>) {
        let what = What::One(what.into());
        self.entries.push(Entry { element: element.into(), what, place: place.cloned() });
    }

    /// Reports one more element of a kind that is not imported.
    pub fn many(&mut self, kind: &str, name: &str, place: Option<&Place>) {
        if let Some(&known) = self.kinds.get(kind)
            && let What::Many(names) = &mut self.entries[known].what
        {
            names.push(name.to_string());
            return;
        }
        self.kinds.insert(kind.to_string(), self.entries.len());
        let what = What::Many(vec![name.to_string()]);
        self.entries.push(Entry { element: kind.to_string(), what, place: place.cloned() });
    }

    /// A note about something that was imported.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The lists.
    pub fn close(self) -> (Vec<NotCarried>, Vec<String>) {
        let close = |e: Entry| NotCarried {
            what: match e.what {
                What::One(what) => what,
                What::Many(names) => summary(&names),
            },
            element: e.element,
            place: e.place,
        };
        (self.entries.into_iter().map(close).collect(), self.notes)
    }
}

/// `3: a, b, c`, or the first few of many.
fn summary(names: &[String]) -> String {
    let told = names.iter().take(SPELT_OUT).filter(|n| !n.is_empty()).cloned().collect::<Vec<_>>().join(", ");
    let dots = if names.len() > SPELT_OUT { ", …" } else { "" };
    match told.is_empty() {
        true => format!("{}", names.len()),
        false => format!("{}: {told}{dots}", names.len()),
    }
}
