//! Published third-party problems with their reference solutions.

#[path = "../common/mod.rs"]
mod common;

mod adams;
mod beams;
mod bicycle;
mod cross_checks;
mod iftomm;
mod ivp;
mod nonholonomic;
mod tops;
