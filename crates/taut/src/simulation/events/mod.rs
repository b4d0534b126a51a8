//! Modes and jumps: where the laws of constraints make rows come and go.
//!
//! ```text
//!  a gap closes        φ falls to 0                → impact, then held or open again
//!  a gap opens         λ falls to 0                → open
//!  a grip slips        |λ| reaches its bound       → sliding, or verging where others still hold it
//!  a slip ends         the rate falls to 0         → sticking, or sliding the other way
//! ```
//!
//! Wherever one of these functions falls through zero the whole set is decided anew ([`Switches::transition`]): first the
//! jump of the velocities, M (v⁺ − v⁻) = Aᵀ Λ under the laws of all gaps and grips at once ([`impact`]), then the modes
//! for which the accelerations obey the same laws ([`decide`]). What holds for ever is eliminated by one factor; the rest
//! is a small complementarity problem.
//!
//! Events of the user are data too: a [`Trigger`] says when, [`Deed`]s say what then.

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
/// Impacts that would follow each other within less than this time, s, are taken as the contact they end in.
pub(crate) const ZENO: f64 = 1e-6;
/// Gaps that close slower than this, m/s, do not rebound: of many that strike each other none would come to rest.
pub(crate) const CAPTURE: f64 = 1e-5;
/// Rebounds that rise less than this, m, are too small for the round-off of positions, and come to rest likewise.
pub(crate) const LOW: f64 = 1e-13;
