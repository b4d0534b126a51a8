//! The assembly: one pass over bodies and constraints, each constraint right after its last body, so that its data are
//! still in the cache.

use super::rows::{Idle, carry_constraint, place_constraint, rate_constraint};
use super::{At, Equations, Scene};
use crate::bodies::{Body, Chart, Jacobian, Manifold, MassMatrix, Quantities, Symmetry, each_body};
use crate::constraints::View;
use crate::model::{BodyEntry, Model, Turn};
use crate::motion::Motion;
use crate::state::State;
use std::f64::consts::TAU;

/// All five steps in one pass, for velocities that need no correction. φ̇ ([`residual_rates`]), inactive rows and the
/// wrenches of the scene are not updated.
pub fn assemble(model: &Model, at: At, scene: &mut Scene, eq: &mut Equations) {
    for turn in &model.sweep {
        match *turn {
            Turn::Body(b) => {
                let entry = &model.bodies[b];
                place_body(model, entry, at, scene, eq);
                twist_body(model, entry, at, scene);
                carry_body(model, entry, at, scene, eq);
            }
            Turn::Constraint(c) => {
                let (entry, mode) = (&model.constraints[c], at.modes[c]);
                // The wrenches are used at once: one small buffer is reused for all constraints and stays in the
                // first-level cache.
                let Scene { motions, c: convective, passing, .. } = &mut *scene;
                let D = &mut passing[..entry.rows.len() * entry.ends.len()];
                place_constraint(model, entry, mode, Idle::Skipped, at, motions, D, convective, eq);
                carry_constraint(model, entry, mode, Idle::Skipped, at, motions, D, convective, eq);
            }
        }
    }
    apply_forces(model, at, scene, eq);
    eq.phidot.left_behind();
}

/// Steps 1–3: poses, M, twists, A, φ; and φ̇.
pub fn place(model: &Model, at: At, scene: &mut Scene, eq: &mut Equations) {
    for turn in &model.sweep {
        match *turn {
            Turn::Body(b) => {
                let entry = &model.bodies[b];
                place_body(model, entry, at, scene, eq);
                twist_body(model, entry, at, scene);
            }
            Turn::Constraint(c) => {
                let entry = &model.constraints[c];
                let Scene { motions, c: convective, D, .. } = &mut *scene;
                let D = &mut D[entry.wrench_range()];
                place_constraint(model, entry, at.modes[c], Idle::Seen, at, motions, D, convective, eq);
                rate_constraint(model, &model.constraints[c], at.modes[c], at, eq);
            }
        }
    }
    eq.phidot.computed(at.v);
}

/// Step 2 alone: twists and biases for new velocities at the same positions. φ̇ belongs to the old velocities until
/// [`residual_rates`].
pub fn twists(model: &Model, at: At, scene: &mut Scene) {
    for entry in &model.bodies {
        twist_body(model, entry, at, scene);
    }
}

/// φ̇ = A v + φ_t of every row that has a velocity level.
pub fn residual_rates(model: &Model, at: At, eq: &mut Equations) {
    for (entry, mode) in model.constraints.iter().zip(at.modes) {
        rate_constraint(model, entry, *mode, at, eq);
    }
    eq.phidot.computed(at.v);
}

/// Steps 4–5: q̇, f, ż, b.
pub fn carry(model: &Model, at: At, scene: &mut Scene, eq: &mut Equations) {
    for turn in &model.sweep {
        match *turn {
            Turn::Body(b) => carry_body(model, &model.bodies[b], at, scene, eq),
            Turn::Constraint(c) => {
                let entry = &model.constraints[c];
                let Scene { motions, c: convective, D, .. } = &mut *scene;
                let D = &mut D[entry.wrench_range()];
                carry_constraint(model, entry, at.modes[c], Idle::Seen, at, motions, D, convective, eq);
            }
        }
    }
    apply_forces(model, at, scene, eq);
    eq.phidot.carried(at.v);
}

/// 1 — pose of every marker, M.
#[inline(always)]
pub(crate) fn place_body(model: &Model, entry: &BodyEntry, at: At, scene: &mut Scene, eq: &mut Equations) {
    each_body!(&entry.kind, body => {
        let q = &at.q[entry.q.clone()];
        let (own, others) = own_and_others(&mut scene.motions, entry);
        body.reference(q, own);
        for (seen, place) in others.iter_mut().zip(&model.places[entry.markers.start + 1..]) {
            body.place(q, own, place, seen);
        }
        body.mass(q, own, &mut eq.M[entry.mass.clone()]);
    });
}

/// 2 — twist and bias of every marker.
#[inline(always)]
pub(crate) fn twist_body(model: &Model, entry: &BodyEntry, at: At, scene: &mut Scene) {
    each_body!(&entry.kind, body => {
        let (q, v) = (&at.q[entry.q.clone()], &at.v[entry.v.clone()]);
        let (own, others) = own_and_others(&mut scene.motions, entry);
        body.reference_twist(q, v, own);
        for (seen, place) in others.iter_mut().zip(&model.places[entry.markers.start + 1..]) {
            body.twist(q, v, own, place, seen);
        }
    });
}

/// q̇ = N(q) w with a given velocity w.
pub fn steer(model: &Model, q: &[f64], w: &[f64], eq: &mut Equations) {
    for b in &model.bodies {
        let qdot = &mut eq.qdot[b.q.clone()];
        each_body!(&b.kind, body => body.kinematics(&q[b.q.clone()], &w[b.v.clone()], qdot));
    }
}

/// Number of velocities of a rigid body, and the maximum for most bodies.
const SHORT: usize = 6;

/// 4 — q̇, and the contributions of the body itself to f and ż.
#[inline(always)]
pub(crate) fn carry_body(model: &Model, entry: &BodyEntry, at: At, scene: &Scene, eq: &mut Equations) {
    each_body!(&entry.kind, body => {
        let (q, v, z) = (&at.q[entry.q.clone()], &at.v[entry.v.clone()], &at.z[entry.z.clone()]);
        let own = &scene.motions[entry.markers.start];
        body.kinematics(q, v, &mut eq.qdot[entry.q.clone()]);
        let (f, zdot) = (&mut eq.f[entry.v.clone()], &mut eq.zdot[entry.z.clone()]);
        // A short f is summed in a local array and written once: reading back zeros just written would be slow.
        let (n, mut short) = (body.sizes().v, [0.0; SHORT]);
        let sum = if n <= SHORT {
            &mut short[..n]
        } else {
            f.fill(0.0);
            &mut *f
        };
        body.inner(at.t, q, v, z, own, sum, zdot);
        body.weight(q, own, &model.gravity, sum);
        if n <= SHORT {
            f[..n].copy_from_slice(&short[..n]);
        }
    });
}

/// 4 — wrenches on markers, f += Jᵀ w, ż.
fn apply_forces(model: &Model, at: At, scene: &mut Scene, eq: &mut Equations) {
    for entry in &model.forces {
        let view = View { t: at.t, motions: &scene.motions, ids: &entry.markers, z: &at.z[entry.z.clone()] };
        let on = &mut scene.on[..entry.markers.len()];
        let force = entry.kind.force();
        force.apply(&view, on);
        force.states_rate(&view, &mut eq.zdot[entry.z.clone()]);
        for (&m, w) in entry.markers.iter().zip(on.iter()) {
            let Some(b) = model.markers[m].body.map(|b| &model.bodies[b]) else { continue };
            let (own, seen) = (&scene.motions[b.markers.start], &scene.motions[m]);
            let (q, place, f) = (&at.q[b.q.clone()], &model.markers[m].place, &mut eq.f[b.v.clone()]);
            each_body!(&b.kind, body => match body.symmetry() {
                Symmetry::Symmetric => body.pull(q, own, place, seen, w, f),
                // The equations of motion are written in another space than v; transform Jᵀw to it.
                Symmetry::NonSymmetric => {
                    let mut on_v = vec![0.0; f.len()];
                    body.pull(q, own, place, seen, w, &mut on_v);
                    body.react(q, &mut on_v);
                    f.iter_mut().zip(&on_v).for_each(|(f, x)| *f += x);
                }
            });
        }
    }
}

/// Lets every body change its chart where its coordinates become ill-conditioned; `strained` is called for bodies that
/// cannot, with the reason.
pub(crate) fn rechart(model: &Model, q: &mut [f64], v: &mut [f64], mut strained: impl FnMut(&str, &str)) -> Chart {
    let mut found = Chart::Kept;
    for b in &model.bodies {
        match each_body!(&b.kind, body => body.rechart(&mut q[b.q.clone()], &mut v[b.v.clone()])) {
            Chart::Kept => {}
            Chart::Changed => found = Chart::Changed,
            Chart::Strained(why) => strained(&b.name, why),
        }
    }
    found
}

/// Sets the turn counters of all elements to the pose of the state.
pub fn settle(model: &Model, state: &mut State) {
    let mut scene = Scene::new(model);
    let mut eq = Equations::new(model);
    place(model, At::from(&*state), &mut scene, &mut eq);
    let mut z = vec![0.0; model.sizes.z];
    for c in &model.constraints {
        let view = View { t: state.t, motions: &scene.motions, ids: &c.markers, z: &[] };
        c.kind.constraint().settle(&view, &mut z[c.z.clone()]);
        on_given_turns(model, &state.q, &c.markers, &c.kind.constraint().angles(), &mut z[c.z.clone()]);
        state.z[c.z.clone()].copy_from_slice(&z[c.z.clone()]);
    }
    for f in &model.forces {
        let view = View { t: state.t, motions: &scene.motions, ids: &f.markers, z: &[] };
        f.kind.force().settle(&view, &mut z[f.z.clone()]);
        on_given_turns(model, &state.q, &f.markers, &f.kind.force().angles(), &mut z[f.z.clone()]);
        state.z[f.z.clone()].copy_from_slice(&z[f.z.clone()]);
    }
}

/// If the coordinates of both bodies count turns, their angle starts with the number of turns given there.
fn on_given_turns(model: &Model, q: &[f64], markers: &[usize], angles: &[[usize; 2]], z: &mut [f64]) {
    for (z, pair) in z.iter_mut().zip(angles) {
        if let Some(given) = given_turn(model, q, pair.map(|i| markers[i])) {
            *z += TAU * ((given - *z) / TAU).round();
        }
    }
}

/// The angle between the bodies of two markers, as given by their coordinates.
pub(crate) fn given_turn(model: &Model, q: &[f64], [a, b]: [usize; 2]) -> Option<f64> {
    let turn = |m: usize| match model.markers[m].body {
        None => Some(0.0),
        Some(b) => model.bodies[b].kind.body().turn(&q[model.bodies[b].q.clone()]),
    };
    Some(turn(b)? - turn(a)?)
}

#[inline(always)]
fn own_and_others<'a>(motions: &'a mut [Motion], entry: &BodyEntry) -> (&'a mut Motion, &'a mut [Motion]) {
    let (own, others) = motions[entry.markers.clone()].split_at_mut(1);
    (&mut own[0], others)
}
