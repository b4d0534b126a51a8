//! The elements of a mechanism. Each kind of element is one file: parameters, equation, citation, tests.

mod extra_states;
mod non_smooth;

pub mod air;
pub mod beams;
pub mod bodies;
pub mod constraints;
pub mod contacts;
pub mod forces;
pub mod laws;

pub use extra_states::ExtraStates;
pub use non_smooth::NonSmooth;
