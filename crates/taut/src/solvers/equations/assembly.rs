//! The assembly: one pass over bodies and constraints, each constraint right after its last body, so that its data are
//! still in the cache.

use super::rows::{
    InactiveRowTreatment, assemble_constraint_positions, assemble_constraint_rates, assemble_constraint_residual_rates,
};
use super::{Equations, MarkerKinematics, StateView};
use crate::bodies::{Body, ChartChange, Jacobian, Manifold, MassMatrix, Quantities, Symmetry, each_body};
use crate::constraints::{ElementInput, ExtraStates};
use crate::model::{AssemblyItem, BodyEntry, Model};
use crate::motion::Motion;
use crate::state::State;
use std::f64::consts::TAU;

/// All five steps in one pass, for velocities that need no correction. φ̇ ([`assemble_residual_rates`]), inactive rows and the
/// wrenches of the scene are not updated.
pub fn assemble(model: &Model, at: StateView, scene: &mut MarkerKinematics, eq: &mut Equations) {
    for turn in &model.assembly_order {
        match *turn {
            AssemblyItem::Body(b) => {
                let entry = &model.bodies[b];
                assemble_body_positions(model, entry, at, scene, eq);
                assemble_body_twists(model, entry, at, scene);
                assemble_body_rates(model, entry, at, scene, eq);
            }
            AssemblyItem::Constraint(c) => {
                let (entry, mode) = (&model.constraints[c], at.modes[c]);
                // The wrenches are used at once: one small buffer is reused for all constraints and stays in the
                // first-level cache.
                let MarkerKinematics { motions, convective, constraint_wrenches: passing, .. } = &mut *scene;
                let D = &mut passing[..entry.rows.len() * entry.ends.len()];
                assemble_constraint_positions(
                    model,
                    entry,
                    mode,
                    InactiveRowTreatment::Skipped,
                    at,
                    motions,
                    D,
                    convective,
                    eq,
                );
                assemble_constraint_rates(
                    model,
                    entry,
                    mode,
                    InactiveRowTreatment::Skipped,
                    at,
                    motions,
                    D,
                    convective,
                    eq,
                );
            }
        }
    }
    apply_forces(model, at, scene, eq);
    eq.phidot.mark_outdated();
}

/// Steps 1–3: poses, M, twists, A, φ; and φ̇.
pub fn assemble_positions(model: &Model, at: StateView, scene: &mut MarkerKinematics, eq: &mut Equations) {
    for turn in &model.assembly_order {
        match *turn {
            AssemblyItem::Body(b) => {
                let entry = &model.bodies[b];
                assemble_body_positions(model, entry, at, scene, eq);
                assemble_body_twists(model, entry, at, scene);
            }
            AssemblyItem::Constraint(c) => {
                let entry = &model.constraints[c];
                let MarkerKinematics { motions, convective, D, .. } = &mut *scene;
                let D = &mut D[entry.wrench_range()];
                assemble_constraint_positions(
                    model,
                    entry,
                    at.modes[c],
                    InactiveRowTreatment::Evaluated,
                    at,
                    motions,
                    D,
                    convective,
                    eq,
                );
                assemble_constraint_residual_rates(model, &model.constraints[c], at.modes[c], at, eq);
            }
        }
    }
    eq.phidot.mark_computed();
}

/// Step 2 alone: twists and biases for new velocities at the same positions. φ̇ belongs to the old velocities until
/// [`assemble_residual_rates`].
pub fn assemble_twists(model: &Model, at: StateView, scene: &mut MarkerKinematics, eq: &mut Equations) {
    for entry in &model.bodies {
        assemble_body_twists(model, entry, at, scene);
    }
    eq.phidot.mark_outdated();
}

/// φ̇ = A v + φ_t of every row that has a velocity level.
pub fn assemble_residual_rates(model: &Model, at: StateView, eq: &mut Equations) {
    for (entry, mode) in model.constraints.iter().zip(at.modes) {
        assemble_constraint_residual_rates(model, entry, *mode, at, eq);
    }
    eq.phidot.mark_computed();
}

/// Steps 4–5: q̇, f, ż, b.
pub fn assemble_rates(model: &Model, at: StateView, scene: &mut MarkerKinematics, eq: &mut Equations) {
    for turn in &model.assembly_order {
        match *turn {
            AssemblyItem::Body(b) => assemble_body_rates(model, &model.bodies[b], at, scene, eq),
            AssemblyItem::Constraint(c) => {
                let entry = &model.constraints[c];
                let MarkerKinematics { motions, convective, D, .. } = &mut *scene;
                let D = &mut D[entry.wrench_range()];
                assemble_constraint_rates(
                    model,
                    entry,
                    at.modes[c],
                    InactiveRowTreatment::Evaluated,
                    at,
                    motions,
                    D,
                    convective,
                    eq,
                );
            }
        }
    }
    apply_forces(model, at, scene, eq);
}

/// 1 — pose of every marker, M.
#[inline(always)]
pub(crate) fn assemble_body_positions(
    model: &Model,
    entry: &BodyEntry,
    at: StateView,
    scene: &mut MarkerKinematics,
    eq: &mut Equations,
) {
    each_body!(&entry.kind, body => {
        let q = &at.q[entry.q.clone()];
        let (own, others) = own_and_others(&mut scene.motions, entry);
        body.frame_pose(q, own);
        for (seen, place) in others.iter_mut().zip(&model.marker_placements[entry.markers.start + 1..]) {
            body.marker_pose(q, own, place, seen);
        }
        body.mass_matrix(q, own, &mut eq.M[entry.mass.clone()]);
    });
}

/// 2 — twist and bias of every marker.
#[inline(always)]
pub(crate) fn assemble_body_twists(model: &Model, entry: &BodyEntry, at: StateView, scene: &mut MarkerKinematics) {
    each_body!(&entry.kind, body => {
        let (q, v) = (&at.q[entry.q.clone()], &at.v[entry.v.clone()]);
        let (own, others) = own_and_others(&mut scene.motions, entry);
        body.frame_twist(q, v, own);
        for (seen, place) in others.iter_mut().zip(&model.marker_placements[entry.markers.start + 1..]) {
            body.marker_twist(q, v, own, place, seen);
        }
    });
}

/// q̇ = N(q) w with a given velocity w.
pub fn set_coordinate_rates(model: &Model, q: &[f64], w: &[f64], eq: &mut Equations) {
    for b in &model.bodies {
        let qdot = &mut eq.qdot[b.q.clone()];
        each_body!(&b.kind, body => body.coordinate_rates(&q[b.q.clone()], &w[b.v.clone()], qdot));
    }
}

/// Number of velocities of a rigid body, and the maximum for most bodies.
const SMALL_BODY_VELOCITIES: usize = 6;

/// 4 — q̇, and the contributions of the body itself to f and ż.
#[inline(always)]
pub(crate) fn assemble_body_rates(
    model: &Model,
    entry: &BodyEntry,
    at: StateView,
    scene: &MarkerKinematics,
    eq: &mut Equations,
) {
    each_body!(&entry.kind, body => {
        let (q, v, z) = (&at.q[entry.q.clone()], &at.v[entry.v.clone()], &at.z[entry.z.clone()]);
        let own = &scene.motions[entry.markers.start];
        body.coordinate_rates(q, v, &mut eq.qdot[entry.q.clone()]);
        let (f, zdot) = (&mut eq.f[entry.v.clone()], &mut eq.zdot[entry.z.clone()]);
        // A short f is summed in a local array and written once: reading back zeros just written would be slow.
        let (n, mut short) = (body.sizes().v, [0.0; SMALL_BODY_VELOCITIES]);
        let sum = if n <= SMALL_BODY_VELOCITIES {
            &mut short[..n]
        } else {
            f.fill(0.0);
            &mut *f
        };
        body.internal_forces(at.t, q, v, z, own, sum, zdot);
        body.gravity_force(q, own, &model.gravity, sum);
        if n <= SMALL_BODY_VELOCITIES {
            f[..n].copy_from_slice(&short[..n]);
        }
    });
}

/// 4 — wrenches on markers, f += Jᵀ w, ż.
fn apply_forces(model: &Model, at: StateView, scene: &mut MarkerKinematics, eq: &mut Equations) {
    for (i, entry) in model.forces.iter().enumerate() {
        let view =
            ElementInput { t: at.t, motions: &scene.motions, markers: &entry.markers, z: &at.z[entry.z.clone()] };
        let on = &mut scene.force_wrenches[..entry.markers.len()];
        let force = entry.kind.force();
        let zdot = &mut eq.zdot[entry.z.clone()];
        // Forces that read reactions are added when these are known.
        if model.reaction_forces.contains(&i) {
            force.state_rates(&view, zdot);
            continue;
        }
        force.apply_with_rates(&view, on, zdot);
        for (&m, w) in entry.markers.iter().zip(on.iter()) {
            let Some(b) = model.markers[m].body.map(|b| &model.bodies[b]) else { continue };
            let (own, seen) = (&scene.motions[b.markers.start], &scene.motions[m]);
            let (q, place, f) = (&at.q[b.q.clone()], &model.markers[m].placement, &mut eq.f[b.v.clone()]);
            each_body!(&b.kind, body => match body.symmetry() {
                Symmetry::Symmetric => body.apply_transpose(q, own, place, seen, w, f),
                // The equations of motion are written in another space than v; transform Jᵀw to it.
                Symmetry::NonSymmetric => {
                    let mut on_v = vec![0.0; f.len()];
                    body.apply_transpose(q, own, place, seen, w, &mut on_v);
                    body.reaction_row(q, &mut on_v);
                    f.iter_mut().zip(&on_v).for_each(|(f, x)| *f += x);
                }
            });
        }
    }
}

/// Lets every body change its chart where its coordinates become ill-conditioned; `strained` is called for bodies that
/// cannot, with the reason.
pub(crate) fn change_charts(
    model: &Model,
    q: &mut [f64],
    v: &mut [f64],
    mut strained: impl FnMut(&str, &str),
) -> ChartChange {
    let mut found = ChartChange::Kept;
    for b in &model.bodies {
        match each_body!(&b.kind, body => body.change_chart(&mut q[b.q.clone()], &mut v[b.v.clone()])) {
            ChartChange::Kept => {}
            ChartChange::Changed => found = ChartChange::Changed,
            ChartChange::IllConditioned(why) => strained(&b.name, why),
        }
    }
    found
}

/// Sets the turn counters of all elements to the pose of the state.
pub fn initialise_turn_counters(model: &Model, state: &mut State) {
    let mut scene = MarkerKinematics::new(model);
    let mut eq = Equations::new(model);
    assemble_positions(model, StateView::from(&*state), &mut scene, &mut eq);
    let mut z = vec![0.0; model.sizes.z];
    let of_constraints = model.constraints.iter().map(|c| (c.kind.constraint() as &dyn ExtraStates, &c.markers, &c.z));
    let of_forces = model.forces.iter().map(|f| (f.kind.force() as &dyn ExtraStates, &f.markers, &f.z));
    for (element, markers, own) in of_constraints.chain(of_forces) {
        let (view, z) = (ElementInput { t: state.t, motions: &scene.motions, markers, z: &[] }, &mut z[own.clone()]);
        element.initialise_states(&view, z);
        add_turns_of_coordinates(model, &state.q, markers, &element.angle_markers(), z);
        state.z[own.clone()].copy_from_slice(z);
    }
}

/// If the coordinates of both bodies count turns, their angle starts with the number of turns given there.
fn add_turns_of_coordinates(model: &Model, q: &[f64], markers: &[usize], angles: &[[usize; 2]], z: &mut [f64]) {
    for (z, pair) in z.iter_mut().zip(angles) {
        if let Some(given) = angle_of_coordinates(model, q, pair.map(|i| markers[i])) {
            *z += TAU * ((given - *z) / TAU).round();
        }
    }
}

/// The angle between the bodies of two markers, as given by their coordinates.
pub(crate) fn angle_of_coordinates(model: &Model, q: &[f64], [a, b]: [usize; 2]) -> Option<f64> {
    let turn = |m: usize| match model.markers[m].body {
        None => Some(0.0),
        Some(b) => model.bodies[b].kind.body().unwrapped_angle(&q[model.bodies[b].q.clone()]),
    };
    Some(turn(b)? - turn(a)?)
}

#[inline(always)]
fn own_and_others<'a>(motions: &'a mut [Motion], entry: &BodyEntry) -> (&'a mut Motion, &'a mut [Motion]) {
    let (own, others) = motions[entry.markers.clone()].split_at_mut(1);
    (&mut own[0], others)
}
