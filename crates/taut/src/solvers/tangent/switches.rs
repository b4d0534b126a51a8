//! Derivatives of forces with switches: a difference must not reach across a jump.
//!
//! ```text
//!  f' = (f(x + h) − f(x − h)) / 2h      if no switching condition changes its sign within ± h
//!  f' = ± (f(x ± h) − f(x)) / h         on the side where none does;  0 if there is no such side
//! ```
//!
//! A step of an implicit method begins right after a switch. The jump of the force over 2h would be a huge derivative there, and
//! the error estimate of radau5, which solves with the derivatives, would vanish.

use super::differences::{DifferenceTarget, PerturbedVariable};
use super::pattern::StateElement;
use super::{DifferenceAccuracy, TangentMatrices};
use crate::constraints::ElementInput;
use crate::equations::StateView;
use crate::forces::Change;
use crate::model::Model;
use crate::motion::Wrench;

/// −f of a force on each of its bodies, and the rates of its states.
#[derive(Clone, Debug)]
pub(super) struct ForceContribution {
    pub forces: Vec<(usize, Vec<f64>)>,
    pub rates: Vec<f64>,
}

/// A force with switches: the signs of its conditions and its contribution at the state itself.
#[derive(Clone, Debug)]
struct SwitchingForce {
    force: usize,
    switches: Vec<bool>,
    here: ForceContribution,
}

/// One evaluation of a difference.
#[derive(Clone, Debug)]
struct Side {
    force: usize,
    weight: f64,
    switches: Vec<bool>,
    found: ForceContribution,
}

/// The forces with switches, and their evaluations for the present difference.
#[derive(Clone, Debug, Default)]
pub(super) struct SwitchingSides {
    forces: Vec<SwitchingForce>,
    sides: Vec<Side>,
}

impl SwitchingSides {
    /// Whether a force has switches.
    pub fn are_kept(&self, force: usize) -> bool {
        self.forces.iter().any(|f| f.force == force)
    }

    /// Keeps an evaluation until the difference is complete.
    pub fn keep(&mut self, force: usize, weight: f64, switches: Vec<bool>, found: ForceContribution) {
        self.sides.push(Side { force, weight, switches, found });
    }
}

impl TangentMatrices {
    /// The forces with switches at a state. Differences of higher order serve states that no switch is near.
    pub(super) fn switching_sides(&self, model: &Model, at: StateView, accuracy: DifferenceAccuracy) -> SwitchingSides {
        let switches = |f: &usize| model.forces[*f].kind.force().guard_count() > 0;
        let listed = (0..model.forces.len()).filter(|f| accuracy == DifferenceAccuracy::SecondOrder && switches(f));
        let variable = PerturbedVariable::Pose;
        let nothing = DifferenceTarget { variable, body: usize::MAX, column: 0, weight: 0.0 };
        let forces = listed.map(|force| SwitchingForce {
            force,
            switches: self.force_switches(model, at, force),
            here: self.force_contribution(model, at, force, nothing),
        });
        SwitchingSides { forces: forces.collect(), sides: Vec::new() }
    }

    /// The signs of the switching conditions of a force.
    fn force_switches(&self, model: &Model, at: StateView, force: usize) -> Vec<bool> {
        let entry = &model.forces[force];
        let z = &self.z[entry.z.clone()];
        let view = ElementInput { t: at.t, motions: &self.kinematics.motions, markers: &entry.markers, z };
        let own = entry.kind.force();
        (0..own.guard_count()).map(|i| own.guard(&view, i) > 0.0).collect()
    }

    /// −f of one force on each of its bodies, or of a force with switches into `sides`.
    pub(super) fn evaluate_force(
        &mut self,
        model: &Model,
        at: StateView,
        force: usize,
        into: DifferenceTarget,
        sides: &mut SwitchingSides,
    ) {
        let found = self.force_contribution(model, at, force, into);
        if sides.are_kept(force) {
            sides.keep(force, into.weight, self.force_switches(model, at, force), found);
        } else {
            self.add_contribution(model, force, &found, into);
        }
    }

    /// −f of one force on each of its bodies, and the rates of its states.
    fn force_contribution(
        &self,
        model: &Model,
        at: StateView,
        force: usize,
        into: DifferenceTarget,
    ) -> ForceContribution {
        let entry = &model.forces[force];
        let mut on = vec![Wrench::ZERO; entry.markers.len()];
        let mut rates = vec![0.0; entry.z.len()];
        let z = &self.z[entry.z.clone()];
        let view = ElementInput { t: at.t, motions: &self.kinematics.motions, markers: &entry.markers, z };
        let body_of = |m: &usize| model.markers[*m].body;
        let moved: Vec<bool> = entry.markers.iter().map(|m| body_of(m) == Some(into.body)).collect();
        let change = match into.variable {
            PerturbedVariable::Pose | PerturbedVariable::Velocity => Change::Markers(&moved),
            PerturbedVariable::State(_) => Change::State(into.column),
        };
        let own = entry.kind.force();
        match own.guard_count() {
            0 => own.apply_changed(&view, change, &mut on, &mut rates),
            // Compared with the force at the state itself, where nothing changes.
            _ => own.apply_with_rates(&view, &mut on, &mut rates),
        }
        let mut forces = Vec::with_capacity(on.len());
        for (m, w) in entry.markers.iter().zip(&on) {
            let Some(body) = body_of(m).filter(|b| !model.bodies[*b].v.is_empty()) else { continue };
            let mut f = vec![0.0; model.bodies[body].v.len()];
            self.generalised_force(model, body, *m, w, &mut f);
            f.iter_mut().for_each(|f| *f = -*f);
            forces.push((body, f));
        }
        ForceContribution { forces, rates }
    }

    fn add_contribution(&mut self, model: &Model, force: usize, found: &ForceContribution, into: DifferenceTarget) {
        for (body, f) in &found.forces {
            self.add_forces(model, *body, f, into);
        }
        self.add_rates(model, StateElement::Force(force), &found.rates, into);
    }

    /// Adds the differences of the kept evaluations by one variable of one body.
    pub(super) fn add_sides(
        &mut self,
        model: &Model,
        sides: &mut SwitchingSides,
        (variable, body, column): (PerturbedVariable, usize, usize),
    ) {
        let target = |weight: f64| DifferenceTarget { variable, body, column, weight };
        for SwitchingForce { force, switches, here } in &sides.forces {
            let own = || sides.sides.iter().filter(|side| side.force == *force);
            let valid = |side: &&Side| side.switches == *switches;
            let one_sided = own().any(|side| !valid(&side));
            let factor = if one_sided { 2.0 } else { 1.0 };
            for side in own().filter(valid) {
                self.add_contribution(model, *force, &side.found, target(factor * side.weight));
                if one_sided {
                    self.add_contribution(model, *force, here, target(-factor * side.weight));
                }
            }
        }
        sides.sides.clear();
    }
}
