//! Kinds of body velocities: how they rotate with a frame and evolve in a steady motion.
//!
//! A steady motion keeps its velocities in a frame that rotates with Ω. Displacements x of one instant become Z(t) x later. Bodies
//! differ only in Z:
//!
//! ```text
//!  points, velocities, ω      Z = exp(Ω× t)
//!  Euler parameters           Z x = o ∘ x ∘ e₀⁻¹ ∘ o⁻¹ ∘ e(t)       o = exp(½ Ω t):  rotations relative to the frame, added to the motion
//!  Gibbs–Rodrigues            Z = (I − g×/2 + g gᵀ/4) exp(Ω× t)      g from the present orientation on: g = 0 and ġ = ω now
//!  frame-independent          Z = I
//! ```

use crate::bodies::{BodyKind, RateJacobian};
use crate::model::BodyEntry;
use crate::motion::Vec3;
use crate::state::State;
use nalgebra::{Quaternion, Rotation3};

/// A block of consecutive velocities of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VelocityBlock {
    /// The velocity of a point.
    Point,
    /// The velocity of a point in the plane, and the rate of an angle.
    Planar,
    /// The velocity of a point, and ω.
    PointAndAngular,
    /// The velocity of a point, and the rates of Euler parameters.
    EulerParameters,
    /// The velocity of a point, and the rates of Gibbs–Rodrigues parameters.
    Rodrigues,
    /// Numbers that are the same in every frame.
    FrameIndependent(usize),
    /// Numbers that are defined in the world frame only.
    WorldFixed(usize),
}

impl VelocityBlock {
    /// Number of velocities.
    pub fn size(self) -> usize {
        match self {
            VelocityBlock::Point | VelocityBlock::Planar => 3,
            VelocityBlock::PointAndAngular | VelocityBlock::Rodrigues => 6,
            VelocityBlock::EulerParameters => 7,
            VelocityBlock::FrameIndependent(n) | VelocityBlock::WorldFixed(n) => n,
        }
    }
}

/// The blocks of a body's velocities.
pub(super) fn velocity_blocks(b: &BodyEntry, v: &[f64]) -> Vec<VelocityBlock> {
    let n = b.v.len();
    let spatial = matches!(b.kind.body().rate_jacobian(v), RateJacobian::Quaternion(_));
    match &b.kind {
        BodyKind::PointMass(_) => vec![VelocityBlock::Point],
        BodyKind::Planar(_) => vec![VelocityBlock::Planar],
        BodyKind::Rigid(_) | BodyKind::EulerAngles(_) => vec![VelocityBlock::PointAndAngular],
        BodyKind::EulerParameters(_) => vec![VelocityBlock::EulerParameters],
        BodyKind::Rodrigues(_) => vec![VelocityBlock::Rodrigues],
        BodyKind::Modal(_) if spatial => vec![VelocityBlock::PointAndAngular, VelocityBlock::FrameIndependent(n - 6)],
        BodyKind::Modal(_) => vec![VelocityBlock::Planar, VelocityBlock::FrameIndependent(n - 3)],
        BodyKind::BeamNodes(_) => {
            let count = b.kind.members().len().max(1);
            vec![if n == 6 * count { VelocityBlock::PointAndAngular } else { VelocityBlock::Planar }; count]
        }
        BodyKind::Subsystem(_) | BodyKind::Variable(_) | BodyKind::Generalised(_) => {
            vec![VelocityBlock::FrameIndependent(n)]
        }
        BodyKind::Ritz(_) => vec![VelocityBlock::WorldFixed(n)],
        _ if spatial => vec![VelocityBlock::PointAndAngular, VelocityBlock::FrameIndependent(n - 6)],
        _ => vec![VelocityBlock::WorldFixed(n)],
    }
}

/// A quaternion from coordinates (w, x, y, z).
pub(super) fn quaternion(e: &[f64]) -> Quaternion<f64> {
    Quaternion::new(e[0], e[1], e[2], e[3])
}

/// ½ w as a quaternion.
pub(super) fn half_quaternion(w: &Vec3) -> Quaternion<f64> {
    Quaternion::from_imag(0.5 * w)
}

/// Angular velocity of a block, if it has one.
pub(super) fn angular_velocity(piece: VelocityBlock, q: &[f64], v: &[f64]) -> Option<Vec3> {
    match piece {
        VelocityBlock::PointAndAngular | VelocityBlock::Rodrigues => Some(Vec3::new(v[3], v[4], v[5])),
        VelocityBlock::Planar => Some(Vec3::new(0.0, 0.0, v[2])),
        VelocityBlock::EulerParameters => {
            // ω = 2 ė ∘ e⁻¹
            let w = quaternion(&v[3..7]) * quaternion(&q[3..7]).conjugate();
            Some(2.0 * w.imag())
        }
        VelocityBlock::Point | VelocityBlock::FrameIndependent(_) | VelocityBlock::WorldFixed(_) => None,
    }
}

/// Makes the present orientation the reference of Gibbs–Rodrigues parameters: ω̇ = Γ g̈ + Γ̇ ġ replaces g̈.
pub(in crate::analyses) fn recentre_rodrigues(bodies: &[BodyEntry], state: &mut State, vdot: &mut [f64]) {
    for b in bodies.iter().filter(|b| matches!(b.kind, BodyKind::Rodrigues(_))) {
        let body = b.kind.body();
        let mut own = crate::motion::Motion::REST;
        let (q, v) = (&mut state.q[b.q.clone()], &mut state.v[b.v.clone()]);
        body.frame_pose(q, &mut own);
        body.frame_twist(q, v, &mut own);
        let g = Vec3::new(q[3], q[4], q[5]);
        let gamma = (nalgebra::Matrix3::identity() + g.cross_matrix() * 0.5) * (4.0 / (4.0 + g.norm_squared()));
        let rates = &mut vdot[b.v.clone()][3..6];
        let alpha = gamma * Vec3::new(rates[0], rates[1], rates[2]) + own.bw;
        rates.copy_from_slice(alpha.as_slice());
        let attitude = body.attitude(q);
        q[3..6].fill(0.0);
        q[6..10].copy_from_slice(&attitude);
        v[3..6].copy_from_slice(own.w.as_slice());
    }
}

/// exp(w t).
pub(super) fn rotation_by(w: &Vec3, t: f64) -> Rotation3<f64> {
    Rotation3::new(w * t)
}

/// Whether the rotational velocities of a body are rates of parameters.
pub(super) fn has_parameters(b: &BodyEntry) -> bool {
    matches!(b.kind, BodyKind::Rodrigues(_) | BodyKind::EulerParameters(_))
}
