//! Periodic motions over a parameter, through folds.

use super::curve::{Failure, MotionCurve, MotionOnCurve, Tangent};
use super::shooting::Iterate;
use super::{PeriodicError, PeriodicMotion, PeriodicSettings, periodic};
use crate::model::Model;
use crate::state::State;
use thiserror::Error;

/// Cosine of the angle between successive tangents below which a step is repeated, and above which the next is longer.
const TURN: [f64; 2] = [0.97, 0.995];
/// Longest step at a fold, relative to the longest elsewhere.
const STEP_AT_FOLD: f64 = 0.2;
/// Shortest step, relative to the longest.
const SHORTEST_STEP: f64 = 1e-5;

/// The values of the parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Continuation {
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// Least number of steps between them.
    pub steps: usize,
    /// Most points of the curve.
    pub max_points: usize,
}

/// The model at one value of the parameter.
#[derive(Clone, Debug)]
pub struct ModelAtValue {
    /// The model; the same elements and coordinates at every value.
    pub model: Model,
    /// Where the search for the first motion starts.
    pub state: State,
    /// The period, or the first guess of a free one, s.
    pub period: f64,
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CurvePoint {
    /// Value of the parameter.
    pub parameter: f64,
    /// Value at the fold between the previous point and this one, if there is one.
    pub fold: Option<f64>,
}

/// Where a curve ends.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContinuationEnd {
    /// At the last value.
    Reached,
    /// Behind a fold, at the first value again.
    TurnedBack,
    /// The largest number of points.
    MaxPoints,
    /// Even the shortest step fails.
    Stalled {
        /// Value of the parameter.
        parameter: f64,
        /// Why the last step failed.
        cause: String,
    },
}

/// Why there is no curve.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ContinuationError<E: std::error::Error> {
    /// The model, or what is done at a point.
    #[error(transparent)]
    Caller(E),
    /// There is no first motion.
    #[error("at {parameter}: {cause}")]
    Start {
        /// The first value.
        parameter: f64,
        /// Why.
        cause: PeriodicError,
    },
    /// Values that are equal or not finite.
    #[error("the parameter goes from {from} to {to}; two different finite values are needed")]
    Range {
        /// First value.
        from: f64,
        /// Last value.
        to: f64,
    },
}

/// Follows periodic motions over a parameter, also where it turns back; `visit` sees every motion.
///
/// The unknowns of shooting and the parameter p form one curve. With K of a step and g = ∂r/∂p by a difference of
/// whole runs, the tangent t of the curve and the corrections of Newton's method are
///
/// ```text
///  [K g] t = 0,   |t| = 1,   t along the last tangent
///  [K g] (Δy, Δp) = −r                                  solution of least norm: across the curve
/// ```
///
/// (\[AllgowerGeorg1990\], chapters 3 and 6). At a fold Δp of the tangent changes its sign; K alone is singular there, [K g] is not. The
/// parameter counts in parts of its range.
///
/// # Errors
/// There is no motion at the first value, or the caller fails.
pub fn continue_periodic<E: std::error::Error>(
    settings: &PeriodicSettings,
    range: Continuation,
    at: impl FnMut(f64) -> Result<ModelAtValue, E>,
    mut visit: impl FnMut(CurvePoint, &PeriodicMotion) -> Result<(), E>,
) -> Result<ContinuationEnd, ContinuationError<E>> {
    let Continuation { from, to, steps, max_points } = range;
    if !(from.is_finite() && to.is_finite() && from != to) {
        return Err(ContinuationError::Range { from, to });
    }
    let mut curve = MotionCurve { settings, range, at };
    let start = |cause| ContinuationError::Start { parameter: from, cause };
    let first = (curve.at)(from).map_err(ContinuationError::Caller)?;
    let settings_here = curve.settings_at(first.period);
    let motion = periodic(&first.model, &first.state, &settings_here).map_err(start)?;
    visit(CurvePoint { parameter: from, fold: None }, &motion).map_err(ContinuationError::Caller)?;
    let iterate = Iterate { starts: motion.starts.clone(), period: motion.period };
    let ahead = Tangent { starts: Vec::new(), period: 0.0, parameter: (to - from).signum() };
    let mut here = match curve.point(first, from, iterate, &ahead) {
        Ok(point) => point,
        Err(Failure::Caller(e)) => return Err(ContinuationError::Caller(e)),
        Err(Failure::Step(cause)) => return Err(start(cause)),
    };
    let longest = 1.0 / steps.max(1) as f64;
    let mut length = longest;
    for _ in 1..max_points {
        let next = loop {
            let failed = match curve.step(&here, length, longest) {
                Ok(next) => {
                    let alike = next.tangent.along(&here.tangent);
                    // A fold is passed with a short step, which gives its place.
                    let far = next.tangent.parameter * here.tangent.parameter < 0.0 && length > STEP_AT_FOLD * longest;
                    if (alike >= TURN[0] && !far) || length <= 4.0 * SHORTEST_STEP * longest {
                        if alike > TURN[1] && next.iterations <= 4 {
                            length = (1.5 * length).min(10.0 * longest);
                        }
                        break next;
                    }
                    "the curve bends too sharply".to_string()
                }
                Err(Failure::Caller(e)) => return Err(ContinuationError::Caller(e)),
                Err(Failure::Step(e)) => e.to_string(),
            };
            length *= 0.5;
            if length < SHORTEST_STEP * longest {
                return Ok(ContinuationEnd::Stalled { parameter: here.parameter, cause: failed });
            }
        };
        let forward = (to - from).signum();
        if forward * (next.parameter - from) < 0.0 {
            return Ok(ContinuationEnd::TurnedBack);
        }
        let fold = fold_between(&here, &next, to - from);
        let last = forward * (next.parameter - to) >= 0.0;
        let parameter = if last { to } else { next.parameter };
        match curve.visited(&next, parameter, fold.filter(|_| !last), &mut visit) {
            Ok(()) if last => return Ok(ContinuationEnd::Reached),
            Ok(()) => {}
            Err(Failure::Caller(e)) => return Err(ContinuationError::Caller(e)),
            Err(Failure::Step(cause)) => return Ok(ContinuationEnd::Stalled { parameter, cause: cause.to_string() }),
        }
        here = next;
    }
    Ok(ContinuationEnd::MaxPoints)
}

/// The value where p(s) between two points turns: p is a cubic with the tangents at both ends.
fn fold_between(a: &MotionOnCurve, b: &MotionOnCurve, range: f64) -> Option<f64> {
    let [ta, tb] = [a, b].map(|p| p.tangent.parameter * range.abs());
    if ta * tb >= 0.0 {
        return None;
    }
    let (h, rise) = (b.length, b.parameter - a.parameter);
    // p(s) = p_a + h t_a s + (3 Δ − h (2 t_a + t_b)) s² + (h (t_a + t_b) − 2 Δ) s³
    let (c1, c2, c3) = (h * ta, 3.0 * rise - h * (2.0 * ta + tb), h * (ta + tb) - 2.0 * rise);
    let slope = |s: f64| c1 + 2.0 * c2 * s + 3.0 * c3 * s * s;
    let [mut low, mut high] = [0.0, 1.0];
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(middle) * slope(low) > 0.0 { low = middle } else { high = middle }
    }
    Some(a.parameter + low * (c1 + low * (c2 + low * c3)))
}
