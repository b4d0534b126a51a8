//! Interpolating curves.

use serde::{Deserialize, Serialize};

use super::SignalError;
use super::error::{finite, finite_entries};
use crate::breaks::BreakList;
use crate::scalar::Scalar;
use taut_ode::Break;

mod slopes;
mod spline;

/// Interpolation between the points.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Interpolation {
    /// Straight lines; the slope jumps at the points.
    #[default]
    Linear,
    /// Piecewise cubic with continuous slope and no overshoot: the curve is monotone between two points
    /// \[FritschButland1984\].
    Pchip,
    /// Piecewise cubic with continuous slope that depends only on nearby points \[Akima1970\].
    Akima,
    /// Cubic spline with continuous curvature. It overshoots where the slope of the data changes abruptly.
    Spline(SplineEnds),
}

/// End conditions of a spline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SplineEnds {
    /// No curvature at the ends.
    #[default]
    Natural,
    /// Given slopes at the ends.
    Clamped {
        /// Slope at the first point.
        #[serde(default)]
        start: f64,
        /// Slope at the last point.
        #[serde(default)]
        end: f64,
    },
    /// Periodic: the last point is the first of the next period, and the spline is smooth across it.
    Periodic,
}

/// Continuation of a curve before its first and after its last point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extrapolation {
    /// Constant end value.
    Hold,
    /// Straight along the end tangent.
    Linear,
    /// Periodic; the last point is the first of the next period.
    Periodic,
    /// Not allowed: a run that leaves the table is stopped.
    #[serde(rename = "error")]
    Error,
}

/// An end of a curve that was passed, and the extrapolation there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassedEnd {
    /// The first or the last abscissa.
    pub end: f64,
    /// The extrapolation.
    pub extrapolation: Extrapolation,
}

/// A curve through given points.
#[derive(Debug, Clone, PartialEq)]
pub struct Interpolant {
    x: Vec<f64>,
    y: Vec<f64>,
    interpolation: Interpolation,
    extrapolation: Extrapolation,
    /// The cubic c₀ + c₁ h + c₂ h² + c₃ h³ of each interval, with h measured from its start.
    pieces: Vec<[f64; 4]>,
    /// Integral from the first point to each point.
    integrals: Vec<f64>,
}

impl Interpolant {
    /// The curve through the points (x, y); `place` is the name used in error messages.
    ///
    /// The abscissas must increase strictly.  Two points are enough, three for a period, whose last value must repeat
    /// the first to within 1e-12 of the greatest value.
    pub fn new(
        place: &'static str,
        x: Vec<f64>,
        y: Vec<f64>,
        interpolation: Interpolation,
        extrapolation: Extrapolation,
    ) -> Result<Interpolant, SignalError> {
        // Periodic ends and periodic extrapolation of a spline imply each other.
        let (interpolation, extrapolation) = match (interpolation, extrapolation) {
            (Interpolation::Spline(SplineEnds::Periodic), _) => (interpolation, Extrapolation::Periodic),
            (Interpolation::Spline(SplineEnds::Natural), Extrapolation::Periodic) => {
                (Interpolation::Spline(SplineEnds::Periodic), extrapolation)
            }
            both => both,
        };
        check_points(place, &x, &y, extrapolation)?;
        if let Interpolation::Spline(SplineEnds::Clamped { start, end }) = interpolation {
            finite(place, &[("start", start), ("end", end)])?;
        }
        let pieces = cubic_pieces(&x, &y, interpolation, extrapolation);
        let mut curve = Interpolant { integrals: vec![0.0; x.len()], x, y, interpolation, extrapolation, pieces };
        for i in 1..curve.x.len() {
            let h = curve.x[i] - curve.x[i - 1];
            curve.integrals[i] = curve.integrals[i - 1] + cubic_integral(curve.pieces[i - 1], h);
        }
        let mut computed = curve.pieces.iter().flatten().chain(&curve.integrals);
        if computed.all(|value| value.is_finite()) { Ok(curve) } else { Err(SignalError::Overflow { place }) }
    }

    /// The abscissas.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// The ordinates.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// The interpolation between the points.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// The extrapolation beyond the ends.
    pub fn extrapolation(&self) -> Extrapolation {
        self.extrapolation
    }

    /// The first and the last abscissa.
    pub fn span(&self) -> (f64, f64) {
        (self.x[0], self.x[self.x.len() - 1])
    }

    /// Whether it has ends (is not periodic).
    pub fn has_ends(&self) -> bool {
        self.extrapolation != Extrapolation::Periodic
    }

    /// The end that was passed, if `x` lies outside the points of a non-periodic curve.
    pub fn passed_end(&self, x: f64) -> Option<PassedEnd> {
        let (first, last) = self.span();
        let end = if x < first { first } else { last };
        let outside = self.has_ends() && (x < first || x > last);
        outside.then_some(PassedEnd { end, extrapolation: self.extrapolation })
    }

    /// The value at `x`; NaN beyond the ends with [`Extrapolation::Error`].
    pub fn at<S: Scalar>(&self, x: S) -> S {
        let (first, last) = self.span();
        let x = x - self.whole_periods(x.value()) * (last - first);
        match self.continuation_at(x.value()) {
            None => {
                let i = self.interval(x.value());
                let h = x - self.x[i];
                let [c0, c1, c2, c3] = self.pieces[i];
                ((h * c3 + c2) * h + c1) * h + c0
            }
            Some(end) => (x - end.x) * end.slope + end.y,
        }
    }

    /// The exact integral of the curve from its first point to `x`.
    pub fn integral(&self, x: f64) -> f64 {
        let (first, last) = self.span();
        let turns = self.whole_periods(x);
        let x = x - turns * (last - first);
        let whole = turns * self.integrals[self.integrals.len() - 1];
        let part = match self.continuation_at(x) {
            None => {
                let i = self.interval(x);
                self.integrals[i] + cubic_integral(self.pieces[i], x - self.x[i])
            }
            Some(end) => {
                let h = x - end.x;
                end.area + h * (end.y + 0.5 * h * end.slope)
            }
        };
        whole + part
    }

    /// Adds the abscissas between `from` and `to` at which the curve or one of its derivatives is not smooth.
    pub fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        let (first, last) = self.span();
        let n = self.x.len() - 1;
        if self.extrapolation != Extrapolation::Periodic {
            for (i, &knot) in self.x.iter().enumerate().filter(|(i, _)| !self.is_smooth_at(*i)) {
                // The last point belongs to the piece before it, the others to the piece after them.
                let (before, after) = if i == n { (knot, knot.next_up()) } else { (knot.next_down(), knot) };
                if before >= from && after <= to {
                    list.push(Break { before, after });
                }
            }
            return;
        }
        let period = last - first;
        let mut turn = self.whole_periods(from) - 1.0;
        while first + turn * period <= to {
            for &knot in &self.x[..n] {
                // Locate the knot as seen by `interval`, including the round-off of the reduced abscissa.
                let place = knot + turn * period;
                let near = 16.0 * f64::EPSILON * (place.abs() + period.abs() + knot.abs());
                let (mut before, mut after) = (place - near, place + near);
                let piece = |x: f64| {
                    let turns = self.whole_periods(x);
                    (turns, self.interval(x - turns * period))
                };
                let old = piece(before);
                while before.next_up() < after {
                    let mid = 0.5 * before + 0.5 * after;
                    let mid = if mid <= before || mid >= after { before.next_up() } else { mid };
                    if piece(mid) == old { before = mid } else { after = mid }
                }
                if before >= from && after <= to {
                    list.push(Break { before, after });
                }
            }
            turn += 1.0;
        }
    }

    /// A function with continuous slope that crosses zero at every point of the curve, and nowhere else.
    pub fn knot_guard(&self, x: f64) -> f64 {
        let (first, last) = self.span();
        let turns = self.whole_periods(x);
        let x = x - turns * (last - first);
        let n = self.x.len() - 1;
        let sign = |k: f64| if k.rem_euclid(2.0) == 0.0 { 1.0 } else { -1.0 };
        if self.extrapolation != Extrapolation::Periodic && x < first {
            return x - first;
        }
        if self.extrapolation != Extrapolation::Periodic && x > last {
            return sign(n as f64) * (x - last);
        }
        let i = self.interval(x);
        let (a, b) = (self.x[i], self.x[i + 1]);
        sign(turns * n as f64 + i as f64) * (x - a) * (b - x) / (b - a)
    }

    /// Whether the pieces on both sides of a point are straight with the same slope.
    fn is_smooth_at(&self, i: usize) -> bool {
        let n = self.x.len() - 1;
        let straight = |[_, c1, c2, c3]: [f64; 4]| (c2 == 0.0 && c3 == 0.0).then_some(c1);
        let beyond = |slope: f64| match self.extrapolation {
            Extrapolation::Hold => Some(0.0),
            Extrapolation::Linear => Some(slope),
            Extrapolation::Periodic | Extrapolation::Error => None,
        };
        let (behind, ahead) = match i {
            0 => (beyond(self.pieces[0][1]), straight(self.pieces[0])),
            i if i == n => (straight(self.pieces[n - 1]), beyond(self.end_slope())),
            i => (straight(self.pieces[i - 1]), straight(self.pieces[i])),
        };
        behind.is_some() && behind == ahead
    }

    /// Number of whole periods between the first period and that of `x`.
    fn whole_periods(&self, x: f64) -> f64 {
        match self.extrapolation {
            Extrapolation::Periodic => {
                let (first, last) = self.span();
                ((x - first) / (last - first)).floor()
            }
            _ => 0.0,
        }
    }

    /// The straight continuation at `x`, if `x` lies outside.
    fn continuation_at(&self, x: f64) -> Option<StraightContinuation> {
        let n = self.x.len() - 1;
        let (first, last) = self.span();
        // Round-off may put a reduced periodic abscissa slightly outside; the end pieces cover that.
        if self.extrapolation == Extrapolation::Periodic || (x >= first && x <= last) || x.is_nan() {
            return None;
        }
        let (i, slope) = if x < first { (0, self.pieces[0][1]) } else { (n, self.end_slope()) };
        let slope = match self.extrapolation {
            Extrapolation::Hold | Extrapolation::Periodic => 0.0,
            Extrapolation::Linear => slope,
            Extrapolation::Error => f64::NAN,
        };
        Some(StraightContinuation { x: self.x[i], y: self.y[i], slope, area: self.integrals[i] })
    }

    fn end_slope(&self) -> f64 {
        let n = self.x.len() - 1;
        let [_, c1, c2, c3] = self.pieces[n - 1];
        let h = self.x[n] - self.x[n - 1];
        (3.0 * c3 * h + 2.0 * c2) * h + c1
    }

    /// The interval that contains `x`; the first or last one if `x` lies outside.
    fn interval(&self, x: f64) -> usize {
        let inner = &self.x[1..self.x.len() - 1];
        inner.partition_point(|&knot| knot <= x)
    }
}

/// Start and slope of the straight continuation of a curve.
struct StraightContinuation {
    x: f64,
    y: f64,
    slope: f64,
    area: f64,
}

fn cubic_pieces(x: &[f64], y: &[f64], interpolation: Interpolation, extrapolation: Extrapolation) -> Vec<[f64; 4]> {
    let each = 0..x.len() - 1;
    let width = |i: usize| x[i + 1] - x[i];
    let secant = |i: usize| (y[i + 1] - y[i]) / width(i);
    let slopes = match interpolation {
        Interpolation::Linear => return each.map(|i| [y[i], secant(i), 0.0, 0.0]).collect(),
        Interpolation::Spline(ends) => {
            let m = spline::curvatures(x, y, ends);
            let piece = |i: usize| {
                let h = width(i);
                [y[i], secant(i) - h * (2.0 * m[i] + m[i + 1]) / 6.0, m[i] / 2.0, (m[i + 1] - m[i]) / h / 6.0]
            };
            return each.map(piece).collect();
        }
        Interpolation::Pchip => slopes::pchip(x, y, extrapolation),
        Interpolation::Akima => slopes::akima(x, y, extrapolation),
    };
    // Cubic Hermite interpolation of two values and two slopes.
    let hermite = |i: usize| {
        let (h, s, d0, d1) = (width(i), secant(i), slopes[i], slopes[i + 1]);
        [y[i], d0, (3.0 * s - 2.0 * d0 - d1) / h, (d0 + d1 - 2.0 * s) / h / h]
    };
    each.map(hermite).collect()
}

/// Integral of a cubic from 0 to h.
fn cubic_integral([c0, c1, c2, c3]: [f64; 4], h: f64) -> f64 {
    h * (c0 + h * (c1 / 2.0 + h * (c2 / 3.0 + h * c3 / 4.0)))
}

fn check_points(place: &'static str, x: &[f64], y: &[f64], extrapolation: Extrapolation) -> Result<(), SignalError> {
    if x.len() != y.len() {
        return Err(SignalError::LengthMismatch { place, abscissas: x.len(), ordinates: y.len() });
    }
    let least = if extrapolation == Extrapolation::Periodic { 3 } else { 2 };
    if x.len() < least {
        return Err(SignalError::TooFewPoints { place, found: x.len(), least });
    }
    finite_entries(place, "points", x)?;
    finite_entries(place, "values", y)?;
    if let Some(i) = (1..x.len()).find(|&i| x[i] <= x[i - 1]) {
        return Err(SignalError::Unsorted { place, index: i, previous: x[i - 1], value: x[i] });
    }
    let greatest = y.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let (first, last) = (y[0], y[y.len() - 1]);
    if extrapolation == Extrapolation::Periodic && (last - first).abs() > 1e-12 * greatest {
        return Err(SignalError::NotPeriodic { place, first, last });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
