//! Whether friction, brakes, contacts and stops can exert what a state asks of them.
//!
//! An analysis that takes every closed gap and every grip as a rigid row (equilibrium, small motions, inverse dynamics)
//! finds multipliers for them whatever their strength. [`beyond_strength`] holds those against the laws:
//!
//! ```text
//!  gap     λ ≥ 0
//!  grip    lower − μ N ≤ λ ≤ upper + μ N, or |λ| ≤ upper + μ N for two and three rows      μ: static coefficient
//! ```

use super::one_sided::Grips;
use crate::constraints::View;
use crate::dynamics::pressing;
use crate::equations::{Equations, Scene, place};
use crate::laws::{Grip, Law};
use crate::model::Model;
use crate::motion::Wrench;
use crate::state::{Mode, State};

/// Share of a force that is round-off of the solve.
const ROUND_OFF: f64 = 1e-9;

/// A constraint that would have to exert more than it can.
#[derive(Clone, Debug, PartialEq)]
pub struct BeyondStrength {
    /// The constraint.
    pub constraint: String,
    /// What its rows would have to exert, N or N m; negative for a gap that would have to pull.
    pub needed: f64,
    /// The most that they can.
    pub most: f64,
}

impl std::fmt::Display for BeyondStrength {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let BeyondStrength { constraint, needed, most } = self;
        match *needed < 0.0 && *most == 0.0 {
            true => write!(f, "`{constraint}` would have to pull with {}", short(-needed)),
            false => write!(f, "`{constraint}` would have to exert {} and can exert {}", short(*needed), short(*most)),
        }
    }
}

/// A number with five digits, and an exponent only where it is very large or small.
fn short(x: f64) -> String {
    let plain = x == 0.0 || (1e-3..1e5).contains(&x.abs());
    if !plain {
        return format!("{x:.4e}");
    }
    let digits = if x == 0.0 { 0 } else { (4 - x.abs().log10().floor() as i32).max(0) as usize };
    format!("{x:.digits$}")
}

/// The constraints that hold at a state by their modes although these multipliers are beyond what they can exert, in the
/// order of the model. Empty where all of them are within their bounds.
pub fn beyond_strength(model: &Model, state: &State, lambda: &[f64]) -> Vec<BeyondStrength> {
    if model.constraints.iter().all(|c| c.law == Law::Bilateral) {
        return Vec::new();
    }
    let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
    place(model, state.into(), &mut scene, &mut eq);
    let size = lambda.iter().fold(0.0_f64, |a, l| a.max(l.abs()));
    let mut found = Vec::new();
    for (c, entry) in model.constraints.iter().enumerate() {
        if entry.law == Law::Bilateral || state.modes[c] == Mode::Idle {
            continue;
        }
        let gap = lambda[entry.rows.start];
        if matches!(entry.law, Law::Unilateral(_)) && gap < -ROUND_OFF * size {
            found.push(BeyondStrength { constraint: entry.name.clone(), needed: gap, most: 0.0 });
            continue;
        }
        let Some(bounds) =
            bounds(model, state, &scene, c, lambda, Grips::Holding).filter(|_| state.modes[c] == Mode::Active)
        else {
            continue;
        };
        let first = entry.rows.start + entry.law.gripping_from().unwrap_or(0);
        let own = &lambda[first..entry.rows.end];
        let (needed, most) = match own {
            [one] if *one < bounds[0] => (one.abs(), bounds[0].abs()),
            [one] => (one.abs(), if *one > bounds[1] { bounds[1].abs() } else { f64::INFINITY }),
            several => (several.iter().map(|l| l * l).sum::<f64>().sqrt(), bounds[1]),
        };
        if needed > most + ROUND_OFF * size {
            found.push(BeyondStrength { constraint: entry.name.clone(), needed, most });
        }
    }
    found
}

/// Lower and upper bound of the gripping rows of a constraint, with what presses them under these multipliers; none where no row
/// grips.
pub(crate) fn bounds(
    model: &Model,
    state: &State,
    scene: &Scene,
    c: usize,
    lambda: &[f64],
    grips: Grips,
) -> Option<[f64; 2]> {
    let entry = &model.constraints[c];
    entry.law.gripping_from().filter(|from| *from < entry.rows.len())?;
    let view = View { t: state.t, motions: &scene.motions, ids: &entry.markers, z: &state.z[entry.z.clone()] };
    let wrenches = |by: usize| -> Vec<Wrench> {
        let of = &model.constraints[by];
        scene.wrenches(of, of.markers.len() - 1).copied().collect()
    };
    let (N, _) = pressing(model, c, &view, wrenches, lambda);
    let Grip { holding, slipping, friction } = entry.kind.constraint().grip(&view);
    let ([lower, upper], mu) = match grips {
        Grips::Holding => (holding, friction.stick),
        Grips::Slipping => (slipping, friction.slip),
    };
    let N = N.max(0.0);
    Some([lower - mu * N, upper + mu * N])
}
