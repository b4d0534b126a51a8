//! Curves: crossings of a level, the exact pendulum, least-squares slopes.

use super::error::ReproductionError;
use taut::Solution;

/// Times at which a column crosses a level, by cubic Hermite interpolation between outputs.
///
/// # Errors
/// No such columns.
pub fn crossings(solution: &Solution, column: &str, rate: &str, level: f64) -> Result<Vec<f64>, ReproductionError> {
    let (t, x, v) = (solution.t(), solution.column(column)?, solution.column(rate)?);
    let mut found = Vec::new();
    for i in 1..t.len() {
        let (a, b, h) = (x[i - 1] - level, x[i] - level, t[i] - t[i - 1]);
        // An output exactly on the level counts once, at the end of its interval.
        if !(a * b < 0.0 || (b == 0.0 && a != 0.0)) {
            continue;
        }
        let value = |s: f64| {
            let (r, s2) = (1.0 - s, s * s);
            a * r * r * (1.0 + 2.0 * s) + b * s2 * (3.0 - 2.0 * s) + h * s * r * (r * v[i - 1] - s * v[i])
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if value(middle) * a > 0.0 { low = middle } else { high = middle }
        }
        found.push(t[i - 1] + high * h);
    }
    Ok(found)
}

/// Exact motion of a pendulum of unit length, released from the horizontal: (horizontal, downward) position at a time, m.
///
/// sin(θ/2) = k cd(ω t), with θ from the vertical and k² = 1/2.
pub fn exact_pendulum(g: f64, t: f64) -> (f64, f64) {
    let (_, cn, dn) = jacobi(g.sqrt() * t, 0.5);
    let s = 0.5_f64.sqrt() * cn / dn;
    (2.0 * s * (1.0 - s * s).max(0.0).sqrt(), 1.0 - 2.0 * s * s)
}

/// Jacobi's elliptic functions sn, cn, dn of u with parameter m = k², by the arithmetic-geometric mean.
pub fn jacobi(u: f64, m: f64) -> (f64, f64, f64) {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    let mut scales = Vec::with_capacity(8);
    while scales.len() < 8 {
        let c = 0.5 * (a - b);
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        scales.push((a, c));
        if c.abs() < 1e-17 * a {
            break;
        }
    }
    let mut angle = (1_u64 << scales.len()) as f64 * a * u;
    let mut before = angle;
    for (a, c) in scales.iter().rev() {
        before = angle;
        angle = 0.5 * (angle + (c / a * angle.sin()).asin());
    }
    let (sn, cn) = angle.sin_cos();
    // dn = cos φ₀ / cos(φ₁ − φ₀); the other formula where this is 0/0.
    let difference = (before - angle).cos();
    let dn = if difference.abs() > 0.1 { cn / difference } else { (1.0 - m * sn * sn).sqrt() };
    (sn, cn, dn)
}

/// Slope of the least-squares line through points.
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (x0, y0) = (mean(|p| p.0), mean(|p| p.1));
    let both: f64 = points.iter().map(|(x, y)| (x - x0) * (y - y0)).sum();
    both / points.iter().map(|(x, _)| (x - x0).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pendulum_is_where_elliptic_functions_to_thirty_digits_put_it() {
        for (t, x, y) in [
            (1.0, -0.9862917511318753, 0.16501085312554117),
            (2.0, 0.7935661953433217, 0.6084839304437916),
            (3.0, -0.1766517899228382, 0.9842734097378926),
            (5.0, 0.9423054350437573, 0.3347543384140006),
        ] {
            let found = exact_pendulum(9.81, t);
            assert!((found.0 - x).abs() < 1e-13 && (found.1 - y).abs() < 1e-13, "{t}: {found:?}");
        }
        // The period is 2.3678419475762373 s; a quarter of it is the lowest point, where both forms of dn meet.
        let (x, y) = exact_pendulum(9.81, 2.3678419475762373 / 4.0);
        assert!(x.abs() < 1e-13 && (y - 1.0).abs() < 1e-13, "{x} {y}");
    }

    #[test]
    fn functions_keep_their_squares() {
        for u in [0.0, 0.3, 1.8540746773, 2.5, 17.3] {
            let (sn, cn, dn) = jacobi(u, 0.5);
            assert!((sn * sn + cn * cn - 1.0).abs() < 1e-14 && (dn * dn + 0.5 * sn * sn - 1.0).abs() < 1e-13, "{u}");
        }
    }

    #[test]
    fn a_line_has_its_slope() {
        assert!((slope(&[(0.0, 1.0), (1.0, -1.0), (2.0, -3.0)]) + 2.0).abs() < 1e-15);
    }
}
