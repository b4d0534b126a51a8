//! Coordinates, forces and states of a generalised body as written, and the checks of their names.

use super::Generalised;
use crate::common::spelling::did_you_mean;
use crate::error::ParameterError;
use crate::expressions::Expression;
use serde::{Deserialize, Serialize};

/// The unit of a coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CoordinateUnit {
    /// A length; forces are in N.
    #[serde(rename = "m")]
    Metre,
    /// An angle; forces are in N m.
    #[serde(rename = "rad")]
    Radian,
    /// A number; forces are in J.
    #[default]
    #[serde(rename = "1")]
    One,
}

impl CoordinateUnit {
    /// The unit of the coordinate.
    pub const fn symbol(self) -> &'static str {
        match self {
            CoordinateUnit::Metre => "m",
            CoordinateUnit::Radian => "rad",
            CoordinateUnit::One => "1",
        }
    }

    /// The unit of its velocity.
    pub const fn rate_symbol(self) -> &'static str {
        match self {
            CoordinateUnit::Metre => "m/s",
            CoordinateUnit::Radian => "rad/s",
            CoordinateUnit::One => "1/s",
        }
    }

    /// The unit of a force along it.
    pub const fn force_symbol(self) -> &'static str {
        match self {
            CoordinateUnit::Metre => "N",
            CoordinateUnit::Radian => "N m",
            CoordinateUnit::One => "J",
        }
    }
}

/// A coordinate with its unit and its start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneralisedCoordinate {
    /// Its name in the text; its velocity is `name'`.
    pub name: String,
    /// Its unit.
    #[serde(default)]
    pub unit: CoordinateUnit,
    /// Its value at the start.
    #[serde(default)]
    pub initial: f64,
    /// Its velocity at the start.
    #[serde(default)]
    pub velocity: f64,
}

impl GeneralisedCoordinate {
    /// A coordinate that starts at zero, at rest.
    pub fn new(name: &str, unit: CoordinateUnit) -> GeneralisedCoordinate {
        GeneralisedCoordinate { name: name.to_string(), unit, initial: 0.0, velocity: 0.0 }
    }

    /// Sets its value and velocity at the start.
    pub fn starting(self, initial: f64, velocity: f64) -> GeneralisedCoordinate {
        GeneralisedCoordinate { initial, velocity, ..self }
    }
}

/// A generalised force on one coordinate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneralisedForce {
    /// The coordinate.
    pub coordinate: String,
    /// The force as text.
    pub force: String,
}

/// An extra state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneralisedState {
    /// Its name in the text.
    pub name: String,
    /// Its rate as text.
    pub rate: String,
    /// Its value at the start.
    #[serde(default)]
    pub initial: f64,
}

impl Generalised {
    /// Names of the coordinates and their velocities: the variables of T.
    pub(super) fn state_names(&self) -> Vec<String> {
        let own = self.coordinates.iter().map(|c| c.name.clone());
        own.chain(self.coordinates.iter().map(|c| format!("{}'", c.name))).collect()
    }

    /// Rejects names that are not unique or that the text cannot use.
    pub(super) fn check_names(&self) -> Result<(), ParameterError> {
        if self.coordinates.is_empty() {
            return Err(ParameterError::invalid("coordinates", "a generalised body needs at least one coordinate"));
        }
        let coordinates = self.coordinates.iter().map(|c| ("coordinates", c.name.as_str()));
        let states = self.states.iter().map(|s| ("states", s.name.as_str()));
        let mut taken: Vec<&str> = vec!["t"];
        for (field, name) in coordinates.chain(states) {
            if name.contains(['.', '\'']) || Expression::parse(name, &[name]).is_err() {
                let what = format!("`{name}` is not a valid name; use letters, digits and _");
                return Err(ParameterError::invalid(field, what));
            }
            if taken.contains(&name) {
                let what = format!("the name `{name}` is taken; give each coordinate and state its own name");
                return Err(ParameterError::invalid(field, what));
            }
            taken.push(name);
        }
        let mut pushed: Vec<&str> = Vec::new();
        for GeneralisedForce { coordinate, .. } in &self.forces {
            if !self.coordinates.iter().any(|c| c.name == *coordinate) {
                let hint = did_you_mean(coordinate, self.coordinates.iter().map(|c| c.name.as_str()));
                return Err(ParameterError::invalid("forces", format!("there is no coordinate `{coordinate}`{hint}")));
            }
            if pushed.contains(&coordinate.as_str()) {
                let what = format!("`{coordinate}` has two forces; add them up in one formula");
                return Err(ParameterError::invalid("forces", what));
            }
            pushed.push(coordinate);
        }
        Ok(())
    }
}
