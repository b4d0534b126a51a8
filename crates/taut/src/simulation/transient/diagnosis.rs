//! Finds the element behind a numerical stop.

use super::problem::TransientProblem;
use crate::bodies::BodyKind;
use crate::constraints::ElementInput;
use crate::dynamics::Dynamics;
use crate::mathematics::magnitude::largest_magnitude;
use crate::motion::Wrench;
use crate::signals::{Extrapolation, PassedEnd};
use crate::solution::Cause;
use taut_ode::System;

/// The first body, force or constraint with a number that is not finite.
pub(crate) fn not_finite(d: &Dynamics, t: f64, y: &[f64]) -> Cause {
    let (model, s) = (d.model, d.model.sizes);
    let z = &y[s.q + s.v..s.q + s.v + s.z];
    let lost = |x: &[f64]| x.iter().any(|x| !x.is_finite());
    if let Some(found) = d.undetermined_motion() {
        return Cause::Massless { body: found.body.clone(), direction: found.direction.clone() };
    }
    if let Some(force) = d.failed_reaction_force {
        return Cause::ReactionForce(model.forces[force].name.clone());
    }
    for b in &model.bodies {
        if lost(&y[b.q.clone()]) || lost(&y[s.q + b.v.start..s.q + b.v.end]) {
            return Cause::Body(b.name.clone());
        }
    }
    for element in model.elements_with_finite_tables() {
        if let Some((name, PassedEnd { end, extrapolation: Extrapolation::Error })) =
            model.exceeded_table(element, t, &d.kinematics.motions, z)
        {
            return Cause::Table { name: name.to_string(), end };
        }
    }
    for f in &model.forces {
        let view = ElementInput { t, motions: &d.kinematics.motions, markers: &f.markers, z: &z[f.z.clone()] };
        let mut on = vec![Wrench::ZERO; f.markers.len()];
        f.kind.force().apply(&view, &mut on);
        if on.iter().any(|w| lost(w.f.as_slice()) || lost(w.m.as_slice())) {
            return Cause::Force(f.name.clone());
        }
    }
    for (r, (b, phi)) in d.eq.b.iter().zip(&d.eq.phi).enumerate() {
        if !b.is_finite() || !phi.is_finite() {
            return Cause::Constraint { row: model.row_name(r), residual: phi.abs() };
        }
    }
    for b in &model.bodies {
        if lost(&d.eq.f[b.v.clone()]) || lost(&d.eq.M[b.mass.clone()]) || lost(&d.vdot[b.v.clone()]) {
            return Cause::Body(b.name.clone());
        }
    }
    Cause::Nobody
}

/// A generalised body whose mass matrix has lost a pivot since the start.
fn singular_mass_matrix(d: &Dynamics, q: &[f64]) -> Option<Cause> {
    let start = &d.model.initial.q;
    d.model.bodies.iter().find_map(|b| {
        let BodyKind::Generalised(body) = &b.kind else { return None };
        let coordinate = body.lost_inertia(&start[b.q.clone()], &q[b.q.clone()])?.to_string();
        Some(Cause::MassMatrix { body: b.name.clone(), coordinate })
    })
}

/// What keeps the steps small: a constraint that drifts, or the body whose rates change most along the motion.
pub(crate) fn fastest_element(
    problem: &mut TransientProblem,
    t: f64,
    y: &[f64],
    h: f64,
    tolerance: (f64, f64),
) -> Cause {
    let n = y.len();
    let (mut here, mut there, mut ahead) = (vec![0.0; n], vec![0.0; n], y.to_vec());
    if problem.rates(t, y, &mut here).is_err() {
        return std::mem::replace(&mut problem.cause, Cause::Nobody);
    }
    if let Some(cause) = singular_mass_matrix(&problem.dynamics, &y[..problem.dynamics.model.sizes.q]) {
        return cause;
    }
    let (phi, row) = largest_magnitude(&problem.dynamics.eq.phi);
    if phi > 1e-6 {
        return Cause::Constraint { row: problem.dynamics.model.row_name(row), residual: phi };
    }
    // Far enough for a difference to show.
    let h = h.abs().max(1e-9 * (1.0 + t.abs()));
    ahead.iter_mut().zip(&here).for_each(|(y, f)| *y += h * f);
    if problem.rates(t + h, &ahead, &mut there).is_err() {
        return std::mem::replace(&mut problem.cause, Cause::Nobody);
    }
    let (rtol, atol) = tolerance;
    let change: Vec<f64> = (0..n).map(|i| (there[i] - here[i]) / (atol + rtol * y[i].abs()).max(1e-300)).collect();
    let (model, s) = (problem.dynamics.model, problem.dynamics.model.sizes);
    let most = |x: &[f64]| largest_magnitude(x).0;
    let of =
        |b: &crate::model::BodyEntry| most(&change[b.q.clone()]).max(most(&change[s.q + b.v.start..s.q + b.v.end]));
    let fastest =
        model.bodies.iter().map(|b| (of(b), &b.name)).fold(None, |best: Option<(f64, &String)>, x| match best {
            Some(b) if b.0 >= x.0 => Some(b),
            _ => Some(x),
        });
    fastest.map_or(Cause::Nobody, |(_, name)| Cause::Body(name.clone()))
}
