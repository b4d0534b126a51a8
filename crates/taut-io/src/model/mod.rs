//! The model file: text → names, numbers and units → [`taut::Spec`], and back.
//!
//! ```text
//!  text ─ node: tree with places ─ expand: includes, parts, repetitions, --set ─ resolve: numbers in SI, whole names
//!       ─ elements: the engine's own types ─ Spec
//! ```
//!
//! This file defines the result, [`ModelFile`]. `reading` makes it from a text; `blame` finds the places that errors of the
//! engine refer to; `write` turns it back into a text; `upgrade` renames keywords of format 1.

mod blame;
mod choice;
mod columns;
mod elements;
mod expand;
mod formula;
mod imports;
mod looks;
mod node;
mod odd;
mod quantity;
mod reading;
mod reference;
mod register;
mod resolve;
mod schema;
mod scope;
mod settings;
mod shapes;
mod units;
mod upgrade;
mod vocabulary;
mod write;

pub use looks::{Look, LookForm};
pub use reading::{parse, read};
pub use reference::reference;
pub use schema::schema;
pub use settings::{At, Expectation};
pub use upgrade::{FORMAT, Upgraded, format_of, upgrade};

use crate::diagnostic::{Diagnostic, Place};
use node::Node;
use std::collections::HashMap;
use std::path::PathBuf;
use taut::analyses::{RunMethod, Transient};
use taut::{Model, Named, Spec};

/// A model file that was read: the mechanism, its settings, and the place of each element.
#[derive(Debug)]
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
    pub march: RunMethod,
    /// Time at the start.
    pub start_time: f64,
    /// `outputs.only`: patterns of column names to keep; empty keeps all.
    pub only: Vec<String>,
    /// Values that the results must have.
    pub expect: Vec<Expectation>,
    /// Visuals of bodies, by their names; the viewer chooses the appearance of the others.
    pub looks: Vec<Named<Look>>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    written: HashMap<(&'static str, String), Written>,
}

/// An element as written in the file.
#[derive(Clone, Debug)]
struct Written {
    /// `joint`, `driver` …: what the file calls it.
    word: &'static str,
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
            march: RunMethod::default(),
            start_time: 0.0,
            only: Vec::new(),
            expect: Vec::new(),
            looks: Vec::new(),
            warnings: Vec::new(),
            written: HashMap::new(),
        }
    }
}

impl ModelFile {
    /// Builds the model. An error gives its place in the file.
    ///
    /// # Errors
    /// What [`Spec::build`] finds.
    pub fn build(&self) -> Result<Model, Diagnostic> {
        self.spec.build().map_err(|e| {
            let place = self.blamed(&e).cloned();
            Diagnostic { place, ..Diagnostic::error(self.in_words_of_the_file(&e.to_string())) }
        })
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
