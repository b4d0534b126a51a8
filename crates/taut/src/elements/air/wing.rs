//! A wing as data: a lifting line on a marker or along a beam.

use super::Unsteady;
use super::distribution::Distribution;
use crate::error::ParameterError;
use crate::motion::Vec3;
use serde::{Deserialize, Serialize};

/// Whether a wing has columns for each station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StationColumns {
    /// Only for the whole wing.
    #[default]
    None,
    /// Also for each station.
    Stations,
    /// The same with position, force and air velocity as vectors, for arrows.
    Vectors,
}

/// A lifting line.
///
/// ```text
///  span = to − from     leading edge = y of the marker, normal to the span     up = span × leading edge
/// ```
///
/// Angles are positive nose up: they turn the leading edge upwards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wing {
    /// The marker that carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// First point of the quarter-chord line, in the axes of the marker, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<[f64; 3]>,
    /// Its last point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// Direction of the leading edge in the axes of the marker; default: y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leading_edge: Option<[f64; 3]>,
    /// The beam that carries it, instead of `on`, `from` and `to`; y of its section points to the leading edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beam: Option<String>,
    /// Chord, m.
    pub chord: Distribution,
    /// Pitch angle of the sections, rad, nose up.
    #[serde(default)]
    pub twist: Distribution,
    /// Distance of the quarter-chord point from the line towards the leading edge, m.
    #[serde(default)]
    pub offset: Distribution,
    /// Its polars; each reaches from its start to the next.
    pub polar: Vec<String>,
    /// Distances along the wing where the polars after the first begin, m.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub polar_starts: Vec<f64>,
    /// Number of Gauss points per panel.
    #[serde(default = "default_stations")]
    pub stations: usize,
    /// Number of equal panels.
    #[serde(default = "one")]
    pub panels: usize,
    /// Distances along the wing where panels end, m, instead of `panels`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panel_ends: Vec<f64>,
    /// How its sections respond to unsteady motion.
    #[serde(default)]
    pub unsteady: Unsteady,
    /// Angle that is added to every section, rad: a formula of t and the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// The disc it belongs to; default: none, without induced velocity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disc: Option<String>,
    /// Its columns.
    #[serde(default)]
    pub columns: StationColumns,
}

fn default_stations() -> usize {
    16
}

fn one() -> usize {
    1
}

/// More stations than this are taken for a typing error.
const MAX_STATIONS: usize = 100_000;

impl Wing {
    /// A wing of constant chord on a marker.
    pub fn new(on: &str, from: [f64; 3], to: [f64; 3], chord: f64, polar: &str) -> Wing {
        Wing {
            on: Some(on.to_string()),
            from: Some(from),
            to: Some(to),
            chord: Distribution::Constant(chord),
            polar: vec![polar.to_string()],
            stations: default_stations(),
            panels: 1,
            ..Wing::default()
        }
    }

    /// Checks what does not depend on other elements, on a line of this length.
    pub(super) fn check(&self, length: f64) -> Result<(), ParameterError> {
        if !(length > 0.0 && length.is_finite()) {
            return Err(ParameterError::invalid("to", "the wing has no length; give two different points"));
        }
        for (field, count) in [("stations", self.stations), ("panels", self.panels)] {
            if count == 0 || count > MAX_STATIONS {
                return Err(ParameterError::invalid(field, format!("it is {count}; it must be 1 to {MAX_STATIONS}")));
            }
        }
        if self.stations.saturating_mul(self.panels.max(self.panel_ends.len() + 1)) > MAX_STATIONS {
            let what = format!("{} panels of {} stations are more than {MAX_STATIONS}", self.panels, self.stations);
            return Err(ParameterError::invalid("panels", what));
        }
        let inside = self.panel_ends.iter().all(|x| *x > 0.0 && *x < length);
        if !inside || self.panel_ends.windows(2).any(|pair| pair[0] >= pair[1]) {
            let what = format!("they must increase and lie between 0 and the length of the wing, {length} m");
            return Err(ParameterError::invalid("panel_ends", what));
        }
        self.chord.check("chord", length)?;
        self.twist.check("twist", length)?;
        self.offset.check("offset", length)?;
        if self.polar.is_empty() {
            return Err(ParameterError::invalid("polar", "no polar is given"));
        }
        if self.polar.len() != self.polar_starts.len() + 1 {
            let (polars, starts) = (self.polar.len(), self.polar_starts.len());
            let what = format!("{polars} polars need {} starts, found {starts}", polars - 1);
            return Err(ParameterError::invalid("polar_starts", what));
        }
        ParameterError::check_finite("polar_starts", &self.polar_starts)?;
        if self.polar_starts.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(ParameterError::invalid("polar_starts", "they must increase"));
        }
        Ok(())
    }

    /// Marker, ends and axes (span, leading edge, normal) of a wing on a marker.
    pub(super) fn straight_line(&self) -> Result<(&str, Vec3, Vec3), ParameterError> {
        let (Some(on), Some(from), Some(to), None) = (&self.on, self.from, self.to, &self.beam) else {
            let what = "a wing needs `on`, `from` and `to`, or `beam` instead of them";
            return Err(ParameterError::invalid(if self.beam.is_some() { "beam" } else { "on" }, what));
        };
        ParameterError::check_finite("from", &from)?;
        ParameterError::check_finite("to", &to)?;
        Ok((on, Vec3::from(from), Vec3::from(to)))
    }

    /// The direction of the leading edge, normal to the span.
    pub(super) fn leading_direction(&self, span: &Vec3) -> Result<Vec3, ParameterError> {
        let given = self.leading_edge.unwrap_or([0.0, 1.0, 0.0]);
        ParameterError::check_finite("leading_edge", &given)?;
        let given = Vec3::from(given);
        let across = given - span * span.dot(&given);
        if across.norm() <= 1e-6 * given.norm() || given.norm() == 0.0 {
            let what = "it is parallel to the span; give a direction from the line towards the leading edge";
            return Err(ParameterError::invalid("leading_edge", what));
        }
        Ok(across.normalize())
    }

    /// The polar at a distance along the wing.
    pub(super) fn polar_at(&self, x: f64) -> usize {
        self.polar_starts.partition_point(|start| *start <= x)
    }
}
