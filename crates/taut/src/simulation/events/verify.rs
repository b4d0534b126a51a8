//! Verifies contact modes with the full equations.

use super::answers::{Answers, Candidate};
use super::share::{Reserve, widest};
use super::switches::{MARGIN, Switches};
use crate::dynamics::Dynamics;
use crate::equations::At;
use crate::formulations::RankRevealing;
use crate::interruption;
use crate::laws::{Law, direction};
use crate::model::Model;
use crate::solution::worst;
use crate::state::Mode;
use nalgebra::{DMatrix, DVector};

/// Relative reserve below which the load is redistributed, and above which the redistribution is accepted.
pub(super) const SPARE: f64 = 1e-6;
/// Rank tolerance, relative to the largest singular value, for redundant active rows.
pub(super) const DEPENDENT: f64 = 1e-9;

impl Switches {
    /// Verifies the modes with the full equations. With redundant rows the multipliers distribute the load arbitrarily:
    /// friction beyond its bounds is limited to them and gaps in tension are opened, while the other contacts still hold.
    pub(super) fn verify(&mut self, d: &mut Dynamics, t: f64, q: &[f64], v: &[f64], z: &[f64], answers: &Answers) {
        self.shares.fill(0.0);
        d.engage(At { t, q, v, z, modes: &[] });
        if d.accelerate(t, q, v, z).is_err() {
            return;
        }
        // A gap in tension is opened, unless it has friction too and another load distribution would compress it.
        let size = 1.0 + worst(&d.lambda).0;
        let pulls = |c: &usize| {
            let entry = &d.model.constraints[*c];
            let presses = d.modes[*c] != Mode::Idle && matches!(entry.law, Law::Unilateral(_));
            presses && d.lambda[entry.rows.start] < -MARGIN * size
        };
        let rough = |c: &usize| d.model.constraints[*c].rows.len() > 1;
        if self.shortest(d, t, z) < SPARE * size && self.watched.iter().filter(|c| pulls(c)).all(rough) {
            self.share(d, t, z, answers);
        }
        for _ in 0..2 * self.watched.len() + 1 {
            if interruption::is_asked() {
                return;
            }
            d.engage(At { t, q, v, z, modes: &[] });
            if d.accelerate(t, q, v, z).is_err() {
                return;
            }
            let noise = MARGIN * (1.0 + worst(&d.lambda).0);
            let mut worst_of: Option<(f64, usize, Mode)> = None;
            for &c in &self.watched {
                let entry = &d.model.constraints[c];
                let first = entry.rows.start;
                let mut consider = |short: f64, mode: Mode| {
                    if short < -noise && worst_of.is_none_or(|(least, ..)| short < least) {
                        worst_of = Some((short, c, mode));
                    }
                };
                if d.modes[c] != Mode::Idle && matches!(entry.law, Law::Unilateral(_)) {
                    consider(d.lambda[first] + self.shares[first], Mode::Idle);
                }
                if let (Mode::Active, Some(from)) = (d.modes[c], entry.law.gripping_from())
                    && first + from < entry.rows.end
                {
                    let lambda = &d.lambda[first + from..entry.rows.end];
                    consider(self.reserve(d, c, t, z), Mode::Verging(against(d, c, t, z, lambda)));
                }
            }
            match worst_of {
                Some((_, c, mode)) => d.modes[c] = mode,
                None => return,
            }
        }
        d.engage(At { t, q, v, z, modes: &[] });
    }

    /// If the load distribution of redundant rows violates a law, or nearly does, chooses the distribution with the greatest least
    /// reserve, if it improves enough. The motion is the same for all distributions.
    fn share(&mut self, d: &Dynamics, t: f64, z: &[f64], answers: &Answers) {
        let holds = |k: &&Candidate| d.modes[k.c] == Mode::Active;
        let held = || answers.candidates.iter().filter(holds);
        let own: Vec<usize> = held().flat_map(|k| k.rows.clone()).collect();
        let rows: Vec<usize> = held().flat_map(|k| d.model.constraints[k.c].rows.clone()).collect();
        let G = answers.G.select_rows(&own).select_columns(&own);
        let Some(found) = RankRevealing::new(&G, DEPENDENT) else { return };
        let K = found.kernel();
        if K.ncols() == 0 {
            return;
        }
        let size = 1.0 + worst(&d.lambda).0;
        let slope = |r: usize| rows.iter().position(|own| *own == r).map(|i| K.row(i).transpose());
        let reserves: Vec<Reserve> = held().flat_map(|k| reserves(d, k.c, t, z, &slope)).collect();
        let x = K * widest(&reserves, K.ncols(), 2.0 * size);
        rows.iter().zip(&x).for_each(|(r, x)| self.shares[*r] = *x);
        if self.shortest(d, t, z) <= SPARE * size {
            self.shares.fill(0.0);
        }
    }

    /// Adds the load redistribution to the multipliers if one of them is in tension.
    pub fn complete(&self, modes: &[Mode], model: &Model, lambda: &mut [f64]) {
        let pulls = |c: &usize| {
            let (entry, held) = (&model.constraints[*c], modes[*c] != Mode::Idle);
            held && matches!(entry.law, Law::Unilateral(_)) && lambda[entry.rows.start] < 0.0
        };
        if self.watched.iter().any(pulls) {
            lambda.iter_mut().zip(&self.shares).for_each(|(l, share)| *l += share);
        }
    }

    /// The least reserve of all active contacts: normal force and friction.
    fn shortest(&self, d: &Dynamics, t: f64, z: &[f64]) -> f64 {
        let of = |c: &usize| {
            let entry = &d.model.constraints[*c];
            let pressed = match (d.modes[*c], entry.law) {
                (Mode::Idle, _) => return f64::INFINITY,
                (_, Law::Unilateral(_)) => d.lambda[entry.rows.start] + self.shares[entry.rows.start],
                _ => f64::INFINITY,
            };
            if d.modes[*c] == Mode::Active { pressed.min(self.reserve(d, *c, t, z)) } else { pressed }
        };
        self.watched.iter().map(of).fold(f64::INFINITY, f64::min)
    }

    /// Distance of sticking friction to its bounds.
    pub(super) fn reserve(&self, d: &Dynamics, c: usize, t: f64, z: &[f64]) -> f64 {
        let entry = &d.model.constraints[c];
        let Some(from) = entry.law.gripping_from() else { return f64::INFINITY };
        let rows = entry.rows.start + from..entry.rows.end;
        let mut lambda = rows.map(|r| d.lambda[r] + self.shares[r]);
        let (N, grip) = d.gripped(c, t, z);
        let own = if from > 0 { self.shares[entry.rows.start] } else { 0.0 };
        let radius = grip.friction.stick * (N + own).max(0.0);
        match lambda.len() {
            0 => f64::INFINITY,
            1 => lambda
                .next()
                .map_or(f64::INFINITY, |one| (one - (grip.holding[0] - radius)).min(grip.holding[1] + radius - one)),
            _ => grip.holding[1] + radius - lambda.map(|l| l * l).sum::<f64>().sqrt(),
        }
    }
}

/// Reserves of an active constraint as functions of the coefficients of the self-equilibrated forces.
fn reserves(d: &Dynamics, c: usize, t: f64, z: &[f64], slope: &impl Fn(usize) -> Option<DVector<f64>>) -> Vec<Reserve> {
    let entry = &d.model.constraints[c];
    let first = entry.rows.start;
    let mut found = Vec::new();
    let Some(gap) = slope(first) else { return found };
    let pressed = matches!(entry.law, Law::Unilateral(_));
    if pressed {
        found.push(Reserve::Linear { a: d.lambda[first], b: gap.clone() });
    }
    let Some(from) = entry.law.gripping_from() else { return found };
    let rows = first + from..entry.rows.end;
    let (N, grip) = d.gripped(c, t, z);
    let mu = grip.friction.stick;
    // The normal force of its own gap changes with the load distribution; that of other constraints is fixed.
    let widens = if from > 0 { gap * mu } else { gap * 0.0 };
    let slopes: Vec<DVector<f64>> = rows.clone().filter_map(slope).collect();
    match &slopes[..] {
        [] => {}
        [one] => {
            let lambda = d.lambda[rows.start];
            found.push(Reserve::Linear { a: lambda - grip.holding[0] + mu * N, b: &widens + one });
            found.push(Reserve::Linear { a: grip.holding[1] + mu * N - lambda, b: &widens - one });
        }
        several => {
            let l = DVector::from_row_slice(&d.lambda[rows]);
            let L = DMatrix::from_columns(several).transpose();
            found.push(Reserve::Cone { a: grip.holding[1] + mu * N, b: widens, l, L });
        }
    }
    found
}

/// The slip direction that friction beyond its bounds opposes.
fn against(d: &Dynamics, c: usize, t: f64, z: &[f64], lambda: &[f64]) -> [f64; 3] {
    match lambda {
        [one] => {
            let (N, grip) = d.gripped(c, t, z);
            let lower = grip.holding[0] - grip.friction.stick * N;
            [if *one < lower { 1.0 } else { -1.0 }, 0.0, 0.0]
        }
        _ => direction(lambda).0.map(|d| -d),
    }
}
