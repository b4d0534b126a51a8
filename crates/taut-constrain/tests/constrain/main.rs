//! Tests of the library as a user calls it: matrices, mechanisms, implicit residuals, bad input.
#![allow(non_snake_case)]

mod bad_input;
mod implicit;
mod mechanisms;
mod models;
mod random_systems;
mod small_systems;
