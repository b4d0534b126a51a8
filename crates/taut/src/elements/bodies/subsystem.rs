//! A generic subsystem with coordinates of its own.

use super::coordinate_markers::{add_coordinate_force, coordinate_pose, coordinate_twist};
use super::{Body, Energies, Jacobian, Manifold, MassMatrix, Quantities, Quantity, ReferenceFrame, Sizes, Symmetry};
use crate::error::ParameterError;
use crate::marker::MarkerPlacement;
use crate::motion::{Motion, Vec3, Wrench};
use std::fmt::Debug;
use std::sync::Arc;

/// A generic subsystem with named coordinates of its own, implemented by the user: M(q) q̈ = f(t, q, q̇, z), ż = s(t, q, q̇, z).
///
/// Constraints can be added to any set of second-order equations in this way, without rewriting it: \[Masarati2010\] §3.4.
/// The mass matrix may be non-symmetric (\[FumagalliMasarati2009\], appendix 2).
pub trait Subsystem: Debug + Send + Sync {
    /// Names and units of the coordinates; the velocity of coordinate `s` is called `s'`.
    fn coordinates(&self) -> Vec<Quantity>;
    /// How many extra first-order states there are.
    fn state_count(&self) -> usize {
        0
    }
    /// Coordinates, velocities and extra states at the start.
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], z: &mut [f64]);
    /// The mass matrix M(q), in column-major order.
    fn mass_matrix(&self, q: &[f64], M: &mut [f64]);
    /// Whether M is symmetric for every q.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Symmetric
    }
    /// Turns a row that acts on the velocities into the generalised force of a unit multiplier.
    ///
    /// With ω = X q̇ and equations for ω (M_ω X q̈ = f + A_ωᵀλ), a row on the coordinates is A_ω X, and this method multiplies
    /// by X⁻ᵀ; it does nothing if M is symmetric. The reaction belongs to the test space (\[FumagalliMasarati2009\] §5, whose
    /// A*ᵀ is wrong there).
    fn reaction_row(&self, _q: &[f64], _row: &mut [f64]) {}
    /// Sets f and ż.
    fn forces(&self, t: f64, q: &[f64], v: &[f64], z: &[f64], f: &mut [f64], zdot: &mut [f64]);
    /// Potential energy of the conservative forces.
    fn potential(&self, _q: &[f64]) -> f64 {
        0.0
    }
    /// Kinetic energy, if it is not ½ vᵀ M v (non-symmetric M).
    fn kinetic(&self, _q: &[f64], _v: &[f64]) -> Option<f64> {
        None
    }
    /// Power of the forces that `potential` and `kinetic` do not contain.
    fn nonconservative_power(&self, _t: f64, _q: &[f64], _v: &[f64], _z: &[f64]) -> f64 {
        0.0
    }
}

/// A [`Subsystem`] as a body. Its markers are its coordinates; it has no frames.
#[derive(Clone, Debug)]
pub struct SubsystemBody {
    subsystem: Arc<dyn Subsystem>,
    size: usize,
}

impl SubsystemBody {
    /// Wraps a subsystem.
    pub fn new<S: Subsystem + 'static>(subsystem: S) -> SubsystemBody {
        let size = subsystem.coordinates().len();
        SubsystemBody { subsystem: Arc::new(subsystem), size }
    }
}

impl Body for SubsystemBody {
    fn check(&self) -> Result<(), ParameterError> {
        if self.size == 0 {
            return Err(ParameterError::invalid("coordinates", "a subsystem needs at least one coordinate"));
        }
        let (mut q, mut v, mut z) =
            (vec![0.0; self.size], vec![0.0; self.size], vec![0.0; self.subsystem.state_count()]);
        self.subsystem.initial_state(&mut q, &mut v, &mut z);
        ParameterError::check_finite("initial coordinates", &q)?;
        ParameterError::check_finite("initial velocities", &v)?;
        ParameterError::check_finite("initial states", &z)?;
        let mut M = vec![0.0; self.size * self.size];
        self.subsystem.mass_matrix(&q, &mut M);
        ParameterError::check_finite("mass matrix", &M)?;
        let n = self.size;
        let asymmetry = (0..n * n).map(|k| (M[k] - M[(k % n) * n + k / n]).abs()).fold(0.0, f64::max);
        let size = M.iter().fold(0.0_f64, |a, m| a.max(m.abs()));
        let M = nalgebra::DMatrix::from_column_slice(n, n, &M);
        match self.subsystem.symmetry() {
            Symmetry::Symmetric if asymmetry > 1e-12 * size => Err(ParameterError::invalid(
                "mass matrix",
                "not symmetric: return Symmetry::NonSymmetric if this is intended",
            )),
            Symmetry::Symmetric if nalgebra::Cholesky::new(M).is_none() => {
                Err(ParameterError::invalid("mass matrix", "not positive definite at the start"))
            }
            _ => Ok(()),
        }
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], z: &mut [f64]) {
        self.subsystem.initial_state(q, v, z);
    }

    fn frame_pose(&self, _q: &[f64], _own: &mut Motion) {}
    fn marker_pose(&self, q: &[f64], _own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        coordinate_pose(marker, q, seen);
    }
    fn frame_twist(&self, _q: &[f64], _v: &[f64], _own: &mut Motion) {}
    fn marker_twist(&self, _q: &[f64], v: &[f64], _own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        coordinate_twist(marker, v, seen);
    }

    fn mass_matrix(&self, q: &[f64], _own: &Motion, M: &mut [f64]) {
        self.subsystem.mass_matrix(q, M);
    }
    fn coordinate_rates(&self, _q: &[f64], v: &[f64], qdot: &mut [f64]) {
        qdot.copy_from_slice(v);
    }
    fn internal_forces(&self, t: f64, q: &[f64], v: &[f64], z: &[f64], _own: &Motion, f: &mut [f64], zdot: &mut [f64]) {
        // Called before any other force, so setting f equals adding to it.
        self.subsystem.forces(t, q, v, z, f, zdot);
    }
    fn gravity_force(&self, _q: &[f64], _own: &Motion, _g: &Vec3, _f: &mut [f64]) {}
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        (0..self.size).for_each(|i| q[i] += delta[i]);
    }
}

impl Quantities for SubsystemBody {
    fn sizes(&self) -> Sizes {
        Sizes { q: self.size, v: self.size, z: self.subsystem.state_count() }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        self.subsystem.coordinates()
    }
    fn velocities(&self) -> Vec<Quantity> {
        let rate = |q: Quantity| Quantity {
            name: format!("{}'", q.name),
            unit: match q.unit {
                "m" => "m/s",
                "rad" => "rad/s",
                _ => "1/s",
            },
        };
        self.subsystem.coordinates().into_iter().map(rate).collect()
    }
    fn coordinate_index(&self, name: &str) -> Option<usize> {
        self.subsystem.coordinates().iter().position(|c| c.name == name)
    }
}

impl Jacobian for SubsystemBody {
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

impl Energies for SubsystemBody {
    fn potential(&self, q: &[f64], _own: &Motion, _g: &Vec3) -> f64 {
        self.subsystem.potential(q)
    }
    fn kinetic(&self, q: &[f64], v: &[f64], _own: &Motion) -> f64 {
        self.subsystem.kinetic(q, v).unwrap_or_else(|| {
            let n = self.size;
            let mut M = vec![0.0; n * n];
            self.subsystem.mass_matrix(q, &mut M);
            (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| 0.5 * v[i] * M[j * n + i] * v[j]).sum()
        })
    }
    fn nonconservative_power(&self, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> f64 {
        self.subsystem.nonconservative_power(t, q, v, z)
    }
}

impl MassMatrix for SubsystemBody {
    fn symmetry(&self) -> Symmetry {
        self.subsystem.symmetry()
    }
    fn reaction_row(&self, q: &[f64], row: &mut [f64]) {
        self.subsystem.reaction_row(q, row);
    }
}

impl Manifold for SubsystemBody {}

impl ReferenceFrame for SubsystemBody {
    fn no_frame_reason(&self) -> Option<&'static str> {
        Some("a subsystem has coordinates but no frames: name one of its coordinates instead")
    }
}
