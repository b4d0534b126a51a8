//! Velocity change by impulses: M⁻¹ of free bodies, and the factor of [M Aᵀ; A 0] of jointed ones.

use super::islands::IslandKind;
use crate::bodies::BodyKind;
use crate::drift::row_scales;
use crate::equations::Equations;
use crate::kkt::{Projector, RankPolicy};
use crate::model::{BodyEntry, Model, Topology};
use nalgebra::{DMatrix, SMatrix, SVector};

/// M⁻¹ and the factor of the joints, of one pose.
#[derive(Clone, Debug)]
pub(super) struct ImpulseResponse {
    /// Blocks of M⁻¹, laid out like M.
    pub inverse_mass: Vec<f64>,
    /// Bodies whose M⁻¹ is a constant diagonal matrix.
    spherical: Vec<bool>,
    /// The factor; none without joints.
    joint_projector: Option<Projector>,
    x: Vec<f64>,
}

impl ImpulseResponse {
    /// `eq` is evaluated at a state that meets the joints.
    pub fn new(model: &Model, eq: &Equations, kind: IslandKind) -> ImpulseResponse {
        let joints = (kind == IslandKind::Jointed).then(|| {
            let mut joints = Projector::new(&model.layout, &row_scales(model, &eq.M, eq), &RankPolicy::default());
            if model.topology == Topology::Loops {
                joints.detect_rank(&eq.M, &eq.A);
            }
            joints
        });
        let x = vec![0.0; model.sizes.v + model.rows.len()];
        let spherical: Vec<bool> = model.bodies.iter().map(has_spherical_inertia).collect();
        let mut inverse_mass = vec![0.0; eq.M.len()];
        for (entry, b) in model.bodies.iter().zip(&eq.layout.bodies).filter(|(entry, _)| has_spherical_inertia(entry)) {
            let Some(body) = entry.kind.rigid() else { continue };
            let inverse = &mut inverse_mass[b.mass.clone()];
            (0..6).for_each(|i| inverse[7 * i] = 1.0 / if i < 3 { body.mass } else { body.inertia[0] });
        }
        ImpulseResponse { inverse_mass, spherical, joint_projector: joints, x }
    }

    /// For the M and A of this pose.
    pub fn factor(&mut self, eq: &Equations) {
        for (b, _) in eq.layout.bodies.iter().zip(&self.spherical).filter(|(_, spherical)| !**spherical) {
            invert(&eq.M[b.mass.clone()], b.v.len(), &mut self.inverse_mass[b.mass.clone()]);
        }
        if let Some(joints) = &mut self.joint_projector {
            joints.factor(&eq.M, &eq.A);
        }
    }

    /// v with M v = momentum + Aᵀ P and A v = rows; `P` takes the impulses of the joints.
    pub fn solve(&mut self, eq: &Equations, momentum: &[f64], rows: &[f64], v: &mut [f64], P: &mut [f64]) {
        match &mut self.joint_projector {
            Some(joints) => {
                let n = v.len();
                self.x[..n].copy_from_slice(momentum);
                self.x[n..].copy_from_slice(rows);
                joints.solve(eq, &mut self.x);
                v.copy_from_slice(&self.x[..n]);
                P.iter_mut().zip(&self.x[n..]).for_each(|(P, mu)| *P = -mu);
            }
            None => {
                P.fill(0.0);
                for b in &eq.layout.bodies {
                    let (momentum, v) = (&momentum[b.v.clone()], &mut v[b.v.clone()]);
                    v.fill(0.0);
                    add_product(&self.inverse_mass[b.mass.clone()], momentum, v);
                }
            }
        }
    }

    /// M⁻¹ of one body: out += M⁻¹ x.
    pub fn add_body_response(&self, eq: &Equations, body: usize, x: &[f64], out: &mut [f64]) {
        add_product(&self.inverse_mass[eq.layout.bodies[body].mass.clone()], x, out);
    }
}

/// Whether a body has its mass centre in its reference point and the same moment of inertia about every axis.
fn has_spherical_inertia(entry: &BodyEntry) -> bool {
    matches!(&entry.kind, BodyKind::Rigid(b) if b.com == [0.0; 3] && b.inertia == [b.inertia[0], b.inertia[0], b.inertia[0], 0.0, 0.0, 0.0])
}

/// out += M x, column by column.
fn add_product(M: &[f64], x: &[f64], out: &mut [f64]) {
    for (column, x) in M.chunks_exact(x.len()).zip(x) {
        out.iter_mut().zip(column).for_each(|(out, m)| *out += m * x);
    }
}

fn invert(M: &[f64], n: usize, out: &mut [f64]) {
    match n {
        3 => invert_sized::<3>(M, out),
        6 => invert_sized::<6>(M, out),
        _ => {
            let M = DMatrix::from_column_slice(n, n, M);
            let inverse = M.clone().cholesky().map(|c| c.inverse()).or_else(|| M.try_inverse());
            match inverse {
                Some(inverse) => out.copy_from_slice(inverse.as_slice()),
                None => out.fill(f64::NAN),
            }
        }
    }
}

fn invert_sized<const N: usize>(M: &[f64], out: &mut [f64]) {
    let M = SMatrix::<f64, N, N>::from_column_slice(M);
    let diagonal: SVector<f64, N> = M.diagonal();
    if M == SMatrix::from_diagonal(&diagonal) {
        out.fill(0.0);
        (0..N).for_each(|i| out[i * (N + 1)] = 1.0 / diagonal[i]);
        return;
    }
    match M.cholesky() {
        Some(c) => out.copy_from_slice(c.inverse().as_slice()),
        None => out.fill(f64::NAN),
    }
}
