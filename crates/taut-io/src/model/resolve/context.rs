//! The context in which an element is read, and the names it can refer to.

use super::LocalNames;
use crate::diagnostic::Diagnostic;
use crate::model::expand::PartPlacement;
use crate::model::node::Node;
use crate::model::scope::Scope;
use serde_json::Value as Json;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A named entry with the scope it was written in.
#[derive(Clone, Debug)]
pub(crate) struct ScopedNode {
    pub node: Node,
    pub scope: Arc<Scope>,
}

/// Names that coordinates and signals can refer to: joints with their kind and markers, measures, signals, and coordinates of
/// generalised bodies.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    pub joints: BTreeMap<String, (String, String, String)>,
    pub measures: BTreeMap<String, Json>,
    /// Measures by formula.
    pub formula_measures: BTreeMap<String, ScopedNode>,
    pub signals: BTreeMap<String, ScopedNode>,
    /// Units of the coordinates of generalised bodies.
    pub generalised: BTreeMap<String, String>,
    /// Signals that the engine evaluates within formulas.
    pub signals_of_formulas: RefCell<BTreeSet<String>>,
}

/// The context in which an element is read: its scope, its part, and the list of diagnostics.
pub(crate) struct Context<'a> {
    pub scope: Arc<Scope>,
    /// The part it belongs to.
    pub part: &'a PartPlacement,
    pub register: &'a NameTable,
    /// `body `rod``: the element in messages.
    pub element: String,
    /// Names that only the formulas of this element know.
    pub locals: LocalNames,
    /// Signals and measures whose text is being inserted.
    pub in_use: Vec<String>,
    pub diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Context<'a> {
    /// The context of an element without a name.
    pub fn new(
        scope: Arc<Scope>,
        part: &'a PartPlacement,
        register: &'a NameTable,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Context<'a> {
        let (element, locals, in_use) = (String::new(), LocalNames::default(), Vec::new());
        Context { scope, part, register, element, locals, in_use, diagnostics }
    }
}
