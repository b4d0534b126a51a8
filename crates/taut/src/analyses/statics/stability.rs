//! Stability of an equilibrium: the eigenvalues of ZᵀKZ, Z a basis of the motions that the constraints allow.
//!
//! A conservative mechanism at rest is stable if all of them are positive. With follower forces K is not symmetric, and with rotation
//! it is not the only term (flutter, gyroscopic terms). A negative real eigenvalue still means instability.
//!
//! Gaps with a contact force and friction within its bounds hold like any other row; friction at its bound does not. A gap that is
//! closed without force is weakly active: it leaves one side free. Then no feasible motion may have negative curvature, on any face
//! of the cone of feasible motions.

use super::equilibrium_equations::EquilibriumEquations;
use super::{EquilibriumPoint, StaticsError};
use crate::analyses::contact_problem::FrictionRegime;
use crate::analyses::friction_bounds::friction_bounds;
use crate::laws::ConstraintLaw;
use crate::mathematics::magnitude::max_abs;
use crate::state::ConstraintMode;
use crate::tangent::DifferenceAccuracy;
use nalgebra::{DMatrix, DVector};

/// Most velocities for which all eigenvalues are found.
const MAX_DENSE_SIZE: usize = 400;
/// Eigenvalues this small relative to the largest stiffness are recomputed more accurately.
const SMALL_EIGENVALUE_RATIO: f64 = 1e-9;
/// Singular values of A that count as zero, relative to the largest.
const RANK_TOLERANCE: f64 = 1e-10;
/// Forces and gaps that count as zero, relative to the largest force and the size of the mechanism.
const ZERO_TOLERANCE: f64 = 1e-9;
/// Most weakly active gaps for which all faces are examined.
const MAX_WEAK_CONTACTS: usize = 10;

/// Stability under small displacements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stability {
    /// All stiffnesses are positive; the smallest.
    Stable(f64),
    /// Some are not; the smallest.
    Unstable(f64),
    /// Some motions are free, with neither stiffness nor load; all others are stable.
    Neutral {
        /// Number of free motions.
        free: usize,
        /// Smallest stiffness of the others; infinite if there are none.
        least: f64,
    },
    /// No motion is possible.
    Rigid,
    /// Too large for all eigenvalues; the one nearest to zero.
    Unknown(f64),
}

/// The stability, and the velocity with the largest part in each free motion.
#[derive(Clone, Debug, PartialEq)]
pub struct StabilityAssessment {
    /// The stability.
    pub stability: Stability,
    /// Motions without stiffness and without load.
    pub free_motions: Vec<String>,
}

impl From<Stability> for StabilityAssessment {
    fn from(stability: Stability) -> StabilityAssessment {
        StabilityAssessment { stability, free_motions: Vec::new() }
    }
}

/// Bilateral rows and rows of weakly active gaps.
struct ActiveSet {
    held: DMatrix<f64>,
    weakly_active: Vec<DVector<f64>>,
}

pub(super) fn assess(
    balance: &mut EquilibriumEquations,
    here: &EquilibriumPoint,
) -> Result<StabilityAssessment, StaticsError> {
    let n = balance.model.sizes.v;
    if n > MAX_DENSE_SIZE {
        balance.factor_regularised(here)?;
        return Ok(Stability::Unknown(balance.softest_motion()?.stiffness).into());
    }
    balance.evaluate_stiffness(here, DifferenceAccuracy::SixthOrder);
    let ActiveSet { held, weakly_active: weak } = active_set(balance, here);
    let first = assess_on_subspace(balance, here, &held)?;
    if weak.is_empty() || !matches!(first.stability, Stability::Unstable(_)) {
        return Ok(first);
    }
    if weak.len() > MAX_WEAK_CONTACTS {
        return Ok(Stability::Unknown(f64::NAN).into());
    }
    // For each face of the cone, some of these gaps stay closed, the others open.
    let K = balance.dense_stiffness();
    let K = (&K + K.transpose()) * 0.5;
    let mut least = f64::INFINITY;
    for face in 0..1_usize << weak.len() {
        let stay = (0..weak.len()).filter(|i| face >> i & 1 == 1);
        let mut rows = held.clone();
        for i in stay {
            let at = rows.nrows();
            rows = rows.insert_row(at, 0.0);
            rows.row_mut(at).copy_from(&weak[i].transpose());
        }
        let Z = null_space(&rows);
        if Z.ncols() == 0 {
            continue;
        }
        let eigen = Z.tr_mul(&(&K * &Z)).symmetric_eigen();
        for (i, value) in
            eigen.eigenvalues.iter().enumerate().filter(|(_, k)| **k < -SMALL_EIGENVALUE_RATIO * balance.max_stiffness)
        {
            let x = &Z * eigen.eigenvectors.column(i);
            let open = |sign: f64| weak.iter().all(|a| sign * a.dot(&x) >= -1e-9 * a.norm() * x.norm());
            if open(1.0) || open(-1.0) {
                least = least.min(*value);
            }
        }
    }
    if least < 0.0 {
        return Ok(Stability::Unstable(least).into());
    }
    let closed = weak.iter().fold(held, |rows, a| {
        let at = rows.nrows();
        let mut rows = rows.insert_row(at, 0.0);
        rows.row_mut(at).copy_from(&a.transpose());
        rows
    });
    assess_on_subspace(balance, here, &closed)
}

/// The stability on the null space of these rows.
fn assess_on_subspace(
    balance: &mut EquilibriumEquations,
    here: &EquilibriumPoint,
    rows: &DMatrix<f64>,
) -> Result<StabilityAssessment, StaticsError> {
    let K = balance.dense_stiffness();
    let Z = null_space(rows);
    if Z.ncols() == 0 {
        return Ok(Stability::Rigid.into());
    }
    // If B differs from A, trial and test directions have different bases.
    let mut reduced = match balance.eq.B.is_empty() {
        true => Z.tr_mul(&(K * &Z)),
        false => {
            let test = null_space(&balance.eq.dense_reactions());
            let Some(across) = test.tr_mul(&Z).try_inverse() else { return Ok(Stability::Unknown(f64::NAN).into()) };
            across * test.tr_mul(&(K * &Z))
        }
    };
    let size = balance.max_stiffness;
    let svd = reduced.clone().svd(false, true);
    let doubtful: Vec<usize> =
        (0..reduced.ncols()).filter(|i| svd.singular_values[*i] <= SMALL_EIGENVALUE_RATIO * size).collect();
    let (mut least, mut free) = (f64::INFINITY, Vec::new());
    if let Some(v) = svd.v_t.filter(|_| !doubtful.is_empty()) {
        for soft in &balance.classify_motions(here, &(&Z * v.select_rows(&doubtful).transpose())) {
            match soft.stiffness {
                Some(k) => least = least.min(k),
                None => free.push(soft.delta.clone()),
            }
        }
        // The recomputed motions are removed from the rest.
        let keep = v.remove_rows_at(&doubtful);
        reduced = &keep * &reduced * keep.transpose();
    }
    if !reduced.is_empty() {
        least = reduced.complex_eigenvalues().iter().map(|e| e.re).fold(least, f64::min);
    }
    let stability = match free.len() {
        _ if least < 0.0 => Stability::Unstable(least),
        0 if least == 0.0 => Stability::Unstable(least),
        0 => Stability::Stable(least),
        free => Stability::Neutral { free, least },
    };
    Ok(StabilityAssessment { stability, free_motions: motion_names(balance, free) })
}

/// A distinct velocity for each of these motions: each named velocity is eliminated from the remaining motions.
fn motion_names(balance: &EquilibriumEquations, mut motions: Vec<Vec<f64>>) -> Vec<String> {
    let velocities = balance.model.state_names().1;
    let mut names = Vec::new();
    while let Some(motion) = motions.pop() {
        let part = |i: &usize| (motion[*i] / balance.displacement_scale[*i]).abs();
        let Some(lead) = (0..motion.len()).max_by(|i, j| part(i).total_cmp(&part(j))) else { break };
        names.push(velocities[lead].name.clone());
        for other in &mut motions {
            let component = other[lead] / motion[lead];
            other.iter_mut().zip(&motion).for_each(|(o, m)| *o -= component * m);
        }
    }
    names.sort();
    names
}

/// The active rows at an evaluated pose.
fn active_set(balance: &EquilibriumEquations, here: &EquilibriumPoint) -> ActiveSet {
    let (model, eq) = (&balance.model, &balance.eq);
    let mut held = eq.dense_jacobian();
    let mut weak = Vec::new();
    if !balance.has_unilateral() {
        return ActiveSet { held, weakly_active: weak };
    }
    let loose = eq.dense_rows(&eq.inactive.A);
    let size = max_abs(&here.lambda);
    for (c, entry) in model.constraints.iter().enumerate().filter(|(_, c)| c.law != ConstraintLaw::Bilateral) {
        let first = entry.law.first_friction_row().unwrap_or(0);
        let row = |r: usize| loose.row(r).transpose();
        let mut hold = |r: usize| held.row_mut(r).copy_from(&loose.row(r));
        if let ConstraintLaw::Unilateral(_) = entry.law {
            let (gap, p) = (eq.inactive.phi[entry.rows.start], here.lambda[entry.rows.start]);
            match p > ZERO_TOLERANCE * size {
                true => hold(entry.rows.start),
                false if gap.abs() <= ZERO_TOLERANCE * balance.length_scale => weak.push(row(entry.rows.start)),
                false => {}
            }
            if p <= ZERO_TOLERANCE * size {
                continue;
            }
        }
        if here.state.modes[c] == ConstraintMode::Idle {
            continue;
        }
        if let Some([lower, upper]) =
            friction_bounds(model, &here.state, &balance.scene, c, &here.lambda, FrictionRegime::Sticking)
        {
            let own = &here.lambda[entry.rows.start + first..entry.rows.end];
            let within = match own {
                [one] => *one > lower + ZERO_TOLERANCE * size && *one < upper - ZERO_TOLERANCE * size,
                several => several.iter().map(|l| l * l).sum::<f64>().sqrt() < upper - ZERO_TOLERANCE * size,
            };
            if within {
                (entry.rows.start + first..entry.rows.end).for_each(&mut hold);
            }
        }
    }
    ActiveSet { held, weakly_active: weak }
}

/// Orthonormal columns that span the null space of A.
pub(super) fn null_space(A: &DMatrix<f64>) -> DMatrix<f64> {
    let n = A.ncols();
    if A.is_empty() {
        return DMatrix::identity(n, n);
    }
    // Rows of zeros make A square, so that the decomposition gives all n directions.
    let mut square = DMatrix::zeros(n.max(A.nrows()), n);
    square.rows_mut(0, A.nrows()).copy_from(A);
    let svd = square.svd(false, true);
    let limit = RANK_TOLERANCE * svd.singular_values.max();
    let free: Vec<usize> = (0..n).filter(|&i| svd.singular_values[i] <= limit).collect();
    svd.v_t.map_or_else(|| DMatrix::zeros(n, 0), |v| v.select_rows(&free).transpose())
}
