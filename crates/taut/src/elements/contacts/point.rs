//! One contact point between two surfaces.

use super::ContactScale;
use crate::constraints::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel,
    RowTerms, UserPlace as MarkerPose,
};
use crate::error::ParameterError;
use crate::laws::{ConstraintLaw, Friction, FrictionBound, Impact, NEVER_ZERO, NormalForceSource};
use crate::motion::{Mat3, Motion, Vec3, Wrench};
use crate::scalar::{Jet, Scalar, add, cross, dot, matrix_vector, sub, transposed_matrix_vector};
use crate::shapes::{
    ContactGeometry, Dimension, FeaturePair, Pose, Shape, Solid, all_contact_points, max_contact_points,
    reduce_contact_points,
};
use std::sync::OnceLock;

/// Which slip velocities are rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContactTangents {
    /// None: frictionless surfaces.
    None,
    /// The one in the plane.
    Planar,
    /// Both.
    Spatial,
}

/// Where the features come from.
#[derive(Clone, Debug)]
pub(crate) enum Features {
    /// Always these two.
    Fixed(FeaturePair),
    /// The nearest features of two solids; the extra states contain the current pair.
    Nearest {
        /// On A.
        a: Solid,
        /// On B.
        b: Solid,
        /// Index of the contact point.
        slot: usize,
    },
}

/// A unilateral contact point.
///
/// ```text
///  φ = g(poses) ≥ 0             gap of two features, n from A to B, p the point between them
///  ψ_i = t_i · (v_B(p) − v_A(p))  slip of the material points, t_i ⊥ n
/// ```
///
/// g and n are functions of the features over any scalar: jets along the motion give the convective terms, including all
/// curvatures. The tangents are a smooth function of n in the axes of A, so that slip directions are continuous.
#[derive(Clone, Debug)]
pub struct ContactPoint {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) features: Features,
    pub(crate) tangents: ContactTangents,
    pub(crate) impact: Impact,
    pub(crate) friction: Friction,
    pub(crate) scale: ContactScale,
}

/// How far the search for touching points reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchRange {
    /// Any distance.
    Unlimited,
    /// About the size of the smaller body.
    Near,
}

/// A scalar type for the pose of a marker: plain numbers, or jets along its motion.
pub(crate) trait MotionScalar: Scalar {
    fn marker_pose(m: &Motion) -> MarkerPose<Self>;
}

impl MotionScalar for f64 {
    fn marker_pose(m: &Motion) -> MarkerPose<f64> {
        MarkerPose::from_motion(m)
    }
}

impl MotionScalar for Jet {
    fn marker_pose(m: &Motion) -> MarkerPose<Jet> {
        MarkerPose::along_motion(m)
    }
}

/// Gap, normal, tangents and point over any scalar.
struct ContactKinematics<S> {
    gap: S,
    point: [S; 3],
    tangents: [[S; 3]; 2],
    normal: [S; 3],
}

impl ContactPoint {
    fn current_pair(&self, z: &[f64]) -> Option<FeaturePair> {
        match &self.features {
            Features::Fixed(pair) => Some(*pair),
            Features::Nearest { .. } => FeaturePair::decode(z),
        }
    }

    fn contact_kinematics<S: Scalar>(
        &self,
        pair: &FeaturePair,
        A: &MarkerPose<S>,
        B: &MarkerPose<S>,
    ) -> ContactKinematics<S> {
        let g = pair.gap(A, B);
        let tangents = match self.tangents {
            ContactTangents::Planar => [cross(A.axis(2), g.normal), A.axis(2)],
            _ => {
                // A smooth frame about n, with a separate formula for each half-space of normals.
                let [x, y, z] = transposed_matrix_vector(A.R, g.normal);
                let s = if z < -0.5 { -1.0 } else { 1.0 };
                let a = -(S::one() / (z + s));
                let b = x * y * a;
                let t = [[x * x * a * s + 1.0, b * s, x * -s], [b, y * y * a + s, -y]];
                t.map(|t| matrix_vector(A.R, t))
            }
        };
        ContactKinematics { gap: g.gap, point: g.point, tangents, normal: g.normal }
    }

    /// Normal and tangents over a scalar type with the motion.
    pub(crate) fn contact_axes<S: MotionScalar>(&self, at: &ElementInput) -> Option<[[S; 3]; 3]> {
        let pair = self.current_pair(at.z)?;
        let seen = self.contact_kinematics::<S>(&pair, &S::marker_pose(&at[0]), &S::marker_pose(&at[1]));
        Some([seen.normal, seen.tangents[0], seen.tangents[1]])
    }

    pub(crate) fn slip_count(&self) -> usize {
        match self.tangents {
            ContactTangents::None => 0,
            ContactTangents::Planar => 1,
            ContactTangents::Spatial => 2,
        }
    }

    /// The contact point of its current features.
    pub(crate) fn contact_point(&self, at: &ElementInput) -> Option<Vec3> {
        let pair = self.current_pair(at.z)?;
        Some(Vec3::from(pair.gap(&MarkerPose::<f64>::from_motion(&at[0]), &MarkerPose::from_motion(&at[1])).point))
    }

    /// Deviation of the point between the current features from midway between the two solids. It is zero until the point
    /// leaves a feature, for example over the edge of a face.
    fn feature_mismatch(&self, at: &ElementInput, point: Vec3, gap: f64) -> f64 {
        let Features::Nearest { a, b, .. } = &self.features else { return 0.0 };
        let Some(probe) = point_probe(a.dimension()) else { return 0.0 };
        let pose = Pose { R: Mat3::identity(), p: point };
        let mut found = Vec::new();
        // Above this margin the exact distance does not matter.
        let margin = 0.5 * gap.abs() + 4.0 * self.feature_tolerance();
        let mut off = |solid: &Solid, M: &Motion| {
            if let Some(distance) = solid.terrain_distance(&Pose::from(M), &point, margin) {
                return (distance - 0.5 * gap.abs()).abs();
            }
            found.clear();
            all_contact_points(probe, &pose, solid, &Pose::from(M), margin, &mut found);
            let nearest = found.iter().map(|t| t.gap).fold(margin, f64::min) + PROBE_RADIUS;
            (nearest - 0.5 * gap).abs()
        };
        off(a, &at[0]).max(off(b, &at[1]))
    }

    /// How far the body has moved beyond its current features, as a length x along the ground or a ball. Past the end of an edge
    /// or beyond a ridge it penetrates the next feature by x²/(2 r); x is computed from that depth.
    fn feature_overrun(&self, at: &ElementInput, pair: &FeaturePair, point: Vec3, gap: f64) -> f64 {
        let Features::Nearest { a, b, .. } = &self.features else { return 0.0 };
        let follows = |s: &Solid| s.is_terrain() || s.is_ball();
        if !follows(a) && !follows(b) {
            return 0.0;
        }
        let mut found = Vec::new();
        all_contact_points(
            a,
            &Pose::from(&at[0]),
            b,
            &Pose::from(&at[1]),
            gap + self.neighbourhood_radius(),
            &mut found,
        );
        if found.iter().any(|touch| touch.pair == *pair) {
            return 0.0;
        }
        let near = |t: &&ContactGeometry| ((t.point_a + t.point_b) * 0.5 - point).norm() <= self.neighbourhood_radius();
        // If nothing touches any more, it has moved at least this far.
        if !found.iter().any(|t| near(&t)) {
            return self.neighbourhood_radius();
        }
        // The feature that a ball or rod penetrates is the deepest of all, at any distance. With a search near the point only, the
        // value would become zero again farther on, and samples before and after would both miss it.
        let round = a.is_round() || b.is_round();
        let counts = |t: &&ContactGeometry| round || near(t);
        let least = found.iter().filter(counts).map(|t| t.gap).fold(gap, f64::min);
        // Corners and edges penetrate linearly, not as x²: a square root would fire at the round-off of their gaps.
        if round {
            (2.0 * a.radius_about_marker().min(b.radius_about_marker()) * (gap - least)).sqrt()
        } else {
            self.scale.feature_overrun() * (gap - least) / self.scale.feature_penetration()
        }
    }

    /// Distance from a contact point within which touching features belong to it.
    pub(crate) fn neighbourhood_radius(&self) -> f64 {
        match &self.features {
            Features::Nearest { a, b, .. } if a.dimension() == Dimension::Three => {
                1e-3 * a.radius_about_marker().min(b.radius_about_marker())
            }
            _ => 10.0 * self.scale.feature_mismatch(),
        }
    }

    /// Size of the smaller of the two solids.
    pub(crate) fn smaller_size(&self) -> f64 {
        match &self.features {
            Features::Nearest { a, b, .. } => a.radius_about_marker().min(b.radius_about_marker()),
            Features::Fixed(_) => f64::INFINITY,
        }
    }

    /// Tolerance of [`feature_mismatch`](Self::feature_mismatch). In space the corners of two crossing faces are not corners of either body, and move
    /// on both.
    fn feature_tolerance(&self) -> f64 {
        match &self.features {
            Features::Nearest { a, b, .. } if (a.is_terrain() || b.is_terrain()) && (a.is_round() || b.is_round()) => {
                self.scale.feature_mismatch()
            }
            Features::Nearest { a, b, .. } if a.dimension() == Dimension::Three => {
                1e-4 * a.radius_about_marker().min(b.radius_about_marker())
            }
            _ => self.scale.feature_mismatch(),
        }
    }

    /// The touching points of the two solids, then the nearest points, sorted by gap.
    ///
    /// A flat contact is reduced to the few points that support it. Open points are not reduced: the ground has many faces near
    /// a body, and only the gaps show which of them is reached first.
    pub(crate) fn touch_points(&self, at: &ElementInput, range: SearchRange) -> Vec<ContactGeometry> {
        let mut found = Vec::new();
        let Features::Nearest { a, b, .. } = &self.features else { return found };
        let margin = match range {
            SearchRange::Unlimited => f64::INFINITY,
            SearchRange::Near => a.radius_about_marker().min(b.radius_about_marker()),
        };
        all_contact_points(a, &Pose::from(&at[0]), b, &Pose::from(&at[1]), margin, &mut found);
        found.sort_by(|x, y| x.gap.total_cmp(&y.gap));
        let apart = found.split_off(found.partition_point(|touch| touch.gap < self.scale.touching_gap()));
        reduce_contact_points(&mut found, 0, max_contact_points(a.dimension()));
        found.extend(apart);
        found
    }
}

/// Radius of the probe that represents a point, m. It does not influence the distance, from which it is subtracted again.
const PROBE_RADIUS: f64 = 1e-6;

/// A solid so small that its distance is that of a point.
fn point_probe(dimension: Dimension) -> Option<&'static Solid> {
    static PROBES: OnceLock<[Option<Solid>; 2]> = OnceLock::new();
    let made = PROBES.get_or_init(|| {
        [Shape::Circle { radius: PROBE_RADIUS }, Shape::Sphere { radius: PROBE_RADIUS }]
            .map(|shape| Solid::new(&shape).ok())
    });
    let [plane, space] = made;
    if dimension == Dimension::Two { plane.as_ref() } else { space.as_ref() }
}

/// Sets the states of a contact point without features.
pub(crate) fn clear_features(z: &mut [f64]) {
    z.fill(-1.0);
}

/// Wrenches of a unit force along n at p, on A and on B.
fn unit_force_wrenches(n: Vec3, p: Vec3, A: &Motion, B: &Motion) -> [Wrench; 2] {
    [Wrench { f: -n, m: n.cross(&(p - A.p)) }, Wrench { f: n, m: (p - B.p).cross(&n) }]
}

impl Constraint for ContactPoint {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(&self.a), MarkerReference::frame(&self.b)]
    }

    fn rows(&self) -> Vec<RowInfo> {
        let gap = RowInfo { name: "gap", level: RowLevel::Position, unit: "m" };
        let slip = |name| RowInfo { name, level: RowLevel::Velocity, unit: "m" };
        let slips = ["slip1", "slip2"].into_iter().take(self.slip_count()).map(slip);
        std::iter::once(gap).chain(slips).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.impact.check()?;
        self.friction.check()
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        rows.phi_t.fill(0.0);
        let Some(pair) = self.current_pair(at.z) else {
            // There are no features near.
            rows.phi.fill(0.0);
            rows.phi[0] = NEVER_ZERO;
            rows.D.fill(Wrench::ZERO);
            return;
        };
        let seen =
            self.contact_kinematics::<f64>(&pair, &MarkerPose::from_motion(&at[0]), &MarkerPose::from_motion(&at[1]));
        rows.phi.fill(0.0);
        rows.phi[0] = seen.gap;
        let directions = [seen.normal, seen.tangents[0], seen.tangents[1]];
        for (d, on) in directions.into_iter().zip(rows.D.chunks_exact_mut(2)) {
            on.copy_from_slice(&unit_force_wrenches(Vec3::from(d), Vec3::from(seen.point), &at[0], &at[1]));
        }
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        rows.c.fill(0.0);
        let Some(pair) = self.current_pair(at.z) else { return };
        let (A, B) = (MarkerPose::along_motion(&at[0]), MarkerPose::along_motion(&at[1]));
        let seen = self.contact_kinematics::<Jet>(&pair, &A, &B);
        rows.c[0] = seen.gap.ddf;
        // The slip along the motion with constant twists.
        let constant = |v: Vec3| [v.x, v.y, v.z].map(Jet::constant);
        let carried =
            |M: &Motion, place: &MarkerPose<Jet>| add(constant(M.v), cross(constant(M.w), sub(seen.point, place.p)));
        let slip = sub(carried(&at[1], &B), carried(&at[0], &A));
        for (c, t) in rows.c[1..].iter_mut().zip(seen.tangents) {
            *c = dot(t, slip).df;
        }
    }

    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Unilateral(self.impact)
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for ContactPoint {
    fn state_count(&self) -> usize {
        match self.features {
            Features::Fixed(_) => 0,
            Features::Nearest { .. } => FeaturePair::ENCODED_LENGTH,
        }
    }

    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        if let Features::Nearest { slot, .. } = &self.features {
            let found = self.touch_points(at, SearchRange::Unlimited);
            match found.get(*slot) {
                Some(touch) => touch.pair.encode(z),
                None => clear_features(z),
            }
        }
    }

    fn reset_guard_count(&self) -> usize {
        usize::from(matches!(self.features, Features::Nearest { .. }))
    }

    fn reset_guard(&self, at: &ElementInput, _: usize) -> f64 {
        let Some(pair) = self.current_pair(at.z) else { return NEVER_ZERO };
        let own = pair.gap(&MarkerPose::<f64>::from_motion(&at[0]), &MarkerPose::from_motion(&at[1]));
        let point = Vec3::from(own.point);
        (self.feature_tolerance() - self.feature_mismatch(at, point, own.gap))
            .min(self.scale.feature_overrun() - self.feature_overrun(at, &pair, point, own.gap))
    }
}

impl NonSmooth for ContactPoint {}

impl FrictionLaw for ContactPoint {
    fn friction_bound(&self, _: &ElementInput) -> FrictionBound {
        FrictionBound::coulomb(self.friction)
    }

    fn normal_force_source(&self) -> NormalForceSource<'_> {
        NormalForceSource::OwnGap
    }
}
