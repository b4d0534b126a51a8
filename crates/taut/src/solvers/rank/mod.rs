//! Rank of A: freedoms, redundant rows, and whether the redundancy contradicts itself.
//!
//! Rows are scaled to unit length in the norm of M⁻¹ (A M^{-1/2}), so that neither units nor masses influence what
//! counts as dependent. Redundant rows are those that take part in the left null space of the scaled matrix. The
//! [`doctor`](crate::analyses::doctor()) reports more about them and about the freedoms.

mod connected_parts;
mod elimination;

pub(crate) use connected_parts::{ConnectedPart, ScaledJacobian, connected_parts};
pub(crate) use elimination::{RowElimination, SparseRow};

use crate::equations::Equations;
use crate::model::Model;
use crate::state::ConstraintMode;
use nalgebra::{Cholesky, DMatrix, DVector};
use serde::Serialize;
use thiserror::Error;

/// A row of unit length counts as dependent if its remainder after elimination is below this.
const DEPENDENCE_THRESHOLD: f64 = 1e-9;
/// Rows with a smaller relative component do not take part in the left null space.
const PARTICIPATION_THRESHOLD: f64 = 1e-6;
/// Maximum number of rows or velocities of one connected part of a model.
pub(crate) const MAX_PART_SIZE: usize = 300_000;
/// Maximum number of rows for which the rank is computed at every output.
const MAX_ROWS_FOR_OUTPUT: usize = 100;
/// Residuals in the left null space above this are contradictory, relative to 1 + the norm of the residual.
const CONTRADICTION_TOLERANCE: f64 = 1e-8;

/// Whether redundant rows are consistent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowConsistency {
    /// Rows are independent.
    Independent,
    /// Redundant rows repeat each other.
    Consistent,
    /// Redundant rows contradict each other; the largest component of each residual in the left null space.
    Contradictory {
        /// Of φ.
        position: f64,
        /// Of φ̇.
        velocity: f64,
        /// Of b.
        acceleration: f64,
    },
}

/// Rank of A at one state.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RankReport {
    /// Rows of A, without those of inactive constraints.
    pub rows: usize,
    /// Velocities.
    pub velocities: usize,
    /// Rank of A.
    pub rank: usize,
    /// Degrees of freedom: velocities − rank.
    pub freedoms: usize,
    /// Number of redundant rows: rows − rank.
    pub redundant: usize,
    /// Names of the rows that depend on each other.
    pub dependent: Vec<String>,
    /// Names of the constraints whose rows contradict each other.
    pub contradicting: Vec<String>,
    /// Names of the bodies that move in the free motions.
    pub free_bodies: Vec<String>,
    /// Whether the redundant rows are consistent. For φ this is meaningful only at an assembled pose.
    pub verdict: RowConsistency,
}

/// Why the rank could not be computed.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(crate) enum RankError {
    /// A or M contains NaN or infinity.
    #[error("the constraint Jacobian or the mass matrix contains NaN or infinity")]
    NotFinite,
    /// A connected part of the model is too large or too densely coupled.
    #[error(
        "{rows} rows and {velocities} velocities are too many or too densely coupled to compute a rank (at most {MAX_PART_SIZE})"
    )]
    TooLarge { rows: usize, velocities: usize },
}

/// Rank of assembled equations. Parts of the model that share no constraint are analysed separately.
pub(crate) fn analyse_rank(model: &Model, eq: &Equations, modes: &[ConstraintMode]) -> Result<RankReport, RankError> {
    if eq.A.iter().chain(&eq.M).any(|x| !x.is_finite()) {
        return Err(RankError::NotFinite);
    }
    let scaled = ScaledJacobian::new(model, eq);
    let (mut rows, mut rank) = (0, 0);
    let (mut dependent, mut contradicting, mut free) = (Vec::new(), Vec::new(), Vec::new());
    let mut found = [0.0_f64; 3];
    for part in connected_parts(model, modes) {
        let (m, n) = (part.rows.len(), part.velocities.len());
        let Some(eliminated) = scaled.eliminate(&part, DEPENDENCE_THRESHOLD, &[]) else {
            return Err(RankError::TooLarge { rows: m, velocities: n });
        };
        rows += m;
        rank += eliminated.rank();
        for (_, y) in &eliminated.circuits {
            let biggest = y.iter().fold(0.0, |a: f64, (_, y)| a.max(y.abs()));
            let taking_part = y.iter().filter(|(_, y)| y.abs() > PARTICIPATION_THRESHOLD * biggest);
            let members: Vec<usize> = taking_part.map(|(k, _)| part.rows[*k]).collect();
            let mut worst = 0.0_f64;
            let length = y.iter().map(|(_, y)| y * y).sum::<f64>().sqrt();
            for (found, x) in found.iter_mut().zip([&eq.phi[..], &eq.phidot, &eq.b]) {
                let x = |k: usize| scaled.scale[part.rows[k]] * x[part.rows[k]];
                let whole = y.iter().map(|(k, _)| x(*k).powi(2)).sum::<f64>().sqrt();
                let ratio = y.iter().map(|(k, y)| y * x(*k)).sum::<f64>().abs() / length;
                worst = worst.max(ratio / (1.0 + whole));
                *found = found.max(ratio / (1.0 + whole));
            }
            if worst > CONTRADICTION_TOLERANCE {
                contradicting.extend(&members);
            }
            dependent.extend(members);
        }
        if eliminated.rank() < n {
            free.extend(moving_bodies(model, &part, &scaled, eliminated.null_space()));
        }
    }
    for list in [&mut dependent, &mut contradicting] {
        list.sort_unstable();
        list.dedup();
    }
    free.sort_unstable();
    let verdict = match found {
        _ if rows == rank => RowConsistency::Independent,
        [p, v, a] if p.max(v).max(a) > CONTRADICTION_TOLERANCE => {
            RowConsistency::Contradictory { position: p, velocity: v, acceleration: a }
        }
        _ => RowConsistency::Consistent,
    };
    Ok(RankReport {
        rows,
        velocities: model.sizes.v,
        rank,
        freedoms: model.sizes.v - rank,
        redundant: rows - rank,
        dependent: dependent.into_iter().map(|r| model.row_name(r)).collect(),
        contradicting: constraint_names(model, &contradicting),
        free_bodies: free.into_iter().map(|b| model.bodies[b].name.clone()).collect(),
        verdict,
    })
}

/// Names of the constraints of sorted rows.
fn constraint_names(model: &Model, rows: &[usize]) -> Vec<String> {
    let mut names: Vec<String> = rows.iter().map(|r| model.constraint_of_row(*r).name.clone()).collect();
    names.dedup();
    names
}

/// Bodies of a part that move in any of the motions.
fn moving_bodies(
    model: &Model,
    part: &ConnectedPart,
    scaled: &ScaledJacobian,
    motions: impl Iterator<Item = Vec<f64>>,
) -> Vec<usize> {
    let mut moves = vec![false; part.bodies.len()];
    for w in motions {
        let v = scaled.velocities(part, &w);
        let most = v.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        let mut first = 0;
        for (moves, b) in moves.iter_mut().zip(&part.bodies) {
            let n = model.bodies[*b].v.len();
            *moves |= v[first..first + n].iter().any(|x| x.abs() > PARTICIPATION_THRESHOLD * most);
            first += n;
        }
    }
    part.bodies.iter().zip(moves).filter(|(_, moves)| *moves).map(|(b, _)| *b).collect()
}

/// The rank alone, if it is cheap to compute.
pub(crate) fn rank_for_output(model: &Model, eq: &Equations) -> Option<usize> {
    if model.rows.len() > MAX_ROWS_FOR_OUTPUT {
        return None;
    }
    let (B, _) = scaled_jacobian(model, eq);
    if B.iter().any(|x| !x.is_finite()) {
        return Some(0);
    }
    let R = B.transpose().col_piv_qr().r();
    let diagonal: Vec<f64> = (0..R.nrows().min(R.ncols())).map(|i| R[(i, i)].abs()).collect();
    let largest = diagonal.iter().fold(0.0, |a: f64, x| a.max(*x));
    Some(diagonal.iter().filter(|x| **x > DEPENDENCE_THRESHOLD * largest).count())
}

/// Inverse Cholesky factors L⁻¹ of the blocks of M = L Lᵀ; the identity if M does not define a norm.
pub(crate) fn inverse_mass_roots(model: &Model, eq: &Equations) -> Vec<DMatrix<f64>> {
    let root = |b: &crate::model::BodyEntry| {
        let n = b.v.len();
        let M = DMatrix::from_column_slice(n, n, &eq.M[b.mass.clone()]);
        let L = Cholesky::new(M).and_then(|c| c.l().try_inverse());
        L.unwrap_or_else(|| DMatrix::identity(n, n))
    };
    model.bodies.iter().map(root).collect()
}

/// S A L⁻ᵀ with rows of unit length, and S; a row that vanishes stays zero.
fn scaled_jacobian(model: &Model, eq: &Equations) -> (DMatrix<f64>, Vec<f64>) {
    let (m, n) = (model.rows.len(), model.sizes.v);
    let mut B = DMatrix::zeros(m, n);
    let inverse = inverse_mass_roots(model, eq);
    for c in &model.constraints {
        for block in &c.blocks {
            let v = &model.bodies[block.body].v;
            for (r, a) in c.rows.clone().zip(eq.A[block.start..].chunks_exact(v.len())) {
                let row = &inverse[block.body] * DVector::from_column_slice(a);
                v.clone().zip(row.iter()).for_each(|(k, x)| B[(r, k)] = *x);
            }
        }
    }
    let length: Vec<f64> = (0..m).map(|r| B.row(r).norm()).collect();
    let longest = length.iter().fold(0.0, |a: f64, x| a.max(*x));
    let vanishes = |l: f64| l <= 1e-12 * longest;
    for r in 0..m {
        B.row_mut(r).scale_mut(if vanishes(length[r]) { 0.0 } else { 1.0 / length[r] });
    }
    (B, length.iter().map(|l| if vanishes(*l) { 1.0 } else { 1.0 / l }).collect())
}
