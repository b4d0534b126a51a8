//! Inputs: forces on markers, the signals of applied forces, motors and actuators, the signals of drivers.

use super::{LinearError, Linearised};
use crate::common::spelling::did_you_mean;
use crate::constraints::{ConstraintKind, ElementInput, Joint, Prescription, RotationMask, RowLevel, RowTerms};
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, is_frame};
use crate::forces::{ForceAxes, ForceKind};
use crate::model::Model;
use crate::motion::{Vec3, Wrench};
use crate::signals::Signal;

/// Components of a force and moment.
const COMPONENTS: [&str; 6] = ["fx", "fy", "fz", "mx", "my", "mz"];
/// Axes along and about which a joint can be driven.
const AXES: [&str; 4] = ["x", "y", "z", "angle"];

/// Effect of one unit of an input on the equations.
///
/// ```text
///  hub.tip.fx … hub.tip.mz     force or moment at a frame, world axes
///  push.fx … push.mz, .effort  component of an applied force
///  motor.command  spring.drive command of a motor, drive of an actuator
///  crank  joint.x … .angle     signal of a driver or a driven joint, at the level at which it is given
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinearInput {
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
enum InputChannel {
    Marker(usize, usize),
    Force(usize, usize),
    Driver(usize, usize),
}

/// All inputs of a model, those of markers last.
fn channels(model: &Model) -> Vec<(String, InputChannel)> {
    let mut all = Vec::new();
    for (i, f) in model.forces.iter().enumerate() {
        match &f.kind {
            ForceKind::Applied(a) if a.axes == ForceAxes::Coordinate => {
                all.push((format!("{}.effort", f.name), InputChannel::Force(i, 0)));
            }
            ForceKind::Applied(_) => {
                all.extend((0..6).map(|k| (format!("{}.{}", f.name, COMPONENTS[k]), InputChannel::Force(i, k))));
            }
            ForceKind::Motor(_) => all.push((format!("{}.command", f.name), InputChannel::Force(i, 0))),
            ForceKind::Spring(_) => all.push((format!("{}.drive", f.name), InputChannel::Force(i, 0))),
            _ => {}
        }
    }
    for (i, c) in model.constraints.iter().enumerate() {
        match &c.kind {
            ConstraintKind::Relation(r) if r.follows.signal().is_some() => {
                all.push((c.name.clone(), InputChannel::Driver(i, 0)));
            }
            ConstraintKind::Joint(joint) => {
                let driven = |k: &usize| driven_hold(joint, *k).is_some_and(|h| h.signal().is_some());
                all.extend(
                    (0..4).filter(driven).map(|k| (format!("{}.{}", c.name, AXES[k]), InputChannel::Driver(i, k))),
                );
            }
            _ => {}
        }
    }
    for (i, m) in model.markers.iter().enumerate().filter(|(i, m)| m.body.is_some() && is_frame(model, *i)) {
        all.extend((0..6).map(|k| (format!("{}.{}", m.name, COMPONENTS[k]), InputChannel::Marker(i, k))));
    }
    all
}

/// Names of all inputs of a model.
pub fn input_names(model: &Model) -> Vec<String> {
    channels(model).into_iter().map(|(name, _)| name).collect()
}

fn driven_hold(joint: &Joint, k: usize) -> Option<&Prescription> {
    match (k, &joint.rotation) {
        (0..=2, _) => Some(&joint.translation[k]),
        (_, RotationMask::About(hold) | RotationMask::Locked(hold)) => Some(hold),
        _ => None,
    }
}

/// The same hold with its present value shifted.
fn shifted_hold(hold: &Prescription, t: f64, by: f64) -> Prescription {
    let moved = |s: &Signal| Signal::constant(s.at(t).f + by);
    match hold {
        Prescription::Position(s) => Prescription::Position(moved(s)),
        Prescription::Velocity(s) => Prescription::Velocity(moved(s)),
        Prescription::Acceleration(s) => Prescription::Acceleration(moved(s)),
        other => other.clone(),
    }
}

impl Linearised<'_> {
    /// An input by its name.
    ///
    /// # Errors
    /// If the name is unknown.
    pub fn input(&self, name: &str) -> Result<LinearInput, LinearError> {
        let all = channels(self.model);
        let Some((_, channel)) = all.iter().find(|(known, _)| known == name) else {
            let hint = did_you_mean(name, all.iter().map(|(known, _)| known.as_str()));
            return Err(LinearError::UnknownName { what: "input", name: name.to_string(), hint });
        };
        let (model, state) = (self.model, &self.state);
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        assemble_positions(model, StateView::from(state), &mut scene, &mut eq);
        let (f, rows) = (vec![0.0; self.n()], vec![0.0; model.rows.len()]);
        let mut input = LinearInput { name: name.to_string(), unit: "1", f, rows };
        match *channel {
            InputChannel::Marker(m, k) => {
                let e = Vec3::ith(k % 3, 1.0);
                scene.add_generalised_force(
                    model,
                    &state.q,
                    m,
                    &if k < 3 { Wrench::force(e) } else { Wrench::moment(e) },
                    &mut input.f,
                );
                input.unit = if k < 3 { "N" } else { "N m" };
            }
            InputChannel::Force(i, k) => {
                let entry = &model.forces[i];
                let view = ElementInput {
                    t: state.t,
                    motions: &scene.motions,
                    markers: &entry.markers,
                    z: &state.z[entry.z.clone()],
                };
                input.unit = match entry.kind {
                    ForceKind::Motor(_) => "1",
                    ForceKind::Applied(_) if k >= 3 => "N m",
                    _ => "N",
                };
                let exerted = |by: f64| {
                    let mut on = vec![Wrench::ZERO; entry.markers.len()];
                    shifted_force(&entry.kind, k, state.t, by).force().apply(&view, &mut on);
                    on
                };
                // All of these are linear in their signals except a throttle, which has a kink at zero.
                let h = 1e-4;
                for ((&m, plus), minus) in entry.markers.iter().zip(exerted(h)).zip(exerted(-h)) {
                    let mut w = plus.scaled(0.5 / h);
                    w.add_scaled(-0.5 / h, &minus);
                    scene.add_generalised_force(model, &state.q, m, &w, &mut input.f);
                }
            }
            InputChannel::Driver(i, k) => {
                let (entry, h) = (&model.constraints[i], 1e-4);
                let value = |by: f64| self.residuals(&scene, i, &shifted_constraint(&entry.kind, k, state.t, by));
                for (row, (plus, minus)) in entry.rows.clone().zip(value(h).into_iter().zip(value(-h))) {
                    input.rows[row] = -(plus - minus) / (2.0 * h);
                }
                input.unit = model.rows[entry.rows.start].unit;
            }
        }
        Ok(input)
    }

    /// φ, φ_t or c of every row of a constraint, after its level.
    fn residuals(&self, scene: &MarkerKinematics, i: usize, kind: &ConstraintKind) -> Vec<f64> {
        let (entry, state) = (&self.model.constraints[i], &self.state);
        let view =
            ElementInput { t: state.t, motions: &scene.motions, markers: &entry.markers, z: &state.z[entry.z.clone()] };
        let m = entry.rows.len();
        let (mut phi, mut phi_t, mut c) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
        let mut D = vec![Wrench::ZERO; m * entry.markers.len()];
        let mut rows = RowTerms { phi: &mut phi, D: &mut D, phi_t: &mut phi_t, c: &mut c };
        kind.constraint().position_terms(&view, &mut rows);
        kind.constraint().velocity_terms(&view, &mut rows);
        let of = |(k, row): (usize, usize)| match self.model.rows[row].level {
            RowLevel::Position => phi[k],
            RowLevel::Velocity => phi_t[k],
            RowLevel::Acceleration => c[k],
        };
        entry.rows.clone().enumerate().map(of).collect()
    }
}

/// The same force with its present signal shifted by `by`.
fn shifted_force(kind: &ForceKind, k: usize, t: f64, by: f64) -> ForceKind {
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
fn shifted_constraint(kind: &ConstraintKind, k: usize, t: f64, by: f64) -> ConstraintKind {
    let mut kind = kind.clone();
    match &mut kind {
        ConstraintKind::Relation(r) => r.follows = shifted_hold(&r.follows, t, by),
        ConstraintKind::Joint(joint) => match (k, &mut joint.rotation) {
            (0..=2, _) => joint.translation[k] = shifted_hold(&joint.translation[k], t, by),
            (_, RotationMask::About(hold) | RotationMask::Locked(hold)) => *hold = shifted_hold(hold, t, by),
            _ => {}
        },
        _ => {}
    }
    kind
}
