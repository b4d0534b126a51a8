//! The linearised equations as matrices, for other programs.

use super::inputs::LinearInput;
use super::outputs::LinearOutput;
use super::reduced_system::NullSpaceBasis;
use super::rows::RowUse;
use super::{LinearError, Linearised};
use crate::constraints::RowLevel;
use nalgebra::DMatrix;

/// E x' = A x + B u, y = C x + D u.
///
/// ```text
///  state space   x' = A x + B u,    y = C x + D u      x = (a, b, z): the minimal number of states
///  descriptor    E x' = A x + B u,  y = C x + D u      x = (ξ, dv, z, v̇, dλ): every variable with its name
/// ```
///
/// Driver signals enter the rows at their own level, which only the descriptor form can represent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StateSpace {
    /// E; `None` means the identity.
    pub E: Option<DMatrix<f64>>,
    /// A.
    pub A: DMatrix<f64>,
    /// B.
    pub B: DMatrix<f64>,
    /// C.
    pub C: DMatrix<f64>,
    /// D.
    pub D: DMatrix<f64>,
    /// Names of x.
    pub states: Vec<String>,
    /// Names of u.
    pub inputs: Vec<String>,
    /// Names of y.
    pub outputs: Vec<String>,
}

/// M q'' + C q' + K q = 0 of an equilibrium at rest under holonomic constraints: ξ = N q.
#[derive(Clone, Debug, PartialEq)]
pub struct SecondOrder {
    /// Mass.
    pub M: DMatrix<f64>,
    /// Damping.
    pub C: DMatrix<f64>,
    /// Stiffness.
    pub K: DMatrix<f64>,
    /// N in ξ = N q.
    pub N: DMatrix<f64>,
}

impl Linearised<'_> {
    /// Mass, damping and stiffness in the null space of A; `None` if the state moves, rows are not holonomic, or there are extra states.
    pub fn second_order(&self) -> Option<SecondOrder> {
        let still = self.frame_terms.iter().all(|c| *c == super::rotating_frame::FrameTerms::Zero)
            && self.state.v.iter().all(|v| *v == 0.0);
        let holonomic = self.row_uses.iter().all(|r| r.position() || !r.any());
        if !still || !holonomic || self.active_states.contains(&super::Alive::Yes) || !self.eq.B.is_empty() {
            return None;
        }
        let full = self.full_matrices();
        let N = self.position_null_space(&full.A).N;
        let inside = |X: &DMatrix<f64>| N.tr_mul(&(X * &N));
        Some(SecondOrder { M: inside(&full.M), C: inside(&full.C), K: inside(&full.K), N: N.clone() })
    }

    /// The minimal form.
    ///
    /// # Errors
    /// If an input is a driver, or the reduced mass matrix is singular.
    pub fn state_space(&self, inputs: &[LinearInput], outputs: &[LinearOutput]) -> Result<StateSpace, LinearError> {
        if let Some(driver) = inputs.iter().find(|u| u.rows.iter().any(|g| *g != 0.0)) {
            let hint = " in this form: a driver signal enters the constraint rows; use the descriptor form".to_string();
            return Err(LinearError::UnknownName { what: "input", name: driver.name.clone(), hint });
        }
        let (dense, full) = (self.reduced_system()?, self.full_matrices());
        let (n, nz) = (self.n(), dense.states.len());
        let (na, nb) = (dense.position.N.ncols(), dense.velocity.N.ncols());
        let d = na + nb + nz;
        // ξ, dv, z, v̇ and dλ by x and by u.
        let mut xi = DMatrix::zeros(n, d);
        xi.view_mut((0, 0), (n, na)).copy_from(&dense.position.N);
        let mut dv = DMatrix::zeros(n, d);
        dv.view_mut((0, 0), (n, na)).copy_from(&dense.velocity_by_displacement);
        dv.view_mut((0, na), (n, nb)).copy_from(&dense.velocity.N);
        let mut z = DMatrix::zeros(nz, d);
        z.view_mut((0, na + nb), (nz, nz)).fill_with_identity();
        let F = DMatrix::from_fn(n, inputs.len(), |i, j| inputs[j].f[i]);
        let [by_xi, by_dv, by_z] = &dense.accelerations;
        let vdot = by_xi * &xi + by_dv * &dv + by_z * &z;
        let vdot_u = &dense.by_force * &F;
        let left = &full.M * &vdot + &full.C * &dv + &full.K * &xi + &full.r_by_z * &z;
        let left_u = &full.M * &vdot_u - &F;
        let used: Vec<usize> = (0..self.row_uses.len()).filter(|r| self.row_uses[*r].any()).collect();
        let reactions = NullSpaceBasis::of(&full.B.select_rows(&used)).pseudo_inverse().transpose();
        let (lambda, lambda_u) = (&reactions * left, &reactions * left_u);
        let row = |get: fn(&LinearOutput) -> &Vec<f64>| DMatrix::from_fn(outputs.len(), n, |i, j| get(&outputs[i])[j]);
        let C_l = DMatrix::from_fn(outputs.len(), used.len(), |i, j| outputs[i].by_lambda[used[j]]);
        let C_z = DMatrix::from_fn(outputs.len(), nz, |i, j| outputs[i].by_z[dense.states[j]]);
        let C_a = row(|o| &o.by_vdot);
        let C = row(|o| &o.by_xi) * &xi + row(|o| &o.by_dv) * &dv + C_z * z + &C_a * vdot + &C_l * lambda;
        let D = C_a * &vdot_u + C_l * lambda_u;
        let mut B = DMatrix::zeros(d, inputs.len());
        B.view_mut((na, 0), (nb, inputs.len())).copy_from(&dense.velocity.N.tr_mul(&vdot_u));
        let numbered = |short: &str, count: usize| (1..=count).map(|k| format!("{short}{k}")).collect::<Vec<_>>();
        let states = [numbered("a", na), numbered("b", nb), numbered("z", nz)].concat();
        let (inputs, outputs) = names(inputs, outputs);
        Ok(StateSpace { E: None, A: dense.J, B, C, D, states, inputs, outputs })
    }

    /// The descriptor form, in which every variable has its name.
    pub fn descriptor(&self, inputs: &[LinearInput], outputs: &[LinearOutput]) -> StateSpace {
        let full = self.full_matrices();
        let (n, m, nz) = (self.n(), self.model.rows.len(), full.states.len());
        let d = 3 * n + nz + m;
        let (dv, z, w, l) = (n, 2 * n, 2 * n + nz, 3 * n + nz);
        let mut E = DMatrix::zeros(d, d);
        E.view_mut((0, 0), (w, w)).fill_with_identity();
        let mut A = DMatrix::zeros(d, d);
        A.view_mut((0, 0), (n, n)).copy_from(&full.S);
        A.view_mut((0, dv), (n, n)).fill_with_identity();
        A.view_mut((dv, dv), (n, n)).copy_from(&-&full.Q);
        A.view_mut((dv, w), (n, n)).fill_with_identity();
        A.view_mut((z, 0), (nz, n)).copy_from(&full.z_by[0]);
        A.view_mut((z, dv), (nz, n)).copy_from(&full.z_by[1]);
        A.view_mut((z, z), (nz, nz)).copy_from(&full.z_by[2]);
        A.view_mut((w, 0), (n, n)).copy_from(&-&full.K);
        A.view_mut((w, dv), (n, n)).copy_from(&-&full.C);
        A.view_mut((w, z), (n, nz)).copy_from(&-&full.r_by_z);
        A.view_mut((w, w), (n, n)).copy_from(&-&full.M);
        for r in 0..m {
            let mut put = |at: usize, X: &DMatrix<f64>| A.view_mut((l + r, at), (1, n)).copy_from(&X.row(r));
            match self.row_uses[r] {
                RowUse::At(RowLevel::Position) => put(0, &full.A),
                RowUse::At(RowLevel::Velocity) => [(dv, &full.A), (0, &full.P)].iter().for_each(|(at, X)| put(*at, X)),
                RowUse::At(RowLevel::Acceleration) => {
                    [(w, &full.A), (dv, &full.H), (0, &full.G)].iter().for_each(|(at, X)| put(*at, X));
                }
                RowUse::None => A[(l + r, l + r)] = 1.0,
            }
            if self.row_uses[r].any() {
                A.view_mut((w, l + r), (n, 1)).copy_from(&full.B.row(r).transpose());
            }
        }
        let mut B = DMatrix::zeros(d, inputs.len());
        for (j, u) in inputs.iter().enumerate() {
            (0..n).for_each(|i| B[(w + i, j)] = u.f[i]);
            (0..m).filter(|r| self.row_uses[*r].any()).for_each(|r| B[(l + r, j)] = -u.rows[r]);
        }
        let mut C = DMatrix::zeros(outputs.len(), d);
        for (i, o) in outputs.iter().enumerate() {
            for k in 0..n {
                (C[(i, k)], C[(i, dv + k)], C[(i, w + k)]) = (o.by_xi[k], o.by_dv[k], o.by_vdot[k]);
            }
            full.states.iter().enumerate().for_each(|(k, at)| C[(i, z + k)] = o.by_z[*at]);
            (0..m).for_each(|k| C[(i, l + k)] = o.by_lambda[k]);
        }
        let v = self.model.state_names().1;
        let with = |short: &str| v.iter().map(|v| format!("{short}({})", v.name)).collect::<Vec<_>>();
        let states = full.states.iter().map(|k| format!("z{}", k + 1)).collect();
        let rows = (0..m).map(|r| format!("lambda({})", self.model.row_name(r))).collect();
        let states = [with("xi"), with("dv"), states, with("vdot"), rows].concat();
        let D = DMatrix::zeros(outputs.len(), inputs.len());
        let (inputs, outputs) = names(inputs, outputs);
        StateSpace { E: Some(E), A, B, C, D, states, inputs, outputs }
    }
}

fn names(inputs: &[LinearInput], outputs: &[LinearOutput]) -> (Vec<String>, Vec<String>) {
    (inputs.iter().map(|u| u.name.clone()).collect(), outputs.iter().map(|y| y.name.clone()).collect())
}
