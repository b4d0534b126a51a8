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
use crate::tableau::{self, ErrorEstimate, Tableau};
use crate::tolerance_budget::ToleranceBudget;

/// The methods: variant, name and description; the tableau of an explicit method.
macro_rules! methods {
    (explicit { $($(#[$e_mark:meta])? $Explicit:ident $e_name:literal by $($tableau:ident)::+: $e_what:literal;)* }
     implicit { $($Implicit:ident $i_name:literal: $i_what:literal;)* }
     second_order { $($Second:ident $s_name:literal: $s_what:literal;)* }) => {
        /// The methods of this crate.
        ///
        /// ```text
        ///  explicit           kᵢ = F(t + cᵢ h, y₀ + h Σ aᵢⱼ kⱼ),  j < i              y₁ = y₀ + h Σ bᵢ kᵢ
        ///  radau5             kᵢ = F(t + cᵢ h, y₀ + h Σ aᵢⱼ kⱼ),  all three j        y₁ = y₀ + h Σ bᵢ kᵢ
        ///  trapezoidal        y₁ = y₀ + ½ h (F₀ + F₁)
        ///  two_step           y₁ = (1 − β) y₀ + β y₋₁ + h (b₀ F₁ + b₁ F₀ + b₂ F₋₁)
        ///  generalised_alpha  (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀,  M v̇₁ = f₁ + A₁ᵀ λ₁,  φ(t₁, q₁) = 0
        ///                     q₁ = q₀ + h v₀ + h² ((½ − β) a₀ + β a₁),  v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)
        /// ```
        ///
        /// # Examples
        ///
        /// ```
        /// use taut_ode::Method;
        ///
        /// let method: Method = "radau5".parse()?;
        /// assert_eq!((method, method.order()), (Method::RadauIia5, 5));
        /// assert!("euler".parse::<Method>().is_err());
        /// # Ok::<(), taut_ode::UnknownMethod>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Method {
            $(#[doc = $e_what] $(#[$e_mark])? #[serde(rename = $e_name)] $Explicit,)*
            $(#[doc = $i_what] #[serde(rename = $i_name)] $Implicit,)*
            $(#[doc = $s_what] #[serde(rename = $s_name)] $Second,)*
        }

        impl Method {
            /// All methods: the explicit ones in order of increasing order of their error estimate, then the implicit ones.
            pub const ALL: [Self; [$($e_name,)* $($i_name,)* $($s_name,)*].len()] =
                [$(Self::$Explicit,)* $(Self::$Implicit,)* $(Self::$Second,)*];

            /// The explicit methods.
            pub const EXPLICIT: [Self; [$($e_name,)*].len()] = [$(Self::$Explicit,)*];

            /// The implicit methods for any system.
            pub const IMPLICIT: [Self; [$($i_name,)*].len()] = [$(Self::$Implicit,)*];

            /// The implicit methods that need a system of second order.
            pub const SECOND_ORDER: [Self; [$($s_name,)*].len()] = [$(Self::$Second,)*];

            /// The name used in files and on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Explicit => $e_name,)*
                    $(Self::$Implicit => $i_name,)*
                    $(Self::$Second => $s_name,)*
                }
            }

            /// The tableau of an explicit method.
            pub(crate) fn tableau(self) -> Option<&'static Tableau> {
                match self {
                    $(Self::$Explicit => Some(&tableau::$($tableau)::+),)*
                    _ => None,
                }
            }
        }
    };
}

methods! {
    explicit {
        Rk4 "rk4" by RK4: "The classical method of order 4 with a fixed step; cubic Hermite dense output of order 3.";
        BogackiShampine "bogacki_shampine" by BOGACKI_SHAMPINE: "Bogacki and Shampine's 3(2) pair; cubic Hermite dense output of order 3.";
        #[default] DormandPrince "dormand_prince" by DORMAND_PRINCE: "Dormand and Prince's 5(4) pair; dense output of order 4.";
        Dop853 "dop853" by DOP853: "Hairer's 8(5,3) method after Dormand and Prince; dense output of order 7.";
    }
    implicit {
        RadauIia5 "radau5": "Radau IIA of order 5, L-stable, for stiff systems; dense output of order 3 by its collocation polynomial.";
        Trapezoidal "trapezoidal": "The trapezoidal rule, A-stable without damping of stiff components; cubic Hermite dense output.";
        TwoStep "two_step": "The two-step method of order 2 that damps stiff components to a chosen spectral radius; cubic Hermite dense output.";
    }
    second_order {
        GeneralisedAlpha "generalised_alpha": "The generalised-alpha method on second-order equations with constraints; cubic Hermite dense output.";
        TrapezoidalIndex3 "trapezoidal_index3": "The trapezoidal rule on second-order equations with constraints at position level; every step starts from accelerations that satisfy the constraints; cubic Hermite dense output.";
    }
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
        match (self.tableau(), self) {
            (Some(Tableau { error: ErrorEstimate::None, .. }), _) => ErrorControl::Unreliable,
            (Some(_), _) | (None, Self::RadauIia5) => ErrorControl::Reliable,
            (None, _) => ErrorControl::Unreliable,
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
            Self::GeneralisedAlpha | Self::TrapezoidalIndex3 => {
                Box::new(Implicit::<GeneralisedAlphaScheme>::new(self, t, y, settings)?)
            }
            _ => Box::new(RungeKutta::new(self, t, y, settings)?),
        })
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
#[error("unknown method `{0}`; available: {names}", names = Method::ALL.map(Method::name).join(", "))]
pub struct UnknownMethod(pub String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}
