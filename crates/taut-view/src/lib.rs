//! Pictures of a run.
//!
//! ```text
//! run folder ─▶ Scene (what there is) + Film (where it was when) ─▶ page for the browser, stroboscopic still
//! ```
//!
//! [`scene`] holds what is drawn and where it sits on its body; [`film`] the poses over time. Neither knows how it will
//! be drawn: the page (TypeScript, three.js) and the still draw the same scene.

pub mod film;
pub mod scene;
