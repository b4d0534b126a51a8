//! The part of one force in the balance of a body without mass, over any scalar.

use super::force_balance::BalanceAxis;
use super::user::{FunctionInput, MarkerDual, UserFunction};
use super::{ExtraStates, MarkerKind};
use crate::error::ParameterError;
use crate::forces::{Applied, Force, ForceAxes, ForceKind, Spring};
use crate::kinematics::UserPlace as MarkerPose;
use crate::measures::Measure;
use crate::scalar::{Jet, Scalar, cross, dot, norm, scale, sub};
use crate::signals::Signal;
use std::f64::consts::TAU;

/// Forces with breaks up to this time are refused, s.
const SEARCHED_TIME: f64 = 1e5;

/// What a coordinate of a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoordinateAxis {
    /// A position along an axis of the world.
    Along(usize),
    /// The rotation about z.
    AboutZ,
}

/// A force with smooth derivatives, and which of its markers lie on the body.
#[derive(Clone, Debug)]
pub(crate) struct BalancedLoad {
    kind: LoadKind,
    on_body: Vec<bool>,
    coordinate: Option<CoordinateAxis>,
}

#[derive(Clone, Debug)]
enum LoadKind {
    Spring(Spring),
    Applied(Applied),
}

/// A wrench at a point.
struct PointLoad<S> {
    at: [S; 3],
    f: [S; 3],
    m: [S; 3],
}

impl BalancedLoad {
    /// The part of a force on a body; `on_body` says which of its markers lie there, `coordinate` what its marker is if it is a
    /// coordinate. An error says why the force cannot be balanced.
    pub(crate) fn new(
        force: &ForceKind,
        on_body: Vec<bool>,
        coordinate: Option<CoordinateAxis>,
    ) -> Result<BalancedLoad, &'static str> {
        let kind = match force {
            ForceKind::Spring(spring) if spring.law.as_ref().is_some_and(|law| law.is_custom()) => {
                return Err("its law is a function written in code");
            }
            ForceKind::Spring(spring) => LoadKind::Spring(spring.clone()),
            ForceKind::Applied(applied) => LoadKind::Applied(applied.clone()),
            _ => return Err("only springs, dampers and applied forces can be balanced"),
        };
        let any = force.force();
        if any.guard_count() > 0 {
            return Err("its law has corners or switches");
        }
        let mut list = crate::breaks::BreakList::default();
        any.breaks(-SEARCHED_TIME, SEARCHED_TIME, &mut list);
        if list.is_incomplete() || !list.breaks().is_empty() {
            return Err("it is not smooth over time");
        }
        Ok(BalancedLoad { kind, on_body, coordinate })
    }

    /// Whether it depends on velocities.
    pub(crate) fn is_damped(&self) -> bool {
        match &self.kind {
            LoadKind::Spring(spring) => spring.law.as_ref().is_some_and(|law| law.depends_on_rate()),
            LoadKind::Applied(_) => false,
        }
    }

    /// Names and kinds of its own markers.
    pub(super) fn markers(&self) -> Vec<(String, MarkerKind)> {
        let force: &dyn Force = match &self.kind {
            LoadKind::Spring(spring) => spring,
            LoadKind::Applied(applied) => applied,
        };
        force.markers().iter().map(|m| (m.name.to_string(), m.kind)).collect()
    }

    /// The number of full turns of an angle is its only extra state.
    pub(super) fn counter(&self) -> Option<&dyn ExtraStates> {
        match &self.kind {
            LoadKind::Spring(spring) if spring.state_count() > 0 => Some(spring),
            _ => None,
        }
    }

    /// Its wrenches on the body. `at` has its own markers first; `frame` is the body.
    fn wrenches<S: Scalar>(&self, of: &FunctionInput<S>, frame: &MarkerPose<S>) -> [Option<PointLoad<S>>; 2] {
        match &self.kind {
            LoadKind::Spring(spring) => self.of_spring(spring, of, frame),
            LoadKind::Applied(applied) => self.of_applied(applied, of, frame),
        }
    }

    fn of_spring<S: Scalar>(
        &self,
        spring: &Spring,
        of: &FunctionInput<S>,
        frame: &MarkerPose<S>,
    ) -> [Option<PointLoad<S>>; 2] {
        let second = usize::from(self.on_body.len() > 1);
        let (a, b) = (&of.at[0], &of.at[second]);
        let mut s = spring.along.generic_value(a, b);
        if let Some(turn) = of.z.first() {
            s = s + ((turn - s.value()) / TAU).round() * TAU;
        }
        let rate = match self.is_damped() {
            true => spring.along.generic_rate([a, b], [&of.moving[0], &of.moving[second]]),
            false => S::zero(),
        };
        let law = spring.law.as_ref().and_then(|law| law.generic_force(s, rate, of.t)).unwrap_or(S::zero());
        let F = law + spring.drive.as_ref().map_or(S::zero(), |drive| over_time(drive, of.t));
        let zero = [S::zero(); 3];
        let (f, m) = match &spring.along {
            Measure::Coordinate(_) => return [self.along_coordinate(F, frame), None],
            Measure::Distance { .. } => {
                let d = sub(b.p, a.p);
                (scale(d, F / norm(d)), zero)
            }
            Measure::Slide { axis, .. } => (scale(a.axis(axis.index()), F), zero),
            Measure::Angle { .. } => {
                let x = b.axis(0);
                let (s, c) = (dot(x, a.axis(1)), dot(x, a.axis(0)));
                let n = sub(scale(cross(x, a.axis(1)), c), scale(cross(x, a.axis(0)), s));
                (zero, scale(n, F / (s * s + c * c)))
            }
            Measure::Elevation { .. } => {
                let n = cross(b.axis(0), a.axis(2));
                (zero, scale(n, F / norm(n)))
            }
        };
        // All of them act at B; the reaction on A acts there too.
        let load = |sign: f64| PointLoad { at: b.p, f: f.map(|x| x * sign), m: m.map(|x| x * sign) };
        [self.on_body[0].then(|| load(-1.0)), self.on_body[1].then(|| load(1.0))]
    }

    fn of_applied<S: Scalar>(
        &self,
        applied: &Applied,
        of: &FunctionInput<S>,
        frame: &MarkerPose<S>,
    ) -> [Option<PointLoad<S>>; 2] {
        let values = |signals: &[Signal; 3]| [0, 1, 2].map(|i| over_time(&signals[i], of.t));
        let (mut f, mut m) = (values(&applied.force), values(&applied.torque));
        match applied.axes {
            ForceAxes::Coordinate => return [self.along_coordinate(f[0], frame), None],
            ForceAxes::World => {}
            ForceAxes::Marker => {
                let turned = |v: [S; 3]| [0, 1, 2].map(|i| dot(of.at[0].R[i], v));
                (f, m) = (turned(f), turned(m));
            }
        }
        let load = |sign: f64| PointLoad { at: of.at[0].p, f: f.map(|x| x * sign), m: m.map(|x| x * sign) };
        let against = self.on_body.get(1).is_some_and(|on| *on);
        [self.on_body[0].then(|| load(1.0)), against.then(|| load(-1.0))]
    }

    /// A generalised force on a coordinate of the body.
    fn along_coordinate<S: Scalar>(&self, F: S, frame: &MarkerPose<S>) -> Option<PointLoad<S>> {
        let unit = |axis: usize| [0, 1, 2].map(|i| if i == axis { F } else { S::zero() });
        let zero = [S::zero(); 3];
        Some(match self.coordinate? {
            CoordinateAxis::Along(axis) => PointLoad { at: frame.p, f: unit(axis), m: zero },
            CoordinateAxis::AboutZ => PointLoad { at: frame.p, f: zero, m: unit(2) },
        })
    }
}

/// A signal over a scalar time, by its derivatives.
fn over_time<S: Scalar>(signal: &Signal, t: S) -> S {
    let (at, since) = (signal.at(t.value()), t - t.value());
    (since * (0.5 * at.ddf) + at.df) * since + at.f
}

/// The rows of one force: its wrenches on the body along the free motions.
#[derive(Debug)]
pub(super) struct LoadRows {
    pub load: BalancedLoad,
    pub axes: Vec<BalanceAxis>,
    pub scales: Vec<f64>,
}

impl LoadRows {
    /// After the markers of the force follow the body, the marker with the axes and the one on the axes of rotation.
    fn evaluate<S: Scalar>(&self, of: FunctionInput<S>, out: &mut [S]) {
        let own = self.load.on_body.len();
        let (frame, axes, point) = (&of.at[own], &of.at[own + 1], &of.at[own + 2]);
        let wrenches = self.load.wrenches(&of, frame);
        for ((axis, scale), out) in self.axes.iter().zip(&self.scales).zip(out) {
            *out = S::zero();
            for w in wrenches.iter().flatten() {
                let along = match axis {
                    BalanceAxis::Along(i) => dot(axes.axis(*i), w.f),
                    BalanceAxis::About(i) => {
                        let lever = cross(sub(w.at, point.p), w.f);
                        dot(axes.axis(*i), [0, 1, 2].map(|k| w.m[k] + lever[k]))
                    }
                };
                *out += along * *scale;
            }
        }
    }
}

impl UserFunction for LoadRows {
    fn rows(&self) -> usize {
        self.axes.len()
    }
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
    fn evaluate_dual(&self, of: FunctionInput<MarkerDual>, out: &mut [MarkerDual]) {
        self.evaluate(of, out);
    }
    fn evaluate_jet(&self, of: FunctionInput<Jet>, out: &mut [Jet]) {
        self.evaluate(of, out);
    }
}
