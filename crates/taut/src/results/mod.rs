//! Results of computations: tables, events, warnings, and the audit that judges them.

pub(crate) mod audit;
mod event_record;
pub(crate) mod solution;
mod work;

pub(crate) use event_record::ModeSelectionError;
pub use event_record::{EventKind, EventRecord};
pub(crate) use work::WorkTracking;
