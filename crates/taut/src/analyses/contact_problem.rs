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

use super::friction_bounds::friction_bounds;
use crate::complementarity::{BlockStatus, ComplementarityLaw as Block, SolverOutcome, dense};
use crate::equations::{Equations, MarkerKinematics};
use crate::laws::{ConstraintLaw, NEVER_ZERO, slip_direction};
use crate::model::Model;
use crate::state::{ConstraintMode, State};
use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// Most fixed-point iterations of the friction bounds.
const MAX_BOUND_ITERATIONS: usize = 200;
/// Relative change of p at which the bounds have converged.
const BOUND_TOLERANCE: f64 = 1e-13;
/// Largest residual of the complementarity conditions that counts as solved.
const RESIDUAL_LIMIT: f64 = 1e-7;

/// A constraint that takes part in the problem.
#[derive(Clone, Debug)]
pub(crate) struct ContactCandidate {
    /// The constraint.
    pub c: usize,
    /// Indices of its rows in p.
    pub rows: Range<usize>,
    /// Slip velocity of its friction rows, actual or prescribed. If it is not zero, the force is at its bound.
    pub slip: Vec<f64>,
    pub regime: FrictionRegime,
}

/// Which friction bounds apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrictionRegime {
    /// Those of sticking.
    Sticking,
    /// Those of slipping.
    Slipping,
}

/// The complementarity problem: its constraints and the number of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactProblem {
    pub candidates: Vec<ContactCandidate>,
    pub rows: usize,
}

/// The solution: forces p, u, and the status of every constraint.
#[derive(Clone, Debug)]
pub(crate) struct ContactSolution {
    pub p: DVector<f64>,
    pub u: DVector<f64>,
    pub status: Vec<BlockStatus>,
    /// Linear systems solved and sweeps over the blocks.
    pub work: usize,
}

/// A problem without a solution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnsolvedContact {
    /// The constraint whose law cannot be satisfied.
    pub constraint: usize,
    /// As in [`ContactSolution`].
    pub work: usize,
}

/// Whether the friction bounds apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrictionLimit {
    /// The bounds of the model.
    Actual,
    /// No bounds: gives the force that would be required.
    Unlimited,
}

impl ContactProblem {
    /// The problem with all rows of these constraints, which must be inactive in `eq`.
    pub fn new(model: &Model, eq: &Equations, constraints: impl IntoIterator<Item = usize>) -> ContactProblem {
        let mut found = ContactProblem::default();
        for c in constraints {
            let entry = &model.constraints[c];
            let rows = found.rows..found.rows + entry.rows.len();
            found.rows = rows.end;
            // At rest, a prescribed rate is never reached.
            let slip = match entry.law {
                ConstraintLaw::Frictional => eq.inactive.phi_t[entry.rows.clone()].to_vec(),
                _ => Vec::new(),
            };
            found.candidates.push(ContactCandidate { c, rows, slip, regime: FrictionRegime::Sticking });
        }
        found
    }

    /// Marks constraints whose friction rows have a slip velocity above `rest` as slipping.
    pub fn detect_slip(&mut self, model: &Model, eq: &Equations, rest: f64) {
        for k in &mut self.candidates {
            let entry = &model.constraints[k.c];
            let from = entry.law.first_friction_row().unwrap_or(0);
            let slip = &eq.inactive.rate[entry.rows.start + from..entry.rows.end];
            let slides = slip_direction(slip).1 > rest;
            k.slip = if slides { slip.to_vec() } else { Vec::new() };
            k.regime = if slides { FrictionRegime::Slipping } else { FrictionRegime::Sticking };
        }
    }

    /// Adds a large acceleration along the slip velocity to the rows of slipping contacts, so that friction opposes the slip.
    pub fn impose_slip_acceleration(&self, c: &mut DVector<f64>) {
        let large = 1e3 * c.amax().max(1.0);
        // For a single row, the bound already has the right sign.
        for k in self.candidates.iter().filter(|k| k.regime == FrictionRegime::Slipping && k.rows.len() > 1) {
            let (d, _) = slip_direction(&k.slip);
            k.rows.clone().skip(k.rows.len() - k.slip.len()).zip(d).for_each(|(r, d)| c[r] += large * d);
        }
    }

    /// Constraints that may act at a state that was evaluated with all of them inactive: friction that is not released, and gaps that
    /// have a partner surface.
    pub fn candidate_constraints(model: &Model, state: &State, eq: &Equations) -> Vec<usize> {
        let may = |c: &usize| match model.constraints[*c].law {
            ConstraintLaw::Bilateral => false,
            ConstraintLaw::Unilateral(_) => eq.inactive.phi[model.constraints[*c].rows.start] < NEVER_ZERO,
            ConstraintLaw::Frictional => state.modes[*c] != ConstraintMode::Idle,
        };
        (0..model.constraints.len()).filter(may).collect()
    }

    /// Rows of the model, in the order of p.
    pub fn model_rows(&self, model: &Model) -> Vec<usize> {
        self.candidates.iter().flat_map(|k| model.constraints[k.c].rows.clone()).collect()
    }

    /// G from the responses w to a unit force of each row: G_rs = A_r w_s.
    pub fn delassus(&self, model: &Model, eq: &Equations, w: &[Vec<f64>]) -> DMatrix<f64> {
        let mut G = DMatrix::zeros(self.rows, self.rows);
        for k in &self.candidates {
            let entry = &model.constraints[k.c];
            for (i, r) in k.rows.clone().enumerate() {
                (0..self.rows).for_each(|s| G[(r, s)] = eq.inactive_row_times(entry, i, &w[s]));
            }
        }
        G
    }

    /// Solves the problem. The friction bounds follow from `multipliers`, which gives the multipliers of all rows for given p.
    ///
    /// # Errors
    /// [`UnsolvedContact`].
    pub fn solve(
        &self,
        model: &Model,
        state: &State,
        scene: &MarkerKinematics,
        G: &DMatrix<f64>,
        c: &DVector<f64>,
        start: Option<&DVector<f64>>,
        strength: FrictionLimit,
        multipliers: impl Fn(&DVector<f64>) -> Vec<f64>,
    ) -> Result<ContactSolution, UnsolvedContact> {
        let mut work = 0;
        let mut p = start.cloned().unwrap_or_else(|| DVector::zeros(self.rows));
        let mut moving = self.bounds_depend_on_forces(model);
        for round in 0..MAX_BOUND_ITERATIONS {
            let lambda = multipliers(&p);
            let laws: Vec<Block> = self
                .candidates
                .iter()
                .map(|k| self.complementarity_law(model, state, scene, k, &lambda, strength))
                .collect();
            let guess = (round > 0 || start.is_some()).then(|| p.clone());
            let answer = dense::solve(G, c, &laws, guess.as_ref()).map_err(|_| self.unsolved(work))?;
            work += answer.newton_steps + answer.sweeps;
            if let SolverOutcome::Stalled { residual, block } = answer.outcome
                && residual > RESIDUAL_LIMIT
            {
                return Err(UnsolvedContact { constraint: self.candidates[block].c, work });
            }
            let change = (&answer.p - &p).amax();
            let size = answer.p.amax().max(p.amax());
            p = answer.p;
            if !moving || change <= BOUND_TOLERANCE * size {
                return Ok(ContactSolution { u: G * &p + c, p, status: answer.status, work });
            }
            moving = round + 1 < MAX_BOUND_ITERATIONS;
        }
        Err(self.unsolved(work))
    }

    /// Names the first constraint, because no other is known to be the cause.
    fn unsolved(&self, work: usize) -> UnsolvedContact {
        UnsolvedContact { constraint: self.candidates.first().map_or(0, |k| k.c), work }
    }

    /// Whether any bound depends on p.
    fn bounds_depend_on_forces(&self, model: &Model) -> bool {
        self.candidates.iter().any(|k| {
            model.constraints[k.c].law == ConstraintLaw::Frictional
                && model.constraints[k.c].normal_force_constraint.is_some()
        })
    }

    fn complementarity_law(
        &self,
        model: &Model,
        state: &State,
        scene: &MarkerKinematics,
        k: &ContactCandidate,
        lambda: &[f64],
        strength: FrictionLimit,
    ) -> Block {
        let entry = &model.constraints[k.c];
        let tangential = entry.rows.len() - usize::from(matches!(entry.law, ConstraintLaw::Unilateral(_)));
        // Practically unlimited, but finite.
        const UNLIMITED_FRICTION: f64 = 1e8;
        if let ConstraintLaw::Unilateral(_) = entry.law {
            let view = crate::constraints::ElementInput {
                t: state.t,
                motions: &scene.motions,
                markers: &entry.markers,
                z: &state.z[entry.z.clone()],
            };
            let friction = entry.kind.constraint().friction_bound(&view).friction;
            let given = if k.regime == FrictionRegime::Slipping { friction.slip } else { friction.stick };
            let mu = if strength == FrictionLimit::Unlimited && given > 0.0 { UNLIMITED_FRICTION } else { given };
            return match tangential {
                0 => Block::NonNegative,
                1 => Block::PlanarCone { mu },
                _ => Block::Cone { mu },
            };
        }
        let [lower, upper] = friction_bounds(model, state, scene, k.c, lambda, k.regime).unwrap_or([0.0; 2]);
        let (d, slip) = slip_direction(&k.slip);
        match (tangential, strength) {
            // With an actual or prescribed slip velocity the force is at its bound.
            (1, _) if slip > 0.0 => {
                let at = if d[0] > 0.0 { lower } else { upper };
                if at.is_finite() { Block::Interval { lower: at, upper: at } } else { Block::BILATERAL }
            }
            (1, FrictionLimit::Unlimited) => Block::BILATERAL,
            (1, FrictionLimit::Actual) => Block::Interval { lower, upper },
            (_, FrictionLimit::Unlimited) => match tangential {
                2 => Block::Disc { radius: UNLIMITED_FRICTION * (1.0 + upper) },
                _ => Block::Ball { radius: UNLIMITED_FRICTION * (1.0 + upper) },
            },
            (2, _) => Block::Disc { radius: upper.max(0.0) },
            _ => Block::Ball { radius: upper.max(0.0) },
        }
    }
}
