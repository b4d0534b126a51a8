//! Singular poses on the way from a given pose to the targets of a start.
//!
//! The targets move along a line from their values at the assembled pose to the values reached; x is the one that moves most.
//!
//! ```text
//!  Φ(q)                    position constraints, and the differences of the other targets from their places on the line
//!  σ                       least singular value of (Φ_q; x_q), with a sign that changes with its determinant
//!  σ = 0, Φ_q full rank    dead point: x turns back
//!  σ = 0, u Φ_q = 0        singular pose: motions d with Φ_q d = 0, u Φ_qq d d = 0 cross
//! ```

mod equations;

use super::start_targets::{StartTarget, TargetPriority, TargetQuantity, TargetedStart};
use super::{AnalysisError, AssemblySettings, assemble};
use crate::model::Model;
use crate::spec::Spec;
use crate::state::State;
use equations::{PosePoint, WayEquations};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// Most velocities of a mechanism whose way is followed.
const MAX_VELOCITIES: usize = 120;
/// Least number of steps.
const MIN_STEPS: usize = 48;
/// Most steps.
const MAX_STEPS: usize = 400;
/// Largest change of the leading target in one step, rad or m.
const LONGEST_STEP: f64 = 0.05;
/// The first step as a fraction of the others, so that no step ends at a place of symmetry.
const FIRST_STEP: f64 = 0.382;
/// Shortest step as a fraction of the whole way.
const SHORTEST_STEP: f64 = 1e-9;
/// A correction above this fraction of the step leads to another branch.
const MAX_CORRECTION: f64 = 0.5;
/// Steps to locate a singular pose.
const MAX_ITERATIONS: usize = 50;
/// σ at which a singular pose is found.
const LOCATED: f64 = 1e-9;
/// σ below which a row or a pose counts as singular.
const SINGULAR: f64 = 1e-5;
/// Displacement for second differences.
const DIFFERENCE: f64 = 1e-3;
/// A discriminant below this, relative to the square of the largest second derivative, is zero.
const TANGENT: f64 = 1e-5;
/// Multipliers and rates below this, relative to the largest, are zero.
const ZERO: f64 = 1e-6;

/// What is singular in a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SingularKind {
    /// The target cannot go farther: it turns back whichever way the mechanism moves.
    DeadPoint,
    /// The constraints lose rank: motions cross, and the mechanism may leave on either.
    SingularPose,
}

/// A motion through a singular pose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MotionThrough {
    /// Whether it continues the motion that led there.
    pub goes_on: bool,
    /// Rates of the joint coordinates, the largest 1.
    pub rates: Vec<(String, f64)>,
}

/// A singular pose on the way.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SingularPose {
    /// What is singular.
    pub kind: SingularKind,
    /// The target that leads the way.
    pub target: String,
    /// Its value there.
    pub value: f64,
    /// The constraints whose rows become dependent.
    pub joints: Vec<String>,
    /// The joint coordinates there; angles within ±π.
    pub coordinates: Vec<(String, f64)>,
    /// The motions through it; empty if there are more than two, or if they touch.
    pub motions: Vec<MotionThrough>,
    /// The pose.
    #[serde(skip)]
    pub state: State,
}

/// How the way ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WayEnd {
    /// At the start that was chosen.
    Reached,
    /// At a dead point before the targets.
    DeadPoint,
    /// Where the targets are met in another pose: the start lies on another branch.
    OtherBranch,
}

/// The way from the given pose to the targets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StartWay {
    /// Singular poses, in order.
    pub singular: Vec<SingularPose>,
    /// How it ends.
    pub end: WayEnd,
}

/// Follows the way to the targets. None if no target moves a coordinate, if the mechanism is too large, or if the given pose cannot be
/// assembled without them.
///
/// # Errors
/// If the mechanism with targets cannot be built.
pub fn way_to_targets(
    spec: &Spec,
    given: &State,
    targets: &[StartTarget],
    reached: Option<&TargetedStart>,
) -> Result<Option<StartWay>, AnalysisError> {
    let model = spec.build()?;
    let values = |i: usize, t: &StartTarget| match (t.priority, reached) {
        (TargetPriority::Hard, _) | (_, None) => t.value,
        (_, Some(found)) => found.reached[i],
    };
    let moved = targets.iter().enumerate().filter(|(_, t)| t.quantity == TargetQuantity::Value);
    let mut moved: Vec<(&StartTarget, f64)> = moved.map(|(i, t)| (t, values(i, t))).collect();
    // Without a result only the hard targets are certain.
    moved.retain(|(t, _)| reached.is_some() || t.priority == TargetPriority::Hard);
    moved.sort_by_key(|(t, _)| match t.priority {
        TargetPriority::Hard => 0,
        TargetPriority::Strong => 1,
        TargetPriority::Weak => 2,
    });
    if moved.is_empty() || model.sizes.v > MAX_VELOCITIES {
        return Ok(None);
    }
    let Ok(start) = assemble(&model, given, &AssemblySettings::default()) else { return Ok(None) };
    let Some(way) = WayEquations::new(spec, &start.state, &moved)? else { return Ok(None) };
    Ok(way.follow(&model, reached.map(|r| &r.state)))
}

/// A place on the way.
#[derive(Clone)]
struct Place {
    /// Fraction of the way.
    s: f64,
    point: PosePoint,
    /// Least singular value, with sign.
    sigma: f64,
    /// Its singular vectors.
    u: DVector<f64>,
    v: DVector<f64>,
}

impl WayEquations {
    fn follow(&self, model: &Model, reached: Option<&State>) -> Option<StartWay> {
        let steps = ((self.length() / LONGEST_STEP).ceil() as usize).clamp(MIN_STEPS, MAX_STEPS);
        let first = self.point_at(&self.start, 0.0)?;
        let probe = self.solve(&first, FIRST_STEP / steps as f64, None)?;
        let rank = self.rank(&first.matrix).max(self.rank(&probe.matrix));
        let mut here = self.place(0.0, first, rank, None);
        let mut before: Option<Place> = None;
        let mut way = StartWay { singular: Vec::new(), end: WayEnd::Reached };
        let (full, mut step) = (1.0 / steps as f64, FIRST_STEP / steps as f64);
        while here.s < 1.0 {
            let s = (here.s + step).min(1.0);
            let Some(next) = self.next(&here, before.as_ref(), s, rank) else {
                step *= 0.5;
                if step < SHORTEST_STEP {
                    way.end = WayEnd::DeadPoint;
                    break;
                }
                continue;
            };
            if here.sigma.abs() < SINGULAR {
                way.singular.push(self.describe(model, &here, &next.point, rank));
            } else if here.sigma * next.sigma < 0.0 {
                let at = self.locate(&here, &next, rank);
                way.singular.push(self.describe(model, &at, &next.point, rank));
            }
            before = Some(std::mem::replace(&mut here, next));
            step = (2.0 * step).min(full);
        }
        let target = reached.and_then(|state| self.point_at(state, 1.0));
        let near = |at: &PosePoint| self.distance(&here.point.state, &at.state);
        match target {
            // A dead point is reached with the root of the accuracy of its target.
            Some(end) if near(&end) < 1e-3 => {
                let last = before.as_ref().map_or(end.clone(), |b| b.point.clone());
                let at = self.place(1.0, end, rank, Some(&here));
                way.end = WayEnd::Reached;
                if at.sigma.abs() < SINGULAR {
                    way.singular.push(self.describe_end(model, &at, &last, rank));
                }
            }
            _ if way.end == WayEnd::DeadPoint => {
                let last = before.as_ref().map_or(here.point.clone(), |b| b.point.clone());
                way.singular.push(self.describe_end(model, &here, &last, rank));
            }
            Some(_) => way.end = WayEnd::OtherBranch,
            None => {}
        }
        Some(way)
    }

    /// A place at a point; its singular value takes its sign from the place before.
    fn place(&self, s: f64, point: PosePoint, rank: usize, before: Option<&Place>) -> Place {
        let (size, u, v) = self.singular_value(&point.matrix, rank);
        let sign = before.map_or(1.0, |b| (b.u.dot(&u) * b.v.dot(&v) * b.sigma).signum());
        Place { s, point, sigma: sign * size, u, v }
    }

    /// The next place; none if it is not on the same branch.
    fn next(&self, here: &Place, before: Option<&Place>, s: f64, rank: usize) -> Option<Place> {
        let ahead = before.map(|b| {
            let back = self.displacement(&b.point.state, &here.point.state);
            back * ((s - here.s) / (here.s - b.s))
        });
        let point = self.solve(&here.point, s, ahead.as_ref())?;
        if let Some(ahead) = ahead {
            let taken = self.displacement(&here.point.state, &point.state);
            if (&taken - &ahead).norm() > MAX_CORRECTION * ahead.norm() {
                return None;
            }
        }
        Some(self.place(s, point, rank, Some(here)))
    }

    /// The place between two at which σ vanishes, by the secant method with bisection.
    fn locate(&self, a: &Place, b: &Place, rank: usize) -> Place {
        let (mut low, mut high) = (a.clone(), b.clone());
        for i in 0..MAX_ITERATIONS {
            let fraction = if i % 3 == 2 { 0.5 } else { low.sigma / (low.sigma - high.sigma) };
            let s = low.s + fraction * (high.s - low.s);
            let ahead = self.displacement(&low.point.state, &high.point.state) * fraction;
            let Some(point) = self.solve(&low.point, s, Some(&ahead)) else { break };
            let at = self.place(s, point, rank, Some(&low));
            if at.sigma.abs() < LOCATED || high.s - low.s < SHORTEST_STEP {
                return at;
            }
            if at.sigma * low.sigma > 0.0 { low = at } else { high = at }
        }
        if low.sigma.abs() < high.sigma.abs() { low } else { high }
    }

    /// A singular place, passed from `low` of the way to `after`.
    fn describe(&self, model: &Model, at: &Place, after: &PosePoint, rank: usize) -> SingularPose {
        let arriving = self.displacement(&at.point.state, &after.state);
        self.describe_along(model, at, &arriving, rank)
    }

    /// A singular place at the end of the way, reached from `before`.
    fn describe_end(&self, model: &Model, at: &Place, before: &PosePoint, rank: usize) -> SingularPose {
        let arriving = self.displacement(&before.state, &at.point.state);
        self.describe_along(model, at, &arriving, rank)
    }

    fn describe_along(&self, model: &Model, at: &Place, arriving: &DVector<f64>, rank: usize) -> SingularPose {
        let held = self.without_lead(&at.point.matrix);
        let (left, u, _) = self.singular_value(&held, rank - 1);
        let kind = if left < SINGULAR { SingularKind::SingularPose } else { SingularKind::DeadPoint };
        let freedoms = held.ncols() - (rank - 1);
        let directions = match kind {
            SingularKind::DeadPoint if freedoms == 1 => {
                let d = self.null_vectors(&held, 1).remove(0);
                vec![d.clone(), -d]
            }
            SingularKind::SingularPose if freedoms == 1 => {
                let basis = self.null_vectors(&held, 2);
                self.crossing_motions(&at.point, &u, &basis)
            }
            _ => Vec::new(),
        };
        let loaded = if kind == SingularKind::DeadPoint { &at.u } else { &u };
        let cosine = |d: &DVector<f64>| d.dot(arriving) / (d.norm() * arriving.norm());
        // Both directions of a motion through a singular pose count as one, taken in the sense of arrival.
        let directions: Vec<DVector<f64>> = directions
            .into_iter()
            .map(|d| if kind == SingularKind::SingularPose && self.runs_back(&at.point, &d, arriving) { -d } else { d })
            .collect();
        let best = (0..directions.len()).max_by(|i, j| cosine(&directions[*i]).total_cmp(&cosine(&directions[*j])));
        let motions = directions.iter().enumerate().map(|(i, d)| MotionThrough {
            goes_on: Some(i) == best,
            rates: self.coordinate_rates(model, &at.point, d),
        });
        SingularPose {
            kind,
            target: self.lead_name().to_string(),
            value: self.lead_value(&at.point),
            joints: self.loaded_constraints(loaded),
            coordinates: self.coordinate_values(model, &at.point),
            motions: motions.collect(),
            state: at.point.state.clone(),
        }
    }

    /// Whether a motion moves the leading target against the sense of arrival; if it does not move it, whether it runs against it.
    fn runs_back(&self, point: &PosePoint, d: &DVector<f64>, arriving: &DVector<f64>) -> bool {
        let rate = |x: &DVector<f64>| point.matrix.row(point.matrix.nrows() - 1).transpose().dot(x);
        let (own, given) = (rate(d), rate(arriving));
        if own.abs() > ZERO * d.norm() && given.abs() > ZERO * arriving.norm() {
            own * given < 0.0
        } else {
            d.dot(arriving) < 0.0
        }
    }

    /// The directions in the span of two in which the constraints with the combination u of rows allow a motion.
    fn crossing_motions(&self, at: &PosePoint, u: &DVector<f64>, basis: &[DVector<f64>]) -> Vec<DVector<f64>> {
        let value = |d: &DVector<f64>| {
            let moved = self.moved(&at.state, &(d * DIFFERENCE));
            self.residual(&moved, at).dot(u)
        };
        let Q = DMatrix::from_fn(2, 2, |i, j| {
            let (sum, gap) = (&basis[i] + &basis[j], &basis[i] - &basis[j]);
            let all = value(&sum) + value(&-&sum) - value(&gap) - value(&-gap);
            all / (4.0 * DIFFERENCE * DIFFERENCE)
        });
        let (a, b, c) = (Q[(0, 0)], 0.5 * (Q[(0, 1)] + Q[(1, 0)]), Q[(1, 1)]);
        let largest = a.abs().max(b.abs()).max(c.abs());
        let discriminant = b * b - a * c;
        if discriminant <= TANGENT * largest * largest {
            return Vec::new();
        }
        // a α² + 2 b α β + c β² = 0, without cancellation.
        let q = -(b + b.signum() * discriminant.sqrt());
        let pairs = [(q, a), (c, q)];
        pairs.iter().map(|(alpha, beta)| (&basis[0] * *alpha + &basis[1] * *beta).normalize()).collect()
    }
}
