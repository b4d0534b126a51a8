//! What happens when stability instead of accuracy limits the step of an explicit method.
//!
//! An explicit stepper estimates h |λ| of the fastest motion relative to its stability limit. A ratio that stays near one
//! means that the motion would allow far longer steps: the run then warns and proposes an implicit method, or switches to it.

use super::Transient;
use crate::model::Model;
use crate::solution::Warning;
use serde::{Deserialize, Serialize};
use taut_ode::{Method, StepControl, Stepper};

/// Steps between two checks.
pub(super) const STEPS_BETWEEN_CHECKS: u64 = 100;
/// Fraction of the stability limit above which a check counts.
const STABILITY_LIMIT_RATIO: f64 = 0.6;
/// Consecutive checks that establish stiffness.
const CHECKS_IN_A_ROW: u32 = 5;
/// Number of remaining steps that is worth a warning.
const MANY_STEPS: f64 = 5_000.0;

/// Treatment of stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StiffnessAction {
    /// A warning proposes an implicit method.
    #[default]
    Warn,
    /// The run continues with Radau IIA, with a warning.
    Switch,
    /// Nothing.
    Ignore,
}

/// The checks so far.
#[derive(Clone, Copy, Debug)]
pub(super) enum StiffnessCheck {
    /// So many consecutive checks were near the limit.
    Counted(u32),
    /// Stiffness was reported.
    Reported,
}

impl Default for StiffnessCheck {
    fn default() -> StiffnessCheck {
        StiffnessCheck::Counted(0)
    }
}

/// Result of a check.
pub(super) enum StiffnessFinding {
    /// Nothing to do.
    Fine,
    /// A warning.
    Propose(Warning),
    /// A warning, and the method to continue with.
    Switch(Warning, Method),
}

impl StiffnessCheck {
    /// Checks a stepper after some steps, with the names of the contacts that slip very slowly.
    pub fn inspect(
        &mut self,
        model: &Model,
        stepper: &dyn Stepper,
        settings: &Transient,
        creeping: &[String],
    ) -> StiffnessFinding {
        let StiffnessCheck::Counted(looks) = self else { return StiffnessFinding::Fine };
        let near = stepper.stiffness().is_some_and(|ratio| ratio >= STABILITY_LIMIT_RATIO);
        *looks = if near { *looks + 1 } else { 0 };
        let (t, h) = (stepper.t(), stepper.h().abs());
        let left = (settings.t_end - t) / h;
        let fixed = stepper.step_control() == StepControl::Fixed;
        if fixed
            || *looks < CHECKS_IN_A_ROW
            || left.is_nan()
            || left < MANY_STEPS
            || settings.stiff == StiffnessAction::Ignore
        {
            return StiffnessFinding::Fine;
        }
        *self = StiffnessCheck::Reported;
        let name = settings.integrator.name();
        let held = format!("from about t = {t:.4} s on, stability, not accuracy, limits {name} to steps of {h:.1e} s");
        // Sliding friction is not in the Jacobian of implicit methods, so they would not take longer steps either.
        if let Some(first) = creeping.first() {
            let names = creeping.join("`, `");
            let message = format!(
                "{held}, with about {left:.0e} of them left: the slip of `{names}` is so slow that friction changes its direction \
                 within such a step; if the run takes too long, use contact_method = \"time_stepping\""
            );
            return StiffnessFinding::Propose(Warning::notice(t, message).with_element(first));
        }
        match settings.stiff {
            StiffnessAction::Switch => StiffnessFinding::Switch(
                Warning::notice(t, format!("{held}: radau5 continues from here")),
                Method::RadauIia5,
            ),
            _ => {
                let second = model.constraints.iter().all(|c| c.law == crate::laws::ConstraintLaw::Bilateral);
                let others = if second { "radau5 or generalised_alpha" } else { "radau5" };
                let message = format!(
                    "{held}, with about {left:.0e} of them left: the motion is stiff; an implicit method ({others}) takes \
                     longer ones, or on_stiffness = \"switch\" switches automatically"
                );
                StiffnessFinding::Propose(Warning::notice(t, message))
            }
        }
    }
}
