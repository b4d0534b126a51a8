//! Cases of the papers whose methods the engine uses, with numbers recomputed independently: closed forms, rational arithmetic, or
//! converged integrations. If a printed number or sign is wrong, the test uses the correct one.
#![allow(non_snake_case)] // the theory's letter is the identifier

#[path = "../common/mod.rs"]
mod common;

mod fumagalli;
mod kamaraj;
mod masarati;
mod mitiguy;
mod rotation_parameters;
