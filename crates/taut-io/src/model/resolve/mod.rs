//! From the text of the user to plain values: numbers in SI, full names, everything checked against the vocabulary.

mod air_fields;
mod contact_fields;
mod context;
mod control;
mod coordinate_units;
mod coordinates;
mod events;
mod formulas;
mod local_names;
mod orientation;
mod signals;

pub(crate) use context::{Context, NameTable, ScopedNode};
pub(crate) use coordinate_units::CoordinateDimension;
pub(crate) use formulas::ModelNames;
pub(crate) use local_names::LocalNames;
pub(crate) use orientation::quaternion_product;

use super::expand::PlacementKind;
use super::node::{Entry, Node, Table, Value};
use super::scope::ExpectedQuantity;
use super::upgrade::now_called;
use super::vocabulary::{
    self as words, CHARACTERISTIC, ElementKind, Field, FieldType, Requirement, SHAPES, VISUALS, WHEELS,
};
use crate::diagnostic::{Diagnostic, Place, did_you_mean};
use serde_json::{Map, Value as Json, json};

/// Names of our methods in other programs.
const METHOD_NAMES_OF_OTHER_PROGRAMS: &[(&str, &str)] = &[
    ("rk45", "dormand_prince"),
    ("ode45", "dormand_prince"),
    ("dopri5", "dormand_prince"),
    ("rk23", "bogacki_shampine"),
    ("ode23", "bogacki_shampine"),
    ("dopri8", "dop853"),
    ("ode78", "dop853"),
    ("runge_kutta", "rk4"),
];

impl Context<'_> {
    fn report(&mut self, finding: Diagnostic) {
        let named = self.element.is_empty() || finding.message.starts_with(&self.element);
        let message = if named { finding.message.clone() } else { format!("{}: {}", self.element, finding.message) };
        self.diagnostics.push(Diagnostic { message, ..finding });
    }

    fn report_type_mismatch(&mut self, node: &Node, expected: &str) {
        self.report(Diagnostic::error(format!("expected {expected}, found {}", node.kind())).at(&node.place));
    }

    /// The fields of a table, each checked and resolved; unknown and missing ones are reported.
    pub fn fields(&mut self, table: &Table, fields: &[Field], whole: &Place, skip: &[&str]) -> Map<String, Json> {
        let mut found = Map::new();
        // The other fields may use the definitions.
        if let Some(Field { field_type: FieldType::Definitions(variables, of_model), .. }) =
            fields.iter().find(|f| f.name == "definitions")
            && let Some(node) = table.get("definitions")
        {
            self.own_definitions(table, node, variables, *of_model);
        }
        for Entry { key, place, node } in &table.0 {
            if skip.contains(&key.as_str()) {
                continue;
            }
            let Some(field) = fields.iter().find(|f| f.name == key) else {
                if let Some(new) = now_called(key, fields.iter().map(|f| f.name)) {
                    self.report(Diagnostic::error(format!("`{key}` is now called `{new}`")).at(place));
                    continue;
                }
                let hint = did_you_mean(key, fields.iter().map(|f| f.name));
                let names: Vec<&str> = fields.iter().map(|f| f.name).collect();
                let help = format!("known here: {}", names.join(", "));
                self.report(Diagnostic::error(format!("unknown key `{key}`{hint}")).at(place).help(help));
                continue;
            };
            let whole = self.element.clone();
            self.element = if whole.is_empty() { format!("`{key}`") } else { format!("{whole}, `{key}`") };
            if let Some(value) = self.resolve(field.field_type, node) {
                found.insert(key.clone(), value);
            }
            self.element = whole;
        }
        for field in fields.iter().filter(|f| f.requirement == Requirement::Required) {
            if table.get(field.name).is_none() && !skip.contains(&field.name) {
                let message = format!("`{}` is missing", field.name);
                self.report(Diagnostic::error(message).at(whole).help(format!("{}: {}", field.name, field.doc)));
            }
        }
        found
    }

    /// A table with these fields.
    pub(crate) fn table(&mut self, node: &Node, fields: &[Field]) -> Option<Map<String, Json>> {
        let Some(table) = node.table() else {
            let names: Vec<&str> = fields.iter().map(|f| f.name).collect();
            self.report_type_mismatch(node, &format!("a table with {}", names.join(", ")));
            return None;
        };
        let before = self.diagnostics.len();
        let found = self.fields(table, fields, &node.place, &[]);
        (self.diagnostics.len() == before).then_some(found)
    }

    /// The kind named by `type`, and the fields that belong to it.
    pub fn kind<'k>(
        &mut self,
        node: &Node,
        kinds: &'k [ElementKind],
        family: &str,
    ) -> Option<(&'k ElementKind, Map<String, Json>)> {
        self.kind_by("type", node, kinds, family)
    }

    /// The kind named by the entry `word`.
    pub fn kind_by<'k>(
        &mut self,
        word: &str,
        node: &Node,
        kinds: &'k [ElementKind],
        family: &str,
    ) -> Option<(&'k ElementKind, Map<String, Json>)> {
        let Some(table) = node.table() else {
            self.report_type_mismatch(node, "a table");
            return None;
        };
        let all: Vec<&str> = kinds.iter().map(|k| k.name).collect();
        let Some(named) = table.get(word) else {
            let help = format!("write {word} = one of {}", all.join(", "));
            self.report(
                Diagnostic::error(format!("`{word}` is missing: which kind of {family} is it?"))
                    .at(&node.place)
                    .help(help),
            );
            return None;
        };
        let Some(name) = named.text() else {
            self.report_type_mismatch(named, &format!("the name of a {word}"));
            return None;
        };
        let Some(kind) = words::kind(kinds, name) else {
            let hint = did_you_mean(name, all.iter().copied());
            let help = format!("{word}s of {family}: {}", all.join(", "));
            self.report(Diagnostic::error(format!("unknown {word} `{name}`{hint}")).at(&named.place).help(help));
            return None;
        };
        Some((kind, self.fields(table, kind.fields, &node.place, &[word])))
    }

    fn number(&mut self, node: &Node, requested: &ExpectedQuantity) -> Option<f64> {
        match self.scope.clone().number(node, requested) {
            Ok(x) => Some(x),
            Err(finding) => {
                self.report(finding);
                None
            }
        }
    }

    fn numbers(&mut self, node: &Node, requested: &ExpectedQuantity, counts: &[usize]) -> Option<Json> {
        let Some(list) = node.list() else {
            let expected = if counts.is_empty() {
                "a list of numbers".to_string()
            } else {
                format!("a list of {} numbers", join_with_or(counts))
            };
            self.report_type_mismatch(node, &expected);
            return None;
        };
        if !counts.is_empty() && !counts.contains(&list.len()) {
            let message = format!("expected {} numbers, found {}", join_with_or(counts), list.len());
            self.report(Diagnostic::error(message).at(&node.place));
            return None;
        }
        let all: Vec<Option<f64>> = list.iter().map(|n| self.number(n, requested)).collect();
        all.into_iter().collect::<Option<Vec<f64>>>().map(|v| json!(v))
    }

    /// One field.
    pub fn resolve(&mut self, what: FieldType, node: &Node) -> Option<Json> {
        match what {
            FieldType::Number(requested) => self.number(node, &requested).map(|x| json!(x)),
            FieldType::Vector(counts, requested) => self.numbers(node, &requested, counts),
            FieldType::Numbers(requested) => self.numbers(node, &requested, &[]),
            FieldType::Powers(requested, per) => self.powers(node, &requested, per),
            FieldType::NumbersOrColumn(_) if node.text().is_some() => self.text(node).map(Json::String),
            FieldType::NumbersOrColumn(requested) => self.numbers(node, &requested, &[]),
            FieldType::NumberLists(requested) => match node.list() {
                Some(lists) => {
                    let all: Vec<Option<Json>> = lists.iter().map(|n| self.numbers(n, &requested, &[])).collect();
                    all.into_iter().collect::<Option<Vec<_>>>().map(Json::Array)
                }
                None => {
                    self.report_type_mismatch(node, "a list of lists of numbers");
                    None
                }
            },
            FieldType::Integer => match self.scope.clone().whole(node) {
                Ok(n) => Some(json!(n)),
                Err(finding) => {
                    self.report(finding);
                    None
                }
            },
            FieldType::String => self.text(node).map(Json::String),
            FieldType::Strings => match node.list() {
                Some(list) => {
                    list.iter().map(|n| self.text(n).map(Json::String)).collect::<Option<Vec<_>>>().map(Json::Array)
                }
                None => self.text(node).map(|t| json!([t])),
            },
            FieldType::Choice(words) => self.choice(node, words),
            FieldType::Choices(words) => match node.list() {
                Some(list) => list.iter().map(|n| self.choice(n, words)).collect::<Option<Vec<_>>>().map(Json::Array),
                None => self.choice(node, words).map(|w| json!([w])),
            },
            FieldType::Marker => self.text(node).map(|name| json!(self.part.marker(&name))),
            FieldType::BodyCoordinate => self.text(node).and_then(|name| self.body_coordinate(node, &name)),
            FieldType::Coordinate => self.coordinate(node),
            FieldType::Signal(requested) => self.signal(node, &requested, 0),
            FieldType::Signals(requested) => self.list_of_three(node, |c, n| c.signal(n, &requested, 0)),
            FieldType::Motion => self.motion(node),
            FieldType::TranslationMask => self.list_of_three(node, |c, n| c.translation_entry(n)),
            FieldType::RotationMask => self.rotation_mask(node),
            FieldType::Orientation => self.orientation(node),
            FieldType::Law => self.law(node),
            FieldType::Shapes => match node.list() {
                Some(list) => list.iter().map(|n| self.shape(n)).collect::<Option<Vec<_>>>().map(Json::Array),
                None => self.shape(node).map(|s| json!([s])),
            },
            FieldType::Visuals => match node.list() {
                Some(list) => list.iter().map(|n| self.visual(n)).collect::<Option<Vec<_>>>().map(Json::Array),
                None => self.visual(node).map(|l| json!([l])),
            },
            FieldType::Wheel => self.one_of(node, WHEELS),
            FieldType::Coefficients(requested) => self.coefficients(node, &requested),
            FieldType::Terms => self.terms(node),
            FieldType::Formula(more) => self.formula(node, None, more, ModelNames::All).map(|f| json!(f)),
            FieldType::Characteristic => self.table(node, CHARACTERISTIC).map(Json::Object),
            FieldType::Table(fields) => self.table(node, fields).map(Json::Object),
            FieldType::Kinds(word, kinds, family) => self.kinds(node, word, kinds, family),
            FieldType::Friction => self.friction(node, words::FRICTION),
            FieldType::JointFriction => self.friction(node, words::JOINT_FRICTION),
            FieldType::RopePath => self.rope_path(node),
            FieldType::SurfacePair => self.surface_pair(node),
            FieldType::Groups => self.groups(node),
            FieldType::Points(count) => self.points(node, count),
            FieldType::Triangles => self.triangles(node),
            FieldType::Inputs => self.inputs(node),
            FieldType::ControllerStates => self.controller_states(node),
            FieldType::EventExpression => self.event_expression(node),
            FieldType::EventExpressionOrNumber => self.event_expression_or_number(node),
            FieldType::Actions => self.actions(node),
            // Read again later with the names of its element.
            FieldType::ControllerFormula => self.text(node).map(Json::String),
            FieldType::BodyFormula
            | FieldType::NamedFormulas
            | FieldType::Definitions(..)
            | FieldType::FormulaMatrix
            | FieldType::GeneralisedCoordinates
            | FieldType::GeneralisedStates => Some(to_json(node)),
            FieldType::NumberOrFormula(requested, variables) => self.number_or_formula(node, &requested, variables),
            FieldType::ThreeNumbersOrFormulas(requested, variables) => {
                self.list_of_three(node, |c, n| c.number_or_formula(n, &requested, variables))
            }
            FieldType::Distribution(requested) => self.distribution(node, &requested),
            FieldType::NumbersOrLists(requested) => self.numbers_or_lists(node, &requested),
            FieldType::ElementName => self.text(node).map(|name| json!(format!("{}{name}", self.part.prefix))),
            FieldType::ElementNames => match node.list() {
                Some(list) => list
                    .iter()
                    .map(|n| self.resolve(FieldType::ElementName, n))
                    .collect::<Option<Vec<_>>>()
                    .map(Json::Array),
                None => self.resolve(FieldType::ElementName, node).map(|name| json!([name])),
            },
            FieldType::Params | FieldType::Markers | FieldType::Section => Some(to_json(node)),
        }
    }

    /// A coordinate of a body refers to world axes, which differ from those of a placed part.
    fn body_coordinate(&mut self, node: &Node, name: &str) -> Option<Json> {
        if self.part.placed != PlacementKind::AsWritten {
            let message = format!("`{name}` is relative to the world, but its part is placed elsewhere");
            let help =
                "within a placed part use coordinates of joints, or { slide = … }, { angle = … } between markers";
            self.report(Diagnostic::error(message).at(&node.place).help(help));
            return None;
        }
        Some(json!(format!("{}{name}", self.part.prefix)))
    }

    fn text(&mut self, node: &Node) -> Option<String> {
        match node.text() {
            Some(text) => Some(text.to_string()),
            None => {
                self.report_type_mismatch(node, "a string");
                None
            }
        }
    }

    fn choice(&mut self, node: &Node, words: &[&str]) -> Option<Json> {
        self.choice_or(node, words, "")
    }

    /// One of these words; `or` says in the message what else is permitted.
    fn choice_or(&mut self, node: &Node, words: &[&str], or: &str) -> Option<Json> {
        let text = self.text(node)?;
        if words.contains(&text.as_str()) {
            return Some(json!(text));
        }
        if let Some(new) = now_called(&text, words.iter().copied()) {
            self.report(Diagnostic::error(format!("`{text}` is now called `{new}`")).at(&node.place));
            return None;
        }
        let foreign = METHOD_NAMES_OF_OTHER_PROGRAMS
            .iter()
            .find(|(theirs, ours)| *theirs == text.to_lowercase() && words.contains(ours));
        let hint = match foreign {
            Some((_, ours)) => format!(" (did you mean `{ours}`?)"),
            None => did_you_mean(&text, words.iter().copied()),
        };
        let help = format!("one of {}{or}", words.join(", "));
        self.report(Diagnostic::error(format!("`{text}` is not a valid choice{hint}")).at(&node.place).help(help));
        None
    }

    fn list_of_three(&mut self, node: &Node, mut each: impl FnMut(&mut Self, &Node) -> Option<Json>) -> Option<Json> {
        match node.list() {
            Some(list) if list.len() == 3 => {
                let all: Vec<Option<Json>> = list.iter().map(|n| each(self, n)).collect();
                all.into_iter().collect::<Option<Vec<_>>>().map(Json::Array)
            }
            Some(list) => {
                self.report(Diagnostic::error(format!("expected 3 entries, found {}", list.len())).at(&node.place));
                None
            }
            None => {
                self.report_type_mismatch(node, "a list of 3");
                None
            }
        }
    }

    fn shape(&mut self, node: &Node) -> Option<Json> {
        let (kind, mut fields) = self.kind(node, SHAPES, "shape")?;
        fields.insert("type".to_string(), json!(kind.name));
        Some(Json::Object(fields))
    }

    fn visual(&mut self, node: &Node) -> Option<Json> {
        self.kinds(node, "type", VISUALS, "visual")
    }

    /// A table whose kind is given by the entry `word`, which it keeps.
    fn kinds(&mut self, node: &Node, word: &str, kinds: &[ElementKind], family: &str) -> Option<Json> {
        let before = self.diagnostics.len();
        let (kind, mut fields) = self.kind_by(word, node, kinds, family)?;
        fields.insert(word.to_string(), json!(kind.name));
        (self.diagnostics.len() == before).then_some(Json::Object(fields))
    }

    /// `{ kind = { fields } }`.
    fn one_of(&mut self, node: &Node, kinds: &[ElementKind]) -> Option<Json> {
        let names: Vec<&str> = kinds.iter().map(|k| k.name).collect();
        let Some([Entry { key, place, node: inner }]) = node.table().map(|t| t.0.as_slice()) else {
            self.report_type_mismatch(node, &format!("a table with one of {}", names.join(", ")));
            return None;
        };
        let (Some(kind), Some(table)) = (words::kind(kinds, key), inner.table()) else {
            let hint = did_you_mean(key, names.iter().copied());
            let help = format!("one of {}, each a table", names.join(", "));
            self.report(Diagnostic::error(format!("`{key}` is not a valid choice{hint}")).at(place).help(help));
            return None;
        };
        Some(json!({ key: self.fields(table, kind.fields, &inner.place, &[]) }))
    }
}

fn join_with_or(counts: &[usize]) -> String {
    counts.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ")
}

/// A node as JSON, without units.
fn to_json(node: &Node) -> Json {
    match &node.value {
        Value::Number(x) => json!(x),
        Value::String(t) => json!(t),
        Value::Boolean(b) => json!(b),
        Value::List(l) => Json::Array(l.iter().map(to_json).collect()),
        Value::Table(t) => t.0.iter().map(|e| (e.key.clone(), to_json(&e.node))).collect(),
    }
}
