//! What a mechanism is made of. Each kind of element is one file: parameters, equation, citation, tests.

pub mod beams;
pub mod bodies;
pub mod constraints;
pub mod contacts;
pub mod forces;
pub mod laws;
