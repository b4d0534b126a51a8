//! Time stepping with steps of fixed length, for many contacts.
//!
//! Impacts, contacts and friction are not located as events; everything within a step is one problem for its
//! impulses (\[Moreau1988\], \[Jean1999\], \[AcaryBrogliato2008\]). A step of length h from (q₀, v₀):
//!
//! ```text
//!  q_m = q₀ ⊕ ½ h v₀                                   the middle: M, A, f there
//!  M (v₁ − v₀) = h f(q_m, ½(v₀ + v₁)) + Aᵀ P + Jᵀ p     motion
//!  A ½(v₀ + v₁) + φ_t = 0                               joints
//!  u = J v₁:  u + e u₀ ≥ 0 ⊥ p ≥ 0                      gaps that close in this step with a rate u₀ < 0
//!             u + φ/h  ≥ 0 ⊥ p ≥ 0                      all other nearby gaps, with Coulomb friction in both
//!             u = 0 while p is within h times its bounds   friction constraints
//!  d = ½ h (v₀ + v₁) + M⁻¹ Jᵀ π:  φ + J d ≥ 0 ⊥ π ≥ 0    displacement: no penetration, and a body that
//!  q₁ = q₀ ⊕ d                                           is pushed gains no speed
//! ```
//!
//! Then q₁ and v₁ are projected onto the joints, and q₁ onto φ ≥ 0 where curved surfaces violate it. This is the midpoint
//! rule, of second order for smooth motion. At an impact the rebound uses the rates at the start of the
//! step: first order. In a uniform field the work of the blocks, Σ p·½(u₀ + u₁), is the only change of
//! the energy besides the work of π, and an elastic rebound conserves it to round-off.
//!
//! A gap that closes slower than the forces could drive it in one step does not rebound: bodies come to rest in finite
//! time. Islands at rest fall asleep (`sleep.rs`).

mod audit;
mod block_assembly;
mod checkpoint;
mod contact_detection;
mod contact_ledger;
mod impulse_response;
mod impulse_solver;
mod islands;
mod law_blocks;
mod losses;
mod scheme;
mod settings;
mod simulation;
mod sleep;
mod step_events;
#[cfg(test)]
mod tests;

pub(crate) use checkpoint::TimeSteppingCheckpoint;
pub use settings::TimeSteppingSettings;
pub use simulation::TimeSteppingSimulation;

use crate::model::Model;
use crate::simulation::AnalysisError;
use crate::simulation::run::Run;
use crate::solution::Solution;
use crate::state::State;

/// Runs from a state to the end.
///
/// A numerical stop is not an error: the solution has an outcome that says why, and all rows before it.
///
/// # Errors
/// Invalid settings, a state that does not fit, joints that cannot be met at the start, too many pairs of
/// compliant contacts.
pub fn simulate(model: &Model, state: &State, settings: &TimeSteppingSettings) -> Result<Solution, AnalysisError> {
    let mut simulation = TimeSteppingSimulation::new(model, state, settings)?;
    simulation.run();
    Ok(simulation.into_solution())
}
