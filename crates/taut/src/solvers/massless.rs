//! Bodies without mass: M is only semidefinite.
//!
//! ```text
//!  M v̇ = f + Aᵀλ,   A v̇ = b         has one solution if  M x = 0, A x = 0  only for x = 0
//! ```
//!
//! A motion x of bodies without mass must therefore be determined by constraints. If springs determine it, its equation 0 = f is
//! algebraic; the build adds it as a constraint ([`ForceBalance`](crate::constraints::ForceBalance)).

use crate::bodies::Definiteness;
use crate::equations::{Equations, Layout};
use crate::formulations::CompleteOrthogonalDecomposition;
use crate::model::Model;
use nalgebra::{DMatrix, DVector};
use std::fmt;

/// Singular values of M below this, relative to its largest, are motions without mass.
const ZERO_MASS: f64 = 1e-12;
/// Rows below this, relative to the largest, leave a motion free.
const FREE: f64 = 1e-9;
/// Weight of a body without mass where a norm is needed, relative to the mean of the other bodies.
const RELATIVE_WEIGHT: f64 = 1e-3;
/// Components of a direction below this are not shown.
const SHOWN: f64 = 0.05;

/// A motion of a body without mass that no constraint determines.
#[derive(Clone, Debug, PartialEq)]
pub struct UndeterminedMotion {
    /// The body.
    pub body: String,
    /// Its velocities in this motion, such as `vx` or `0.71 vx + 0.71 vy`.
    pub direction: String,
    /// Why the forces on it cannot determine its motion, if there is a reason besides their directions.
    pub obstacle: Option<String>,
}

impl fmt::Display for UndeterminedMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "body `{}` has no mass in the direction {}, and neither constraints nor springs determine its motion there",
            self.body, self.direction
        )?;
        if let Some(why) = &self.obstacle {
            write!(f, " ({why})")?;
        }
        f.write_str(": give it mass and inertia, or constrain it (`taut static` needs no mass)")
    }
}

/// Copies the blocks of M into W and gives bodies without mass a small weight, so that W is a norm if M is symmetric. For
/// projections and scales, whose result need not depend on W.
pub(crate) fn copy_as_norm(layout: &Layout, M: &[f64], W: &mut [f64]) {
    W.copy_from_slice(M);
    if !layout.has_massless_motions() {
        return;
    }
    let diagonal = |b: &crate::equations::MassBlock| b.mass.clone().step_by(b.v.len() + 1);
    let positive = layout.bodies.iter().flat_map(diagonal).map(|i| M[i]).filter(|m| *m > 0.0);
    let (sum, count) = positive.fold((0.0, 0), |(sum, count), m| (sum + m, count + 1));
    let weight = if count > 0 { RELATIVE_WEIGHT * sum / f64::from(count) } else { 1.0 };
    let massless = layout.bodies.iter().filter(|b| b.definiteness == Definiteness::Semidefinite);
    massless.flat_map(diagonal).for_each(|i| W[i] += weight);
}

/// The same in new storage.
pub(crate) fn as_norm(layout: &Layout, M: &[f64]) -> Vec<f64> {
    let mut W = M.to_vec();
    copy_as_norm(layout, M, &mut W);
    W
}

/// A motion without mass that the active rows of assembled equations do not determine.
pub(crate) fn undetermined_motion(model: &Model, eq: &Equations) -> Option<UndeterminedMotion> {
    if !model.layout.has_massless_motions() || eq.A.iter().chain(&eq.M).any(|x| !x.is_finite()) {
        return None;
    }
    // A basis of the motions without mass: columns of each body.
    let bases: Vec<DMatrix<f64>> = model.layout.bodies.iter().map(|b| mass_kernel(b, &eq.M)).collect();
    let mut columns = vec![0; bases.len() + 1];
    bases.iter().enumerate().for_each(|(b, N)| columns[b + 1] = columns[b] + N.ncols());
    let count = columns[bases.len()];
    let mut rows = DMatrix::zeros(model.rows.len(), count);
    for c in &model.constraints {
        for block in &c.blocks {
            let (N, n) = (&bases[block.body], model.bodies[block.body].v.len());
            for (r, a) in c.rows.clone().zip(eq.A[block.start..].chunks_exact(n)) {
                let own = N.tr_mul(&DVector::from_column_slice(a));
                own.iter().enumerate().for_each(|(k, x)| rows[(r, columns[block.body] + k)] += x);
            }
        }
    }
    for mut row in rows.row_iter_mut() {
        let length = row.norm();
        if length > 0.0 {
            row /= length;
        }
    }
    let free = match rows.nrows() {
        0 => DMatrix::identity(count, count),
        _ => CompleteOrthogonalDecomposition::new(&rows, FREE)?.kernel().clone(),
    };
    if free.ncols() == 0 {
        return None;
    }
    let parts = (0..model.bodies.len()).map(|b| (b, free.rows(columns[b], bases[b].ncols()).into_owned()));
    let (body, part) = parts.max_by(|a, b| a.1.norm().total_cmp(&b.1.norm()))?;
    let leading = part.clone().svd(true, false);
    let direction = &bases[body] * leading.u?.column(0);
    let entry = &model.bodies[body];
    Some(UndeterminedMotion {
        body: entry.name.clone(),
        direction: describe(&entry.kind.body().velocities(), &direction),
        obstacle: model.balance_obstacles.iter().find(|(b, _)| *b == body).map(|(_, why)| why.clone()),
    })
}

/// Orthonormal motions of a body without kinetic energy.
pub(crate) fn mass_kernel(block: &crate::equations::MassBlock, M: &[f64]) -> DMatrix<f64> {
    let n = block.v.len();
    if block.definiteness == Definiteness::Definite {
        return DMatrix::zeros(n, 0);
    }
    let svd = DMatrix::from_column_slice(n, n, &M[block.mass.clone()]).svd(false, true);
    let largest = svd.singular_values.max();
    let Some(V) = svd.v_t.filter(|_| largest > 0.0) else { return DMatrix::identity(n, n) };
    let zero: Vec<usize> = (0..n).filter(|i| svd.singular_values[*i] <= ZERO_MASS * largest).collect();
    V.select_rows(&zero).transpose()
}

/// A direction in words.
fn describe(velocities: &[crate::bodies::Quantity], direction: &DVector<f64>) -> String {
    let size = direction.norm();
    let shown = direction.iter().zip(velocities).filter(|(x, _)| x.abs() > SHOWN * size);
    let terms: Vec<(f64, &str)> = shown.map(|(x, v)| (x / size, v.name.as_str())).collect();
    match &terms[..] {
        [(_, name)] => (*name).to_string(),
        _ => {
            let sign = terms.first().map_or(1.0, |(x, _)| x.signum());
            let term = |(x, name): &(f64, &str)| format!("{:.2} {name}", sign * x);
            terms.iter().map(term).collect::<Vec<_>>().join(" + ").replace("+ -", "− ")
        }
    }
}
