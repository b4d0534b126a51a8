//! Air: lifting lines in a moving medium, and discs with induced velocity.
//!
//! ```text
//!  Air ── wind, density, speed of sound
//!  Polar ── cl, cd, cm of a section by angle of attack and Mach number
//!  Wing ── a line of sections on a marker or along a beam
//!  Disc ── induced velocity of the wings that belong to it
//! ```
//!
//! [`Spec::build`](crate::Spec::build) turns a disc with all its wings, or a wing without a disc, into one force
//! ([`AirLoad`]): sums over blades, the momentum equation and the states of inflow and wake stay inside one element.
//!
//! - `section`: velocities → angle of attack → loads of one section
//! - `polar`: coefficients, one file per kind
//! - `unsteady`: lag of the circulation
//! - `line`: stations on a marker or between two nodes
//! - `inflow`: induced velocity, one file per kind
//! - `load`: the force

mod disc;
mod distribution;
mod formula_field;
mod inflow;
mod line;
mod load;
mod medium;
mod momentum;
mod output;
mod polar;
mod quadrature;
mod section;
mod unsteady;
mod wing;

pub use disc::Disc;
pub use distribution::Distribution;
pub use inflow::{Inflow, LinearInflow, TipLoss};
pub use load::AirLoad;
pub(crate) use load::NamedWing;
pub use medium::{Air, Field};
pub use polar::{FormulaPolar, LinearPolar, PlatePolar, Polar, PolarGrid, PolarTable, SinePolar};
pub use unsteady::Unsteady;
pub use wing::{StationColumns, Wing};
