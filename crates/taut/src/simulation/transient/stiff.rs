//! What is done when an explicit method is held back by stability instead of accuracy.
//!
//! An explicit stepper estimates h |λ| of the fastest motion as a share of its bound of stability. A share near one, again and
//! again, means that the motion would allow far longer steps: it is said, with the method that takes them, or that method goes
//! on from here.

use super::Transient;
use crate::model::Model;
use crate::solution::Warning;
use serde::{Deserialize, Serialize};
use taut_ode::{Method, Pace, Stepper};

/// Steps between two looks.
pub(super) const BETWEEN: u64 = 100;
/// Share of the bound from which on it counts.
const NEAR: f64 = 0.6;
/// Looks in a row that make it sure.
const LOOKS: u32 = 5;
/// Steps still to come that make it worth a word.
const MANY: f64 = 5_000.0;

/// What is done about stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stiff {
    /// An implicit method is proposed in a warning.
    #[default]
    Propose,
    /// The run goes on with Radau IIA, and says so.
    Switch,
    /// Nothing.
    Ignore,
}

/// What was seen of it so far.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    /// So often in a row.
    Seen(u32),
    /// Often enough, and it was told.
    Told,
}

impl Default for Held {
    fn default() -> Held {
        Held::Seen(0)
    }
}

/// What a look says.
pub(super) enum Finding {
    /// Nothing to do.
    Fine,
    /// A warning.
    Propose(Warning),
    /// A warning, and the method to go on with.
    Switch(Warning, Method),
}

impl Held {
    /// Looks at a stepper after some steps.
    pub fn look(&mut self, model: &Model, stepper: &dyn Stepper, settings: &Transient) -> Finding {
        let Held::Seen(looks) = self else { return Finding::Fine };
        let near = stepper.stiffness().is_some_and(|share| share >= NEAR);
        *looks = if near { *looks + 1 } else { 0 };
        let (t, h) = (stepper.t(), stepper.h().abs());
        let left = (settings.t_end - t) / h;
        let fixed = stepper.pace() == Pace::Fixed;
        if fixed || *looks < LOOKS || left.is_nan() || left < MANY || settings.stiff == Stiff::Ignore {
            return Finding::Fine;
        }
        *self = Held::Told;
        let name = settings.integrator.name();
        let held = format!("from about t = {t:.4} s on stability, not accuracy, holds {name} to steps of {h:.1e} s");
        // What slips is not in the derivative that implicit methods take; it costs them iterations only.
        match settings.stiff {
            Stiff::Switch => {
                Finding::Switch(Warning::notice(t, format!("{held}: radau5 goes on from here")), Method::RadauIia5)
            }
            _ => {
                let second = model.constraints.iter().all(|c| c.law == crate::laws::Law::Bilateral);
                let others = if second { "radau5 or generalised_alpha" } else { "radau5" };
                let message = format!(
                    "{held}, some {left:.0e} of them still to come: the motion is stiff; an implicit method ({others}) will \
                     take longer ones, or on_stiffness = \"switch\" changes over by itself"
                );
                Finding::Propose(Warning::notice(t, message))
            }
        }
    }
}
