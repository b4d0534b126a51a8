//! Forces: f and ż.
//!
//! A force depends on the motions of its markers and returns a wrench on each of them. Stored energy and nonconservative power
//! are separate, so that a run has an energy balance per element.

mod applied;
mod bushing;
mod cable;
mod controller;
mod formula;
mod motor;
mod spring;
mod user;

pub use applied::{Applied, ForceAxes};
pub use bushing::{Bushing, Coefficients};
pub use cable::Cable;
pub use controller::{Controller, ControllerInput, ControllerState, InputSource};
pub use formula::FormulaForce;
pub use motor::{Motor, MotorCommand};
pub use spring::Spring;
pub use user::{UserForce, UserLoad, UserPotential};

pub use crate::elements::{ExtraStates, NonSmooth};

use crate::beams::BeamElement;
use crate::constraints::{ElementInput, MarkerReference};
use crate::contacts::CompliantPair;
use crate::error::ParameterError;
use crate::motion::Wrench;
use nalgebra::Matrix6;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::Arc;

/// A force between markers.
///
/// ```text
///  f += Σ Jᵀ w        power of all w = −dV/dt + nonconservative power
/// ```
///
/// A force also implements [`ExtraStates`] and [`NonSmooth`]. They have defaults for everything:
/// `impl NonSmooth for Drag {}` is enough.
pub trait Force: ExtraStates + NonSmooth + Debug + Send + Sync {
    /// The markers it acts on.
    fn markers(&self) -> Vec<MarkerReference<'_>>;
    /// Checks the parameters.
    fn check(&self) -> Result<(), ParameterError>;
    /// Sets the wrench w on every marker.
    fn apply(&self, at: &ElementInput, on: &mut [Wrench]);
    /// Derivatives of the wrenches by poses and twists, if the force provides them: row k, column j is block k * n + j.
    ///
    /// All blocks are zero on entry. A pose moves by (dp, dθ), R → exp(dθ) R, a twist by (dv, dw), world axes; a wrench is (f, m).
    fn tangent(
        &self,
        _at: &ElementInput,
        _pose: &mut [Matrix6<f64>],
        _twist: &mut [Matrix6<f64>],
    ) -> TangentAvailability {
        TangentAvailability::Unavailable
    }
    /// Stored energy V.
    fn potential(&self, _at: &ElementInput) -> f64 {
        0.0
    }
    /// Power into the mechanism that does not come from the potential (negative: dissipated).
    fn nonconservative_power(&self, at: &ElementInput, on: &[Wrench]) -> f64 {
        on.iter().enumerate().map(|(k, w)| at[k].power(w)).sum()
    }
    /// Whether `nonconservative_power` can be nonzero.
    fn conservation(&self) -> Conservation {
        Conservation::NonConservative
    }
}

/// Which derivatives a force provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TangentAvailability {
    /// All of them, exactly.
    Full,
    /// Those by poses; the force does not depend on twists.
    PosesOnly,
    /// None: the caller uses finite differences.
    Unavailable,
}

/// Whether an element conserves energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conservation {
    /// All its power comes from its potential.
    Conservative,
    /// It adds or removes energy.
    NonConservative,
}

/// Every kind of force; the tag is the `type` of the model file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ForceKind {
    /// A force and torque given as signals.
    Applied(Applied),
    /// A law along a measured coordinate: spring, damper, actuator, translational or torsional.
    Spring(Spring),
    /// Six linear springs and dampers between two frames.
    Bushing(Bushing),
    /// An elastic cable that only pulls.
    Cable(Cable),
    /// A compliant contact of two surfaces; added by contacts, not in model files.
    #[serde(skip)]
    Compliant(CompliantPair),
    /// An element of a beam; added by beams, not in model files.
    #[serde(skip)]
    Beam(Box<BeamElement>),
    /// A force as text along a measured coordinate.
    Formula(FormulaForce),
    /// A motor on its torque-speed line.
    Motor(Motor),
    /// A control law as text, with its own states.
    Controller(Controller),
    /// A force written by the user.
    #[serde(skip)]
    User(UserForce),
    /// Any other force, given in code.
    #[serde(skip)]
    Custom(Arc<dyn Force>),
}

impl ForceKind {
    /// The force as a trait object.
    pub fn force(&self) -> &dyn Force {
        match self {
            ForceKind::Applied(f) => f,
            ForceKind::Spring(f) => f,
            ForceKind::Bushing(f) => f,
            ForceKind::Cable(f) => f,
            ForceKind::Compliant(f) => f,
            ForceKind::Beam(f) => &**f,
            ForceKind::Formula(f) => f,
            ForceKind::Motor(f) => f,
            ForceKind::Controller(f) => f,
            ForceKind::User(f) => f,
            ForceKind::Custom(f) => &**f,
        }
    }
}

impl From<Applied> for ForceKind {
    fn from(f: Applied) -> Self {
        ForceKind::Applied(f)
    }
}
impl From<Spring> for ForceKind {
    fn from(f: Spring) -> Self {
        ForceKind::Spring(f)
    }
}
impl From<Cable> for ForceKind {
    fn from(f: Cable) -> Self {
        ForceKind::Cable(f)
    }
}
impl From<Bushing> for ForceKind {
    fn from(f: Bushing) -> Self {
        ForceKind::Bushing(f)
    }
}
impl From<BeamElement> for ForceKind {
    fn from(f: BeamElement) -> Self {
        ForceKind::Beam(Box::new(f))
    }
}
impl From<FormulaForce> for ForceKind {
    fn from(f: FormulaForce) -> Self {
        ForceKind::Formula(f)
    }
}
impl From<Motor> for ForceKind {
    fn from(f: Motor) -> Self {
        ForceKind::Motor(f)
    }
}
impl From<Controller> for ForceKind {
    fn from(f: Controller) -> Self {
        ForceKind::Controller(f)
    }
}
impl From<UserForce> for ForceKind {
    fn from(f: UserForce) -> Self {
        ForceKind::User(f)
    }
}
