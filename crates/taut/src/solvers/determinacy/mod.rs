//! Which reactions the equations of motion determine.
//!
//! ```text
//!  M v̇ = f + Aᵀλ          Aᵀ n = 0: a self-stress n loads joints against each other and no body
//!  x = C λ                 components of the reactions, force and moment of each joint
//!  x is unique             where C n = 0 for every self-stress n
//! ```
//!
//! A component is unique if no self-stress changes it, and so is any combination cᵀx with cᵀC n = 0. Components that a self-stress
//! changes together trade load (\[Wojtyra2005\]).

pub(crate) mod components;
mod echelon;
mod large_sharing;
mod one_sided;
pub(crate) mod self_stress;
pub(crate) mod sharing;

pub(crate) use components::{ComponentAxes, ROUND_OFF, ReactionComponent, reaction_components};
pub(crate) use echelon::Echelon;
pub(crate) use self_stress::{StressGroup, self_stress};

use crate::solvers::rank::SparseRow;
use nalgebra::DMatrix;
use std::borrow::Borrow;

/// A component counts as unchanged by a self-stress if its sum is below this, relative to the sum of the magnitudes of its terms.
const CANCELLATION_TOLERANCE: f64 = 1e-9;

/// Change of a component, a function of the multipliers, by one unit of a self-stress; exactly zero where terms cancel.
pub(crate) fn change(component: &SparseRow, stress: &SparseRow) -> f64 {
    let term = |(r, c): &(usize, f64)| {
        let at = stress.binary_search_by_key(r, |(k, _)| *k);
        at.map_or(0.0, |i| c * stress[i].1)
    };
    let (sum, size) = component.iter().map(term).fold((0.0_f64, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
    if sum.abs() > CANCELLATION_TOLERANCE * size { sum } else { 0.0 }
}

/// Changes of the components by one unit of each self-stress; exactly zero where terms cancel.
pub(crate) fn stress_matrix<S: Borrow<SparseRow>>(components: &[ReactionComponent], stresses: &[S]) -> DMatrix<f64> {
    DMatrix::from_fn(components.len(), stresses.len(), |i, j| change(&components[i].rows, stresses[j].borrow()))
}
