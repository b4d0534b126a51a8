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

/// Null space and pseudo-inverse of independent rows.
#[derive(Clone, Debug)]
pub(in crate::analyses) struct NullSpaceBasis {
    /// Orthonormal columns that span the null space.
    pub N: DMatrix<f64>,
    /// A⁺: x = A⁺ s has the least norm with A x = s.
    pub pseudo_inverse: DMatrix<f64>,
}

impl NullSpaceBasis {
    pub fn of(A: &DMatrix<f64>) -> NullSpaceBasis {
        let (m, n) = A.shape();
        if m == 0 {
            return NullSpaceBasis { N: DMatrix::identity(n, n), pseudo_inverse: DMatrix::zeros(n, 0) };
        }
        let qr = QR::new(A.transpose());
        // All of Qᵀ; its rows beyond the rank of A span the null space.
        let mut all = DMatrix::identity(n, n);
        qr.q_tr_mul(&mut all);
        let N = all.rows(m, n - m).transpose();
        let R = qr.r();
        let first = all.rows(0, m).transpose();
        // A = Rᵀ Q₁ᵀ: A⁺ = Q₁ R⁻ᵀ.
        let inverse = R.tr_solve_upper_triangular(&DMatrix::identity(m, m)).unwrap_or_else(|| DMatrix::zeros(m, m));
        NullSpaceBasis { N, pseudo_inverse: first * inverse }
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

    /// Reduced coordinates and J.
    pub(super) fn reduced_system(&self) -> Result<ReducedSystem, LinearError> {
        let full = self.full_matrices();
        let n = self.n();
        let position = self.position_null_space(&full.A);
        let velocity = NullSpaceBasis::of(&self.select_rows(&full.A, super::rows::RowUse::velocity));
        let follow = -&velocity.pseudo_inverse * self.select_rows(&full.P, super::rows::RowUse::velocity) * &position.N;
        let all = NullSpaceBasis::of(&self.select_rows(&full.A, super::rows::RowUse::any));
        let test = match self.eq.B.is_empty() {
            true => all.N.clone(),
            false => NullSpaceBasis::of(&self.select_rows(&full.B, super::rows::RowUse::any)).N,
        };
        let reduced: LU<f64, Dyn, Dyn> = test.tr_mul(&(&full.M * &all.N)).lu();
        let massless = || LinearError::singular("high frequencies")(crate::tangent::Singular);
        // Accelerations per unit force: N (N_Bᵀ M N)⁻¹ N_Bᵀ.
        let y = if test.ncols() == 0 { Some(DMatrix::zeros(0, n)) } else { reduced.solve(&test.transpose()) };
        let by_force = &all.N * y.ok_or_else(massless)?;
        let [Gs, Hs] = [&full.G, &full.H].map(|X| -&all.pseudo_inverse * self.select_rows(X, super::rows::RowUse::any));
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
