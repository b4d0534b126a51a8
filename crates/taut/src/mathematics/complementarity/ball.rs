//! Exact solution of a ball block (three rows) with all other blocks fixed: u = g p + w, |p| ≤ r.
//!
//! When it slips, u = −s p with s > 0. With the eigenvalues γ_i of g and the components w_i along its eigenvectors
//!
//! ```text
//!  p_i = −w_i/(γ_i + s),      |p(s)| = r
//! ```
//!
//! 1/|p(s)| is increasing and concave, so Newton's method for 1/|p| = 1/r converges monotonically from s = 0; for an
//! isotropic g in one step. The same equation determines the step of a trust-region method ([MoreSorensen1983]).

use nalgebra::{Matrix3, SymmetricEigen, Vector3};

/// Maximum number of Newton steps; convergence is quadratic.
const MAX_STEPS: usize = 60;
/// Eigenvalues below this fraction of the largest count as zero: dependent rows then stick with the solution of least norm.
const NULL_EIGENVALUE_RATIO: f64 = 1e-13;

/// Solves the block; `g` row by row.
pub(super) fn solve(g: &[f64], w: &[f64], radius: f64, p: &mut [f64]) {
    p[..3].fill(0.0);
    if radius <= 0.0 || w.iter().all(|w| *w == 0.0) {
        return;
    }
    let g = Matrix3::from_row_slice(&g[..9]);
    let SymmetricEigen { eigenvectors: V, eigenvalues: gamma } = ((g + g.transpose()) * 0.5).symmetric_eigen();
    let along = V.transpose() * Vector3::new(w[0], w[1], w[2]);
    let scale = gamma.amax().max(f64::MIN_POSITIVE);
    let gamma = gamma.map(|x| x.max(0.0));
    let mut s = if gamma.min() > NULL_EIGENVALUE_RATIO * scale { 0.0 } else { NULL_EIGENVALUE_RATIO * scale };
    let at = |s: f64| along.zip_map(&gamma, |w, gamma| -w / (gamma + s));
    let mut found = at(s);
    if found.norm() > radius {
        for _ in 0..MAX_STEPS {
            let length = found.norm();
            // d|p|/ds = −Σ p_i²/(γ_i + s) / |p|
            let fall: f64 = found.iter().zip(&gamma).map(|(p, gamma)| p * p / (gamma + s)).sum::<f64>() / length;
            let step = (length / radius - 1.0) * length / fall;
            s += step;
            found = at(s);
            if step <= 4.0 * f64::EPSILON * s {
                break;
            }
        }
        // Exactly on the limit.
        found *= radius / found.norm();
    }
    p[..3].copy_from_slice((V * found).as_slice());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(g: [f64; 9], w: [f64; 3], radius: f64) -> (Vector3<f64>, Vector3<f64>) {
        let mut p = [0.0; 3];
        solve(&g, &w, radius, &mut p);
        let p = Vector3::from(p);
        (p, Matrix3::from_row_slice(&g) * p + Vector3::from(w))
    }

    #[test]
    fn slip_is_opposite_to_the_moment() {
        let g = [3.0, 0.4, -0.7, 0.4, 0.2, 0.01, -0.7, 0.01, 40.0];
        for (w, radius) in [([1.0, -2.0, 3.0], 1e-3), ([1.0, -2.0, 3.0], 0.3), ([0.0, 0.0, 1e9], 2.0)] {
            let (p, u) = solved(g, w, radius);
            assert!((p.norm() - radius).abs() < 1e-14 * radius, "{p}");
            assert!((u.normalize() + p.normalize()).norm() < 1e-12, "{u} {p}");
        }
    }

    #[test]
    fn within_its_radius_it_sticks() {
        let (p, u) = solved([2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 4.0], [0.1, -0.2, 0.3], 10.0);
        assert!(u.norm() < 1e-15 && p.norm() > 0.1, "{u}");
        // Two dependent rows share the load.
        let (p, u) = solved([1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0], [-1.0, -1.0, 0.0], 10.0);
        assert!((p - Vector3::new(0.5, 0.5, 0.0)).norm() < 1e-12 && u.norm() < 1e-12, "{p}");
    }
}
