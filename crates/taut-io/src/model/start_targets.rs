//! `[start]`: initial values of coordinates and their rates.

use super::ModelFile;
use super::node::{Entry, Node, Table, Value};
use super::resolve::{Context, CoordinateDimension};
use super::vocabulary::{
    ANGLE, ANGULAR_VELOCITY, DISPLACEMENT, LENGTH, RATE, START_TARGET, TARGET_PRIORITIES, VELOCITY,
};
use crate::diagnostic::{Diagnostic, Place, Severity};
use serde::Serialize;
use serde_json::Value as Json;
use taut::analyses::{
    AnalysisError, BodyDisplacement, StartTarget, StartWay, TargetPriority, TargetQuantity, TargetedStart, WayEnd,
    body_displacements, meet_targets, nearest_approach, way_to_targets,
};
use taut::constraints::RowLevel;
use taut::{Measure, Model, State};

/// A target and its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct PlacedTarget {
    pub target: StartTarget,
    place: Place,
}

/// A target of `[start]` and how nearly it was met; SI units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TargetResult {
    /// The target.
    pub target: String,
    /// `hard`, `strong` or `weak`.
    pub priority: &'static str,
    /// The value in the file.
    pub wanted: f64,
    /// The value at the start.
    pub reached: f64,
    /// The difference; zero if the target is met to round-off.
    pub missed: f64,
}

/// What `[start]` asked for, and what was done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StartLedger {
    /// Every target.
    pub targets: Vec<TargetResult>,
    /// How bodies were moved from the pose in the file.
    pub moved: Vec<BodyDisplacement>,
    /// The way from that pose; none if it was not followed.
    pub way: Option<StartWay>,
}

/// Relative difference up to which a weak target counts as met.
const MET: f64 = 1e-9;

/// Reads the targets; errors are reported to the context.
pub(crate) fn read_start(top: &Table, c: &mut Context) -> Vec<PlacedTarget> {
    let Some(node) = top.get("start") else { return Vec::new() };
    c.element = "[start]".to_string();
    let Some(table) = node.table() else {
        c.diagnostics.push(Diagnostic::error("[start] must be a table").at(&node.place));
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in &table.0 {
        read_target(&entry.key, entry, c, &mut found);
    }
    c.element.clear();
    found
}

/// Reads `"elbow.angle" = …`; without quotes the file has tables within each other, `elbow = { angle = … }`.
fn read_target(name: &str, entry: &Entry, c: &mut Context, found: &mut Vec<PlacedTarget>) {
    let inner = entry.node.table().filter(|t| t.get("value").is_none());
    if let Some(table) = inner {
        for entry in &table.0 {
            read_target(&format!("{name}.{}", entry.key), entry, c, found);
        }
        return;
    }
    c.element = format!("[start], `{name}`");
    let (stem, quantity) = match name.strip_suffix(".rate") {
        Some(stem) => (stem, TargetQuantity::Rate),
        None => (name, TargetQuantity::Value),
    };
    let named = Node { value: Value::String(stem.to_string()), place: entry.place.clone() };
    let Some(coordinate) = c.coordinate(&named) else { return };
    let requested = match (quantity, CoordinateDimension::of(&coordinate)) {
        (TargetQuantity::Value, Some(CoordinateDimension::Length)) => LENGTH,
        (TargetQuantity::Value, Some(CoordinateDimension::Angle)) => ANGLE,
        (TargetQuantity::Value, None) => DISPLACEMENT,
        (TargetQuantity::Rate, Some(CoordinateDimension::Length)) => VELOCITY,
        (TargetQuantity::Rate, Some(CoordinateDimension::Angle)) => ANGULAR_VELOCITY,
        (TargetQuantity::Rate, None) => RATE,
    };
    let (value, priority, weight) = match entry.node.table() {
        None => (&entry.node, TargetPriority::Hard, 1.0),
        Some(table) => {
            let Some(fields) = c.table(&entry.node, START_TARGET) else { return };
            let word = fields.get("priority").and_then(Json::as_str).unwrap_or(TARGET_PRIORITIES[0]);
            let priority = match word {
                "strong" => TargetPriority::Strong,
                "weak" => TargetPriority::Weak,
                _ => TargetPriority::Hard,
            };
            let weight = fields.get("weight").and_then(Json::as_f64).unwrap_or(1.0);
            if !(weight > 0.0) {
                let message = format!("{}: `weight` is {weight}; it must be greater than zero", c.element);
                c.diagnostics.push(Diagnostic::error(message).at(&entry.place));
                return;
            }
            (table.get("value").unwrap_or(&entry.node), priority, weight)
        }
    };
    let value = match c.scope.number(value, &requested) {
        Ok(value) => value,
        Err(finding) => {
            let message = format!("{}: {}", c.element, finding.message);
            c.diagnostics.push(Diagnostic { message, ..finding });
            return;
        }
    };
    if let Ok(coordinate) = serde_json::from_value::<Measure>(coordinate) {
        let target = StartTarget { name: name.to_string(), coordinate, quantity, value, priority, weight };
        found.push(PlacedTarget { target, place: entry.place.clone() });
    }
}

impl ModelFile {
    /// Moves the initial state of the model to the targets of `[start]`.
    pub(super) fn meet_start_targets(&self, model: &mut Model) -> Result<(), Diagnostic> {
        if self.start.is_empty() {
            return Ok(());
        }
        let targets: Vec<StartTarget> = self.start.iter().map(|t| t.target.clone()).collect();
        let found = meet_targets(&self.spec, model, self.start_time, &targets);
        let found = found.and_then(|found| Ok(model.set_initial_state(found.state)?));
        found.map_err(|e| {
            let (place, help) = (self.place_of_target(&e), self.nearest_approach(&e));
            let help = match (help, self.dead_point(&e)) {
                (Some(help), Some(dead)) => Some(format!("{help}; {dead}")),
                (help, dead) => help.or(dead),
            };
            Diagnostic { place, help, ..Diagnostic::error(e.to_string()) }
        })
    }

    /// How near a mechanism that cannot be assembled comes to it, and what would close it.
    pub(super) fn nearest_approach(&self, e: &AnalysisError) -> Option<String> {
        let failure = match e {
            AnalysisError::CannotAssemble(failure) | AnalysisError::Targets { why: failure, .. } => failure,
            _ => return None,
        };
        if failure.level != RowLevel::Position {
            return None;
        }
        let model = self.spec.build().ok()?;
        let given = State { t: self.start_time, ..model.initial_state() };
        nearest_approach(&self.spec, &given, &self.start_targets(), failure).map(|found| found.to_string())
    }

    /// Where the way to targets that cannot be met ends.
    fn dead_point(&self, e: &AnalysisError) -> Option<String> {
        let AnalysisError::Targets { .. } = e else { return None };
        let model = self.spec.build().ok()?;
        let given = State { t: self.start_time, ..model.initial_state() };
        let way = way_to_targets(&self.spec, &given, &self.start_targets(), None).ok().flatten()?;
        let last = way.singular.last().filter(|_| way.end == WayEnd::DeadPoint)?;
        Some(format!("from the given pose `{}` comes to a dead point at {:.9}", last.target, last.value))
    }

    /// What the targets of `[start]` asked for and what was done; `start` is the initial state of the built model. None without
    /// targets.
    ///
    /// # Errors
    /// If the targets cannot be met.
    pub fn start_ledger(&self, start: &State) -> Result<Option<StartLedger>, AnalysisError> {
        if self.start.is_empty() {
            return Ok(None);
        }
        let (model, targets) = (self.spec.build()?, self.start_targets());
        let given = State { t: self.start_time, ..model.initial_state() };
        let found = meet_targets(&self.spec, &model, self.start_time, &targets)?;
        let one = |(t, x): (&StartTarget, &f64)| {
            let missed = x - t.value;
            let priority = match t.priority {
                TargetPriority::Strong => "strong",
                TargetPriority::Weak => "weak",
                _ => TARGET_PRIORITIES[0],
            };
            let missed = if missed.abs() <= MET * (1.0 + t.value.abs()) { 0.0 } else { missed };
            TargetResult { target: t.name.clone(), priority, wanted: t.value, reached: *x, missed }
        };
        // A requested branch may lie elsewhere than the nearest pose.
        let reached = TargetedStart { state: start.clone(), ..found };
        Ok(Some(StartLedger {
            targets: targets.iter().zip(&reached.reached).map(one).collect(),
            moved: body_displacements(&model, &given, start),
            way: way_to_targets(&self.spec, &given, &targets, Some(&reached))?,
        }))
    }

    /// All targets.
    pub(super) fn start_targets(&self) -> Vec<StartTarget> {
        self.start.iter().map(|t| t.target.clone()).collect()
    }

    /// The target that an error names, or the first one.
    fn place_of_target(&self, e: &AnalysisError) -> Option<Place> {
        let names = if let AnalysisError::Targets { names, .. } = e { names.as_slice() } else { &[] };
        let message = e.to_string();
        let is_named = |name: &String| names.contains(name) || message.contains(&format!("`start.{name}`"));
        let named = self.start.iter().find(|t| is_named(&t.target.name));
        named.or(self.start.first()).map(|t| t.place.clone())
    }

    /// Weak targets of `[start]` that the built model does not meet, as warnings.
    pub fn missed_targets(&self) -> Vec<Diagnostic> {
        if self.start.iter().all(|t| t.target.priority == TargetPriority::Hard) {
            return Vec::new();
        }
        let targets: Vec<StartTarget> = self.start.iter().map(|t| t.target.clone()).collect();
        let reached = self.spec.build().ok().and_then(|model| {
            meet_targets(&self.spec, &model, self.start_time, &targets).ok().map(|found| found.reached)
        });
        let pairs = self.start.iter().zip(reached.unwrap_or_default());
        let missed = pairs.filter(|(t, x)| (x - t.target.value).abs() > MET * (1.0 + t.target.value.abs()));
        let warning = |(t, x): (&PlacedTarget, f64)| {
            let StartTarget { name, value, .. } = &t.target;
            let message = format!("[start]: `{name}` starts at {x:.9} instead of the preferred {value:.9} (SI units)");
            let found = Diagnostic::error(message).at(&t.place).help("the constraints allow no nearer value");
            Diagnostic { severity: Severity::Warning, ..found }
        };
        missed.map(warning).collect()
    }
}
