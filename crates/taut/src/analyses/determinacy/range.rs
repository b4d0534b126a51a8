//! The range of a component over all admissible distributions of load.
//!
//! ```text
//!  λ(z) = λ₀ + Σ zⱼ nⱼ      gaps λ ≥ 0,  bounded rows lower ≤ λ ≤ upper,  friction ‖λ_t‖ ≤ upper + μ N
//! ```
//!
//! The extremes of a component over z are linear programmes with cones.

use super::Context;
use crate::analyses::contact_problem::FrictionRegime;
use crate::analyses::friction_bounds::friction_bounds;
use crate::constraints::ElementInput;
use crate::laws::{ConstraintLaw, NormalForceSource};
use crate::mathematics::cone_programme::{Cone, ConeProgramme};
use crate::mathematics::linear_programme::Optimum;
use crate::solvers::determinacy::StressGroup;
use crate::state::ConstraintMode;
use nalgebra::{DMatrix, DVector};

/// Most self-stresses of a group whose ranges are computed.
const MAX_STRESSES: usize = 30;
/// The same where friction cones need many linear programmes.
const MAX_STRESSES_WITH_CONES: usize = 8;
/// A distribution is not admissible if it violates a bound by more than this, relative to its largest multiplier.
const INADMISSIBLE: f64 = 1e-9;

/// The admissible distributions of the load of a group.
pub(super) struct AdmissibleSharing {
    programme: ConeProgramme,
}

/// A multiplier as a function of z.
type Affine = (f64, Vec<f64>);

impl AdmissibleSharing {
    /// None if no constraint of the group limits its multipliers.
    ///
    /// # Errors
    /// Why the range is not computed, in words.
    pub fn new(context: &Context, group: &StressGroup) -> Result<Option<AdmissibleSharing>, String> {
        let mut programme = ConeProgramme::default();
        let row = |row: usize| -> Affine {
            let entry = |n: &Vec<(usize, f64)>| n.binary_search_by_key(&row, |(r, _)| *r).map_or(0.0, |i| n[i].1);
            (context.lambda[row], group.stresses.iter().map(entry).collect())
        };
        for &c in &group.constraints {
            let entry = &context.model.constraints[c];
            if matches!(entry.law, ConstraintLaw::Unilateral(_)) {
                let (value, gradient) = row(entry.rows.start);
                programme.limit(gradient.iter().map(|g| -g).collect(), value);
            }
            let first = entry.law.first_friction_row().filter(|k| *k < entry.rows.len());
            let Some(first) = first.filter(|_| context.state.modes[c] == ConstraintMode::Active) else { continue };
            context.limit_friction(c, first, &row, &mut programme)?;
        }
        if programme.is_empty() {
            return Ok(None);
        }
        let most = if programme.has_cones() { MAX_STRESSES_WITH_CONES } else { MAX_STRESSES };
        if group.stresses.len() > most {
            return Err(format!("ranges are not computed for {} self-stresses", group.stresses.len()));
        }
        let largest = group.stresses.iter().flatten().fold(0.0_f64, |a, (r, _)| a.max(context.lambda[*r].abs()));
        if programme.least_margin() < -INADMISSIBLE * largest {
            return Err("the forces of the solver exceed the bounds of contacts or of friction: no ranges".to_string());
        }
        Ok(Some(AdmissibleSharing { programme }))
    }

    /// Least and largest value of a component with this value at z = 0 and this gradient; none if they are not found.
    pub fn range(&mut self, value: f64, gradient: &[f64]) -> Option<[Option<f64>; 2]> {
        let opposite: Vec<f64> = gradient.iter().map(|g| -g).collect();
        Some([self.most(&opposite)?.map(|x| value - x), self.most(gradient)?.map(|x| value + x)])
    }

    /// The largest change along this gradient; `Some(None)` if there is none.
    fn most(&mut self, gradient: &[f64]) -> Option<Option<f64>> {
        Some(match self.programme.maximise(gradient)? {
            Optimum::At(value, _) => Some(value),
            Optimum::Unbounded => None,
        })
    }
}

impl Context<'_> {
    /// Adds the limits of the friction rows of a constraint, which start at its row `first`.
    fn limit_friction(
        &self,
        c: usize,
        first: usize,
        row: &impl Fn(usize) -> Affine,
        programme: &mut ConeProgramme,
    ) -> Result<(), String> {
        let entry = &self.model.constraints[c];
        let own: Vec<Affine> = (entry.rows.start + first..entry.rows.end).map(row).collect();
        let view = ElementInput {
            t: self.state.t,
            motions: &self.scene.motions,
            markers: &entry.markers,
            z: &self.state.z[entry.z.clone()],
        };
        let law = entry.kind.constraint();
        let bound = law.friction_bound(&view);
        let mu = bound.friction.stick;
        // N as a function of z.
        let normal = match (law.normal_force_source(), entry.normal_force_constraint) {
            _ if mu == 0.0 => None,
            (NormalForceSource::OwnGap, _) => Some(row(entry.rows.start)),
            (NormalForceSource::GapOf(_), Some(by)) => Some(row(self.model.constraints[by].rows.start)),
            (NormalForceSource::Reaction(_), Some(by)) => {
                // N is a norm of the reaction; the bound is not convex where the reaction is open.
                let rows = self.model.constraints[by].rows.clone();
                if rows.map(row).any(|(_, gradient)| gradient.iter().any(|g| *g != 0.0)) {
                    let joint = &self.model.constraints[by].name;
                    return Err(format!(
                        "the friction of `{}` depends on the reaction of `{joint}`, which is not unique: no ranges",
                        entry.name
                    ));
                }
                None
            }
            _ => None,
        };
        let n = own.first().map_or(0, |(_, gradient)| gradient.len());
        let ([lower, upper], grows) = match normal {
            Some((value, gradient)) => {
                let grows: Vec<f64> = gradient.iter().map(|g| mu * g).collect();
                ([bound.sticking[0] - mu * value, bound.sticking[1] + mu * value], grows)
            }
            None => {
                let bounds =
                    friction_bounds(self.model, self.state, self.scene, c, self.lambda, FrictionRegime::Sticking);
                (bounds.unwrap_or(bound.sticking), vec![0.0; n])
            }
        };
        if let [(value, gradient)] = &own[..] {
            programme.limit(gradient.iter().zip(&grows).map(|(g, m)| g - m).collect(), upper - value);
            programme.limit(gradient.iter().zip(&grows).map(|(g, m)| -g - m).collect(), value - lower);
        } else {
            programme.limit_norm(Cone {
                e: DVector::from_iterator(own.len(), own.iter().map(|(value, _)| *value)),
                E: DMatrix::from_fn(own.len(), n, |i, j| own[i].1[j]),
                f: upper,
                g: DVector::from_vec(grows),
            });
        }
        Ok(())
    }
}
