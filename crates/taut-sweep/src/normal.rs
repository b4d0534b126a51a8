//! The normal distribution: Φ by its Taylor series and continued fraction, and its inverse.

use std::f64::consts::{PI, SQRT_2};

/// Beyond this |x| the continued fraction converges faster than the series.
const SERIES_LIMIT: f64 = 3.0;

/// Φ(−x) for x ≥ 0: the upper tail, with full relative accuracy.
fn upper_tail(x: f64) -> f64 {
    let density = (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
    if x < SERIES_LIMIT {
        // Φ(x) − 1/2 = φ(x) (x + x³/3 + x⁵/15 + …), \[AbramowitzStegun1964\] 26.2.11.
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term > 1e-18 * sum {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    // φ(x)/(x + 1/(x + 2/(x + 3/(x + …)))), 26.2.14, from the inside; 80 terms suffice from x = 3 on.
    density / (1..=80).rev().fold(x, |inner, k| x + f64::from(k) / inner)
}

/// Φ(x).
pub(crate) fn cumulative(x: f64) -> f64 {
    if x < 0.0 { upper_tail(-x) } else { 1.0 - upper_tail(x) }
}

/// The x with Φ(x) = p, for 0 < p < 1: Newton's method with Halley's correction, from a start in the right tail.
pub(crate) fn quantile(p: f64) -> f64 {
    if p > 0.5 {
        // 1 − p is exact here.
        return -quantile(1.0 - p);
    }
    // The leading term of the tail; a bound from above for small p.
    let mut x = if p < 0.02 { -(-2.0 * p.ln()).sqrt() } else { (p - 0.5) * (2.0 * PI).sqrt() };
    for _ in 0..60 {
        let error = cumulative(x) - p;
        let step = error * (2.0 * PI).sqrt() * (0.5 * x * x).exp();
        let step = step / (1.0 + 0.5 * x * step).max(0.5);
        x -= step.clamp(-1.0, 1.0);
        if step.abs() <= 4.0 * f64::EPSILON * x.abs().max(1e-8 / SQRT_2) {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::{cumulative, quantile};

    /// Reference values from mpmath with 30 digits: `mp.ncdf(x)`.
    #[test]
    fn cumulative_values() {
        let known = [
            (-10.0, 7.619_853_024_160_526e-24),
            (-3.0, 1.349_898_031_630_094_6e-3),
            (-1.0, 0.158_655_253_931_457_05),
            (0.0, 0.5),
            (0.5, 0.691_462_461_274_013_1),
            (2.9, 0.998_134_186_699_616),
        ];
        for (x, expected) in known {
            let found: f64 = cumulative(x);
            assert!((found - expected).abs() <= 4e-15 * expected, "{x}: {found:e}, not {expected:e}");
        }
    }

    #[test]
    fn quantile_inverts() {
        for p in [1e-300, 1e-20, 1e-9, 0.001, 0.019, 0.021, 0.25, 0.5, 0.7, 0.999, 1.0 - 1e-12] {
            let x = quantile(p);
            assert!((cumulative(x) / p - 1.0).abs() < 1e-12, "{p}: {x}");
        }
        assert_eq!(quantile(0.5), 0.0);
        // \[AbramowitzStegun1964\] table 26.5: the point with a tail of 2.5 %.
        assert!((quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
    }
}
