//! Contact modes and velocity jumps: where the laws of constraints activate and deactivate rows.
//!
//! ```text
//!  a gap closes        φ falls to 0                → impact, then closed or open again
//!  a gap opens         λ falls to 0                → open
//!  sticking ends       |λ| reaches its bound       → sliding, or verging if others still hold it
//!  sliding ends        the slip rate falls to 0    → sticking, or sliding the other way
//! ```
//!
//! When one of these functions falls through zero, all modes are determined again ([`Switches::transition`]): first the
//! velocity jump, M (v⁺ − v⁻) = Aᵀ Λ under the laws of all gaps and friction bounds at once ([`impact`]), then the modes
//! for which the accelerations obey the same laws ([`decide`]). Bilateral constraints are eliminated by one factorisation; the rest
//! is a small complementarity problem.
//!
//! Events of the user are data: a [`Trigger`] says when, [`Deed`]s say what happens then.

mod answers;
mod armed;
mod clearance;
mod decide;
mod event;
mod holding;
mod impact;
mod lookout;
mod outlook;
mod patience;
mod report;
mod seize;
mod share;
mod strike;
mod switches;
mod verify;

pub(crate) use armed::Armed;
pub(crate) use event::Order;
pub use event::{After, Change, Event, Look, When};
pub(crate) use outlook::Lift;
pub(crate) use patience::{Patience, Wait};
pub use switches::Paradox;
pub(crate) use switches::Switches;

pub use crate::model::events::{Deed, EventEntry, ImpulseAxes, Times, Trigger};
pub(crate) use crate::results::Trouble;
pub use crate::results::{Happening, Occurrence};

/// Gaps below this count as closed, m.
pub(crate) const TOUCH: f64 = 1e-10;
/// Rates below this, relative to 1 + the largest velocity, count as zero.
pub(crate) const REST: f64 = 1e-10;
/// Impacts that would follow each other within this time, s, are replaced by the contact they end in.
pub(crate) const ZENO: f64 = 1e-6;
/// Gaps that close slower than this, m/s, do not rebound: otherwise many colliding bodies would never come to rest.
pub(crate) const CAPTURE: f64 = 1e-5;
/// Rebounds lower than this, m, are below the round-off of positions and end in contact as well.
pub(crate) const LOW: f64 = 1e-13;
