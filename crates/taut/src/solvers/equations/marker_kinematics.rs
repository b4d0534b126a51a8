//! State and scratch memory of an assembly: slices of the state, and the motions of all markers.

use crate::bodies::Symmetry;
use crate::marker::Marker;
use crate::model::{ConstraintEntry, Model};
use crate::motion::{Motion, Wrench};
use crate::state::{ConstraintMode, State};

/// Scratch memory of the assembly: motions of all markers and wrenches of all rows. One per thread.
#[derive(Clone, Debug)]
pub struct MarkerKinematics {
    /// Motion of every marker.
    pub motions: Vec<Motion>,
    /// D: per row and marker of the constraint, the wrench of one unit of λ.
    pub(crate) D: Vec<Wrench>,
    /// The same for one constraint at a time, during a single-pass assembly.
    pub(crate) constraint_wrenches: Vec<Wrench>,
    pub(crate) convective: Vec<f64>,
    pub(super) force_wrenches: Vec<Wrench>,
}

impl MarkerKinematics {
    /// Allocates storage for a model.
    pub fn new(model: &Model) -> MarkerKinematics {
        let mut motions = vec![Motion::REST; model.markers.len()];
        motions[..model.ground_motions.len()].copy_from_slice(&model.ground_motions);
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        MarkerKinematics {
            motions,
            D: vec![Wrench::ZERO; model.wrench_values],
            constraint_wrenches: vec![
                Wrench::ZERO;
                model.constraints.iter().map(|c| c.wrench_range().len()).max().unwrap_or(0)
            ],
            convective: vec![0.0; model.rows.len()],
            force_wrenches: vec![Wrench::ZERO; widest],
        }
    }

    /// Wrench of one unit of each λ of constraint `convective` on its marker `k`.
    pub(crate) fn wrenches<'a>(&'a self, c: &ConstraintEntry, k: usize) -> impl Iterator<Item = &'a Wrench> {
        let n = c.markers.len();
        self.D[c.wrench_range()].iter().skip(k).step_by(n.max(1))
    }

    /// f += Jᵀ w for a wrench on a marker; `f` belongs to the velocities of its body. On the ground nothing is added.
    pub(crate) fn apply_transpose(&self, model: &Model, q: &[f64], marker: usize, w: &Wrench, f: &mut [f64]) {
        let Marker { body, placement, .. } = &model.markers[marker];
        let Some(b) = body.map(|b| &model.bodies[b]) else { return };
        let (own, seen) = (&self.motions[b.markers.start], &self.motions[marker]);
        b.kind.body().apply_transpose(&q[b.q.clone()], own, placement, seen, w, f);
    }

    /// The same on the right-hand side: with a non-symmetric mass matrix, the force is that of `MassMatrix::reaction_row`.
    /// `f` belongs to all velocities.
    pub(crate) fn add_generalised_force(&self, model: &Model, q: &[f64], marker: usize, w: &Wrench, f: &mut [f64]) {
        let Some(b) = model.markers[marker].body.map(|b| &model.bodies[b]) else { return };
        let mut on_v = vec![0.0; b.v.len()];
        self.apply_transpose(model, q, marker, w, &mut on_v);
        if b.kind.body().symmetry() == Symmetry::NonSymmetric {
            b.kind.body().reaction_row(&q[b.q.clone()], &mut on_v);
        }
        f[b.v.clone()].iter_mut().zip(&on_v).for_each(|(f, x)| *f += x);
    }
}

/// A view of a state: slices of one vector or of a [`State`].
#[derive(Clone, Copy, Debug)]
pub struct StateView<'a> {
    /// Time.
    pub t: f64,
    /// Coordinates.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Extra states.
    pub z: &'a [f64],
    /// Modes.
    pub modes: &'a [ConstraintMode],
}

impl<'a> From<&'a State> for StateView<'a> {
    fn from(s: &'a State) -> StateView<'a> {
        StateView { t: s.t, q: &s.q, v: &s.v, z: &s.z, modes: &s.modes }
    }
}
