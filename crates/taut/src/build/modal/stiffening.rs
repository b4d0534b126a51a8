//! Geometric stiffness of a beam that rotates with its frame.
//!
//! A frame that rotates with ω loads each node with m (ω² 1 − ω ωᵀ) u. For each unit product ω_p ω_q:
//!
//! ```text
//!  K u = Σ m (1 δ_pq − ½ (e_p e_qᵀ + e_q e_pᵀ)) r          the displacement under this load, fixed in the frame
//!  G_pq = Φᵀ (dK/dε) Φ  at  ε u, ε → 0                     its contribution to the stiffness of the shapes
//! ```

use super::reduction::{BeamMatrices, UnknownPartition};
use crate::bodies::ModalNode;
use crate::error::ParameterError;
use crate::motion::{Mat3, Vec3};
use nalgebra::{DMatrix, DVector};

/// G of xx, yy, zz, xy, xz, yz.
pub(super) fn geometric_stiffness(
    all: &BeamMatrices,
    parted: &UnknownPartition,
    nodes: &[ModalNode],
    shapes: &DMatrix<f64>,
) -> Result<Vec<DMatrix<f64>>, ParameterError> {
    let free: Vec<usize> = (0..all.K.nrows()).filter(|i| !parted.fixed.contains(i)).collect();
    let loose = || ParameterError::invalid("held", "the beam can move freely in its frame");
    let K = all.K.select_rows(&free).select_columns(&free).cholesky().ok_or_else(loose)?;
    let size = nodes.iter().map(|n| Vec3::from(n.at).norm()).fold(0.0, f64::max);
    let pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    let of = |(p, q): (usize, usize)| {
        let mut field = if p == q { Mat3::identity() } else { Mat3::zeros() };
        field[(p, q)] -= 0.5;
        field[(q, p)] -= 0.5;
        let mut load = DVector::zeros(all.K.nrows());
        for (k, node) in nodes.iter().enumerate() {
            let f = field * (Vec3::from(node.at) + Vec3::from(node.com)) * node.mass;
            let m = Vec3::from(node.com).cross(&f);
            let parts =
                if all.velocities_per_node == 3 { vec![f.x, f.y, m.z] } else { vec![f.x, f.y, f.z, m.x, m.y, m.z] };
            parts.iter().enumerate().for_each(|(i, x)| load[k * all.velocities_per_node + i] = *x);
        }
        let small = K.solve(&all.T.tr_mul(&load).select_rows(&free));
        let most = small.amax();
        if most <= f64::MIN_POSITIVE || size == 0.0 {
            return DMatrix::zeros(shapes.ncols(), shapes.ncols());
        }
        // K at small displacements in both directions: 1e-4 of the size leaves a curvature error of 1e-8, and eight
        // digits.
        let scale = 1e-4 * size / most;
        let moved = |sign: f64| {
            let mut at = all.rest_state.clone();
            let mut delta = DVector::zeros(all.K.nrows());
            free.iter().zip(small.iter()).for_each(|(i, u)| delta[*i] = sign * scale * u);
            let delta = &all.T * delta;
            for b in &all.model.bodies {
                b.kind.body().displace(&mut at.q[b.q.clone()], &delta.as_slice()[b.v.clone()]);
            }
            all.stiffness(&at)
        };
        let slope = (moved(1.0) - moved(-1.0)) / (2.0 * scale);
        shapes.transpose() * slope * shapes
    };
    Ok(pairs.into_iter().map(of).collect())
}
