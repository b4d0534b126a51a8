//! The stiffness K of a pose, and the bordered matrix with its constraints.
//!
//! ```text
//!  K + C ∂v/∂δ + M ∂v̇/∂δ     the last two terms in a steady rotation
//!  E                          a small fraction of |A|²/K, row by row
//! ```

use super::{EquilibriumEquations, RowDependence};
use crate::analyses::statics::rotation::BodyRotation;
use crate::analyses::statics::{EquilibriumPoint, StaticsError};
use crate::state::ConstraintMode;
use crate::tangent::DifferenceAccuracy;

/// E of rows that may depend on each other, relative to |A|²/K.
const DEPENDENT_ROW_SHIFT: f64 = 1e-9;
/// E of independent rows.
const INDEPENDENT_ROW_SHIFT: f64 = 1e-14;
/// Least stiffness of a velocity in E, relative to the largest.
const STIFFNESS_FLOOR: f64 = 1e-3;
/// A stiffness computed by differences counts as zero below this, relative to the largest.
const ZERO_STIFFNESS_BY_DIFFERENCES: f64 = 1e-10;
/// The same for exact derivatives.
const ZERO_STIFFNESS_EXACT: f64 = 1e-15;

impl EquilibriumEquations<'_> {
    /// Factors the stiffness of an evaluated pose plus `viscous` times M.
    pub fn factor(&mut self, here: &EquilibriumPoint, viscous: f64) -> Result<(), StaticsError> {
        self.evaluate_stiffness(here, DifferenceAccuracy::SecondOrder);
        self.set_shift();
        self.assemble_matrix(viscous);
        if self.matrix.sparse.factor().is_err() {
            return Err(self.free_motion_error());
        }
        Ok(())
    }

    /// The same with a small stiffness everywhere, so that free motions do not make it singular.
    pub fn factor_regularised(&mut self, here: &EquilibriumPoint) -> Result<(), StaticsError> {
        self.evaluate_stiffness(here, DifferenceAccuracy::SecondOrder);
        self.set_shift();
        self.assemble_matrix(0.0);
        self.add_to_diagonal(self.regularisation());
        if self.matrix.sparse.factor().is_err() {
            return Err(self.free_motion_error());
        }
        Ok(())
    }

    /// A small stiffness that exceeds the errors of differences.
    pub fn regularisation(&self) -> f64 {
        4.0 * self
            .zero_stiffness_so_far
            .max(1e-14 * self.max_stiffness)
            .max(1e-9 * self.force_scale / self.length_scale)
    }

    /// Adds a stiffness to every velocity of the matrix.
    pub(super) fn add_to_diagonal(&mut self, little: f64) {
        let pattern = self.tangent.pattern.clone();
        for pair in pattern.blocks.iter().filter(|p| p.row == p.column) {
            let n = self.model.bodies[pair.row].v.len();
            (0..n).for_each(|i| self.matrix.bodies_by_bodies()[pair.start + i * (n + 1)] += little);
        }
    }

    /// Evaluates K at an evaluated pose.
    pub fn evaluate_stiffness(&mut self, here: &EquilibriumPoint, closeness: DifferenceAccuracy) {
        self.soft_motions.clear();
        self.tangent.evaluate(&self.model, (&here.state).into(), &self.vdot, &here.lambda, closeness);
        if let Some(rotation) = self.rotation.clone() {
            self.add_rotation(&rotation);
        }
        self.max_stiffness = self.tangent.K.iter().fold(0.0, |a, k| k.abs().max(a));
        self.max_stiffness_so_far = self.max_stiffness_so_far.max(self.max_stiffness);
        self.zero_stiffness_so_far = self.zero_stiffness_so_far.max(self.zero_stiffness());
    }

    /// Fills the bordered matrix from K, M, A and E.
    pub(super) fn assemble_matrix(&mut self, viscous: f64) {
        self.matrix.bodies_by_bodies().copy_from_slice(&self.tangent.K);
        if viscous > 0.0 {
            let pattern = self.tangent.pattern.clone();
            for pair in pattern.blocks.iter().filter(|p| p.row == p.column) {
                let M = &self.eq.M[self.model.bodies[pair.row].mass.clone()];
                self.matrix.bodies_by_bodies()[pair.start..].iter_mut().zip(M).for_each(|(k, m)| *k += viscous * m);
            }
        }
        self.matrix.rows_by_bodies().copy_from_slice(&self.eq.A);
        let exerted = if self.eq.B.is_empty() { &self.eq.A } else { &self.eq.B };
        self.matrix.reactions().iter_mut().zip(exerted).for_each(|(r, b)| *r = -b);
        self.matrix.shift().copy_from_slice(&self.shift);
        self.matrix.r_by_z().fill(0.0);
        self.matrix.z_by_v().fill(0.0);
        self.matrix.z_by_z().fill(0.0);
        self.matrix.z_diagonal().fill(1.0);
    }

    /// K += C ∂v/∂δ + M ∂v̇/∂δ.
    fn add_rotation(&mut self, rotation: &BodyRotation) {
        let pattern = self.tangent.pattern.clone();
        for pair in &pattern.blocks {
            let (n, m) = (self.model.bodies[pair.row].v.len(), self.model.bodies[pair.column].v.len());
            let [by_v, by_vdot] = rotation.rate_derivatives(pair.column, m);
            let M = &self.eq.M[self.model.bodies[pair.row].mass.clone()];
            for j in 0..m {
                for i in 0..n {
                    let damping = (0..m).map(|l| self.tangent.C[pair.start + l * n + i] * by_v[(l, j)]).sum::<f64>();
                    let inertia = match pair.row == pair.column {
                        true => (0..m).map(|l| M[l * n + i] * by_vdot[(l, j)]).sum::<f64>(),
                        false => 0.0,
                    };
                    self.tangent.K[pair.start + j * n + i] += damping + inertia;
                }
            }
        }
    }

    /// Sets E of each row, for λ in its own units; 1 for inactive rows.
    fn set_shift(&mut self) {
        let relative =
            if self.row_dependence == RowDependence::Dependent { DEPENDENT_ROW_SHIFT } else { INDEPENDENT_ROW_SHIFT };
        let mut stiff = vec![0.0_f64; self.model.sizes.v];
        let pattern = self.tangent.pattern.clone();
        for pair in pattern.blocks.iter().filter(|p| p.row == p.column) {
            let v = self.model.bodies[pair.row].v.clone();
            v.clone().enumerate().for_each(|(i, k)| stiff[k] = self.tangent.K[pair.start + i * v.len() + i].abs());
        }
        let floor = if self.max_stiffness > 0.0 { STIFFNESS_FLOOR * self.max_stiffness } else { 1.0 };
        for (c, mode) in self.model.constraints.iter().zip(&self.modes) {
            for (r, row) in c.rows.clone().enumerate() {
                let mut sum = 0.0;
                for block in &c.blocks {
                    let v = self.model.bodies[block.body].v.clone();
                    let a = &self.eq.A[block.start + r * v.len()..];
                    sum += v.zip(a).map(|(k, a)| a * a / stiff[k].max(floor)).sum::<f64>();
                }
                let idle = *mode == ConstraintMode::Idle || sum == 0.0;
                self.shift[row] = if idle { 1.0 } else { relative * sum };
            }
        }
    }

    /// Largest stiffness that counts as zero.
    pub(super) fn zero_stiffness(&self) -> f64 {
        let mut by_differences = 0.0_f64;
        for pair in &self.tangent.pattern.blocks {
            let (row, column) = (&self.model.bodies[pair.row].v, &self.model.bodies[pair.column].v);
            if row.is_empty()
                || column.is_empty()
                || self.exact_stiffness[row.start]
                || self.exact_stiffness[column.start]
            {
                continue;
            }
            let block = &self.tangent.K[pair.start..pair.start + row.len() * column.len()];
            by_differences = block.iter().fold(by_differences, |a, k| k.abs().max(a));
        }
        ZERO_STIFFNESS_BY_DIFFERENCES * by_differences + ZERO_STIFFNESS_EXACT * self.max_stiffness
    }

    /// K of the present factor as a dense matrix.
    pub fn dense_stiffness(&self) -> nalgebra::DMatrix<f64> {
        self.tangent.dense_stiffness(&self.model)
    }
}
