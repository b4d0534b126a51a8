//! The range of a component over all admissible distributions of load.
//!
//! ```text
//!  λ(z) = λ₀ + Σ zⱼ nⱼ      gaps λ ≥ 0,  bounded rows lower ≤ λ ≤ upper
//! ```
//!
//! The extremes of a component over z are linear programmes.

use super::Context;
use crate::constraints::ElementInput;
use crate::laws::ConstraintLaw;
use crate::mathematics::linear_programme::{Optimum, maximise};
use crate::solvers::determinacy::StressGroup;
use crate::state::ConstraintMode;
use nalgebra::DMatrix;

/// Most self-stresses of a group whose ranges are computed.
const MAX_STRESSES: usize = 30;

/// The admissible distributions of the load of a group: G z ≤ h.
pub(super) struct AdmissibleSharing {
    G: DMatrix<f64>,
    h: Vec<f64>,
}

impl AdmissibleSharing {
    /// None if no constraint of the group limits its multipliers, if there are too many, or if friction cones limit them.
    pub fn new(context: &Context, group: &StressGroup) -> Option<AdmissibleSharing> {
        if group.stresses.len() > MAX_STRESSES {
            return None;
        }
        let affine = |row: usize| {
            let entry = |n: &Vec<(usize, f64)>| n.binary_search_by_key(&row, |(r, _)| *r).map_or(0.0, |i| n[i].1);
            (context.lambda[row], group.stresses.iter().map(entry).collect::<Vec<f64>>())
        };
        let mut inequalities: Vec<(Vec<f64>, f64)> = Vec::new();
        for &c in &group.constraints {
            let entry = &context.model.constraints[c];
            if matches!(entry.law, ConstraintLaw::Unilateral(_)) {
                let (value, gradient) = affine(entry.rows.start);
                inequalities.push((gradient.iter().map(|g| -g).collect(), value));
            }
            let first = entry.law.first_friction_row().filter(|k| *k < entry.rows.len());
            let Some(first) = first.filter(|_| context.state.modes[c] == ConstraintMode::Active) else { continue };
            let view = ElementInput {
                t: context.state.t,
                motions: &context.scene.motions,
                markers: &entry.markers,
                z: &context.state.z[entry.z.clone()],
            };
            let bound = entry.kind.constraint().friction_bound(&view);
            if entry.rows.len() - first > 1 || bound.friction.stick > 0.0 {
                return None;
            }
            let ((value, gradient), [lower, upper]) = (affine(entry.rows.start + first), bound.sticking);
            inequalities.push((gradient.clone(), upper - value));
            inequalities.push((gradient.iter().map(|g| -g).collect(), value - lower));
        }
        inequalities.retain(|(g, h)| h.is_finite() && g.iter().any(|x| *x != 0.0));
        let G = DMatrix::from_fn(inequalities.len(), group.stresses.len(), |i, j| inequalities[i].0[j]);
        let h: Vec<f64> = inequalities.iter().map(|(_, h)| *h).collect();
        (!h.is_empty()).then_some(AdmissibleSharing { G, h })
    }

    /// Least and largest value of a component with this value at z = 0 and this gradient.
    pub fn range(&self, value: f64, gradient: &[f64]) -> [Option<f64>; 2] {
        let opposite: Vec<f64> = gradient.iter().map(|g| -g).collect();
        [self.most(&opposite).map(|x| value - x), self.most(gradient).map(|x| value + x)]
    }

    fn most(&self, gradient: &[f64]) -> Option<f64> {
        match maximise(gradient, &self.G, &self.h)? {
            Optimum::At(value, _) => Some(value),
            Optimum::Unbounded => None,
        }
    }
}
