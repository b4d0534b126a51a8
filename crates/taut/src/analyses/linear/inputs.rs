//! Inputs: forces on markers, the signals of applied forces, motors and actuators, the signals of drivers.
//!
//! ```text
//!  hub.tip.fx … hub.tip.mz     force or moment at a frame, world axes
//!  push.fx … push.mz, .effort  component of an applied force
//!  motor.command  spring.drive command of a motor, drive of an actuator
//!  crank  joint.x … .angle     signal of a driver or a driven joint, at the level at which it is given
//! ```

use super::{LinearError, Linearised};
use crate::bodies::Symmetry;
use crate::constraints::{ConstraintKind, Hold, Joint, Level, Rows, Turning, View};
use crate::equations::{At, Equations, Scene, is_frame, place};
use crate::error::did_you_mean;
use crate::forces::{AxesOf, ForceKind};
use crate::model::Model;
use crate::motion::{Vec3, Wrench};
use crate::signals::Signal;

/// Components of a force and moment.
const COMPONENTS: [&str; 6] = ["fx", "fy", "fz", "mx", "my", "mz"];
/// Axes along and about which a joint can be driven.
const AXES: [&str; 4] = ["x", "y", "z", "angle"];

/// Effect of one unit of an input on the equations.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Generalised force.
    pub f: Vec<f64>,
    /// Right-hand side of every row, at its own level.
    pub rows: Vec<f64>,
}

/// Where an input acts.
#[derive(Clone, Debug)]
enum Channel {
    Marker(usize, usize),
    Force(usize, usize),
    Driver(usize, usize),
}

/// All inputs of a model, those of markers last.
fn channels(model: &Model) -> Vec<(String, Channel)> {
    let mut all = Vec::new();
    for (i, f) in model.forces.iter().enumerate() {
        match &f.kind {
            ForceKind::Applied(a) if a.axes == AxesOf::Coordinate => {
                all.push((format!("{}.effort", f.name), Channel::Force(i, 0)));
            }
            ForceKind::Applied(_) => {
                all.extend((0..6).map(|k| (format!("{}.{}", f.name, COMPONENTS[k]), Channel::Force(i, k))));
            }
            ForceKind::Motor(_) => all.push((format!("{}.command", f.name), Channel::Force(i, 0))),
            ForceKind::Spring(_) => all.push((format!("{}.drive", f.name), Channel::Force(i, 0))),
            _ => {}
        }
    }
    for (i, c) in model.constraints.iter().enumerate() {
        match &c.kind {
            ConstraintKind::Relation(r) if r.follows.signal().is_some() => {
                all.push((c.name.clone(), Channel::Driver(i, 0)));
            }
            ConstraintKind::Joint(joint) => {
                let driven = |k: &usize| hold(joint, *k).is_some_and(|h| h.signal().is_some());
                all.extend((0..4).filter(driven).map(|k| (format!("{}.{}", c.name, AXES[k]), Channel::Driver(i, k))));
            }
            _ => {}
        }
    }
    for (i, m) in model.markers.iter().enumerate().filter(|(i, m)| m.body.is_some() && is_frame(model, *i)) {
        all.extend((0..6).map(|k| (format!("{}.{}", m.name, COMPONENTS[k]), Channel::Marker(i, k))));
    }
    all
}

/// Names of all inputs of a model.
pub fn input_names(model: &Model) -> Vec<String> {
    channels(model).into_iter().map(|(name, _)| name).collect()
}

fn hold(joint: &Joint, k: usize) -> Option<&Hold> {
    match (k, &joint.turning) {
        (0..=2, _) => Some(&joint.along[k]),
        (_, Turning::About(hold) | Turning::Locked(hold)) => Some(hold),
        _ => None,
    }
}

/// The same hold with its present value shifted.
fn shifted(hold: &Hold, t: f64, by: f64) -> Hold {
    let moved = |s: &Signal| Signal::constant(s.at(t).f + by);
    match hold {
        Hold::Position(s) => Hold::Position(moved(s)),
        Hold::Velocity(s) => Hold::Velocity(moved(s)),
        Hold::Acceleration(s) => Hold::Acceleration(moved(s)),
        other => other.clone(),
    }
}

impl Linearised<'_> {
    /// An input by its name.
    ///
    /// # Errors
    /// If the name is unknown.
    pub fn input(&self, name: &str) -> Result<Input, LinearError> {
        let all = channels(self.model);
        let Some((_, channel)) = all.iter().find(|(known, _)| known == name) else {
            let hint = did_you_mean(name, all.iter().map(|(known, _)| known.as_str()));
            return Err(LinearError::Unknown { what: "input", name: name.to_string(), hint });
        };
        let (model, state) = (self.model, &self.state);
        let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
        place(model, At::from(state), &mut scene, &mut eq);
        let (f, rows) = (vec![0.0; self.n()], vec![0.0; model.rows.len()]);
        let mut input = Input { name: name.to_string(), unit: "1", f, rows };
        match *channel {
            Channel::Marker(m, k) => {
                let e = Vec3::ith(k % 3, 1.0);
                self.pull(&scene, m, &if k < 3 { Wrench::force(e) } else { Wrench::moment(e) }, &mut input.f);
                input.unit = if k < 3 { "N" } else { "N m" };
            }
            Channel::Force(i, k) => {
                let entry = &model.forces[i];
                let view =
                    View { t: state.t, motions: &scene.motions, ids: &entry.markers, z: &state.z[entry.z.clone()] };
                input.unit = match entry.kind {
                    ForceKind::Motor(_) => "1",
                    ForceKind::Applied(_) if k >= 3 => "N m",
                    _ => "N",
                };
                let exerted = |by: f64| {
                    let mut on = vec![Wrench::ZERO; entry.markers.len()];
                    driven(&entry.kind, k, state.t, by).force().apply(&view, &mut on);
                    on
                };
                // All of these are linear in their signals except a throttle, which has a kink at zero.
                let h = 1e-4;
                for ((&m, plus), minus) in entry.markers.iter().zip(exerted(h)).zip(exerted(-h)) {
                    let mut w = plus.scaled(0.5 / h);
                    w.add(-0.5 / h, &minus);
                    self.pull(&scene, m, &w, &mut input.f);
                }
            }
            Channel::Driver(i, k) => {
                let (entry, h) = (&model.constraints[i], 1e-4);
                let value = |by: f64| self.residuals(&scene, i, &followed(&entry.kind, k, state.t, by));
                for (row, (plus, minus)) in entry.rows.clone().zip(value(h).into_iter().zip(value(-h))) {
                    input.rows[row] = -(plus - minus) / (2.0 * h);
                }
                input.unit = model.rows[entry.rows.start].unit;
            }
        }
        Ok(input)
    }

    /// φ, φ_t or c of every row of a constraint, after its level.
    fn residuals(&self, scene: &Scene, i: usize, kind: &ConstraintKind) -> Vec<f64> {
        let (entry, state) = (&self.model.constraints[i], &self.state);
        let view = View { t: state.t, motions: &scene.motions, ids: &entry.markers, z: &state.z[entry.z.clone()] };
        let m = entry.rows.len();
        let (mut phi, mut phi_t, mut c) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
        let mut D = vec![Wrench::ZERO; m * entry.markers.len()];
        let mut rows = Rows { phi: &mut phi, D: &mut D, phi_t: &mut phi_t, c: &mut c };
        kind.constraint().place(&view, &mut rows);
        kind.constraint().carry(&view, &mut rows);
        let of = |(k, row): (usize, usize)| match self.model.rows[row].level {
            Level::Position => phi[k],
            Level::Velocity => phi_t[k],
            Level::Acceleration => c[k],
        };
        entry.rows.clone().enumerate().map(of).collect()
    }

    /// f += Jᵀ w of a marker.
    fn pull(&self, scene: &Scene, marker: usize, w: &Wrench, f: &mut [f64]) {
        let Some(b) = self.model.markers[marker].body.map(|b| &self.model.bodies[b]) else { return };
        let (q, body) = (&self.state.q[b.q.clone()], b.kind.body());
        let mut on_v = vec![0.0; b.v.len()];
        let (own, seen) = (&scene.motions[b.markers.start], &scene.motions[marker]);
        body.pull(q, own, &self.model.markers[marker].place, seen, w, &mut on_v);
        if body.symmetry() == Symmetry::NonSymmetric {
            body.react(q, &mut on_v);
        }
        f[b.v.clone()].iter_mut().zip(&on_v).for_each(|(f, x)| *f += x);
    }
}

/// The same force with its present signal shifted by `by`.
fn driven(kind: &ForceKind, k: usize, t: f64, by: f64) -> ForceKind {
    let moved = |s: &Signal| Signal::constant(s.at(t).f + by);
    let mut kind = kind.clone();
    match &mut kind {
        ForceKind::Applied(a) if k < 3 => a.force[k] = moved(&a.force[k]),
        ForceKind::Applied(a) => a.torque[k - 3] = moved(&a.torque[k - 3]),
        ForceKind::Motor(m) => m.command = moved(&m.command),
        ForceKind::Spring(s) => s.drive = Some(moved(&s.drive.clone().unwrap_or_default())),
        _ => {}
    }
    kind
}

/// The same constraint with its present signal shifted by `by`.
fn followed(kind: &ConstraintKind, k: usize, t: f64, by: f64) -> ConstraintKind {
    let mut kind = kind.clone();
    match &mut kind {
        ConstraintKind::Relation(r) => r.follows = shifted(&r.follows, t, by),
        ConstraintKind::Joint(joint) => match (k, &mut joint.turning) {
            (0..=2, _) => joint.along[k] = shifted(&joint.along[k], t, by),
            (_, Turning::About(hold) | Turning::Locked(hold)) => *hold = shifted(hold, t, by),
            _ => {}
        },
        _ => {}
    }
    kind
}
