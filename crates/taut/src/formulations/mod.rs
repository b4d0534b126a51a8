//! How v̇ and λ follow from the equations.
//!
//! A formulation sees M, f, A, b and nothing of bodies or joints. A new one is one file here and two lines below.

mod constraint_force;
mod non_symmetric;

pub use constraint_force::ConstraintForce;
pub use non_symmetric::NonSymmetric;

use crate::bodies::Symmetry;
use crate::equations::Equations;
use crate::kkt::{Policy, Projector, RowRank};
use crate::model::Model;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use thiserror::Error;

/// Why the reaction could not be found.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SolveError {
    /// The accelerations are not finite.
    #[error("the accelerations are not finite: a mass matrix is singular, or the state has left the domain of a force")]
    NotFinite,
}

/// A way to find v̇ and λ from M v̇ = f + Aᵀλ, A v̇ = b.
pub trait Formulation: Debug + Send {
    /// Takes the M and A of a state: factors, or whatever needs no right-hand side.
    fn prepare(&mut self, model: &Model, eq: &Equations);
    /// Finds v̇ and λ for f and b of the same state.
    fn solve(&mut self, model: &Model, eq: &Equations, vdot: &mut [f64], lambda: &mut [f64]) -> Result<(), SolveError>;
    /// Frees λ of what dependent rows exert on each other and on nothing else, for the state last solved.
    fn settle(&mut self, _model: &Model, _eq: &Equations, _lambda: &mut [f64]) {}
    /// [`prepare`](Formulation::prepare) and [`solve`](Formulation::solve) at once.
    fn prepare_and_solve(
        &mut self,
        model: &Model,
        eq: &Equations,
        vdot: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), SolveError> {
        self.prepare(model, eq);
        self.solve(model, eq, vdot, lambda)
    }
    /// What it takes its rows for, where it distinguishes.
    fn rows(&self) -> Option<(RowRank, Policy)> {
        None
    }
    /// The factor of [M Aᵀ; A −E] it has at hand, for projections with W = M.
    fn projector(&mut self) -> Option<&mut Projector> {
        None
    }
}

/// The formulations by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Sparse constraint-force algorithm, the default.
    #[default]
    ConstraintForce,
}

impl Method {
    /// The formulation for a model; non-symmetric mass matrices need one of their own.
    pub fn formulation(self, model: &Model, scale: &[f64], policy: &Policy) -> Box<dyn Formulation> {
        match (self, model.symmetry()) {
            (Method::ConstraintForce, Symmetry::Symmetric) => Box::new(ConstraintForce::new(model, scale, policy)),
            (Method::ConstraintForce, Symmetry::NonSymmetric) => Box::new(NonSymmetric::new(model, scale)),
        }
    }
}
