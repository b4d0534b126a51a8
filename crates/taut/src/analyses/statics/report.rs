//! Status and forces of contacts, stops, ropes, friction and brakes at an equilibrium.

use super::Equilibrium;
use crate::analyses::grips::bounds;
use crate::analyses::inverse::{Reaction, reactions_at};
use crate::analyses::one_sided::Grips;
use crate::equations::{Equations, Scene, place};
use crate::laws::{Law, QUIET};
use crate::model::Model;
use crate::state::{Mode, State};
use serde::Serialize;

/// Distance of a force from its bound, relative to the largest force, that counts as zero.
const AT_BOUND: f64 = 1e-9;

/// Status of a unilateral constraint or of friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Holding {
    /// An open gap or a slack rope.
    Open,
    /// A gap with a contact force or a taut rope; its friction, if any, is within its bounds.
    Pressing,
    /// Friction or a brake within its bounds.
    Holding,
    /// Friction or a brake at its bound: it has slipped, or would slip under a slightly larger load.
    AtBound,
    /// Friction or a brake that is released.
    Released,
}

/// Status and forces of a contact, stop, rope, brake or friction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldBy {
    /// The constraint.
    pub constraint: String,
    /// Its status.
    pub holding: Holding,
    /// Gap, m or rad, if it has one.
    pub gap: Option<f64>,
    /// Normal force, N or N m.
    pub force: Option<f64>,
    /// Friction force, N or N m, and its bound.
    pub grip: Option<[f64; 2]>,
}

impl Equilibrium {
    /// Reactions of all constraints that act on frames, on their last markers: joints, closed contacts and stops, taut ropes.
    pub fn reactions(&self, model: &Model) -> Vec<Reaction> {
        reactions_at(model, &self.state, &self.lambda)
    }

    /// Status and forces of all unilateral constraints and friction, in the order of the model.
    pub fn held_by(&self, model: &Model) -> Vec<HeldBy> {
        let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
        // All gaps are evaluated if no unilateral constraint is active.
        let bare = State { modes: super::balance::bare(model, &self.state), ..self.state.clone() };
        place(model, (&bare).into(), &mut scene, &mut eq);
        let size = super::balance::largest(&self.lambda);
        let mut list = Vec::new();
        for (c, entry) in model.constraints.iter().enumerate().filter(|(_, c)| c.law != Law::Bilateral) {
            let is_gap = matches!(entry.law, Law::Unilateral(_));
            let (first, force) = (entry.rows.start, self.lambda[entry.rows.start]);
            let open = is_gap && self.state.modes[c] == Mode::Idle;
            let grip = bounds(model, &self.state, &scene, c, &self.lambda, Grips::Holding).map(|[lower, upper]| {
                match &self.lambda[first + usize::from(is_gap)..entry.rows.end] {
                    [one] => [one.abs(), if *one < 0.0 { lower.abs() } else { upper.abs() }],
                    several => [several.iter().map(|l| l * l).sum::<f64>().sqrt(), upper],
                }
            });
            let at_bound = grip.is_some_and(|[exerts, most]| exerts > 0.0 && exerts >= most - AT_BOUND * size);
            let holding = match (is_gap, self.state.modes[c]) {
                _ if open => Holding::Open,
                (false, Mode::Idle) => Holding::Released,
                _ if at_bound => Holding::AtBound,
                (true, _) => Holding::Pressing,
                (false, _) => Holding::Holding,
            };
            list.push(HeldBy {
                constraint: entry.name.clone(),
                holding,
                gap: (is_gap && eq.loose.phi[first] < QUIET).then(|| eq.loose.phi[first]),
                force: is_gap.then_some(force),
                grip: grip.filter(|_| !open),
            });
        }
        list
    }
}
