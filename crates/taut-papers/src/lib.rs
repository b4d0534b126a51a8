//! The papers behind Taut, held against it.
//!
//! [`reproduce`] computes the numerical examples of the papers anew and says which are met. [`claims`] measures what they
//! say about cost. [`lab`] tells what became of one model under every published way to add its constraints. [`models`]
//! are the model files that come along, among them those of the papers; [`text`] writes numbers and tables for people.
#![allow(non_snake_case)] // the theory's letter is the identifier

pub mod claims;
pub mod lab;
pub mod models;
pub mod reproduce;
pub mod text;
mod writing;

pub use writing::WriteError;
