//! Constraints for fully implicit code g(t, y, ẏ) = 0: the residual with multipliers appended.

use crate::error::{ConstrainError, check_size};
use crate::functions::ConstraintFunctions;
use crate::ode_options::StateMap;
use crate::sparse_rows::SparseRows;

/// The level at which the appended rows hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImplicitForm {
    /// A v̇ = b and A q̇ = −φ_t: index 1, for any implicit integrator; project after each step.
    Index1,
    /// φ̇ = 0 and φ = 0: index 2, for integrators of stiff accuracy (BDF, Radau IIA); nothing drifts.
    Index2,
}

/// Which rows of g belong to the mechanism.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResidualRows {
    /// For each coordinate the row q̇ − v = 0.
    pub kinematic: Vec<usize>,
    /// For each coordinate the row M v̇ − f = 0.
    pub motion: Vec<usize>,
}

/// g(t, y, ẏ) with constraints.
///
/// ```text
///  Y = (y, λ, μ)
///  kinematic rows   q̇ − v − Aᵀ μ = 0
///  rows of motion   M v̇ − f − Aᵀ λ = 0
///  rows of λ        A v̇ − b = 0        or  φ̇ = 0, ψ = 0
///  rows of μ        A q̇ + φ_t = 0      or  φ = 0
/// ```
///
/// \[Masarati2010\] eq. (10) with W = I has index 1; with φ and φ̇ in place of their derivatives it is the stabilised
/// form of Gear, Gupta and Leimkuhler, of index 2. Signs are those of this crate: Aᵀλ is the force of the constraints.
#[derive(Debug)]
pub struct ConstrainedResidual<C> {
    map: StateMap,
    rows: ResidualRows,
    form: ImplicitForm,
    constraints: C,
    A: SparseRows,
    q: Vec<f64>,
    v: Vec<f64>,
    qdot: Vec<f64>,
    vdot: Vec<f64>,
    scratch: Vec<f64>,
    values: Vec<f64>,
    applied: Vec<f64>,
}

impl<C: ConstraintFunctions> ConstrainedResidual<C> {
    /// Checks sizes and indices.
    pub fn new(
        map: StateMap,
        rows: ResidualRows,
        constraints: C,
        form: ImplicitForm,
    ) -> Result<ConstrainedResidual<C>, ConstrainError> {
        let n = map.n();
        check_size("the coordinates of the constraints", n, constraints.coordinates())?;
        check_size("the list of rates", n, map.rates.len())?;
        check_size("the kinematic rows", n, rows.kinematic.len())?;
        check_size("the rows of motion", n, rows.motion.len())?;
        let indices = map.positions.iter().chain(&map.rates).chain(&rows.kinematic).chain(&rows.motion);
        if let Some(index) = indices.copied().find(|i| *i >= map.states) {
            return Err(ConstrainError::Index { what: "a list of indices", index, limit: map.states });
        }
        let A = constraints.pattern();
        let m = A.rows();
        Ok(ConstrainedResidual {
            q: vec![0.0; n],
            v: vec![0.0; n],
            qdot: vec![0.0; n],
            vdot: vec![0.0; n],
            scratch: vec![0.0; n],
            values: vec![0.0; m],
            applied: vec![0.0; m],
            map,
            rows,
            form,
            constraints,
            A,
        })
    }

    /// Entries of Y = (y, λ, μ): λ for all rows, μ for those of φ.
    pub fn size(&self) -> usize {
        self.map.states + self.A.rows() + self.constraints.position_rows()
    }

    /// G(t, Y, Ẏ) from the user's g(t, y, ẏ).
    pub fn residual(
        &mut self,
        t: f64,
        Y: &[f64],
        Ydot: &[f64],
        G: &mut [f64],
        mut g: impl FnMut(f64, &[f64], &[f64], &mut [f64]),
    ) -> Result<(), ConstrainError> {
        for (what, found) in [("Y", Y.len()), ("Ẏ", Ydot.len()), ("G", G.len())] {
            check_size(what, self.size(), found)?;
        }
        let (states, m, p) = (self.map.states, self.A.rows(), self.constraints.position_rows());
        let (y, multipliers) = Y.split_at(states);
        let (lambda, mu) = multipliers.split_at(m);
        let (of_g, appended) = G.split_at_mut(states);
        g(t, y, &Ydot[..states], of_g);
        for k in 0..self.map.n() {
            (self.q[k], self.v[k]) = (y[self.map.positions[k]], y[self.map.rates[k]]);
            (self.qdot[k], self.vdot[k]) = (Ydot[self.map.positions[k]], Ydot[self.map.rates[k]]);
        }
        self.constraints.jacobian(t, &self.q, &self.v, &mut self.A)?;
        // −Aᵀ λ on the rows of motion, −Aᵀ μ on the kinematic rows.
        self.scratch.fill(0.0);
        self.A.add_transposed_times(lambda, &mut self.scratch);
        self.rows.motion.iter().zip(&self.scratch).for_each(|(row, x)| of_g[*row] -= x);
        self.scratch.fill(0.0);
        self.values.fill(0.0);
        self.values[..p].copy_from_slice(mu);
        self.A.add_transposed_times(&self.values, &mut self.scratch);
        self.rows.kinematic.iter().zip(&self.scratch).for_each(|(row, x)| of_g[*row] -= x);
        let (of_lambda, of_mu) = appended.split_at_mut(m);
        self.constraints.velocity(t, &self.q, &self.v, &self.A, &mut self.values)?;
        match self.form {
            ImplicitForm::Index2 => {
                of_lambda.copy_from_slice(&self.values);
                self.constraints.position(t, &self.q, of_mu)?;
            }
            ImplicitForm::Index1 => {
                // A q̇ + φ_t = φ̇ + A (q̇ − v).
                (0..self.map.n()).for_each(|k| self.scratch[k] = self.qdot[k] - self.v[k]);
                self.A.times(&self.scratch, &mut self.applied);
                (0..p).for_each(|i| of_mu[i] = self.values[i] + self.applied[i]);
                self.constraints.acceleration(t, &self.q, &self.v, &self.A, &mut self.values)?;
                self.A.times(&self.vdot, &mut self.applied);
                (0..m).for_each(|i| of_lambda[i] = self.applied[i] - self.values[i]);
            }
        }
        Ok(())
    }
}
