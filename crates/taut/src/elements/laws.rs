//! Constraint laws: when the rows of a constraint are active.
//!
//! A bilateral row is always active. All others obey one of two set-valued force laws of Moreau's kind (\[Moreau1988\],
//! \[AcaryBrogliato2008\]):
//!
//! ```text
//!  unilateral   0 ≤ φ ⊥ λ ≥ 0                       rope, separator, stop, contact: a gap is open or carries a force
//!  frictional   rate = 0 while λ is within bounds    friction, brake, clutch, one-way joint, limited actuator:
//!               otherwise λ is at the bound that opposes the rate
//! ```
//!
//! A row of the second kind is called a friction row. Its bounds grow with the normal force N: [lower − μN, upper + μN] for
//! one row, a disc of radius upper + μN for two, a ball for three. N is the multiplier of the constraint's own gap, or the
//! reaction of a joint. A sticking row holds to round-off. A sliding row is inactive, and its friction enters the equations
//! of motion as a force that depends on λ.
//!
//! Both simulation methods use these laws: the event-driven one switches modes according to them, time stepping solves them
//! for the impulses of a step.

use crate::error::ParameterError;
use serde::{Deserialize, Serialize};

/// When the rows of a constraint are active.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ConstraintLaw {
    /// All rows are always active, with forces of either sign.
    #[default]
    Bilateral,
    /// The first row is a gap. The others, if any, are friction rows that act while the gap is closed.
    Unilateral(Impact),
    /// All rows are friction rows.
    Frictional,
}

impl ConstraintLaw {
    /// Index of the first friction row.
    pub fn first_friction_row(&self) -> Option<usize> {
        match self {
            ConstraintLaw::Bilateral => None,
            ConstraintLaw::Unilateral(_) => Some(1),
            ConstraintLaw::Frictional => Some(0),
        }
    }

    /// Whether its first row is a gap.
    pub(crate) fn has_gap(&self) -> bool {
        matches!(self, ConstraintLaw::Unilateral(_))
    }
}

/// The impact when a gap closes at nonzero speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Impact {
    /// The impact law.
    pub law: ImpactLaw,
    /// Coefficient of restitution, 0 (plastic) to 1 (elastic).
    pub restitution: f64,
}

impl Impact {
    /// No rebound.
    pub const PLASTIC: Impact = Impact { law: ImpactLaw::Newton, restitution: 0.0 };

    /// Rejects coefficients of restitution outside 0 … 1.
    pub fn check(&self) -> Result<(), ParameterError> {
        let e = self.restitution;
        if (0.0..=1.0).contains(&e) {
            return Ok(());
        }
        Err(ParameterError::invalid(
            "restitution",
            format!("it is {e}; it must lie between 0 (plastic) and 1 (elastic)"),
        ))
    }
}

/// Impact law: how the velocities after an impact follow from those before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImpactLaw {
    /// The normal velocity is reversed and multiplied by e; all contacts at once.
    #[default]
    Newton,
    /// The impulse of restitution is e times that of compression; all contacts at once.
    Poisson,
    /// Newton's law for one contact after the other, the fastest first, until no contact is closing.
    #[serde(rename = "sequential")]
    Sequential,
}

/// Bounds of the multipliers of friction rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionBound {
    /// Bounds of λ while the rows stick; N or N m. For two or three rows only the upper one is used.
    pub sticking: [f64; 2],
    /// Bounds of λ while the rows slip.
    pub slipping: [f64; 2],
    /// How the bounds grow with the normal force, while the rows stick and while they slip.
    pub friction: Friction,
}

impl FrictionBound {
    /// Coulomb's law alone.
    pub fn coulomb(friction: Friction) -> FrictionBound {
        FrictionBound { sticking: [0.0; 2], slipping: [0.0; 2], friction }
    }

    /// Fixed bounds.
    pub fn within(lower: f64, upper: f64) -> FrictionBound {
        FrictionBound { sticking: [lower, upper], slipping: [lower, upper], friction: Friction::NONE }
    }
}

/// Coefficients of Coulomb's law.
///
/// # Examples
///
/// ```
/// use taut::laws::Friction;
///
/// let steel = Friction { stick: 0.2, slip: 0.15 };
/// assert_eq!(Friction::same(0.3), Friction { stick: 0.3, slip: 0.3 });
/// assert!(steel.check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    /// Static coefficient.
    pub stick: f64,
    /// Kinetic coefficient.
    pub slip: f64,
}

impl Friction {
    /// Frictionless.
    pub const NONE: Friction = Friction { stick: 0.0, slip: 0.0 };

    /// The same coefficient for both.
    pub fn same(mu: f64) -> Friction {
        Friction { stick: mu, slip: mu }
    }

    /// Rejects negative coefficients, and a kinetic coefficient above the static one.
    pub fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_finite("friction", &[self.stick, self.slip])?;
        if self.slip < 0.0 || self.stick < self.slip {
            let what = format!(
                "static {} and kinetic {}: both must be at least zero, and the static one not below the kinetic one",
                self.stick, self.slip
            );
            return Err(ParameterError::invalid("friction", what));
        }
        Ok(())
    }
}

/// Where the normal force of friction rows comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalForceSource<'a> {
    /// There is none: the bounds do not depend on a normal force.
    #[default]
    Nothing,
    /// The multiplier of the constraint's own first row.
    OwnGap,
    /// The gap of another constraint, by its name.
    GapOf(&'a str),
    /// The reaction of another constraint on its last marker, by its name.
    Reaction(&'a str),
}

/// Value of a gap with nothing near, or of a function that never reaches zero.
pub(crate) const NEVER_ZERO: f64 = 1e300;

/// Unit direction and magnitude of up to three slip rates; the direction is zero if they vanish.
pub(crate) fn slip_direction(slip: &[f64]) -> ([f64; 3], f64) {
    let mut d = [0.0; 3];
    d.iter_mut().zip(slip).for_each(|(d, s)| *d = *s);
    let speed = d[0].hypot(d[1]).hypot(d[2]);
    (if speed > 0.0 { d.map(|d| d / speed) } else { [0.0; 3] }, speed)
}

/// Which rows of a constraint are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActiveRows {
    /// All.
    All,
    /// Only the gap.
    Gap,
    /// None.
    None,
}

impl ActiveRows {
    /// Whether row `i` of the constraint is active.
    #[inline(always)]
    pub fn contains(self, i: usize) -> bool {
        match self {
            ActiveRows::All => true,
            ActiveRows::Gap => i == 0,
            ActiveRows::None => false,
        }
    }
}
