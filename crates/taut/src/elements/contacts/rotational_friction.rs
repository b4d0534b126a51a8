//! Spinning and rolling friction of a contact point: moments that oppose the relative rotation of the bodies.

use super::point::ContactPoint;
use crate::constraints::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel,
    RowTerms,
};
use crate::error::ParameterError;
use crate::laws::{ConstraintLaw, Friction, FrictionBound, NormalForceSource};
use crate::motion::{Vec3, Wrench};
use crate::scalar::{Jet, dot};

/// Which rotation is opposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RotationalFrictionKind {
    /// About the normal.
    Spin,
    /// About the tangents.
    Roll,
}

/// Spinning or rolling friction in a contact point.
///
/// ```text
///  spin   ψ = n · (w_B − w_A)          |λ| ≤ s N         spinning friction about the normal
///  roll   ψ_i = t_i · (w_B − w_A)      |λ| ≤ r N         rolling resistance
/// ```
///
/// N is the multiplier of the gap; s and r are lengths.
#[derive(Clone, Debug)]
pub struct ContactRotationalFriction {
    pub(crate) point: ContactPoint,
    /// Name of the constraint whose gap gives the normal force.
    pub(crate) gap: String,
    pub(crate) kind: RotationalFrictionKind,
    /// Moment per normal force, m.
    pub(crate) arm: f64,
}

impl Constraint for ContactRotationalFriction {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.point.markers()
    }

    fn rows(&self) -> Vec<RowInfo> {
        let row = |name| RowInfo { name, level: RowLevel::Velocity, unit: "rad" };
        match (self.kind, self.point.slip_count()) {
            (RotationalFrictionKind::Spin, _) => vec![row("spin")],
            (RotationalFrictionKind::Roll, 1) => vec![row("roll")],
            (RotationalFrictionKind::Roll, _) => vec![row("roll1"), row("roll2")],
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_finite("spin or roll", &[self.arm])
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        rows.phi.fill(0.0);
        rows.phi_t.fill(0.0);
        rows.D.fill(Wrench::ZERO);
        let Some(axes) = self.point.contact_axes::<f64>(at) else { return };
        for (axis, on) in self.row_axes(axes).into_iter().zip(rows.D.chunks_exact_mut(2)) {
            let axis = Vec3::from(axis);
            on.copy_from_slice(&[Wrench::moment(-axis), Wrench::moment(axis)]);
        }
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        rows.c.fill(0.0);
        let Some(axes) = self.point.contact_axes::<Jet>(at) else { return };
        let turning = at[1].w - at[0].w;
        let turning = [turning.x, turning.y, turning.z].map(Jet::constant);
        for (c, axis) in rows.c.iter_mut().zip(self.row_axes(axes)) {
            *c = dot(axis, turning).df;
        }
    }

    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Frictional
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for ContactRotationalFriction {}
impl NonSmooth for ContactRotationalFriction {}

impl FrictionLaw for ContactRotationalFriction {
    fn friction_bound(&self, _: &ElementInput) -> FrictionBound {
        FrictionBound::coulomb(Friction::same(self.arm))
    }

    fn normal_force_source(&self) -> NormalForceSource<'_> {
        NormalForceSource::GapOf(&self.gap)
    }
}

impl ContactRotationalFriction {
    /// The axes of its rows, from the normal and the tangents.
    fn row_axes<S: Copy>(&self, [normal, t1, t2]: [S; 3]) -> Vec<S> {
        match (self.kind, self.point.slip_count()) {
            (RotationalFrictionKind::Spin, _) => vec![normal],
            // A body in the plane rolls about the normal of the plane.
            (RotationalFrictionKind::Roll, 1) => vec![t2],
            (RotationalFrictionKind::Roll, _) => vec![t1, t2],
        }
    }
}
