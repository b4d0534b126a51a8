//! Floquet analysis of N identical parts on an axis from one passage, a period divided by N.

use crate::analyses::linear::local_axes::{AxesChoice, attitude};
use crate::analyses::linear::state_difference::state_difference;
use crate::analyses::linear::{LinearError, RotatingFrame};
use crate::analyses::multiblade::group::Group;
use crate::analyses::periodic::flow::{Flow, Segment, left_inverse, linearised};
use crate::analyses::periodic::panels::Panels;
use crate::analyses::periodic::shooting::{displaced, least_norm, singular};
use crate::analyses::{AssemblySettings, MultibladeError, PeriodicError, PeriodicSettings, assemble};
use crate::bodies::BodyKind;
use crate::model::Model;
use crate::motion::Vec3;
use crate::state::State;
use nalgebra::{Complex, DMatrix, DVector, Quaternion, UnitQuaternion};
use std::f64::consts::TAU;
use taut_sparse::eigen;

/// Panels of the iteration, and the most of the small motions.
const PANELS: [usize; 2] = [8, 1024];
/// Relative change of the matrix at which the number of panels suffices.
const MATRIX_TOLERANCE: f64 = 1e-8;
/// Largest relative difference of accelerations between like parts.
const SYMMETRY_TOLERANCE: f64 = 1e-6;
/// The displacement at which they are compared, relative to lengths and radians.
const DISPLACEMENT: f64 = 1e-2;
/// Tolerance of one revolution per period.
const REVOLUTION_TOLERANCE: f64 = 1e-3;

/// The modes of one passage.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PassageModes {
    /// Number of parts.
    pub count: usize,
    /// The period, s.
    pub period: f64,
    /// μ of one passage, the largest first.
    pub passage_multipliers: Vec<Complex<f64>>,
    /// ρ = μᴺ.
    pub multipliers: Vec<Complex<f64>>,
    /// η = N ln μ/T, Im η between −NΩ/2 and NΩ/2.
    pub exponents: Vec<Complex<f64>>,
    /// The start of the motion.
    pub start: State,
}

/// Multipliers and exponents of a motion of identical parts, from one passage. `words` name the parts as for multiblade coordinates.
///
/// After one passage every part is where the next one was. With S, which gives part k+1 the motion of part k and turns the bodies that
/// rotate with the parts back by 2π/N in their own axes,
///
/// ```text
///  S x(t + T/N) = x(t)          the motion
///  S Φ(T/N) v = μ v             its small motions, in world axes;   ρ = μᴺ,   η = N ln μ/T
/// ```
///
/// (\[Peters1994\]). Im η is known up to multiples of N Ω. The symmetry
/// is checked: accelerations at a displaced state and at the same state after S must agree.
///
/// # Errors
/// As for periodic motions and multiblade coordinates; and if a part is not like the others.
pub fn passage_modes(
    model: &Model,
    near: &State,
    period: f64,
    settings: &PeriodicSettings,
    words: &[String],
    axis: [f64; 3],
) -> Result<PassageModes, MultibladeError> {
    if !(period.is_finite() && period > 0.0) {
        return Err(PeriodicError::Period { found: period }.into());
    }
    let mut start = assemble(model, near, &AssemblySettings::default()).map_err(PeriodicError::from)?.state;
    let frame = RotatingFrame::estimate(model, &start, axis).unwrap_or(RotatingFrame::about(axis, 0.0));
    if (frame.rate.abs() * period / TAU - 1.0).abs() > REVOLUTION_TOLERANCE {
        return Err(MultibladeError::Revolution { turns: frame.rate.abs() * period / TAU });
    }
    // In the pose of the file the parts are alike; along the motion each has its own displacement.
    let group = Group::find(model, &model.initial_state(), words, &frame)?;
    let mut flow =
        Flow::new(model, &start, &settings.tight_transient(), period, vec![AxesChoice::World; model.bodies.len()])?;
    let mut passage = Passage::new(model, &group, &frame);
    let time = period / group.count as f64;
    let mut segment = flow.segment(&start, time, Panels::new(PANELS[0]))?;
    passage.check_states(&flow)?;
    let mut iteration = 0;
    loop {
        let here = segment.start();
        let end = passage.relabelled(&segment.end().sample.state, &here.state);
        let apart = state_difference(model, &here.state, &end, &flow.states);
        let r = flow.reduce(here, &apart).ok_or_else(|| singular(here))?;
        if r.amax() <= settings.tolerance {
            break;
        }
        if iteration >= settings.iterations || !r.amax().is_finite() {
            return Err(MultibladeError::NoPassage { difference: r.amax() });
        }
        let K = passage.matrix(&flow, &segment)? - DMatrix::identity(r.len(), r.len());
        let step = least_norm(K, &-r).ok_or_else(|| singular(here))?;
        let x = flow.to_world(here, &(&here.flow.basis * step));
        let moved = displaced(model, &here.state, &x, &flow.states);
        start = assemble(model, &moved, &AssemblySettings::default()).map_err(PeriodicError::from)?.state;
        segment = flow.segment(&start, time, Panels::new(PANELS[0]))?;
        iteration += 1;
    }
    passage.check_symmetry(&flow, &segment)?;
    let F = refined(&mut flow, &passage, &start, time)?;
    let failed = |_| LinearError::NoConvergence {
        what: "the computation of the multipliers",
        left: f64::NAN,
        remedy: "check the motion with `taut periodic`",
    };
    let mut mu = eigen(F.nrows(), F.as_slice()).map_err(failed)?.values;
    mu.sort_by(|a, b| b.norm().total_cmp(&a.norm()).then(b.im.total_cmp(&a.im)));
    let count = group.count;
    Ok(PassageModes {
        count,
        period,
        multipliers: mu.iter().map(|m| m.powu(count as u32)).collect(),
        exponents: mu.iter().map(|m| m.ln() / time).collect(),
        passage_multipliers: mu,
        start,
    })
}

/// S Φ(T/N) with enough panels, extrapolated.
fn refined(flow: &mut Flow, passage: &Passage, start: &State, time: f64) -> Result<DMatrix<f64>, PeriodicError> {
    let mut panels = Panels::new(PANELS[0]);
    let mut before = passage.matrix(flow, &flow.clone().segment(start, time, panels)?)?;
    loop {
        panels = panels.halved();
        let segment = flow.segment(start, time, panels)?;
        let now = passage.matrix(flow, &segment)?;
        let change = (&now - &before).amax() / now.amax().max(1.0);
        if change <= MATRIX_TOLERANCE || panels.count() >= PANELS[1] {
            return Ok(&now + (&now - &before) / 63.0);
        }
        before = now;
    }
}

/// S: the relabelling of the parts.
struct Passage<'a> {
    model: &'a Model,
    group: &'a Group,
    /// Ω/|Ω| and 2π/N.
    axis: Vec3,
    angle: f64,
    /// Where the velocities of every body come from.
    from: Vec<usize>,
}

impl<'a> Passage<'a> {
    fn new(model: &'a Model, group: &'a Group, frame: &RotatingFrame) -> Passage<'a> {
        let mut from: Vec<usize> = (0..model.bodies.len()).collect();
        for set in &group.bodies {
            for (k, b) in set.iter().enumerate() {
                from[set[(k + 1) % group.count]] = *b;
            }
        }
        let axis = Vec3::from(frame.axis).normalize() * frame.rate.signum();
        Passage { model, group, axis, angle: TAU / group.count as f64, from }
    }

    fn in_group(&self, b: usize) -> bool {
        self.group.bodies.iter().flatten().any(|own| *own == b)
    }

    /// Extra states must belong to one part each, or to an element that does not act on the parts.
    fn check_states(&mut self, flow: &Flow) -> Result<(), MultibladeError> {
        for (i, f) in self.model.forces.iter().enumerate() {
            let active = f.z.clone().any(|z| flow.states[z]);
            let touches = f.markers.iter().filter_map(|m| self.model.markers[*m].body).any(|b| self.in_group(b));
            if active && touches && !self.group.forces.iter().flatten().any(|own| *own == i) {
                return Err(MultibladeError::SharedStates { force: f.name.clone() });
            }
        }
        Ok(())
    }

    /// S x: the state with the parts relabelled, at the time of another one; `before` shows which other bodies rotate.
    fn relabelled(&self, state: &State, before: &State) -> State {
        let mut new = State { t: before.t, ..state.clone() };
        for (b, entry) in self.model.bodies.iter().enumerate() {
            let from = &self.model.bodies[self.from[b]];
            new.q[entry.q.clone()].copy_from_slice(&state.q[from.q.clone()]);
            new.v[entry.v.clone()].copy_from_slice(&state.v[from.v.clone()]);
            if !self.in_group(b) {
                self.turn_back(b, before, &mut new);
            }
        }
        for set in &self.group.forces {
            for (k, f) in set.iter().enumerate() {
                let to = &self.model.forces[set[(k + 1) % self.group.count]].z;
                new.z[to.clone()].copy_from_slice(&state.z[self.model.forces[*f].z.clone()]);
            }
        }
        new
    }

    /// Turns a body that has rotated with the parts back in its own axes.
    fn turn_back(&self, b: usize, before: &State, new: &mut State) {
        let entry = &self.model.bodies[b];
        if !matches!(
            entry.kind,
            BodyKind::Rigid(_) | BodyKind::EulerAngles(_) | BodyKind::EulerParameters(_) | BodyKind::Rodrigues(_)
        ) {
            return;
        }
        let (e0, e1) = (attitude(entry, &before.q[entry.q.clone()]), attitude(entry, &new.q[entry.q.clone()]));
        let turned = (e1 * e0.inverse()).angle_to(&UnitQuaternion::from_scaled_axis(self.axis * self.angle));
        if turned > (e1 * e0.inverse()).angle() {
            return;
        }
        // The axis in the axes of the body.
        let own = e0.inverse() * self.axis;
        let back = UnitQuaternion::from_scaled_axis(-own * self.angle);
        let q = &mut new.q[entry.q.clone()];
        let times = |x: &[f64]| {
            let y = Quaternion::new(x[0], x[1], x[2], x[3]) * back.into_inner();
            [y.w, y.i, y.j, y.k]
        };
        match &entry.kind {
            BodyKind::Rodrigues(_) => {
                let reference = times(&q[6..10]);
                q[6..10].copy_from_slice(&reference);
            }
            BodyKind::EulerAngles(_) => {
                let world = (e1 * own) * -self.angle;
                let delta = [0.0, 0.0, 0.0, world.x, world.y, world.z];
                entry.kind.body().displace(q, &delta);
            }
            kind => {
                let e = times(&q[3..7]);
                q[3..7].copy_from_slice(&e);
                if matches!(kind, BodyKind::EulerParameters(_)) {
                    let rate = times(&new.v[entry.v.clone()][3..7]);
                    new.v[entry.v.clone()][3..7].copy_from_slice(&rate);
                }
            }
        }
    }

    /// S of small motions, row by row.
    fn rows(&self, flow: &Flow, X: &DMatrix<f64>) -> DMatrix<f64> {
        let n = self.model.sizes.v;
        let mut out = X.clone();
        for set in &self.group.bodies {
            for (k, b) in set.iter().enumerate() {
                let to = &self.model.bodies[set[(k + 1) % self.group.count]].v;
                for (i, j) in self.model.bodies[*b].v.clone().zip(to.clone()) {
                    for offset in [0, n] {
                        let unit = flow.scales[offset + i] / flow.scales[offset + j];
                        out.row_mut(offset + j).copy_from(&(X.row(offset + i) * unit));
                    }
                }
            }
        }
        let mut place = vec![None; self.model.sizes.z];
        let chosen = (0..self.model.sizes.z).filter(|z| flow.states[*z]);
        chosen.enumerate().for_each(|(k, z)| place[z] = Some(2 * n + k));
        for set in &self.group.forces {
            for (k, f) in set.iter().enumerate() {
                let to = self.model.forces[set[(k + 1) % self.group.count]].z.clone();
                for (i, j) in self.model.forces[*f].z.clone().zip(to) {
                    if let (Some(i), Some(j)) = (place[i], place[j]) {
                        out.row_mut(j).copy_from(&X.row(i));
                    }
                }
            }
        }
        out
    }

    /// S Φ in reduced coordinates of the start.
    fn matrix(&self, flow: &Flow, segment: &Segment) -> Result<DMatrix<f64>, PeriodicError> {
        let here = segment.start();
        let L = left_inverse(&here.flow.basis).ok_or_else(|| singular(here))?;
        Ok(L * self.rows(flow, &segment.end().X))
    }

    /// Accelerations at a displaced state after one passage, and at the same state relabelled at the start.
    fn check_symmetry(&self, flow: &Flow, segment: &Segment) -> Result<(), MultibladeError> {
        let (n, end) = (self.model.sizes.v, &segment.end().sample);
        let d = end.flow.basis.ncols();
        let test = DVector::from_fn(d, |i, _| DISPLACEMENT * ((i as f64 + 1.0) * 1.618_033_989).sin());
        let x = flow.to_world(end, &(&end.flow.basis * test));
        let moved = displaced(self.model, &end.state, &x, &flow.states);
        let later = assemble(self.model, &moved, &AssemblySettings::default()).map_err(PeriodicError::from)?.state;
        let earlier = self.relabelled(&later, &segment.start().state);
        let [a, b] = [&later, &earlier].map(|s| linearised(self.model, s).map(|lin| lin.vdot));
        let (a, b) = (a?, b?);
        let column = DMatrix::from_fn(2 * n, 1, |i, _| if i < n { a[i] } else { 0.0 });
        let mut expected = column.clone();
        for (to, from) in self.from.iter().enumerate() {
            let (to, from) = (&self.model.bodies[to].v, &self.model.bodies[*from].v);
            to.clone().zip(from.clone()).for_each(|(j, i)| expected[(j, 0)] = column[(i, 0)]);
        }
        let size = (0..n).fold(0.0_f64, |m, i| m.max(b[i].abs() / flow.scales[i]));
        // A part is named before the other bodies, which its loads move too.
        let mut worst: Option<(bool, f64, &str)> = None;
        for (k, entry) in self.model.bodies.iter().enumerate() {
            // Rates of parameters have turned with the body.
            let count = if matches!(entry.kind, BodyKind::EulerParameters(_)) { 3 } else { entry.v.len() };
            let apart = |i: usize| (b[i] - expected[(i, 0)]).abs() / flow.scales[i];
            let off = entry.v.clone().take(count).fold(0.0_f64, |m, i| m.max(apart(i)));
            let found = (self.in_group(k), off, entry.name.as_str());
            if off > SYMMETRY_TOLERANCE * size && worst.is_none_or(|w| (w.0, w.1) < (found.0, found.1)) {
                worst = Some(found);
            }
        }
        if let Some((_, off, name)) = worst {
            return Err(MultibladeError::Asymmetric { name: name.to_string(), fraction: off / size });
        }
        Ok(())
    }
}
