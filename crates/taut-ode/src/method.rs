//! The choice of a method.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::runge_kutta::RungeKutta;
use crate::stepper::{Settings, SetupError, Stepper};
use crate::tableau::{self, Tableau};

/// The explicit Runge-Kutta methods of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
}

impl Method {
    /// All methods, in order of increasing order of their error estimate.
    pub const ALL: [Self; 4] = [Self::Rk4, Self::BogackiShampine, Self::DormandPrince, Self::Dop853];

    /// The name used in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rk4 => "rk4",
            Self::BogackiShampine => "bogacki_shampine",
            Self::DormandPrince => "dormand_prince",
            Self::Dop853 => "dop853",
        }
    }

    /// Order of convergence of the solution at the ends of the steps.
    #[must_use]
    pub fn order(self) -> u32 {
        self.tableau().order
    }

    /// Order of convergence of the dense output between the ends of the steps.
    #[must_use]
    pub fn interpolation_order(self) -> u32 {
        self.tableau().interpolation_order
    }

    /// A stepper of this method, starting at `(t, y)`.
    ///
    /// # Errors
    /// [`SetupError`] when the start or the settings make no sense.
    pub fn stepper(self, t: f64, y: &[f64], settings: &Settings) -> Result<Box<dyn Stepper>, SetupError> {
        Ok(Box::new(RungeKutta::new(self, t, y, settings)?))
    }

    pub(crate) fn tableau(self) -> &'static Tableau {
        match self {
            Self::Rk4 => &tableau::RK4,
            Self::BogackiShampine => &tableau::BOGACKI_SHAMPINE,
            Self::DormandPrince => &tableau::DORMAND_PRINCE,
            Self::Dop853 => &tableau::DOP853,
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
#[error("unknown method `{0}`; known are rk4, bogacki_shampine, dormand_prince, dop853")]
pub struct UnknownMethod(pub String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}
