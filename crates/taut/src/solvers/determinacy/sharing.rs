//! How joints share the load that the equations of motion leave open.
//!
//! ```text
//!  x(z) = x₀ + N z                     all reactions in balance with the same motion; columns of N are self-stresses
//!  minimum norm    Σ xᵢ²             least  1 N counts as 1 N m: a convention, not physics
//!  stiffness       ½ xᵀ K⁻¹ x − xᵀ e   least  rigid bodies on elastic joints with misfits e (\[WojtyraFraczek2013\])
//! ```
//!
//! The second follows from compatibility: displacements δ = e − K⁻¹ x of the joints that rigid bodies allow do no work under any
//! self-stress, Nᵀ δ = 0.

use super::components::{ComponentAxes, ReactionComponent, joint_wrench, reaction_components};
use super::large_sharing::{Compliances, SparseReactions};
use super::one_sided::{PULL_TOLERANCE, SharingEnergy, least_pushing};
use super::{StressGroup, stress_matrix};
use crate::equations::MarkerKinematics;
use crate::laws::ConstraintLaw;
use crate::model::{Model, ReactionSharing, SharingStiffness};
use crate::state::ConstraintMode;
use nalgebra::{DMatrix, DVector};

/// Eigenvalues below this count as zero, relative to the largest of the scaled matrix.
const RANK_TOLERANCE: f64 = 1e-12;

/// Weight of the norm beside an energy.
const NORM_WEIGHT: f64 = 1e-7;

/// Most self-stresses of a group that are solved with full matrices.
const MAX_DENSE: usize = 300;

/// Reactions that depend on z: x₀ + N z.
pub(crate) struct OpenReactions {
    pub x: DVector<f64>,
    pub N: DMatrix<f64>,
}

impl OpenReactions {
    /// Of these components under these multipliers.
    pub fn new(components: &[ReactionComponent], group: &StressGroup, lambda: &[f64]) -> OpenReactions {
        let x = DVector::from_iterator(components.len(), components.iter().map(|c| c.value(lambda)));
        OpenReactions { x, N: stress_matrix(components, &group.stresses) }
    }

    /// x at z.
    pub fn at(&self, z: &DVector<f64>) -> DVector<f64> {
        &self.x + &self.N * z
    }

    /// The same at z + Z y, as a function of y.
    fn restricted(&self, z: &DVector<f64>, Z: &DMatrix<f64>) -> OpenReactions {
        OpenReactions { x: self.at(z), N: &self.N * Z }
    }

    /// z of the least Σ xᵢ².
    pub fn minimum_norm(&self) -> DVector<f64> {
        solve_semidefinite(&self.N.tr_mul(&self.N), &-self.N.tr_mul(&self.x)).0
    }
}

/// The elastic joints of a group.
pub(crate) struct ElasticSharing {
    components: Vec<ReactionComponent>,
    /// K⁻¹ of each joint, with its first component.
    blocks: Vec<(usize, DMatrix<f64>)>,
    misfit: DVector<f64>,
}

impl ElasticSharing {
    /// None if no joint of the group has a stiffness.
    pub fn new(
        model: &Model,
        scene: &MarkerKinematics,
        modes: &[ConstraintMode],
        group: &StressGroup,
    ) -> Option<ElasticSharing> {
        let elastic = |c: &usize| model.sharing.iter().find(|(of, _)| of == c);
        let mut components = Vec::new();
        let mut blocks = Vec::new();
        let mut misfit = Vec::new();
        for (c, stiffness) in group.constraints.iter().filter_map(elastic) {
            let own = match stiffness {
                SharingStiffness::Frame { .. } => joint_wrench(model, scene, modes, *c),
                SharingStiffness::Row { .. } => reaction_components(model, scene, modes, *c, ComponentAxes::Joint),
            };
            if own.len() == stiffness.misfit().len() {
                blocks.push((components.len(), stiffness.compliance()));
                misfit.extend_from_slice(stiffness.misfit());
                components.extend(own);
            }
        }
        (!blocks.is_empty()).then(|| ElasticSharing { components, blocks, misfit: DVector::from_vec(misfit) })
    }

    /// K⁻¹ of all components.
    fn compliance(&self) -> DMatrix<f64> {
        let mut compliance = DMatrix::zeros(self.misfit.len(), self.misfit.len());
        for (first, block) in &self.blocks {
            compliance.view_mut((*first, *first), block.shape()).copy_from(block);
        }
        compliance
    }

    /// z of the least energy; where it leaves z open, of the least norm of `all`.
    fn share(&self, own: &OpenReactions, all: &OpenReactions) -> DVector<f64> {
        let compliance = self.compliance();
        let (N, x) = (&own.N, &own.x);
        let H = N.tr_mul(&(&compliance * N));
        let g = N.tr_mul(&(&self.misfit - &compliance * x));
        let (mut z, kernel) = solve_semidefinite(&H, &g);
        if kernel.ncols() > 0 {
            let rest = OpenReactions { x: all.at(&z), N: &all.N * &kernel };
            z += kernel * rest.minimum_norm();
        }
        z
    }
}

/// The energy of elastic joints; where it is the same, the least norm decides.
struct ElasticEnergy<'a> {
    joints: &'a ElasticSharing,
    own: &'a OpenReactions,
    all: &'a OpenReactions,
}

impl SharingEnergy for ElasticEnergy<'_> {
    fn least(&self, z: &DVector<f64>, Z: &DMatrix<f64>) -> DVector<f64> {
        self.joints.share(&self.own.restricted(z, Z), &self.all.restricted(z, Z))
    }

    fn gradient(&self, z: &DVector<f64>) -> DVector<f64> {
        let strain = self.joints.compliance() * self.own.at(z) - &self.joints.misfit;
        let (energy, norm) = (self.own.N.tr_mul(&strain), self.all.N.tr_mul(&self.all.at(z)));
        // The norm counts only for gaps that the energy does not feel.
        let scale = |g: &DVector<f64>| if g.amax() > 0.0 { 1.0 / g.amax() } else { 0.0 };
        &energy * scale(&energy) + &norm * (NORM_WEIGHT * scale(&norm))
    }
}

/// The sum of the squares of all components.
struct ReactionNorm<'a>(&'a OpenReactions);

impl SharingEnergy for ReactionNorm<'_> {
    fn least(&self, z: &DVector<f64>, Z: &DMatrix<f64>) -> DVector<f64> {
        self.0.restricted(z, Z).minimum_norm()
    }

    fn gradient(&self, z: &DVector<f64>) -> DVector<f64> {
        self.0.N.tr_mul(&self.0.at(z))
    }
}

/// The gaps of a group: their multipliers as functions of z.
fn gaps(model: &Model, group: &StressGroup, lambda: &[f64]) -> OpenReactions {
    let is_gap = |c: &&usize| matches!(model.constraints[**c].law, ConstraintLaw::Unilateral(_));
    let rows: Vec<usize> = group.constraints.iter().filter(is_gap).map(|c| model.constraints[*c].rows.start).collect();
    let entry = |row: usize, j: usize| {
        let stress = &group.stresses[j];
        stress.binary_search_by_key(&row, |(r, _)| *r).map_or(0.0, |i| stress[i].1)
    };
    OpenReactions {
        x: DVector::from_iterator(rows.len(), rows.iter().map(|r| lambda[*r])),
        N: DMatrix::from_fn(rows.len(), group.stresses.len(), |i, j| entry(rows[i], j)),
    }
}

/// Whether a gap pulls.
fn pulls(gaps: &OpenReactions, z: &DVector<f64>, x: &DVector<f64>) -> bool {
    let size = x.amax();
    gaps.at(z).iter().any(|l| *l < -PULL_TOLERANCE * size)
}

/// Factors z of the self-stresses, and the components at z.
pub(crate) struct SharedLoad {
    pub z: DVector<f64>,
    pub x: DVector<f64>,
}

/// The components of a group in the distribution of least norm in which no gap pulls, if there is one; none if it is not found.
pub(crate) fn least_norm(
    model: &Model,
    components: &[ReactionComponent],
    group: &StressGroup,
    lambda: &[f64],
) -> Option<SharedLoad> {
    if group.stresses.len() <= MAX_DENSE {
        let open = OpenReactions::new(components, group, lambda);
        let (mut z, gaps) = (open.minimum_norm(), gaps(model, group, lambda));
        if pulls(&gaps, &z, &open.at(&z)) {
            z = least_pushing(&ReactionNorm(&open), &gaps).unwrap_or(z);
        }
        return Some(SharedLoad { x: open.at(&z), z });
    }
    let open = SparseReactions::new(components, group, lambda);
    let z = open.minimum_norm()?;
    Some(SharedLoad { x: open.at(&z), z })
}

/// The components of a group in the distribution of least elastic energy in which no gap pulls, if there is one; none if it is not
/// found.
pub(crate) fn least_energy(
    model: &Model,
    elastic: &ElasticSharing,
    components: &[ReactionComponent],
    group: &StressGroup,
    lambda: &[f64],
) -> Option<SharedLoad> {
    if group.stresses.len() <= MAX_DENSE {
        let open = OpenReactions::new(components, group, lambda);
        let own = OpenReactions::new(&elastic.components, group, lambda);
        let (mut z, gaps) = (elastic.share(&own, &open), gaps(model, group, lambda));
        if pulls(&gaps, &z, &open.at(&z)) {
            z = least_pushing(&ElasticEnergy { joints: elastic, own: &own, all: &open }, &gaps).unwrap_or(z);
        }
        return Some(SharedLoad { x: open.at(&z), z });
    }
    let open = SparseReactions::new(components, group, lambda);
    let joints = Compliances { blocks: &elastic.blocks, misfit: &elastic.misfit };
    let z = SparseReactions::new(&elastic.components, group, lambda).least_energy(&joints, &open)?;
    Some(SharedLoad { x: open.at(&z), z })
}

/// Why a group keeps its multipliers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SharingFailure {
    /// This gap would have to pull.
    Pulls(usize),
    /// The rule has no solution that could be found for the group of this constraint.
    Unsolved(usize),
}

impl SharingFailure {
    /// In words.
    pub fn words(self, model: &Model) -> String {
        match self {
            SharingFailure::Pulls(c) => format!("`{}` would have to pull", model.constraints[c].name),
            SharingFailure::Unsolved(c) => {
                format!("the shares of `{}` and others are too ill-conditioned to compute", model.constraints[c].name)
            }
        }
    }
}

/// Changes the multipliers by self-stresses until the joints share the load by this rule; gaps only push. A group for which this is
/// not found, or in which a gap would still have to pull, keeps its multipliers; the last failure is returned.
pub(crate) fn redistribute(
    model: &Model,
    scene: &MarkerKinematics,
    modes: &[ConstraintMode],
    groups: &[StressGroup],
    rule: ReactionSharing,
    lambda: &mut [f64],
) -> Option<SharingFailure> {
    let mut failure = None;
    for group in groups.iter().filter(|_| rule != ReactionSharing::Solver) {
        let of = |c: &usize| reaction_components(model, scene, modes, *c, ComponentAxes::World);
        let components: Vec<ReactionComponent> = group.constraints.iter().flat_map(of).collect();
        let elastic = match rule {
            ReactionSharing::Stiffness => ElasticSharing::new(model, scene, modes, group),
            _ => None,
        };
        let shared = match &elastic {
            Some(joints) => least_energy(model, joints, &components, group, lambda),
            None => least_norm(model, &components, group, lambda),
        };
        let Some(SharedLoad { z, .. }) = shared else {
            failure = group.constraints.first().map(|c| SharingFailure::Unsolved(*c)).or(failure);
            continue;
        };
        let before: Vec<(usize, f64)> = group.stresses.iter().flatten().map(|(r, _)| (*r, lambda[*r])).collect();
        for (stress, z) in group.stresses.iter().zip(&z) {
            stress.iter().for_each(|(r, n)| lambda[*r] += z * n);
        }
        let size = before.iter().fold(0.0_f64, |a, (r, _)| a.max(lambda[*r].abs()));
        let is_pulling = |c: &&usize| {
            let entry = &model.constraints[**c];
            matches!(entry.law, ConstraintLaw::Unilateral(_)) && lambda[entry.rows.start] < -PULL_TOLERANCE * size
        };
        if let Some(c) = group.constraints.iter().find(is_pulling) {
            before.iter().for_each(|(r, value)| lambda[*r] = *value);
            failure = Some(SharingFailure::Pulls(*c));
        }
    }
    failure
}

/// The solution of H z = g of least norm for a semidefinite H, and a basis of its kernel, both in z scaled by the diagonal of H.
fn solve_semidefinite(H: &DMatrix<f64>, g: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
    let scale = H.diagonal().map(|h| if h > 0.0 { 1.0 / h.sqrt() } else { 1.0 });
    let S = DMatrix::from_diagonal(&scale);
    let eigen = (&S * H * &S).symmetric_eigen();
    let largest = eigen.eigenvalues.amax();
    let g = g.component_mul(&scale);
    let mut z = DVector::zeros(g.len());
    let mut kernel = Vec::new();
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > RANK_TOLERANCE * largest {
            z += vector * (vector.dot(&g) / value);
        } else {
            kernel.push(vector.component_mul(&scale));
        }
    }
    let kernel = if kernel.is_empty() { DMatrix::zeros(g.len(), 0) } else { DMatrix::from_columns(&kernel) };
    (z.component_mul(&scale), kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A beam on three supports at 0, 2 and 5 m; values by hand from (3, −5, 2).
    fn beam() -> OpenReactions {
        OpenReactions {
            N: DMatrix::from_column_slice(3, 1, &[3.0, -5.0, 2.0]),
            x: DVector::from_column_slice(&[100.0, 100.0, 0.0]),
        }
    }

    #[test]
    fn three_supports() {
        let even = beam().at(&beam().minimum_norm());
        assert!(even.dot(&beam().N.column(0)).abs() < 1e-12);
        let elastic = |k: [f64; 3], e: [f64; 3]| ElasticSharing {
            components: Vec::new(),
            blocks: (0..3).map(|i| (i, DMatrix::from_element(1, 1, 1.0 / k[i]))).collect(),
            misfit: DVector::from_column_slice(&e),
        };
        let (k, e) = ([1e7, 5e6, 1e7], [0.0, 1e-4, 0.0]);
        let x = beam().at(&elastic(k, e).share(&beam(), &beam()));
        // The three supports lie on a line again: 3 δ₀ − 5 δ₁ + 2 δ₂ = 0.
        let delta = DVector::from_fn(3, |i, _| e[i] - x[i] / k[i]);
        assert!(delta.dot(&beam().N.column(0)).abs() < 1e-15);
        // Rigid joints leave the share open; the convention decides.
        let rigid = beam().at(&elastic([f64::INFINITY; 3], [0.0; 3]).share(&beam(), &beam()));
        assert!((rigid - even).amax() < 1e-12);
    }
}
