//! What the velocities of a body are: how they turn, how they go on in a steady motion, in which of them coefficients can be constant.
//!
//! A steady motion keeps its velocities in a frame that turns with Ω. With the displacements x of one instant, a later one
//! has Z(t) x, and this is the whole difference between bodies:
//!
//! ```text
//!  points, velocities, ω      Z = exp(Ω× t)
//!  Euler parameters           Z x = o ∘ x ∘ e₀⁻¹ ∘ o⁻¹ ∘ e(t)       o = exp(½ Ω t):  turns seen from the frame, on top of the motion
//!  Gibbs–Rodrigues            Z = (I − g×/2 + g gᵀ/4) exp(Ω× t)      g from the present orientation on: g = 0 and ġ = ω now
//!  numbers of their own       Z = I
//! ```

use crate::bodies::{BodyKind, Swirl};
use crate::model::BodyEntry;
use crate::motion::Vec3;
use crate::state::State;
use nalgebra::{Quaternion, Rotation3};

/// What some velocities of a body are, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The velocity of a point.
    Point,
    /// The velocity of a point in the plane, and the rate of an angle.
    Plane,
    /// The velocity of a point, and ω.
    Spin,
    /// The velocity of a point, and the rates of Euler parameters.
    EulerParameters,
    /// The velocity of a point, and the rates of Gibbs–Rodrigues parameters.
    Rodrigues,
    /// Numbers that are the same in every frame.
    Own(usize),
    /// Numbers that know no frame but the world.
    Fixed(usize),
}

impl Piece {
    /// How many velocities.
    pub fn size(self) -> usize {
        match self {
            Piece::Point | Piece::Plane => 3,
            Piece::Spin | Piece::Rodrigues => 6,
            Piece::EulerParameters => 7,
            Piece::Own(n) | Piece::Fixed(n) => n,
        }
    }
}

/// The pieces of a body's velocities.
pub(super) fn pieces(b: &BodyEntry, v: &[f64]) -> Vec<Piece> {
    let n = b.v.len();
    let spatial = matches!(b.kind.body().swirl(v), Swirl::Turning(_));
    match &b.kind {
        BodyKind::PointMass(_) => vec![Piece::Point],
        BodyKind::Planar(_) => vec![Piece::Plane],
        BodyKind::Rigid(_) | BodyKind::EulerAngles(_) => vec![Piece::Spin],
        BodyKind::EulerParameters(_) => vec![Piece::EulerParameters],
        BodyKind::Rodrigues(_) => vec![Piece::Rodrigues],
        BodyKind::Modal(_) if spatial => vec![Piece::Spin, Piece::Own(n - 6)],
        BodyKind::Modal(_) => vec![Piece::Plane, Piece::Own(n - 3)],
        BodyKind::BeamNodes(_) => {
            let count = b.kind.members().len().max(1);
            vec![if n == 6 * count { Piece::Spin } else { Piece::Plane }; count]
        }
        BodyKind::Subsystem(_) | BodyKind::Variable(_) => vec![Piece::Own(n)],
        BodyKind::Custom(_) if spatial => vec![Piece::Spin, Piece::Own(n - 6)],
        BodyKind::Ritz(_) | BodyKind::Custom(_) => vec![Piece::Fixed(n)],
    }
}

/// A quaternion (w, x, y, z) as coordinates hold it.
pub(super) fn quaternion(e: &[f64]) -> Quaternion<f64> {
    Quaternion::new(e[0], e[1], e[2], e[3])
}

/// ½ w as a quaternion.
pub(super) fn half(w: &Vec3) -> Quaternion<f64> {
    Quaternion::from_imag(0.5 * w)
}

/// Angular velocity of the first frame of a piece, where it has one.
pub(super) fn spin(piece: Piece, q: &[f64], v: &[f64]) -> Option<Vec3> {
    match piece {
        Piece::Spin | Piece::Rodrigues => Some(Vec3::new(v[3], v[4], v[5])),
        Piece::Plane => Some(Vec3::new(0.0, 0.0, v[2])),
        Piece::EulerParameters => {
            // ω = 2 ė ∘ e⁻¹
            let w = quaternion(&v[3..7]) * quaternion(&q[3..7]).conjugate();
            Some(2.0 * w.imag())
        }
        Piece::Point | Piece::Own(_) | Piece::Fixed(_) => None,
    }
}

/// The present orientation becomes the one from which Gibbs–Rodrigues parameters count: ω̇ = Γ g̈ + Γ̇ ġ takes the place of g̈.
pub(super) fn recentre(bodies: &[BodyEntry], state: &mut State, vdot: &mut [f64]) {
    for b in bodies.iter().filter(|b| matches!(b.kind, BodyKind::Rodrigues(_))) {
        let body = b.kind.body();
        let mut own = crate::motion::Motion::REST;
        let (q, v) = (&mut state.q[b.q.clone()], &mut state.v[b.v.clone()]);
        body.reference(q, &mut own);
        body.reference_twist(q, v, &mut own);
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
pub(super) fn turned(w: &Vec3, t: f64) -> Rotation3<f64> {
    Rotation3::new(w * t)
}

/// Whether the rates of a body's rotation are those of parameters.
pub(super) fn has_parameters(b: &BodyEntry) -> bool {
    matches!(b.kind, BodyKind::Rodrigues(_) | BodyKind::EulerParameters(_))
}
