//! From the text of the user to plain values: numbers in SI, full names, everything checked against the vocabulary.

mod control;
mod coordinates;
mod events;
mod laws;
mod orientation;
mod signals;
mod suited;

pub(crate) use orientation::multiplied;
pub(crate) use suited::Sort;

use super::expand::{Part, Placed};
use super::node::{Entry, Node, Table, Value};
use super::scope::{Asked, Scope};
use super::upgrade::now_called;
use super::vocabulary::{self as words, CHARACTERISTIC, Field, Kind, LOOKS, Need, SHAPES, WHEELS, What};
use crate::diagnostic::{Diagnostic, Place, near};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A named entry with the scope it was written in.
#[derive(Clone, Debug)]
pub(crate) struct Scoped {
    pub node: Node,
    pub scope: Arc<Scope>,
}

/// Names that coordinates and signals can refer to: joints with their kind and markers, measures, signals.
#[derive(Debug, Default)]
pub(crate) struct Register {
    pub joints: BTreeMap<String, (String, String, String)>,
    pub measures: BTreeMap<String, Json>,
    pub signals: BTreeMap<String, Scoped>,
}

/// The context in which an element is read: its scope, its part, and the list of diagnostics.
pub(crate) struct Context<'a> {
    pub scope: Arc<Scope>,
    /// The part it belongs to.
    pub part: &'a Part,
    pub register: &'a Register,
    /// `body `rod``: the element in messages.
    pub element: String,
    pub findings: &'a mut Vec<Diagnostic>,
}

/// Names of our methods in other programs.
const FOREIGN: &[(&str, &str)] = &[
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
    fn say(&mut self, finding: Diagnostic) {
        let named = self.element.is_empty() || finding.message.starts_with(&self.element);
        let message = if named { finding.message.clone() } else { format!("{}: {}", self.element, finding.message) };
        self.findings.push(Diagnostic { message, ..finding });
    }

    fn wrong(&mut self, node: &Node, expected: &str) {
        self.say(Diagnostic::error(format!("expected {expected}, found {}", node.kind())).at(&node.place));
    }

    /// The fields of a table, each checked and resolved; unknown and missing ones are reported.
    pub fn fields(&mut self, table: &Table, fields: &[Field], whole: &Place, skip: &[&str]) -> Map<String, Json> {
        let mut found = Map::new();
        for Entry { key, place, node } in &table.0 {
            if skip.contains(&key.as_str()) {
                continue;
            }
            let Some(field) = fields.iter().find(|f| f.name == key) else {
                if let Some(new) = now_called(key, fields.iter().map(|f| f.name)) {
                    self.say(Diagnostic::error(format!("`{key}` is now called `{new}`")).at(place));
                    continue;
                }
                let hint = near(key, fields.iter().map(|f| f.name));
                let names: Vec<&str> = fields.iter().map(|f| f.name).collect();
                let help = format!("known here: {}", names.join(", "));
                self.say(Diagnostic::error(format!("unknown key `{key}`{hint}")).at(place).help(help));
                continue;
            };
            let whole = self.element.clone();
            self.element = if whole.is_empty() { format!("`{key}`") } else { format!("{whole}, `{key}`") };
            if let Some(value) = self.resolve(field.what, node) {
                found.insert(key.clone(), value);
            }
            self.element = whole;
        }
        for field in fields.iter().filter(|f| f.need == Need::Required) {
            if table.get(field.name).is_none() && !skip.contains(&field.name) {
                let message = format!("`{}` is missing", field.name);
                self.say(Diagnostic::error(message).at(whole).help(format!("{}: {}", field.name, field.doc)));
            }
        }
        found
    }

    /// A table with these fields.
    fn table(&mut self, node: &Node, fields: &[Field]) -> Option<Map<String, Json>> {
        let Some(table) = node.table() else {
            let names: Vec<&str> = fields.iter().map(|f| f.name).collect();
            self.wrong(node, &format!("a table with {}", names.join(", ")));
            return None;
        };
        let before = self.findings.len();
        let found = self.fields(table, fields, &node.place, &[]);
        (self.findings.len() == before).then_some(found)
    }

    /// The kind named by `type`, and the fields that belong to it.
    pub fn kind<'k>(&mut self, node: &Node, kinds: &'k [Kind], family: &str) -> Option<(&'k Kind, Map<String, Json>)> {
        self.kind_by("type", node, kinds, family)
    }

    /// The kind named by the entry `word`.
    pub fn kind_by<'k>(
        &mut self,
        word: &str,
        node: &Node,
        kinds: &'k [Kind],
        family: &str,
    ) -> Option<(&'k Kind, Map<String, Json>)> {
        let Some(table) = node.table() else {
            self.wrong(node, "a table");
            return None;
        };
        let all: Vec<&str> = kinds.iter().map(|k| k.name).collect();
        let Some(named) = table.get(word) else {
            let help = format!("write {word} = one of {}", all.join(", "));
            self.say(
                Diagnostic::error(format!("`{word}` is missing: which kind of {family} is it?"))
                    .at(&node.place)
                    .help(help),
            );
            return None;
        };
        let Some(name) = named.text() else {
            self.wrong(named, &format!("the name of a {word}"));
            return None;
        };
        let Some(kind) = words::kind(kinds, name) else {
            let hint = near(name, all.iter().copied());
            let help = format!("{word}s of {family}: {}", all.join(", "));
            self.say(Diagnostic::error(format!("unknown {word} `{name}`{hint}")).at(&named.place).help(help));
            return None;
        };
        Some((kind, self.fields(table, kind.fields, &node.place, &[word])))
    }

    fn number(&mut self, node: &Node, asked: &Asked) -> Option<f64> {
        match self.scope.clone().number(node, asked) {
            Ok(x) => Some(x),
            Err(finding) => {
                self.say(finding);
                None
            }
        }
    }

    fn numbers(&mut self, node: &Node, asked: &Asked, counts: &[usize]) -> Option<Json> {
        let Some(list) = node.list() else {
            let expected = if counts.is_empty() {
                "a list of numbers".to_string()
            } else {
                format!("a list of {} numbers", either(counts))
            };
            self.wrong(node, &expected);
            return None;
        };
        if !counts.is_empty() && !counts.contains(&list.len()) {
            let message = format!("expected {} numbers, found {}", either(counts), list.len());
            self.say(Diagnostic::error(message).at(&node.place));
            return None;
        }
        let all: Vec<Option<f64>> = list.iter().map(|n| self.number(n, asked)).collect();
        all.into_iter().collect::<Option<Vec<f64>>>().map(|v| json!(v))
    }

    /// One field.
    pub fn resolve(&mut self, what: What, node: &Node) -> Option<Json> {
        match what {
            What::Number(asked) => self.number(node, &asked).map(|x| json!(x)),
            What::Vector(counts, asked) => self.numbers(node, &asked, counts),
            What::Numbers(asked) => self.numbers(node, &asked, &[]),
            What::Powers(asked, per) => self.powers(node, &asked, per),
            What::NumbersOrColumn(_) if node.text().is_some() => self.text(node).map(Json::String),
            What::NumbersOrColumn(asked) => self.numbers(node, &asked, &[]),
            What::Lists(asked) => match node.list() {
                Some(lists) => {
                    let all: Vec<Option<Json>> = lists.iter().map(|n| self.numbers(n, &asked, &[])).collect();
                    all.into_iter().collect::<Option<Vec<_>>>().map(Json::Array)
                }
                None => {
                    self.wrong(node, "a list of lists of numbers");
                    None
                }
            },
            What::Whole => match self.scope.clone().whole(node) {
                Ok(n) => Some(json!(n)),
                Err(finding) => {
                    self.say(finding);
                    None
                }
            },
            What::Text => self.text(node).map(Json::String),
            What::Texts => match node.list() {
                Some(list) => {
                    list.iter().map(|n| self.text(n).map(Json::String)).collect::<Option<Vec<_>>>().map(Json::Array)
                }
                None => self.text(node).map(|t| json!([t])),
            },
            What::Choice(words) => self.choice(node, words),
            What::Choices(words) => match node.list() {
                Some(list) => list.iter().map(|n| self.choice(n, words)).collect::<Option<Vec<_>>>().map(Json::Array),
                None => self.choice(node, words).map(|w| json!([w])),
            },
            What::Marker => self.text(node).map(|name| json!(self.part.marker(&name))),
            What::BodyCoordinate => self.text(node).and_then(|name| self.body_coordinate(node, &name)),
            What::Coordinate => self.coordinate(node),
            What::Signal(asked) => self.signal(node, &asked, 0),
            What::Signals(asked) => self.three(node, |c, n| c.signal(n, &asked, 0)),
            What::Motion => self.motion(node),
            What::Holds => self.three(node, |c, n| c.hold(n)),
            What::Turning => self.turning(node),
            What::Orientation => self.orientation(node),
            What::Law => self.law(node),
            What::Shapes => match node.list() {
                Some(list) => list.iter().map(|n| self.shape(n)).collect::<Option<Vec<_>>>().map(Json::Array),
                None => self.shape(node).map(|s| json!([s])),
            },
            What::Looks => match node.list() {
                Some(list) => list.iter().map(|n| self.look(n)).collect::<Option<Vec<_>>>().map(Json::Array),
                None => self.look(node).map(|l| json!([l])),
            },
            What::Wheel => self.one_of(node, WHEELS),
            What::Coefficients(asked) => self.coefficients(node, &asked),
            What::Terms => self.terms(node),
            What::Formula(more) => self.open_formula(node, more),
            What::Characteristic => self.table(node, CHARACTERISTIC).map(Json::Object),
            What::Table(fields) => self.table(node, fields).map(Json::Object),
            What::Kinds(word, kinds, family) => self.kinds(node, word, kinds, family),
            What::Friction => self.friction(node, words::FRICTION),
            What::Rubbing => self.friction(node, words::RUBBING),
            What::Through => self.through(node),
            What::Between => self.between(node),
            What::Groups => self.groups(node),
            What::Points(count) => self.points(node, count),
            What::Triangles => self.triangles(node),
            What::Inputs => self.inputs(node),
            What::Memories => self.memories(node),
            What::Sensed => self.sensed(node),
            What::SensedOrNumber => self.sensed_or_number(node),
            What::Deeds => self.deeds(node),
            // Read again later with the names of its element.
            What::ControlLaw => self.text(node).map(Json::String),
            What::Params | What::Markers | What::Section => Some(plain(node)),
        }
    }

    /// A coordinate of a body refers to world axes, which differ from those of a placed part.
    fn body_coordinate(&mut self, node: &Node, name: &str) -> Option<Json> {
        if self.part.placed != Placed::AsWritten {
            let message = format!("`{name}` is relative to the world, but its part is placed elsewhere");
            let help =
                "within a placed part use coordinates of joints, or { slide = … }, { angle = … } between markers";
            self.say(Diagnostic::error(message).at(&node.place).help(help));
            return None;
        }
        Some(json!(format!("{}{name}", self.part.prefix)))
    }

    fn text(&mut self, node: &Node) -> Option<String> {
        match node.text() {
            Some(text) => Some(text.to_string()),
            None => {
                self.wrong(node, "a string");
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
            self.say(Diagnostic::error(format!("`{text}` is now called `{new}`")).at(&node.place));
            return None;
        }
        let foreign = FOREIGN.iter().find(|(theirs, ours)| *theirs == text.to_lowercase() && words.contains(ours));
        let hint = match foreign {
            Some((_, ours)) => format!(" (did you mean `{ours}`?)"),
            None => near(&text, words.iter().copied()),
        };
        let help = format!("one of {}{or}", words.join(", "));
        self.say(Diagnostic::error(format!("`{text}` is not a valid choice{hint}")).at(&node.place).help(help));
        None
    }

    fn three(&mut self, node: &Node, mut each: impl FnMut(&mut Self, &Node) -> Option<Json>) -> Option<Json> {
        match node.list() {
            Some(list) if list.len() == 3 => {
                let all: Vec<Option<Json>> = list.iter().map(|n| each(self, n)).collect();
                all.into_iter().collect::<Option<Vec<_>>>().map(Json::Array)
            }
            Some(list) => {
                self.say(Diagnostic::error(format!("expected 3 entries, found {}", list.len())).at(&node.place));
                None
            }
            None => {
                self.wrong(node, "a list of 3");
                None
            }
        }
    }

    fn shape(&mut self, node: &Node) -> Option<Json> {
        let (kind, mut fields) = self.kind(node, SHAPES, "shape")?;
        fields.insert("type".to_string(), json!(kind.name));
        Some(Json::Object(fields))
    }

    fn look(&mut self, node: &Node) -> Option<Json> {
        self.kinds(node, "type", LOOKS, "visual")
    }

    /// A table whose kind is given by the entry `word`, which it keeps.
    fn kinds(&mut self, node: &Node, word: &str, kinds: &[Kind], family: &str) -> Option<Json> {
        let before = self.findings.len();
        let (kind, mut fields) = self.kind_by(word, node, kinds, family)?;
        fields.insert(word.to_string(), json!(kind.name));
        (self.findings.len() == before).then_some(Json::Object(fields))
    }

    /// `{ kind = { fields } }`.
    fn one_of(&mut self, node: &Node, kinds: &[Kind]) -> Option<Json> {
        let names: Vec<&str> = kinds.iter().map(|k| k.name).collect();
        let Some([Entry { key, place, node: inner }]) = node.table().map(|t| t.0.as_slice()) else {
            self.wrong(node, &format!("a table with one of {}", names.join(", ")));
            return None;
        };
        let (Some(kind), Some(table)) = (words::kind(kinds, key), inner.table()) else {
            let hint = near(key, names.iter().copied());
            let help = format!("one of {}, each a table", names.join(", "));
            self.say(Diagnostic::error(format!("`{key}` is not a valid choice{hint}")).at(place).help(help));
            return None;
        };
        Some(json!({ key: self.fields(table, kind.fields, &inner.place, &[]) }))
    }
}

fn either(counts: &[usize]) -> String {
    counts.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ")
}

/// A node as JSON, without units.
fn plain(node: &Node) -> Json {
    match &node.value {
        Value::Number(x) => json!(x),
        Value::Text(t) => json!(t),
        Value::Truth(b) => json!(b),
        Value::List(l) => Json::Array(l.iter().map(plain).collect()),
        Value::Table(t) => t.0.iter().map(|e| (e.key.clone(), plain(&e.node))).collect(),
    }
}
