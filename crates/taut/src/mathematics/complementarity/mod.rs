//! Impulses and forces under set-valued laws: contact, Coulomb friction, bounded drives, stops.
//!
//! Given the Delassus matrix G = A M⁻¹ Aᵀ (symmetric, positive semidefinite), a vector c and a law for every block of
//! rows, find p and u with
//!
//! ```text
//!  u = G p + c,      (p, u) of every block obeys its law
//! ```
//!
//! At an impact p are impulses and u velocities, in a stick/slip decision forces and accelerations, in a time step the
//! impulses over the step ([Moreau1988], [Jean1999]). Every [`Law`] says that p is the nearest point, to p − r u, of
//! the set P that p is confined to, for any r > 0 ([AlartCurnier1991]):
//!
//! ```text
//!  p = proj_P (p − r u),      P = {p_n ≥ 0}, an interval, a disc, a ball, or a disc whose radius is μ p_n
//! ```
//!
//! What is left of this equation is the residual of the law. It is taken in the metric of G's own diagonal,
//! p̂ = √G_ii p and û = u / √G_ii, where r = 1 and where rows of force and of torque have one unit, the root of an
//! energy. The rows of a disc or ball share one scale, so that it stays one.
//!
//! - [`dense`]: small problems to round-off, redundant rows included;
//! - [`sweep`]: very many contacts without ever forming G.
//!
//! What is known of existence and uniqueness is in [AcaryBrogliato2008]: u is unique without friction; with it
//! there may be none or several.

mod ball;
pub mod dense;
mod laws;
mod local;
mod newton;
mod scaled;
mod status;
pub mod sweep;

pub use laws::{Law, Misfit};
pub use status::{Outcome, Status};
