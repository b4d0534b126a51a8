//! Eigenvalues of a full matrix after deflation of its zero eigenvalues.
//!
//! Free motions give zero eigenvalues of J, mostly defective ones (Jordan chains x' = v, v' = 0), which a solver scatters by ε^{1/k}.
//! Therefore the kernel of J is computed first, J is written as [0 ∗; 0 J₂], and the same is done with J₂ until it has no kernel. All
//! zeros are counted, and the accuracy of the other eigenvalues does not suffer.

use nalgebra::{Complex, DMatrix, DVector};
use taut_sparse::{Singular, eigen};

/// Singular values below this, relative to the largest, are candidates for zero.
const SMALL_SINGULAR_VALUE_RATIO: f64 = 1e-8;
/// |J x| below this, relative to |J| |x|, counts as zero: J is computed by differences.
const ZERO_PRODUCT_TOLERANCE: f64 = 1e-10;

/// Nonzero eigenvalues with their vectors, and the kernel.
pub(super) struct Spectrum {
    pub values: Vec<Complex<f64>>,
    pub vectors: Vec<DVector<Complex<f64>>>,
    /// Vectors with J x = 0.
    pub kernel: Vec<DVector<f64>>,
    /// Number of zero eigenvalues.
    pub zeros: usize,
}

/// Whether J x is zero up to round-off of its terms or of a decomposition of J.
fn vanishes(J: &DMatrix<f64>, x: &DVector<f64>) -> bool {
    let product = (J * x).amax();
    product <= ZERO_PRODUCT_TOLERANCE * (J.abs() * x.abs()).amax() || product <= 1e-13 * J.amax() * x.amax()
}

/// All eigenvalues. `free` confirms that a vector belongs to the kernel.
pub(super) fn spectrum(J: &DMatrix<f64>, free: impl Fn(&DVector<f64>) -> bool) -> Result<Spectrum, Singular> {
    let n = J.nrows();
    if n == 0 {
        return Ok(Spectrum { values: Vec::new(), vectors: Vec::new(), kernel: Vec::new(), zeros: 0 });
    }
    if J.iter().any(|x| !x.is_finite()) {
        return Err(Singular);
    }
    let scale = balancing_scale(J);
    let mut inner = DMatrix::from_fn(n, n, |i, j| J[(i, j)] * scale[j] / scale[i]);
    // Coordinates of the remainder: x = basis y.
    let mut kernel = Vec::new();
    let mut steps: Vec<(DMatrix<f64>, usize, DMatrix<f64>)> = Vec::new();
    let mut zeros = 0;
    while inner.nrows() > 0 {
        let size = inner.nrows();
        let unscaled = |x: &DVector<f64>| DVector::from_fn(n, |r, _| x[r] * scale[r]);
        let found = null_vectors(&inner, |x| zeros > 0 || free(&unscaled(x)));
        let k = found.ncols();
        if k == 0 {
            break;
        }
        if zeros == 0 {
            kernel = found.column_iter().map(|x| unscaled(&x.into_owned())).collect();
        }
        zeros += k;
        // An orthonormal basis that begins with the kernel.
        let qr = found.qr();
        let mut all = DMatrix::identity(size, size);
        qr.q_tr_mul(&mut all);
        let basis = all.transpose();
        let turned = &all * &inner * &basis;
        let upper = turned.view((0, k), (k, size - k)).into_owned();
        inner = turned.view((k, k), (size - k, size - k)).into_owned();
        steps.push((basis, k, upper));
    }
    let found = eigen(inner.nrows(), inner.as_slice())?;
    let mut spectrum = Spectrum { values: found.values.clone(), vectors: Vec::new(), kernel, zeros };
    for (value, vector) in found.values.iter().zip(found.vectors) {
        let mut y = DVector::from_vec(vector);
        for (basis, k, upper) in steps.iter().rev() {
            // [0 U; 0 J₂](p, y) = λ (p, y): p = U y / λ.
            let first = upper.map(|x| Complex::new(x, 0.0)) * &y / *value;
            let mut whole = DVector::zeros(first.len() + y.len());
            whole.rows_mut(0, *k).copy_from(&first);
            whole.rows_mut(*k, y.len()).copy_from(&y);
            y = basis.map(|x| Complex::new(x, 0.0)) * whole;
        }
        spectrum.vectors.push(DVector::from_fn(n, |i, _| y[i] * scale[i]));
    }
    Ok(spectrum)
}

/// Orthonormal vectors x with J x = 0 that `free` confirms.
fn null_vectors(J: &DMatrix<f64>, free: impl Fn(&DVector<f64>) -> bool) -> DMatrix<f64> {
    let n = J.nrows();
    // The eigenvalues of JᵀJ would lose small singular values, so an SVD is needed.
    let svd = J.clone().svd(false, true);
    let Some(v_t) = svd.v_t else { return DMatrix::zeros(n, 0) };
    let largest = svd.singular_values.max();
    let small = (0..n).filter(|i| svd.singular_values[*i] <= SMALL_SINGULAR_VALUE_RATIO * largest);
    let found: Vec<DVector<f64>> =
        small.map(|i| v_t.row(i).transpose()).filter(|x| vanishes(J, x) && free(x)).collect();
    if found.is_empty() { DMatrix::zeros(n, 0) } else { DMatrix::from_columns(&found) }
}

/// Balancing by powers of two that equalise the norms of rows and columns of D⁻¹ J D, after Parlett and Reinsch.
fn balancing_scale(J: &DMatrix<f64>) -> Vec<f64> {
    let n = J.nrows();
    let mut scale = vec![1.0_f64; n];
    for _ in 0..20 {
        let mut settled = true;
        for i in 0..n {
            let others = (0..n).filter(|j| *j != i);
            let (column, row) = others.fold((0.0, 0.0), |(c, r), j| {
                (c + (J[(j, i)] / scale[j]).abs() * scale[i], r + (J[(i, j)] * scale[j]).abs() / scale[i])
            });
            if column > 0.0 && row > 0.0 {
                let factor = (0.5 * (row / column).log2()).round().exp2();
                if factor != 1.0 && factor.is_finite() && factor > 0.0 {
                    scale[i] *= factor;
                    settled = false;
                }
            }
        }
        if settled {
            break;
        }
    }
    scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defective_zeros_do_not_spoil_other_eigenvalues() {
        // A chain of three zeros, a pair ±2i and −3, mixed by a similarity.
        let mut J = DMatrix::zeros(6, 6);
        (J[(0, 1)], J[(1, 2)], J[(3, 4)], J[(4, 3)], J[(5, 5)]) = (1.0, 1.0, 2.0, -2.0, -3.0);
        let X = DMatrix::from_fn(6, 6, |i, j| ((i * 7 + j * 3) as f64).sin() + if i == j { 2.0 } else { 0.0 });
        let mixed = &X * J * X.clone().try_inverse().unwrap();
        let found = spectrum(&mixed, |_| true).unwrap();
        assert_eq!((found.zeros, found.kernel.len(), found.values.len()), (3, 1, 3));
        let mut sizes: Vec<f64> = found.values.iter().map(|v| v.norm()).collect();
        sizes.sort_by(f64::total_cmp);
        assert!((sizes[0] - 2.0).abs() + (sizes[1] - 2.0).abs() + (sizes[2] - 3.0).abs() < 1e-12, "{sizes:?}");
        for (value, x) in found.values.iter().zip(&found.vectors) {
            let left = mixed.map(|x| Complex::new(x, 0.0)) * x - x * *value;
            assert!(left.camax() < 1e-11 * x.camax(), "{}", left.camax());
        }
    }
}
