//! Rolling without slip on a plane: sphere, thin disc, wheel with a round tread, ellipsoid, circle on a line.

use super::{
    Constraint, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel, RowTerms,
};
use crate::error::ParameterError;
use crate::motion::{Vec3, Wrench};
use serde::{Deserialize, Serialize};

/// What rolls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Wheel {
    /// A sphere about the origin of the wheel marker, on the plane xy.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A thin disc about z of the wheel marker, on the plane xy.
    Disc {
        /// Radius, m.
        radius: f64,
    },
    /// A wheel about z of its marker with a round tread, on the plane xy.
    Torus {
        /// Radius of the circle through the middle of the tread, m.
        radius: f64,
        /// Radius of the tread, m.
        #[serde(rename = "tube_radius")]
        tube_radius: f64,
    },
    /// An ellipsoid about the origin of the wheel marker, along its axes, on the plane xy.
    Ellipsoid {
        /// Semi-axes along x, y, z of the marker, m.
        radii: [f64; 3],
    },
    /// In the plane: a circle on the line x, above it along y. Two rows.
    ///
    /// Its slip condition is integrable; use a rack and pinion if it must hold at position level.
    Circle {
        /// Radius, m.
        radius: f64,
    },
}

/// A wheel that rolls without slip on the plane xy of the marker `plane`, on the side of its z axis.
///
/// If a disc or torus lies flat (z of the wheel along the normal), it touches along a circle and the contact point is not
/// defined; r u is then taken as zero. Do not start from such a pose.
///
/// n is the normal of the plane A, a the axis of the wheel B, d = p_B − p_A. A ring of radius r with a tread of
/// radius ρ touches the plane at the end of the arm
///
/// ```text
///  k = −r u − ρ n,      u = (n − (n·a) a) / |n − (n·a) a|      (sphere: r = 0, thin disc: ρ = 0)
/// ```
///
/// an ellipsoid with the semi-axes s along the axes R of its marker, Q = R diag(s²) Rᵀ, at the end of
///
/// ```text
///  k = −Q n / h,      h = √(nᵀ Q n)
/// ```
///
/// and the two material points in contact have the same velocity, σ = 0:
///
/// ```text
///  height   φ = n·(d + k)                    φ̇ = n·σ
///  slip     ψ = e·σ,  e = x, y of A          σ = v_B + w_B×k − v_A − w_A×(d + k)
/// ```
///
/// Since k ends at the lowest point, k̇ ⟂ n drops out of φ̇: each row is a unit force e at the contact,
/// D_B = (e, k×e), D_A = (−e, e×(d + k)), and each has c = ė·σ + e·(w_B×k̇ − w_A×(ḋ + k̇)), ė = w_A×e.
/// \[NeimarkFufaev1972\]
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A sphere on a slope of 30° that rolls: the acceleration is 5/7 g sin α.
/// let (r, g) = (0.1, 9.81);
/// let mut spec = Spec::new();
/// spec.gravity([0.5 * g, 0.0, -0.75_f64.sqrt() * g])
///     .body("ball", RigidBody::new(1.0, [0.4 * r * r; 3]).at([0.0, 0.0, r]))
///     .constraint("rolls", Rolling::sphere("ground", "ball", r));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(1.0))?;
/// assert!((run.last("ball.x")? - 0.5 * 5.0 / 7.0 * 0.5 * g).abs() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rolling {
    /// Frame of the plane, z along its normal (a circle: x along the line, y along the normal).
    pub plane: String,
    /// Frame in the wheel's centre, z along its axis.
    pub wheel: String,
    /// What rolls.
    pub shape: Wheel,
}

impl Rolling {
    fn new(plane: &str, wheel: &str, shape: Wheel) -> Rolling {
        Rolling { plane: plane.to_string(), wheel: wheel.to_string(), shape }
    }
    /// A sphere on a plane.
    pub fn sphere(plane: &str, wheel: &str, radius: f64) -> Rolling {
        Rolling::new(plane, wheel, Wheel::Sphere { radius })
    }
    /// A thin disc on a plane.
    pub fn disc(plane: &str, wheel: &str, radius: f64) -> Rolling {
        Rolling::new(plane, wheel, Wheel::Disc { radius })
    }
    /// A wheel with a round tread on a plane.
    pub fn torus(plane: &str, wheel: &str, radius: f64, tube: f64) -> Rolling {
        Rolling::new(plane, wheel, Wheel::Torus { radius, tube_radius: tube })
    }
    /// An ellipsoid on a plane.
    pub fn ellipsoid(plane: &str, wheel: &str, radii: [f64; 3]) -> Rolling {
        Rolling::new(plane, wheel, Wheel::Ellipsoid { radii })
    }
    /// In the plane: a circle on a line.
    pub fn circle(line: &str, wheel: &str, radius: f64) -> Rolling {
        Rolling::new(line, wheel, Wheel::Circle { radius })
    }

    /// Axes of A in the order of the rows: the normal, then the slip directions.
    #[inline(always)]
    fn row_axes(&self) -> &'static [usize] {
        if matches!(self.shape, Wheel::Circle { .. }) { &[1, 0] } else { &[2, 0, 1] }
    }

    /// Radius of the ring, and of its tread.
    #[inline(always)]
    fn radii(&self) -> (f64, f64) {
        match self.shape {
            Wheel::Sphere { radius } | Wheel::Circle { radius } => (0.0, radius),
            Wheel::Disc { radius } => (radius, 0.0),
            Wheel::Torus { radius, tube_radius: tube } => (radius, tube),
            Wheel::Ellipsoid { .. } => (0.0, 0.0),
        }
    }

    /// The arm k from the centre to the contact, and its rate.
    #[inline(always)]
    fn contact_arm(&self, at: &ElementInput) -> (Vec3, Vec3) {
        let (A, B) = (&at[0], &at[1]);
        let (ring, round) = self.radii();
        let n = A.axis(self.row_axes()[0]);
        let dn = A.w.cross(&n);
        if let Wheel::Ellipsoid { radii } = self.shape {
            let s = Vec3::from(radii);
            let Q = |x: &Vec3| B.R * B.R.tr_mul(x).component_mul(&s).component_mul(&s);
            let (Qn, slip) = (Q(&n), dn - B.w.cross(&n));
            let h = n.dot(&Qn).sqrt();
            // Q̇ x = ω×(Q x) − Q (ω×x).
            let rate = B.w.cross(&Qn) + Q(&slip);
            return (-Qn / h, (Qn * (Qn.dot(&slip) / (h * h)) - rate) / h);
        }
        let mut k = n * -round;
        let mut dk = dn * -round;
        let a = B.axis(2);
        let g = n.dot(&a);
        let m = n - a * g;
        let s = m.norm();
        if ring > 0.0 && s > FLAT_TILT_SINE {
            let da = B.w.cross(&a);
            let dm = dn - a * (dn.dot(&a) + n.dot(&da)) - da * g;
            let u = m / s;
            k -= u * ring;
            dk -= (dm - u * u.dot(&dm)) * (ring / s);
        }
        (k, dk)
    }
}

/// Sine of the tilt below which the contact point of a flat disc is only round-off.
const FLAT_TILT_SINE: f64 = 1e-12;

impl Constraint for Rolling {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(&self.plane), MarkerReference::frame(&self.wheel)]
    }

    fn rows(&self) -> Vec<RowInfo> {
        let height = RowInfo { name: "height", level: RowLevel::Position, unit: "m" };
        let slip = |name| RowInfo { name, level: RowLevel::Velocity, unit: "m" };
        let mut rows = vec![height, slip("slip_x"), slip("slip_y")];
        rows.truncate(self.row_axes().len());
        rows
    }

    fn check(&self) -> Result<(), ParameterError> {
        match self.shape {
            Wheel::Sphere { radius } | Wheel::Disc { radius } | Wheel::Circle { radius } => {
                ParameterError::check_positive("radius", radius)
            }
            Wheel::Ellipsoid { radii } => radii.iter().try_for_each(|r| ParameterError::check_positive("radii", *r)),
            Wheel::Torus { radius, tube_radius: tube } => {
                ParameterError::check_positive("radius", radius)?;
                ParameterError::check_positive("tube_radius", tube)
            }
        }
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let A = &at[0];
        let (k, _) = self.contact_arm(at);
        let foot = at[1].p - A.p + k;
        rows.phi[0] = A.axis(self.row_axes()[0]).dot(&foot);
        for (r, &i) in self.row_axes().iter().enumerate() {
            let e = A.axis(i);
            rows.D[2 * r] = Wrench { f: -e, m: e.cross(&foot) };
            rows.D[2 * r + 1] = Wrench { f: e, m: k.cross(&e) };
            rows.phi_t[r] = 0.0;
        }
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (A, B) = (&at[0], &at[1]);
        let (k, dk) = self.contact_arm(at);
        let (d, v) = (B.p - A.p, B.v - A.v);
        let slip = v + B.w.cross(&k) - A.w.cross(&(d + k));
        let moved = B.w.cross(&dk) - A.w.cross(&(v + dk));
        for (r, &i) in self.row_axes().iter().enumerate() {
            let e = A.axis(i);
            rows.c[r] = A.w.cross(&e).dot(&slip) + e.dot(&moved);
        }
    }
}

impl ExtraStates for Rolling {}
impl NonSmooth for Rolling {}
impl FrictionLaw for Rolling {}

#[cfg(test)]
mod tests {
    use super::super::conformance::{Rig, evaluate, smooth_frame};
    use super::*;
    use crate::motion::{Motion, Orientation};

    #[test]
    fn rates_follow_the_motion() {
        for rolling in [
            Rolling::sphere("a", "b", 0.4),
            Rolling::disc("a", "b", 0.4),
            Rolling::torus("a", "b", 0.4, 0.1),
            Rolling::ellipsoid("a", "b", [0.4, 0.3, 0.2]),
            Rolling::circle("a", "b", 0.4),
        ] {
            Rig::new(vec![smooth_frame(1), smooth_frame(2)]).check_identities(&rolling);
        }
    }

    /// A wheel tilted by `lean`, heading along x, with w and v chosen by the caller.
    fn wheel(lean: f64, height: f64) -> Motion {
        let axis = Orientation::z([0.0, -lean.cos(), lean.sin()]);
        Motion { R: axis.matrix().unwrap(), p: Vec3::new(0.3, 0.2, height), ..Motion::REST }
    }

    #[test]
    fn a_leaning_disc_stands_on_its_rim() {
        let (r, lean) = (0.5, 0.3_f64);
        let seen = evaluate(&Rolling::disc("a", "b", r), &[Motion::REST, wheel(lean, r * lean.cos())]);
        assert!(seen.phi[0].abs() < 1e-15);
        let seen = evaluate(&Rolling::torus("a", "b", r, 0.1), &[Motion::REST, wheel(lean, r * lean.cos() + 0.1)]);
        assert!(seen.phi[0].abs() < 1e-15);
    }

    #[test]
    fn a_rolling_wheel_advances_by_radius_times_spin() {
        let (r, spin) = (0.5, 4.0);
        let mut rolling = wheel(0.0, r);
        rolling.w = Vec3::new(0.0, spin, 0.0);
        rolling.v = Vec3::new(r * spin, 0.0, 0.0);
        for element in [Rolling::disc("a", "b", r), Rolling::sphere("a", "b", r)] {
            let seen = evaluate(&element, &[Motion::REST, rolling]);
            assert!(seen.rates.iter().all(|rate| rate.abs() < 1e-15), "{:?}", seen.rates);
        }
        let mut circle = Motion { p: Vec3::new(0.3, r, 0.0), ..Motion::REST };
        circle.w = Vec3::new(0.0, 0.0, -spin);
        circle.v = Vec3::new(r * spin, 0.0, 0.0);
        let seen = evaluate(&Rolling::circle("a", "b", r), &[Motion::REST, circle]);
        assert_eq!((seen.phi[0], seen.rates.as_slice()), (0.0, &[0.0, 0.0][..]));
    }

    #[test]
    fn an_ellipsoid_of_equal_axes_is_a_sphere() {
        let mut rolling = wheel(0.4, 0.3);
        (rolling.v, rolling.w) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.4, -0.5, 0.6));
        let [one, other] = [Rolling::ellipsoid("a", "b", [0.3; 3]), Rolling::sphere("a", "b", 0.3)]
            .map(|element| evaluate(&element, &[Motion::REST, rolling]));
        let far = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(far(&one.phi, &other.phi).max(far(&one.rates, &other.rates)).max(far(&one.c, &other.c)) < 1e-15);
    }

    #[test]
    fn a_flat_disc_gives_numbers() {
        let flat = Motion { w: Vec3::new(0.1, 0.2, 0.3), ..Motion::REST };
        let seen = evaluate(&Rolling::disc("a", "b", 0.5), &[Motion::REST, flat]);
        assert!(seen.phi.iter().chain(&seen.rates).chain(&seen.c).all(|x| x.is_finite()));
    }

    #[test]
    fn senseless_radii_are_refused() {
        assert!(Rolling::disc("a", "b", 0.0).check().is_err());
        assert!(Rolling::sphere("a", "b", f64::NAN).check().is_err());
        assert!(Rolling::torus("a", "b", 0.5, -0.1).check().is_err());
        assert!(Rolling::ellipsoid("a", "b", [0.5, 0.0, 0.1]).check().is_err());
        let text = r#"{"plane": "ground", "wheel": "coin", "shape": {"disc": {"radius": 0.5}}}"#;
        assert_eq!(serde_json::from_str::<Rolling>(text).unwrap(), Rolling::disc("ground", "coin", 0.5));
    }
}
