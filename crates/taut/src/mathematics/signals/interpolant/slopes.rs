//! Slopes at the points of a curve, from nearby points.

use super::Extrapolation;

/// Slopes of the intervals.
fn secants(x: &[f64], y: &[f64]) -> Vec<f64> {
    (1..x.len()).map(|i| (y[i] - y[i - 1]) / (x[i] - x[i - 1])).collect()
}

/// \[FritschButland1984\]: weighted harmonic means of the secant slopes; zero at local extrema of the data.
pub(super) fn pchip(x: &[f64], y: &[f64], extrapolation: Extrapolation) -> Vec<f64> {
    let s = secants(x, y);
    let n = s.len();
    if n == 1 {
        return vec![s[0]; 2];
    }
    let width = |i: usize| x[i + 1] - x[i];
    let inner = |behind: usize, ahead: usize| {
        let (h0, h1, s0, s1) = (width(behind), width(ahead), s[behind], s[ahead]);
        if s0 * s1 <= 0.0 {
            return 0.0;
        }
        let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
        (w0 + w1) / (w0 / s0 + w1 / s1)
    };
    // Slope of the parabola through three points, limited to keep the curve monotone.
    let end = |near: usize, far: usize| {
        let (h0, h1, s0, s1) = (width(near), width(far), s[near], s[far]);
        let slope = ((2.0 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
        if slope * s0 <= 0.0 {
            0.0
        } else if s0 * s1 <= 0.0 && slope.abs() > 3.0 * s0.abs() {
            3.0 * s0
        } else {
            slope
        }
    };
    let (first, last) = match extrapolation {
        Extrapolation::Periodic => (inner(n - 1, 0), inner(n - 1, 0)),
        _ => (end(0, 1), end(n - 1, n - 2)),
    };
    std::iter::once(first).chain((1..n).map(|i| inner(i - 1, i))).chain([last]).collect()
}

/// \[Akima1970\]: weighted means of the two adjacent secant slopes; each weight is the slope difference on the opposite side.
pub(super) fn akima(x: &[f64], y: &[f64], extrapolation: Extrapolation) -> Vec<f64> {
    let s = secants(x, y);
    let n = s.len();
    if n == 1 {
        return vec![s[0]; 2];
    }
    // Two more slopes on each side: from the neighbouring periods, or from a parabola.
    let [before, behind] = match extrapolation {
        Extrapolation::Periodic => [[s[n - 2], s[n - 1]], [s[0], s[1]]],
        _ => {
            let one = 2.0 * s[0] - s[1];
            let other = 2.0 * s[n - 1] - s[n - 2];
            [[2.0 * one - s[0], one], [other, 2.0 * other - s[n - 1]]]
        }
    };
    let all: Vec<f64> = before.into_iter().chain(s.iter().copied()).chain(behind).collect();
    let greatest = all.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
    let slope = |i: usize| {
        let [a, b, c, d] = [all[i], all[i + 1], all[i + 2], all[i + 3]];
        let (ahead, back) = ((d - c).abs(), (b - a).abs());
        if ahead + back <= 1e-12 * greatest { 0.5 * (b + c) } else { (ahead * b + back * c) / (ahead + back) }
    };
    (0..=n).map(slope).collect()
}
