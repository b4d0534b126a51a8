//! The assembled equations: M, f, A, b and the residuals of one state.
//!
//! ```text
//!  1 bodies       q    → pose of every marker, M
//!  2 bodies       v    → twist and bias of every marker
//!  3 constraints       → φ, D, φ_t  → A = Σ D J,  φ̇ = Σ D·twist + φ_t
//!  4 bodies, forces    → q̇, f, ż
//!  5 constraints       → c          → b = −Σ D·bias − c
//! ```
//!
//! Steps 1–3 are [`assemble_positions`], steps 4–5 [`assemble_rates`]. Between them the velocities may be corrected ([`assemble_twists`]), because all
//! results of steps 1–3 that the correction uses depend on positions (and on v only for constraints nonlinear in v).

mod assembly;
mod marker_kinematics;
mod rows;
mod velocity_residual;

pub use crate::model::{ConstraintBlocks, Layout, MassBlock};
pub(crate) use assembly::{
    angle_of_coordinates, assemble_body_positions, assemble_body_rates, assemble_body_twists, change_charts,
};
pub use assembly::{
    assemble, assemble_positions, assemble_rates, assemble_residual_rates, assemble_twists, initialise_turn_counters,
    set_coordinate_rates,
};
pub use marker_kinematics::{MarkerKinematics, StateView};
pub(crate) use rows::{InactiveRowTreatment, assemble_constraint_positions, assemble_constraint_rates};
pub use velocity_residual::VelocityResidual;

use crate::bodies::Symmetry;
use crate::laws::ConstraintLaw;
use crate::marker::MarkerPlacement;
use crate::model::{ConstraintEntry, JacobianBlock, Model};
use nalgebra::DMatrix;
use std::sync::Arc;

/// M, f, A, b, φ, φ̇, q̇, ż. Each field belongs to the state of the last call that fills it:
///
/// ```text
///  assemble_positions        M, A, B, φ, φ_t, φ̇ and the inactive rows except their b
///  assemble_rates            f, b, q̇, ż, the b of inactive rows; φ_t of constraints nonlinear in v
///  assemble                  all except φ̇ and the inactive rows
///  assemble_residual_rates   φ̇ and the rate of inactive rows
/// ```
///
/// After [`assemble_positions`] and [`assemble_rates`] at one state, or [`assemble`] and [`assemble_residual_rates`], all fields belong to that state.
/// φ̇ is outdated after [`assemble`] and after [`assemble_twists`], until it is computed again; [`VelocityResidual`] keeps track of this.
#[derive(Clone, Debug)]
pub struct Equations {
    /// Positions of the blocks of M and A.
    pub layout: Arc<Layout>,
    /// Blocks of the mass matrix, one body after the other, column by column.
    pub M: Vec<f64>,
    /// Generalised forces.
    pub f: Vec<f64>,
    /// Blocks of the constraint Jacobian, row by row; the layout gives their positions.
    pub A: Vec<f64>,
    /// Generalised force of a unit of each multiplier, laid out like A; empty if it is Aᵀ (symmetric mass matrices).
    pub B: Vec<f64>,
    /// Right-hand side of A v̇ = b.
    pub b: Vec<f64>,
    /// Position residual; zero for rows that have none.
    pub phi: Vec<f64>,
    /// Velocity residual; zero for rows that have none. It may be older than the other fields, and keeps track of this.
    pub phidot: VelocityResidual,
    /// Explicit rate: φ̇ = A v + φ_t.
    pub phi_t: Vec<f64>,
    /// Rates of the coordinates.
    pub qdot: Vec<f64>,
    /// Rates of the extra states.
    pub zdot: Vec<f64>,
    /// The inactive rows.
    pub inactive: InactiveRows,
}

/// The values that inactive rows of constraints with a law would have; A and b are zero there. Empty if no constraint
/// has a law. [`assemble_positions`] and [`assemble_rates`] fill it; the single-pass [`assemble`] skips inactive rows.
#[derive(Clone, Debug, Default)]
pub struct InactiveRows {
    /// Their Jacobian, laid out like A.
    pub A: Vec<f64>,
    /// Their gaps.
    pub phi: Vec<f64>,
    /// Their rates; as old as φ̇.
    pub rate: Vec<f64>,
    /// Explicit part of the rates.
    pub phi_t: Vec<f64>,
    /// Their right-hand sides: their accelerations are A v̇ − b.
    pub b: Vec<f64>,
}

impl InactiveRows {
    fn new(model: &Model) -> InactiveRows {
        if model.constraints.iter().all(|c| c.law == ConstraintLaw::Bilateral) {
            return InactiveRows::default();
        }
        let rows = || vec![0.0; model.rows.len()];
        InactiveRows { A: vec![0.0; model.jacobian_values], phi: rows(), rate: rows(), phi_t: rows(), b: rows() }
    }
}

impl Equations {
    /// Allocates the equations of a model.
    pub fn new(model: &Model) -> Equations {
        let rows = model.rows.len();
        Equations {
            layout: model.layout.clone(),
            M: vec![0.0; model.mass_values],
            f: vec![0.0; model.sizes.v],
            A: vec![0.0; model.jacobian_values],
            B: match model.symmetry() {
                Symmetry::Symmetric => Vec::new(),
                Symmetry::NonSymmetric => vec![0.0; model.jacobian_values],
            },
            b: vec![0.0; rows],
            phi: vec![0.0; rows],
            phidot: VelocityResidual::new(rows),
            phi_t: vec![0.0; rows],
            qdot: vec![0.0; model.sizes.q],
            zdot: vec![0.0; model.sizes.z],
            inactive: InactiveRows::new(model),
        }
    }

    /// M as a dense matrix.
    pub fn dense_mass(&self) -> DMatrix<f64> {
        let mut M = DMatrix::zeros(self.layout.velocities, self.layout.velocities);
        for b in &self.layout.bodies {
            let n = b.v.len();
            for (k, value) in self.M[b.mass.clone()].iter().enumerate() {
                M[(b.v.start + k % n, b.v.start + k / n)] = *value;
            }
        }
        M
    }

    /// The generalised forces of the multipliers as a dense matrix: A itself if mass matrices are symmetric.
    pub fn dense_reactions(&self) -> DMatrix<f64> {
        self.dense_rows(if self.B.is_empty() { &self.A } else { &self.B })
    }

    /// A as a dense matrix.
    pub fn dense_jacobian(&self) -> DMatrix<f64> {
        self.dense_rows(&self.A)
    }

    /// Values laid out like those of A as a dense matrix.
    pub fn dense_rows(&self, values: &[f64]) -> DMatrix<f64> {
        let mut A = DMatrix::zeros(self.layout.rows(), self.layout.velocities);
        for c in &self.layout.constraints {
            for block in &c.blocks {
                let v = &self.layout.bodies[block.body].v;
                for r in 0..c.rows.len() {
                    for k in 0..v.len() {
                        A[(c.rows.start + r, v.start + k)] = values[block.start + r * v.len() + k];
                    }
                }
            }
        }
        A
    }

    /// out = A x.
    pub fn jacobian_times(&self, x: &[f64], out: &mut [f64]) {
        for c in &self.layout.constraints {
            let rows = &mut out[c.rows.clone()];
            rows.fill(0.0);
            for block in &c.blocks {
                let x = &x[self.layout.bodies[block.body].v.clone()];
                let A = &self.A[block.start..block.start + rows.len() * x.len()];
                for (out, a) in rows.iter_mut().zip(A.chunks_exact(x.len())) {
                    *out += a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
                }
            }
        }
    }

    /// Row `i` of a constraint times x.
    #[inline(always)]
    pub(crate) fn row_times(&self, c: &ConstraintEntry, i: usize, x: &[f64]) -> f64 {
        self.row_product(&self.A, c, i, x)
    }

    /// Row `i` of a constraint, which is inactive, times x.
    pub(crate) fn inactive_row_times(&self, c: &ConstraintEntry, i: usize, x: &[f64]) -> f64 {
        self.row_product(&self.inactive.A, c, i, x)
    }

    #[inline(always)]
    fn row_product(&self, A: &[f64], c: &ConstraintEntry, i: usize, x: &[f64]) -> f64 {
        let part = |block: &JacobianBlock| {
            let x = &x[self.layout.bodies[block.body].v.clone()];
            let a = &A[block.start + i * x.len()..block.start + (i + 1) * x.len()];
            a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>()
        };
        c.blocks.iter().map(part).sum()
    }

    /// out += k times the generalised force of a unit of the multiplier of row `i`, which is inactive.
    pub(crate) fn add_inactive_row(&self, c: &ConstraintEntry, i: usize, k: f64, out: &mut [f64]) {
        for block in &c.blocks {
            let out = &mut out[self.layout.bodies[block.body].v.clone()];
            let a = &self.inactive.A[block.start + i * out.len()..block.start + (i + 1) * out.len()];
            out.iter_mut().zip(a).for_each(|(out, a)| *out += k * a);
        }
    }

    /// Largest |A v̇ − b| of a row, relative to the terms in its sum.
    pub fn relative_residual(&self, vdot: &[f64]) -> f64 {
        let mut worst = 0.0_f64;
        for c in &self.layout.constraints {
            for (r, row) in c.rows.clone().enumerate() {
                let (mut sum, mut size) = (-self.b[row], self.b[row].abs());
                for block in &c.blocks {
                    let x = &vdot[self.layout.bodies[block.body].v.clone()];
                    for (a, x) in self.A[block.start + r * x.len()..].iter().zip(x) {
                        sum += a * x;
                        size += (a * x).abs();
                    }
                }
                if size > 0.0 {
                    worst = worst.max(sum.abs() / size);
                }
            }
        }
        worst
    }

    /// out −= Bᵀ λ: the generalised forces of the multipliers, in the space of the equations of motion.
    pub fn subtract_reactions(&self, lambda: &[f64], out: &mut [f64]) {
        let exerted = if self.B.is_empty() { &self.A } else { &self.B };
        for c in &self.layout.constraints {
            let lambda = &lambda[c.rows.clone()];
            for block in &c.blocks {
                let out = &mut out[self.layout.bodies[block.body].v.clone()];
                let B = &exerted[block.start..block.start + lambda.len() * out.len()];
                for (l, b) in lambda.iter().zip(B.chunks_exact(out.len())) {
                    out.iter_mut().zip(b).for_each(|(out, b)| *out -= b * l);
                }
            }
        }
    }

    /// out += Aᵀ λ.
    pub fn add_jacobian_transpose_times(&self, lambda: &[f64], out: &mut [f64]) {
        for c in &self.layout.constraints {
            let lambda = &lambda[c.rows.clone()];
            for block in &c.blocks {
                let out = &mut out[self.layout.bodies[block.body].v.clone()];
                let A = &self.A[block.start..block.start + lambda.len() * out.len()];
                for (l, a) in lambda.iter().zip(A.chunks_exact(out.len())) {
                    out.iter_mut().zip(a).for_each(|(out, a)| *out += a * l);
                }
            }
        }
    }

    /// out = M x.
    pub fn mass_times(&self, x: &[f64], out: &mut [f64]) {
        for b in &self.layout.bodies {
            let (M, x, out) = (&self.M[b.mass.clone()], &x[b.v.clone()], &mut out[b.v.clone()]);
            match x.len() {
                3 => mass_block_times::<3>(M, x, out),
                6 => mass_block_times::<6>(M, x, out),
                n => {
                    out.fill(0.0);
                    // Bodies without velocities have no columns.
                    for (column, x) in M.chunks_exact(n.max(1)).zip(x) {
                        out.iter_mut().zip(column).for_each(|(out, m)| *out += m * x);
                    }
                }
            }
        }
    }
}

/// M x of one body with a size known at compile time.
#[inline(always)]
fn mass_block_times<const N: usize>(M: &[f64], x: &[f64], out: &mut [f64]) {
    let columns: &[[f64; N]; N] = M.as_chunks().0.try_into().expect("as many columns as rows");
    let (x, out): (&[f64; N], &mut [f64; N]) =
        (x.try_into().expect("of the size"), out.try_into().expect("of the size"));
    let mut sum = [0.0; N];
    for j in 0..N {
        (0..N).for_each(|i| sum[i] += columns[j][i] * x[j]);
    }
    *out = sum;
}

/// Whether the marker is a frame.
pub(crate) fn is_frame(model: &Model, marker: usize) -> bool {
    matches!(model.markers[marker].placement, MarkerPlacement::Frame(..))
}
