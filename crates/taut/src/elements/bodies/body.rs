//! The trait of all bodies.

use super::{Energies, Jacobian, Manifold, MassMatrix, Quantities, ReferenceFrame};
use crate::error::ParameterError;
use crate::marker::MarkerPlacement;
use crate::motion::{Motion, Vec3};
use std::fmt::Debug;

/// A body: its coordinates, its inertia, and the frames attached to it.
///
/// ```text
///  q̇ = N(q) v        M(q) v̇ = f + …        of a marker: twist = J(q) v, acceleration = J v̇ + bias
/// ```
///
/// The phases are those of the assembly: [`marker_pose`](Body::marker_pose) depends on q only, [`marker_twist`](Body::marker_twist) also on v.
/// `own` is the motion of the body's reference frame, already computed. `seen` is the motion of the marker.
///
/// A body also implements [`Quantities`], [`Jacobian`] and [`Energies`]. [`MassMatrix`], [`Manifold`] and
/// [`ReferenceFrame`] have defaults for everything: `impl Manifold for Bead {}` is enough.
pub trait Body:
    Quantities + Jacobian + Energies + MassMatrix + Manifold + ReferenceFrame + Debug + Send + Sync
{
    /// Checks the parameters.
    fn check(&self) -> Result<(), ParameterError>;
    /// Sets the initial state given in the model.
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], z: &mut [f64]);

    /// Pose of the reference frame; the identity if the body has none.
    fn frame_pose(&self, q: &[f64], own: &mut Motion);
    /// Pose of one marker.
    fn marker_pose(&self, q: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion);
    /// Twist and bias acceleration of the reference frame.
    fn frame_twist(&self, q: &[f64], v: &[f64], own: &mut Motion);
    /// Twist and bias acceleration of one marker.
    fn marker_twist(&self, q: &[f64], v: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion);

    /// q̇ = N(q) v.
    fn coordinate_rates(&self, q: &[f64], v: &[f64], qdot: &mut [f64]);
    /// The mass matrix M(q), in column-major order.
    fn mass_matrix(&self, q: &[f64], own: &Motion, M: &mut [f64]);
    /// Adds the body's own contributions to f (gyroscopic terms, internal forces) and sets ż.
    fn internal_forces(&self, t: f64, q: &[f64], v: &[f64], z: &[f64], own: &Motion, f: &mut [f64], zdot: &mut [f64]);
    /// Adds the generalised force of a uniform gravity field g.
    fn gravity_force(&self, q: &[f64], own: &Motion, g: &Vec3, f: &mut [f64]);
    /// Moves q by the finite displacement δ (δ has the size of v) and normalises it.
    fn displace(&self, q: &mut [f64], delta: &[f64]);
}
