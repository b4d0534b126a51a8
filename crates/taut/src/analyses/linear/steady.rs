//! Equilibrium, at rest or turning as a whole: Newton's method with T(0).
//!
//! In the frame that turns with Ω nothing moves: v and v̇ follow from the pose, v = Ω × (p − p₀), ω = Ω, v̇ = Q v. What is left
//! of the equations of motion and of the rows is taken away by
//!
//! ```text
//!  T(0) (ξ, dλ, z) = (−r, −φ, ż)
//! ```
//!
//! and where that leads too far, by T(σ).

use super::pencil::Pencil;
use super::{LinearError, Turning, about, frame};
use crate::analyses::check_state;
use crate::bodies::BodyKind;
use crate::constraints::Level;
use crate::dynamics::{Choice, Dynamics};
use crate::equations::{At, Equations, Scene, carry, place};
use crate::model::Model;
use crate::motion::Vec3;
use crate::state::State;

/// Most iterations.
const ITERATIONS: usize = 100;
/// Longest displacement of one iteration, relative to the size of the mechanism; rad for turns.
const STRIDE: f64 = 0.3;
/// Most shifts that are tried to keep to it, each in the square ten times the one before.
const TRIES: i32 = 24;
/// Displacement of the last iteration, relative likewise.
const REST: f64 = 1e-11;

/// The state in which all bodies are at rest, in the world or in a frame that turns, near a state.
///
/// # Errors
/// A state of the wrong size, nothing that holds a motion, no convergence.
pub fn steady(model: &Model, near: &State, turning: Option<Turning>) -> Result<State, LinearError> {
    check_state(model, near)?;
    let mut state = near.clone();
    carried_along(model, &mut state, turning)?;
    let mut dynamics = Dynamics::at(model, &state, &Choice::default());
    dynamics.accelerate(state.t, &state.q, &state.v, &state.z)?;
    let mut lambda = dynamics.lambda.clone();
    let size = model.bodies.iter().map(|b| frame::motion(b, &state).p.norm()).fold(1e-3, f64::max);
    let mut left = f64::INFINITY;
    let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
    for _ in 0..ITERATIONS {
        let vdot = carried_along(model, &mut state, turning)?;
        let lin = about(model, &state, &vdot, &lambda, turning)?;
        place(model, At::from(&state), &mut scene, &mut eq);
        carry(model, At::from(&state), &mut scene, &mut eq);
        let places = lin.places();
        let mut u = vec![0.0; places.z.end];
        eq.mass_times(&vdot, &mut u[places.xi.clone()]);
        let mut held = vec![0.0; model.sizes.v];
        let minus: Vec<f64> = lambda.iter().map(|l| -l).collect();
        held.iter_mut().zip(transposed(&lin, &minus)).for_each(|(h, x)| *h += x);
        for i in places.xi.clone() {
            // −r = f + Bᵀλ − M v̇
            u[i] = eq.f[i] - held[i] - u[i];
        }
        let scale = u[places.xi.clone()]
            .iter()
            .zip(&held)
            .zip(&eq.f)
            .fold(0.0_f64, |a, ((_, h), f)| a.max(h.abs()).max(f.abs()));
        let forces = u[places.xi.clone()].iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        for (row, used) in lin.rows.iter().enumerate().filter(|(_, used)| used.any()) {
            u[places.lambda.start + row] = match model.rows[row].level {
                _ if used.position() => -eq.phi[row],
                Level::Velocity => -eq.phidot[row],
                _ => 0.0,
            };
        }
        for z in (0..model.sizes.z).filter(|z| lin.states[*z] == super::Alive::Yes) {
            u[places.z.start + z] = eq.zdot[z];
        }
        let mut pencil: Pencil<f64> = Pencil::new(&lin)?;
        let load = u.clone();
        let mut tried = 0;
        // Far away the stiffness is another one, or none at all: T(σ) with its σ²M keeps strides short, and leads downhill.
        let far = loop {
            let sigma = if tried == 0 { 0.0 } else { 10_f64.powf(0.5 * (f64::from(tried) - 4.0)) };
            u.copy_from_slice(&load);
            let solved = pencil.factor(sigma, || "rest".to_string()).and_then(|()| pencil.solve(&mut u));
            let far = u[places.xi.clone()].iter().zip(&lin.tangent.pattern.measured).fold(0.0_f64, |a, (x, m)| {
                a.max(x.abs() / if *m == crate::bodies::Measured::Length { size } else { 1.0 })
            });
            if solved.is_ok() && far <= STRIDE {
                break far;
            }
            tried += 1;
            if tried > TRIES {
                solved?;
                let why = "nothing holds a motion against the load; add a spring or a constraint";
                return Err(LinearError::Singular { at: "rest".to_string(), why });
            }
        };
        for b in &model.bodies {
            let delta: Vec<f64> = u[b.v.clone()].to_vec();
            b.kind.body().displace(&mut state.q[b.q.clone()], &delta);
        }
        lambda.iter_mut().zip(&u[places.lambda.clone()]).for_each(|(l, d)| *l += d);
        state.z.iter_mut().zip(&u[places.z.clone()]).for_each(|(z, d)| *z += d);
        left = if scale > 0.0 { forces / scale } else { 0.0 };
        if tried == 0 && far < REST {
            carried_along(model, &mut state, turning)?;
            return Ok(state);
        }
    }
    Err(LinearError::NoConvergence { what: "the search for a steady state", left, remedy: "start nearer to it" })
}

/// Bᵀ of multipliers.
fn transposed(lin: &super::Linearised, lambda: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; lin.n()];
    for c in &lin.model.constraints {
        for block in &c.blocks {
            let out = &mut out[lin.model.bodies[block.body].v.clone()];
            for (r, l) in lambda[c.rows.clone()].iter().enumerate() {
                let B = &lin.reactions()[block.start + r * out.len()..block.start + (r + 1) * out.len()];
                out.iter_mut().zip(B).for_each(|(out, b)| *out += b * l);
            }
        }
    }
    out
}

/// Gives all bodies the velocities of the turning frame, and tells their accelerations.
fn carried_along(model: &Model, state: &mut State, turning: Option<Turning>) -> Result<Vec<f64>, LinearError> {
    state.v.fill(0.0);
    let Some(turning) = turning else { return Ok(vec![0.0; model.sizes.v]) };
    let omega = turning.omega()?;
    for b in &model.bodies {
        let p = frame::motion(b, state).p - Vec3::from(turning.through);
        let along = omega.cross(&p);
        let v = &mut state.v[b.v.clone()];
        match &b.kind {
            BodyKind::PointMass(_) => v.copy_from_slice(along.as_slice()),
            BodyKind::Planar(_) => v.copy_from_slice(&[along.x, along.y, omega.z]),
            BodyKind::EulerParameters(_) => {
                v[..3].copy_from_slice(along.as_slice());
                let e = &state.q[b.q.start + 3..b.q.start + 7];
                let rate = frame::left(&omega) * nalgebra::Vector4::from_column_slice(e);
                v[3..].copy_from_slice(rate.as_slice());
            }
            BodyKind::Rigid(_) | BodyKind::EulerAngles(_) => {
                v[..3].copy_from_slice(along.as_slice());
                v[3..].copy_from_slice(omega.as_slice());
            }
            _ => {}
        }
    }
    let carried = frame::carried(model, state, Some(turning))?;
    let mut vdot = vec![0.0; model.sizes.v];
    for (b, c) in model.bodies.iter().zip(&carried) {
        if let frame::Carried::Along { Q, .. } = c {
            let v = nalgebra::DVectorView::from_slice(&state.v[b.v.clone()], b.v.len());
            vdot[b.v.clone()].copy_from_slice((Q * v).as_slice());
        }
    }
    Ok(vdot)
}
