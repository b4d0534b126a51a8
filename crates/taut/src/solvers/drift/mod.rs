//! Drift control: keeps φ and φ̇ small.
//!
//! It can be combined with any formulation. A drift control can act in four places; each control uses one or two of
//! them:
//!
//! ```text
//!  stage    the state at which rates are evaluated      projection, rates_only, thorough
//!  edit     b of A v̇ = b                               baumgarte, braun_goldfarb
//!  steer    w of q̇ = N w                               gear_gupta_leimkuhler, braun_goldfarb
//!  ending   the state after a step                     projection, threshold, energy, thorough
//! ```
//!
//! A new control is one match arm here and one file.

mod baumgarte;
mod braun_goldfarb;
mod energy;
mod gear_gupta_leimkuhler;
mod projection;

pub use braun_goldfarb::Gain;
pub(crate) use energy::scaled;
pub use projection::{Movable, Projection, Reset};
pub(crate) use projection::{largest, row_scale, spread};

use crate::equations::Equations;
use serde::{Deserialize, Serialize};

/// The norm in which a correction is smallest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// W = M: the correction is an impulse of the constraints.
    #[default]
    Mass,
    /// W = I in the units of the velocities.
    Identity,
    /// W = diag, one positive number per velocity.
    Diagonal(Vec<f64>),
}

/// The drift control of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drift {
    /// Constraints at acceleration level only: the baseline of \[Masarati2010\] eq. (8).
    None,
    /// Velocities projected in every stage, positions and velocities after every step.
    Projection(Weight),
    /// Positions and velocities projected in every stage, but never the state of the integrator: \[Masarati2010\] eqs.
    /// (11) and (17) as published. The projected state is recorded.
    RatesOnly(Weight),
    /// Positions and velocities projected after a step whose residuals exceed a threshold: Yu and Chen, as described in
    /// \[Masarati2010\] §3.3.
    Threshold {
        /// The norm.
        weight: Weight,
        /// Largest |φ| or |φ̇| that is not corrected.
        above: f64,
    },
    /// φ̈ + 2α φ̇ + β² φ = 0 in place of φ̈ = 0.
    Baumgarte {
        /// α in 1/s.
        alpha: f64,
        /// β in 1/s.
        beta: f64,
    },
    /// φ̇ + g φ = 0 for the coordinates, φ̈ + g φ̇ = 0 for the velocities.
    BraunGoldfarb(Gain),
    /// The coordinates move with the projected velocity; the velocities are not corrected: \[Masarati2010\] eqs.
    /// (10)–(11).
    GearGuptaLeimkuhler(Weight),
    /// As projection, with the energy balance as an additional row of the velocities.
    Energy(Weight),
    /// As projection, with positions and velocities also projected in every stage. Rows that are dependent only on the
    /// manifold are then never evaluated off it, where they would conflict. One more factorisation per stage.
    Thorough(Weight),
}

impl Default for Drift {
    fn default() -> Drift {
        Drift::Projection(Weight::Mass)
    }
}

/// The parameters of the drift controls, as far as they are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Numbers {
    /// α of Baumgarte, 1/s.
    pub alpha: Option<f64>,
    /// β of Baumgarte, 1/s.
    pub beta: Option<f64>,
    /// Gain of Braun and Goldfarb, 1/s; default 1/h.
    pub gain: Option<f64>,
    /// Threshold of the residuals.
    pub above: Option<f64>,
}

/// The state at which the rates of a stage are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The state of the integrator.
    AsGiven,
    /// v projected, where the rows make that worthwhile.
    Velocity,
    /// q and v projected.
    Full,
}

/// How the state is corrected after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ending {
    /// Not at all.
    Keep,
    /// It is projected onto the manifold.
    Reset,
    /// It is projected if a residual is larger.
    Above(f64),
    /// Not at all, but the recorded state is projected.
    Shown,
}

impl Drift {
    /// The names of all controls, the default first.
    pub const NAMES: &[&str] = &[
        "projection",
        "none",
        "rates_only",
        "threshold",
        "baumgarte",
        "braun_goldfarb",
        "gear_gupta_leimkuhler",
        "energy",
        "full_projection",
    ];

    /// The control of that name, with its norm and parameters; usual values if none are given.
    pub fn named(name: &str, weight: Weight, given: Numbers) -> Option<Drift> {
        let Numbers { alpha, beta, gain, above } = given;
        Some(match name {
            "projection" => Drift::Projection(weight),
            "none" => Drift::None,
            "rates_only" => Drift::RatesOnly(weight),
            "threshold" => Drift::Threshold { weight, above: above.unwrap_or(1e-6) },
            "baumgarte" => {
                let alpha = alpha.or(beta).unwrap_or(5.0);
                Drift::Baumgarte { alpha, beta: beta.unwrap_or(alpha) }
            }
            "braun_goldfarb" => Drift::BraunGoldfarb(gain.map_or(Gain::PerStep, Gain::Fixed)),
            "gear_gupta_leimkuhler" => Drift::GearGuptaLeimkuhler(weight),
            "energy" => Drift::Energy(weight),
            "full_projection" => Drift::Thorough(weight),
            _ => return None,
        })
    }

    /// Name in model files and tables.
    pub fn name(&self) -> &'static str {
        match self {
            Drift::None => "none",
            Drift::Projection(_) => "projection",
            Drift::RatesOnly(_) => "rates_only",
            Drift::Threshold { .. } => "threshold",
            Drift::Baumgarte { .. } => "baumgarte",
            Drift::BraunGoldfarb(_) => "braun_goldfarb",
            Drift::GearGuptaLeimkuhler(_) => "gear_gupta_leimkuhler",
            Drift::Energy(_) => "energy",
            Drift::Thorough(_) => "full_projection",
        }
    }

    /// The norm of its projections, if it makes any.
    pub fn weight(&self) -> Option<&Weight> {
        match self {
            Drift::None | Drift::Baumgarte { .. } => None,
            Drift::BraunGoldfarb(_) => Some(&Weight::Mass),
            Drift::Projection(w)
            | Drift::RatesOnly(w)
            | Drift::GearGuptaLeimkuhler(w)
            | Drift::Energy(w)
            | Drift::Thorough(w) => Some(w),
            Drift::Threshold { weight, .. } => Some(weight),
        }
    }

    /// The parameters that must be finite and positive, or zero where zero is meaningful.
    pub fn numbers(&self) -> Vec<(&'static str, f64)> {
        match self {
            Drift::Threshold { above, .. } => vec![("above", *above)],
            Drift::Baumgarte { alpha, beta } => vec![("alpha", *alpha), ("beta", *beta)],
            Drift::BraunGoldfarb(Gain::Fixed(gain)) => vec![("gain", *gain)],
            _ => Vec::new(),
        }
    }

    pub(crate) fn stage(&self) -> Stage {
        match self {
            Drift::Projection(_) | Drift::Energy(_) => Stage::Velocity,
            Drift::RatesOnly(_) | Drift::Thorough(_) => Stage::Full,
            _ => Stage::AsGiven,
        }
    }

    pub(crate) fn ending(&self) -> Ending {
        match self {
            Drift::Projection(_) | Drift::Energy(_) | Drift::Thorough(_) => Ending::Reset,
            Drift::Threshold { above, .. } => Ending::Above(*above),
            Drift::RatesOnly(_) => Ending::Shown,
            _ => Ending::Keep,
        }
    }

    /// Whether [`edit`](Drift::edit) does anything.
    pub(crate) fn edits(&self) -> bool {
        matches!(self, Drift::Baumgarte { .. } | Drift::BraunGoldfarb(_))
    }

    /// Whether it needs φ̇ of the current state.
    pub(crate) fn reads_rates(&self) -> bool {
        self.edits() || matches!(self, Drift::GearGuptaLeimkuhler(_))
    }

    /// Modifies b; h is the current step.
    #[inline]
    pub(crate) fn edit(&self, eq: &mut Equations, h: f64) {
        match self {
            Drift::Baumgarte { alpha, beta } => baumgarte::edit(eq, *alpha, *beta),
            Drift::BraunGoldfarb(gain) => braun_goldfarb::edit(eq, gain.value(h)),
            _ => {}
        }
    }

    /// The residual by which A w must be reduced for the velocity w that moves the coordinates; none where w = v.
    pub(crate) fn steer(&self, eq: &Equations, h: f64, residual: &mut Vec<f64>) -> Steering {
        match self {
            Drift::BraunGoldfarb(gain) => braun_goldfarb::steer(eq, gain.value(h), residual),
            Drift::GearGuptaLeimkuhler(_) => gear_gupta_leimkuhler::steer(eq, residual),
            _ => return Steering::Straight,
        }
        Steering::Corrected
    }
}

/// The velocity that moves the coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Steering {
    /// v itself.
    Straight,
    /// A corrected velocity.
    Corrected,
}
