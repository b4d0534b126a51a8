//! Measured quantities of a solution: declared measures, and the free or driven coordinates of joints. Angles count
//! full turns.

use crate::bodies::BodyKind;
use crate::constraints::{ConstraintKind, ElementInput, JointSpace, joint_coordinates};
use crate::equations::angle_of_coordinates;
use crate::measures::Measure;
use crate::model::Model;
use crate::motion::{Motion, Vec3};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// 1 − |cos| of the angle between z of A and the normal of the plane, below which both are the same axis.
const PARALLEL_TOLERANCE: f64 = 1e-9;
/// Distance in time between the sides of a restart, s, relative to 1 + |t|.
const RESTART_GAP: f64 = 1e-9;

/// A state at which quantities are measured: coordinates, and the motions of the markers there.
#[derive(Clone, Copy)]
pub(crate) struct MeasureInput<'a> {
    pub model: &'a Model,
    pub q: &'a [f64],
    pub motions: &'a [Motion],
}

/// Acceleration of a marker: linear and angular.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkerAcceleration {
    pub a: Vec3,
    pub alpha: Vec3,
}

#[derive(Clone, Debug)]
enum OutputMeasureKind {
    /// A measure on its own markers.
    Measure(Measure),
    /// Displacement of the second marker along an axis of the first.
    Slide(usize),
}

/// The origin of a measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputMeasureSource {
    /// Declared in the model.
    Declared,
    /// A free or driven coordinate of a joint.
    Joint,
}

/// A quantity measured at every output.
#[derive(Clone, Debug)]
pub(crate) struct OutputMeasure {
    pub name: String,
    kind: OutputMeasureKind,
    markers: Vec<usize>,
    unit: &'static str,
    source: OutputMeasureSource,
}

impl OutputMeasure {
    /// The declared measures.
    pub fn declared_measures(model: &Model) -> Vec<OutputMeasure> {
        let one = |m: &crate::model::MeasureEntry| OutputMeasure {
            name: m.name.clone(),
            kind: OutputMeasureKind::Measure(m.measure.clone()),
            markers: m.markers.clone(),
            unit: match m.measure {
                Measure::Coordinate(_) => model.coordinate_unit(m.markers[0]),
                _ => m.measure.unit(),
            },
            source: OutputMeasureSource::Declared,
        };
        model.measures.iter().map(one).collect()
    }

    /// The free or driven coordinates of the joints.
    pub fn joint_measures(model: &Model) -> Vec<OutputMeasure> {
        let mut measures = Vec::new();
        for c in &model.constraints {
            let ConstraintKind::Joint(joint) = &c.kind else { continue };
            let in_plane = c.markers.iter().all(|&m| match model.body_of_marker(m) {
                None | Some(BodyKind::Planar(_)) => true,
                Some(_) => false,
            });
            let space = if in_plane { JointSpace::Plane } else { JointSpace::Space };
            for (part, measure) in joint_coordinates(joint, space) {
                let (name, unit, markers) = (format!("{}.{part}", c.name), measure.unit(), c.markers.clone());
                let kind = match measure {
                    Measure::Slide { axis, .. } => OutputMeasureKind::Slide(axis.index()),
                    other => OutputMeasureKind::Measure(other),
                };
                measures.push(OutputMeasure { name, kind, markers, unit, source: OutputMeasureSource::Joint });
            }
        }
        measures
    }

    /// Its description; `of` names the derivative.
    pub fn meaning(&self, of: &str) -> String {
        let what = match &self.kind {
            OutputMeasureKind::Measure(Measure::Angle { .. }) => "angle",
            OutputMeasureKind::Measure(Measure::Distance { .. }) => "distance",
            OutputMeasureKind::Measure(Measure::Coordinate(_)) => "coordinate",
            OutputMeasureKind::Measure(_) => "measure",
            OutputMeasureKind::Slide(axis) => {
                ["displacement along x", "displacement along y", "displacement along z"][*axis]
            }
        };
        let joint = self.name.rsplit_once('.').map(|(joint, _)| joint);
        match (self.source, joint) {
            (OutputMeasureSource::Joint, Some(joint)) => format!("{of}{what} of joint `{joint}`"),
            _ => format!("{of}{what} measured as `{}`", self.name),
        }
    }

    /// Whether it is an angle, for which full turns are counted.
    pub fn is_angle(&self) -> bool {
        matches!(self.kind, OutputMeasureKind::Measure(Measure::Angle { .. }))
    }

    /// Unit of the value.
    pub fn unit(&self) -> &'static str {
        self.unit
    }

    /// Value (an angle within one turn) and rate.
    pub fn value_and_rate(&self, t: f64, motions: &[Motion]) -> (f64, f64) {
        match &self.kind {
            OutputMeasureKind::Measure(measure) => {
                let view = ElementInput { t, motions, markers: &self.markers, z: &[] };
                let m = measure.position_terms(&view);
                (m.s, measure.rate(&view, &m))
            }
            OutputMeasureKind::Slide(axis) => {
                let (A, B) = (&motions[self.markers[0]], &motions[self.markers[1]]);
                let (e, d) = (A.axis(*axis), B.p - A.p);
                (e.dot(&d), e.dot(&(B.v - A.v)) + A.w.cross(&e).dot(&d))
            }
        }
    }

    /// The angle, including full turns, as the coordinates of planar bodies give it, up to a constant. None for other bodies and
    /// quantities.
    fn coordinate_angle(&self, at: MeasureInput) -> Option<f64> {
        if !self.is_angle() {
            return None;
        }
        let pair = [self.markers[0], self.markers[1]];
        let angle = angle_of_coordinates(at.model, at.q, pair)?;
        let z = at.motions[pair[0]].axis(2).z;
        (z.abs() > 1.0 - PARALLEL_TOLERANCE).then_some(angle * z.signum())
    }

    /// Acceleration s̈ = Σ D·acceleration + c.
    pub fn acceleration(&self, t: f64, motions: &[Motion], of: &[MarkerAcceleration]) -> f64 {
        match &self.kind {
            OutputMeasureKind::Measure(measure) => {
                let view = ElementInput { t, motions, markers: &self.markers, z: &[] };
                let m = measure.position_terms(&view);
                let part = |k: usize| {
                    let MarkerAcceleration { a, alpha } = of[self.markers[k]];
                    m.D[k].f.dot(&a) + m.D[k].m.dot(&alpha)
                };
                (0..measure.marker_count()).map(part).sum::<f64>() + measure.convective_term(&view)
            }
            OutputMeasureKind::Slide(axis) => {
                let (a, b) = (self.markers[0], self.markers[1]);
                let (A, B) = (&motions[a], &motions[b]);
                let (e, d) = (A.axis(*axis), B.p - A.p);
                let de = A.w.cross(&e);
                // As for the rows of a joint along an axis.
                e.dot(&(of[b].a - of[a].a))
                    + of[a].alpha.dot(&e.cross(&d))
                    + 2.0 * de.dot(&(B.v - A.v))
                    + A.w.dot(&de.cross(&d))
            }
        }
    }
}

/// An unwrapped angle and its rate at one time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct AngleSample {
    s: f64,
    rate: f64,
    /// [`OutputMeasure::coordinate_angle`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    coordinate_angle: Option<f64>,
}

impl AngleSample {
    /// Predicts the angle at another state from the coordinates there.
    fn predict(&self, coordinate_angle: Option<f64>) -> Option<f64> {
        Some(self.s + (coordinate_angle? - self.coordinate_angle?))
    }
}

/// Tracks angles from step to step, so that outputs may be more than half a turn apart. The coordinates of planar bodies include
/// full turns; other angles are predicted with their rates at the ends of the steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AngleTracker {
    t_previous: f64,
    t: f64,
    previous: Vec<AngleSample>,
    current: Vec<AngleSample>,
}

impl AngleTracker {
    /// Starts with the number of turns given by the coordinates of the bodies, or with none.
    pub fn start(t: f64, measures: &[OutputMeasure], at: MeasureInput) -> AngleTracker {
        let first = |m: &OutputMeasure| {
            let (s, rate) = m.value_and_rate(t, at.motions);
            let given =
                m.is_angle().then(|| angle_of_coordinates(at.model, at.q, [m.markers[0], m.markers[1]])).flatten();
            let s = given.map_or(s, |given| nearest_turn(s, given));
            AngleSample { s, rate, coordinate_angle: m.coordinate_angle(at) }
        };
        let new: Vec<AngleSample> = measures.iter().map(first).collect();
        AngleTracker { t_previous: t, t, previous: new.clone(), current: new }
    }

    /// Before a step that begins at `t`. A last step that ended later was discarded: the tracker returns to its start.
    pub fn begin_step(&mut self, t: f64) {
        if t < self.t {
            self.t = self.t_previous;
            self.current.copy_from_slice(&self.previous);
        }
    }

    /// After a step to `t`.
    pub fn advance(&mut self, t: f64, measures: &[OutputMeasure], at: MeasureInput) {
        self.t_previous = std::mem::replace(&mut self.t, t);
        let h = t - self.t_previous;
        std::mem::swap(&mut self.previous, &mut self.current);
        for ((new, old), m) in self.current.iter_mut().zip(&self.previous).zip(measures) {
            let ((s, rate), coordinate_angle) = (m.value_and_rate(t, at.motions), m.coordinate_angle(at));
            let guess = || old.predict(coordinate_angle).unwrap_or(old.s + 0.5 * h * (old.rate + rate));
            let s = if m.is_angle() { nearest_turn(s, guess()) } else { s };
            *new = AngleSample { s, rate, coordinate_angle };
        }
    }

    /// Shortens the last step to end at `t`.
    pub fn truncate_step(&mut self, t: f64, measures: &[OutputMeasure], at: MeasureInput) {
        for (i, m) in measures.iter().enumerate() {
            let (s, rate) = m.value_and_rate(t, at.motions);
            let s = self.unwrap_angle(i, t, s, m, at);
            self.current[i] = AngleSample { s, rate, coordinate_angle: m.coordinate_angle(at) };
        }
        self.t = t;
    }

    /// Whether `t` lies within the last step, for which full turns are tracked.
    pub fn covers(&self, t: f64) -> bool {
        let gap = RESTART_GAP * (1.0 + t.abs());
        t >= self.t_previous - gap && t <= self.t + gap
    }

    /// The unwrapped value of quantity `i` at a time within the last step.
    pub fn unwrap_angle(&self, i: usize, t: f64, s: f64, measure: &OutputMeasure, at: MeasureInput) -> f64 {
        if !measure.is_angle() {
            return s;
        }
        let (a, b, h) = (&self.previous[i], &self.current[i], self.t - self.t_previous);
        if let Some(guess) = b.predict(measure.coordinate_angle(at)) {
            return nearest_turn(s, guess);
        }
        // A cubic must not be extrapolated: just outside the step, as on the other side of a restart, the angle is linear.
        let x = (t - self.t_previous) / h;
        if h == 0.0 || x > 1.0 {
            return nearest_turn(s, b.s + b.rate * (t - self.t));
        }
        if x < 0.0 {
            return nearest_turn(s, a.s + a.rate * (t - self.t_previous));
        }
        // Cubic Hermite between the ends of the step.
        let (x2, x3) = (x * x, x * x * x);
        let guess = a.s * (2.0 * x3 - 3.0 * x2 + 1.0)
            + b.s * (3.0 * x2 - 2.0 * x3)
            + h * (a.rate * (x3 - 2.0 * x2 + x) + b.rate * (x3 - x2));
        nearest_turn(s, guess)
    }
}

/// s plus the number of full turns that brings it closest to a guess.
fn nearest_turn(s: f64, guess: f64) -> f64 {
    let turns = ((guess - s) / TAU).round();
    if turns.is_finite() { s + TAU * turns } else { s }
}
