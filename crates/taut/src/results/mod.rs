//! Results of computations: tables, events, warnings, and the audit that judges them.

pub(crate) mod audit;
mod event_record;
pub(crate) mod solution;
mod work;

pub(crate) use event_record::Trouble;
pub use event_record::{Happening, Occurrence};
pub(crate) use work::Work;
