//! Adapter: a published method for dense matrices as a formulation of the block equations.

use super::{
    CoordinateVelocity, DenseEquations, DenseFormulation, DenseSolution, Exactness, Formulation, SolveError, Stiffness,
};
use crate::equations::Equations;
use nalgebra::{DMatrix, DVector};
use taut_constrain::RowWeighting;

/// The dense matrices of the last state, and the method that uses them.
#[derive(Debug)]
pub struct DenseAdapter {
    method: Box<dyn DenseFormulation>,
    full: Option<DenseEquations>,
    /// What each row is divided by; none for rows as written.
    divisors: Option<Vec<f64>>,
}

impl DenseAdapter {
    /// With a method, the scale of each row, diag(A M⁻¹ Aᵀ), and the weighting of the rows.
    pub fn new(method: Box<dyn DenseFormulation>, scale: &[f64], weighting: RowWeighting) -> DenseAdapter {
        let divisors = match weighting {
            RowWeighting::AsWritten => None,
            RowWeighting::Scaled => Some(scale.iter().map(|s| s.sqrt()).collect()),
        };
        DenseAdapter { method, full: None, divisors }
    }

    /// The equations with their rows in the chosen weighting. A penalty acts on the rows as written.
    fn weighted(&self, eq: &Equations) -> DenseEquations {
        let mut full = DenseEquations::from(eq);
        if let (Some(divisors), Exactness::Exact) = (&self.divisors, self.method.exactness()) {
            let kept = rows_with_entries(&eq.dense_jacobian(), &eq.b);
            for (i, r) in kept.into_iter().enumerate() {
                let d = divisors[r];
                full.A.row_mut(i).unscale_mut(d);
                full.B.row_mut(i).unscale_mut(d);
                [&mut full.b, &mut full.phi, &mut full.phidot, &mut full.phi_t].into_iter().for_each(|x| x[i] /= d);
            }
        }
        full
    }
}

/// The assembled equations of a state as dense matrices, without zero rows such as those of an inactive constraint.
impl From<&Equations> for DenseEquations {
    fn from(eq: &Equations) -> DenseEquations {
        let A = eq.dense_jacobian();
        let rows = rows_with_entries(&A, &eq.b);
        let vector = |x: &[f64]| DVector::from_iterator(rows.len(), rows.iter().map(|r| x[*r]));
        DenseEquations {
            M: eq.dense_mass(),
            f: DVector::from_column_slice(&eq.f),
            B: eq.dense_reactions().select_rows(&rows),
            b: vector(&eq.b),
            phi: vector(&eq.phi),
            phidot: vector(eq.phidot.last()),
            phi_t: vector(&eq.phi_t),
            levels: rows.iter().map(|r| eq.layout.levels[*r]).collect(),
            symmetry: eq.layout.symmetry,
            A: A.select_rows(&rows),
        }
    }
}

/// Rows with a nonzero entry in A or b.
fn rows_with_entries(A: &DMatrix<f64>, b: &[f64]) -> Vec<usize> {
    (0..A.nrows()).filter(|r| b[*r] != 0.0 || A.row(*r).iter().any(|a| *a != 0.0)).collect()
}

impl Formulation for DenseAdapter {
    fn prepare(&mut self, _eq: &Equations) {}

    fn solve(&mut self, eq: &Equations, vdot: &mut [f64], lambda: &mut [f64]) -> Result<(), SolveError> {
        let full = self.weighted(eq);
        let full = self.full.insert(full);
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
            rows_with_entries(&eq.dense_jacobian(), &eq.b).into_iter().zip(l.iter()).for_each(|(r, l)| lambda[r] = *l);
        }
        if let (Some(divisors), Exactness::Exact) = (&self.divisors, self.method.exactness()) {
            lambda.iter_mut().zip(divisors).for_each(|(l, d)| *l /= d);
        }
        Ok(())
    }

    fn unsupported_reason(&mut self, eq: &Equations) -> Option<String> {
        self.method.unsupported_reason(&DenseEquations::from(eq))
    }

    fn exactness(&self) -> Exactness {
        self.method.exactness()
    }

    fn coordinate_velocity(&self) -> CoordinateVelocity {
        self.method.coordinate_velocity()
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
        self.method.stiffness(&DenseEquations::from(eq))
    }
}
