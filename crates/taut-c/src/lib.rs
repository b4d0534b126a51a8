//! C interface of `taut-constrain`: kinematic constraints for ODE code in C, C++ and Fortran.
//!
//! The header is `include/taut.h`; a test generates it from these sources and compares. Rules of the interface:
//!
//! - Every function returns a status, 0 for success. `taut_system_message` and `taut_ode_message` give the sentence.
//! - A handle belongs to one thread at a time; different handles may be used at once. There is no global state.
//! - Null pointers, wrong sizes, NaN and infinity are refused. A panic becomes the status `TAUT_INTERNAL`.
//! - Indices count from 0. Matrices are stored row by row; in Fortran, declare the transpose: `A(n, m)`.
//! - Functions of the user return 0, or a code of their own that ends the call with `TAUT_FUNCTION`.
#![allow(unsafe_code)] // the boundary to C
#![allow(non_snake_case)] // identifiers use the symbols of the theory

mod formulation;
mod memory;
mod ode;
mod ode_setup;
mod residual;
mod status;
mod system;

pub use formulation::*;
pub use ode::*;
pub use ode_setup::*;
pub use residual::*;
pub use status::*;
pub use system::*;
