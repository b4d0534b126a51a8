//! Pictures of a run.
//!
//! ```text
//! run folder ─▶ Scene (what is drawn) + Film (poses over time) ─▶ page for the browser, stroboscopic picture
//!                                     └─▶ pack (compressed) ─▶ server on 127.0.0.1, or a report: one file
//! ```
//!
//! [`scene_graph`] builds both from a run. [`scene`] describes what is drawn and where it is attached to its body, [`film`] the
//! poses over time. Neither depends on the renderer: the page (TypeScript, three.js) and the stroboscopic picture ([`strobe`])
//! draw the same scene. [`pack`] compresses scene, film, columns and summary for the page; [`page`] is the page itself,
//! [`server`] serves it.
#![allow(non_snake_case)] // the theory's letter is the identifier

mod base64;
mod error;
pub mod film;
pub mod pack;
pub mod page;
pub mod scene;
pub mod scene_graph;
pub mod server;
pub mod strobe;

pub use error::ViewError;
