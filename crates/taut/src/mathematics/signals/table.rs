//! Tabulated signals.

use serde::{Deserialize, Serialize};

use super::SignalError;
use super::interpolant::{Extrapolation, Interpolant, Interpolation, SplineEnds};
use super::interpolation_kind::InterpolationKind;
use crate::scalar::Scalar;

/// A curve through points (t, y); default: straight lines.
///
/// Use [`Interpolation::Pchip`] or [`Interpolation::Spline`] for a prescribed *position*: straight lines have velocity jumps, and each
/// jump is an impact. Outside the points ([`TableSignal::span`]) the signal keeps its end value by default.
///
/// # Examples
///
/// ```
/// use taut::signals::{Extrapolation, Interpolation, TableSignal};
///
/// let lift = TableSignal::new(vec![0.0, 1.0, 2.0], vec![0.0, 0.3, 0.4], Interpolation::Linear, Extrapolation::Hold)?;
/// assert!((lift.at(0.5) - 0.15).abs() < 1e-15);
/// assert_eq!(lift.at(9.0), 0.4);
/// # Ok::<(), taut::signals::SignalError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "TableSignalData", into = "TableSignalData")]
pub struct TableSignal(Box<Interpolant>);

/// A table as written in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableSignalData {
    t: Vec<f64>,
    y: Vec<f64>,
    #[serde(default)]
    interpolation: InterpolationKind,
    #[serde(rename = "end_conditions", default, skip_serializing_if = "Option::is_none")]
    end_conditions: Option<SplineEnds>,
    #[serde(default = "hold")]
    extrapolation: Extrapolation,
}

fn hold() -> Extrapolation {
    Extrapolation::Hold
}

/// The name used in error messages.
const CONTEXT: &str = "table signal";

impl TableSignal {
    /// The table of the points (t, y).
    pub fn new(
        t: Vec<f64>,
        y: Vec<f64>,
        interpolation: Interpolation,
        extrapolation: Extrapolation,
    ) -> Result<TableSignal, SignalError> {
        Interpolant::new(CONTEXT, t, y, interpolation, extrapolation).map(|s| TableSignal(Box::new(s)))
    }

    /// The value at time `t`.
    pub fn at<S: Scalar>(&self, t: S) -> S {
        self.0.at(t)
    }

    /// Times of the first and the last point.
    pub fn span(&self) -> (f64, f64) {
        self.0.span()
    }

    /// The curve itself.
    pub fn curve(&self) -> &Interpolant {
        &self.0
    }
}

impl TryFrom<TableSignalData> for TableSignal {
    type Error = SignalError;
    fn try_from(points: TableSignalData) -> Result<TableSignal, SignalError> {
        let interpolation = points.interpolation.with_ends(points.end_conditions, CONTEXT)?;
        TableSignal::new(points.t, points.y, interpolation, points.extrapolation)
    }
}

impl From<TableSignal> for TableSignalData {
    fn from(table: TableSignal) -> TableSignalData {
        let curve = table.0;
        let (interpolation, ends) = InterpolationKind::of(curve.interpolation());
        let extrapolation = curve.extrapolation();
        TableSignalData {
            t: curve.x().to_vec(),
            y: curve.y().to_vec(),
            interpolation,
            end_conditions: ends,
            extrapolation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_with_defaults() {
        let table: TableSignal = serde_json::from_str(r#"{"t": [0, 1, 2], "y": [0, 1, 0]}"#).unwrap();
        assert_eq!(table.at(1.0), 1.0);
        assert_eq!(table.at(5.0), 0.0);
        assert_eq!(table.span(), (0.0, 2.0));
        assert_eq!((table.at(0.5), table.curve().interpolation()), (0.5, Interpolation::Linear));
    }

    #[test]
    fn reads_every_kind_of_end() {
        for (ends, expected) in [
            (r#""natural""#, SplineEnds::Natural),
            (r#""periodic""#, SplineEnds::Periodic),
            (r#"{"clamped": {"start": 1, "end": -1}}"#, SplineEnds::Clamped { start: 1.0, end: -1.0 }),
            (r#"{"clamped": {}}"#, SplineEnds::Clamped { start: 0.0, end: 0.0 }),
        ] {
            let text =
                format!(r#"{{"t": [0, 1, 2], "y": [0, 1, 0], "interpolation": "spline", "end_conditions": {ends}}}"#);
            let table: TableSignal = serde_json::from_str(&text).unwrap();
            assert_eq!(table.curve().interpolation(), Interpolation::Spline(expected));
        }
    }

    #[test]
    fn ends_without_a_spline_are_refused() {
        let text = r#"{"t": [0, 1, 2], "y": [0, 1, 0], "end_conditions": "natural"}"#;
        let message = serde_json::from_str::<TableSignal>(text).unwrap_err().to_string();
        assert!(message.contains("add interpolation = \"spline\""), "{message}");
    }

    #[test]
    fn bad_points_are_refused_while_reading() {
        let error = serde_json::from_str::<TableSignal>(r#"{"t": [0, 1, 1], "y": [0, 1, 0]}"#);
        let message = error.unwrap_err().to_string();
        assert!(message.contains("table signal: point 2 lies at 1, not beyond its predecessor at 1"), "{message}");
    }
}
