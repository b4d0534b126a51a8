//! Whether an equilibrium is stable: the eigenvalues of ZᵀKZ, Z a basis of the motions that the constraints leave.
//!
//! Of a conservative mechanism at rest all of them positive means stable. With follower forces or a rotation K is not
//! symmetric or not all there is (flutter, gyroscopic terms): a real negative one still means that it gives way.

use super::balance::Balance;
use super::{Point, StaticsError};
use nalgebra::DMatrix;

/// Most velocities for which all eigenvalues are found.
const MOST: usize = 400;
/// Eigenvalues this small relative to the stiffest are zero.
const NONE: f64 = 1e-12;
/// Singular values of A that count as zero, relative to the largest.
const DEPENDENT: f64 = 1e-10;

/// Whether small displacements lead back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stability {
    /// All stiffnesses are positive; the least of them.
    Stable(f64),
    /// Some are not; the least of them.
    Unstable(f64),
    /// Nothing can move.
    Rigid,
    /// Too large for all of them to be found; the one nearest to zero.
    Unknown(f64),
}

pub(super) fn judge(balance: &mut Balance, here: &Point) -> Result<Stability, StaticsError> {
    balance.factor(here, 0.0)?;
    let n = balance.model.sizes.v;
    if n > MOST {
        return Ok(Stability::Unknown(balance.softest()?.stiffness));
    }
    let K = balance.dense_stiffness();
    let (Z, test) = (null_space(&balance.eq.dense_jacobian()), null_space(&balance.eq.dense_reactions()));
    // Where B is not A, directions of motion and of test are written in bases of their own.
    let mut reduced = test.tr_mul(&(K * &Z));
    if !balance.eq.B.is_empty() && !reduced.is_empty() {
        let Some(across) = test.tr_mul(&Z).try_inverse() else { return Ok(Stability::Unknown(f64::NAN)) };
        reduced = across * reduced;
    }
    if reduced.is_empty() {
        return Ok(Stability::Rigid);
    }
    let least = reduced.complex_eigenvalues().iter().map(|e| e.re).fold(f64::INFINITY, f64::min);
    Ok(if least > NONE * balance.stiffest { Stability::Stable(least) } else { Stability::Unstable(least) })
}

/// Orthonormal columns that span the null space of A.
pub(super) fn null_space(A: &DMatrix<f64>) -> DMatrix<f64> {
    let n = A.ncols();
    if A.is_empty() {
        return DMatrix::identity(n, n);
    }
    // Rows of zeros make A square, so that the decomposition gives all n directions.
    let mut square = DMatrix::zeros(n.max(A.nrows()), n);
    square.rows_mut(0, A.nrows()).copy_from(A);
    let svd = square.svd(false, true);
    let limit = DEPENDENT * svd.singular_values.max();
    let free: Vec<usize> = (0..n).filter(|&i| svd.singular_values[i] <= limit).collect();
    svd.v_t.map_or_else(|| DMatrix::zeros(n, 0), |v| v.select_rows(&free).transpose())
}
