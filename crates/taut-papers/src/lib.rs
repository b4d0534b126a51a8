//! The papers behind Taut, compared with its results.
//!
//! [`reproduce`] computes the numerical examples of the papers and reports which ones agree. [`claims`] measures their claims
//! about computing cost. [`lab`] presents the results of one model under all formulations and drift controls. [`models`]
//! contains the embedded model files, including those of the papers; [`text`] formats numbers and tables.
#![allow(non_snake_case)] // the theory's letter is the identifier

pub mod claims;
mod files;
pub mod lab;
pub mod models;
pub mod reproduce;
pub mod text;

pub use files::WriteError;
