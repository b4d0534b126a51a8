//! Rank of A: freedoms, redundant rows, and whether the redundancy contradicts itself.
//!
//! Rows are scaled to unit length in the norm of M⁻¹ (A M^{-1/2}), so that neither units nor masses decide what counts
//! as dependent. Redundant rows are those that take part in the left null space of the scaled matrix.

use super::AnalysisError;
use crate::equations::{At, Equations, Scene, carry, place};
use crate::model::Model;
use crate::state::{Mode, State};
use nalgebra::{Cholesky, DMatrix, DVector, SVD};
use serde::Serialize;

/// Singular values below this, relative to the largest, count as zero.
const THRESHOLD: f64 = 1e-9;
/// Rows whose share in the left null space is smaller do not take part in it.
const SHARE: f64 = 1e-6;
/// Largest matrix that is decomposed.
const LARGEST: usize = 600;
/// Most rows for which the rank is counted at every output.
const CHEAP: usize = 100;
/// Residuals in the left null space above this contradict each other, relative to 1 + the residual's own size.
const CONTRADICTION: f64 = 1e-8;

/// What redundant rows say to each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Rows are independent.
    Independent,
    /// Redundant rows repeat each other.
    Consistent,
    /// Redundant rows ask for different things; the largest component of each residual in the left null space.
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
pub struct Rank {
    /// Rows of A, those of idle constraints left out.
    pub rows: usize,
    /// Velocities.
    pub velocities: usize,
    /// Rank of A.
    pub rank: usize,
    /// Degrees of freedom: velocities − rank.
    pub freedoms: usize,
    /// Rows too many: rows − rank.
    pub redundant: usize,
    /// Names of the rows that depend on each other.
    pub dependent: Vec<String>,
    /// Names of the bodies that move in the free motions.
    pub free_bodies: Vec<String>,
    /// What the redundant rows say to each other. Of φ it speaks rightly only at an assembled pose.
    pub verdict: Verdict,
}

/// Rank of A at a state, by singular values.
///
/// # Errors
/// A state of the wrong size, and models too large to be decomposed.
pub fn rank(model: &Model, state: &State) -> Result<Rank, AnalysisError> {
    super::check_state(model, state)?;
    let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
    place(model, At::from(state), &mut scene, &mut eq);
    carry(model, At::from(state), &mut scene, &mut eq);
    rank_at(model, &eq, &state.modes)
}

/// Rank of placed and carried equations.
pub(crate) fn rank_at(model: &Model, eq: &Equations, modes: &[Mode]) -> Result<Rank, AnalysisError> {
    let (m, n) = (model.rows.len(), model.sizes.v);
    if m.max(n) > LARGEST {
        return Err(AnalysisError::TooLarge { rows: m, velocities: n, limit: LARGEST });
    }
    let (B, scale) = scaled(model, eq);
    // The decomposition would search for ever.
    if B.iter().any(|x| !x.is_finite()) {
        return Err(AnalysisError::NotFinite { what: "the constraint Jacobian".to_string() });
    }
    let mut active = vec![true; m];
    for (c, mode) in model.constraints.iter().zip(modes) {
        active[c.rows.clone()].fill(*mode == Mode::Active);
    }
    // Padded to a square, the decomposition shows both null spaces whole.
    let size = m.max(n).max(1);
    let mut square = DMatrix::zeros(size, size);
    square.view_mut((0, 0), (m, n)).copy_from(&B);
    let svd = SVD::try_new(square, true, true, f64::EPSILON, 300 * size);
    let Some(SVD { u: Some(U), v_t: Some(Vt), singular_values }) = svd else {
        return Err(AnalysisError::NotFinite { what: "the constraint Jacobian".to_string() });
    };
    let largest = singular_values.iter().fold(0.0, |a: f64, s| a.max(*s));
    let null = |i: &usize| singular_values[*i] <= THRESHOLD * largest;
    let rank = size - (0..size).filter(null).count();

    let mut dependent = Vec::new();
    let mut found = [0.0_f64; 3];
    for r in 0..m {
        // Padding rows belong to the null space too, but have no share in real ones.
        let share = (0..size).filter(null).map(|i| U[(r, i)].powi(2)).sum::<f64>().sqrt();
        if share > SHARE && active[r] {
            dependent.push(model.row_name(r));
        }
    }
    for i in (0..size).filter(null) {
        for (found, x) in found.iter_mut().zip([&eq.phi, &eq.phidot, &eq.b]) {
            let part: f64 = (0..m).map(|r| U[(r, i)] * scale[r] * x[r]).sum();
            let whole: f64 = (0..m).map(|r| (scale[r] * x[r]).powi(2)).sum::<f64>().sqrt();
            *found = found.max(part.abs() / (1.0 + whole));
        }
    }
    let inverse = roots(model, eq);
    let mut free_bodies = Vec::new();
    for (b, L) in model.bodies.iter().zip(&inverse) {
        let free = |i: usize| {
            let w = DVector::from_iterator(b.v.len(), b.v.clone().map(|k| Vt[(i, k)]));
            (L.tr_mul(&w)).norm()
        };
        if (0..size).filter(null).any(|i| free(i) > SHARE) {
            free_bodies.push(b.name.clone());
        }
    }
    let rows = active.iter().filter(|a| **a).count();
    let verdict = match found {
        _ if rows == rank => Verdict::Independent,
        [p, v, a] if p.max(v).max(a) > CONTRADICTION => {
            Verdict::Contradictory { position: p, velocity: v, acceleration: a }
        }
        _ => Verdict::Consistent,
    };
    let (redundant, freedoms) = (rows - rank.min(rows), n - rank.min(n));
    Ok(Rank { rows, velocities: n, rank, freedoms, redundant, dependent, free_bodies, verdict })
}

/// The rank alone, where it is known or cheap.
pub(crate) fn count(model: &Model, eq: &Equations) -> Option<usize> {
    if model.rows.len() > CHEAP {
        return None;
    }
    let (B, _) = scaled(model, eq);
    if B.iter().any(|x| !x.is_finite()) {
        return Some(0);
    }
    let R = B.transpose().col_piv_qr().r();
    let diagonal: Vec<f64> = (0..R.nrows().min(R.ncols())).map(|i| R[(i, i)].abs()).collect();
    let largest = diagonal.iter().fold(0.0, |a: f64, x| a.max(*x));
    Some(diagonal.iter().filter(|x| **x > THRESHOLD * largest).count())
}

/// Inverse Cholesky roots L⁻¹ of the blocks of M = L Lᵀ; the identity where M is no norm.
pub(super) fn roots(model: &Model, eq: &Equations) -> Vec<DMatrix<f64>> {
    let root = |b: &crate::model::BodyEntry| {
        let n = b.v.len();
        let M = DMatrix::from_column_slice(n, n, &eq.M[b.mass.clone()]);
        let L = Cholesky::new(M).and_then(|c| c.l().try_inverse());
        L.unwrap_or_else(|| DMatrix::identity(n, n))
    };
    model.bodies.iter().map(root).collect()
}

/// S A L⁻ᵀ with rows of unit length, and S; a row that vanishes stays zero.
fn scaled(model: &Model, eq: &Equations) -> (DMatrix<f64>, Vec<f64>) {
    let (m, n) = (model.rows.len(), model.sizes.v);
    let mut B = DMatrix::zeros(m, n);
    let inverse = roots(model, eq);
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
