//! Cubic splines through points.

use serde::{Deserialize, Serialize};

use super::SignalError;
use super::error::{finite, finite_entries};
use crate::scalar::Scalar;

/// How a spline behaves at its first and last point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Ends {
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
    /// The last point is the first of the next period; the spline is smooth across it.  There is
    /// no outside then, and the extrapolation does not matter.
    Periodic,
}

/// How a spline goes on before its first and after its last point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extrapolation {
    /// The end value stays.  Slope and curvature jump to zero; with ends clamped to slope zero
    /// only the curvature does.
    Hold,
    /// The end tangent goes on.  With natural ends nothing jumps.
    Linear,
}

/// The twice continuously differentiable cubic spline through given points.
#[derive(Debug, Clone, PartialEq)]
pub struct Spline {
    x: Vec<f64>,
    y: Vec<f64>,
    ends: Ends,
    extrapolation: Extrapolation,
    /// Second derivative at each point.
    curvature: Vec<f64>,
    /// Integral from the first point to each point.
    area: Vec<f64>,
}

/// The cubic c₀ + c₁ h + c₂ h² + c₃ h³ of one interval, with h counted from its start.
struct Piece {
    start: f64,
    coefficients: [f64; 4],
}

impl Spline {
    /// The spline through the points (x, y); `place` is what error messages name.
    ///
    /// The abscissas must increase strictly.  Two points are enough, three with periodic ends,
    /// whose last value must repeat the first to within 1e-12 of the greatest value.
    pub fn new(
        place: &'static str,
        x: Vec<f64>,
        y: Vec<f64>,
        ends: Ends,
        extrapolation: Extrapolation,
    ) -> Result<Spline, SignalError> {
        check_points(place, &x, &y, ends)?;
        let curvature = curvatures(&x, &y, ends);
        let mut spline = Spline { area: vec![0.0; x.len()], x, y, ends, extrapolation, curvature };
        for i in 1..spline.x.len() {
            let h = spline.x[i] - spline.x[i - 1];
            spline.area[i] = spline.area[i - 1] + area(spline.piece(i - 1).coefficients, h);
        }
        let mut computed = spline.curvature.iter().chain(&spline.area);
        if computed.all(|value| value.is_finite()) { Ok(spline) } else { Err(SignalError::Overflow { place }) }
    }

    /// The abscissas.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// The ordinates.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// The behaviour at the ends.
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// The behaviour beyond the ends.
    pub fn extrapolation(&self) -> Extrapolation {
        self.extrapolation
    }

    /// The first and the last abscissa.
    pub fn span(&self) -> (f64, f64) {
        (self.x[0], self.x[self.x.len() - 1])
    }

    /// The value at `x`.
    pub fn at<S: Scalar>(&self, x: S) -> S {
        let (first, last) = self.span();
        let x = x - self.turns(x.value()) * (last - first);
        match self.outside(x.value()) {
            None => {
                let piece = self.piece(self.interval(x.value()));
                let h = x - piece.start;
                let [c0, c1, c2, c3] = piece.coefficients;
                ((h * c3 + c2) * h + c1) * h + c0
            }
            Some(end) => (x - end.x) * end.slope + end.y,
        }
    }

    /// The exact integral of the spline from its first point to `x`.
    pub fn integral(&self, x: f64) -> f64 {
        let (first, last) = self.span();
        let turns = self.turns(x);
        let x = x - turns * (last - first);
        let whole = turns * self.area[self.area.len() - 1];
        let part = match self.outside(x) {
            None => {
                let i = self.interval(x);
                let piece = self.piece(i);
                self.area[i] + area(piece.coefficients, x - piece.start)
            }
            Some(end) => {
                let h = x - end.x;
                end.area + h * (end.y + 0.5 * h * end.slope)
            }
        };
        whole + part
    }

    /// Whole periods between the first period and the one that `x` lies in.
    fn turns(&self, x: f64) -> f64 {
        match self.ends {
            Ends::Periodic => {
                let (first, last) = self.span();
                ((x - first) / (last - first)).floor()
            }
            Ends::Natural | Ends::Clamped { .. } => 0.0,
        }
    }

    /// The end beyond which `x` lies, if it lies outside.
    fn outside(&self, x: f64) -> Option<End> {
        let n = self.x.len() - 1;
        let (first, last) = self.span();
        // Round-off may carry a reduced periodic abscissa an ulp too far; the end pieces serve.
        if self.ends == Ends::Periodic || (x >= first && x <= last) || x.is_nan() {
            return None;
        }
        let (i, slope) = if x < first {
            (0, self.piece(0).coefficients[1])
        } else {
            let [_, c1, c2, c3] = self.piece(n - 1).coefficients;
            let h = self.x[n] - self.x[n - 1];
            (n, (3.0 * c3 * h + 2.0 * c2) * h + c1)
        };
        let slope = match self.extrapolation {
            Extrapolation::Hold => 0.0,
            Extrapolation::Linear => slope,
        };
        Some(End { x: self.x[i], y: self.y[i], slope, area: self.area[i] })
    }

    /// The interval that `x` lies in, the first or last one if it lies in none.
    fn interval(&self, x: f64) -> usize {
        let inner = &self.x[1..self.x.len() - 1];
        inner.partition_point(|&knot| knot <= x)
    }

    fn piece(&self, i: usize) -> Piece {
        let h = self.x[i + 1] - self.x[i];
        let (m0, m1) = (self.curvature[i], self.curvature[i + 1]);
        let secant = (self.y[i + 1] - self.y[i]) / h;
        Piece {
            start: self.x[i],
            coefficients: [self.y[i], secant - h * (2.0 * m0 + m1) / 6.0, m0 / 2.0, (m1 - m0) / h / 6.0],
        }
    }
}

/// Where the straight continuation of a spline begins.
struct End {
    x: f64,
    y: f64,
    slope: f64,
    area: f64,
}

/// Integral of a cubic from 0 to h.
fn area([c0, c1, c2, c3]: [f64; 4], h: f64) -> f64 {
    h * (c0 + h * (c1 / 2.0 + h * (c2 / 3.0 + h * c3 / 4.0)))
}

fn check_points(place: &'static str, x: &[f64], y: &[f64], ends: Ends) -> Result<(), SignalError> {
    if x.len() != y.len() {
        return Err(SignalError::LengthMismatch { place, abscissas: x.len(), ordinates: y.len() });
    }
    let least = match ends {
        Ends::Natural | Ends::Clamped { .. } => 2,
        Ends::Periodic => 3,
    };
    if x.len() < least {
        return Err(SignalError::TooFewPoints { place, found: x.len(), least });
    }
    finite_entries(place, "points", x)?;
    finite_entries(place, "values", y)?;
    if let Some(i) = (1..x.len()).find(|&i| x[i] <= x[i - 1]) {
        return Err(SignalError::Unsorted { place, index: i, previous: x[i - 1], value: x[i] });
    }
    match ends {
        Ends::Natural => Ok(()),
        Ends::Clamped { start, end } => finite(place, &[("start", start), ("end", end)]),
        Ends::Periodic => {
            let greatest = y.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            let (first, last) = (y[0], y[y.len() - 1]);
            if (last - first).abs() <= 1e-12 * greatest {
                Ok(())
            } else {
                Err(SignalError::NotPeriodic { place, first, last })
            }
        }
    }
}

/// Second derivatives at the points, from continuity of the first derivatives:
/// h₋ m₋ + 2 (h₋ + h₊) m + h₊ m₊ = 6 (secant₊ - secant₋).
fn curvatures(x: &[f64], y: &[f64], ends: Ends) -> Vec<f64> {
    let n = x.len() - 1;
    let h: Vec<f64> = (0..n).map(|i| x[i + 1] - x[i]).collect();
    let secant: Vec<f64> = (0..n).map(|i| (y[i + 1] - y[i]) / h[i]).collect();
    let mut system = Tridiagonal::identity(n + 1);
    let mut right = vec![0.0; n + 1];
    for i in 1..n {
        system.lower[i] = h[i - 1];
        system.diagonal[i] = 2.0 * (h[i - 1] + h[i]);
        system.upper[i] = h[i];
        right[i] = 6.0 * (secant[i] - secant[i - 1]);
    }
    match ends {
        Ends::Natural => system.solve(right),
        Ends::Clamped { start, end } => {
            system.diagonal[0] = 2.0 * h[0];
            system.upper[0] = h[0];
            right[0] = 6.0 * (secant[0] - start);
            system.lower[n] = h[n - 1];
            system.diagonal[n] = 2.0 * h[n - 1];
            right[n] = 6.0 * (end - secant[n - 1]);
            system.solve(right)
        }
        Ends::Periodic => {
            // Both ends have the same unknown m; the inner ones are an affine function of it,
            // and continuity across the ends determines it.
            let inner = system.solve(right);
            let mut unit = vec![0.0; n + 1];
            (unit[0], unit[n]) = (1.0, 1.0);
            let response = system.solve(unit);
            let jump = 6.0 * (secant[0] - secant[n - 1]);
            let known = h[n - 1] * inner[n - 1] + h[0] * inner[1];
            let factor = h[n - 1] * response[n - 1] + 2.0 * (h[n - 1] + h[0]) + h[0] * response[1];
            let m = (jump - known) / factor;
            inner.iter().zip(&response).map(|(a, b)| a + m * b).collect()
        }
    }
}

/// A tridiagonal matrix; those of splines are diagonally dominant and need no pivoting.
struct Tridiagonal {
    lower: Vec<f64>,
    diagonal: Vec<f64>,
    upper: Vec<f64>,
}

impl Tridiagonal {
    fn identity(n: usize) -> Tridiagonal {
        Tridiagonal { lower: vec![0.0; n], diagonal: vec![1.0; n], upper: vec![0.0; n] }
    }

    fn solve(&self, mut right: Vec<f64>) -> Vec<f64> {
        let n = right.len();
        let mut pivot = self.diagonal.clone();
        for i in 1..n {
            let factor = self.lower[i] / pivot[i - 1];
            pivot[i] -= factor * self.upper[i - 1];
            right[i] -= factor * right[i - 1];
        }
        right[n - 1] /= pivot[n - 1];
        for i in (0..n - 1).rev() {
            right[i] = (right[i] - self.upper[i] * right[i + 1]) / pivot[i];
        }
        right
    }
}

#[cfg(test)]
mod tests;
