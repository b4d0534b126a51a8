//! Derivatives by finite differences: one body is displaced, and its elements are evaluated again.

use super::pattern::Element;
use super::{Closeness, Tangent};
use crate::bodies::{Body, Jacobian, MassMatrix, Measured, Symmetry, Variation, each_body};
use crate::constraints::View;
use crate::equations::{At, Idle, Scene, carry_body, carry_constraint, place_body, place_constraint, twist_body};
use crate::forces::Known;
use crate::model::Model;
use crate::motion::Wrench;

/// Points and weights of the difference formulas: error h² with a small h, error h⁶ with a larger one. Opposite points
/// are adjacent, so that constant terms cancel exactly.
const QUICK: [(f64, f64); 2] = [(-1.0, -0.5), (1.0, 0.5)];
pub(crate) const FINE: [(f64, f64); 6] =
    [(-1.0, -0.75), (1.0, 0.75), (-2.0, 0.15), (2.0, -0.15), (-3.0, -1.0 / 60.0), (3.0, 1.0 / 60.0)];
/// Steps of displacements, relative to lengths of the mechanism; rad for rotations.
const QUICK_STEP: f64 = 1e-5;
const FINE_STEP: f64 = 1e-3;
/// Step of velocities, relative to 1 + their magnitude: most forces are polynomials of second degree in them, for which
/// any step is exact.
const SPEED: f64 = 1e-3;

/// The perturbed variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moved {
    Pose,
    Speed,
    State(usize),
}

/// The target of one evaluation, with its weight.
#[derive(Clone, Copy, Debug)]
struct Into {
    moved: Moved,
    /// The body and which of its velocities.
    body: usize,
    column: usize,
    weight: f64,
}

impl Tangent {
    pub(super) fn take_differences(
        &mut self,
        model: &Model,
        at: At,
        vdot: &[f64],
        lambda: &[f64],
        closeness: Closeness,
        knowing: &[Known],
    ) {
        let (stencil, relative): (&[(f64, f64)], f64) = match closeness {
            Closeness::Quick => (&QUICK, QUICK_STEP),
            Closeness::Fine => (&FINE, FINE_STEP),
        };
        // Computed when first needed: bodies whose elements all provide their derivatives do not need it.
        let mut lengths = Vec::new();
        for (body, entry) in model.bodies.iter().enumerate() {
            let n = entry.v.len();
            let alone = self.pattern.constraints[body].is_empty()
                && self.pattern.forces[body].iter().all(|f| knowing[*f] != Known::Not);
            if alone && entry.kind.body().variation() == Variation::None {
                continue;
            }
            if lengths.is_empty() {
                lengths = self.lengths(model);
            }
            let mut delta = vec![0.0; n];
            for column in 0..n {
                let scale = match self.pattern.measured[entry.v.start + column] {
                    Measured::Length => lengths[body],
                    Measured::Other => 1.0,
                };
                let h = relative * scale;
                for &(place, weight) in stencil {
                    delta[column] = place * h;
                    each_body!(&entry.kind, b => b.displace(&mut self.q[entry.q.clone()], &delta));
                    let into = Into { moved: Moved::Pose, body, column, weight: weight / h };
                    self.ask(model, at, vdot, lambda, knowing, into);
                    self.q[entry.q.clone()].copy_from_slice(&at.q[entry.q.clone()]);
                }
                delta[column] = 0.0;
                let i = entry.v.start + column;
                let h = SPEED * (1.0 + at.v[i].abs());
                for &(place, weight) in stencil {
                    self.v[i] = at.v[i] + place * h;
                    let into = Into { moved: Moved::Speed, body, column, weight: weight / h };
                    self.ask(model, at, vdot, lambda, knowing, into);
                }
                self.v[i] = at.v[i];
            }
            self.place_one(model, at, body);
        }
        self.take_states(model, at, vdot, stencil, relative);
    }

    /// A characteristic length of each body for displacements: the largest distance between its markers and the markers
    /// connected to them.
    pub(crate) fn lengths(&self, model: &Model) -> Vec<f64> {
        let p = |m: usize| self.scene.motions[m].p;
        let mut lengths = vec![0.0_f64; model.bodies.len()];
        for (length, b) in lengths.iter_mut().zip(&model.bodies) {
            *length = b.markers.clone().map(|m| (p(m) - p(b.markers.start)).norm()).fold(0.0, f64::max);
        }
        let tied = model.forces.iter().map(|f| &f.markers).chain(model.constraints.iter().map(|c| &c.markers));
        for markers in tied {
            for (k, m) in markers.iter().enumerate() {
                let Some(b) = model.markers[*m].body else { continue };
                let reach = markers[..k].iter().chain(&markers[k + 1..]).map(|o| (p(*o) - p(*m)).norm());
                lengths[b] = reach.fold(lengths[b], f64::max);
            }
        }
        let widest = lengths.iter().fold(0.0_f64, |a, l| a.max(*l));
        // Bodies without a length of their own use that of the others; distances within round-off count as zero.
        let farthest = self.scene.motions.iter().fold(0.0_f64, |a, m| a.max(m.p.amax()));
        let least = if widest > 1e-9 * farthest { 1e-3 * widest } else { 1.0 };
        lengths.iter().map(|l| if l.is_finite() { l.max(least) } else { 1.0 }).collect()
    }

    fn place_one(&mut self, model: &Model, at: At, body: usize) {
        let here = At { q: &self.q, v: &self.v, z: &self.z, ..at };
        place_body(model, &model.bodies[body], here, &mut self.scene, &mut self.eq);
        twist_body(model, &model.bodies[body], here, &mut self.scene);
    }

    /// Evaluates all elements of the perturbed body in its current pose, and adds their contributions.
    fn ask(&mut self, model: &Model, at: At, vdot: &[f64], lambda: &[f64], knowing: &[Known], into: Into) {
        self.place_one(model, at, into.body);
        if model.bodies[into.body].kind.body().variation() == Variation::ByState {
            self.ask_body(model, at, vdot, into.body, into);
        }
        let pattern = self.pattern.clone();
        for &f in pattern.forces[into.body].iter().filter(|f| knowing[**f] == Known::Not) {
            self.ask_force(model, at, f, into);
        }
        for &c in &pattern.constraints[into.body] {
            self.ask_constraint(model, at, vdot, lambda, c, into);
        }
    }

    /// M v̇ − f of the body alone.
    fn ask_body(&mut self, model: &Model, at: At, vdot: &[f64], body: usize, into: Into) {
        let entry = &model.bodies[body];
        let n = entry.v.len();
        let here = At { q: &self.q, v: &self.v, z: &self.z, ..at };
        carry_body(model, entry, here, &self.scene, &mut self.eq);
        let mut r: Vec<f64> = self.eq.f[entry.v.clone()].iter().map(|f| -f).collect();
        let M = &self.eq.M[entry.mass.clone()];
        for (j, a) in vdot[entry.v.clone()].iter().enumerate() {
            (0..n).for_each(|i| r[i] += M[j * n + i] * a);
        }
        self.add_forces(model, body, &r, into);
        let rates: Vec<f64> = self.eq.zdot[entry.z.clone()].to_vec();
        self.add_rates(model, Element::Body(body), &rates, into);
    }

    /// −f of one force on each of its bodies.
    fn ask_force(&mut self, model: &Model, at: At, force: usize, into: Into) {
        let entry = &model.forces[force];
        let mut on = vec![Wrench::ZERO; entry.markers.len()];
        let mut rates = vec![0.0; entry.z.len()];
        {
            let z = &self.z[entry.z.clone()];
            let view = View { t: at.t, motions: &self.scene.motions, ids: &entry.markers, z };
            entry.kind.force().apply(&view, &mut on);
            entry.kind.force().states_rate(&view, &mut rates);
        }
        for (m, w) in entry.markers.iter().zip(&on) {
            let Some(body) = model.markers[*m].body.filter(|b| !model.bodies[*b].v.is_empty()) else { continue };
            let mut f = vec![0.0; model.bodies[body].v.len()];
            self.pull(model, body, *m, w, &mut f);
            f.iter_mut().for_each(|f| *f = -*f);
            self.add_forces(model, body, &f, into);
        }
        self.add_rates(model, Element::Force(force), &rates, into);
    }

    /// Jᵀw of a marker, in the space of the equations of motion.
    pub(super) fn pull(&self, model: &Model, body: usize, marker: usize, w: &Wrench, f: &mut [f64]) {
        let b = &model.bodies[body];
        let (own, seen) = (&self.scene.motions[b.markers.start], &self.scene.motions[marker]);
        let q = &self.q[b.q.clone()];
        each_body!(&b.kind, body => {
            body.pull(q, own, &model.places[marker], seen, w, f);
            if body.symmetry() == Symmetry::NonSymmetric {
                body.react(q, f);
            }
        });
    }

    /// −Bᵀλ on each body of a constraint, and A v̇ − b of its rows.
    fn ask_constraint(&mut self, model: &Model, at: At, vdot: &[f64], lambda: &[f64], c: usize, into: Into) {
        let (entry, mode) = (&model.constraints[c], at.modes[c]);
        let here = At { q: &self.q, v: &self.v, z: &self.z, ..at };
        let Scene { motions, c: convective, passing, .. } = &mut self.scene;
        let D = &mut passing[..entry.rows.len() * entry.ends.len()];
        let eq = &mut self.eq;
        place_constraint(model, entry, mode, Idle::Skipped, here, motions, D, convective, eq);
        carry_constraint(model, entry, mode, Idle::Skipped, here, motions, D, convective, eq);
        for (r, row) in entry.rows.clone().enumerate() {
            let s = self.eq.row_times(entry, r, vdot) - self.eq.b[row];
            let Some(block) = entry.blocks.iter().find(|b| b.body == into.body) else { continue };
            let place = block.start + r * model.bodies[into.body].v.len() + into.column;
            match into.moved {
                Moved::Pose => self.G[place] += into.weight * s,
                Moved::Speed => self.H[place] += into.weight * s,
                Moved::State(_) => {}
            }
        }
        for block in &entry.blocks {
            let n = model.bodies[block.body].v.len();
            let exerted = if self.eq.B.is_empty() { &self.eq.A } else { &self.eq.B };
            let mut r = vec![0.0; n];
            for (row, l) in exerted[block.start..].chunks_exact(n).zip(&lambda[entry.rows.clone()]) {
                r.iter_mut().zip(row).for_each(|(r, a)| *r -= a * l);
            }
            self.add_forces(model, block.body, &r, into);
        }
    }

    fn add_forces(&mut self, model: &Model, row: usize, r: &[f64], into: Into) {
        let n = model.bodies[row].v.len();
        match into.moved {
            Moved::Pose | Moved::Speed => {
                let Some(start) = self.pattern.start(row, into.body) else { return };
                let values = if into.moved == Moved::Pose { &mut self.K } else { &mut self.C };
                let values = &mut values[start + into.column * n..start + (into.column + 1) * n];
                values.iter_mut().zip(r).for_each(|(k, r)| *k += into.weight * r);
            }
            Moved::State(owner) => {
                let pattern = self.pattern.clone();
                let owner = &pattern.owners[owner];
                let before: usize =
                    owner.bodies.iter().take_while(|b| **b != row).map(|b| model.bodies[*b].v.len()).sum();
                let states = owner.states(model).len();
                for (i, r) in r.iter().enumerate() {
                    self.r_by_z[owner.r + (before + i) * states + into.column] += into.weight * r;
                }
            }
        }
    }

    fn add_rates(&mut self, model: &Model, element: Element, rates: &[f64], into: Into) {
        if rates.is_empty() {
            return;
        }
        let pattern = self.pattern.clone();
        let Some(owner) = pattern.owners.iter().find(|o| o.element == element) else { return };
        let states = rates.len();
        match into.moved {
            Moved::Pose | Moved::Speed => {
                let mut before = 0;
                for b in owner.bodies.iter().take_while(|b| **b != into.body) {
                    before += model.bodies[*b].v.len();
                }
                let first = owner.g + (before + into.column) * states;
                let values = if into.moved == Moved::Pose { &mut self.z_by_delta } else { &mut self.z_by_v };
                values[first..first + states].iter_mut().zip(rates).for_each(|(k, g)| *k += into.weight * g);
            }
            Moved::State(_) => {
                let first = owner.z + into.column * states;
                let values = &mut self.z_by_z[first..first + states];
                values.iter_mut().zip(rates).for_each(|(k, g)| *k += into.weight * g);
            }
        }
    }

    /// Derivatives with respect to extra states, for the elements that own them.
    fn take_states(&mut self, model: &Model, at: At, vdot: &[f64], stencil: &[(f64, f64)], relative: f64) {
        for owner in 0..self.pattern.owners.len() {
            let (element, states) = (self.pattern.owners[owner].element, self.pattern.owners[owner].states(model));
            for (column, i) in states.enumerate() {
                let h = relative * (1.0 + at.z[i].abs());
                for &(place, weight) in stencil {
                    self.z[i] = at.z[i] + place * h;
                    let into = Into { moved: Moved::State(owner), body: 0, column, weight: weight / h };
                    match element {
                        Element::Body(b) => self.ask_body(model, at, vdot, b, into),
                        Element::Force(f) => self.ask_force(model, at, f, into),
                    }
                }
                self.z[i] = at.z[i];
            }
        }
    }
}
