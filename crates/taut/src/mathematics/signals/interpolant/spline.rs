//! The coefficients of cubic splines.

use super::SplineEnds;

/// Second derivatives at the points, from continuity of the first derivatives:
/// h₋ m₋ + 2 (h₋ + h₊) m + h₊ m₊ = 6 (secant₊ - secant₋).
pub(super) fn curvatures(x: &[f64], y: &[f64], ends: SplineEnds) -> Vec<f64> {
    let n = x.len() - 1;
    let h: Vec<f64> = (0..n).map(|i| x[i + 1] - x[i]).collect();
    let secant: Vec<f64> = (0..n).map(|i| (y[i + 1] - y[i]) / h[i]).collect();
    let mut system = Tridiagonal::identity(n + 1);
    let mut right = vec![0.0; n + 1];
    for i in 1..n {
        system.lower[i] = h[i - 1];
        system.diagonal[i] = 2.0 * (h[i - 1] + h[i]);
        system.upper[i] = h[i];
        right[i] = 6.0 * (secant[i] - secant[i - 1]);
    }
    match ends {
        SplineEnds::Natural => system.solve(right),
        SplineEnds::Clamped { start, end } => {
            system.diagonal[0] = 2.0 * h[0];
            system.upper[0] = h[0];
            right[0] = 6.0 * (secant[0] - start);
            system.lower[n] = h[n - 1];
            system.diagonal[n] = 2.0 * h[n - 1];
            right[n] = 6.0 * (end - secant[n - 1]);
            system.solve(right)
        }
        SplineEnds::Periodic => {
            // Both ends have the same unknown m; the inner ones are an affine function of it,
            // and continuity across the ends determines it.
            let inner = system.solve(right);
            let mut unit = vec![0.0; n + 1];
            (unit[0], unit[n]) = (1.0, 1.0);
            let response = system.solve(unit);
            let jump = 6.0 * (secant[0] - secant[n - 1]);
            let known = h[n - 1] * inner[n - 1] + h[0] * inner[1];
            let factor = h[n - 1] * response[n - 1] + 2.0 * (h[n - 1] + h[0]) + h[0] * response[1];
            let m = (jump - known) / factor;
            inner.iter().zip(&response).map(|(a, b)| a + m * b).collect()
        }
    }
}

/// A tridiagonal matrix; those of splines are diagonally dominant and need no pivoting.
struct Tridiagonal {
    lower: Vec<f64>,
    diagonal: Vec<f64>,
    upper: Vec<f64>,
}

impl Tridiagonal {
    fn identity(n: usize) -> Tridiagonal {
        Tridiagonal { lower: vec![0.0; n], diagonal: vec![1.0; n], upper: vec![0.0; n] }
    }

    fn solve(&self, mut right: Vec<f64>) -> Vec<f64> {
        let n = right.len();
        let mut pivot = self.diagonal.clone();
        for i in 1..n {
            let factor = self.lower[i] / pivot[i - 1];
            pivot[i] -= factor * self.upper[i - 1];
            right[i] -= factor * right[i - 1];
        }
        right[n - 1] /= pivot[n - 1];
        for i in (0..n - 1).rev() {
            right[i] = (right[i] - self.upper[i] * right[i + 1]) / pivot[i];
        }
        right
    }
}
