//! Mode tracking over a parameter: each mode continues as the mode of the next value with the most similar shape.
//!
//! The MAC of (ξ, dv/|λ|) and the distance of λ decide. Pairs are matched best first, so that curves may cross. For equal eigenvalues any
//! basis of the eigenspace is valid; it is rotated to match the earlier shapes, which then continue through it.

use super::modes::{Eigenmode, ModeKind, mac};
use nalgebra::{Complex, DMatrix};

/// One mode over the values of the parameter; `None` where it was not found.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeBranch {
    /// λ at every value.
    pub lambda: Vec<Option<Complex<f64>>>,
    /// MAC with the previous value; 1 at the first.
    pub mac: Vec<f64>,
}

/// Number of modes that should be tracked beyond those shown, because curves cross.
pub const EXTRA_TRACKED_MODES: usize = 6;
/// Least MAC of shapes that count as the same mode.
const MIN_MAC: f64 = 0.1;
/// Relative distance of eigenvalues that count as equal, at one value of the parameter.
const EQUAL_EIGENVALUE_TOLERANCE: f64 = 1e-7;

/// Branches through lists of modes, one list per value of the parameter; a list may be empty.
pub fn track_modes(values: &[Vec<Eigenmode>]) -> Vec<ModeBranch> {
    let mut branches: Vec<ModeBranch> = Vec::new();
    let mut last: Vec<(usize, Eigenmode)> = Vec::new();
    for (step, modes) in values.iter().enumerate() {
        let mut moving: Vec<Eigenmode> = modes.iter().filter(|m| m.kind != ModeKind::Free).cloned().collect();
        let before: Vec<Eigenmode> = match last.is_empty() {
            false => last.iter().map(|(_, mode)| mode.clone()).collect(),
            // At the first value the next one decides.
            true => values.get(step + 1).cloned().unwrap_or_default(),
        };
        align_repeated(&mut moving, &before);
        let mut pairs: Vec<(f64, f64, usize, usize)> = Vec::new();
        for (i, (_, before)) in last.iter().enumerate() {
            for (j, now) in moving.iter().enumerate() {
                let like = mac(&state_vector(before), &state_vector(now));
                let size = before.omega().max(now.omega()).max(f64::MIN_POSITIVE);
                let near = 1.0 - ((before.lambda - now.lambda).norm() / size).min(1.0);
                pairs.push((like * (0.2 + near), like, i, j));
            }
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut taken, mut given) = (vec![false; last.len()], vec![None; moving.len()]);
        for (_, like, i, j) in pairs {
            if !taken[i] && given[j].is_none() && like > MIN_MAC {
                taken[i] = true;
                given[j] = Some((last[i].0, like));
            }
        }
        let mut next: Vec<(usize, Eigenmode)> = Vec::new();
        for (j, mode) in moving.into_iter().enumerate() {
            let (b, like) = given[j].unwrap_or_else(|| {
                branches.push(ModeBranch { lambda: vec![None; step], mac: vec![0.0; step] });
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
        // A lost branch may be found again.
        next.extend(last.into_iter().zip(taken).filter(|(_, taken)| !taken).map(|(mode, _)| mode));
        last = next;
    }
    branches
}

/// Rotates the bases of equal eigenvalues to match the shapes of another parameter value: the nearest orthonormal set to those shapes
/// that lie mostly within the eigenspace.
fn align_repeated(modes: &mut [Eigenmode], before: &[Eigenmode]) {
    let mut first = 0;
    while first < modes.len() {
        let given = modes[first].lambda;
        let same = |m: &Eigenmode| (m.lambda - given).norm() <= EQUAL_EIGENVALUE_TOLERANCE * given.norm();
        let count = modes[first..].iter().take_while(|m| same(m)).count().max(1);
        if count > 1 {
            align_eigenspace(&mut modes[first..first + count], before);
        }
        first += count;
    }
}

fn align_eigenspace(modes: &mut [Eigenmode], before: &[Eigenmode]) {
    let count = modes.len();
    let columns: Vec<_> = modes.iter().map(|m| nalgebra::DVector::from_vec(state_vector(m))).collect();
    let size = columns[0].len();
    let qr = DMatrix::from_columns(&columns).qr();
    let (basis, R) = (qr.q(), qr.r());
    if basis.ncols() < count || (0..count).any(|i| R[(i, i)].norm() <= 1e-9 * R[(0, 0)].norm()) {
        return;
    }
    // The shapes that lie mostly within the space.
    let mut shapes: Vec<(f64, nalgebra::DVector<Complex<f64>>)> = Vec::new();
    for mode in before.iter().filter(|m| m.kind != ModeKind::Free) {
        let x = nalgebra::DVector::from_vec(state_vector(mode));
        if x.len() != size || x.norm() == 0.0 {
            continue;
        }
        let x = &x / Complex::new(x.norm(), 0.0);
        let inside = basis.ad_mul(&x);
        shapes.push((inside.norm(), inside));
    }
    shapes.sort_by(|a, b| b.0.total_cmp(&a.0));
    shapes.truncate(count);
    if shapes.len() < count || shapes[count - 1].0 < 0.3 {
        return;
    }
    // [U, V] of the parts inside: U Vᴴ is the nearest unitary matrix.
    let parts = DMatrix::from_columns(&shapes.into_iter().map(|(_, x)| x).collect::<Vec<_>>());
    let svd = parts.svd(true, true);
    let (Some(U), Some(V), true) = (svd.u, svd.v_t, svd.singular_values.min() > 0.1) else { return };
    // whole = basis R: a rotation of the basis is multiplied by R⁻¹ for the modes.
    let Some(with) = R.solve_upper_triangular(&(U * V)) else { return };
    let old: Vec<Eigenmode> = modes.to_vec();
    for (j, mode) in modes.iter_mut().enumerate() {
        let mix = |of: fn(&Eigenmode) -> &Vec<Complex<f64>>| -> Vec<Complex<f64>> {
            (0..of(&old[0]).len())
                .map(|i| (0..count).fold(Complex::new(0.0, 0.0), |s, k| s + of(&old[k])[i] * with[(k, j)]))
                .collect()
        };
        (mode.xi, mode.dv, mode.z) = (mix(|m| &m.xi), mix(|m| &m.dv), mix(|m| &m.z));
    }
}

/// Displacements and velocities, the latter divided by |λ|.
fn state_vector(mode: &Eigenmode) -> Vec<Complex<f64>> {
    let rate = mode.omega().max(f64::MIN_POSITIVE);
    mode.xi.iter().copied().chain(mode.dv.iter().map(|v| *v / rate)).collect()
}

/// The branches that are among the slowest at some value.
pub fn slowest_branches(branches: Vec<ModeBranch>, count: usize) -> Vec<ModeBranch> {
    let steps = branches.first().map_or(0, |b| b.lambda.len());
    let mut keep = vec![false; branches.len()];
    for step in 0..steps {
        let mut here: Vec<(f64, usize)> =
            branches.iter().enumerate().filter_map(|(k, b)| b.lambda[step].map(|l| (l.norm(), k))).collect();
        here.sort_by(|a, b| a.0.total_cmp(&b.0));
        here.iter().take(count).for_each(|(_, k)| keep[*k] = true);
    }
    branches.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(b, _)| b).collect()
}
