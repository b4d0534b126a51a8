//! The integrators: order, events, stiffness, agreement with other libraries.

#![allow(missing_docs, non_snake_case)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/mechanisms.rs"]
mod mechanisms;

mod agreement;
mod alpha;
mod breaks;
mod drive;
mod events;
mod guards;
mod order;
mod scipy;
mod setup;
mod stepping;
mod stiff;
