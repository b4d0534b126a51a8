//! From what the user wrote to plain values: numbers in SI, names made whole, everything checked against the vocabulary.

use super::node::{Entry, Node, Table, Value};
use super::scope::{Scope, no_expression};
use super::vocabulary::{
    self as words, ANYTHING, CHARACTERISTIC, DISPLACEMENT, Field, Kind, LAWS, Need, ORIENTATION, RATE, RATE_OF_RATE,
    RATIO, SHAPES, SIGNALS, WHEELS, What,
};
use crate::diagnostic::{Diagnostic, Place, near};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use taut::expressions::{Expression, ParseError};

/// A named entry with the scope it was written in.
#[derive(Clone, Debug)]
pub(crate) struct Scoped {
    pub node: Node,
    pub scope: Arc<Scope>,
}

/// What a coordinate's name can refer to: joints with their kind and markers, measures, signals.
#[derive(Debug, Default)]
pub(crate) struct Register {
    pub joints: BTreeMap<String, (String, String, String)>,
    pub measures: BTreeMap<String, Json>,
    pub signals: BTreeMap<String, Scoped>,
}

/// Where something is read: its names, its part, and the list of findings.
pub(crate) struct Context<'a> {
    pub scope: Arc<Scope>,
    /// What stands in front of every name: `blade1_`.
    pub prefix: &'a str,
    /// Whether the part has a place of its own, and so a ground of its own.
    pub placed: Placed,
    pub register: &'a Register,
    /// `body `rod``: how messages speak of the element.
    pub element: String,
    pub findings: &'a mut Vec<Diagnostic>,
}

/// What other programs call our methods.
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

/// Whether a part was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placed {
    AsWritten,
    Moved,
}

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

    /// The kind named by `type`, and the fields that belong to it.
    pub fn kind<'k>(&mut self, node: &Node, kinds: &'k [Kind], family: &str) -> Option<(&'k Kind, Map<String, Json>)> {
        let Some(table) = node.table() else {
            self.wrong(node, "a table");
            return None;
        };
        let all: Vec<&str> = kinds.iter().map(|k| k.name).collect();
        let Some(named) = table.get("type") else {
            let help = format!("write type = one of {}", all.join(", "));
            self.say(
                Diagnostic::error(format!("`type` is missing: which kind of {family} is it?"))
                    .at(&node.place)
                    .help(help),
            );
            return None;
        };
        let Some(name) = named.text() else {
            self.wrong(named, "the name of a type");
            return None;
        };
        let Some(kind) = words::kind(kinds, name) else {
            let hint = near(name, all.iter().copied());
            let help = format!("types of {family}: {}", all.join(", "));
            self.say(Diagnostic::error(format!("unknown type `{name}`{hint}")).at(&named.place).help(help));
            return None;
        };
        Some((kind, self.fields(table, kind.fields, &node.place, &["type"])))
    }

    /// The name of a marker as the whole model knows it.
    pub fn marker(&self, name: &str) -> String {
        if self.prefix.is_empty() {
            return name.to_string();
        }
        match (name, name.strip_prefix("ground."), self.placed) {
            ("ground", _, Placed::AsWritten) => "ground".to_string(),
            ("ground", _, Placed::Moved) => format!("ground.{}", self.prefix.trim_end_matches('_')),
            (_, Some(frame), _) => format!("ground.{}{frame}", self.prefix),
            _ => format!("{}{name}", self.prefix),
        }
    }

    fn number(&mut self, node: &Node, asked: &super::scope::Asked) -> Option<f64> {
        match self.scope.clone().number(node, asked) {
            Ok(x) => Some(x),
            Err(finding) => {
                self.say(finding);
                None
            }
        }
    }

    fn numbers(&mut self, node: &Node, asked: &super::scope::Asked, counts: &[usize]) -> Option<Json> {
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
            What::Marker => self.text(node).map(|name| json!(self.marker(&name))),
            What::BodyCoordinate => self.text(node).map(|name| json!(format!("{}{name}", self.prefix))),
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
            What::Wheel => self.one_of(node, WHEELS),
            What::Coefficients(asked) => self.coefficients(node, &asked),
            What::Terms => self.terms(node),
            What::Formula(more) => self.open_formula(node, more),
            What::Characteristic => {
                let Some(table) = node.table() else {
                    self.wrong(node, "a table with x and force");
                    return None;
                };
                Some(Json::Object(self.fields(table, CHARACTERISTIC, &node.place, &[])))
            }
            What::Params | What::Markers | What::Section => Some(plain(node)),
        }
    }

    fn text(&mut self, node: &Node) -> Option<String> {
        match node.text() {
            Some(text) => Some(text.to_string()),
            None => {
                self.wrong(node, "a text");
                None
            }
        }
    }

    fn choice(&mut self, node: &Node, words: &[&str]) -> Option<Json> {
        let text = self.text(node)?;
        if words.contains(&text.as_str()) {
            return Some(json!(text));
        }
        let foreign = FOREIGN.iter().find(|(theirs, ours)| *theirs == text.to_lowercase() && words.contains(ours));
        let hint = match foreign {
            Some((_, ours)) => format!(" (did you mean `{ours}`?)"),
            None => near(&text, words.iter().copied()),
        };
        let help = format!("one of {}", words.join(", "));
        self.say(Diagnostic::error(format!("`{text}` is not known here{hint}")).at(&node.place).help(help));
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

    /// `hinge.angle`, `rod.x`, the name of a measure, or `{ distance = { a, b } }`.
    pub fn coordinate(&mut self, node: &Node) -> Option<Json> {
        if let Some(name) = node.text() {
            let name = format!("{}{name}", self.prefix);
            if let Some(measure) = self.register.measures.get(&name) {
                return Some(measure.clone());
            }
            let (owner, what) = name.rsplit_once('.').unwrap_or((&name, ""));
            let Some((kind, a, b)) = self.register.joints.get(owner) else {
                return Some(json!({ "coordinate": name }));
            };
            let ends = json!({ "a": a, "b": b });
            let in_plane = matches!(kind.as_str(), "slider" | "slot");
            return match what {
                "angle" => Some(json!({ "angle": ends })),
                "distance" => Some(json!({ "distance": ends })),
                "slide" if in_plane => Some(json!({ "slide": { "a": a, "b": b, "axis": "x" } })),
                "slide" => Some(json!({ "slide": ends })),
                _ => {
                    let message = format!("joint `{owner}` has no coordinate `{what}`");
                    let help = "coordinates of joints are `.angle`, `.slide` and `.distance`";
                    self.say(Diagnostic::error(message).at(&node.place).help(help));
                    None
                }
            };
        }
        let Some(table) = node.table() else {
            self.wrong(node, "a coordinate: a name such as \"hinge.angle\", or { angle = { a, b } }");
            return None;
        };
        let [Entry { key, place, node: inner }] = table.0.as_slice() else {
            let help = "one of distance, slide, angle, coordinate";
            self.say(Diagnostic::error("a coordinate is a table with one entry").at(&node.place).help(help));
            return None;
        };
        const ENDS: &[Field] =
            &[words::must("a", What::Marker, "One marker."), words::must("b", What::Marker, "The other.")];
        const SLIDE: &[Field] = &[
            words::must("a", What::Marker, "Carries the axis."),
            words::must("b", What::Marker, "Moves along it."),
            words::may("axis", What::Choice(&["x", "y", "z"]), "Which axis of a; z if left out."),
        ];
        match (key.as_str(), inner.table()) {
            ("coordinate", _) => self.resolve(What::BodyCoordinate, inner).map(|c| json!({ "coordinate": c })),
            ("distance" | "angle", Some(ends)) => Some(json!({ key: self.fields(ends, ENDS, &inner.place, &[]) })),
            ("slide", Some(ends)) => Some(json!({ "slide": self.fields(ends, SLIDE, &inner.place, &[]) })),
            ("distance" | "slide" | "angle", None) => {
                self.wrong(inner, "{ a = marker, b = marker }");
                None
            }
            (other, _) => {
                let hint = near(other, ["distance", "slide", "angle", "coordinate"].into_iter());
                self.say(Diagnostic::error(format!("`{other}` is no kind of coordinate{hint}")).at(place));
                None
            }
        }
    }

    /// A number, a formula in t, a named signal, or a table with a type.
    pub fn signal(&mut self, node: &Node, asked: &super::scope::Asked, depth: usize) -> Option<Json> {
        match &node.value {
            Value::Number(x) => Some(json!(x)),
            Value::Text(text) => {
                let named = self.register.signals.get(&format!("{}{text}", self.prefix)).cloned();
                if let Some(Scoped { node: inner, scope }) = named {
                    if depth > 20 {
                        self.say(Diagnostic::error(format!("signal `{text}` refers to itself")).at(&node.place));
                        return None;
                    }
                    let outer = std::mem::replace(&mut self.scope, scope);
                    let found = self.signal(&inner, asked, depth + 1);
                    self.scope = outer;
                    return found;
                }
                let before = self.findings.len();
                let found = self.formula_or_number(node, text, asked, &["t"]);
                let signals = self.register.signals.keys().filter_map(|n| n.strip_prefix(self.prefix));
                let hint = near(text, signals);
                if let (Some(finding), false) = (self.findings[before..].first_mut(), hint.is_empty()) {
                    finding.help = Some(format!("or one of [signals]{hint}"));
                }
                found
            }
            Value::Table(_) => {
                let (kind, mut fields) = self.kind(node, SIGNALS, "signal")?;
                fields.insert("type".to_string(), json!(kind.name));
                if kind.name == "expression" {
                    let formula = node.table().and_then(|t| t.get("formula"))?;
                    fields.insert("formula".to_string(), json!(self.formula(formula, &["t"])?));
                }
                Some(Json::Object(fields))
            }
            _ => {
                self.wrong(node, "a signal: a number, a formula in t, or a table with a type");
                None
            }
        }
    }

    /// A text without any of the variables is a number with a dimension; with one it is a formula.
    fn formula_or_number(
        &mut self,
        node: &Node,
        text: &str,
        asked: &super::scope::Asked,
        variables: &[&str],
    ) -> Option<Json> {
        let mut varies = false;
        super::scope::walk(text, |piece| {
            varies |= matches!(piece, super::scope::Piece::Name(name) if variables.contains(&name));
        });
        // `3 t` is three tonnes, not a formula.
        if varies && !super::scope::is_quantity(text) {
            return self.formula(node, variables).map(|f| json!(f));
        }
        self.number(node, asked).map(|x| json!(x))
    }

    /// A formula in the variables, parameters replaced, checked to parse.
    fn formula(&mut self, node: &Node, variables: &[&str]) -> Option<String> {
        self.spelt(node, variables, Expression::parse)
    }

    /// The formula with every parameter replaced. The original text is what positions refer to; the spelt one is what
    /// the engine will read.
    fn spelt(
        &mut self,
        node: &Node,
        variables: &[&str],
        parse: fn(&str, &[&str]) -> Result<Expression, ParseError>,
    ) -> Option<String> {
        let scope = self.scope.clone();
        let found = scope.formula(node, variables).and_then(|spelt| {
            let text = node.text().unwrap_or_default();
            let known = scope.names();
            let names: Vec<&str> = known.iter().map(String::as_str).chain(variables.iter().copied()).collect();
            let bracketed = text.contains('[');
            let original = if bracketed { parse(&spelt, variables) } else { parse(text, &names) };
            original.and_then(|_| parse(&spelt, variables)).map(|_| spelt).map_err(|e| {
                let finding = no_expression(node, text, &e, &names);
                match &e {
                    ParseError::UnknownName { name, .. } if self.is_signal(name) => {
                        finding.help(format!("`{name}` is a signal: it can only stand alone, not within a formula"))
                    }
                    _ => finding,
                }
            })
        });
        match found {
            Ok(text) => Some(text),
            Err(finding) => {
                self.say(finding);
                None
            }
        }
    }

    fn is_signal(&self, name: &str) -> bool {
        self.register.signals.contains_key(&format!("{}{name}", self.prefix))
    }

    /// A formula over coordinates: names with a dot are left to the engine, with the part's name in front.
    fn open_formula(&mut self, node: &Node, more: &[&str]) -> Option<Json> {
        let Some(text) = node.text() else {
            self.wrong(node, "a formula");
            return None;
        };
        let mut dotted = Vec::new();
        super::scope::walk(text, |piece| {
            if let super::scope::Piece::Name(name) = piece
                && name.contains('.')
            {
                dotted.push(name.to_string());
            }
        });
        dotted.extend(more.iter().map(ToString::to_string));
        let names: Vec<&str> = dotted.iter().map(String::as_str).collect();
        // Dotted names are the engine's to find; the parser takes them as they come.
        let spelt = self.spelt(node, &names, |text, names| {
            let plain: Vec<&str> = names.iter().copied().filter(|n| !n.contains('.')).collect();
            Expression::parse_dotted(text, &plain)
        })?;
        let mut whole = String::new();
        super::scope::walk(&spelt, |piece| match piece {
            super::scope::Piece::Name(name) if name.contains('.') => whole.push_str(&self.marker(name)),
            super::scope::Piece::Name(s) | super::scope::Piece::Other(s) => whole.push_str(s),
        });
        Some(json!(whole))
    }

    /// `{ position | velocity | acceleration = SIGNAL }`.
    fn motion(&mut self, node: &Node) -> Option<Json> {
        let entry = node.table().map(|t| t.0.as_slice());
        let Some([Entry { key, place, node: signal }]) = entry else {
            self.wrong(node, "a motion: { position = … }, { velocity = … } or { acceleration = … }");
            return None;
        };
        let asked = match key.as_str() {
            "position" => DISPLACEMENT,
            "velocity" => RATE,
            "acceleration" => RATE_OF_RATE,
            other => {
                let hint = near(other, ["position", "velocity", "acceleration"].into_iter());
                self.say(Diagnostic::error(format!("unknown key `{other}`{hint}")).at(place));
                return None;
            }
        };
        self.signal(signal, &asked, 0).map(|s| json!({ key: s }))
    }

    fn hold(&mut self, node: &Node) -> Option<Json> {
        match node.text() {
            Some(_) => self.choice(node, &["free", "held"]),
            None => self.motion(node),
        }
    }

    fn turning(&mut self, node: &Node) -> Option<Json> {
        if node.text().is_some() {
            return self.choice(node, &["free", "perpendicular", "homokinetic", "parallel"]);
        }
        match node.table().map(|t| t.0.as_slice()) {
            Some([Entry { key, node: hold, .. }]) if key == "about" || key == "locked" => {
                self.hold(hold).map(|h| json!({ key: h }))
            }
            _ => {
                self.wrong(node, "how it turns: a word, { about = … } or { locked = … }");
                None
            }
        }
    }

    fn law(&mut self, node: &Node) -> Option<Json> {
        if node.text().is_some() {
            return self.formula(node, &["s", "rate", "t"]).map(|f| json!(f));
        }
        let (kind, mut fields) = self.kind(node, LAWS, "law")?;
        fields.insert("type".to_string(), json!(kind.name));
        if kind.name == "expression" {
            let formula = node.table().and_then(|t| t.get("formula"))?;
            fields.insert("formula".to_string(), json!(self.formula(formula, &["s", "rate", "t"])?));
        }
        Some(Json::Object(fields))
    }

    fn shape(&mut self, node: &Node) -> Option<Json> {
        let (kind, mut fields) = self.kind(node, SHAPES, "shape")?;
        fields.insert("type".to_string(), json!(kind.name));
        Some(Json::Object(fields))
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
            self.say(Diagnostic::error(format!("`{key}` is not known here{hint}")).at(place).help(help));
            return None;
        };
        Some(json!({ key: self.fields(table, kind.fields, &inner.place, &[]) }))
    }

    fn coefficients(&mut self, node: &Node, asked: &super::scope::Asked) -> Option<Json> {
        match node.list() {
            Some(rows) if rows.len() == 6 && rows.iter().all(|r| r.list().is_some()) => {
                let rows: Vec<Option<Json>> = rows.iter().map(|r| self.numbers(r, &ANYTHING, &[6])).collect();
                rows.into_iter().collect::<Option<Vec<_>>>().map(|rows| json!({ "full": rows }))
            }
            _ => self.numbers(node, asked, &[6]).map(|k| json!({ "diagonal": k })),
        }
    }

    fn terms(&mut self, node: &Node) -> Option<Json> {
        const TERM: &[Field] = &[
            words::must("factor", What::Number(RATIO), "Its factor."),
            words::must("of", What::Coordinate, "A coordinate."),
        ];
        let Some(list) = node.list() else {
            self.wrong(node, "a list of { factor, of }");
            return None;
        };
        let mut terms = Vec::new();
        for term in list {
            match term.table() {
                Some(table) => terms.push(Json::Object(self.fields(table, TERM, &term.place, &[]))),
                None => self.wrong(term, "{ factor, of }"),
            }
        }
        Some(Json::Array(terms))
    }

    /// Any of the ways to give a rotation, as the engine writes it.
    pub fn orientation(&mut self, node: &Node) -> Option<Json> {
        if node.text() == Some("aligned") {
            return Some(json!("aligned"));
        }
        let Some([Entry { key, place, node: inner }]) = node.table().map(|t| t.0.as_slice()) else {
            self.wrong(node, "an orientation: { axes = { z = […] } }, { rotation_vector = […] }, { quaternion = […] } or { turns = […] }");
            return None;
        };
        const AXES: &[Field] = &[
            words::must("z", What::Vector(&[3], words::PLAIN), "Direction of z."),
            words::may("x", What::Vector(&[3], words::PLAIN), "Direction of x, as far as it is perpendicular to z."),
        ];
        match (key.as_str(), inner.table()) {
            ("axes", Some(axes)) => Some(json!({ "axes": self.fields(axes, AXES, &inner.place, &[]) })),
            ("turns", _) => self.turns(inner),
            (name, _) => match ORIENTATION.iter().find(|f| f.name == name && f.name != "axes") {
                Some(field) => self.resolve(field.what, inner).map(|v| json!({ key: v })),
                None => {
                    let hint = near(name, ORIENTATION.iter().map(|f| f.name));
                    self.say(Diagnostic::error(format!("`{name}` is no way to give an orientation{hint}")).at(place));
                    None
                }
            },
        }
    }

    /// Successive turns about the turned axes, multiplied out to a quaternion.
    fn turns(&mut self, node: &Node) -> Option<Json> {
        let Some(list) = node.list() else {
            self.wrong(node, "a list of turns: [[\"z\", \"30 deg\"], …]");
            return None;
        };
        let mut q = [1.0, 0.0, 0.0, 0.0];
        for turn in list {
            let Some([axis, angle]) = turn.list() else {
                self.wrong(turn, "a turn: [\"z\", \"30 deg\"]");
                return None;
            };
            let axis = self.choice(axis, &["x", "y", "z"])?;
            let (s, c) = (0.5 * self.number(angle, &words::ANGLE)?).sin_cos();
            let i = ["x", "y", "z"].iter().position(|a| json!(a) == axis).unwrap_or(2);
            let mut p = [c, 0.0, 0.0, 0.0];
            p[i + 1] = s;
            q = multiplied(q, p);
        }
        let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        Some(json!({ "quaternion": q.map(|c| c / length) }))
    }
}

/// The product of two quaternions (w, x, y, z).
pub(crate) fn multiplied(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

fn either(counts: &[usize]) -> String {
    counts.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ")
}

/// A table as it is, numbers plain: what has no dimension of its own.
fn plain(node: &Node) -> Json {
    match &node.value {
        Value::Number(x) => json!(x),
        Value::Text(t) => json!(t),
        Value::Truth(b) => json!(b),
        Value::List(l) => Json::Array(l.iter().map(|n| plain(n)).collect()),
        Value::Table(t) => t.0.iter().map(|e| (e.key.clone(), plain(&e.node))).collect(),
    }
}
