//! A generic subsystem with coordinates of its own: M(q) q̈ = f(t, q, q̇, z), ż = s(t, q, q̇, z).
//!
//! Constraints can be added to any set of second-order equations in this way, without rewriting it: [Masarati2010] §3.4.
//! The mass matrix may be non-symmetric ([FumagalliMasarati2009], appendix 2).

use super::{Body, Energies, Jacobian, Manifold, MassMatrix, Quantities, Quantity, ReferenceFrame, Sizes, Symmetry};
use crate::error::Fault;
use crate::marker::Place;
use crate::motion::{Motion, Vec3, Wrench};
use std::fmt::Debug;
use std::sync::Arc;

/// Implemented by the user: coordinates with names, their mass matrix and forces.
pub trait Subsystem: Debug + Send + Sync {
    /// Names and units of the coordinates; the velocity of coordinate `s` is called `s'`.
    fn coordinates(&self) -> Vec<Quantity>;
    /// How many extra first-order states there are.
    fn states(&self) -> usize {
        0
    }
    /// Coordinates, velocities and extra states at the start.
    fn initial(&self, q: &mut [f64], v: &mut [f64], z: &mut [f64]);
    /// The mass matrix M(q), in column-major order.
    fn mass(&self, q: &[f64], M: &mut [f64]);
    /// Whether M is symmetric for every q.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Symmetric
    }
    /// Turns a row that acts on the velocities into the generalised force of a unit multiplier.
    ///
    /// With ω = X q̇ and equations for ω (M_ω X q̈ = f + A_ωᵀλ), a row on the coordinates is A_ω X, and this method multiplies
    /// by X⁻ᵀ; it does nothing if M is symmetric. The reaction belongs to the test space (\[FumagalliMasarati2009\] §5, whose
    /// A*ᵀ is wrong there).
    fn react(&self, _q: &[f64], _row: &mut [f64]) {}
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
    fn loss(&self, _t: f64, _q: &[f64], _v: &[f64], _z: &[f64]) -> f64 {
        0.0
    }
}

/// A [`Subsystem`] as a body. Its markers are its coordinates; it has no frames.
#[derive(Clone, Debug)]
pub struct SubsystemBody {
    inside: Arc<dyn Subsystem>,
    size: usize,
}

impl SubsystemBody {
    /// Wraps a subsystem.
    pub fn new<S: Subsystem + 'static>(subsystem: S) -> SubsystemBody {
        let size = subsystem.coordinates().len();
        SubsystemBody { inside: Arc::new(subsystem), size }
    }
}

impl Body for SubsystemBody {
    fn check(&self) -> Result<(), Fault> {
        if self.size == 0 {
            return Err(Fault::value("coordinates", "a subsystem needs at least one coordinate"));
        }
        let (mut q, mut v, mut z) = (vec![0.0; self.size], vec![0.0; self.size], vec![0.0; self.inside.states()]);
        self.inside.initial(&mut q, &mut v, &mut z);
        Fault::finite("initial coordinates", &q)?;
        Fault::finite("initial velocities", &v)?;
        Fault::finite("initial states", &z)?;
        let mut M = vec![0.0; self.size * self.size];
        self.inside.mass(&q, &mut M);
        Fault::finite("mass matrix", &M)?;
        let n = self.size;
        let asymmetry = (0..n * n).map(|k| (M[k] - M[(k % n) * n + k / n]).abs()).fold(0.0, f64::max);
        let size = M.iter().fold(0.0_f64, |a, m| a.max(m.abs()));
        let M = nalgebra::DMatrix::from_column_slice(n, n, &M);
        match self.inside.symmetry() {
            Symmetry::Symmetric if asymmetry > 1e-12 * size => {
                Err(Fault::value("mass matrix", "not symmetric: return Symmetry::NonSymmetric if this is intended"))
            }
            Symmetry::Symmetric if nalgebra::Cholesky::new(M).is_none() => {
                Err(Fault::value("mass matrix", "not positive definite at the start"))
            }
            _ => Ok(()),
        }
    }
    fn initial(&self, q: &mut [f64], v: &mut [f64], z: &mut [f64]) {
        self.inside.initial(q, v, z);
    }

    fn reference(&self, _q: &[f64], _own: &mut Motion) {}
    fn place(&self, q: &[f64], _own: &Motion, marker: &Place, seen: &mut Motion) {
        if let Place::Coordinate(i) = marker {
            seen.p.x = q[*i];
        }
    }
    fn reference_twist(&self, _q: &[f64], _v: &[f64], _own: &mut Motion) {}
    fn twist(&self, _q: &[f64], v: &[f64], _own: &Motion, marker: &Place, seen: &mut Motion) {
        if let Place::Coordinate(i) = marker {
            seen.v.x = v[*i];
        }
    }

    fn mass(&self, q: &[f64], _own: &Motion, M: &mut [f64]) {
        self.inside.mass(q, M);
    }
    fn kinematics(&self, _q: &[f64], v: &[f64], qdot: &mut [f64]) {
        qdot.copy_from_slice(v);
    }
    fn inner(&self, t: f64, q: &[f64], v: &[f64], z: &[f64], _own: &Motion, f: &mut [f64], zdot: &mut [f64]) {
        // Called before any other force, so setting f equals adding to it.
        self.inside.forces(t, q, v, z, f, zdot);
    }
    fn weight(&self, _q: &[f64], _own: &Motion, _g: &Vec3, _f: &mut [f64]) {}
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        (0..self.size).for_each(|i| q[i] += delta[i]);
    }
}

impl Quantities for SubsystemBody {
    fn sizes(&self) -> Sizes {
        Sizes { q: self.size, v: self.size, z: self.inside.states() }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        self.inside.coordinates()
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
        self.inside.coordinates().into_iter().map(rate).collect()
    }
    fn coordinate(&self, name: &str) -> Option<usize> {
        self.inside.coordinates().iter().position(|c| c.name == name)
    }
}

impl Jacobian for SubsystemBody {
    fn pull(&self, _q: &[f64], _own: &Motion, marker: &Place, _seen: &Motion, on: &Wrench, f: &mut [f64]) {
        if let Place::Coordinate(i) = marker {
            f[*i] += on.f.x;
        }
    }
}

impl Energies for SubsystemBody {
    fn potential(&self, q: &[f64], _own: &Motion, _g: &Vec3) -> f64 {
        self.inside.potential(q)
    }
    fn kinetic(&self, q: &[f64], v: &[f64], _own: &Motion) -> f64 {
        self.inside.kinetic(q, v).unwrap_or_else(|| {
            let n = self.size;
            let mut M = vec![0.0; n * n];
            self.inside.mass(q, &mut M);
            (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| 0.5 * v[i] * M[j * n + i] * v[j]).sum()
        })
    }
    fn loss(&self, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> f64 {
        self.inside.loss(t, q, v, z)
    }
}

impl MassMatrix for SubsystemBody {
    fn symmetry(&self) -> Symmetry {
        self.inside.symmetry()
    }
    fn react(&self, q: &[f64], row: &mut [f64]) {
        self.inside.react(q, row);
    }
}

impl Manifold for SubsystemBody {}

impl ReferenceFrame for SubsystemBody {
    fn frameless(&self) -> Option<&'static str> {
        Some("a subsystem has coordinates but no frames: name one of its coordinates instead")
    }
}
