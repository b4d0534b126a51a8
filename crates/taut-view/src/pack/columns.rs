//! Family and element of every column, so that the page can list and select them.

use serde::Serialize;
use std::collections::HashSet;
use taut::Model;

/// A column as the page lists it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnInfo {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its meaning as a phrase.
    pub meaning: String,
    /// The body, joint, force … that it belongs to.
    pub element: Option<String>,
    /// Family, named as in `columns` of a model file.
    pub family: &'static str,
    /// Index of its array.
    pub array: usize,
    /// Index of its values at the instants of the film; only for columns of arrows, if the table is thinned to extremes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub film: Option<usize>,
}

/// Finds the element and family of a column from the names in a model.
#[derive(Clone, Debug)]
pub struct ColumnClassifier {
    elements: HashSet<String>,
    state: HashSet<String>,
}

impl ColumnClassifier {
    /// Collects all names of a model.
    pub fn new(model: &Model) -> ColumnClassifier {
        let mut elements: HashSet<String> = model.bodies.iter().map(|b| b.name.clone()).collect();
        elements.extend(model.constraints.iter().map(|c| c.name.clone()));
        elements.extend(model.forces.iter().map(|f| f.name.clone()));
        elements.extend(model.measures.iter().map(|m| m.name.clone()));
        // Nodes and members: their own frames have the same names.
        elements.extend(model.markers.iter().map(|m| m.name.clone()).filter(|n| !n.contains('.')));
        let (q, v) = model.state_names();
        ColumnClassifier { elements, state: q.into_iter().chain(v).map(|x| x.name).collect() }
    }

    /// The longest prefix of the column name that is an element, if any.
    pub fn element(&self, name: &str) -> Option<String> {
        // A name used twice is preceded by its family.
        let bare = if self.elements.contains(name) { name } else { name.split_once(':').map_or(name, |(_, n)| n) };
        let mut stem = bare;
        loop {
            if self.elements.contains(stem) {
                return Some(stem.to_string());
            }
            stem = stem.rsplit_once('.')?.0;
        }
    }

    /// The family, derived from the meaning of the column.
    pub fn family(&self, name: &str, meaning: &str) -> &'static str {
        let begins = |word: &str| name.starts_with(word);
        match name {
            "t" => return "time",
            "step" | "rank" | "freedoms" => return "solver",
            _ if begins("energy.") && meaning.contains("energy") => return "energy",
            _ if begins("energy.work") => return "energy",
            _ if begins("residual.") => return "residuals",
            _ if self.state.contains(name) => return "state",
            _ => {}
        }
        // Phrases are tested before names, because names may contain any word.
        let phrase = meaning.split('`').next().unwrap_or_default();
        let has = |word: &str| phrase.contains(word);
        if has("multiplier") {
            "multipliers"
        } else if has("reaction") {
            "reactions"
        } else if has("of marker") {
            "markers"
        } else if has("of joint") {
            "joints"
        } else if has("measured as") {
            "measures"
        } else if has("point in which") || has("gap of") || has("mode (") || has("slip velocity") || has("energy lost")
        {
            "contacts"
        } else if has("of body") {
            if has("acceleration") { "accelerations" } else { "state" }
        } else {
            "efforts"
        }
    }
}
