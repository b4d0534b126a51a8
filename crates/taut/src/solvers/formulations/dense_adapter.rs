//! Adapter: a published method for dense matrices as a formulation of the block equations.

use super::{DenseEquations, DenseFormulation, DenseSolution, Exactness, Formulation, SolveError, Steers, Stiffness};
use crate::equations::Equations;
use nalgebra::DVector;

/// The dense matrices of the last state, and the method that uses them.
#[derive(Debug)]
pub struct DenseAdapter {
    method: Box<dyn DenseFormulation>,
    full: Option<DenseEquations>,
}

impl DenseAdapter {
    /// With a method.
    pub fn new(method: Box<dyn DenseFormulation>) -> DenseAdapter {
        DenseAdapter { method, full: None }
    }
}

impl Formulation for DenseAdapter {
    fn prepare(&mut self, _eq: &Equations) {}

    fn solve(&mut self, eq: &Equations, vdot: &mut [f64], lambda: &mut [f64]) -> Result<(), SolveError> {
        let full = self.full.insert(DenseEquations::from_equations(eq));
        let DenseSolution { vdot: a, lambda: l } = self.method.solve(full)?;
        if !a.iter().all(|x| x.is_finite()) {
            return Err(SolveError::NotFinite);
        }
        vdot.copy_from_slice(a.as_slice());
        if l.len() == lambda.len() {
            lambda.copy_from_slice(l.as_slice());
        } else {
            // Zero rows have zero multipliers.
            lambda.fill(0.0);
            DenseEquations::nonzero_rows(eq).into_iter().zip(l.iter()).for_each(|(r, l)| lambda[r] = *l);
        }
        Ok(())
    }

    fn unsupported_reason(&mut self, eq: &Equations) -> Option<String> {
        self.method.unsupported_reason(&DenseEquations::from_equations(eq))
    }

    fn exactness(&self) -> Exactness {
        self.method.exactness()
    }

    fn steers(&self) -> Steers {
        self.method.steers()
    }

    fn correct_coordinate_velocity(&mut self, _eq: &Equations, w: &mut [f64]) {
        if let Some(full) = &self.full {
            let mut moved = DVector::from_column_slice(w);
            self.method.correct_coordinate_velocity(full, &mut moved);
            w.copy_from_slice(moved.as_slice());
        }
    }

    fn restore_dependent_velocities(&mut self, dependent: &[usize]) {
        self.method.restore_dependent_velocities(dependent);
    }

    fn step_ended(&mut self) {
        self.method.step_ended();
    }

    fn dependent_velocities(&self) -> Option<&[usize]> {
        self.method.dependent_velocities()
    }

    fn stiffness(&mut self, eq: &Equations) -> Option<Stiffness> {
        self.method.stiffness(&DenseEquations::from_equations(eq))
    }
}
