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
pub(crate) use energy::energy_scale_factor;
pub use projection::{Projection, ProjectionReport, StateMut};
pub(crate) use projection::{max_abs, row_scales, worst_row_condition};

use crate::equations::Equations;
use serde::{Deserialize, Serialize};

/// The norm in which a correction is smallest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectionWeight {
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
pub enum DriftControl {
    /// Constraints at acceleration level only: the baseline of \[Masarati2010\] eq. (8).
    None,
    /// Velocities projected in every stage, positions and velocities after every step.
    Projection(ProjectionWeight),
    /// Positions and velocities projected in every stage, but never the state of the integrator: \[Masarati2010\] eqs.
    /// (11) and (17) as published. The projected state is recorded.
    RatesOnly(ProjectionWeight),
    /// Positions and velocities projected after a step whose residuals exceed a threshold: Yu and Chen, as described in
    /// \[Masarati2010\] §3.3.
    Threshold {
        /// The norm.
        weight: ProjectionWeight,
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
    GearGuptaLeimkuhler(ProjectionWeight),
    /// As projection, with the energy balance as an additional row of the velocities.
    Energy(ProjectionWeight),
    /// As projection, with positions and velocities also projected in every stage. Rows that are dependent only on the
    /// manifold are then never evaluated off it, where they would conflict. One more factorisation per stage.
    FullProjection(ProjectionWeight),
}

impl Default for DriftControl {
    fn default() -> DriftControl {
        DriftControl::Projection(ProjectionWeight::Mass)
    }
}

/// The parameters of the drift controls, as far as they are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriftParameters {
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
pub(crate) enum StageProjection {
    /// The state of the integrator.
    AsGiven,
    /// v projected, where the rows make that worthwhile.
    Velocity,
    /// q and v projected.
    Full,
}

/// How the state is corrected after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EndOfStep {
    /// Not at all.
    Keep,
    /// It is projected onto the manifold.
    Project,
    /// It is projected if a residual is larger.
    ProjectAbove(f64),
    /// Not at all, but the recorded state is projected.
    ProjectOutput,
}

impl DriftControl {
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
    pub fn from_name(name: &str, weight: ProjectionWeight, given: DriftParameters) -> Option<DriftControl> {
        let DriftParameters { alpha, beta, gain, above } = given;
        Some(match name {
            "projection" => DriftControl::Projection(weight),
            "none" => DriftControl::None,
            "rates_only" => DriftControl::RatesOnly(weight),
            "threshold" => DriftControl::Threshold { weight, above: above.unwrap_or(1e-6) },
            "baumgarte" => {
                let alpha = alpha.or(beta).unwrap_or(5.0);
                DriftControl::Baumgarte { alpha, beta: beta.unwrap_or(alpha) }
            }
            "braun_goldfarb" => DriftControl::BraunGoldfarb(gain.map_or(Gain::PerStep, Gain::Fixed)),
            "gear_gupta_leimkuhler" => DriftControl::GearGuptaLeimkuhler(weight),
            "energy" => DriftControl::Energy(weight),
            "full_projection" => DriftControl::FullProjection(weight),
            _ => return None,
        })
    }

    /// Name in model files and tables.
    pub fn name(&self) -> &'static str {
        match self {
            DriftControl::None => "none",
            DriftControl::Projection(_) => "projection",
            DriftControl::RatesOnly(_) => "rates_only",
            DriftControl::Threshold { .. } => "threshold",
            DriftControl::Baumgarte { .. } => "baumgarte",
            DriftControl::BraunGoldfarb(_) => "braun_goldfarb",
            DriftControl::GearGuptaLeimkuhler(_) => "gear_gupta_leimkuhler",
            DriftControl::Energy(_) => "energy",
            DriftControl::FullProjection(_) => "full_projection",
        }
    }

    /// The norm of its projections, if it makes any.
    pub fn weight(&self) -> Option<&ProjectionWeight> {
        match self {
            DriftControl::None | DriftControl::Baumgarte { .. } => None,
            DriftControl::BraunGoldfarb(_) => Some(&ProjectionWeight::Mass),
            DriftControl::Projection(w)
            | DriftControl::RatesOnly(w)
            | DriftControl::GearGuptaLeimkuhler(w)
            | DriftControl::Energy(w)
            | DriftControl::FullProjection(w) => Some(w),
            DriftControl::Threshold { weight, .. } => Some(weight),
        }
    }

    /// The parameters that must be finite and positive, or zero where zero is meaningful.
    pub fn parameters(&self) -> Vec<(&'static str, f64)> {
        match self {
            DriftControl::Threshold { above, .. } => vec![("above", *above)],
            DriftControl::Baumgarte { alpha, beta } => vec![("alpha", *alpha), ("beta", *beta)],
            DriftControl::BraunGoldfarb(Gain::Fixed(gain)) => vec![("gain", *gain)],
            _ => Vec::new(),
        }
    }

    pub(crate) fn stage_projection(&self) -> StageProjection {
        match self {
            DriftControl::Projection(_) | DriftControl::Energy(_) => StageProjection::Velocity,
            DriftControl::RatesOnly(_) | DriftControl::FullProjection(_) => StageProjection::Full,
            _ => StageProjection::AsGiven,
        }
    }

    pub(crate) fn end_of_step(&self) -> EndOfStep {
        match self {
            DriftControl::Projection(_) | DriftControl::Energy(_) | DriftControl::FullProjection(_) => {
                EndOfStep::Project
            }
            DriftControl::Threshold { above, .. } => EndOfStep::ProjectAbove(*above),
            DriftControl::RatesOnly(_) => EndOfStep::ProjectOutput,
            _ => EndOfStep::Keep,
        }
    }

    /// Whether [`modify_rhs`](Drift::modify_rhs) does anything.
    pub(crate) fn modifies_rhs(&self) -> bool {
        matches!(self, DriftControl::Baumgarte { .. } | DriftControl::BraunGoldfarb(_))
    }

    /// Whether it needs φ̇ of the current state.
    pub(crate) fn needs_velocity_residual(&self) -> bool {
        self.modifies_rhs() || matches!(self, DriftControl::GearGuptaLeimkuhler(_))
    }

    /// Modifies b; h is the current step.
    #[inline]
    pub(crate) fn modify_rhs(&self, eq: &mut Equations, h: f64) {
        match self {
            DriftControl::Baumgarte { alpha, beta } => baumgarte::modify_rhs(eq, *alpha, *beta),
            DriftControl::BraunGoldfarb(gain) => braun_goldfarb::modify_rhs(eq, gain.value(h)),
            _ => {}
        }
    }

    /// The residual by which A w must be reduced for the velocity w that moves the coordinates; none where w = v.
    pub(crate) fn coordinate_velocity_residual(
        &self,
        eq: &Equations,
        h: f64,
        residual: &mut Vec<f64>,
    ) -> CoordinateVelocity {
        match self {
            DriftControl::BraunGoldfarb(gain) => {
                braun_goldfarb::coordinate_velocity_residual(eq, gain.value(h), residual)
            }
            DriftControl::GearGuptaLeimkuhler(_) => gear_gupta_leimkuhler::coordinate_velocity_residual(eq, residual),
            _ => return CoordinateVelocity::Straight,
        }
        CoordinateVelocity::Corrected
    }
}

/// The velocity that moves the coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoordinateVelocity {
    /// v itself.
    Straight,
    /// A corrected velocity.
    Corrected,
}
