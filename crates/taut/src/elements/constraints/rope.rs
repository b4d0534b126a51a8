//! A rope of given length: slack, or taut with a tension λ ≥ 0.

use super::minimum_distance::check_length;
use super::stop::plastic;
use super::{
    Constraint, Dependence, ElementInput, ExtraStates, MarkerKind, MarkerReference, NonSmooth, RowInfo, RowLevel,
    RowTerms,
};
use crate::breaks::BreakList;
use crate::error::ParameterError;
use crate::kinematics::UserPlace as MarkerPose;
use crate::laws::{ConstraintLaw, Friction, Impact};
use crate::motion::{Motion, Vec3, Wrench};
use crate::scalar::{Dual, Jet, Scalar, add, cross, dot, norm, scale, sub};
use crate::signals::{PassedEnd, Signal};
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, TAU};

/// In which sense the rope runs about z of a pulley, from its first point to its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sense {
    /// Counter-clockwise, seen from the tip of z.
    Positive,
    /// Clockwise.
    Negative,
}

impl Sense {
    /// 1 or −1.
    pub(super) fn sign(self) -> f64 {
        match self {
            Sense::Positive => 1.0,
            Sense::Negative => -1.0,
        }
    }
}

/// A point or pulley on the path of a rope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Via {
    /// The origin of a marker: an end, an eyelet, a pin.
    Point(String),
    /// A disc about z of a marker. Consecutive pulleys must have parallel axes; a point between them allows another plane.
    Pulley {
        /// The marker at its centre.
        marker: String,
        /// Its radius, m.
        radius: f64,
        /// How the rope runs around it.
        sense: Sense,
        /// Full turns of the rope around it, in addition to the angle between its two sides.
        #[serde(default, skip_serializing_if = "is_zero")]
        turns: u32,
        /// Coefficients of friction between rope and disc; default: none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        friction: Option<Friction>,
    },
}

fn is_zero(turns: &u32) -> bool {
    *turns == 0
}

impl Via {
    /// A pulley without friction.
    pub fn pulley(marker: &str, radius: f64, sense: Sense) -> Via {
        Via::Pulley { marker: marker.to_string(), radius, sense, turns: 0, friction: None }
    }

    /// The angle of its full turns.
    fn turned_angle(&self) -> f64 {
        match self {
            Via::Point(_) => 0.0,
            Via::Pulley { turns, .. } => TAU * f64::from(*turns),
        }
    }

    fn marker(&self) -> &str {
        match self {
            Via::Point(marker) | Via::Pulley { marker, .. } => marker,
        }
    }

    /// Radius, and r σ.
    fn radius(&self) -> (f64, f64) {
        match self {
            Via::Point(_) => (0.0, 0.0),
            Via::Pulley { radius, sense, .. } => (*radius, radius * sense.sign()),
        }
    }
}

/// A rope through two or more points and around pulleys.
///
/// ```text
///  φ = L(t) − ℓ ≥ 0          ℓ = Σ free lengths + Σ r × wrapped angle
/// ```
///
/// It runs through points (eyelets, pins) and around pulleys: discs about z of a marker, in the plane of its x and y. One of
/// the pulleys may have friction (the law of the capstan). A point is a disc of radius zero, so that one formula applies to every free segment between two of them. With
/// D = C₂ − C₁, h = z·D, ρ its part in the plane, σ = ±1 the sense in which the rope runs about z, and e its direction,
///
/// ```text
///  k = r₂σ₂ − r₁σ₁      D·(z×e) = k      free length √(ρ² − k² + h²)      wrapped angle σ ∠(e_in, e_out)
/// ```
///
/// D, φ_t and c come from dual numbers and jets, exact. If the rope would have to bend around a disc in the wrong direction, it
/// leaves the disc and runs straight past it, until it touches the disc again.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A stone falls 1 m until its rope is taut, √(2 l/g) later.
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("stone", PointMass::new(1.0, [0.0; 3]))
///     .constraint("rope", Rope::new(&["ground", "stone"], 1.0));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(1.0))?;
/// assert!((run.events[0].t - (2.0_f64 / 9.81).sqrt()).abs() < 1e-8);
/// assert!((run.last("stone.z")? + 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rope {
    /// Its points and pulleys, from end to end.
    pub through: Vec<Via>,
    /// Its length, m; a signal winds and unwinds it.
    pub length: Signal,
    /// Impact when it becomes taut; default: plastic.
    #[serde(default = "plastic")]
    pub impact: Impact,
}

impl Rope {
    /// Maximum number of points and pulleys of one rope: they are on the stack.
    pub const MAX_POINTS: usize = 16;

    /// A rope through points.
    pub fn new(through: &[&str], length: impl Into<Signal>) -> Rope {
        Rope::with_pulleys(through.iter().map(|m| Via::Point(m.to_string())).collect(), length)
    }

    /// A rope through points and around pulleys.
    pub fn with_pulleys(through: Vec<Via>, length: impl Into<Signal>) -> Rope {
        Rope { through, length: length.into(), impact: Impact::PLASTIC }
    }

    /// The same with another impact law.
    pub fn impact(mut self, impact: Impact) -> Rope {
        self.impact = impact;
        self
    }

    /// The length of the path between the ends in this pose, m.
    pub fn taut_length(&self, at: &ElementInput) -> f64 {
        let mut poses = [MarkerPose::from_motion(&Motion::REST); Self::MAX_POINTS];
        (0..at.len()).for_each(|k| poses[k] = MarkerPose::from_motion(&at[k]));
        let touched = self.pulley_contacts(&poses[..at.len()]);
        self.path_length(&poses[..at.len()], &touched, |_, _| ()).whole
    }

    /// The points and pulleys that the rope touches: all except pulleys that it would bend around in the wrong direction.
    fn pulley_contacts(&self, at: &[MarkerPose<f64>]) -> [PulleyContact; Self::MAX_POINTS] {
        let mut touched = [PulleyContact::Wrapped; Self::MAX_POINTS];
        loop {
            let mut worst = (0.0, None);
            self.path_length(at, &touched, |k, angle| {
                if angle < worst.0 {
                    worst = (angle, Some(k));
                }
            });
            match worst.1 {
                Some(k) => touched[k] = PulleyContact::Bypassed,
                None => return touched,
            }
        }
    }

    /// ℓ and its first part; calls `wrapped` with the wrapped angle of each pulley.
    fn path_length<S: Scalar>(
        &self,
        at: &[MarkerPose<S>],
        touched: &[PulleyContact; Self::MAX_POINTS],
        mut wrapped: impl FnMut(usize, f64),
    ) -> PathLength<S> {
        let (mut sum, mut first) = (S::zero(), S::zero());
        let rough = self.rough_pulley().map(|(k, _)| k);
        let mut before: Option<(usize, Option<[S; 3]>)> = None;
        let touching = (0..at.len()).filter(|k| touched[*k] == PulleyContact::Wrapped);
        for k in touching {
            if let Some((j, incoming)) = before {
                let stretch = self.free_segment(at, j, k);
                if let (Some(e_in), true) = (incoming, rough == Some(j)) {
                    let (radius, turn) = self.through[j].radius();
                    first = sum + angle_about(at[j].axis(2), turn.signum(), e_in, at[j].axis(0)) * radius;
                }
                sum += stretch.length;
                if let (Some(e_in), (radius, turn)) = (incoming, self.through[j].radius())
                    && radius > 0.0
                {
                    let angle =
                        angle_about(at[j].axis(2), turn.signum(), e_in, stretch.e) + self.through[j].turned_angle();
                    wrapped(j, angle.value());
                    sum += angle * radius;
                }
                before = Some((k, Some(stretch.e)));
            } else {
                before = Some((k, None));
            }
        }
        PathLength { whole: sum, first }
    }

    /// The free segment from `j` to `k`, tangent to both.
    fn free_segment<S: Scalar>(&self, at: &[MarkerPose<S>], j: usize, k: usize) -> FreeSegment<S> {
        let D = sub(at[k].p, at[j].p);
        let ((r1, turn1), (r2, turn2)) = (self.through[j].radius(), self.through[k].radius());
        if r1 == 0.0 && r2 == 0.0 {
            // Coincident points have no direction: the wrench is zero.
            let length = if dot(D, D) > 0.0 { norm(D) } else { S::zero() };
            return FreeSegment { length, e: D };
        }
        let z = if r1 > 0.0 { at[j].axis(2) } else { at[k].axis(2) };
        // The axis of the second pulley may point in the opposite direction.
        let same = if r1 > 0.0 && dot(z, at[k].axis(2)).value() < 0.0 { -1.0 } else { 1.0 };
        let shift = same * turn2 - turn1;
        let h = dot(z, D);
        let flat = sub(D, scale(z, h));
        let rho2 = dot(flat, flat);
        // Overlapping discs have no tangent: the length of the segment is then zero.
        let free2 = (rho2 - shift * shift).max(S::zero());
        let square = free2 + h * h;
        let length = if square > 0.0 { square.sqrt() } else { S::zero() };
        // ρ² e = √(ρ² − k²) D − k z×D
        let e = add(scale(flat, free2.sqrt()), scale(cross(z, flat), S::from(-shift)));
        FreeSegment { length, e }
    }
}

/// Whether the rope touches a pulley.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PulleyContact {
    Wrapped,
    Bypassed,
}

/// Lengths along the rope.
struct PathLength<S> {
    /// ℓ.
    whole: S,
    /// From its first point to where x of the rough pulley meets the disc, up to whole turns; zero without such a pulley.
    first: S,
}

/// A free segment of the rope.
struct FreeSegment<S> {
    length: S,
    /// Its direction in the plane of the pulleys, not normalised.
    e: [S; 3],
}

/// The angle from e_in to e_out about σ z, from −π/2 (bent in the wrong direction) to 3π/2.
fn angle_about<S: Scalar>(z: [S; 3], sign: f64, e_in: [S; 3], e_out: [S; 3]) -> S {
    let (sine, cosine) = (dot(z, cross(e_in, e_out)) * sign, dot(e_in, e_out));
    // At the centre of a disc there is no direction.
    if sine == 0.0 && cosine == 0.0 {
        return S::zero();
    }
    let angle = sine.atan2(cosine);
    if angle.value() < -FRAC_PI_2 { angle + TAU } else { angle }
}

impl Constraint for Rope {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.through.iter().map(|via| MarkerReference::frame(via.marker())).collect()
    }

    fn rows(&self) -> Vec<RowInfo> {
        let slack = RowInfo { name: "slack", level: RowLevel::Position, unit: "m" };
        let slip = self.rough_pulley().map(|_| RowInfo { name: "slip", level: RowLevel::Velocity, unit: "m" });
        std::iter::once(slack).chain(slip).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        if !(2..=Self::MAX_POINTS).contains(&self.through.len()) {
            let what = format!("the rope runs through {}; give 2 to {}", self.through.len(), Self::MAX_POINTS);
            return Err(ParameterError::invalid("through", what));
        }
        for (k, via) in self.through.iter().enumerate() {
            let Via::Pulley { radius, .. } = via else { continue };
            if k == 0 || k + 1 == self.through.len() {
                return Err(ParameterError::invalid("through", "a rope begins and ends at a point, not on a pulley"));
            }
            ParameterError::check_positive("radius", *radius)?;
        }
        self.check_friction()?;
        check_length(&self.length)?;
        self.impact.check()
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let n = at.len();
        let mut plain = [MarkerPose::from_motion(&Motion::REST); Self::MAX_POINTS];
        let mut poses = [MarkerPose::<Dual<6>>::from_motion(&Motion::REST); Self::MAX_POINTS];
        for k in 0..n {
            (plain[k], poses[k]) = (MarkerPose::from_motion(&at[k]), MarkerPose::from_motion(&at[k]));
        }
        let touched = self.pulley_contacts(&plain[..n]);
        let pay = self.length.at(at.t);
        rows.phi_t[0] = pay.df;
        let wrench = |[x, y, z, a, b, c]: [f64; 6]| Wrench { f: Vec3::new(x, y, z), m: Vec3::new(a, b, c) };
        for k in 0..n {
            if touched[k] == PulleyContact::Bypassed {
                rows.D.iter_mut().skip(k).step_by(n).for_each(|D| *D = Wrench::ZERO);
                continue;
            }
            poses[k] = MarkerPose::seeded(&at[k], MarkerKind::Frame);
            let PathLength { whole, first } = self.path_length(&poses[..n], &touched, |_, _| ());
            rows.D[k] = wrench(whole.eps.map(|x| -x));
            rows.phi[0] = pay.f - whole.re;
            if rows.phi.len() > 1 {
                rows.D[n + k] = wrench(self.slip(PathLength { whole, first }, &touched).eps);
                (rows.phi[1], rows.phi_t[1]) = (0.0, -0.5 * pay.df);
            }
            poses[k] = MarkerPose::from_motion(&at[k]);
        }
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let n = at.len();
        let mut plain = [MarkerPose::from_motion(&Motion::REST); Self::MAX_POINTS];
        let mut poses = [MarkerPose::<Jet>::from_motion(&Motion::REST); Self::MAX_POINTS];
        for k in 0..n {
            (plain[k], poses[k]) = (MarkerPose::from_motion(&at[k]), MarkerPose::along_motion(&at[k]));
        }
        let touched = self.pulley_contacts(&plain[..n]);
        let (pay, used) = (self.length.at(at.t).ddf, self.path_length(&poses[..n], &touched, |_, _| ()));
        rows.c[0] = pay - used.whole.ddf;
        if rows.c.len() > 1 {
            rows.c[1] = self.slip(used, &touched).ddf - 0.5 * pay;
        }
    }

    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Unilateral(self.impact)
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for Rope {}

impl NonSmooth for Rope {
    fn has_bounded_tables(&self) -> bool {
        self.length.has_ends()
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        self.length.passed_end(at.t)
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.length.breaks(from, to, list);
    }
}

mod capstan;
#[cfg(test)]
mod tests;
