//! Pictures of a run.
//!
//! ```text
//! run folder ─▶ Scene (what there is) + Film (where it was when) ─▶ page for the browser, stroboscopic still
//! ```
//!
//! [`staging`] makes both of a run. [`scene`] holds what is drawn and where it sits on its body; [`film`] the poses over time. Neither knows how it will
//! be drawn: the page (TypeScript, three.js) and the still draw the same scene.

#![allow(non_snake_case)] // the theory's letter is the identifier

mod error;
pub mod film;
pub mod scene;
pub mod staging;

pub use error::ViewError;
