//! Whether an explicit method can follow the artificial stiffness of a formulation or drift control.
//!
//! A penalty acts as a stiff spring or damper: with steps above the stability limit an explicit method diverges, or its
//! step control takes very short steps. The warning before the run gives that limit.

use super::Transient;
use crate::dynamics::Dynamics;
use crate::formulations::{Stiffness, StiffnessCharacter};
use crate::solution::Warning;
use taut_ode::Method;

/// Number of steps that is worth a warning.
const MANY_STEPS: f64 = 20_000.0;

/// The warning, if one is due.
pub(super) fn warn_artificial_stiffness(dynamics: &mut Dynamics, settings: &Transient, t: f64) -> Option<Warning> {
    let own = dynamics.stiffness().map(|s| (s, settings.choice.method.name()));
    let added = settings.choice.drift.stiffness().map(|s| (s, settings.choice.drift.name()));
    let (Stiffness { rate, character }, name) =
        own.into_iter().chain(added).max_by(|a, b| a.0.rate.total_cmp(&b.0.rate))?;
    let bounds = settings.integrator.stability();
    let bound = match character {
        StiffnessCharacter::Oscillating => bounds.oscillating,
        StiffnessCharacter::Decaying => bounds.decaying,
    };
    let needed = bound / rate;
    let message = match (settings.integrator, settings.h_first) {
        (Method::Rk4, Some(h)) if h > needed => format!(
            "`{name}` adds a rate of {rate:.2e} 1/s: the fixed step of {h:.2e} s will be unstable, rk4 needs one below \
             {needed:.2e} s"
        ),
        (Method::Rk4, _) => return None,
        (method, _) if (settings.t_end - t) / needed > MANY_STEPS => format!(
            "`{name}` adds a rate of {rate:.2e} 1/s: {method} is stable only with steps below {needed:.2e} s, about {:.0e} \
             of them",
            (settings.t_end - t) / needed
        ),
        _ => return None,
    };
    Some(Warning::notice(t, message))
}
