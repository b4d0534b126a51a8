//! Pictures of a run.
//!
//! ```text
//! run folder ─▶ Scene (what there is) + Film (where it was when) ─▶ page for the browser, stroboscopic still
//!                                     └─▶ pack (few bytes) ─▶ server on 127.0.0.1, or a report: one file
//! ```
//!
//! [`staging`] makes both of a run. [`scene`] holds what is drawn and where it sits on its body; [`film`] the poses over
//! time. Neither knows how it will be drawn: the page (TypeScript, three.js) and the still draw the same scene. [`pack`]
//! writes them, the columns and all that is told about a run for the page; [`page`] is that page, [`server`] serves it.
#![allow(non_snake_case)] // the theory's letter is the identifier

mod base64;
mod error;
pub mod film;
pub mod pack;
pub mod page;
pub mod scene;
pub mod server;
pub mod staging;
pub mod strobe;

pub use error::ViewError;
