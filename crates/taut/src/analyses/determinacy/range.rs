//! The range of a component over all admissible distributions of load.
//!
//! ```text
//!  λ(z) = λ₀ + Σ zⱼ nⱼ      gaps λ_n ≥ 0,  friction |λ_t| ≤ upper + μ λ_n,  bounded rows lower ≤ λ ≤ upper
//! ```
//!
//! The extremes of a component over z are linear programmes. A friction cone enters by planes that touch it; planes are added where
//! the solution violates the cone, until it does not.

use super::Context;
use crate::constraints::ElementInput;
use crate::laws::ConstraintLaw;
use crate::mathematics::linear_programme::{Optimum, maximise};
use crate::solvers::determinacy::StressGroup;
use crate::state::ConstraintMode;
use nalgebra::DMatrix;
use std::cell::RefCell;

/// A cone may be violated by this, relative to the largest multiplier.
const CONE_TOLERANCE: f64 = 1e-10;
/// Most planes added to the cones for one extreme.
const MAX_PLANES: usize = 60;
/// Most self-stresses and friction cones of a group whose ranges are computed; the cost grows with the cube of their number.
const MAX_STRESSES: usize = 8;
const MAX_CONES: usize = 4;
/// Planes that enclose a cone at first.
const FIRST_PLANES: usize = 8;

/// One inequality g·z ≤ h.
type Inequality = (Vec<f64>, f64);

/// |λ_t| ≤ bound + μ λ_n as functions of z: value at z = 0 and gradient.
struct Cone {
    tangential: Vec<(f64, Vec<f64>)>,
    bound: f64,
    mu: f64,
    normal: (f64, Vec<f64>),
}

/// The admissible distributions of the load of a group.
pub(super) struct AdmissibleSharing {
    inequalities: RefCell<Vec<Inequality>>,
    cones: Vec<Cone>,
    size: f64,
}

impl AdmissibleSharing {
    /// None if no constraint of the group limits its multipliers, or if there are too many.
    pub fn new(context: &Context, group: &StressGroup) -> Option<AdmissibleSharing> {
        let affine = |row: usize| {
            let entry = |n: &Vec<(usize, f64)>| n.binary_search_by_key(&row, |(r, _)| *r).map_or(0.0, |i| n[i].1);
            (context.lambda[row], group.stresses.iter().map(entry).collect::<Vec<f64>>())
        };
        let size = context.lambda.iter().fold(0.0_f64, |a, l| a.max(l.abs()));
        let (mut inequalities, mut cones) = (Vec::new(), Vec::new());
        for &c in &group.constraints {
            let (entry, mode) = (&context.model.constraints[c], context.state.modes[c]);
            let unilateral = matches!(entry.law, ConstraintLaw::Unilateral(_));
            if unilateral {
                let (value, gradient) = affine(entry.rows.start);
                inequalities.push((gradient.iter().map(|g| -g).collect(), value));
            }
            let Some(first) = entry.law.first_friction_row().filter(|k| *k < entry.rows.len()) else { continue };
            if mode != ConstraintMode::Active {
                continue;
            }
            let view = ElementInput {
                t: context.state.t,
                motions: &context.scene.motions,
                markers: &entry.markers,
                z: &context.state.z[entry.z.clone()],
            };
            let bound = entry.kind.constraint().friction_bound(&view);
            let rows: Vec<_> = (entry.rows.start + first..entry.rows.end).map(affine).collect();
            if unilateral {
                let normal = affine(entry.rows.start);
                let (bound, mu) = (bound.sticking[1], bound.friction.stick);
                cones.push(Cone { tangential: rows, bound, mu, normal });
            } else if let ([(value, gradient)], 0.0) = (&rows[..], bound.friction.stick) {
                let [lower, upper] = bound.sticking;
                inequalities.push((gradient.clone(), upper - value));
                inequalities.push((gradient.iter().map(|g| -g).collect(), value - lower));
            }
        }
        if !inequalities.is_empty() && (group.stresses.len() > MAX_STRESSES || cones.len() > MAX_CONES) {
            return None;
        }
        for cone in &cones {
            for k in 0..FIRST_PLANES {
                let angle = std::f64::consts::TAU * k as f64 / FIRST_PLANES as f64;
                let directions: &[f64] = if cone.tangential.len() == 1 { &[1.0] } else { &[angle.cos(), angle.sin()] };
                let sign = if cone.tangential.len() == 1 && k % 2 == 1 { -1.0 } else { 1.0 };
                inequalities.push(cone.plane(&directions.iter().map(|d| sign * d).collect::<Vec<_>>()));
            }
        }
        inequalities.retain(|(g, h)| h.is_finite() && g.iter().any(|x| *x != 0.0));
        (!inequalities.is_empty()).then(|| AdmissibleSharing { inequalities: RefCell::new(inequalities), cones, size })
    }

    /// Least and largest value of a component with this value at z = 0 and this gradient.
    pub fn range(&self, value: f64, gradient: &[f64]) -> [Option<f64>; 2] {
        let opposite: Vec<f64> = gradient.iter().map(|g| -g).collect();
        [self.most(&opposite).map(|x| value - x), self.most(gradient).map(|x| value + x)]
    }

    fn most(&self, gradient: &[f64]) -> Option<f64> {
        for _ in 0..MAX_PLANES {
            let solution = {
                let list = self.inequalities.borrow();
                let G = DMatrix::from_fn(list.len(), gradient.len(), |i, j| list[i].0[j]);
                let h: Vec<f64> = list.iter().map(|(_, h)| *h).collect();
                maximise(gradient, &G, &h)?
            };
            let Optimum::At(value, z) = solution else { return None };
            let planes: Vec<Inequality> = self.cones.iter().filter_map(|c| c.violated(&z, self.size)).collect();
            if planes.is_empty() {
                return Some(value);
            }
            self.inequalities.borrow_mut().extend(planes);
        }
        None
    }
}

impl Cone {
    /// d·λ_t ≤ bound + μ λ_n for a unit vector d.
    fn plane(&self, d: &[f64]) -> Inequality {
        let mut gradient: Vec<f64> = self.normal.1.iter().map(|g| -self.mu * g).collect();
        let mut h = self.bound + self.mu * self.normal.0;
        for ((value, slope), d) in self.tangential.iter().zip(d) {
            gradient.iter_mut().zip(slope).for_each(|(g, s)| *g += d * s);
            h -= d * value;
        }
        (gradient, h)
    }

    /// The plane that cuts off a violating point.
    fn violated(&self, z: &[f64], size: f64) -> Option<Inequality> {
        let at = |(value, slope): &(f64, Vec<f64>)| value + slope.iter().zip(z).map(|(s, z)| s * z).sum::<f64>();
        let force: Vec<f64> = self.tangential.iter().map(at).collect();
        let length = force.iter().map(|x| x * x).sum::<f64>().sqrt();
        let excess = length - self.bound - self.mu * at(&self.normal);
        (excess > CONE_TOLERANCE * size.max(length))
            .then(|| self.plane(&force.iter().map(|x| x / length).collect::<Vec<_>>()))
    }
}
