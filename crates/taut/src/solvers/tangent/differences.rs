//! Derivatives by finite differences: one body is displaced, and its elements are evaluated again.

use super::pattern::StateElement;
use super::switches::SwitchingSides;
use super::{DifferenceAccuracy, TangentMatrices};
use crate::bodies::{Body, DisplacementKind, Jacobian, MassMatrix, Symmetry, Variation, each_body};
use crate::constraints::RowLevel;
use crate::equations::{
    InactiveRowTreatment, MarkerKinematics, StateView, assemble_body_positions, assemble_body_rates,
    assemble_body_twists, assemble_constraint_positions, assemble_constraint_rates,
};
use crate::forces::TangentAvailability;
use crate::mathematics::stencils;
use crate::model::Model;
use crate::motion::Wrench;

/// Steps of displacements, relative to lengths of the mechanism; rad for rotations.
const SECOND_ORDER_STEP: f64 = 1e-5;
const SIXTH_ORDER_STEP: f64 = 1e-3;
/// Step of velocities, relative to 1 + their magnitude: most forces are polynomials of second degree in them, for which
/// any step is exact.
const VELOCITY_STEP: f64 = 1e-3;

/// The perturbed variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PerturbedVariable {
    Pose,
    Velocity,
    State(usize),
}

/// The elements that an evaluation includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    All,
    /// Rows at position level: A v̇ − b is a polynomial of second degree in v, for which two points are exact.
    QuadraticInVelocity,
    /// All others.
    Others,
}

/// The target of one evaluation, with its weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct DifferenceTarget {
    pub variable: PerturbedVariable,
    /// Body index and velocity index within the body.
    pub body: usize,
    pub column: usize,
    pub weight: f64,
}

impl TangentMatrices {
    pub(super) fn add_differences(
        &mut self,
        model: &Model,
        at: StateView,
        vdot: &[f64],
        lambda: &[f64],
        closeness: DifferenceAccuracy,
        knowing: &[TangentAvailability],
    ) {
        let (stencil, relative): (&[(f64, f64)], f64) = match closeness {
            DifferenceAccuracy::SecondOrder => (&stencils::SECOND_ORDER, SECOND_ORDER_STEP),
            DifferenceAccuracy::SixthOrder => (&stencils::SIXTH_ORDER, SIXTH_ORDER_STEP),
        };
        // The second entry has no points where the first includes everything.
        let by_velocity: [(&[(f64, f64)], Elements); 2] = match closeness {
            DifferenceAccuracy::SecondOrder => [(stencil, Elements::All), (&[], Elements::QuadraticInVelocity)],
            DifferenceAccuracy::SixthOrder => {
                [(stencil, Elements::Others), (&stencils::SECOND_ORDER, Elements::QuadraticInVelocity)]
            }
        };
        let mut sides = self.switching_sides(model, at, closeness);
        // Computed when first needed: bodies whose elements all provide their derivatives do not need it.
        let mut lengths = Vec::new();
        for (body, entry) in model.bodies.iter().enumerate() {
            let n = entry.v.len();
            let alone = self.pattern.constraints[body].is_empty()
                && self.pattern.forces[body].iter().all(|f| knowing[*f] != TangentAvailability::Unavailable);
            if alone && entry.kind.body().variation() == Variation::Constant {
                continue;
            }
            if lengths.is_empty() {
                lengths = self.characteristic_lengths(model);
            }
            let mut delta = vec![0.0; n];
            for column in 0..n {
                let scale = match self.pattern.displacement_kinds[entry.v.start + column] {
                    DisplacementKind::Length => lengths[body],
                    DisplacementKind::Other => 1.0,
                };
                let h = relative * scale;
                for &(place, weight) in stencil {
                    delta[column] = place * h;
                    each_body!(&entry.kind, b => b.displace(&mut self.q[entry.q.clone()], &delta));
                    let into = DifferenceTarget { variable: PerturbedVariable::Pose, body, column, weight: weight / h };
                    self.evaluate_elements(model, at, vdot, lambda, knowing, (into, Elements::All), &mut sides);
                    self.q[entry.q.clone()].copy_from_slice(&at.q[entry.q.clone()]);
                }
                self.add_sides(model, &mut sides, (PerturbedVariable::Pose, body, column));
                delta[column] = 0.0;
                let i = entry.v.start + column;
                let h = VELOCITY_STEP * (1.0 + at.v[i].abs());
                for (stencil, elements) in by_velocity {
                    for &(place, weight) in stencil {
                        self.v[i] = at.v[i] + place * h;
                        let variable = PerturbedVariable::Velocity;
                        let into = DifferenceTarget { variable, body, column, weight: weight / h };
                        self.evaluate_elements(model, at, vdot, lambda, knowing, (into, elements), &mut sides);
                    }
                }
                self.add_sides(model, &mut sides, (PerturbedVariable::Velocity, body, column));
                self.v[i] = at.v[i];
            }
            self.update_body(model, at, body);
        }
        self.differentiate_by_states(model, at, vdot, (stencil, relative), knowing, &mut sides);
    }

    /// A characteristic length of each body for displacements: the largest distance between its markers and the markers
    /// connected to them.
    pub(crate) fn characteristic_lengths(&self, model: &Model) -> Vec<f64> {
        let p = |m: usize| self.kinematics.motions[m].p;
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
        let farthest = self.kinematics.motions.iter().fold(0.0_f64, |a, m| a.max(m.p.amax()));
        let least = if widest > 1e-9 * farthest { 1e-3 * widest } else { 1.0 };
        lengths.iter().map(|l| if l.is_finite() { l.max(least) } else { 1.0 }).collect()
    }

    fn update_body(&mut self, model: &Model, at: StateView, body: usize) {
        let here = StateView { q: &self.q, v: &self.v, z: &self.z, ..at };
        assemble_body_positions(model, &model.bodies[body], here, &mut self.kinematics, &mut self.eq);
        assemble_body_twists(model, &model.bodies[body], here, &mut self.kinematics);
    }

    /// Evaluates all elements of the perturbed body in its current pose, and adds their contributions.
    fn evaluate_elements(
        &mut self,
        model: &Model,
        at: StateView,
        vdot: &[f64],
        lambda: &[f64],
        knowing: &[TangentAvailability],
        (into, elements): (DifferenceTarget, Elements),
        sides: &mut SwitchingSides,
    ) {
        let pattern = self.pattern.clone();
        let holonomic =
            |c: &usize| model.rows[model.constraints[*c].rows.clone()].iter().all(|r| r.level == RowLevel::Position);
        let constraints = pattern.constraints[into.body].iter().filter(|c| match elements {
            Elements::All => true,
            Elements::QuadraticInVelocity => holonomic(c),
            Elements::Others => !holonomic(c),
        });
        let others = elements != Elements::QuadraticInVelocity;
        let varies = others && model.bodies[into.body].kind.body().variation() == Variation::StateDependent;
        let forces = pattern.forces[into.body].iter();
        let forces = forces.filter(|f| others && knowing[**f] == TangentAvailability::Unavailable);
        if !varies && constraints.clone().next().is_none() && forces.clone().next().is_none() {
            return;
        }
        self.update_body(model, at, into.body);
        if varies {
            self.evaluate_body(model, at, vdot, into.body, into);
        }
        for &f in forces {
            self.evaluate_force(model, at, f, into, sides);
        }
        for &c in constraints {
            self.evaluate_constraint(model, at, vdot, lambda, c, into);
        }
    }

    /// M v̇ − f of the body alone.
    fn evaluate_body(&mut self, model: &Model, at: StateView, vdot: &[f64], body: usize, into: DifferenceTarget) {
        let entry = &model.bodies[body];
        let n = entry.v.len();
        let here = StateView { q: &self.q, v: &self.v, z: &self.z, ..at };
        assemble_body_rates(model, entry, here, &self.kinematics, &mut self.eq);
        let mut r: Vec<f64> = self.eq.f[entry.v.clone()].iter().map(|f| -f).collect();
        let M = &self.eq.M[entry.mass.clone()];
        for (j, a) in vdot[entry.v.clone()].iter().enumerate() {
            (0..n).for_each(|i| r[i] += M[j * n + i] * a);
        }
        self.add_forces(model, body, &r, into);
        let rates: Vec<f64> = self.eq.zdot[entry.z.clone()].to_vec();
        self.add_rates(model, StateElement::Body(body), &rates, into);
    }

    /// Jᵀw of a marker, in the space of the equations of motion.
    pub(super) fn generalised_force(&self, model: &Model, body: usize, marker: usize, w: &Wrench, f: &mut [f64]) {
        let b = &model.bodies[body];
        let (own, seen) = (&self.kinematics.motions[b.markers.start], &self.kinematics.motions[marker]);
        let q = &self.q[b.q.clone()];
        each_body!(&b.kind, body => {
            body.apply_transpose(q, own, &model.marker_placements[marker], seen, w, f);
            if body.symmetry() == Symmetry::NonSymmetric {
                body.reaction_row(q, f);
            }
        });
    }

    /// −Bᵀλ on each body of a constraint, and A v̇ − b of its rows.
    fn evaluate_constraint(
        &mut self,
        model: &Model,
        at: StateView,
        vdot: &[f64],
        lambda: &[f64],
        c: usize,
        into: DifferenceTarget,
    ) {
        let (entry, mode) = (&model.constraints[c], at.modes[c]);
        let here = StateView { q: &self.q, v: &self.v, z: &self.z, ..at };
        let MarkerKinematics { motions, convective, constraint_wrenches: passing, .. } = &mut self.kinematics;
        let D = &mut passing[..entry.rows.len() * entry.ends.len()];
        let eq = &mut self.eq;
        assemble_constraint_positions(
            model,
            entry,
            mode,
            InactiveRowTreatment::Skipped,
            here,
            motions,
            D,
            convective,
            eq,
        );
        let block = entry.blocks.iter().find(|b| b.body == into.body);
        let first = block.map_or(0, |block| block.start + into.column);
        let n = model.bodies[into.body].v.len();
        if block.is_some() && into.variable == PerturbedVariable::Pose {
            for (r, row) in entry.rows.clone().enumerate() {
                self.P[first + r * n] += into.weight * (eq.phi_t[row] + eq.row_times(entry, r, at.v));
            }
        }
        assemble_constraint_rates(model, entry, mode, InactiveRowTreatment::Skipped, here, motions, D, convective, eq);
        for (r, row) in entry.rows.clone().enumerate().filter(|_| block.is_some()) {
            let s = self.eq.row_times(entry, r, vdot) - self.eq.b[row];
            let place = first + r * n;
            match into.variable {
                PerturbedVariable::Pose => self.G[place] += into.weight * s,
                PerturbedVariable::Velocity => self.H[place] += into.weight * s,
                PerturbedVariable::State(_) => {}
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

    pub(super) fn add_forces(&mut self, model: &Model, row: usize, r: &[f64], into: DifferenceTarget) {
        let n = model.bodies[row].v.len();
        match into.variable {
            PerturbedVariable::Pose | PerturbedVariable::Velocity => {
                let Some(start) = self.pattern.start(row, into.body) else { return };
                let values = if into.variable == PerturbedVariable::Pose { &mut self.K } else { &mut self.C };
                let values = &mut values[start + into.column * n..start + (into.column + 1) * n];
                values.iter_mut().zip(r).for_each(|(k, r)| *k += into.weight * r);
            }
            PerturbedVariable::State(owner) => {
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

    pub(super) fn add_rates(&mut self, model: &Model, element: StateElement, rates: &[f64], into: DifferenceTarget) {
        if rates.is_empty() {
            return;
        }
        let pattern = self.pattern.clone();
        let Some(owner) = pattern.owners.iter().find(|o| o.element == element) else { return };
        let states = rates.len();
        match into.variable {
            PerturbedVariable::Pose | PerturbedVariable::Velocity => {
                let mut before = 0;
                for b in owner.bodies.iter().take_while(|b| **b != into.body) {
                    before += model.bodies[*b].v.len();
                }
                let first = owner.g + (before + into.column) * states;
                let values =
                    if into.variable == PerturbedVariable::Pose { &mut self.z_by_delta } else { &mut self.z_by_v };
                values[first..first + states].iter_mut().zip(rates).for_each(|(k, g)| *k += into.weight * g);
            }
            PerturbedVariable::State(_) => {
                let first = owner.z + into.column * states;
                let values = &mut self.z_by_z[first..first + states];
                values.iter_mut().zip(rates).for_each(|(k, g)| *k += into.weight * g);
            }
        }
    }

    /// Derivatives with respect to extra states, for the elements that own them.
    fn differentiate_by_states(
        &mut self,
        model: &Model,
        at: StateView,
        vdot: &[f64],
        (stencil, relative): (&[(f64, f64)], f64),
        knowing: &[TangentAvailability],
        sides: &mut SwitchingSides,
    ) {
        for owner in 0..self.pattern.owners.len() {
            let (element, states) = (self.pattern.owners[owner].element, self.pattern.owners[owner].states(model));
            let differentiated = |f: usize| {
                knowing[f] != TangentAvailability::Unavailable && model.forces[f].kind.force().coupled_rates().is_some()
            };
            if matches!(element, StateElement::Force(f) if differentiated(f)) {
                continue;
            }
            for (column, i) in states.enumerate() {
                let h = relative * (1.0 + at.z[i].abs());
                for &(place, weight) in stencil {
                    self.z[i] = at.z[i] + place * h;
                    let into = DifferenceTarget {
                        variable: PerturbedVariable::State(owner),
                        body: 0,
                        column,
                        weight: weight / h,
                    };
                    match element {
                        StateElement::Body(b) => self.evaluate_body(model, at, vdot, b, into),
                        StateElement::Force(f) => self.evaluate_force(model, at, f, into, sides),
                    }
                }
                self.z[i] = at.z[i];
                self.add_sides(model, sides, (PerturbedVariable::State(owner), 0, column));
            }
        }
    }
}
