//! Modes followed over a parameter: each goes on as the one of the next value whose shape is most like its own.
//!
//! MAC of (ξ, dv/|λ|) and nearness of λ together decide; pairs are taken best first, so that curves may cross.

use super::modes::{Kind, Mode, mac};
use nalgebra::Complex;

/// One mode over the values of the parameter; gaps where it was not found.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// λ at every value.
    pub lambda: Vec<Option<Complex<f64>>>,
    /// MAC with the value before; 1 at the first.
    pub mac: Vec<f64>,
}

/// Least likeness of shapes that counts as the same mode.
const LIKE: f64 = 0.1;

/// Branches through lists of modes, one list per value of the parameter.
pub fn track(values: &[Vec<Mode>]) -> Vec<Branch> {
    let mut branches: Vec<Branch> = Vec::new();
    let mut last: Vec<(usize, &Mode)> = Vec::new();
    for (step, modes) in values.iter().enumerate() {
        let moving: Vec<&Mode> = modes.iter().filter(|m| m.kind != Kind::Free).collect();
        let mut pairs: Vec<(f64, f64, usize, usize)> = Vec::new();
        for (i, (_, before)) in last.iter().enumerate() {
            for (j, now) in moving.iter().enumerate() {
                let like = mac(&whole(before), &whole(now));
                let size = before.omega().max(now.omega()).max(f64::MIN_POSITIVE);
                let near = 1.0 - ((before.lambda - now.lambda).norm() / size).min(1.0);
                pairs.push((like * (0.2 + near), like, i, j));
            }
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut taken, mut given) = (vec![false; last.len()], vec![None; moving.len()]);
        for (_, like, i, j) in pairs {
            if !taken[i] && given[j].is_none() && like > LIKE {
                taken[i] = true;
                given[j] = Some((last[i].0, like));
            }
        }
        let mut next: Vec<(usize, &Mode)> = Vec::new();
        for (j, mode) in moving.iter().enumerate() {
            let (b, like) = given[j].unwrap_or_else(|| {
                branches.push(Branch { lambda: vec![None; step], mac: vec![0.0; step] });
                (branches.len() - 1, 1.0)
            });
            branches[b].lambda.push(Some(mode.lambda));
            branches[b].mac.push(like);
            next.push((b, mode));
        }
        for b in &mut branches {
            b.lambda.resize(step + 1, None);
            b.mac.resize(step + 1, 0.0);
        }
        // A branch that was lost may be found again.
        for (i, (b, mode)) in last.iter().enumerate() {
            if !taken[i] {
                next.push((*b, mode));
            }
        }
        last = next;
    }
    branches
}

/// Displacements and velocities, these measured by the mode's own rate.
fn whole(mode: &Mode) -> Vec<Complex<f64>> {
    let rate = mode.omega().max(f64::MIN_POSITIVE);
    mode.xi.iter().copied().chain(mode.dv.iter().map(|v| *v / rate)).collect()
}
