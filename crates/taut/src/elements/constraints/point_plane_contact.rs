//! A point that stays on one side of a plane: rests, slides, lifts off.

use super::stop::plastic;
use super::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel,
    RowTerms,
};
use crate::error::ParameterError;
use crate::laws::{ConstraintLaw, Friction, FrictionBound, Impact, NormalForceSource};
use crate::measures::{Axis, Measure};
use serde::{Deserialize, Serialize};

/// Displacements of B along x, y, z of A, without names: D and c of the rows.
pub(super) static AXIS_SLIDES: [Measure; 3] = [slide(Axis::X), slide(Axis::Y), slide(Axis::Z)];

const fn slide(axis: Axis) -> Measure {
    Measure::Slide { a: String::new(), b: String::new(), axis }
}

/// The axes of the plane along which there is friction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlipAxes {
    /// None: frictionless.
    #[default]
    None,
    /// One: for bodies that move in the plane of this axis and the normal.
    One(Axis),
    /// Both: for bodies in space.
    Two,
}

impl SlipAxes {
    fn axes(self) -> &'static [usize] {
        match self {
            SlipAxes::None => &[],
            SlipAxes::One(Axis::X) => &[0],
            SlipAxes::One(_) => &[1],
            SlipAxes::Two => &[0, 1],
        }
    }
}

/// The origin of `point` stays on the +z side of the xy plane of `plane`.
///
/// With the plane xy of A, its normal z, and d = p_B − p_A,
///
/// ```text
///  gap    φ = z·d ≥ 0                                   λ: normal force
///  slip   ψ = e·(v_B − v_A − w_A×d),  e = x, y of A     friction, bounded by μ λ
/// ```
///
/// The slip is the velocity of the material point of B relative to the plane. Bodies in the plane have one slip direction,
/// bodies in space two; a frictionless point needs none. Each row is a unit force at the point: D_B = (e, 0),
/// D_A = (−e, e×d).
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A mass on a slope of 45° with μ = 0.5 slides with g (sin α − μ cos α).
/// let g = 9.81 * 0.5_f64.sqrt();
/// let touch = PointPlaneContact::new("ground", "mass").friction(Friction::same(0.5), SlipAxes::Two);
/// let mut spec = Spec::new();
/// spec.gravity([g, 0.0, -g]).body("mass", PointMass::new(1.0, [0.0; 3])).constraint("touch", touch);
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(1.0))?;
/// assert!((run.last("mass.x")? - 0.5 * (g - 0.5 * g)).abs() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointPlaneContact {
    /// Frame of the plane, z along its normal.
    pub plane: String,
    /// The point.
    pub point: String,
    /// The axes along which there is friction.
    #[serde(default)]
    pub tangents: SlipAxes,
    /// Coefficients of friction.
    #[serde(default = "frictionless")]
    pub friction: Friction,
    /// Impact when the point reaches the plane; default: plastic.
    #[serde(default = "plastic")]
    pub impact: Impact,
}

fn frictionless() -> Friction {
    Friction::NONE
}

impl PointPlaneContact {
    /// Without friction, and without rebound.
    pub fn new(plane: &str, point: &str) -> PointPlaneContact {
        PointPlaneContact {
            plane: plane.to_string(),
            point: point.to_string(),
            tangents: SlipAxes::None,
            friction: Friction::NONE,
            impact: Impact::PLASTIC,
        }
    }

    /// The same with friction along these axes.
    pub fn friction(mut self, friction: Friction, tangents: SlipAxes) -> PointPlaneContact {
        (self.friction, self.tangents) = (friction, tangents);
        self
    }

    /// The same with another impact law.
    pub fn impact(mut self, impact: Impact) -> PointPlaneContact {
        self.impact = impact;
        self
    }

    /// Axes of A in the order of the rows.
    #[inline(always)]
    fn axes(&self) -> impl Iterator<Item = usize> {
        std::iter::once(2).chain(self.tangents.axes().iter().copied())
    }
}

impl Constraint for PointPlaneContact {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(&self.plane), MarkerReference::frame(&self.point)]
    }

    fn rows(&self) -> Vec<RowInfo> {
        let gap = RowInfo { name: "gap", level: RowLevel::Position, unit: "m" };
        let slips = self.tangents.axes().iter().map(|i| ["slip_x", "slip_y"][*i]);
        std::iter::once(gap).chain(slips.map(|name| RowInfo { name, level: RowLevel::Velocity, unit: "m" })).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.friction.check()?;
        self.impact.check()?;
        if self.tangents == SlipAxes::One(Axis::Z) {
            return Err(ParameterError::invalid("tangents", "z is the normal; the point slides along x or y"));
        }
        if self.tangents == SlipAxes::None && self.friction != Friction::NONE {
            return Err(ParameterError::invalid(
                "tangents",
                "friction needs at least one axis to slide along; give one axis or two",
            ));
        }
        Ok(())
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        for (r, i) in self.axes().enumerate() {
            let m = AXIS_SLIDES[i].position_terms(at);
            if r == 0 {
                rows.phi[0] = m.s;
            }
            rows.phi_t[r] = 0.0;
            rows.D[2 * r..2 * r + 2].copy_from_slice(&m.D);
        }
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        for (r, i) in self.axes().enumerate() {
            rows.c[r] = AXIS_SLIDES[i].convective_term(at);
        }
    }

    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Unilateral(self.impact)
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for PointPlaneContact {}
impl NonSmooth for PointPlaneContact {}

impl FrictionLaw for PointPlaneContact {
    fn friction_bound(&self, _at: &ElementInput) -> FrictionBound {
        FrictionBound::coulomb(self.friction)
    }

    fn normal_force_source(&self) -> NormalForceSource<'_> {
        NormalForceSource::OwnGap
    }
}

#[cfg(test)]
mod tests {
    use super::super::ConstraintKind;
    use super::super::conformance::{Rig, evaluate, resultant};
    use super::*;
    use crate::motion::{Motion, Vec3};

    fn all() -> [PointPlaneContact; 4] {
        let point = || PointPlaneContact::new("a", "b");
        let rough = |tangents| point().friction(Friction { stick: 0.5, slip: 0.4 }, tangents);
        [point(), rough(SlipAxes::One(Axis::X)), rough(SlipAxes::One(Axis::Y)), rough(SlipAxes::Two)]
    }

    #[test]
    fn rates_follow_the_motion() {
        for (point, rows) in all().iter().zip([1, 2, 2, 3]) {
            Rig::two_frames().check_identities(point);
            assert_eq!(point.rows().len(), rows);
        }
    }

    #[test]
    fn gap_and_slip_of_a_point_over_a_moving_belt() {
        let belt = Motion { v: Vec3::new(2.0, 0.0, 0.0), ..Motion::REST };
        let point = Motion { p: Vec3::new(0.3, 0.1, 0.05), v: Vec3::new(2.5, -1.0, -4.0), ..Motion::REST };
        let seen = evaluate(&all()[3], &[belt, point]);
        assert_eq!((seen.phi[0], seen.rates), (0.05, vec![-4.0, 0.5, -1.0]));
    }

    #[test]
    fn what_rides_on_a_turntable_does_not_slip() {
        let (w, p) = (Vec3::new(0.0, 0.0, 3.0), Vec3::new(2.0, 1.0, 0.0));
        let table = Motion { w, ..Motion::REST };
        // Its acceleration relative to the table is zero as well.
        let rider = Motion { p, w, v: w.cross(&p), bv: w.cross(&w.cross(&p)), ..Motion::REST };
        let seen = evaluate(&all()[3], &[table, rider]);
        assert_eq!(seen.rates, vec![0.0; 3]);
        assert!(seen.accelerations.iter().all(|a| a.abs() < 1e-13), "{:?}", seen.accelerations);
    }

    #[test]
    fn action_equals_reaction() {
        let motions = Rig::two_frames().motions(0.4);
        let seen = evaluate(&all()[3], &motions);
        for D in seen.D.chunks(2) {
            let sum = resultant(&motions, D);
            assert!(sum.f.norm() + sum.m.norm() < 1e-14);
        }
    }

    #[test]
    fn it_passes_through_a_file() {
        let text = r#"{"type": "point_plane_contact", "plane": "ground", "point": "box.corner",
            "tangents": {"one": "x"}, "friction": {"stick": 0.3, "slip": 0.2}}"#;
        let ConstraintKind::PointPlaneContact(found) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
        assert_eq!((found.tangents, found.friction.slip), (SlipAxes::One(Axis::X), 0.2));
        assert_eq!(
            (found.friction_bound(&ElementInput::new(0.0, &[], &[], &[])), found.normal_force_source()),
            (FrictionBound::coulomb(found.friction), NormalForceSource::OwnGap)
        );
        assert_eq!(serde_json::from_str::<PointPlaneContact>(&serde_json::to_string(&found).unwrap()).unwrap(), found);
        let point = || PointPlaneContact::new("a", "b");
        assert!(point().friction(Friction::same(0.1), SlipAxes::None).check().is_err());
        assert!(point().friction(Friction::same(0.1), SlipAxes::One(Axis::Z)).check().is_err());
        assert!(point().friction(Friction { stick: 0.1, slip: 0.2 }, SlipAxes::Two).check().is_err());
    }
}
