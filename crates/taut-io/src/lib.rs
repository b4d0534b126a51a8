//! Files for Taut: model files, URDF and MJCF in; result folders, tables and pictures out.
//!
//! [`model`] reads and writes the TOML model file that `docs/model-file.md` describes; [`diagnostic`] reports its errors.
//! [`urdf`] and [`mjcf`] read robots; what they share is in [`robot`]. [`mesh`] reads surfaces of triangles, [`matrices`]
//! writes linear systems for other programs. [`results`]
//! writes runs to disk and reads them back, [`plot`] draws them. The engine itself does not use files.
#![allow(non_snake_case)] // the theory's letter is the identifier

pub mod diagnostic;
pub mod matrices;
pub mod mesh;
pub mod mjcf;
pub mod model;
#[cfg(feature = "parquet")]
mod parquet_column;
pub mod plot;
mod regular_file;
pub mod results;
pub mod robot;
pub mod urdf;
