//! Arrows: the columns of their components, and their points of action.

use super::RunScene;
use crate::scene::{Arrow, ArrowKind, Role, Spot};
use std::collections::HashSet;
use taut::Model;
use taut::analyses::{DeterminacyReport, JointDeterminacy, determinacy, multipliers};
use taut::constraints::ConstraintKind;
use taut::forces::ForceKind;
use taut::laws::ConstraintLaw;

/// The columns of a run; looks up the three columns `stem.fx` …, of which some may be missing.
struct Columns<'a>(HashSet<&'a str>);

impl Columns<'_> {
    fn three(&self, stem: &str, short: &str) -> Option<[String; 3]> {
        let found = ["x", "y", "z"].map(|x| {
            let name = format!("{stem}.{short}{x}");
            if self.0.contains(name.as_str()) { name } else { String::new() }
        });
        found.iter().any(|name| !name.is_empty()).then_some(found)
    }
}

/// Names of the columns of the contact point of an element, which are computed when a run is packed.
pub(super) fn point_columns(name: &str) -> [String; 3] {
    ["x", "y", "z"].map(|x| format!("{name}.point_{x}"))
}

/// Reactions, contact forces, applied loads and velocities, as far as they were recorded.
pub(super) fn arrows(stage: &RunScene) -> Vec<Arrow> {
    let model = &stage.model;
    let columns = Columns(stage.run.columns().iter().map(|c| c.name.as_str()).collect());
    let mut arrows = Vec::new();
    let determinacy = determinacy_at_start(model);
    for c in &model.constraints {
        if matches!(c.kind, ConstraintKind::UnitNorm(_) | ConstraintKind::ContactRotationalFriction(_)) {
            continue;
        }
        let contact = matches!(c.kind, ConstraintKind::Contact(_));
        let load = match c.law {
            ConstraintLaw::Unilateral(_) if contact || matches!(c.kind, ConstraintKind::PointPlaneContact(_)) => {
                ArrowKind::Contact
            }
            _ => ArrowKind::Reaction,
        };
        let at = contact.then(|| point_columns(&c.name));
        // With more than two markers, each has its own columns.
        let many = c.markers.len() > 2;
        for (k, m) in c.markers.iter().enumerate() {
            if (!many && k + 1 < c.markers.len()) || c.markers[..k].contains(m) {
                continue;
            }
            let stem = if many { format!("{}.{}", c.name, model.markers[*m].name) } else { c.name.clone() };
            if let (Some(spot), Some(vector)) = (stage.graph.spot(model, *m), columns.three(&stem, "f")) {
                let moment = if contact { None } else { columns.three(&stem, "m") };
                let (determinacy, trades) = open_reaction(&determinacy, &c.name);
                arrows.push(Arrow {
                    name: c.name.clone(),
                    load,
                    spot,
                    at: at.clone(),
                    vector,
                    moment,
                    determinacy,
                    trades,
                });
            }
        }
    }
    for f in &model.forces {
        let compliant = matches!(f.kind, ForceKind::Compliant(_));
        let load = if compliant { ArrowKind::Contact } else { ArrowKind::Applied };
        let at = compliant.then(|| point_columns(&f.name));
        let spot = f.markers[..f.acted_markers()].last().and_then(|m| stage.graph.spot(model, *m));
        if let (Some(spot), Some(vector)) = (spot, columns.three(&f.name, "f")) {
            let moment = if compliant { None } else { columns.three(&f.name, "m") };
            let (name, determinacy, trades) = (f.name.clone(), None, Vec::new());
            arrows.push(Arrow { name, load, spot, at, vector, moment, determinacy, trades });
        }
    }
    air_arrows(stage, &columns, &mut arrows);
    for (i, figure) in stage.graph.figures.iter().enumerate().filter(|(_, f)| f.role != Role::Ground) {
        let spot = Spot { figure: i, p: [0.0; 3], q: [1.0, 0.0, 0.0, 0.0] };
        if let Some(vector) = columns.three(&figure.name, "v") {
            let (name, load) = (figure.name.clone(), ArrowKind::Velocity);
            let (determinacy, trades) = (None, Vec::new());
            arrows.push(Arrow { name, load, spot, at: None, vector, moment: None, determinacy, trades });
        }
    }
    arrows
}

/// Force and air velocity at every station of wings whose vectors were recorded.
fn air_arrows(stage: &RunScene, columns: &Columns, arrows: &mut Vec<Arrow>) {
    let model = &stage.model;
    for f in model.forces.iter().filter(|f| matches!(f.kind, ForceKind::Air(_))) {
        let Some(spot) = f.markers.first().and_then(|m| stage.graph.spot(model, *m)) else { continue };
        let force = f.kind.force();
        let stations = (0..force.output_count()).filter_map(|i| force.output(i).name.strip_suffix(".wx"));
        for stem in stations {
            let at = ["x", "y", "z"].map(|x| format!("{stem}.{x}"));
            for (load, letter) in [(ArrowKind::Applied, "f"), (ArrowKind::Velocity, "w")] {
                let Some(vector) = columns.three(stem, letter) else { continue };
                let (name, at) = (stem.to_string(), Some(at.clone()));
                arrows.push(Arrow {
                    name,
                    load,
                    spot,
                    at,
                    vector,
                    moment: None,
                    determinacy: None,
                    trades: Vec::new(),
                });
            }
        }
    }
}

/// The determinacy of reactions at the start; none if it cannot be examined.
fn determinacy_at_start(model: &Model) -> Option<DeterminacyReport> {
    let state = model.initial_state();
    determinacy(model, &state, &multipliers(model, &state).ok()?).ok()
}

/// The label of a reaction that is not unique, and the sets within which it trades load.
fn open_reaction(report: &Option<DeterminacyReport>, name: &str) -> (Option<&'static str>, Vec<usize>) {
    let Some(report) = report else { return (None, Vec::new()) };
    let label = match report.label(name) {
        JointDeterminacy::Partly => Some("partly"),
        JointDeterminacy::NotUnique => Some("not_unique"),
        _ => return (None, Vec::new()),
    };
    let mut sets: Vec<usize> =
        report.components.iter().filter(|c| c.constraint == name).filter_map(|c| c.set).collect();
    sets.dedup();
    (label, sets)
}
