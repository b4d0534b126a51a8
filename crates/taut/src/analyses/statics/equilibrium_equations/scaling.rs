//! Scales of lengths, displacements and forces, taken from the mechanism itself so that criteria do not depend on its size.

use super::EquilibriumEquations;
use crate::bodies::DisplacementKind;
use crate::constraints::ElementInput;
use crate::mathematics::magnitude::max_abs;
use crate::motion::Wrench;
use crate::state::State;

impl EquilibriumEquations<'_> {
    /// Sets the length scale to the extent of the markers, or to the size of the coordinates if there are none.
    pub(super) fn set_length_scale(&mut self, state: &State) {
        let points = self.scene.motions.iter().map(|m| m.p);
        let (mut low, mut high) =
            (points.clone().next().unwrap_or_default(), points.clone().next().unwrap_or_default());
        points.for_each(|p| (low, high) = (low.inf(&p), high.sup(&p)));
        let reach = (high - low).norm();
        let frames = self.model.bodies.iter().all(|b| b.kind.body().no_frame_reason().is_none());
        let coordinates = 1.0 + state.q.iter().fold(0.0_f64, |a, q| a.max(q.abs()));
        self.length_scale = if frames && reach > 0.0 { reach } else { coordinates };
        for b in &self.model.bodies {
            for i in b.v.clone() {
                self.displacement_scale[i] = match b.kind.body().displacement_kind(i - b.v.start) {
                    DisplacementKind::Length => self.length_scale,
                    DisplacementKind::Other => 1.0,
                };
            }
        }
    }

    /// Sets the force scale to the largest force of an element, a weight, an inertia or their sum; moments are divided by the length
    /// scale.
    pub(super) fn set_force_scale(&mut self, state: &State) {
        let n = self.model.sizes.v;
        let mut each = vec![0.0; n];
        for b in &self.model.bodies {
            let own = &self.scene.motions[b.markers.start];
            b.kind.body().gravity_force(&state.q[b.q.clone()], own, &self.model.gravity, &mut each[b.v.clone()]);
        }
        let mut inertia = vec![0.0; n];
        self.eq.mass_times(&self.vdot, &mut inertia);
        let sums = [&each, &inertia, &self.eq.f].map(|f| self.relative_force(f));
        let mut found = sums.into_iter().fold(0.0_f64, f64::max);
        let mut on = Vec::new();
        for f in &self.model.forces {
            on.resize(f.markers.len(), Wrench::ZERO);
            let z = &state.z[f.z.clone()];
            f.kind
                .force()
                .apply(&ElementInput { t: state.t, motions: &self.scene.motions, markers: &f.markers, z }, &mut on);
            found = on.iter().fold(found, |a, w| a.max(w.f.norm()).max(w.m.norm() / self.length_scale));
        }
        // Without any force the residual is zero for every scale.
        self.force_scale = if found > 0.0 && found.is_finite() { found } else { 1.0 };
    }

    /// Largest generalised force, moments divided by the length scale.
    pub(super) fn relative_force(&self, f: &[f64]) -> f64 {
        let relative = |(f, s): (&f64, &f64)| (f * s).abs() / self.length_scale;
        max_abs(f.iter().zip(&self.displacement_scale).map(relative))
    }

    /// Residual caused by round-off of the coordinates in stiff directions, relative like [`EquilibriumEquations::residual`].
    pub fn round_off_residual(&self) -> f64 {
        let mut rows = vec![0.0; self.model.sizes.v];
        for pair in &self.tangent.pattern.blocks {
            let (row, column) = (&self.model.bodies[pair.row].v, &self.model.bodies[pair.column].v);
            for (j, c) in column.clone().enumerate() {
                let K = &self.tangent.K[pair.start + j * row.len()..];
                row.clone().zip(K).for_each(|(r, k)| rows[r] += k.abs() * self.displacement_scale[c]);
            }
        }
        16.0 * f64::EPSILON * self.relative_force(&rows) / self.force_scale
    }
}
