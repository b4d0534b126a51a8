//! P = ∂φ̇/∂δ: derivative of the velocity residual of every row by the poses, at fixed velocities.
//!
//! Computed by sixth-order differences, body by body, like the [`tangent`](crate::tangent). For constraints that are not linear in the
//! velocities, φ̇ is ψ(t, q, v) itself.

use crate::bodies::{Body, each_body};
use crate::equations::{
    Equations, InactiveRowTreatment, MarkerKinematics, StateView, assemble_body_positions, assemble_body_twists,
    assemble_constraint_positions, assemble_positions,
};
use crate::mathematics::stencils;
use crate::model::Model;

/// Step, relative to lengths of the mechanism, or rad; φ̇ of joints is as smooth as a sine.
const DIFFERENCE_STEP: f64 = 1e-3;

/// All values, laid out like A; `scales` are the displacement scales.
pub(super) fn rate_derivatives(model: &Model, at: StateView, scales: &[f64]) -> Vec<f64> {
    let mut P = vec![0.0; model.jacobian_values];
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, at, &mut scene, &mut eq);
    let mut touching: Vec<Vec<usize>> = vec![Vec::new(); model.bodies.len()];
    for (i, c) in model.constraints.iter().enumerate() {
        c.blocks.iter().for_each(|b| touching[b.body].push(i));
    }
    let mut q = at.q.to_vec();
    for (b, entry) in model.bodies.iter().enumerate().filter(|(b, _)| !touching[*b].is_empty()) {
        let n = entry.v.len();
        let mut delta = vec![0.0; n];
        for column in 0..n {
            let step = DIFFERENCE_STEP * scales[entry.v.start + column];
            for (share, weight) in stencils::SIXTH_ORDER {
                delta[column] = share * step;
                each_body!(&entry.kind, body => body.displace(&mut q[entry.q.clone()], &delta));
                let here = StateView { q: &q, ..at };
                assemble_body_positions(model, entry, here, &mut scene, &mut eq);
                assemble_body_twists(model, entry, here, &mut scene);
                for &c in &touching[b] {
                    let constraint = &model.constraints[c];
                    let MarkerKinematics { motions, convective, constraint_wrenches: passing, .. } = &mut scene;
                    let D = &mut passing[..constraint.rows.len() * constraint.ends.len()];
                    assemble_constraint_positions(
                        model,
                        constraint,
                        at.modes[c],
                        InactiveRowTreatment::Skipped,
                        here,
                        motions,
                        D,
                        convective,
                        &mut eq,
                    );
                    let Some(block) = constraint.blocks.iter().find(|x| x.body == b) else { continue };
                    for (r, row) in constraint.rows.clone().enumerate() {
                        let rate = eq.phi_t[row] + eq.row_times(constraint, r, at.v);
                        P[block.start + r * n + column] += weight / step * rate;
                    }
                }
                q[entry.q.clone()].copy_from_slice(&at.q[entry.q.clone()]);
            }
            delta[column] = 0.0;
        }
        assemble_body_positions(model, entry, at, &mut scene, &mut eq);
        assemble_body_twists(model, entry, at, &mut scene);
    }
    P
}
