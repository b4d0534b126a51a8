//! Measured quantities of a solution: declared measures, and the free or driven coordinates of joints. Angles count
//! full turns.

use crate::bodies::BodyKind;
use crate::constraints::{ConstraintKind, Hold, Joint, Turning, View};
use crate::equations::given_turn;
use crate::measures::Measure;
use crate::model::Model;
use crate::motion::{Motion, Vec3};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Acceleration of a marker: linear and angular.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acceleration {
    pub a: Vec3,
    pub alpha: Vec3,
}

#[derive(Clone, Debug)]
enum Kind {
    /// A measure on its own markers.
    Measure(Measure),
    /// Displacement of the second marker along an axis of the first.
    Slide(usize),
}

/// The origin of a measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Declared in the model.
    Declared,
    /// A free or driven coordinate of a joint.
    Joint,
}

/// A quantity measured at every output.
#[derive(Clone, Debug)]
pub(crate) struct Gauge {
    pub name: String,
    kind: Kind,
    markers: Vec<usize>,
    unit: &'static str,
    source: Source,
}

impl Gauge {
    /// The declared measures.
    pub fn measures(model: &Model) -> Vec<Gauge> {
        let one = |m: &crate::model::MeasureEntry| Gauge {
            name: m.name.clone(),
            kind: Kind::Measure(m.measure.clone()),
            markers: m.markers.clone(),
            unit: match m.measure {
                Measure::Coordinate(_) => model.coordinate_unit(m.markers[0]),
                _ => m.measure.unit(),
            },
            source: Source::Declared,
        };
        model.measures.iter().map(one).collect()
    }

    /// The free or driven coordinates of the joints.
    pub fn joints(model: &Model) -> Vec<Gauge> {
        let mut gauges = Vec::new();
        for c in &model.constraints {
            let ConstraintKind::Joint(joint) = &c.kind else { continue };
            let in_plane = c.markers.iter().all(|&m| match model.carrier(m) {
                None | Some(BodyKind::Planar(_)) => true,
                Some(_) => false,
            });
            let slides = slides(joint, in_plane);
            for &axis in &slides {
                let name = match slides.len() {
                    1 => format!("{}.slide", c.name),
                    _ => format!("{}.slide_{}", c.name, ["x", "y", "z"][axis]),
                };
                let (kind, markers) = (Kind::Slide(axis), c.markers.clone());
                gauges.push(Gauge { name, kind, markers, unit: "m", source: Source::Joint });
            }
            if turns(joint, in_plane) {
                let kind = Kind::Measure(Measure::angle(&joint.a, &joint.b));
                let (name, markers) = (format!("{}.angle", c.name), c.markers.clone());
                gauges.push(Gauge { name, kind, markers, unit: "rad", source: Source::Joint });
            }
        }
        gauges
    }

    /// Its description; `of` names the derivative.
    pub fn meaning(&self, of: &str) -> String {
        let what = match &self.kind {
            Kind::Measure(Measure::Angle { .. }) => "angle",
            Kind::Measure(Measure::Distance { .. }) => "distance",
            Kind::Measure(Measure::Coordinate(_)) => "coordinate",
            Kind::Measure(_) => "measure",
            Kind::Slide(axis) => ["displacement along x", "displacement along y", "displacement along z"][*axis],
        };
        let joint = self.name.rsplit_once('.').map(|(joint, _)| joint);
        match (self.source, joint) {
            (Source::Joint, Some(joint)) => format!("{of}{what} of joint `{joint}`"),
            _ => format!("{of}{what} measured as `{}`", self.name),
        }
    }

    /// Whether it is an angle, for which full turns are counted.
    pub fn is_angle(&self) -> bool {
        matches!(self.kind, Kind::Measure(Measure::Angle { .. }))
    }

    /// Unit of the value.
    pub fn unit(&self) -> &'static str {
        self.unit
    }

    /// Value (an angle within one turn) and rate.
    pub fn read(&self, t: f64, motions: &[Motion]) -> (f64, f64) {
        match &self.kind {
            Kind::Measure(measure) => {
                let view = View { t, motions, ids: &self.markers, z: &[] };
                let m = measure.place(&view);
                (m.s, measure.rate(&view, &m))
            }
            Kind::Slide(axis) => {
                let (A, B) = (&motions[self.markers[0]], &motions[self.markers[1]]);
                let (e, d) = (A.axis(*axis), B.p - A.p);
                (e.dot(&d), e.dot(&(B.v - A.v)) + A.w.cross(&e).dot(&d))
            }
        }
    }

    /// Acceleration s̈ = Σ D·acceleration + c.
    pub fn acceleration(&self, t: f64, motions: &[Motion], of: &[Acceleration]) -> f64 {
        match &self.kind {
            Kind::Measure(measure) => {
                let view = View { t, motions, ids: &self.markers, z: &[] };
                let m = measure.place(&view);
                let part = |k: usize| {
                    let Acceleration { a, alpha } = of[self.markers[k]];
                    m.D[k].f.dot(&a) + m.D[k].m.dot(&alpha)
                };
                (0..measure.width()).map(part).sum::<f64>() + measure.carry(&view)
            }
            Kind::Slide(axis) => {
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

/// Axes of A along which the joint slides, if it constrains at least one other axis.
fn slides(joint: &Joint, in_plane: bool) -> Vec<usize> {
    let axes = if in_plane { 2 } else { 3 };
    let held = joint.along.iter().filter(|h| **h == Hold::Held).count();
    let moves = |i: &usize| joint.along[*i] != Hold::Held;
    if held == 0 { Vec::new() } else { (0..axes).filter(moves).collect() }
}

fn turns(joint: &Joint, in_plane: bool) -> bool {
    match &joint.turning {
        Turning::Parallel => true,
        Turning::About(hold) | Turning::Locked(hold) => *hold != Hold::Held,
        Turning::Free => in_plane,
        Turning::Perpendicular | Turning::Homokinetic => false,
    }
}

/// An unwrapped angle and its rate at one time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Seen {
    s: f64,
    rate: f64,
}

/// Tracks angles from step to step, so that outputs may be more than half a turn apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Turns {
    t_old: f64,
    t: f64,
    old: Vec<Seen>,
    new: Vec<Seen>,
}

impl Turns {
    /// Starts with the number of turns given by the coordinates of the bodies, or with none.
    pub fn start(t: f64, gauges: &[Gauge], model: &Model, q: &[f64], motions: &[Motion]) -> Turns {
        let first = |g: &Gauge| {
            let (s, rate) = g.read(t, motions);
            let given = if g.is_angle() { given_turn(model, q, [g.markers[0], g.markers[1]]) } else { None };
            Seen { s: given.map_or(s, |given| nearest(s, given)), rate }
        };
        let new: Vec<Seen> = gauges.iter().map(first).collect();
        Turns { t_old: t, t, old: new.clone(), new }
    }

    /// After a step to `t`.
    pub fn advance(&mut self, t: f64, gauges: &[Gauge], motions: &[Motion]) {
        self.t_old = std::mem::replace(&mut self.t, t);
        let h = t - self.t_old;
        std::mem::swap(&mut self.old, &mut self.new);
        for ((new, old), g) in self.new.iter_mut().zip(&self.old).zip(gauges) {
            let (s, rate) = g.read(t, motions);
            let s = if g.is_angle() { nearest(s, old.s + 0.5 * h * (old.rate + rate)) } else { s };
            *new = Seen { s, rate };
        }
    }

    /// Shortens the last step to end at `t`.
    pub fn cut(&mut self, t: f64, gauges: &[Gauge], motions: &[Motion]) {
        for i in 0..self.new.len() {
            let (s, rate) = gauges[i].read(t, motions);
            let s = self.on_turn(i, t, s, &gauges[i]);
            self.new[i] = Seen { s, rate };
        }
        self.t = t;
    }

    /// The unwrapped value of quantity `i` at a time within the last step.
    pub fn on_turn(&self, i: usize, t: f64, s: f64, gauge: &Gauge) -> f64 {
        if !gauge.is_angle() {
            return s;
        }
        let (a, b, h) = (&self.old[i], &self.new[i], self.t - self.t_old);
        if h == 0.0 {
            return nearest(s, b.s + b.rate * (t - self.t));
        }
        // Cubic Hermite between the ends of the step.
        let x = (t - self.t_old) / h;
        let (x2, x3) = (x * x, x * x * x);
        let guess = a.s * (2.0 * x3 - 3.0 * x2 + 1.0)
            + b.s * (3.0 * x2 - 2.0 * x3)
            + h * (a.rate * (x3 - 2.0 * x2 + x) + b.rate * (x3 - x2));
        nearest(s, guess)
    }
}

/// s plus the number of full turns that brings it closest to a guess.
fn nearest(s: f64, guess: f64) -> f64 {
    let turns = ((guess - s) / TAU).round();
    if turns.is_finite() { s + TAU * turns } else { s }
}
