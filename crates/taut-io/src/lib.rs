//! Files for Taut: model files, URDF and MJCF in; result folders, tables and pictures out.
//!
//! [`model`] reads and writes the TOML model file, whose language `docs/model-file.md` defines; [`diagnostic`] says
//! what is wrong with one, and where. [`urdf`] and [`mjcf`] read robots; what they share is in [`robot`]. [`mesh`] reads
//! surfaces of triangles, [`matrices`] writes linear systems for other programs. [`results`]
//! writes runs to disk as they go and reads them back, [`plot`] draws them. The engine itself knows no files.
#![allow(non_snake_case)] // the theory's letter is the identifier

pub mod diagnostic;
pub mod matrices;
pub mod mesh;
pub mod mjcf;
pub mod model;
pub mod plot;
pub mod results;
pub mod robot;
pub mod urdf;
