//! Modes tried with the equations themselves.

use super::switches::{MARGIN, Switches};
use crate::dynamics::Dynamics;
use crate::equations::At;
use crate::laws::{Law, direction};
use crate::solution::worst;
use crate::state::Mode;

impl Switches {
    /// Tries the modes with the equations themselves. Where rows are redundant the multipliers share the load in their
    /// own way: grips beyond their bounds are put on them, gaps that would pull are opened, while the others still hold.
    pub(super) fn verify(&self, d: &mut Dynamics, t: f64, q: &[f64], v: &[f64], z: &[f64]) {
        for _ in 0..2 * self.watched.len() + 1 {
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
                    consider(d.lambda[first], Mode::Idle);
                }
                if let (Mode::Active, Some(from)) = (d.modes[c], entry.law.gripping_from())
                    && first + from < entry.rows.end
                {
                    let lambda = &d.lambda[first + from..entry.rows.end];
                    consider(reserve(d, c, t, z), Mode::Verging(against(d, c, t, z, lambda)));
                }
            }
            match worst_of {
                Some((_, c, mode)) => d.modes[c] = mode,
                None => return,
            }
        }
        d.engage(At { t, q, v, z, modes: &[] });
    }
}

/// The direction against which a grip beyond its bounds stands.
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

/// What is left to the bounds of a grip that holds.
pub(super) fn reserve(d: &Dynamics, c: usize, t: f64, z: &[f64]) -> f64 {
    let entry = &d.model.constraints[c];
    let Some(from) = entry.law.gripping_from() else { return f64::INFINITY };
    let lambda = &d.lambda[entry.rows.start + from..entry.rows.end];
    let (N, grip) = d.gripped(c, t, z);
    let radius = grip.friction.stick * N;
    match lambda {
        [] => f64::INFINITY,
        [one] => (one - (grip.holding[0] - radius)).min(grip.holding[1] + radius - one),
        _ => grip.holding[1] + radius - lambda.iter().map(|l| l * l).sum::<f64>().sqrt(),
    }
}
