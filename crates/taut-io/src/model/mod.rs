//! The model file: text → names, numbers and units → [`taut::Spec`], and back.
//!
//! ```text
//!  text ─ node: tree with places ─ expand: includes, parts, repetitions, --set ─ resolve: numbers in SI, whole names
//!       ─ elements: the engine's own types ─ Spec
//! ```
//!
//! This file defines the result, [`ModelFile`]. `reading` makes it from a text; `error_places` finds the places that errors of the
//! engine refer to; `write` turns it back into a text; `upgrade` renames keywords of format 1.

mod branch;
mod c81;
mod columns;
mod elements;
mod error_places;
mod expand;
mod finer_mesh;
mod formula;
mod imports;
mod name_table;
mod node;
mod plausibility;
mod prescribed_motion;
mod quantity;
mod reading;
mod reference;
mod resolve;
mod schema;
mod scope;
mod settings;
mod shapes;
mod solver_settings;
mod start;
mod start_targets;
mod trim_table;
mod units;
mod upgrade;
mod visuals;
mod vocabulary;
mod write;
mod written_quantity;

pub use branch::{BranchName, name_branches};
pub use prescribed_motion::prescription_remedy;
pub use reading::{ModelTemplate, parse, read};
pub use reference::reference;
pub use schema::schema;
pub use settings::{Expectation, ExpectedAt};
pub use start_targets::{StartLedger, TargetResult};
pub use trim_table::{TrimResult, TrimTable, TrimVariable};
pub use upgrade::{FORMAT, Upgraded, format_of, upgrade};
pub use visuals::{Visual, VisualShape};
pub use written_quantity::WrittenQuantity;

use crate::diagnostic::{Diagnostic, Place};
use node::Node;
use std::collections::HashMap;
use std::path::PathBuf;
use taut::analyses::{RunMethod, Transient};
use taut::{Model, Named, Spec};

/// A model file that was read: the mechanism, its settings, and the place of each element.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// Its path as the user named it.
    pub path: PathBuf,
    /// The title.
    pub title: String,
    /// The mechanism.
    pub spec: Spec,
    /// `[settings]` and `[outputs]` as a transient analysis.
    pub transient: Transient,
    /// Event-driven or time stepping.
    pub contact_method: RunMethod,
    /// Time at the start.
    pub start_time: f64,
    /// `outputs.column_patterns`: patterns of column names to keep; empty keeps all.
    pub column_patterns: Vec<String>,
    /// Values that the results must have.
    pub expect: Vec<Expectation>,
    /// `[trim]`.
    pub trim: Option<TrimTable>,
    /// Visuals of bodies, by their names; the viewer chooses the appearance of the others.
    pub visuals: Vec<Named<Visual>>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    element_sources: HashMap<(&'static str, String), ElementSource>,
    /// `[start]`.
    start: Vec<start_targets::PlacedTarget>,
    /// `branch`.
    branch: Option<branch::RequestedBranch>,
}

/// An element as written in the file.
#[derive(Clone, Debug)]
struct ElementSource {
    /// `joint`, `driver` …: what the file calls it.
    section_word: &'static str,
    place: Place,
    node: Node,
}

/// An override: `--set link2.mass=3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// `link2.mass`, `settings.rtol`, or the name of a parameter.
    pub path: String,
    /// The value as in the file; a string needs no quotes.
    pub value: String,
}

/// A mechanism built in Rust, with the settings of [`Transient::default`].
impl From<Spec> for ModelFile {
    fn from(spec: Spec) -> ModelFile {
        ModelFile {
            path: PathBuf::new(),
            title: String::new(),
            spec,
            transient: Transient::default(),
            contact_method: RunMethod::default(),
            start_time: 0.0,
            column_patterns: Vec::new(),
            expect: Vec::new(),
            trim: None,
            visuals: Vec::new(),
            warnings: Vec::new(),
            element_sources: HashMap::new(),
            start: Vec::new(),
            branch: None,
        }
    }
}

impl ModelFile {
    /// Builds the model. An error gives its place in the file.
    ///
    /// # Errors
    /// What [`Spec::build`] finds.
    pub fn build(&self) -> Result<Model, Diagnostic> {
        let mut model = self.spec.build().map_err(|e| {
            let place = self.place_of_build_error(&e).cloned();
            Diagnostic { place, ..Diagnostic::error(self.with_file_keywords(&e.to_string())) }
        })?;
        self.meet_start_targets(&mut model)?;
        self.choose_branch(&mut model)?;
        Ok(model)
    }

    /// The elements as the file calls them: section (`joint`, `driver`, …), name and `type`, sorted by name. Imported elements
    /// are not in the list.
    pub fn written_elements(&self) -> Vec<(&'static str, &str, Option<&str>)> {
        fn kind(source: &ElementSource) -> Option<&str> {
            match &source.node.table()?.get("type")?.value {
                node::Value::String(word) => Some(word),
                _ => None,
            }
        }
        let mut list: Vec<_> = self.element_sources.iter().collect();
        list.sort_by_key(|((_, name), source)| (name, source.section_word));
        list.into_iter().map(|((_, name), source)| (source.section_word, name.as_str(), kind(source))).collect()
    }

    /// The initial state of the model at the start time.
    pub fn state(&self, model: &Model) -> taut::State {
        let mut state = model.initial_state();
        state.t = self.start_time;
        state
    }

    /// The file resolved: no parameters, no includes, plain SI numbers; reading it back gives the same bits.
    ///
    /// # Errors
    /// Elements defined in code (custom bodies, user functions).
    pub fn write(&self) -> Result<String, Diagnostic> {
        write::write(self)
    }
}
