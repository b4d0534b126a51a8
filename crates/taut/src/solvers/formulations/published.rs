//! Adapter: a published method for dense matrices as a formulation of the block equations.

use super::{Answer, Dense, Exactness, Formulation, Full, SolveError, Steers, Stiffness};
use crate::equations::Equations;
use nalgebra::DVector;

/// The dense matrices of the last state, and the method that uses them.
#[derive(Debug)]
pub struct Published {
    method: Box<dyn Dense>,
    full: Option<Full>,
}

impl Published {
    /// With a method.
    pub fn new(method: Box<dyn Dense>) -> Published {
        Published { method, full: None }
    }
}

impl Formulation for Published {
    fn prepare(&mut self, _eq: &Equations) {}

    fn solve(&mut self, eq: &Equations, vdot: &mut [f64], lambda: &mut [f64]) -> Result<(), SolveError> {
        let full = self.full.insert(Full::of(eq));
        let Answer { vdot: a, lambda: l } = self.method.solve(full)?;
        if !a.iter().all(|x| x.is_finite()) {
            return Err(SolveError::NotFinite);
        }
        vdot.copy_from_slice(a.as_slice());
        if l.len() == lambda.len() {
            lambda.copy_from_slice(l.as_slice());
        } else {
            // Zero rows have zero multipliers.
            lambda.fill(0.0);
            Full::rows_of(eq).into_iter().zip(l.iter()).for_each(|(r, l)| lambda[r] = *l);
        }
        Ok(())
    }

    fn refuses(&mut self, eq: &Equations) -> Option<String> {
        self.method.refuses(&Full::of(eq))
    }

    fn exactness(&self) -> Exactness {
        self.method.exactness()
    }

    fn steers(&self) -> Steers {
        self.method.steers()
    }

    fn steer(&mut self, _eq: &Equations, w: &mut [f64]) {
        if let Some(full) = &self.full {
            let mut moved = DVector::from_column_slice(w);
            self.method.steer(full, &mut moved);
            w.copy_from_slice(moved.as_slice());
        }
    }

    fn recall(&mut self, dependent: &[usize]) {
        self.method.recall(dependent);
    }

    fn step_ended(&mut self) {
        self.method.step_ended();
    }

    fn dependent(&self) -> Option<&[usize]> {
        self.method.dependent()
    }

    fn stiffness(&mut self, eq: &Equations) -> Option<Stiffness> {
        self.method.stiffness(&Full::of(eq))
    }
}
