//! The smallest changes that make all reactions of a mechanism unique: joints replaced by weaker kinds, or else removed.
//!
//! A joint may be replaced or removed if the mechanism keeps its freedoms and loses its redundant rows, no more and no less. Every proposal is
//! verified: the changed mechanism is built and its rank is computed.

mod removals;

use super::{AnalysisError, rank};
use crate::constraints::{ConstraintKind, Joint};
use crate::model::Model;
use crate::solvers::rank::RankReport;
use crate::spec::Spec;
use crate::state::State;
use serde::Serialize;

/// Most joints that a proposal changes.
const MAX_CHANGES: usize = 3;
/// Most proposals.
const MAX_PROPOSALS: usize = 3;
/// Largest number of constraints for which changes are searched.
const MAX_CONSTRAINTS: usize = 100;
/// Most mechanisms that are built to verify proposals.
const MAX_TRIALS: usize = 2000;

/// What becomes of a joint that is not needed.
const REMOVED: &str = "removed";

type Constructor = fn(&str, &str) -> Joint;

/// Joints in space with their words and numbers of rows, strongest first.
const SPATIAL: [(&str, usize, Constructor); 8] = [
    ("fixed", 6, Joint::fixed),
    ("revolute", 5, Joint::revolute),
    ("prismatic", 5, Joint::prismatic),
    ("cylindrical", 4, Joint::cylindrical),
    ("universal", 4, Joint::universal),
    ("spherical", 3, Joint::spherical),
    ("planar", 3, Joint::planar),
    ("point_on_line", 2, Joint::point_on_line),
];

/// The same in the plane.
const PLANAR: [(&str, usize, Constructor); 4] =
    [("weld", 3, Joint::weld), ("pin", 2, Joint::pin), ("slider", 2, Joint::slider), ("slot", 1, Joint::slot)];

/// A joint and what to make of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JointChange {
    /// The joint.
    pub joint: String,
    /// Its kind.
    pub from: &'static str,
    /// The kind to replace it by, or `removed`.
    pub to: &'static str,
}

impl std::fmt::Display for JointChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.to {
            REMOVED => write!(f, "remove `{}`", self.joint),
            to => write!(f, "make `{}` {to}", self.joint),
        }
    }
}

/// A replacement under consideration.
struct Candidate {
    constraint: usize,
    rows: usize,
    with: Joint,
    change: JointChange,
}

/// Changes of joints that make all reactions unique at a pose, fewest joints first; at most three proposals. If no replacement of up to
/// three joints achieves it, constraints that are redundant as a whole are removed first. None if the reactions are unique, if no change is
/// found, or if the mechanism has more than 100 constraints.
///
/// # Errors
/// If the state does not fit the model.
pub fn determinate_changes(spec: &Spec, model: &Model, state: &State) -> Result<Vec<Vec<JointChange>>, AnalysisError> {
    if model.constraints.len() > MAX_CONSTRAINTS {
        return Ok(Vec::new());
    }
    let now = rank(model, state)?;
    if now.redundant == 0 {
        return Ok(Vec::new());
    }
    let found = replacements(spec, state, &now);
    Ok(if found.is_empty() { removals::removals(spec, model, state, &now) } else { found })
}

/// Whether rows of a constraint take part in a dependence.
fn is_involved(rank: &RankReport, name: &str) -> bool {
    rank.dependent.iter().any(|row| row.strip_prefix(name).is_some_and(|r| r.starts_with('.')))
}

/// Sets of joints that may be replaced by weaker kinds.
fn replacements(spec: &Spec, state: &State, now: &RankReport) -> Vec<Vec<JointChange>> {
    let mut candidates = Vec::new();
    for (i, c) in spec.constraints.iter().enumerate().filter(|(_, c)| is_involved(now, &c.name)) {
        let ConstraintKind::Joint(joint) = &c.item else { continue };
        for kinds in [&SPATIAL[..], &PLANAR[..]] {
            let own = kinds.iter().find(|(_, _, make)| make(&joint.a, &joint.b) == *joint);
            let Some((from, rows, _)) = own else { continue };
            for (to, fewer, make) in kinds.iter().filter(|(_, fewer, _)| fewer < rows) {
                let change = JointChange { joint: c.name.clone(), from, to };
                candidates.push(Candidate {
                    constraint: i,
                    rows: rows - fewer,
                    with: make(&joint.a, &joint.b),
                    change,
                });
            }
        }
    }
    let mut search = Search { spec, state, candidates, redundant: now.redundant, freedoms: now.freedoms, trials: 0 };
    let mut found = Vec::new();
    for count in 1..=MAX_CHANGES {
        search.extend(&mut Vec::new(), count, 0, &mut found);
        if !found.is_empty() {
            break;
        }
    }
    found
}

struct Search<'a> {
    spec: &'a Spec,
    state: &'a State,
    candidates: Vec<Candidate>,
    redundant: usize,
    freedoms: usize,
    trials: usize,
}

impl Search<'_> {
    /// Adds all verified sets of `count` more changes to those chosen.
    fn extend(&mut self, chosen: &mut Vec<usize>, count: usize, first: usize, found: &mut Vec<Vec<JointChange>>) {
        let released: usize = chosen.iter().map(|k| self.candidates[*k].rows).sum();
        if count == 0 {
            if released == self.redundant && self.is_determinate(chosen) {
                found.push(chosen.iter().map(|k| self.candidates[*k].change.clone()).collect());
            }
            return;
        }
        for k in first..self.candidates.len() {
            if found.len() >= MAX_PROPOSALS || self.trials >= MAX_TRIALS || released >= self.redundant {
                return;
            }
            // One change of each joint.
            if chosen.iter().any(|c| self.candidates[*c].constraint == self.candidates[k].constraint) {
                continue;
            }
            chosen.push(k);
            self.extend(chosen, count - 1, k + 1, found);
            chosen.pop();
        }
    }

    /// Whether the changed mechanism has the same freedoms and no redundant row.
    fn is_determinate(&mut self, chosen: &[usize]) -> bool {
        self.trials += 1;
        let mut changed = self.spec.clone();
        for k in chosen {
            let c = &self.candidates[*k];
            changed.constraints[c.constraint].item = ConstraintKind::Joint(c.with.clone());
        }
        let Ok(model) = changed.build() else { return false };
        let state = State { modes: self.state.modes.clone(), ..self.state.clone() };
        rank(&model, &state).is_ok_and(|r| r.redundant == 0 && r.freedoms == self.freedoms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    /// A door on two hinges: five rows too many, and one change of two rows cannot be enough.
    #[test]
    fn a_door_on_two_hinges() {
        let mut spec = Spec::new();
        spec.body("door", RigidBody::new(25.0, [1.0, 1.0, 1.0]).at([0.45, 0.0, 1.05]))
            .marker("door.low", Frame::at([-0.45, 0.0, -0.75]))
            .marker("door.high", Frame::at([-0.45, 0.0, 0.75]))
            .marker("ground.low", Frame::at([0.0, 0.0, 0.3]))
            .marker("ground.high", Frame::at([0.0, 0.0, 1.8]))
            .constraint("low", Joint::revolute("ground.low", "door.low"))
            .constraint("high", Joint::revolute("ground.high", "door.high"));
        let model = spec.build().unwrap();
        let found = determinate_changes(&spec, &model, &model.initial_state()).unwrap();
        let texts: Vec<String> =
            found.iter().map(|set| set.iter().map(JointChange::to_string).collect::<Vec<_>>().join(" and ")).collect();
        assert!(texts.contains(&"make `low` spherical and make `high` point_on_line".to_string()), "{texts:?}");
        assert!(texts.iter().all(|t| !t.contains("fixed")), "{texts:?}");
        // With a third hinge in the middle, three changes of at most three rows do not take away ten; the hinge does.
        let mut three = spec.clone();
        three
            .marker("door.middle", Frame::at([-0.45, 0.0, 0.0]))
            .marker("ground.middle", Frame::at([0.0, 0.0, 1.05]))
            .constraint("middle", Joint::revolute("ground.middle", "door.middle"));
        let model = three.build().unwrap();
        let found = determinate_changes(&three, &model, &model.initial_state()).unwrap();
        let texts: Vec<String> = found.iter().flatten().map(JointChange::to_string).collect();
        assert!(!found.is_empty() && texts.iter().all(|t| t.starts_with("remove `")), "{texts:?}");
        // A determinate mechanism needs no change.
        spec.constraints[0].item = ConstraintKind::Joint(Joint::spherical("ground.low", "door.low"));
        spec.constraints[1].item = ConstraintKind::Joint(Joint::point_on_line("ground.high", "door.high"));
        let model = spec.build().unwrap();
        assert!(determinate_changes(&spec, &model, &model.initial_state()).unwrap().is_empty());
    }
}
