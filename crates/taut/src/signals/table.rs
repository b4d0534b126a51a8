//! Signals through measured points.

use serde::{Deserialize, Serialize};

use super::SignalError;
use super::spline::{Ends, Extrapolation, Spline};
use crate::scalar::Scalar;

/// The cubic spline through points (t, y), with continuous velocity and acceleration.
///
/// The spline is computed when the table is made or read.  Outside the points the signal holds
/// its end value unless told otherwise; [`Table::span`] tells where outside begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Points", into = "Points")]
pub struct Table(Box<Spline>);

/// A table as it is written in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Points {
    t: Vec<f64>,
    y: Vec<f64>,
    #[serde(default)]
    ends: Ends,
    #[serde(default = "hold")]
    extrapolation: Extrapolation,
}

fn hold() -> Extrapolation {
    Extrapolation::Hold
}

impl Table {
    /// The table of the points (t, y).
    pub fn new(t: Vec<f64>, y: Vec<f64>, ends: Ends, extrapolation: Extrapolation) -> Result<Table, SignalError> {
        Spline::new("table signal", t, y, ends, extrapolation).map(|s| Table(Box::new(s)))
    }

    /// The value at time `t`.
    pub fn at<S: Scalar>(&self, t: S) -> S {
        self.0.at(t)
    }

    /// Times of the first and the last point.
    pub fn span(&self) -> (f64, f64) {
        self.0.span()
    }

    /// The spline itself.
    pub fn spline(&self) -> &Spline {
        &self.0
    }
}

impl TryFrom<Points> for Table {
    type Error = SignalError;
    fn try_from(points: Points) -> Result<Table, SignalError> {
        Table::new(points.t, points.y, points.ends, points.extrapolation)
    }
}

impl From<Table> for Points {
    fn from(table: Table) -> Points {
        let spline = table.0;
        Points {
            t: spline.x().to_vec(),
            y: spline.y().to_vec(),
            ends: spline.ends(),
            extrapolation: spline.extrapolation(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_with_defaults() {
        let table: Table = serde_json::from_str(r#"{"t": [0, 1, 2], "y": [0, 1, 0]}"#).unwrap();
        assert_eq!(table.at(1.0), 1.0);
        assert_eq!(table.at(5.0), 0.0);
        assert_eq!(table.span(), (0.0, 2.0));
        assert_eq!(table.spline().ends(), Ends::Natural);
    }

    #[test]
    fn reads_every_kind_of_end() {
        for (ends, expected) in [
            (r#""natural""#, Ends::Natural),
            (r#""periodic""#, Ends::Periodic),
            (r#"{"clamped": {"start": 1, "end": -1}}"#, Ends::Clamped { start: 1.0, end: -1.0 }),
            (r#"{"clamped": {}}"#, Ends::Clamped { start: 0.0, end: 0.0 }),
        ] {
            let text = format!(r#"{{"t": [0, 1, 2], "y": [0, 1, 0], "ends": {ends}}}"#);
            let table: Table = serde_json::from_str(&text).unwrap();
            assert_eq!(table.spline().ends(), expected);
        }
    }

    #[test]
    fn bad_points_are_refused_while_reading() {
        let error = serde_json::from_str::<Table>(r#"{"t": [0, 1, 1], "y": [0, 1, 0]}"#);
        let message = error.unwrap_err().to_string();
        assert!(message.contains("table signal: point 2 lies at 1, not beyond its predecessor at 1"), "{message}");
    }
}
