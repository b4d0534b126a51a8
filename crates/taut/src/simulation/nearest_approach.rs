//! The nearest approach of a mechanism that cannot be closed.
//!
//! One joint is cut. The others and the hard targets hold exactly, and the gap g = |φ| of the cut joint is made as small as
//! possible. There a unit force in the gap is in balance with the reactions λ of the other joints,
//!
//! ```text
//!  Aᵀλ + ∇g = 0          joints with λ ≠ 0 are involved
//!  g(L) = 0              the length L at which the mechanism just closes, by the secant method from the open side
//! ```

use super::soft_targets::SoftTargets;
use super::start_targets::{StartTarget, TargetPriority, TargetQuantity, with_targets};
use super::{AssemblyFailure, AssemblySettings, assemble};
use crate::constraints::{ConstraintKind, MarkerKind, Prescription, Term};
use crate::equations::{Equations, MarkerKinematics, assemble_positions};
use crate::marker::FrameReference;
use crate::measures::Measure;
use crate::model::Model;
use crate::signals::Signal;
use crate::spec::Spec;
use crate::state::State;
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeSet;
use std::fmt;

/// Most velocities of a mechanism that is examined.
const MAX_VELOCITIES: usize = 120;
/// A gap below this, relative to the size of the mechanism, is closed.
const CLOSED: f64 = 1e-11;
/// Displacement of a pose from which the search is repeated, m and rad.
const DISPLACEMENT: f64 = 0.1;
/// A gap that is smaller by this, relative to itself, is not round-off.
const LESS: f64 = 1e-6;
/// Reactions below this, relative to the force in the gap, are round-off.
const UNLOADED: f64 = 1e-6;
/// First change of a length, relative to itself.
const FIRST_CHANGE: f64 = 1e-3;
/// A point before the last one of the secant method, relative to its step.
const BEFORE: f64 = 1e-4;
/// A last step of the secant method, relative to the length, whose error does not matter.
const CONVERGED: f64 = 1e-7;
/// Most steps of the secant method.
const MAX_STEPS: usize = 20;
/// A length that would have to change by more than this, relative to itself, is no remedy.
const MAX_CHANGE: f64 = 2.0;

/// A length that closes the mechanism if it is changed.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthChange {
    /// `coupler.left to coupler.right`, or the name of a rod.
    pub name: String,
    /// Its present value, m.
    pub length: f64,
    /// The least change that closes the mechanism, m.
    pub change: f64,
}

/// The pose in which a mechanism that cannot be closed comes nearest to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearestApproach {
    /// The joint that is cut.
    pub joint: String,
    /// The gap that remains there, m.
    pub gap: f64,
    /// All joints that a force in the gap loads, in the order of the model.
    pub joints: Vec<String>,
    /// Lengths that would close it, smallest change first.
    pub lengths: Vec<LengthChange>,
    /// The pose.
    pub state: State,
}

impl fmt::Display for NearestApproach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joints: Vec<String> = self.joints.iter().map(|j| format!("`{j}`")).collect();
        write!(f, "at the nearest approach `{}` stays open by {} mm", self.joint, millimetres(self.gap))?;
        write!(f, "; the loop runs through {}", joints.join(", "))?;
        for (i, l) in self.lengths.iter().take(3).enumerate() {
            let lead = if i == 0 { "; it closes if " } else { ", or " };
            let word = if l.change > 0.0 { "longer" } else { "shorter" };
            let (from, by) = (millimetres(l.length), millimetres(l.change.abs()));
            write!(f, "{lead}{} ({from} mm) is {by} mm {word}", l.name)?;
        }
        Ok(())
    }
}

/// A length in millimetres, to a hundredth of a micrometre at most.
fn millimetres(x: f64) -> String {
    let text = format!("{:.5}", 1e3 * x);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// The nearest approach after an assembly from a state has failed; none if the failure has another cause, the mechanism is too
/// large, or every cut can be closed.
pub fn nearest_approach(
    spec: &Spec,
    given: &State,
    targets: &[StartTarget],
    failure: &AssemblyFailure,
) -> Option<NearestApproach> {
    let mut names: Vec<&str> = failure.worst.iter().filter_map(|r| Some(r.row.rsplit_once('.')?.0)).collect();
    let mut seen = BTreeSet::new();
    names.retain(|n| seen.insert(*n));
    let held: Vec<(&StartTarget, f64)> = targets
        .iter()
        .filter(|t| t.priority == TargetPriority::Hard && t.quantity == TargetQuantity::Value)
        .map(|t| (t, t.value))
        .collect();
    names.into_iter().find_map(|joint| {
        let cut = Cut { spec: spec.clone(), joint, held: &held };
        let (gap, state) = cut.close_beyond_saddle_points(given)?;
        if gap <= cut.closed(&state) {
            return None;
        }
        let joints = cut.loaded_joints(&state, gap)?;
        let mut lengths = cut.lengths(&joints, &state, gap);
        lengths.sort_by(|a, b| a.change.abs().total_cmp(&b.change.abs()));
        Some(NearestApproach { joint: joint.to_string(), gap, joints, lengths, state })
    })
}

/// A mechanism with one joint cut.
struct Cut<'a> {
    spec: Spec,
    joint: &'a str,
    held: &'a [(&'a StartTarget, f64)],
}

impl Cut<'_> {
    /// The mechanism without the joint, with the hard targets; and with the joint, without them.
    fn models(&self, state: &State) -> Option<(Model, State, Model, Vec<usize>)> {
        let mut open = self.spec.clone();
        open.constraints.retain(|c| c.name != self.joint);
        open.sharing.retain(|s| s.name != self.joint);
        let (hard, start) = with_targets(&open, self.held, TargetQuantity::Value, state).ok()?;
        let full = self.spec.build().ok()?;
        let entry = full.constraints.iter().find(|c| c.name == self.joint)?;
        let rows: Vec<usize> = entry.rows.clone().collect();
        let fits = full.sizes.v <= MAX_VELOCITIES && rows.iter().any(|r| full.rows[*r].unit == "m");
        fits.then_some((hard, start, full, rows))
    }

    /// The least gap, and the pose. The search may end at a saddle point, as with bars along one line; it is therefore repeated from
    /// a displaced pose.
    fn close_beyond_saddle_points(&self, given: &State) -> Option<(f64, State)> {
        let (gap, state) = self.close(given)?;
        let mut displaced = state.clone();
        for b in &self.spec.build().ok()?.bodies {
            let delta: Vec<f64> = b.v.clone().map(|i| DISPLACEMENT * (1.0 + i as f64).sin()).collect();
            b.kind.body().displace(&mut displaced.q[b.q.clone()], &delta);
        }
        match self.close(&displaced) {
            Some((less, pose)) if less < (1.0 - LESS) * gap => Some((less, pose)),
            _ => Some((gap, state)),
        }
    }

    /// The least gap near a pose, and its pose.
    fn close(&self, given: &State) -> Option<(f64, State)> {
        let (hard, start, full, rows) = self.models(given)?;
        let mut state = assemble(&hard, &start, &AssemblySettings::default()).ok()?.state;
        let weights = vec![1.0; rows.len()];
        let targets = SoftTargets { hard: &hard, full: &full, rows: rows.clone(), weights };
        targets.meet(TargetQuantity::Value, &mut state);
        let residual = self.residual(&full, &rows, &state);
        let length = |(r, x): (&usize, &f64)| if full.rows[*r].unit == "m" { x * x } else { 0.0 };
        let gap = rows.iter().zip(&residual).map(length).sum::<f64>().sqrt();
        gap.is_finite().then_some((gap, state))
    }

    fn residual(&self, full: &Model, rows: &[usize], state: &State) -> Vec<f64> {
        let eq = equations(full, state);
        rows.iter().map(|r| eq.phi[*r]).collect()
    }

    fn closed(&self, state: &State) -> f64 {
        CLOSED * (1.0 + state.q.iter().fold(0.0_f64, |a, x| a.max(x.abs())))
    }

    /// Constraints that a unit force in the gap loads, the cut one included.
    fn loaded_joints(&self, state: &State, gap: f64) -> Option<Vec<String>> {
        let (hard, start, full, rows) = self.models(state)?;
        let (eq, of_gap) = (equations(&hard, &start), equations(&full, state));
        let mut unit = vec![0.0; full.rows.len()];
        rows.iter().for_each(|r| unit[*r] = of_gap.phi[*r] / gap);
        let mut force = vec![0.0; full.sizes.v];
        of_gap.add_jacobian_transpose_times(&unit, &mut force);
        let column = |k: usize| {
            let (mut e, mut f) = (vec![0.0; hard.rows.len()], vec![0.0; hard.sizes.v]);
            e[k] = 1.0;
            eq.add_jacobian_transpose_times(&e, &mut f);
            DVector::from_vec(f)
        };
        let columns: Vec<DVector<f64>> = (0..hard.rows.len()).map(column).collect();
        let lambda = match columns.is_empty() {
            true => DVector::zeros(0),
            false => DMatrix::from_columns(&columns).svd(true, true).solve(&-DVector::from_vec(force), 1e-10).ok()?,
        };
        let size = 1.0 + state.q.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        let loaded = |name: &str| {
            let entry = hard.constraints.iter().find(|c| c.name == name);
            entry.is_some_and(|c| c.rows.clone().any(|r| lambda[r].abs() > UNLOADED * size))
        };
        let all = self.spec.constraints.iter().map(|c| c.name.clone());
        Some(all.filter(|name| name == self.joint || loaded(name)).collect())
    }

    /// Distances between markers of involved joints on one body, and rods, each with the change that closes the mechanism.
    fn lengths(&self, joints: &[String], state: &State, gap: f64) -> Vec<LengthChange> {
        let mut markers: Vec<String> = Vec::new();
        let mut found = Vec::new();
        for c in self.spec.constraints.iter().filter(|c| joints.contains(&c.name)) {
            if let Some(length) = rod_length(&c.item) {
                let with = |x: f64| self.with_rod(&c.name, length + x);
                found.extend(self.change(&format!("`{}`", c.name), length, with, state, gap));
            }
            for m in c.item.constraint().markers() {
                if m.kind == MarkerKind::Frame && !markers.iter().any(|n| n == m.name) {
                    markers.push(m.name.to_string());
                }
            }
        }
        let body = |name: &str| name.split('.').next().unwrap_or(name).to_string();
        for (i, far) in markers.iter().enumerate() {
            for near in markers[..i].iter().filter(|near| body(near) == body(far)) {
                let Some((length, moved)) = self.between(near, far) else { continue };
                let with = |x: f64| {
                    let mut spec = self.spec.clone();
                    let own = spec.markers.iter_mut().find(|m| m.name == moved.0);
                    own.into_iter().for_each(|m| (0..3).for_each(|k| m.item.at[k] += x * moved.1[k]));
                    spec
                };
                found.extend(self.change(&format!("`{near}` to `{far}`"), length, with, state, gap));
            }
        }
        found
    }

    /// Distance of two markers of one body, and the marker to move, with its direction.
    fn between(&self, near: &str, far: &str) -> Option<(f64, (String, [f64; 3]))> {
        let frame = |name: &str| self.spec.markers.iter().find(|m| m.name == name).map(|m| &m.item);
        let place = |name: &str| match frame(name) {
            Some(f) => Some((f.at, f.relative_to)),
            None => (!name.contains('.')).then_some(([0.0; 3], FrameReference::Body)),
        };
        let ((a, of_a), (b, of_b)) = (place(near)?, place(far)?);
        if of_a != of_b && !near.starts_with("ground") {
            return None;
        }
        let d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
        let outwards = d.map(|x| x / length);
        let moved = match frame(far) {
            Some(_) => (far.to_string(), outwards),
            None => (near.to_string(), outwards.map(|x| -x)),
        };
        (length > 0.0).then_some((length, moved))
    }

    fn with_rod(&self, name: &str, length: f64) -> Spec {
        let mut spec = self.spec.clone();
        for c in spec.constraints.iter_mut().filter(|c| c.name == name) {
            if let ConstraintKind::Relation(r) = &mut c.item {
                r.follows = Prescription::Position(Signal::constant(length));
            }
        }
        spec
    }

    /// The least change of a length at which the gap vanishes.
    fn change(
        &self,
        name: &str,
        length: f64,
        with: impl Fn(f64) -> Spec,
        state: &State,
        gap: f64,
    ) -> Option<LengthChange> {
        let at = |x: f64| Cut { spec: with(x), ..*self }.close(state).map(|(gap, _)| gap);
        let closed = self.closed(state);
        let first = FIRST_CHANGE * length.max(gap);
        // Two open points whose gap shrinks.
        let (mut a, mut b) = ((0.0, gap), [first, -first].into_iter().map(|x| Some((x, at(x)?))).collect::<Vec<_>>());
        b.retain(|p| p.is_some_and(|(_, g)| g < gap * (1.0 - 1e-6)));
        let mut b = b.into_iter().flatten().min_by(|p, q| p.1.total_cmp(&q.1))?;
        let mut beyond = None;
        for _ in 0..MAX_STEPS {
            let next = b.0 - b.1 * (b.0 - a.0) / (b.1 - a.1);
            let next = match beyond {
                // A closed point bounds the change from above.
                Some(far) if (next - b.0).abs() >= 0.5 * f64::abs(far - b.0) => 0.5 * (b.0 + far),
                _ => next,
            };
            if next.abs() > MAX_CHANGE * length || !next.is_finite() {
                return None;
            }
            let own = at(next)?;
            if own <= closed && (next - b.0).abs() <= CONVERGED * length {
                return Some(LengthChange { name: name.to_string(), length, change: next });
            }
            if own <= closed {
                // It just closes if it is still open a little before.
                let before = next - BEFORE * (next - b.0);
                let still = at(before)?;
                if still > closed {
                    let change = before - still * (before - b.0) / (still - b.1);
                    return Some(LengthChange { name: name.to_string(), length, change });
                }
                beyond = Some(next);
            } else if own < b.1 {
                (a, b) = (b, (next, own));
            } else {
                return None;
            }
        }
        None
    }
}

fn equations(model: &Model, state: &State) -> Equations {
    let mut own = model.initial_state();
    (own.t, own.q, own.v) = (state.t, state.q.clone(), state.v.clone());
    crate::equations::initialise_turn_counters(model, &mut own);
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, (&own).into(), &mut scene, &mut eq);
    eq
}

/// The length of a rod.
fn rod_length(kind: &ConstraintKind) -> Option<f64> {
    let ConstraintKind::Relation(r) = kind else { return None };
    match (&r.terms[..], &r.follows) {
        ([Term { coordinate: Measure::Distance { .. }, factor }], Prescription::Position(s)) if *factor == 1.0 => {
            Some(s.at(0.0).f)
        }
        _ => None,
    }
}
