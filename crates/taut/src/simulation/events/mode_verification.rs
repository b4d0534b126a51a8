//! Verifies contact modes with the full equations.

use super::contact_switches::{ContactSwitches, MIN_FUNCTION_VALUE};
use super::delassus::{CandidateConstraint, DelassusOperator};
use super::load_sharing::{Reserve, maximise_least_reserve};
use crate::dynamics::Dynamics;
use crate::equations::StateView;
use crate::formulations::CompleteOrthogonalDecomposition;
use crate::interruption;
use crate::laws::{self, ConstraintLaw};
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::Model;
use crate::state::ConstraintMode;
use nalgebra::{DMatrix, DVector};

/// Relative reserve below which the load is redistributed, and above which the redistribution is accepted.
pub(super) const RESERVE_TOLERANCE: f64 = 1e-6;
/// Rank tolerance, relative to the largest singular value, for redundant active rows.
pub(super) const DEPENDENT_ROW_TOLERANCE: f64 = 1e-9;

impl ContactSwitches {
    /// Verifies the modes with the full equations. With redundant rows the multipliers distribute the load arbitrarily:
    /// friction beyond its bounds is limited to them and gaps in tension are opened, while the other contacts still hold.
    pub(super) fn verify_modes(
        &mut self,
        d: &mut Dynamics,
        t: f64,
        q: &[f64],
        v: &[f64],
        z: &[f64],
        delassus: &DelassusOperator,
    ) {
        self.load_sharing.fill(0.0);
        d.apply_modes(StateView { t, q, v, z, modes: &[] });
        if d.solve_accelerations(t, q, v, z).is_err() {
            return;
        }
        // A gap in tension is opened, unless it has friction too and another load distribution would compress it.
        let size = 1.0 + largest_magnitude(&d.lambda).0;
        let pulls = |c: &usize| {
            let entry = &d.model.constraints[*c];
            let presses = d.modes[*c] != ConstraintMode::Idle && matches!(entry.law, ConstraintLaw::Unilateral(_));
            presses && d.lambda[entry.rows.start] < -MIN_FUNCTION_VALUE * size
        };
        let rough = |c: &usize| d.model.constraints[*c].rows.len() > 1;
        if self.least_reserve(d, t, z) < RESERVE_TOLERANCE * size && self.watched.iter().filter(|c| pulls(c)).all(rough)
        {
            self.redistribute_load(d, t, z, delassus);
        }
        for _ in 0..2 * self.watched.len() + 1 {
            if interruption::is_requested() {
                return;
            }
            d.apply_modes(StateView { t, q, v, z, modes: &[] });
            if d.solve_accelerations(t, q, v, z).is_err() {
                return;
            }
            let noise = MIN_FUNCTION_VALUE * (1.0 + largest_magnitude(&d.lambda).0);
            let mut worst_of: Option<(f64, usize, ConstraintMode)> = None;
            for &c in &self.watched {
                let entry = &d.model.constraints[c];
                let first = entry.rows.start;
                let mut consider = |short: f64, mode: ConstraintMode| {
                    if short < -noise && worst_of.is_none_or(|(least, ..)| short < least) {
                        worst_of = Some((short, c, mode));
                    }
                };
                if d.modes[c] != ConstraintMode::Idle && matches!(entry.law, ConstraintLaw::Unilateral(_)) {
                    consider(d.lambda[first] + self.load_sharing[first], ConstraintMode::Idle);
                }
                if let (ConstraintMode::Active, Some(from)) = (d.modes[c], entry.law.first_friction_row())
                    && first + from < entry.rows.end
                {
                    let lambda = &d.lambda[first + from..entry.rows.end];
                    consider(
                        self.friction_reserve(d, c, t, z),
                        ConstraintMode::Verging(slip_direction(d, c, t, z, lambda)),
                    );
                }
            }
            match worst_of {
                Some((_, c, mode)) => d.modes[c] = mode,
                None => return,
            }
        }
        d.apply_modes(StateView { t, q, v, z, modes: &[] });
    }

    /// If the load distribution of redundant rows violates a law, or nearly does, chooses the distribution with the greatest least
    /// reserve, if it improves enough. The motion is the same for all distributions.
    fn redistribute_load(&mut self, d: &Dynamics, t: f64, z: &[f64], delassus: &DelassusOperator) {
        let holds = |k: &&CandidateConstraint| d.modes[k.c] == ConstraintMode::Active;
        let held = || delassus.candidates.iter().filter(holds);
        let own: Vec<usize> = held().flat_map(|k| k.rows.clone()).collect();
        let rows: Vec<usize> = held().flat_map(|k| d.model.constraints[k.c].rows.clone()).collect();
        let G = delassus.G.select_rows(&own).select_columns(&own);
        let Some(found) = CompleteOrthogonalDecomposition::new(&G, DEPENDENT_ROW_TOLERANCE) else { return };
        let K = found.kernel();
        if K.ncols() == 0 {
            return;
        }
        let size = 1.0 + largest_magnitude(&d.lambda).0;
        let slope = |r: usize| rows.iter().position(|own| *own == r).map(|i| K.row(i).transpose());
        let reserves: Vec<Reserve> = held().flat_map(|k| reserves(d, k.c, t, z, &slope)).collect();
        let x = K * maximise_least_reserve(&reserves, K.ncols(), 2.0 * size);
        rows.iter().zip(&x).for_each(|(r, x)| self.load_sharing[*r] = *x);
        if self.least_reserve(d, t, z) <= RESERVE_TOLERANCE * size {
            self.load_sharing.fill(0.0);
        }
    }

    /// Adds the load redistribution to the multipliers if one of them is in tension.
    pub fn add_load_sharing(&self, modes: &[ConstraintMode], model: &Model, lambda: &mut [f64]) {
        let pulls = |c: &usize| {
            let (entry, held) = (&model.constraints[*c], modes[*c] != ConstraintMode::Idle);
            held && matches!(entry.law, ConstraintLaw::Unilateral(_)) && lambda[entry.rows.start] < 0.0
        };
        if self.watched.iter().any(pulls) {
            lambda.iter_mut().zip(&self.load_sharing).for_each(|(l, share)| *l += share);
        }
    }

    /// The least reserve of all active contacts: normal force and friction.
    fn least_reserve(&self, d: &Dynamics, t: f64, z: &[f64]) -> f64 {
        let of = |c: &usize| {
            let entry = &d.model.constraints[*c];
            let pressed = match (d.modes[*c], entry.law) {
                (ConstraintMode::Idle, _) => return f64::INFINITY,
                (_, ConstraintLaw::Unilateral(_)) => d.lambda[entry.rows.start] + self.load_sharing[entry.rows.start],
                _ => f64::INFINITY,
            };
            if d.modes[*c] == ConstraintMode::Active {
                pressed.min(self.friction_reserve(d, *c, t, z))
            } else {
                pressed
            }
        };
        self.watched.iter().map(of).fold(f64::INFINITY, f64::min)
    }

    /// Distance of sticking friction to its bounds.
    pub(super) fn friction_reserve(&self, d: &Dynamics, c: usize, t: f64, z: &[f64]) -> f64 {
        let entry = &d.model.constraints[c];
        let Some(from) = entry.law.first_friction_row() else { return f64::INFINITY };
        let rows = entry.rows.start + from..entry.rows.end;
        let mut lambda = rows.map(|r| d.lambda[r] + self.load_sharing[r]);
        let (N, grip) = d.normal_force_and_bound(c, t, z);
        let own = if from > 0 { self.load_sharing[entry.rows.start] } else { 0.0 };
        let radius = grip.friction.stick * (N + own).max(0.0);
        match lambda.len() {
            0 => f64::INFINITY,
            1 => lambda
                .next()
                .map_or(f64::INFINITY, |one| (one - (grip.sticking[0] - radius)).min(grip.sticking[1] + radius - one)),
            _ => grip.sticking[1] + radius - lambda.map(|l| l * l).sum::<f64>().sqrt(),
        }
    }
}

/// Reserves of an active constraint as functions of the coefficients of the self-equilibrated forces.
fn reserves(d: &Dynamics, c: usize, t: f64, z: &[f64], slope: &impl Fn(usize) -> Option<DVector<f64>>) -> Vec<Reserve> {
    let entry = &d.model.constraints[c];
    let first = entry.rows.start;
    let mut found = Vec::new();
    let Some(gap) = slope(first) else { return found };
    let pressed = matches!(entry.law, ConstraintLaw::Unilateral(_));
    if pressed {
        found.push(Reserve::Linear { a: d.lambda[first], b: gap.clone() });
    }
    let Some(from) = entry.law.first_friction_row() else { return found };
    let rows = first + from..entry.rows.end;
    let (N, grip) = d.normal_force_and_bound(c, t, z);
    let mu = grip.friction.stick;
    // The normal force of its own gap changes with the load distribution; that of other constraints is fixed.
    let widens = if from > 0 { gap * mu } else { gap * 0.0 };
    let slopes: Vec<DVector<f64>> = rows.clone().filter_map(slope).collect();
    match &slopes[..] {
        [] => {}
        [one] => {
            let lambda = d.lambda[rows.start];
            found.push(Reserve::Linear { a: lambda - grip.sticking[0] + mu * N, b: &widens + one });
            found.push(Reserve::Linear { a: grip.sticking[1] + mu * N - lambda, b: &widens - one });
        }
        several => {
            let l = DVector::from_row_slice(&d.lambda[rows]);
            let L = DMatrix::from_columns(several).transpose();
            found.push(Reserve::Cone { a: grip.sticking[1] + mu * N, b: widens, l, L });
        }
    }
    found
}

/// The slip direction that friction beyond its bounds opposes.
fn slip_direction(d: &Dynamics, c: usize, t: f64, z: &[f64], lambda: &[f64]) -> [f64; 3] {
    match lambda {
        [one] => {
            let (N, grip) = d.normal_force_and_bound(c, t, z);
            let lower = grip.sticking[0] - grip.friction.stick * N;
            [if *one < lower { 1.0 } else { -1.0 }, 0.0, 0.0]
        }
        _ => laws::slip_direction(lambda).0.map(|d| -d),
    }
}
