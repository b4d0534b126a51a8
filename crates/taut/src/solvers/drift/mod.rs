//! Drift control: keeps φ and φ̇ small.
//!
//! It can be combined with any formulation. A drift control can act in four places; each control uses one or two of
//! them:
//!
//! ```text
//!  stage_projection               the state at which rates are evaluated   projection, rates_only, full_projection
//!  modify_rhs                     b of A v̇ = b                            baumgarte, braun_goldfarb
//!  coordinate_velocity_residual   w of q̇ = N w                            gear_gupta_leimkuhler, braun_goldfarb
//!  end_of_step                    the state after a step                   projection, threshold, energy, full_projection
//! ```
//!
//! A new control is one file that implements `DriftAction`, its `mod` line and its line in the table below.

mod baumgarte;
mod braun_goldfarb;
mod energy;
mod full_projection;
mod gear_gupta_leimkuhler;
mod projection;
mod rates_only;
mod threshold;
mod weights;

pub(crate) use energy::energy_scale_factor;
pub(crate) use weights::{row_scales, worst_row_condition};

use crate::equations::Equations;
use crate::formulations::{CoordinateVelocity, Stiffness};
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

/// What a control does, for the type `Control` of its file. By default it does nothing.
trait DriftAction {
    /// What the variant of [`DriftControl`] holds: the norm, or parameters.
    type Values;
    /// The values for a norm and the parameters that are given; usual ones for the others.
    fn values(weight: ProjectionWeight, given: DriftParameters) -> Self::Values;
    /// The norm of its projections, if it makes any.
    fn weight(_values: &Self::Values) -> Option<&ProjectionWeight> {
        None
    }
    /// The parameters that must be finite and positive, or zero where zero is meaningful.
    fn parameters(_values: &Self::Values) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
    /// The state at which the rates of a stage are evaluated.
    const STAGE: StageProjection = StageProjection::AsGiven;
    /// How the state is corrected after a step.
    fn end_of_step(_values: &Self::Values) -> EndOfStep {
        EndOfStep::Keep
    }
    /// Whether [`modify_rhs`](DriftAction::modify_rhs) does anything.
    const MODIFIES_RHS: bool = false;
    /// Modifies b; h is the current step.
    fn modify_rhs(_values: &Self::Values, _eq: &mut Equations, _h: f64) {}
    /// Whether the coordinates move with the velocity w that
    /// [`coordinate_velocity_residual`](DriftAction::coordinate_velocity_residual) defines, or with v.
    const COORDINATE_VELOCITY: CoordinateVelocity = CoordinateVelocity::Given;
    /// The residual r of A (w − v) = −r.
    fn coordinate_velocity_residual(_values: &Self::Values, _eq: &Equations, _h: f64, _residual: &mut Vec<f64>) {}
    /// The stiffness that it adds to the equations.
    fn stiffness(_values: &Self::Values) -> Option<Stiffness> {
        None
    }
}

/// The drift controls: variant, its values, file and description. The name of the file is the name in model files.
macro_rules! drift_controls {
    ($($Name:ident($Values:ty) in $file:ident: $what:literal;)*) => {
        $(#[allow(unused_imports)] pub use $file::*;)*

        /// The drift control of a run.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum DriftControl {
            /// Constraints at acceleration level only: the baseline of \[Masarati2010\] eq. (8).
            None,
            $(#[doc = $what] $Name($Values),)*
        }

        impl DriftControl {
            /// The names of all controls, the default first.
            pub const NAMES: &[&str] = &[$(stringify!($file),)* "none"];

            /// The control of that name, with its norm and parameters; usual values if none are given.
            pub fn from_name(name: &str, weight: ProjectionWeight, given: DriftParameters) -> Option<DriftControl> {
                match name {
                    "none" => Some(DriftControl::None),
                    $(stringify!($file) => Some(DriftControl::$Name($file::Control::values(weight, given))),)*
                    _ => None,
                }
            }

            /// Name in model files and tables.
            pub fn name(&self) -> &'static str {
                match self {
                    DriftControl::None => "none",
                    $(DriftControl::$Name(_) => stringify!($file),)*
                }
            }

            /// The norm of its projections, if it makes any.
            pub fn weight(&self) -> Option<&ProjectionWeight> {
                match self {
                    DriftControl::None => None,
                    $(DriftControl::$Name(values) => $file::Control::weight(values),)*
                }
            }

            /// The parameters that must be finite and positive, or zero where zero is meaningful.
            pub fn parameters(&self) -> Vec<(&'static str, f64)> {
                match self {
                    DriftControl::None => Vec::new(),
                    $(DriftControl::$Name(values) => $file::Control::parameters(values),)*
                }
            }

            pub(crate) fn stage_projection(&self) -> StageProjection {
                match self {
                    DriftControl::None => StageProjection::AsGiven,
                    $(DriftControl::$Name(_) => $file::Control::STAGE,)*
                }
            }

            pub(crate) fn end_of_step(&self) -> EndOfStep {
                match self {
                    DriftControl::None => EndOfStep::Keep,
                    $(DriftControl::$Name(values) => $file::Control::end_of_step(values),)*
                }
            }

            /// Whether [`modify_rhs`](DriftControl::modify_rhs) does anything.
            pub(crate) fn modifies_rhs(&self) -> bool {
                match self {
                    DriftControl::None => false,
                    $(DriftControl::$Name(_) => $file::Control::MODIFIES_RHS,)*
                }
            }

            /// Modifies b; h is the current step.
            #[inline]
            pub(crate) fn modify_rhs(&self, eq: &mut Equations, h: f64) {
                match self {
                    DriftControl::None => {}
                    $(DriftControl::$Name(values) => $file::Control::modify_rhs(values, eq, h),)*
                }
            }

            /// The velocity that moves the coordinates.
            pub(crate) fn coordinate_velocity(&self) -> CoordinateVelocity {
                match self {
                    DriftControl::None => CoordinateVelocity::Given,
                    $(DriftControl::$Name(_) => $file::Control::COORDINATE_VELOCITY,)*
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
                    DriftControl::None => {}
                    $(DriftControl::$Name(values) => {
                        $file::Control::coordinate_velocity_residual(values, eq, h, residual);
                    })*
                }
                self.coordinate_velocity()
            }

            /// The stiffness that it adds to the equations.
            pub(crate) fn stiffness(&self) -> Option<Stiffness> {
                match self {
                    DriftControl::None => None,
                    $(DriftControl::$Name(values) => $file::Control::stiffness(values),)*
                }
            }
        }
    };
}

drift_controls! {
    Projection(ProjectionWeight) in projection: "Velocities projected in every stage, positions and velocities after every step.";
    RatesOnly(ProjectionWeight) in rates_only: "Positions and velocities projected in every stage, but never the state of the integrator.";
    Threshold(Threshold) in threshold: "Positions and velocities projected after a step whose residuals exceed a threshold.";
    Baumgarte(Baumgarte) in baumgarte: "φ̈ + 2α φ̇ + β² φ = 0 in place of φ̈ = 0.";
    BraunGoldfarb(Gain) in braun_goldfarb: "φ̇ + g φ = 0 for the coordinates, φ̈ + g φ̇ = 0 for the velocities.";
    GearGuptaLeimkuhler(ProjectionWeight) in gear_gupta_leimkuhler: "The coordinates move with the projected velocity; the velocities are not corrected.";
    Energy(ProjectionWeight) in energy: "As projection, with the energy balance as an additional row of the velocities.";
    FullProjection(ProjectionWeight) in full_projection: "As projection, with positions and velocities also projected in every stage.";
}

impl Default for DriftControl {
    fn default() -> DriftControl {
        DriftControl::Projection(ProjectionWeight::Mass)
    }
}

impl DriftControl {
    /// Baumgarte's stabilisation with α and β in 1/s.
    pub const fn baumgarte(alpha: f64, beta: f64) -> DriftControl {
        DriftControl::Baumgarte(Baumgarte { alpha, beta })
    }

    /// Whether it needs φ̇ of the current state.
    pub(crate) fn needs_velocity_residual(&self) -> bool {
        self.modifies_rhs() || self.coordinate_velocity() == CoordinateVelocity::Corrected
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
