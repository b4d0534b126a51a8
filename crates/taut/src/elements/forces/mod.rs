//! Forces: f and ż.
//!
//! A force depends on the motions of its markers and returns a wrench on each of them. Stored energy and nonconservative power
//! are separate, so that a run has an energy balance per element.

mod applied;
mod bushing;
mod cable;
mod controller;
mod coordinate_forces;
mod coupled;
mod formula;
mod motor;
mod spring;
mod tyre;
mod user;

pub use applied::ForceAxes;
pub use bushing::Coefficients;
pub use controller::{ControllerInput, ControllerState, InputSource};
pub use coordinate_forces::CoordinateForces;
pub use coupled::{Change, CoupledRates, CoupledTangent};
pub use motor::MotorCommand;
pub use user::{UserForce, UserLoad, UserPotential};

pub use crate::elements::{ExtraStates, NonSmooth};

use crate::air::AirLoad;
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
/// A force also implements [`ExtraStates`], [`NonSmooth`] and [`ForceReport`]. They have defaults for everything:
/// `impl NonSmooth for Drag {}` is enough.
pub trait Force: ExtraStates + NonSmooth + ForceReport + Debug + Send + Sync {
    /// The markers it acts on.
    fn markers(&self) -> Vec<MarkerReference<'_>>;
    /// Checks the parameters.
    fn check(&self) -> Result<(), ParameterError>;
    /// Sets the wrench w on every marker.
    fn apply(&self, at: &ElementInput, on: &mut [Wrench]);
    /// The joint evaluation of wrenches and rates, if the force has one.
    fn coupled_rates(&self) -> Option<&dyn CoupledRates> {
        None
    }
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

impl dyn Force + '_ {
    /// Wrenches and rates of the extra states.
    pub fn apply_with_rates(&self, at: &ElementInput, on: &mut [Wrench], zdot: &mut [f64]) {
        match self.coupled_rates() {
            Some(coupled) => coupled.apply_with_rates(at, on, zdot),
            None => {
                self.state_rates(at, zdot);
                self.apply(at, on);
            }
        }
    }

    /// The same for differences: terms that do not depend on what changes may be left out, because they cancel.
    pub(crate) fn apply_changed(&self, at: &ElementInput, change: Change, on: &mut [Wrench], zdot: &mut [f64]) {
        match self.coupled_rates() {
            Some(coupled) => coupled.apply_changed(at, change, on, zdot),
            None => self.apply_with_rates(at, on, zdot),
        }
    }
}

/// What a force reports besides its wrench: columns of its own, and states in which its theory does not hold. By default nothing.
pub trait ForceReport {
    /// Number of columns of its own, which replace those of its wrench.
    fn output_count(&self) -> usize {
        0
    }
    /// Name, unit and meaning of column `i`.
    fn output(&self, _i: usize) -> ForceOutput<'_> {
        ForceOutput { name: "", unit: "1", meaning: "" }
    }
    /// The values of all columns of its own.
    fn output_values(&self, _at: &ElementInput, _values: &mut [f64]) {}
    /// Why its theory does not hold in this state, if so.
    fn doubt(&self, _at: &ElementInput) -> Option<&'static str> {
        None
    }
}

/// A column of a force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForceOutput<'a> {
    /// Its name, with that of the element.
    pub name: &'a str,
    /// Its unit.
    pub unit: &'static str,
    /// Description as a phrase.
    pub meaning: &'a str,
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

/// The kinds of forces: variant, type, file and description. Those in `code_only` are not in model files.
macro_rules! force_kinds {
    (model_file { $($Name:ident($Type:ident) in $file:ident: $what:literal;)* }
     code_only { $($Code:ident($CodeType:ident): $code_what:literal;)* }) => {
        $(pub use $file::$Type;)*

        /// Every kind of force; the tag is the `type` of the model file.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        pub enum ForceKind {
            $(#[doc = $what] $Name($Type),)*
            $(#[doc = $code_what] #[serde(skip)] $Code($CodeType),)*
            /// An element of a beam; added by beams, not in model files.
            #[serde(skip)]
            Beam(Box<BeamElement>),
            /// The loads of the air on a disc with its wings; added by wings and discs.
            #[serde(skip)]
            Air(Box<AirLoad>),
            /// Any other force, given in code.
            #[serde(skip)]
            Custom(Arc<dyn Force>),
        }

        impl ForceKind {
            /// The force as a trait object.
            pub fn force(&self) -> &dyn Force {
                match self {
                    $(ForceKind::$Name(f) => f,)*
                    $(ForceKind::$Code(f) => f,)*
                    ForceKind::Beam(f) => &**f,
                    ForceKind::Air(f) => &**f,
                    ForceKind::Custom(f) => &**f,
                }
            }
        }

        $(impl From<$Type> for ForceKind {
            fn from(f: $Type) -> Self {
                ForceKind::$Name(f)
            }
        })*
        $(impl From<$CodeType> for ForceKind {
            fn from(f: $CodeType) -> Self {
                ForceKind::$Code(f)
            }
        })*
    };
}

force_kinds! {
    model_file {
        Applied(Applied) in applied: "A force and torque given as signals.";
        Spring(Spring) in spring: "A law along a measured coordinate: spring, damper, actuator, translational or torsional.";
        Bushing(Bushing) in bushing: "Six linear springs and dampers between two frames.";
        Cable(Cable) in cable: "An elastic cable that only pulls.";
        Formula(FormulaForce) in formula: "A force as text along a measured coordinate.";
        Motor(Motor) in motor: "A motor on its torque-speed line.";
        Controller(Controller) in controller: "A control law as text, with its own states.";
        Tyre(Tyre) in tyre: "A tyre on a flat road, after Fiala, with relaxation lengths.";
    }
    code_only {
        Compliant(CompliantPair): "A compliant contact of two surfaces; added by contacts.";
        Coordinates(CoordinateForces): "The forces of a generalised body on its coordinates; added by the body.";
        User(UserForce): "A force written by the user.";
    }
}

impl From<BeamElement> for ForceKind {
    fn from(f: BeamElement) -> Self {
        ForceKind::Beam(Box::new(f))
    }
}

impl From<AirLoad> for ForceKind {
    fn from(f: AirLoad) -> Self {
        ForceKind::Air(Box::new(f))
    }
}
