//! Complementarity problems: impulses and forces under set-valued laws (contact, Coulomb friction, bounded drives, stops).
//!
//! Given the Delassus matrix G = A M⁻¹ Aᵀ (symmetric, positive semidefinite), a vector c and a law for each block of
//! rows, find p and u with
//!
//! ```text
//!  u = G p + c,      (p, u) of every block satisfies its law
//! ```
//!
//! At an impact p are impulses and u velocities; in a stick/slip decision they are forces and accelerations; in a time step p are the
//! impulses over the step (\[Moreau1988\], \[Jean1999\]). Every [`ComplementarityLaw`] is a projection: p is the point of the admissible set P nearest to
//! p − r u, for any r > 0 (\[AlartCurnier1991\]):
//!
//! ```text
//!  p = proj_P (p − r u),      P = {p_n ≥ 0}, an interval, a disc, a ball, or a disc whose radius is μ p_n
//! ```
//!
//! The residual of this equation is the residual of the law. It is computed in variables scaled with the diagonal of G,
//! p̂ = √G_ii p and û = u / √G_ii. In these variables r = 1, and force and torque rows have the same unit, the square root of an
//! energy. The rows of a disc or ball have a common scale, so that it remains a disc or ball.
//!
//! - [`dense`]: small problems, solved to round-off, also with redundant rows;
//! - [`sweep`]: very many contacts, without forming G.
//!
//! For existence and uniqueness see \[AcaryBrogliato2008\]: without friction u is unique; with friction there may be no solution or
//! several.

mod ball;
mod block_solver;
pub mod dense;
mod laws;
mod newton;
mod scaled_problem;
mod status;
pub mod sweep;

pub use laws::{ComplementarityError, ComplementarityLaw};
pub use status::{BlockStatus, SolverOutcome};
