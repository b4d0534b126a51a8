//! The load distribution among redundant contact points with the greatest least reserve.
//!
//! The forces in equilibrium are λ + K x, with K a basis of the self-equilibrated forces. The reserve of each law is concave
//! in x: λ_n for normal forces, μ λ_n − |λ_t| for friction. The greatest least reserve t solves
//!
//! ```text
//!  max t      r_i(x) − t ≥ 0,      |x| ≤ R
//! ```
//!
//! a small cone program. It is solved by a logarithmic barrier method with Newton's method
//! ([NesterovNemirovskii1994]). Unlike a search along single directions it cannot stall at an edge where two
//! reserves are equal.

use crate::interruption;
use nalgebra::{DMatrix, DVector};

/// The reserve of one law as a function of the coefficients x of the self-equilibrated forces.
#[derive(Clone, Debug)]
pub(super) enum Reserve {
    /// a + b·x.
    Linear {
        /// At x = 0.
        a: f64,
        /// Its slope.
        b: DVector<f64>,
    },
    /// a + b·x − |l + L x|.
    Cone {
        /// Radius at x = 0.
        a: f64,
        /// Its slope.
        b: DVector<f64>,
        /// Load at x = 0.
        l: DVector<f64>,
        /// Its slope.
        L: DMatrix<f64>,
    },
}

/// The weight of t is raised by this factor, up to this value per law.
const WEIGHT_FACTOR: f64 = 10.0;
const MAX_WEIGHT: f64 = 1e10;
/// Most Newton steps for one centre; a few are usual.
const MAX_NEWTON_STEPS: usize = 60;
/// Squared Newton decrement at which a centre is found.
const CENTRED_DECREMENT: f64 = 1e-10;

impl Reserve {
    /// Its value.
    pub fn value(&self, x: &DVector<f64>) -> f64 {
        match self {
            Reserve::Linear { a, b } => a + b.dot(x),
            Reserve::Cone { a, b, l, L } => a + b.dot(x) - (l + L * x).norm(),
        }
    }

    /// Adds −ln of the reserve above t, its gradient and its Hessian; `None` if the reserve is not positive.
    fn barrier(&self, x: &DVector<f64>, t: f64, sum: &mut BarrierValue) -> Option<()> {
        let k = x.len();
        let lift = |b: &DVector<f64>| DVector::from_fn(k + 1, |i, _| if i < k { b[i] } else { -1.0 });
        let (s, ds, dds) = match self {
            Reserve::Linear { a, b } => (a + b.dot(x) - t, lift(b), None),
            Reserve::Cone { a, b, l, L } => {
                let (q, load, dq) = (a + b.dot(x) - t, l + L * x, lift(b));
                if q <= 0.0 {
                    return None;
                }
                let mut ds = &dq * (2.0 * q);
                let mut rows = ds.rows_mut(0, k);
                rows -= L.tr_mul(&load) * 2.0;
                let mut dds = &dq * dq.transpose() * 2.0;
                let mut block = dds.view_mut((0, 0), (k, k));
                block -= L.tr_mul(L) * 2.0;
                (q * q - load.norm_squared(), ds, Some(dds))
            }
        };
        sum.add(s, &ds, dds.as_ref())
    }
}

/// The barrier at one point.
struct BarrierValue {
    value: f64,
    gradient: DVector<f64>,
    hessian: DMatrix<f64>,
}

impl BarrierValue {
    /// −ln s.
    fn add(&mut self, s: f64, ds: &DVector<f64>, dds: Option<&DMatrix<f64>>) -> Option<()> {
        // Rejects NaN too.
        if s.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            return None;
        }
        self.value -= s.ln();
        self.gradient -= ds / s;
        self.hessian += ds * ds.transpose() / (s * s);
        if let Some(dds) = dds {
            self.hessian -= dds / s;
        }
        Some(())
    }
}

/// The cone program.
struct BarrierProblem<'a> {
    reserves: &'a [Reserve],
    reach: f64,
}

impl BarrierProblem<'_> {
    /// −weight t and all barriers at (x, t); `None` outside the feasible set.
    fn evaluate(&self, y: &DVector<f64>, weight: f64) -> Option<BarrierValue> {
        let k = y.len() - 1;
        let (x, t) = (y.rows(0, k).into_owned(), y[k]);
        let mut sum =
            BarrierValue { value: -weight * t, gradient: DVector::zeros(k + 1), hessian: DMatrix::zeros(k + 1, k + 1) };
        sum.gradient[k] = -weight;
        for reserve in self.reserves {
            reserve.barrier(&x, t, &mut sum)?;
        }
        let ds = DVector::from_fn(k + 1, |i, _| if i < k { -2.0 * x[i] } else { 0.0 });
        let dds = DMatrix::from_fn(k + 1, k + 1, |i, j| if i == j && i < k { -2.0 } else { 0.0 });
        sum.add(self.reach * self.reach - x.norm_squared(), &ds, Some(&dds))?;
        Some(sum)
    }

    /// Newton's method to the centre for one weight.
    fn find_centre(&self, y: &mut DVector<f64>, weight: f64) -> Option<()> {
        for _ in 0..MAX_NEWTON_STEPS {
            if interruption::is_requested() {
                break;
            }
            let here = self.evaluate(y, weight)?;
            let step = here.hessian.clone().cholesky()?.solve(&-&here.gradient);
            let decrement = -here.gradient.dot(&step);
            if decrement <= CENTRED_DECREMENT {
                break;
            }
            let mut length = 1.0;
            let next = loop {
                let next = &*y + &step * length;
                let lower = |b: BarrierValue| b.value <= here.value - 0.1 * length * decrement;
                if self.evaluate(&next, weight).is_some_and(lower) {
                    break Some(next);
                }
                length *= 0.5;
                if length < 1e-12 {
                    break None;
                }
            };
            // No further decrease within round-off.
            let Some(next) = next else { break };
            *y = next;
        }
        Some(())
    }
}

/// The x within `reach` whose least reserve is greatest.
pub(super) fn maximise_least_reserve(reserves: &[Reserve], directions: usize, reach: f64) -> DVector<f64> {
    let start = DVector::zeros(directions);
    let least = reserves.iter().map(|r| r.value(&start)).fold(f64::INFINITY, f64::min);
    if directions == 0 || !least.is_finite() {
        return start;
    }
    let programme = BarrierProblem { reserves, reach };
    let mut y = DVector::zeros(directions + 1);
    y[directions] = least - reach;
    let mut weight = 1.0 / reach;
    while weight * reach < MAX_WEIGHT * reserves.len() as f64 {
        if programme.find_centre(&mut y, weight).is_none() {
            break;
        }
        weight *= WEIGHT_FACTOR;
    }
    y.rows(0, directions).into_owned()
}

#[cfg(test)]
mod tests;
