//! The model file: text → names, numbers and units → [`taut::Spec`], and back.
//!
//! ```text
//!  text ─ node: tree with places ─ expand: includes, parts, repetitions, --set ─ resolve: numbers in SI, whole names
//!       ─ elements: the engine's own types ─ Spec
//! ```

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
mod register;
mod resolve;
mod schema;
mod scope;
mod settings;
mod shapes;
mod units;
mod vocabulary;
mod write;

pub use looks::{Look, LookForm};
pub use schema::schema;
pub use settings::{At, Expectation, March};

use crate::diagnostic::{Diagnostic, Place, Severity};
use expand::{Expanded, Section, WHOLE, expand};
use node::{Node, Value};
use register::register;
use resolve::Context;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use taut::analyses::{AnalysisError, Transient};
use taut::{BuildError, Fault, Model, Named, Outcome, Spec};

/// A model file that was read: the mechanism, how to run it, and where each element stands.
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
    /// Which way to march.
    pub march: March,
    /// Time at the start.
    pub start_time: f64,
    /// `outputs.only`: patterns of column names to keep; empty keeps all.
    pub only: Vec<String>,
    /// Values that the results must have.
    pub expect: Vec<Expectation>,
    /// How bodies look in pictures, by their names; bodies without any look as one likes.
    pub looks: Vec<Named<Look>>,
    /// What deserves a look.
    pub warnings: Vec<Diagnostic>,
    written: HashMap<(&'static str, String), Written>,
}

/// An element as it stands in the file.
#[derive(Clone, Debug)]
struct Written {
    /// `joint`, `driver` …: what the file calls it.
    word: &'static str,
    place: Place,
    node: Node,
}

/// A change from outside: `--set link2.mass=3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// `link2.mass`, `settings.rtol`, or the name of a parameter.
    pub path: String,
    /// As it would stand in the file; text needs no quotes.
    pub value: String,
}

/// Reads a model file and all it includes (TOML; also `.urdf`, and `.xml` for MJCF).
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(path: &Path, overrides: &[Override]) -> Result<ModelFile, Vec<Diagnostic>> {
    let text = match std::fs::read(path).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(e)) => {
            let at = e.utf8_error().valid_up_to();
            let message = format!("{} is not a text in UTF-8 (byte {at})", path.display());
            return Err(vec![Diagnostic::error(message).help("a model file is a plain text")]);
        }
        Err(e) => return Err(vec![Diagnostic::error(format!("cannot read {}: {e}", path.display()))]),
    };
    parse(&text, path, overrides)
}

/// The same from a text; `path` is what messages call it, and where its includes are looked for.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path, overrides: &[Override]) -> Result<ModelFile, Vec<Diagnostic>> {
    let robot = imports::reader(path).is_some();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Another program's file is a model that includes nothing else.
    let around = format!("taut = 1\ninclude = [{name:?}]\n");
    let (text, outer) = if robot { (around.as_str(), path.with_extension("toml")) } else { (text, path.to_path_buf()) };
    let mut all = expand(text, &outer, overrides);
    let mut findings = std::mem::take(&mut all.findings);
    if findings.iter().any(|f| f.severity == Severity::Error) && all.items.is_empty() {
        return Err(findings);
    }
    let mut spec = Spec::new();
    imported(&mut all, &mut spec, &mut findings);
    let register = register(&all, &spec, &mut findings);
    let top = std::mem::take(&mut all.top);
    let mut context = Context {
        scope: all.scope.clone(),
        part: &WHOLE,
        register: &register,
        element: String::new(),
        findings: &mut findings,
    };
    let run = settings::run(&top, &mut context);
    context.element = "gravity".to_string();
    if let Some(g) = top.get("gravity")
        && let Some(g) = context.resolve(vocabulary::GRAVITY, g)
    {
        let g: Vec<f64> = serde_json::from_value(g).unwrap_or_default();
        spec.gravity([0, 1, 2].map(|i| g.get(i).copied().unwrap_or(0.0)));
    }
    context.element = "title".to_string();
    let title = top.get("title").and_then(|n| context.resolve(vocabulary::What::Text, n));
    let title = title.and_then(|t| t.as_str().map(str::to_string)).unwrap_or_default();
    for part in &all.parts {
        let mut frame = taut::Frame::default();
        elements::place_frame(&mut frame, part);
        spec.marker(&format!("ground.{}", part.prefix.trim_end_matches('_')), frame);
    }
    let (mut written, mut looks) = (HashMap::new(), Vec::new());
    for item in &all.items {
        let mut context = Context {
            scope: item.scope.clone(),
            part: &item.part,
            register: &register,
            element: format!("{} `{}`", item.section.one(), item.name),
            findings: &mut findings,
        };
        let before = context.findings.len();
        elements::add(item, &mut context, &mut spec);
        if context.findings.len() == before {
            looks.extend(looks::looks(item, &mut context));
        }
        let one = Written { word: item.section.one(), place: item.place.clone(), node: item.node.clone() };
        written.insert((family(item.section), item.name.clone()), one);
        if let Some(markers) = item.node.table().and_then(|t| t.get("markers")).and_then(|n| n.table()) {
            for entry in &markers.0 {
                let one = Written { word: "marker", place: entry.place.clone(), node: entry.node.clone() };
                written.insert(("marker", format!("{}.{}", item.name, entry.key)), one);
            }
        }
    }
    coordinates_as_markers(&spec, &written, &mut findings);
    odd::odd(&spec, &written, &mut findings);
    if findings.iter().any(|f| f.severity == Severity::Error) {
        findings.sort_by_key(|f| f.severity == Severity::Warning);
        return Err(findings);
    }
    Ok(ModelFile {
        path: path.to_path_buf(),
        title,
        spec,
        transient: run.transient,
        march: run.march,
        start_time: run.start_time,
        only: run.only,
        expect: run.expect,
        looks,
        warnings: findings,
        written,
    })
}

fn family_place(written: &HashMap<(&'static str, String), Written>, family: &'static str, name: &str) -> Option<Place> {
    written.get(&(family, name.to_string())).map(|w| w.place.clone())
}

/// Refuses markers whose names would be taken for coordinates of their bodies.
fn coordinates_as_markers(
    spec: &Spec,
    written: &HashMap<(&'static str, String), Written>,
    findings: &mut Vec<Diagnostic>,
) {
    let bodies: HashMap<&str, &taut::bodies::BodyKind> =
        spec.bodies.iter().map(|b| (b.name.as_str(), &b.item)).collect();
    for marker in &spec.markers {
        let Some((body, name)) = marker.name.rsplit_once('.') else { continue };
        let Some(kind) = bodies.get(body) else { continue };
        let taken = kind.body().coordinates().into_iter().chain(kind.body().velocities()).any(|c| c.name == name);
        if taken {
            let message = format!("marker `{}`: `{name}` is a coordinate of body `{body}`", marker.name);
            let place = family_place(written, "marker", &marker.name);
            findings.push(Diagnostic { place, ..Diagnostic::error(message).help("give the marker another name") });
        }
    }
}

/// How the engine's errors call the family of an element.
fn family(section: Section) -> &'static str {
    match section {
        Section::Joints | Section::Drivers | Section::Constraints => "constraint",
        Section::Variables => "body",
        other => other.one(),
    }
}

/// Takes over what other programs' files hold.
fn imported(all: &mut Expanded, spec: &mut Spec, findings: &mut Vec<Diagnostic>) {
    for (import, part) in std::mem::take(&mut all.imported) {
        findings.extend(import.left);
        imports::merge(spec, import.spec, &part);
    }
}

/// A mechanism built in Rust, with the settings of [`Transient::default`].
impl From<Spec> for ModelFile {
    fn from(spec: Spec) -> ModelFile {
        ModelFile {
            path: PathBuf::new(),
            title: String::new(),
            spec,
            transient: Transient::default(),
            march: March::default(),
            start_time: 0.0,
            only: Vec::new(),
            expect: Vec::new(),
            looks: Vec::new(),
            warnings: Vec::new(),
            written: HashMap::new(),
        }
    }
}

/// Where such a field stands within an element, in tables within it too.
fn find_field<'n>(node: &'n Node, field: &str) -> Option<&'n Place> {
    let table = node.table()?;
    let own = table.get(field).map(|n| &n.place);
    own.or_else(|| table.0.iter().find_map(|e| find_field(&e.node, field)))
}

/// Where such a text stands within an element.
fn find_text<'n>(node: &'n Node, is_it: &dyn Fn(&str) -> bool) -> Option<&'n Place> {
    match &node.value {
        Value::Text(t) if is_it(t) => Some(&node.place),
        Value::List(list) => list.iter().find_map(|n| find_text(n, is_it)),
        Value::Table(table) => table.0.iter().find_map(|e| find_text(&e.node, is_it)),
        _ => None,
    }
}

impl ModelFile {
    /// The model; what is wrong is said with its place in the file.
    ///
    /// # Errors
    /// What [`Spec::build`] finds.
    pub fn build(&self) -> Result<Model, Diagnostic> {
        self.spec.build().map_err(|e| {
            let place = self.blamed(&e).cloned();
            Diagnostic { place, ..Diagnostic::error(self.in_words_of_the_file(&e.to_string())) }
        })
    }

    /// The engine knows constraints; the file has joints and drivers too.
    fn in_words_of_the_file(&self, message: &str) -> String {
        let Some(rest) = message.strip_prefix("constraint `") else { return message.to_string() };
        let name = rest.split('`').next().unwrap_or_default();
        let word = self.written("constraint", name).map_or("constraint", |w| w.word);
        format!("{word} `{rest}")
    }

    /// The state the file gives: the model's own, at the start time.
    pub fn state(&self, model: &Model) -> taut::State {
        let mut state = model.initial_state();
        state.t = self.start_time;
        state
    }

    /// Where an element stands: `family` is `body`, `marker`, `constraint`, `force`, `measure`, `surface`, `contact`,
    /// `event` or `beam`.
    pub fn place(&self, family: &str, name: &str) -> Option<&Place> {
        self.written(family, name).map(|w| &w.place)
    }

    fn written(&self, family: &str, name: &str) -> Option<&Written> {
        let families = ["body", "marker", "constraint", "force", "measure", "surface", "contact", "event", "beam"];
        let family = families.into_iter().find(|f| *f == family)?;
        if let Some(found) = self.written.get(&(family, name.to_string())) {
            return Some(found);
        }
        // The thread of a screw, limits and friction are written with their joint; points of contact with their contact.
        let (stem, _) = name.split_once('.').filter(|_| matches!(family, "constraint" | "contact"))?;
        let outer = || self.written.get(&("contact", stem.to_string())).filter(|_| family == "constraint");
        self.written.get(&(family, stem.to_string())).or_else(outer)
    }

    /// The field of an element, or the element itself where the field is not written.
    fn field(&self, family: &str, name: &str, field: &str) -> Option<&Place> {
        let one = self.written(family, name)?;
        // What is one word in the engine is another in the file.
        let other = match field {
            "marker" => "on",
            "on" => "along",
            "between" => "groups",
            "follows" => "velocity",
            "within" => "capacity",
            "tangents" => "along",
            _ => field,
        };
        let found = find_field(&one.node, field).or_else(|| find_field(&one.node, other));
        Some(found.unwrap_or(&one.place))
    }

    fn blamed(&self, e: &BuildError) -> Option<&Place> {
        match e {
            BuildError::Element { family, name, fault } => {
                let field = match fault {
                    Fault::NotPositive { field, .. }
                    | Fault::NotFinite { field, .. }
                    | Fault::ImpossibleInertia { field, .. }
                    | Fault::Value { field, .. } => field,
                };
                // Where one of several names is wrong, its own place tells more than that of the field.
                let named = match fault {
                    Fault::Value { what, .. } => what.split('`').nth(1),
                    _ => None,
                };
                let one = self.written(family, name).filter(|_| matches!(*family, "event" | "contact"));
                let value = named.map(|n| n.strip_suffix(".value").unwrap_or(n));
                let text = one.zip(named).and_then(|(w, n)| find_text(&w.node, &|t| t == n || Some(t) == value));
                text.or_else(|| self.field(family, name, field))
            }
            BuildError::UnknownMarker { family, name, marker, .. }
            | BuildError::WrongMarker { family, name, marker, .. } => {
                // A point of contact has its markers from the surfaces that meet in it.
                let on = || {
                    let surfaces = self.written.iter().filter(|((f, _), _)| *f == "surface");
                    let named = surfaces.filter_map(|(key, w)| Some((key, find_text(&w.node, &|t| t == marker)?)));
                    named.min_by_key(|(key, _)| *key).map(|(_, place)| place)
                };
                let Some(one) = self.written(family, name) else { return on() };
                let found =
                    find_text(&one.node, &|t| t == marker).or_else(|| find_text(&one.node, &|t| t.contains(marker)));
                Some(found.or_else(on).unwrap_or(&one.place))
            }
            BuildError::DuplicateName { name, family } => {
                let one = match *family {
                    "bodies" => "body",
                    "markers" => "marker",
                    "constraints" => "constraint",
                    "forces" => "force",
                    "surfaces" => "surface",
                    "contacts" => "contact",
                    "events" => "event",
                    "beams" => "beam",
                    _ => "measure",
                };
                self.place(one, name)
            }
            BuildError::BadName { name, .. } => self.place("body", name).or_else(|| self.place("marker", name)),
            BuildError::MarkerOnNothing { marker, .. } => self.place("marker", marker),
            BuildError::SelfJoint { name, .. } => self.place("constraint", name),
            _ => None,
        }
    }

    /// What an analysis found, with the place of the constraint it blames most.
    pub fn diagnose(&self, e: &AnalysisError) -> Diagnostic {
        let constraint = match e {
            AnalysisError::CannotAssemble(found) => {
                found.worst.first().and_then(|r| r.row.rsplit_once('.')).map(|r| r.0)
            }
            AnalysisError::Overlap { constraint, .. } | AnalysisError::PositionJump { constraint, .. } => {
                Some(constraint.as_str())
            }
            AnalysisError::Paradox { contact } => Some(contact.as_str()),
            AnalysisError::Endless { names } => names.first().map(String::as_str),
            _ => None,
        };
        Diagnostic { place: constraint.and_then(|c| self.place_of_rows(c)), ..Diagnostic::error(e.to_string()) }
    }

    /// How a run ended, with the place of the contact that ended it.
    pub fn diagnose_ending(&self, outcome: &Outcome) -> Diagnostic {
        let contact = match outcome {
            Outcome::Overlap { contact, .. } | Outcome::Paradox { contact, .. } => Some(contact),
            Outcome::DrivenInto { constraint, .. } => Some(constraint),
            Outcome::Chatter { names, .. } | Outcome::Creep { names, .. } => names.first(),
            _ => None,
        };
        Diagnostic { place: contact.and_then(|c| self.place_of_rows(c)), ..Diagnostic::error(outcome.to_string()) }
    }

    /// Where a constraint, or the contact it is a point of, is written.
    fn place_of_rows(&self, name: &str) -> Option<Place> {
        self.place("constraint", name).or_else(|| self.place("contact", name)).cloned()
    }

    /// The file resolved: no parameters, no includes, plain SI numbers; reading it back gives the same bits.
    ///
    /// # Errors
    /// Elements written in code (custom bodies, user functions), which no file can hold.
    pub fn write(&self) -> Result<String, Diagnostic> {
        write::write(self)
    }
}
