//! The equations reduced to the subspace of motions that the constraints allow, as full matrices.
//!
//! ```text
//!  ξ = N_p a,   dv = N_v b − A_v⁺ P N_p a                N_p, N_v: null spaces of the rows at position and velocity level
//!  dv' = N y + A⁺ s − Q dv,   s = −H dv − G ξ            N: null space of all rows
//!  (N_Bᵀ M N) y = N_Bᵀ (−C dv − K ξ − (∂r/∂z) z − M A⁺ s)
//! ```
//!
//! The left inverses of N_p and N_v are their transposes, so (a, b, z)' = J (a, b, z) has exactly the eigenvalues of the constrained
//! system, for rows of any level.

use super::rotating_frame::FrameTerms;
use super::velocity_blocks::has_parameters;
use super::{Alive, LinearError, Linearised};
use nalgebra::{DMatrix, DVector, Dyn, LU, QR};

/// Null space of independent rows, and their orthogonal factors: A = Rᵀ Q₁ᵀ.
#[derive(Clone, Debug)]
pub(in crate::analyses) struct NullSpaceBasis {
    /// Orthonormal columns that span the null space.
    pub N: DMatrix<f64>,
    /// Q₁: orthonormal columns that span the rows.
    range: DMatrix<f64>,
    R: DMatrix<f64>,
}

impl NullSpaceBasis {
    pub fn of(A: &DMatrix<f64>) -> NullSpaceBasis {
        let (m, n) = A.shape();
        if m == 0 {
            let (range, R) = (DMatrix::zeros(n, 0), DMatrix::zeros(0, 0));
            return NullSpaceBasis { N: DMatrix::identity(n, n), range, R };
        }
        let qr = QR::new(A.transpose());
        // All of Qᵀ; its rows beyond the rank of A span the null space.
        let mut all = DMatrix::identity(n, n);
        qr.q_tr_mul(&mut all);
        NullSpaceBasis { N: all.rows(m, n - m).transpose(), range: all.rows(0, m).transpose(), R: qr.r() }
    }

    /// A⁺ s = Q₁ R⁻ᵀ s: the x of least norm with A x = s.
    pub fn least_norm(&self, s: &DMatrix<f64>) -> DMatrix<f64> {
        match self.R.tr_solve_upper_triangular(s) {
            Some(x) => &self.range * x,
            None => DMatrix::zeros(self.range.nrows(), s.ncols()),
        }
    }

    /// A⁺.
    pub fn pseudo_inverse(&self) -> DMatrix<f64> {
        self.least_norm(&DMatrix::identity(self.R.nrows(), self.R.nrows()))
    }
}

/// The null spaces of the rows by level.
pub(super) struct NullSpaces {
    pub position: NullSpaceBasis,
    pub velocity: NullSpaceBasis,
    /// Of all rows.
    pub all: NullSpaceBasis,
    /// N_B; none if it is N of all rows.
    test: Option<DMatrix<f64>>,
}

impl NullSpaces {
    /// N_B.
    pub fn test(&self) -> &DMatrix<f64> {
        self.test.as_ref().unwrap_or(&self.all.N)
    }
}

/// Reduced coordinates and matrices.
#[derive(Clone, Debug)]
pub(super) struct ReducedSystem {
    /// Null space of the rows at position level.
    pub position: NullSpaceBasis,
    /// Null space of the rows at velocity level.
    pub velocity: NullSpaceBasis,
    /// dv caused by a: −A_v⁺ P N_p.
    pub velocity_by_displacement: DMatrix<f64>,
    /// Indices of the extra states that take part.
    pub states: Vec<usize>,
    /// (a, b, z)' = J (a, b, z).
    pub J: DMatrix<f64>,
    /// Derivatives of v̇ in the world frame by ξ, dv, z.
    pub accelerations: [DMatrix<f64>; 3],
    /// The same by a generalised force.
    pub by_force: DMatrix<f64>,
    /// Distance of the subspace from invariance, relative to J.
    pub invariance_error: f64,
}

/// The full matrices of a linearisation.
pub(super) struct FullMatrices {
    pub M: DMatrix<f64>,
    pub C: DMatrix<f64>,
    pub K: DMatrix<f64>,
    pub A: DMatrix<f64>,
    pub B: DMatrix<f64>,
    pub P: DMatrix<f64>,
    pub G: DMatrix<f64>,
    pub H: DMatrix<f64>,
    pub S: DMatrix<f64>,
    pub Q: DMatrix<f64>,
    /// ∂r/∂z of the extra states that take part.
    pub r_by_z: DMatrix<f64>,
    /// ∂ż/∂δ, ∂ż/∂v, ∂ż/∂z.
    pub z_by: [DMatrix<f64>; 3],
    pub states: Vec<usize>,
}

impl Linearised<'_> {
    /// Assembles all full matrices.
    pub(super) fn full_matrices(&self) -> FullMatrices {
        let (n, model, t) = (self.n(), self.model, &self.tangent);
        let (mut S, mut Q) = (DMatrix::zeros(n, n), DMatrix::zeros(n, n));
        for (b, c) in model.bodies.iter().zip(&self.frame_terms) {
            if let FrameTerms::Rotating { S: s, Q: q } = c {
                let size = (b.v.len(), b.v.len());
                S.view_mut((b.v.start, b.v.start), size).copy_from(s);
                Q.view_mut((b.v.start, b.v.start), size).copy_from(q);
            }
        }
        let states: Vec<usize> = (0..model.sizes.z).filter(|z| self.active_states[*z] == Alive::Yes).collect();
        let mut place = vec![None; model.sizes.z];
        states.iter().enumerate().for_each(|(i, z)| place[*z] = Some(i));
        let nz = states.len();
        let mut r_by_z = DMatrix::zeros(n, nz);
        let mut z_by = [DMatrix::zeros(nz, n), DMatrix::zeros(nz, n), DMatrix::zeros(nz, nz)];
        for ((v, z), x) in t.pattern.r_by_z.iter().zip(&t.r_by_z) {
            place[*z].iter().for_each(|z| r_by_z[(*v, *z)] += x);
        }
        for (k, (z, v)) in t.pattern.z_by_v.iter().enumerate() {
            if let Some(z) = place[*z] {
                z_by[0][(z, *v)] += t.z_by_delta[k];
                z_by[1][(z, *v)] += t.z_by_v[k];
            }
        }
        for ((row, column), x) in t.pattern.z_by_z.iter().zip(&t.z_by_z) {
            if let (Some(row), Some(column)) = (place[*row], place[*column]) {
                z_by[2][(row, column)] += x;
            }
        }
        let [G, H] = t.dense_rows();
        FullMatrices {
            M: self.eq.dense_mass(),
            C: t.dense_damping(model),
            K: t.dense_stiffness(model),
            A: self.eq.dense_jacobian(),
            B: self.eq.dense_reactions(),
            P: self.eq.dense_rows(&self.P),
            G,
            H,
            S,
            Q,
            r_by_z,
            z_by,
            states,
        }
    }

    /// The same, with the entries for rotations of a rigid body replaced by their largest; by a tenth of it if the velocities are ω.
    fn with_rotation_magnitudes(&self, sizes: &DMatrix<f64>) -> DMatrix<f64> {
        let mut found = sizes.clone();
        for b in self.model.bodies.iter().filter(|b| b.kind.rigid().is_some()) {
            let (first, count) = (b.v.start + 3, b.v.len() - 3);
            let mut block = found.view_mut((first, first), (count, count));
            let largest = block.amax() * if has_parameters(b) { 1.0 } else { 0.1 };
            block.fill(largest);
        }
        found
    }

    /// |R|, entry by entry.
    fn abs_second_order_terms(&self) -> DMatrix<f64> {
        let mut R = DMatrix::zeros(self.n(), self.n());
        for (b, own) in self.model.bodies.iter().zip(&self.second_order_terms) {
            if let Some(own) = own {
                R.view_mut((b.v.start, b.v.start), (b.v.len(), b.v.len())).copy_from(&own.abs());
            }
        }
        R
    }

    fn select_rows(&self, X: &DMatrix<f64>, wanted: impl Fn(super::rows::RowUse) -> bool) -> DMatrix<f64> {
        let rows: Vec<usize> = (0..X.nrows()).filter(|r| wanted(self.row_uses[*r])).collect();
        X.select_rows(&rows)
    }

    /// The null space of the rows at position level.
    pub(super) fn position_null_space(&self, A: &DMatrix<f64>) -> NullSpaceBasis {
        NullSpaceBasis::of(&self.select_rows(A, super::rows::RowUse::position))
    }

    /// The null spaces of the rows; levels with the same rows share one factorisation.
    pub(super) fn null_spaces(&self, full: &FullMatrices) -> NullSpaces {
        use super::rows::RowUse;
        let same = |a: fn(RowUse) -> bool, b: fn(RowUse) -> bool| self.row_uses.iter().all(|r| a(*r) == b(*r));
        let position = self.position_null_space(&full.A);
        let velocity = match same(RowUse::position, RowUse::velocity) {
            true => position.clone(),
            false => NullSpaceBasis::of(&self.select_rows(&full.A, RowUse::velocity)),
        };
        let all = match same(RowUse::velocity, RowUse::any) {
            true => velocity.clone(),
            false => NullSpaceBasis::of(&self.select_rows(&full.A, RowUse::any)),
        };
        let test = (!self.eq.B.is_empty()).then(|| NullSpaceBasis::of(&self.select_rows(&full.B, RowUse::any)).N);
        NullSpaces { position, velocity, all, test }
    }

    /// dv caused by a: −A_v⁺ P N_p.
    pub(super) fn velocity_by_displacement(&self, full: &FullMatrices, spaces: &NullSpaces) -> DMatrix<f64> {
        let P = self.select_rows(&full.P, super::rows::RowUse::velocity);
        -spaces.velocity.least_norm(&(P * &spaces.position.N))
    }

    /// The change of v̇ in the world frame that belongs to small motions (ξ, dv, z), column by column.
    pub(super) fn acceleration_changes(
        &self,
        full: &FullMatrices,
        spaces: &NullSpaces,
        [xi, dv, z]: [&DMatrix<f64>; 3],
    ) -> Result<DMatrix<f64>, LinearError> {
        let rows = |X: &DMatrix<f64>| self.select_rows(X, super::rows::RowUse::any);
        let followed = -spaces.all.least_norm(&(rows(&full.G) * xi + rows(&full.H) * dv));
        let (N, test) = (&spaces.all.N, spaces.test());
        if test.ncols() == 0 {
            return Ok(followed);
        }
        let force = -(&full.K * xi + &full.C * dv + &full.r_by_z * z + &full.M * &followed);
        let massless = || LinearError::singular("high frequencies")(crate::tangent::Singular);
        let free = test.tr_mul(&(&full.M * N)).lu().solve(&test.tr_mul(&force)).ok_or_else(massless)?;
        Ok(N * free + followed)
    }

    /// Reduced coordinates and J.
    pub(super) fn reduced_system(&self) -> Result<ReducedSystem, LinearError> {
        let full = self.full_matrices();
        let n = self.n();
        let spaces = self.null_spaces(&full);
        let follow = self.velocity_by_displacement(&full, &spaces);
        let test = spaces.test();
        let reduced: LU<f64, Dyn, Dyn> = test.tr_mul(&(&full.M * &spaces.all.N)).lu();
        let massless = || LinearError::singular("high frequencies")(crate::tangent::Singular);
        // Accelerations per unit force: N (N_Bᵀ M N)⁻¹ N_Bᵀ.
        let y = if test.ncols() == 0 { Some(DMatrix::zeros(0, n)) } else { reduced.solve(&test.transpose()) };
        let by_force = &spaces.all.N * y.ok_or_else(massless)?;
        let [Gs, Hs] =
            [&full.G, &full.H].map(|X| -spaces.all.least_norm(&self.select_rows(X, super::rows::RowUse::any)));
        let NullSpaces { position, velocity, .. } = spaces;
        let by_xi = &by_force * (-&full.K - &full.M * &Gs) + Gs;
        let by_dv = &by_force * (-&full.C - &full.M * &Hs) + Hs;
        let by_z = -&by_force * &full.r_by_z;

        let (na, nb, nz) = (position.N.ncols(), velocity.N.ncols(), full.states.len());
        let d = na + nb + nz;
        // ξ' = dv + S ξ and dv' for all directions of the subspace.
        let slope_a = &follow + &full.S * &position.N;
        let in_frame = &by_dv - &full.Q;
        let rate_a = &by_xi * &position.N + &in_frame * &follow;
        let rate_b = &in_frame * &velocity.N;
        let mut J = DMatrix::zeros(d, d);
        J.view_mut((0, 0), (na, na)).copy_from(&position.N.tr_mul(&slope_a));
        J.view_mut((0, na), (na, nb)).copy_from(&position.N.tr_mul(&velocity.N));
        J.view_mut((na, 0), (nb, na)).copy_from(&velocity.N.tr_mul(&rate_a));
        J.view_mut((na, na), (nb, nb)).copy_from(&velocity.N.tr_mul(&rate_b));
        J.view_mut((na, na + nb), (nb, nz)).copy_from(&velocity.N.tr_mul(&by_z));
        let [zd, zv, zz] = &full.z_by;
        J.view_mut((na + nb, 0), (nz, na)).copy_from(&(zd * &position.N + zv * &follow));
        J.view_mut((na + nb, na), (nz, nb)).copy_from(&(zv * &velocity.N));
        J.view_mut((na + nb, na + nb), (nz, nz)).copy_from(zz);
        if self.model.bodies.iter().any(|b| b.kind.rigid().is_some()) {
            // Rotational stiffness is a difference of such terms, and terms from rotation parameters cancel: their round-off would look
            // like a stiffness.
            let size = |X: &DMatrix<f64>| X.abs();
            let brought = self.with_rotation_magnitudes(
                &(size(&full.K) + size(&full.M) * (self.abs_second_order_terms() + size(&full.Q) * size(&full.S))),
            );
            let terms = size(&velocity.N)
                .tr_mul(&(size(&by_force) * brought * size(&position.N) + size(&full.Q) * size(&follow)));
            let mut block = J.view_mut((na, 0), (nb, na));
            block
                .iter_mut()
                .zip(terms.iter())
                .filter(|(x, size)| x.abs() <= 1e-12 * **size)
                .for_each(|(x, _)| *x = 0.0);
        }
        // Rates that leave the subspace: A ξ' and A dv' + P ξ'.
        let A_p = self.select_rows(&full.A, super::rows::RowUse::position);
        let out_a = (&A_p * &slope_a).amax().max((&A_p * &velocity.N).amax());
        let leaving = if A_p.is_empty() { 0.0 } else { out_a / slope_a.amax().max(1.0) };
        let accelerations = [by_xi, by_dv, by_z];
        Ok(ReducedSystem {
            position,
            velocity,
            velocity_by_displacement: follow,
            states: full.states,
            J,
            accelerations,
            by_force,
            invariance_error: leaving,
        })
    }
}

impl ReducedSystem {
    /// ξ, dv and z of reduced coordinates.
    pub fn expand(&self, y: &DVector<f64>, z_count: usize) -> [DVector<f64>; 3] {
        let (na, nb) = (self.position.N.ncols(), self.velocity.N.ncols());
        let (a, b) = (y.rows(0, na), y.rows(na, nb));
        let mut z = DVector::zeros(z_count);
        self.states.iter().enumerate().for_each(|(i, at)| z[*at] = y[na + nb + i]);
        [&self.position.N * a, &self.velocity.N * b + &self.velocity_by_displacement * a, z]
    }
}
