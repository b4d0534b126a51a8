//! What contacts, stops, ropes, friction and brakes do at an equilibrium.

use super::Equilibrium;
use crate::analyses::grips::bounds;
use crate::analyses::inverse::{Reaction, reactions_at};
use crate::analyses::one_sided::Grips;
use crate::equations::{Equations, Scene, place};
use crate::laws::{Law, QUIET};
use crate::model::Model;
use crate::state::{Mode, State};
use serde::Serialize;

/// Forces this near to a bound, relative to the largest force, are at it.
const AT_BOUND: f64 = 1e-9;

/// Whether something that comes and goes holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Holding {
    /// A gap that is open, a rope that is slack.
    Open,
    /// A gap that presses, a rope that pulls; its friction, if there is any, is within its bounds.
    Pressing,
    /// A grip within its bounds.
    Holding,
    /// Friction or a grip at its bound: it has slipped here, or would with a little more.
    AtBound,
    /// A grip that was released.
    Released,
}

/// What a contact, a stop, a rope, a brake or friction exerts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldBy {
    /// The constraint.
    pub constraint: String,
    /// Whether it holds.
    pub holding: Holding,
    /// Gap, m or rad, of what has one.
    pub gap: Option<f64>,
    /// Force of the gap, N or N m.
    pub force: Option<f64>,
    /// Size of what its gripping rows exert, N or N m, and the most that they can.
    pub grip: Option<[f64; 2]>,
}

impl Equilibrium {
    /// What every constraint that acts on frames exerts on its last marker: joints, and contacts, stops and ropes as far as they
    /// press or pull.
    pub fn reactions(&self, model: &Model) -> Vec<Reaction> {
        reactions_at(model, &self.state, &self.lambda)
    }

    /// What everything that comes and goes does here, in the order of the model.
    pub fn held_by(&self, model: &Model) -> Vec<HeldBy> {
        let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
        // With nothing held all gaps are at hand.
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
