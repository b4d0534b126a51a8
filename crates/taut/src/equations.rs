//! The assembled set: M, f, A, b and the residuals of one state.
//!
//! ```text
//!  1 bodies       q    → pose of every marker, M
//!  2 bodies       v    → twist and bias of every marker
//!  3 constraints       → φ, D, φ_t  → A = Σ D J,  φ̇ = Σ D·twist + φ_t
//!  4 bodies, forces    → q̇, f, ż
//!  5 constraints       → c          → b = −Σ D·bias − c
//! ```
//!
//! Steps 1–3 are [`place`], 4–5 [`carry`]: between them the velocities may be corrected ([`twists`]), because all
//! that 1–3 give for the correction depends on positions (and on v only for constraints nonlinear in v).

use crate::bodies::{Body, each_body};
use crate::constraints::{Constraint, ConstraintKind, Level, Rows, View};
use crate::forces::Force;
use crate::marker::Place;
use crate::model::{BodyEntry, ConstraintEntry, Entry, Model};
use crate::motion::{Motion, Vec3, Wrench};
use crate::state::{Mode, State};
use nalgebra::DMatrix;

/// M, f, A, b, φ, φ̇, q̇, ż of exactly one state; rebuilt, never invalidated.
#[derive(Clone, Debug, Default)]
pub struct Equations {
    /// Blocks of the mass matrix, one body after the other, column by column.
    pub M: Vec<f64>,
    /// Generalised forces.
    pub f: Vec<f64>,
    /// Blocks of the constraint Jacobian, row by row; the model knows where each starts.
    pub A: Vec<f64>,
    /// Right-hand side of A v̇ = b.
    pub b: Vec<f64>,
    /// Position residual; zero for rows that have none.
    pub phi: Vec<f64>,
    /// Velocity residual; zero for rows that have none.
    pub phidot: Vec<f64>,
    /// Explicit rate: φ̇ = A v + φ_t.
    pub phi_t: Vec<f64>,
    /// Rates of the coordinates.
    pub qdot: Vec<f64>,
    /// Rates of the extra states.
    pub zdot: Vec<f64>,
}

impl Equations {
    /// Room for the equations of a model.
    pub fn new(model: &Model) -> Equations {
        let rows = model.rows.len();
        Equations {
            M: vec![0.0; model.mass_values],
            f: vec![0.0; model.sizes.v],
            A: vec![0.0; model.jacobian_values],
            b: vec![0.0; rows],
            phi: vec![0.0; rows],
            phidot: vec![0.0; rows],
            phi_t: vec![0.0; rows],
            qdot: vec![0.0; model.sizes.q],
            zdot: vec![0.0; model.sizes.z],
        }
    }

    /// M as a dense matrix.
    pub fn dense_mass(&self, model: &Model) -> DMatrix<f64> {
        let mut M = DMatrix::zeros(model.sizes.v, model.sizes.v);
        for b in &model.bodies {
            let n = b.v.len();
            for (k, value) in self.M[b.mass.clone()].iter().enumerate() {
                M[(b.v.start + k % n, b.v.start + k / n)] = *value;
            }
        }
        M
    }

    /// A as a dense matrix.
    pub fn dense_jacobian(&self, model: &Model) -> DMatrix<f64> {
        let mut A = DMatrix::zeros(model.rows.len(), model.sizes.v);
        for c in &model.constraints {
            for block in &c.blocks {
                let v = &model.bodies[block.body].v;
                for r in 0..c.rows.len() {
                    for k in 0..v.len() {
                        A[(c.rows.start + r, v.start + k)] = self.A[block.start + r * v.len() + k];
                    }
                }
            }
        }
        A
    }

    /// out = A x.
    pub fn times(&self, model: &Model, x: &[f64], out: &mut [f64]) {
        for c in &model.constraints {
            let rows = &mut out[c.rows.clone()];
            rows.fill(0.0);
            for block in &c.blocks {
                let x = &x[model.bodies[block.body].v.clone()];
                let A = &self.A[block.start..block.start + rows.len() * x.len()];
                for (out, a) in rows.iter_mut().zip(A.chunks_exact(x.len())) {
                    *out += a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
                }
            }
        }
    }

    /// out += Aᵀ λ.
    pub fn add_transposed(&self, model: &Model, lambda: &[f64], out: &mut [f64]) {
        for c in &model.constraints {
            let lambda = &lambda[c.rows.clone()];
            for block in &c.blocks {
                let out = &mut out[model.bodies[block.body].v.clone()];
                let A = &self.A[block.start..block.start + lambda.len() * out.len()];
                for (l, a) in lambda.iter().zip(A.chunks_exact(out.len())) {
                    out.iter_mut().zip(a).for_each(|(out, a)| *out += a * l);
                }
            }
        }
    }

    /// out = M x.
    pub fn mass_times(&self, model: &Model, x: &[f64], out: &mut [f64]) {
        for b in &model.bodies {
            let (x, out) = (&x[b.v.clone()], &mut out[b.v.clone()]);
            out.fill(0.0);
            for (column, x) in self.M[b.mass.clone()].chunks_exact(x.len()).zip(x) {
                out.iter_mut().zip(column).for_each(|(out, m)| *out += m * x);
            }
        }
    }
}

/// Scratch of the assembly: motions of all markers and wrenches of all rows. One per thread.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Motion of every marker.
    pub motions: Vec<Motion>,
    /// D: per row and marker of the constraint, what one unit of λ exerts.
    pub(crate) D: Vec<Wrench>,
    c: Vec<f64>,
    on: Vec<Wrench>,
}

impl Scene {
    /// Room for the motions of a model.
    pub fn new(model: &Model) -> Scene {
        let mut motions = vec![Motion::REST; model.markers.len()];
        motions[..model.ground.len()].copy_from_slice(&model.ground);
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        Scene {
            motions,
            D: vec![Wrench::ZERO; model.wrench_values],
            c: vec![0.0; model.rows.len()],
            on: vec![Wrench::ZERO; widest],
        }
    }

    /// Wrench of one unit of each λ of constraint `c` on its marker `k`.
    pub(crate) fn wrenches<'a>(&'a self, c: &ConstraintEntry, k: usize) -> impl Iterator<Item = &'a Wrench> {
        let n = c.markers.len();
        self.D[c.wrenches..c.wrenches + c.rows.len() * n].iter().skip(k).step_by(n.max(1))
    }
}

/// Where the state lies: slices of one vector or of a [`State`].
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Time.
    pub t: f64,
    /// Coordinates.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Extra states.
    pub z: &'a [f64],
    /// Modes.
    pub modes: &'a [Mode],
}

impl<'a> From<&'a State> for At<'a> {
    fn from(s: &'a State) -> At<'a> {
        At { t: s.t, q: &s.q, v: &s.v, z: &s.z, modes: &s.modes }
    }
}

/// Steps 1–3: poses, M, twists, A, φ; and φ̇.
pub fn place(model: &Model, at: At, scene: &mut Scene, eq: &mut Equations) {
    place_bare(model, at, scene, eq);
    residual_rates(model, at, eq);
}

/// Steps 1–3 without φ̇, which only a projection asks for.
pub fn place_bare(model: &Model, at: At, scene: &mut Scene, eq: &mut Equations) {
    for entry in &model.bodies {
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
    twists(model, at, scene);
    for (c, mode) in model.constraints.iter().zip(at.modes) {
        let n = c.markers.len();
        let wrenches = c.wrenches..c.wrenches + c.rows.len() * n;
        let D = &mut scene.D[wrenches];
        if *mode == Mode::Idle {
            eq.phi[c.rows.clone()].fill(0.0);
            eq.phi_t[c.rows.clone()].fill(0.0);
            eq.phidot[c.rows.clone()].fill(0.0);
            D.fill(Wrench::ZERO);
            for b in &c.blocks {
                let values = c.rows.len() * model.bodies[b.body].v.len();
                eq.A[b.start..b.start + values].fill(0.0);
            }
            continue;
        }
        let view = View { t: at.t, motions: &scene.motions, ids: &c.markers, z: &at.z[c.z.clone()] };
        let mut rows = Rows {
            phi: &mut eq.phi[c.rows.clone()],
            D,
            phi_t: &mut eq.phi_t[c.rows.clone()],
            c: &mut scene.c[c.rows.clone()],
        };
        match &c.kind {
            ConstraintKind::Joint(joint) => joint.place(&view, &mut rows),
            other => other.constraint().place(&view, &mut rows),
        }
        for (k, (&m, block)) in c.markers.iter().zip(&c.block_of).enumerate() {
            let Some(block) = block.map(|b| c.blocks[b]) else { continue };
            let entry = &model.bodies[block.body];
            let (nv, own, seen) = (entry.v.len(), &scene.motions[entry.markers.start], &scene.motions[m]);
            let A = &mut eq.A[block.start..block.start + c.rows.len() * nv];
            each_body!(&entry.kind, body => {
                let (q, marker) = (&at.q[entry.q.clone()], &model.markers[m].place);
                let rows = A.chunks_exact_mut(nv).zip(rows.D.iter().skip(k).step_by(n));
                match c.entry[k] {
                    Entry::First => rows.for_each(|(a, d)| body.spread(q, own, marker, seen, d, a)),
                    Entry::Further => rows.for_each(|(a, d)| body.pull(q, own, marker, seen, d, a)),
                }
            });
        }
    }
}

/// Step 2 alone: twists and biases for new velocities at the same positions.
pub fn twists(model: &Model, at: At, scene: &mut Scene) {
    for entry in &model.bodies {
        each_body!(&entry.kind, body => {
            let (q, v) = (&at.q[entry.q.clone()], &at.v[entry.v.clone()]);
            let (own, others) = own_and_others(&mut scene.motions, entry);
            body.reference_twist(q, v, own);
            for (seen, marker) in others.iter_mut().zip(&model.markers[entry.markers.start + 1..]) {
                body.twist(q, v, own, &marker.place, seen);
            }
        });
    }
}

/// φ̇ = A v + φ_t of every row that has a velocity level.
pub fn residual_rates(model: &Model, at: At, eq: &mut Equations) {
    for (c, mode) in model.constraints.iter().zip(at.modes) {
        if *mode == Mode::Idle {
            continue;
        }
        let (n, first) = (c.rows.len(), c.rows.start);
        for r in 0..n {
            let row = first + r;
            let mut rate = eq.phi_t[row];
            for block in &c.blocks {
                let v = &at.v[model.bodies[block.body].v.clone()];
                let a = &eq.A[block.start + r * v.len()..block.start + (r + 1) * v.len()];
                rate += a.iter().zip(v).map(|(a, v)| a * v).sum::<f64>();
            }
            eq.phidot[row] = if model.holds(row, Level::Velocity) { rate } else { 0.0 };
        }
    }
}

/// Steps 4–5: q̇, f, ż, b.
pub fn carry(model: &Model, at: At, scene: &mut Scene, eq: &mut Equations) {
    eq.f.fill(0.0);
    for entry in &model.bodies {
        each_body!(&entry.kind, body => {
            let (q, v, z) = (&at.q[entry.q.clone()], &at.v[entry.v.clone()], &at.z[entry.z.clone()]);
            let own = &scene.motions[entry.markers.start];
            body.kinematics(q, v, &mut eq.qdot[entry.q.clone()]);
            let f = &mut eq.f[entry.v.clone()];
            body.inner(at.t, q, v, z, own, f, &mut eq.zdot[entry.z.clone()]);
            body.weight(own, &model.gravity, f);
        });
    }
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
    for (c, mode) in model.constraints.iter().zip(at.modes) {
        if *mode == Mode::Idle {
            eq.b[c.rows.clone()].fill(0.0);
            eq.zdot[c.z.clone()].fill(0.0);
            continue;
        }
        let n = c.markers.len();
        let view = View { t: at.t, motions: &scene.motions, ids: &c.markers, z: &at.z[c.z.clone()] };
        let mut rows = Rows {
            phi: &mut eq.phi[c.rows.clone()],
            D: &mut scene.D[c.wrenches..c.wrenches + c.rows.len() * n],
            phi_t: &mut eq.phi_t[c.rows.clone()],
            c: &mut scene.c[c.rows.clone()],
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
        for (k, (&m, block)) in c.markers.iter().zip(&c.block_of).enumerate() {
            // The ground has no acceleration, and rigid bodies no angular bias.
            if block.is_none() {
                continue;
            }
            let seen = &scene.motions[m];
            let D = rows.D.iter().skip(k).step_by(n);
            if seen.bw == Vec3::zeros() {
                b.iter_mut().zip(D).for_each(|(b, d)| *b -= d.f.dot(&seen.bv));
            } else {
                b.iter_mut().zip(D).for_each(|(b, d)| *b -= seen.bias(d));
            }
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

/// The marker's place is a frame.
pub(crate) fn is_frame(model: &Model, marker: usize) -> bool {
    matches!(model.markers[marker].place, Place::Frame(..))
}
