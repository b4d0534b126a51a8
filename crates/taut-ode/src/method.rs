//! The choice of a method.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::generalised_alpha::GeneralisedAlphaScheme;
use crate::implicit::Implicit;
use crate::multistep::Multistep;
use crate::radau::Radau;
use crate::runge_kutta::RungeKutta;
use crate::stepper::{Settings, SetupError, Stepper};
use crate::tableau::{self, Tableau};
use crate::tolerance_budget::ToleranceBudget;

/// The methods of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Method {
    /// The classical method of order 4 with a fixed step; cubic Hermite dense output of order 3.
    Rk4,
    /// Bogacki and Shampine's 3(2) pair; cubic Hermite dense output of order 3.
    BogackiShampine,
    /// Dormand and Prince's 5(4) pair; dense output of order 4.
    #[default]
    DormandPrince,
    /// Hairer's 8(5,3) method after Dormand and Prince; dense output of order 7.
    Dop853,
    /// Radau IIA of order 5, L-stable, for stiff systems; dense output of order 3 by its collocation polynomial.
    #[serde(rename = "radau5")]
    RadauIia5,
    /// The trapezoidal rule, A-stable without damping of stiff components; cubic Hermite dense output.
    Trapezoidal,
    /// The two-step method of order 2 that damps stiff components to a chosen spectral radius; cubic Hermite dense output.
    TwoStep,
    /// The generalised-alpha method on second-order equations with constraints; cubic Hermite dense output.
    GeneralisedAlpha,
}

/// Whether the tolerance bounds the error of the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorControl {
    /// It does.
    Reliable,
    /// It does not: there is no error control, errors exceed the tolerance, or the method dissipates energy by design.
    Unreliable,
}

impl Method {
    /// All methods: the explicit ones in order of increasing order of their error estimate, then the implicit ones.
    pub const ALL: [Self; 8] = [
        Self::Rk4,
        Self::BogackiShampine,
        Self::DormandPrince,
        Self::Dop853,
        Self::RadauIia5,
        Self::Trapezoidal,
        Self::TwoStep,
        Self::GeneralisedAlpha,
    ];

    /// The explicit methods.
    pub const EXPLICIT: [Self; 4] = [Self::Rk4, Self::BogackiShampine, Self::DormandPrince, Self::Dop853];

    /// The implicit methods for any system; [`Method::GeneralisedAlpha`] needs one of second order.
    pub const IMPLICIT: [Self; 3] = [Self::RadauIia5, Self::Trapezoidal, Self::TwoStep];

    /// The name used in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rk4 => "rk4",
            Self::BogackiShampine => "bogacki_shampine",
            Self::DormandPrince => "dormand_prince",
            Self::Dop853 => "dop853",
            Self::RadauIia5 => "radau5",
            Self::Trapezoidal => "trapezoidal",
            Self::TwoStep => "two_step",
            Self::GeneralisedAlpha => "generalised_alpha",
        }
    }

    /// Order of convergence of the solution at the ends of the steps.
    #[must_use]
    pub fn order(self) -> u32 {
        match (self.tableau(), self) {
            (Some(tableau), _) => tableau.order,
            (None, Self::RadauIia5) => 5,
            (None, _) => 2,
        }
    }

    /// Whether the tolerance bounds the error of its steps.
    #[must_use]
    pub fn error_control(self) -> ErrorControl {
        match self {
            Self::BogackiShampine | Self::DormandPrince | Self::Dop853 | Self::RadauIia5 => ErrorControl::Reliable,
            Self::Rk4 | Self::Trapezoidal | Self::TwoStep | Self::GeneralisedAlpha => ErrorControl::Unreliable,
        }
    }

    /// The smallest factor on the tolerance of a step, for methods of low order, whose errors add up over many steps. The
    /// shorter a step, the smaller its factor, down to this one. `None` for the other methods.
    #[must_use]
    pub fn least_tolerance_factor(self, rtol: f64) -> Option<f64> {
        ToleranceBudget::least_factor(self, rtol)
    }

    /// Order of convergence of the dense output between the ends of the steps.
    #[must_use]
    pub fn interpolation_order(self) -> u32 {
        self.tableau().map_or(3, |tableau| tableau.interpolation_order)
    }

    /// A stepper of this method, starting at `(t, y)`.
    ///
    /// # Errors
    /// [`SetupError`] when the start or the settings are invalid.
    pub fn stepper(self, t: f64, y: &[f64], settings: &Settings) -> Result<Box<dyn Stepper>, SetupError> {
        Ok(match self {
            Self::RadauIia5 => Box::new(Implicit::<Radau>::new(self, t, y, settings)?),
            Self::Trapezoidal | Self::TwoStep => Box::new(Implicit::<Multistep>::new(self, t, y, settings)?),
            Self::GeneralisedAlpha => Box::new(Implicit::<GeneralisedAlphaScheme>::new(self, t, y, settings)?),
            _ => Box::new(RungeKutta::new(self, t, y, settings)?),
        })
    }

    /// The tableau of an explicit method.
    pub(crate) fn tableau(self) -> Option<&'static Tableau> {
        match self {
            Self::Rk4 => Some(&tableau::RK4),
            Self::BogackiShampine => Some(&tableau::BOGACKI_SHAMPINE),
            Self::DormandPrince => Some(&tableau::DORMAND_PRINCE),
            Self::Dop853 => Some(&tableau::DOP853),
            Self::RadauIia5 | Self::Trapezoidal | Self::TwoStep | Self::GeneralisedAlpha => None,
        }
    }

    /// The error estimate behaves as the step size to this power.
    pub(crate) fn error_exponent(self) -> u32 {
        match (self.tableau(), self) {
            (Some(tableau), _) => tableau.error_exponent,
            (None, Self::RadauIia5) => 4,
            (None, _) => 3,
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no [`Method`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown method `{0}`; available: rk4, bogacki_shampine, dormand_prince, dop853, radau5, trapezoidal, two_step, \
     generalised_alpha"
)]
pub struct UnknownMethod(pub String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}
