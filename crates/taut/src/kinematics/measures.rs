//! Measures: scalar quantities s(q) between markers, used by drivers, gears, springs and output columns.
//!
//! A measure depends on the motions of one or two markers. It gives its value s, the wrenches D with ṡ = Σ D·twist, and
//! the convective term c with s̈ = Σ D·acceleration + c.

use super::{ElementInput, MarkerReference};
use crate::motion::{Motion, Vec3, Wrench};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// An axis of a marker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third: the axis of hinges and slides.
    #[default]
    Z,
}

impl Axis {
    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }

    fn is_z(&self) -> bool {
        *self == Axis::Z
    }
}

/// A scalar measured between markers.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("ball", PointMass::new(1.0, [3.0, 4.0, 0.0])).measure("reach", Measure::distance("ground", "ball"));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(0.1))?;
/// assert_eq!(run.column("reach")?[0], 5.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Measure {
    /// One coordinate of a body.
    Coordinate(String),
    /// Distance between two origins.
    Distance {
        /// One end.
        a: String,
        /// The other.
        b: String,
    },
    /// Displacement of B along an axis of A.
    Slide {
        /// Carries the axis.
        a: String,
        /// Moves along it.
        b: String,
        /// Which axis of A; default: z.
        #[serde(default, skip_serializing_if = "Axis::is_z")]
        axis: Axis,
    },
    /// Angle from x_A to x_B about z_A, counted through full turns.
    Angle {
        /// Carries the axis.
        a: String,
        /// Turns about it.
        b: String,
    },
    /// Angle of x_B above the xy plane of A, between −π/2 and π/2: the second of three Cardan angles.
    Elevation {
        /// Carries the plane.
        a: String,
        /// Carries the axis x_B.
        b: String,
    },
}

/// Value of a measure, and its wrenches on the (at most two) markers.
#[derive(Clone, Copy, Debug)]
pub struct MeasureValue {
    /// s.
    pub s: f64,
    /// D on each marker.
    pub D: [Wrench; 2],
}

impl Measure {
    /// One coordinate of a body, `body.coordinate`.
    pub fn coordinate(name: &str) -> Measure {
        Measure::Coordinate(name.to_string())
    }
    /// Distance between two origins.
    pub fn distance(a: &str, b: &str) -> Measure {
        Measure::Distance { a: a.to_string(), b: b.to_string() }
    }
    /// Displacement of B along z of A.
    pub fn slide(a: &str, b: &str) -> Measure {
        Measure::slide_along(a, b, Axis::Z)
    }
    /// Displacement of B along an axis of A.
    pub fn slide_along(a: &str, b: &str, axis: Axis) -> Measure {
        Measure::Slide { a: a.to_string(), b: b.to_string(), axis }
    }
    /// Angle of B about z of A.
    pub fn angle(a: &str, b: &str) -> Measure {
        Measure::Angle { a: a.to_string(), b: b.to_string() }
    }
    /// Angle of x of B above the xy plane of A.
    pub fn elevation(a: &str, b: &str) -> Measure {
        Measure::Elevation { a: a.to_string(), b: b.to_string() }
    }

    /// The markers that it depends on.
    pub fn markers(&self) -> Vec<MarkerReference<'_>> {
        match self {
            Measure::Coordinate(c) => vec![MarkerReference::coordinate(c)],
            Measure::Distance { a, b }
            | Measure::Slide { a, b, .. }
            | Measure::Angle { a, b }
            | Measure::Elevation { a, b } => vec![MarkerReference::frame(a), MarkerReference::frame(b)],
        }
    }

    /// Number of markers that it depends on.
    pub fn marker_count(&self) -> usize {
        if matches!(self, Measure::Coordinate(_)) { 1 } else { 2 }
    }

    /// Number of extra states: an angle stores its number of turns in one.
    pub fn extra_states(&self) -> usize {
        usize::from(matches!(self, Measure::Angle { .. }))
    }

    /// The two markers of an angle whose turns are counted; none for other measures.
    pub fn angle_markers(&self) -> Option<[usize; 2]> {
        (self.extra_states() == 1).then_some([0, 1])
    }

    /// Unit of s.
    pub fn unit(&self) -> &'static str {
        match self {
            Measure::Angle { .. } | Measure::Elevation { .. } => "rad",
            _ => "m",
        }
    }

    /// s and D from the poses. An angle is shifted by full turns to the value nearest to its state z.
    pub fn position_terms(&self, at: &ElementInput) -> MeasureValue {
        match self {
            Measure::Coordinate(_) => MeasureValue { s: at[0].p.x, D: [Wrench::force(Vec3::x()), Wrench::ZERO] },
            Measure::Distance { .. } => {
                let d = at[1].p - at[0].p;
                let s = d.norm();
                // Coinciding ends have no direction; D is zero.
                let u = if s > 0.0 { d / s } else { Vec3::zeros() };
                MeasureValue { s, D: [Wrench::force(-u), Wrench::force(u)] }
            }
            Measure::Slide { axis, .. } => {
                let (e, d) = (at[0].axis(axis.index()), at[1].p - at[0].p);
                MeasureValue { s: e.dot(&d), D: [Wrench { f: -e, m: e.cross(&d) }, Wrench::force(e)] }
            }
            Measure::Angle { .. } => {
                let a = Angle::of(&at[0], &at[1]);
                let s = a.s.atan2(a.c);
                let s = at.z.first().map_or(s, |z| s + TAU * ((z - s) / TAU).round());
                MeasureValue { s, D: [Wrench::moment(-a.n), Wrench::moment(a.n)] }
            }
            Measure::Elevation { .. } => {
                // sin s = x·z; at the pole the direction is undefined and D is zero.
                let (x, z) = (at[1].axis(0), at[0].axis(2));
                let (sine, n) = (x.dot(&z), x.cross(&z));
                let cosine = n.norm();
                let n = if cosine > 0.0 { n / cosine } else { Vec3::zeros() };
                MeasureValue { s: sine.atan2(cosine), D: [Wrench::moment(-n), Wrench::moment(n)] }
            }
        }
    }

    /// The convective term c.
    pub fn convective_term(&self, at: &ElementInput) -> f64 {
        match self {
            Measure::Coordinate(_) => 0.0,
            Measure::Distance { .. } => {
                let (d, v) = (at[1].p - at[0].p, at[1].v - at[0].v);
                let s = d.norm();
                if s > 0.0 { (v.norm_squared() - (d.dot(&v) / s).powi(2)) / s } else { 0.0 }
            }
            Measure::Slide { axis, .. } => {
                let (A, B) = (&at[0], &at[1]);
                let de = A.w.cross(&A.axis(axis.index()));
                2.0 * de.dot(&(B.v - A.v)) + A.w.dot(&de.cross(&(B.p - A.p)))
            }
            Measure::Angle { .. } => Angle::of(&at[0], &at[1]).convective_term(&at[0], &at[1]),
            Measure::Elevation { .. } => {
                // s̈ cos s = (sin s)¨ + ṡ² sin s
                let (A, B) = (&at[0], &at[1]);
                let (x, z, w) = (B.axis(0), A.axis(2), B.w - A.w);
                let n = x.cross(&z);
                let cosine = n.norm();
                if cosine == 0.0 {
                    return 0.0;
                }
                let dn = B.w.cross(&x).cross(&z) + x.cross(&A.w.cross(&z));
                let rate = w.dot(&n) / cosine;
                (w.dot(&dn) + rate * rate * x.dot(&z)) / cosine
            }
        }
    }

    /// ṡ from the wrenches and the twists.
    pub fn rate(&self, at: &ElementInput, measured: &MeasureValue) -> f64 {
        match self {
            Measure::Coordinate(_) => at[0].v.x,
            _ => at[0].power(&measured.D[0]) + at[1].power(&measured.D[1]),
        }
    }
}

/// tan θ = s / c with s = x_B·y_A, c = x_B·x_A: exact even while the z axes are not parallel.
struct Angle {
    s: f64,
    c: f64,
    n: Vec3,
}

impl Angle {
    fn of(A: &Motion, B: &Motion) -> Angle {
        let x = B.axis(0);
        let (s, c) = (x.dot(&A.axis(1)), x.dot(&A.axis(0)));
        let n = (x.cross(&A.axis(1)) * c - x.cross(&A.axis(0)) * s) / (s * s + c * c);
        Angle { s, c, n }
    }

    fn convective_term(&self, A: &Motion, B: &Motion) -> f64 {
        let (x, w) = (B.axis(0), B.w - A.w);
        let part = |u: Vec3| {
            let dn = B.w.cross(&x).cross(&u) + x.cross(&A.w.cross(&u));
            (w.dot(&x.cross(&u)), w.dot(&dn))
        };
        let ((ds, cs), (dc, cc)) = (part(A.axis(1)), part(A.axis(0)));
        let r2 = self.s * self.s + self.c * self.c;
        let rate = (ds * self.c - dc * self.s) / r2;
        ((cs * self.c - cc * self.s) - 2.0 * rate * (self.s * ds + self.c * dc)) / r2
    }
}
