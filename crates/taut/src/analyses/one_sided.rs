//! Gaps and dry friction as one complementarity problem, for analyses that solve for forces instead of motions.
//!
//! ```text
//!  u = G p + c        gap        0 ≤ u ⊥ p ≥ 0
//!                     friction   u = 0 while p is within its bounds, else p at the bound and opposite to u
//! ```
//!
//! The analysis defines u: gaps and slips after a displacement (equilibrium), or the accelerations that are still missing (inverse
//! dynamics). The bounds use the static coefficient. They grow with the normal force, which depends on p through the multipliers of
//! all rows.

use super::grips::bounds;
use crate::complementarity::{Law as Block, Outcome, Status, dense};
use crate::equations::{Equations, Scene};
use crate::laws::{Law, QUIET, direction};
use crate::model::Model;
use crate::state::{Mode, State};
use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// Most fixed-point iterations of the friction bounds.
const ROUNDS: usize = 200;
/// Relative change of p at which the bounds have converged.
const SETTLED: f64 = 1e-13;
/// Largest residual of the complementarity conditions that counts as solved.
const UNSOLVED: f64 = 1e-7;

/// A constraint that takes part in the problem.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The constraint.
    pub c: usize,
    /// Indices of its rows in p.
    pub rows: Range<usize>,
    /// Slip velocity of its friction rows, actual or prescribed. If it is not zero, the force is at its bound.
    pub slip: Vec<f64>,
    pub grips: Grips,
}

/// Which friction bounds apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grips {
    /// Those of sticking.
    Holding,
    /// Those of slipping.
    Slipping,
}

/// The complementarity problem: its constraints and the number of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct OneSided {
    pub list: Vec<Candidate>,
    pub rows: usize,
}

/// The solution: forces p, u, and the status of every constraint.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub p: DVector<f64>,
    pub u: DVector<f64>,
    pub status: Vec<Status>,
}

/// Whether the friction bounds apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// The bounds of the model.
    Given,
    /// No bounds: gives the force that would be required.
    Unlimited,
}

impl OneSided {
    /// The problem with all rows of these constraints, which must be inactive in `eq`.
    pub fn new(model: &Model, eq: &Equations, constraints: impl IntoIterator<Item = usize>) -> OneSided {
        let mut found = OneSided::default();
        for c in constraints {
            let entry = &model.constraints[c];
            let rows = found.rows..found.rows + entry.rows.len();
            found.rows = rows.end;
            // At rest, a prescribed rate is never reached.
            let slip = match entry.law {
                Law::Gripping => eq.loose.phi_t[entry.rows.clone()].to_vec(),
                _ => Vec::new(),
            };
            found.list.push(Candidate { c, rows, slip, grips: Grips::Holding });
        }
        found
    }

    /// Marks constraints whose friction rows have a slip velocity above `rest` as slipping.
    pub fn slide(&mut self, model: &Model, eq: &Equations, rest: f64) {
        for k in &mut self.list {
            let entry = &model.constraints[k.c];
            let from = entry.law.gripping_from().unwrap_or(0);
            let slip = &eq.loose.rate[entry.rows.start + from..entry.rows.end];
            let slides = direction(slip).1 > rest;
            k.slip = if slides { slip.to_vec() } else { Vec::new() };
            k.grips = if slides { Grips::Slipping } else { Grips::Holding };
        }
    }

    /// Adds a large acceleration along the slip velocity to the rows of slipping contacts, so that friction opposes the slip.
    pub fn drag(&self, c: &mut DVector<f64>) {
        let large = 1e3 * c.amax().max(1.0);
        // For a single row, the bound already has the right sign.
        for k in self.list.iter().filter(|k| k.grips == Grips::Slipping && k.rows.len() > 1) {
            let (d, _) = direction(&k.slip);
            k.rows.clone().skip(k.rows.len() - k.slip.len()).zip(d).for_each(|(r, d)| c[r] += large * d);
        }
    }

    /// Constraints that may act at a state that was evaluated with all of them inactive: friction that is not released, and gaps that
    /// have a partner surface.
    pub fn possible(model: &Model, state: &State, eq: &Equations) -> Vec<usize> {
        let may = |c: &usize| match model.constraints[*c].law {
            Law::Bilateral => false,
            Law::Unilateral(_) => eq.loose.phi[model.constraints[*c].rows.start] < QUIET,
            Law::Gripping => state.modes[*c] != Mode::Idle,
        };
        (0..model.constraints.len()).filter(may).collect()
    }

    /// Rows of the model, in the order of p.
    pub fn model_rows(&self, model: &Model) -> Vec<usize> {
        self.list.iter().flat_map(|k| model.constraints[k.c].rows.clone()).collect()
    }

    /// G from the responses w to a unit force of each row: G_rs = A_r w_s.
    pub fn delassus(&self, model: &Model, eq: &Equations, w: &[Vec<f64>]) -> DMatrix<f64> {
        let mut G = DMatrix::zeros(self.rows, self.rows);
        for k in &self.list {
            let entry = &model.constraints[k.c];
            for (i, r) in k.rows.clone().enumerate() {
                (0..self.rows).for_each(|s| G[(r, s)] = eq.loose_times(entry, i, &w[s]));
            }
        }
        G
    }

    /// Solves the problem. The friction bounds follow from `multipliers`, which gives the multipliers of all rows for given p.
    ///
    /// # Errors
    /// The index of the constraint whose law cannot be satisfied.
    pub fn solve(
        &self,
        model: &Model,
        state: &State,
        scene: &Scene,
        G: &DMatrix<f64>,
        c: &DVector<f64>,
        start: Option<&DVector<f64>>,
        strength: Strength,
        multipliers: impl Fn(&DVector<f64>) -> Vec<f64>,
    ) -> Result<Found, usize> {
        let mut p = start.cloned().unwrap_or_else(|| DVector::zeros(self.rows));
        let mut moving = self.moving(model);
        for round in 0..ROUNDS {
            let lambda = multipliers(&p);
            let laws: Vec<Block> =
                self.list.iter().map(|k| self.law(model, state, scene, k, &lambda, strength)).collect();
            let guess = (round > 0 || start.is_some()).then(|| p.clone());
            let answer = dense::solve(G, c, &laws, guess.as_ref()).map_err(|_| self.first())?;
            if let Outcome::Stalled { residual, block } = answer.outcome
                && residual > UNSOLVED
            {
                return Err(self.list[block].c);
            }
            let change = (&answer.p - &p).amax();
            let size = answer.p.amax().max(p.amax());
            p = answer.p;
            if !moving || change <= SETTLED * size {
                return Ok(Found { u: G * &p + c, p, status: answer.status });
            }
            moving = round + 1 < ROUNDS;
        }
        Err(self.first())
    }

    fn first(&self) -> usize {
        self.list.first().map_or(0, |k| k.c)
    }

    /// Whether any bound depends on p.
    fn moving(&self, model: &Model) -> bool {
        self.list
            .iter()
            .any(|k| model.constraints[k.c].law == Law::Gripping && model.constraints[k.c].pressed_by.is_some())
    }

    fn law(
        &self,
        model: &Model,
        state: &State,
        scene: &Scene,
        k: &Candidate,
        lambda: &[f64],
        strength: Strength,
    ) -> Block {
        let entry = &model.constraints[k.c];
        let tangential = entry.rows.len() - usize::from(matches!(entry.law, Law::Unilateral(_)));
        // Practically unlimited, but finite.
        const ENDLESS: f64 = 1e8;
        if let Law::Unilateral(_) = entry.law {
            let view = crate::constraints::View {
                t: state.t,
                motions: &scene.motions,
                ids: &entry.markers,
                z: &state.z[entry.z.clone()],
            };
            let friction = entry.kind.constraint().grip(&view).friction;
            let given = if k.grips == Grips::Slipping { friction.slip } else { friction.stick };
            let mu = if strength == Strength::Unlimited && given > 0.0 { ENDLESS } else { given };
            return match tangential {
                0 => Block::NonNegative,
                1 => Block::Wedge { mu },
                _ => Block::Cone { mu },
            };
        }
        let [lower, upper] = bounds(model, state, scene, k.c, lambda, k.grips).unwrap_or([0.0; 2]);
        let (d, slip) = direction(&k.slip);
        match (tangential, strength) {
            // With an actual or prescribed slip velocity the force is at its bound.
            (1, _) if slip > 0.0 => {
                let at = if d[0] > 0.0 { lower } else { upper };
                if at.is_finite() { Block::Interval { lower: at, upper: at } } else { Block::BILATERAL }
            }
            (1, Strength::Unlimited) => Block::BILATERAL,
            (1, Strength::Given) => Block::Interval { lower, upper },
            (_, Strength::Unlimited) => match tangential {
                2 => Block::Disc { radius: ENDLESS * (1.0 + upper) },
                _ => Block::Ball { radius: ENDLESS * (1.0 + upper) },
            },
            (2, _) => Block::Disc { radius: upper.max(0.0) },
            _ => Block::Ball { radius: upper.max(0.0) },
        }
    }
}
