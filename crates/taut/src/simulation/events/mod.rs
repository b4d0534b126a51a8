//! Contact modes and velocity jumps: where the laws of constraints activate and deactivate rows.
//!
//! ```text
//!  a gap closes        φ falls to 0                → impact, then closed or open again
//!  a gap opens         λ falls to 0                → open
//!  sticking ends       |λ| reaches its bound       → sliding, or verging if others still hold it
//!  sliding ends        the slip rate falls to 0    → sticking, or sliding the other way
//! ```
//!
//! When one of these functions falls through zero, all modes are determined again (`ContactSwitches::transition`): first the
//! velocity jump, M (v⁺ − v⁻) = Aᵀ Λ under the laws of all gaps and friction bounds at once (`impact`), then the modes
//! for which the accelerations obey the same laws (`mode_decision`). Bilateral constraints are eliminated by one factorisation; the rest
//! is a small complementarity problem.
//!
//! Events of the user are data: a [`Trigger`] says when, [`Action`]s say what happens then.

mod apply_impact;
mod conservative_advancement;
mod contact_switches;
mod delassus;
mod event;
mod gap_monitor;
mod gap_prediction;
mod impact;
mod load_sharing;
mod mode_decision;
mod mode_verification;
mod model_event;
mod progress_guard;
mod static_equilibrium;
mod stick_transition;
mod transition_report;

pub(crate) use contact_switches::ContactSwitches;
pub use contact_switches::ParadoxResponse;
pub(crate) use event::EventRequest;
pub use event::{Event, EventFunction, EventInput, RunAction, StateChange};
pub(crate) use gap_prediction::LiftResult;
pub(crate) use model_event::ModelEvent;
pub(crate) use progress_guard::{ProgressGuard, RunProgress};

pub use crate::model::events::{Action, EventEntry, ImpulseAxes, Recurrence, Trigger};
pub(crate) use crate::results::ModeSelectionError;
pub use crate::results::{EventKind, EventRecord};

// Lengths and speeds at which a contact counts as closed, at rest or captured: `contacts::ContactScale`.

/// Rates below this count as zero, relative to the largest velocity plus that of the scale of contacts.
pub(crate) const ZERO_RATE_TOLERANCE: f64 = 1e-10;
/// Impacts that would follow each other within this time, s, are replaced by the contact they end in.
pub(crate) const ZENO_TIME: f64 = 1e-6;
