//! The assembly: one sweep over bodies and constraints, each constraint right after its last body, so that what it reads
//! is still at hand.

use super::{At, Equations, Scene};
use crate::bodies::{Body, each_body};
use crate::constraints::{Constraint, ConstraintKind, Level, Rows, View};
use crate::model::{BodyEntry, ConstraintEntry, End, Entry, Model, Turn};
use crate::motion::{Motion, Vec3, Wrench};
use crate::state::{Mode, State};

/// All five steps at once, for velocities that need no correction. φ̇ and the wrenches of the scene are left as they were.
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
                // The wrenches are used up at once: one small buffer serves all, and stays in the nearest cache.
                let Scene { motions, c: convective, passing, .. } = &mut *scene;
                let D = &mut passing[..entry.rows.len() * entry.ends.len()];
                place_constraint(model, entry, mode, at, motions, D, convective, eq);
                carry_constraint(model, entry, mode, at, motions, D, convective, eq);
            }
        }
    }
    apply_forces(model, at, scene, eq);
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
                place_constraint(model, entry, at.modes[c], at, motions, D, convective, eq);
                rate_constraint(model, &model.constraints[c], at.modes[c], at, eq);
            }
        }
    }
}

/// Step 2 alone: twists and biases for new velocities at the same positions.
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
                carry_constraint(model, entry, at.modes[c], at, motions, D, convective, eq);
            }
        }
    }
    apply_forces(model, at, scene, eq);
}

/// 1 — pose of every marker, M.
#[inline(always)]
fn place_body(model: &Model, entry: &BodyEntry, at: At, scene: &mut Scene, eq: &mut Equations) {
    each_body!(&entry.kind, body => {
        let q = &at.q[entry.q.clone()];
        let (own, others) = own_and_others(&mut scene.motions, entry);
        body.reference(q, own);
        for (seen, marker) in others.iter_mut().zip(&model.markers[entry.markers.start + 1..]) {
            body.place(q, own, &marker.place, seen);
        }
        body.mass(q, own, &mut eq.M[entry.mass.clone()]);
    });
}

/// 2 — twist and bias of every marker.
#[inline(always)]
fn twist_body(model: &Model, entry: &BodyEntry, at: At, scene: &mut Scene) {
    each_body!(&entry.kind, body => {
        let (q, v) = (&at.q[entry.q.clone()], &at.v[entry.v.clone()]);
        let (own, others) = own_and_others(&mut scene.motions, entry);
        body.reference_twist(q, v, own);
        for (seen, marker) in others.iter_mut().zip(&model.markers[entry.markers.start + 1..]) {
            body.twist(q, v, own, &marker.place, seen);
        }
    });
}

/// 3 — φ, D, φ_t, and A = Σ D J.
#[inline(always)]
fn place_constraint(
    model: &Model,
    c: &ConstraintEntry,
    mode: Mode,
    at: At,
    motions: &[Motion],
    D: &mut [Wrench],
    convective: &mut [f64],
    eq: &mut Equations,
) {
    let n = c.ends.len();
    if mode == Mode::Idle {
        // Rows of zeros: the factor bounds their pivots, and their multipliers vanish.
        eq.phi[c.rows.clone()].fill(0.0);
        eq.phi_t[c.rows.clone()].fill(0.0);
        eq.phidot[c.rows.clone()].fill(0.0);
        D.fill(Wrench::ZERO);
        for b in &c.blocks {
            let values = c.rows.len() * model.bodies[b.body].v.len();
            eq.A[b.start..b.start + values].fill(0.0);
        }
        return;
    }
    let view = View { t: at.t, motions, ids: &model.end_markers[c.ends.clone()], z: &at.z[c.z.clone()] };
    let mut rows = Rows {
        phi: &mut eq.phi[c.rows.clone()],
        D,
        phi_t: &mut eq.phi_t[c.rows.clone()],
        c: &mut convective[c.rows.clone()],
    };
    match &c.kind {
        ConstraintKind::Joint(joint) => joint.place(&view, &mut rows),
        other => other.constraint().place(&view, &mut rows),
    }
    for (k, &End { marker: m, block, entry: how }) in model.ends[c.ends.clone()].iter().enumerate() {
        let Some(block) = block else { continue };
        let entry = &model.bodies[block.body];
        let (nv, own, seen) = (entry.v.len(), &motions[entry.markers.start], &motions[m]);
        let A = &mut eq.A[block.start..block.start + c.rows.len() * nv];
        each_body!(&entry.kind, body => {
            let (q, marker) = (&at.q[entry.q.clone()], &model.markers[m].place);
            let rows = A.chunks_exact_mut(nv).zip(rows.D.iter().skip(k).step_by(n));
            match how {
                Entry::First => rows.for_each(|(a, d)| body.spread(q, own, marker, seen, d, a)),
                Entry::Further => rows.for_each(|(a, d)| body.pull(q, own, marker, seen, d, a)),
            }
        });
    }
    if !eq.B.is_empty() {
        react(model, c, at, eq);
    }
}

/// What the rows exert where the equations of motion live in another space than v.
fn react(model: &Model, c: &ConstraintEntry, at: At, eq: &mut Equations) {
    for block in &c.blocks {
        let entry = &model.bodies[block.body];
        let nv = entry.v.len();
        let values = block.start..block.start + c.rows.len() * nv;
        eq.B[values.clone()].copy_from_slice(&eq.A[values.clone()]);
        let rows = eq.B[values].chunks_exact_mut(nv);
        rows.for_each(|row| entry.kind.body().react(&at.q[entry.q.clone()], row));
    }
}

/// 3 — φ̇.
#[inline(always)]
fn rate_constraint(model: &Model, c: &ConstraintEntry, mode: Mode, at: At, eq: &mut Equations) {
    if mode == Mode::Idle {
        return;
    }
    for r in 0..c.rows.len() {
        let row = c.rows.start + r;
        let rate = eq.phi_t[row] + eq.row_times(model, c, r, at.v);
        eq.phidot[row] = if model.holds(row, Level::Velocity) { rate } else { 0.0 };
    }
}

/// 4 — q̇, and what the body itself brings to f and ż.
#[inline(always)]
fn carry_body(model: &Model, entry: &BodyEntry, at: At, scene: &Scene, eq: &mut Equations) {
    each_body!(&entry.kind, body => {
        let (q, v, z) = (&at.q[entry.q.clone()], &at.v[entry.v.clone()], &at.z[entry.z.clone()]);
        let own = &scene.motions[entry.markers.start];
        body.kinematics(q, v, &mut eq.qdot[entry.q.clone()]);
        let f = &mut eq.f[entry.v.clone()];
        match &mut *f {
            // The usual sizes, without a call.
            [a, b, c] => (*a, *b, *c) = (0.0, 0.0, 0.0),
            [a, b, c, d, e, g] => (*a, *b, *c, *d, *e, *g) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
            f => f.fill(0.0),
        }
        body.inner(at.t, q, v, z, own, f, &mut eq.zdot[entry.z.clone()]);
        body.weight(own, &model.gravity, f);
    });
}

/// 5 — c, and b = −Σ D·bias − c.
#[inline(always)]
fn carry_constraint(
    model: &Model,
    c: &ConstraintEntry,
    mode: Mode,
    at: At,
    motions: &[Motion],
    D: &mut [Wrench],
    convective: &mut [f64],
    eq: &mut Equations,
) {
    if mode == Mode::Idle {
        eq.b[c.rows.clone()].fill(0.0);
        // Turns are counted on while nothing holds them.
        let view = View { t: at.t, motions, ids: &model.end_markers[c.ends.clone()], z: &at.z[c.z.clone()] };
        c.kind.constraint().states_rate(&view, &mut eq.zdot[c.z.clone()]);
        return;
    }
    let n = c.ends.len();
    let view = View { t: at.t, motions, ids: &model.end_markers[c.ends.clone()], z: &at.z[c.z.clone()] };
    let mut rows = Rows {
        phi: &mut eq.phi[c.rows.clone()],
        D,
        phi_t: &mut eq.phi_t[c.rows.clone()],
        c: &mut convective[c.rows.clone()],
    };
    match &c.kind {
        ConstraintKind::Joint(joint) => joint.carry(&view, &mut rows),
        other => {
            other.constraint().carry(&view, &mut rows);
            other.constraint().states_rate(&view, &mut eq.zdot[c.z.clone()]);
        }
    }
    let b = &mut eq.b[c.rows.clone()];
    b.iter_mut().zip(&*rows.c).for_each(|(b, convective)| *b = -convective);
    for (k, &End { marker: m, block, .. }) in model.ends[c.ends.clone()].iter().enumerate() {
        // The ground has no acceleration, and rigid bodies no angular bias.
        if block.is_none() {
            continue;
        }
        let seen = &motions[m];
        let D = rows.D.iter().skip(k).step_by(n);
        if seen.bw == Vec3::zeros() {
            b.iter_mut().zip(D).for_each(|(b, d)| *b -= d.f.dot(&seen.bv));
        } else {
            b.iter_mut().zip(D).for_each(|(b, d)| *b -= seen.bias(d));
        }
    }
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
            b.kind.body().pull(&at.q[b.q.clone()], own, &model.markers[m].place, seen, w, &mut eq.f[b.v.clone()]);
        }
    }
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
        state.z[c.z.clone()].copy_from_slice(&z[c.z.clone()]);
    }
    for f in &model.forces {
        let view = View { t: state.t, motions: &scene.motions, ids: &f.markers, z: &[] };
        f.kind.force().settle(&view, &mut z[f.z.clone()]);
        state.z[f.z.clone()].copy_from_slice(&z[f.z.clone()]);
    }
}

#[inline(always)]
fn own_and_others<'a>(motions: &'a mut [Motion], entry: &BodyEntry) -> (&'a mut Motion, &'a mut [Motion]) {
    let (own, others) = motions[entry.markers.clone()].split_at_mut(1);
    (&mut own[0], others)
}
