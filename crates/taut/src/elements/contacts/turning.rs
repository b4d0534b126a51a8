//! Spinning and rolling friction of a contact point: moments that oppose the relative rotation of the bodies.
//!
//! ```text
//!  spin   ψ = n · (w_B − w_A)          |λ| ≤ s N         spinning friction about the normal
//!  roll   ψ_i = t_i · (w_B − w_A)      |λ| ≤ r N         rolling resistance
//! ```
//!
//! N is the multiplier of the gap; s and r are lengths.

use super::point::ContactPoint;
use crate::constraints::{
    Constraint, Dependence, ExtraStates, FrictionLaw, Level, NonSmooth, Reference, Row, Rows, View,
};
use crate::error::Fault;
use crate::laws::{Friction, Grip, Law, Press};
use crate::motion::{Vec3, Wrench};
use crate::scalar::{Jet, dot};

/// Which rotation is opposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// About the normal.
    Spin,
    /// About the tangents.
    Roll,
}

/// Spinning or rolling friction in a contact point.
#[derive(Clone, Debug)]
pub struct ContactTurning {
    pub(crate) point: ContactPoint,
    /// Name of the constraint whose gap gives the normal force.
    pub(crate) gap: String,
    pub(crate) turn: Turn,
    /// Moment per normal force, m.
    pub(crate) arm: f64,
}

impl Constraint for ContactTurning {
    fn markers(&self) -> Vec<Reference<'_>> {
        self.point.markers()
    }

    fn rows(&self) -> Vec<Row> {
        let row = |name| Row { name, level: Level::Velocity, unit: "rad" };
        match (self.turn, self.point.slips()) {
            (Turn::Spin, _) => vec![row("spin")],
            (Turn::Roll, 1) => vec![row("roll")],
            (Turn::Roll, _) => vec![row("roll1"), row("roll2")],
        }
    }

    fn check(&self) -> Result<(), Fault> {
        Fault::finite("spin or roll", &[self.arm])
    }

    fn place(&self, at: &View, rows: &mut Rows) {
        rows.phi.fill(0.0);
        rows.phi_t.fill(0.0);
        rows.D.fill(Wrench::ZERO);
        let Some(axes) = self.point.axes::<f64>(at) else { return };
        for (axis, on) in self.about(axes).into_iter().zip(rows.D.chunks_exact_mut(2)) {
            let axis = Vec3::from(axis);
            on.copy_from_slice(&[Wrench::moment(-axis), Wrench::moment(axis)]);
        }
    }

    fn carry(&self, at: &View, rows: &mut Rows) {
        rows.c.fill(0.0);
        let Some(axes) = self.point.axes::<Jet>(at) else { return };
        let turning = at[1].w - at[0].w;
        let turning = [turning.x, turning.y, turning.z].map(Jet::constant);
        for (c, axis) in rows.c.iter_mut().zip(self.about(axes)) {
            *c = dot(axis, turning).df;
        }
    }

    fn law(&self) -> Law {
        Law::Gripping
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for ContactTurning {}
impl NonSmooth for ContactTurning {}

impl FrictionLaw for ContactTurning {
    fn grip(&self, _: &View) -> Grip {
        Grip::coulomb(Friction::same(self.arm))
    }

    fn press(&self) -> Press<'_> {
        Press::GapOf(&self.gap)
    }
}

impl ContactTurning {
    /// The axes of its rows, from the normal and the tangents.
    fn about<S: Copy>(&self, [normal, t1, t2]: [S; 3]) -> Vec<S> {
        match (self.turn, self.point.slips()) {
            (Turn::Spin, _) => vec![normal],
            // A body in the plane rolls about the normal of the plane.
            (Turn::Roll, 1) => vec![t2],
            (Turn::Roll, _) => vec![t1, t2],
        }
    }
}
