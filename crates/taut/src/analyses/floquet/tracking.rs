//! Modes over a parameter: each continues as the mode of the next value with the most similar shape and the nearest exponent.
//!
//! Where a pair of complex multipliers meets on the real axis, one mode becomes two that share a frequency. Both then have a branch; where
//! they part from the axis again, the two branches share the pair, so that neither ends.

use super::FloquetMode;
use nalgebra::Complex;

/// One mode over the values of the parameter; `None` where it was not found.
#[derive(Clone, Debug, PartialEq)]
pub struct FloquetBranch {
    /// Index of the mode in the list of each value.
    pub modes: Vec<Option<usize>>,
    /// MAC with the previous value; 1 at the first.
    pub mac: Vec<f64>,
}

/// Branches through lists of modes, one list per value of the parameter; a list may be empty.
pub fn track_floquet_modes(values: &[Vec<FloquetMode>]) -> Vec<FloquetBranch> {
    let mut branches: Vec<FloquetBranch> = Vec::new();
    // The last place of every branch.
    let mut last: Vec<(usize, usize)> = Vec::new();
    for (step, modes) in values.iter().enumerate() {
        branches.iter_mut().for_each(|b| {
            b.modes.push(None);
            b.mac.push(0.0);
        });
        if modes.is_empty() {
            continue;
        }
        let mut pairs: Vec<(f64, f64, usize, usize)> = Vec::new();
        for (b, (at, k)) in last.iter().enumerate() {
            for (j, now) in modes.iter().enumerate() {
                let (like, near) = similarity(&values[*at][*k], now);
                pairs.push((like * (0.2 + near), like, b, j));
            }
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut given = vec![false; modes.len()];
        for second in [false, true] {
            for (_, like, b, j) in &pairs {
                // In the second round a branch without a mode shares the one that is most like it.
                if branches[*b].modes[step].is_none() && (second || !given[*j]) {
                    (branches[*b].modes[step], branches[*b].mac[step]) = (Some(*j), *like);
                    given[*j] = true;
                    last[*b] = (step, *j);
                }
            }
        }
        for j in (0..modes.len()).filter(|j| !given[*j]) {
            let mut branch = FloquetBranch { modes: vec![None; step], mac: vec![0.0; step] };
            branch.modes.push(Some(j));
            branch.mac.push(1.0);
            branches.push(branch);
            last.push((step, j));
        }
    }
    branches
}

/// MAC of the shapes, and 1 minus the relative distance of the exponents.
fn similarity(a: &FloquetMode, b: &FloquetMode) -> (f64, f64) {
    let size = a.exponent.norm().max(b.exponent.norm()).max(f64::MIN_POSITIVE);
    let near = 1.0 - ((a.exponent - b.exponent).norm() / size).min(1.0);
    if a.shape.len() != b.shape.len() {
        return (0.0, near);
    }
    let dot = |x: &[Complex<f64>], y: &[Complex<f64>]| x.iter().zip(y).map(|(x, y)| x.conj() * y).sum::<Complex<f64>>();
    let whole = dot(&a.shape, &a.shape).re * dot(&b.shape, &b.shape).re;
    (if whole > 0.0 { dot(&a.shape, &b.shape).norm_sqr() / whole } else { 0.0 }, near)
}
