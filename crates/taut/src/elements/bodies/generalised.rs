//! A body with coordinates of the user's choice, whose inertia is written as text.

mod inertia;
mod text;

pub use text::{CoordinateUnit, GeneralisedCoordinate, GeneralisedForce, GeneralisedState};

use super::coordinate_markers::{add_coordinate_force, coordinate_pose, coordinate_twist};
use super::{Body, Energies, Jacobian, Manifold, MassMatrix, Quantities, Quantity, ReferenceFrame, Sizes};
use crate::error::ParameterError;
use crate::marker::MarkerPlacement;
use crate::motion::{Motion, Vec3, Wrench};
use inertia::Inertia;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A body with named scalar coordinates; its kinetic energy or its mass matrix is text.
///
/// ```text
///  kinetic_energy T(q, v)     M v̇ = ∂T/∂q − (∂²T/∂v∂q) v − ∂V/∂q + Q,    M = ∂²T/∂v²      Lagrange's equations
///  mass_matrix M(q)           M v̇ = Q − ∂V/∂q                            Q contains the gyroscopic terms
///  potential_energy V(q)      forces Q(t, q, v, z)                        states ż = s(t, q, v, z)
/// ```
///
/// v = q̇; the velocity of the coordinate `theta` is `theta'`. Dual numbers differentiate the text, exactly. T is a quadratic polynomial
/// of v: T₂ + T₁ + T₀. Its part T₂ = ½ vᵀ M v is the kinetic energy in results, and −T₀ (centrifugal, in a rotating frame) counts as
/// potential energy, so that T₂ − T₀ + V is conserved. T and M must be smooth. V may switch (`max`, `step`), and so may Q and s, which
/// may also read other bodies: `cart.x`.
///
/// Gravity does not act on it: V contains the weight. It has no frames; joints, forces and measures use its coordinates, `name.theta`.
/// The number of coordinates is not limited, but M is one dense block.
///
/// # Examples
///
/// ```
/// use taut::bodies::{CoordinateUnit::Radian, Generalised, GeneralisedCoordinate};
/// use taut::prelude::*;
///
/// // A pendulum of 1 kg and 0.5 m with a damped pivot.
/// let pendulum = Generalised::new([GeneralisedCoordinate::new("theta", Radian).starting(0.3, 0.0)])
///     .kinetic_energy("0.5*0.25*theta'^2")
///     .potential_energy("-9.81*0.5*cos(theta)")
///     .force("theta", "-0.1*theta'");
/// let mut spec = Spec::new();
/// spec.body("pendulum", pendulum);
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(20.0))?;
/// assert!(run.last("pendulum.theta")?.abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generalised {
    /// Its coordinates.
    pub coordinates: Vec<GeneralisedCoordinate>,
    /// T(q, v) as text, J.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinetic_energy: Option<String>,
    /// M(q) as text, row by row; instead of the kinetic energy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_matrix: Option<Vec<Vec<String>>>,
    /// V(q) as text, J.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub potential_energy: Option<String>,
    /// Generalised forces Q(t, q, v, z).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<GeneralisedForce>,
    /// Extra states z.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<GeneralisedState>,
    /// The parsed inertia; none before the model is built.
    #[serde(skip)]
    inertia: Option<Arc<Inertia>>,
}

impl Generalised {
    /// A body with these coordinates; it still needs a kinetic energy or a mass matrix.
    pub fn new(coordinates: impl IntoIterator<Item = GeneralisedCoordinate>) -> Generalised {
        Generalised { coordinates: coordinates.into_iter().collect(), ..Generalised::default() }
    }

    /// Sets T(q, v).
    pub fn kinetic_energy(mut self, text: &str) -> Generalised {
        self.kinetic_energy = Some(text.to_string());
        self
    }

    /// Sets M(q), row by row.
    pub fn mass_matrix(mut self, rows: &[&[&str]]) -> Generalised {
        self.mass_matrix = Some(rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect());
        self
    }

    /// Sets V(q).
    pub fn potential_energy(mut self, text: &str) -> Generalised {
        self.potential_energy = Some(text.to_string());
        self
    }

    /// Adds a generalised force on a coordinate.
    pub fn force(mut self, coordinate: &str, force: &str) -> Generalised {
        self.forces.push(GeneralisedForce { coordinate: coordinate.to_string(), force: force.to_string() });
        self
    }

    /// Adds an extra state with this rate.
    pub fn state(mut self, name: &str, rate: &str, initial: f64) -> Generalised {
        self.states.push(GeneralisedState { name: name.to_string(), rate: rate.to_string(), initial });
        self
    }

    /// The same with its text parsed.
    pub(crate) fn parsed(&self) -> Result<Generalised, ParameterError> {
        self.check_names()?;
        Ok(Generalised { inertia: Some(Arc::new(Inertia::new(self)?)), ..self.clone() })
    }

    /// The coordinate whose inertia at q is negligible against that at `reference`, if there is one.
    pub(crate) fn lost_inertia(&self, reference: &[f64], q: &[f64]) -> Option<&str> {
        let inertia = self.inertia.as_ref()?;
        inertia.lost_pivot(reference, q).map(|i| self.coordinates[i].name.as_str())
    }

    /// Coordinates and velocities at the start.
    fn start(&self) -> [Vec<f64>; 2] {
        [|c: &GeneralisedCoordinate| c.initial, |c: &GeneralisedCoordinate| c.velocity]
            .map(|value| self.coordinates.iter().map(value).collect())
    }
}

impl Body for Generalised {
    fn check(&self) -> Result<(), ParameterError> {
        let [q, v] = self.start();
        ParameterError::check_finite("coordinates", &q)?;
        ParameterError::check_finite("coordinates", &v)?;
        let unparsed =
            || ParameterError::invalid("kinetic_energy", "the text is not parsed; build it as part of a model");
        self.inertia.as_ref().ok_or_else(unparsed)?.check(self, &q, &v)
    }

    fn initial_state(&self, q: &mut [f64], v: &mut [f64], _z: &mut [f64]) {
        for (i, c) in self.coordinates.iter().enumerate() {
            (q[i], v[i]) = (c.initial, c.velocity);
        }
    }

    fn frame_pose(&self, _q: &[f64], _own: &mut Motion) {}
    fn marker_pose(&self, q: &[f64], _own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        coordinate_pose(marker, q, seen);
    }
    fn frame_twist(&self, _q: &[f64], _v: &[f64], _own: &mut Motion) {}
    fn marker_twist(&self, _q: &[f64], v: &[f64], _own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        coordinate_twist(marker, v, seen);
    }

    fn coordinate_rates(&self, _q: &[f64], v: &[f64], qdot: &mut [f64]) {
        qdot.copy_from_slice(v);
    }
    fn mass_matrix(&self, q: &[f64], _own: &Motion, M: &mut [f64]) {
        if let Some(inertia) = &self.inertia {
            inertia.mass_matrix(q, M);
        }
    }
    // V and Q act as the force element `name.forces`.
    fn internal_forces(
        &self,
        _t: f64,
        q: &[f64],
        v: &[f64],
        _z: &[f64],
        _own: &Motion,
        f: &mut [f64],
        _zdot: &mut [f64],
    ) {
        if let Some(inertia) = &self.inertia {
            inertia.add_forces(q, v, f);
        }
    }
    fn gravity_force(&self, _q: &[f64], _own: &Motion, _g: &Vec3, _f: &mut [f64]) {}
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        q.iter_mut().zip(delta).for_each(|(q, delta)| *q += delta);
    }
}

impl Quantities for Generalised {
    fn sizes(&self) -> Sizes {
        Sizes { q: self.coordinates.len(), v: self.coordinates.len(), z: 0 }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        self.coordinates.iter().map(|c| Quantity::new(&c.name, c.unit.symbol())).collect()
    }
    fn velocities(&self) -> Vec<Quantity> {
        self.coordinates.iter().map(|c| Quantity::new(&format!("{}'", c.name), c.unit.rate_symbol())).collect()
    }
    fn coordinate_index(&self, name: &str) -> Option<usize> {
        self.coordinates.iter().position(|c| c.name == name)
    }
}

impl Jacobian for Generalised {
    fn apply_transpose(
        &self,
        _q: &[f64],
        _own: &Motion,
        marker: &MarkerPlacement,
        _seen: &Motion,
        on: &Wrench,
        f: &mut [f64],
    ) {
        add_coordinate_force(marker, on, f);
    }
}

impl Energies for Generalised {
    fn potential(&self, q: &[f64], _own: &Motion, _g: &Vec3) -> f64 {
        self.inertia.as_ref().map_or(0.0, |inertia| inertia.potential(q))
    }
    fn kinetic(&self, q: &[f64], v: &[f64], _own: &Motion) -> f64 {
        self.inertia.as_ref().map_or(0.0, |inertia| inertia.kinetic(q, v))
    }
    fn nonconservative_power(&self, _t: f64, q: &[f64], v: &[f64], _z: &[f64]) -> f64 {
        self.inertia.as_ref().map_or(0.0, |inertia| inertia.power(q, v))
    }
}

impl MassMatrix for Generalised {}
impl Manifold for Generalised {}

impl ReferenceFrame for Generalised {
    fn no_frame_reason(&self) -> Option<&'static str> {
        Some("a body with generalised coordinates has no frames: name one of its coordinates instead")
    }
}

#[cfg(test)]
mod tests;
