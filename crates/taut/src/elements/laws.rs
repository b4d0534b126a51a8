//! Laws: how the rows of a constraint come and go.
//!
//! A bilateral row holds for ever. All others obey one of two set-valued laws of Moreau's kind ([Moreau1988],
//! [AcaryBrogliato2008]):
//!
//! ```text
//!  unilateral   0 ≤ φ ⊥ λ ≥ 0                       rope, separator, stop, contact: a gap that presses or is open
//!  gripping     rate = 0 while λ is within bounds    friction, brake, clutch, one-way joint, limited actuator:
//!               λ at the bound that opposes the rate beyond
//! ```
//!
//! The bounds of a grip grow with what presses: [lower − μN, upper + μN] for one row, a disc of radius upper + μN for
//! two, a ball for three. N is the multiplier of the constraint's own gap, or the reaction of a joint. A sticking row holds to round-off;
//! a sliding one is masked, and its friction enters the equations of motion as a force that depends on λ.
//!
//! Both ways to march read these laws: the event-driven one switches modes where they say so, time stepping solves
//! them for the impulses of a step.

use crate::error::Fault;
use serde::{Deserialize, Serialize};

/// How the rows of a constraint come and go.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Law {
    /// All rows hold both ways, always.
    #[default]
    Bilateral,
    /// The first row is a gap; the others, if there are any, grip while it presses.
    Unilateral(Impact),
    /// All rows grip.
    Gripping,
}

impl Law {
    /// First of the rows that grip.
    pub fn gripping_from(&self) -> Option<usize> {
        match self {
            Law::Bilateral => None,
            Law::Unilateral(_) => Some(1),
            Law::Gripping => Some(0),
        }
    }
}

/// What happens where a gap closes with a speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Impact {
    /// The law of impact.
    pub law: ImpactLaw,
    /// Coefficient of restitution, 0 (plastic) to 1 (elastic).
    pub restitution: f64,
}

impl Impact {
    /// No rebound.
    pub const PLASTIC: Impact = Impact { law: ImpactLaw::Newton, restitution: 0.0 };

    /// Refuses restitutions outside 0 … 1.
    pub fn check(&self) -> Result<(), Fault> {
        let e = self.restitution;
        if (0.0..=1.0).contains(&e) {
            return Ok(());
        }
        Err(Fault::value("restitution", format!("is {e}, it must lie between 0 (plastic) and 1 (elastic)")))
    }
}

/// How the rebound follows from the impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImpactLaw {
    /// The normal velocity is reversed and multiplied by e; all contacts at once.
    #[default]
    Newton,
    /// The impulse of compression comes back multiplied by e; all contacts at once.
    Poisson,
    /// Newton's law for one contact after the other, the fastest first, until none closes.
    #[serde(rename = "sequential")]
    Sequence,
}

/// Bounds within which the rows of a grip hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Bounds of λ while the rows hold; N or N m. For two or three rows only the upper one counts.
    pub holding: [f64; 2],
    /// Bounds of λ while they slip.
    pub slipping: [f64; 2],
    /// How the bounds grow with what presses, while the rows hold and while they slip.
    pub friction: Friction,
}

impl Grip {
    /// Coulomb's law alone.
    pub fn coulomb(friction: Friction) -> Grip {
        Grip { holding: [0.0; 2], slipping: [0.0; 2], friction }
    }

    /// Fixed bounds.
    pub fn within(lower: f64, upper: f64) -> Grip {
        Grip { holding: [lower, upper], slipping: [lower, upper], friction: Friction::NONE }
    }
}

/// Coefficients of Coulomb's law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    /// While nothing slips.
    pub stick: f64,
    /// While it slips.
    pub slip: f64,
}

impl Friction {
    /// Frictionless.
    pub const NONE: Friction = Friction { stick: 0.0, slip: 0.0 };

    /// The same coefficient for both.
    pub fn same(mu: f64) -> Friction {
        Friction { stick: mu, slip: mu }
    }

    /// Refuses negative coefficients, and sliding friction above static.
    pub fn check(&self) -> Result<(), Fault> {
        Fault::finite("friction", &[self.stick, self.slip])?;
        if self.slip < 0.0 || self.stick < self.slip {
            let what = format!(
                "static {} and kinetic {}: both must be at least zero, and the static one not below the kinetic one",
                self.stick, self.slip
            );
            return Err(Fault::value("friction", what));
        }
        Ok(())
    }
}

/// What presses the rows of a grip together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Press<'a> {
    /// Nothing: the bounds stand by themselves.
    #[default]
    Nothing,
    /// The multiplier of the constraint's own first row.
    OwnGap,
    /// The gap of another constraint, by its name.
    GapOf(&'a str),
    /// The reaction of another constraint on its last marker, by its name.
    Reaction(&'a str),
}

/// A gap where nothing is near, or a function that never falls to zero.
pub(crate) const QUIET: f64 = 1e300;

/// The direction of up to three rates, and their length; none where they vanish.
pub(crate) fn direction(slip: &[f64]) -> ([f64; 3], f64) {
    let mut d = [0.0; 3];
    d.iter_mut().zip(slip).for_each(|(d, s)| *d = *s);
    let speed = d[0].hypot(d[1]).hypot(d[2]);
    (if speed > 0.0 { d.map(|d| d / speed) } else { [0.0; 3] }, speed)
}

/// Which rows of a constraint hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// All.
    All,
    /// Only the gap.
    Gap,
    /// None.
    None,
}

impl Held {
    /// Whether row `i` of the constraint is one of them.
    #[inline(always)]
    pub fn has(self, i: usize) -> bool {
        match self {
            Held::All => true,
            Held::Gap => i == 0,
            Held::None => false,
        }
    }
}
