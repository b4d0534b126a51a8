//! One contact point between two surfaces.
//!
//! ```text
//!  φ = g(poses) ≥ 0             gap of two features, n from A to B, p the point between them
//!  ψ_i = t_i · (v_B(p) − v_A(p))  slip of the material points, t_i ⊥ n
//! ```
//!
//! g and n are functions of the features over any scalar: jets along the motion give the convective terms, including all
//! curvatures. The tangents are a smooth function of n in the axes of A, so that slip directions are continuous.

use crate::constraints::{
    Constraint, Dependence, ExtraStates, FrictionLaw, Level, NonSmooth, Reference, Row, Rows, UserPlace as Place, View,
};
use crate::error::Fault;
use crate::laws::{Friction, Grip, Impact, Law, Press, QUIET};
use crate::motion::{Mat3, Motion, Vec3, Wrench};
use crate::scalar::{Jet, Scalar, add, cross, dot, matrix_vector, sub, transposed_matrix_vector};
use crate::shapes::{Dimension, Pair, Pose, Shape, Solid, Touch, most_of, spread, touch_all};
use std::sync::OnceLock;

/// Which slip velocities are rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tangents {
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
    Fixed(Pair),
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
#[derive(Clone, Debug)]
pub struct ContactPoint {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) features: Features,
    pub(crate) tangents: Tangents,
    pub(crate) impact: Impact,
    pub(crate) friction: Friction,
}

/// Gap below which a contact is closed, m.
pub(crate) const CLOSED: f64 = 1e-6;

/// How far the search for touching points reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// Any distance.
    All,
    /// About the size of the smaller body.
    Near,
}

/// Distance of the current features from the actually touching ones at which the features are selected again, m.
const ASTRAY: f64 = 1e-9;

/// How far the body may move beyond its current features, m: so little that the approach speed to the next feature is too
/// small for a rebound.
const GONE: f64 = 1e-7;

/// How deep a body with edges may penetrate the next feature, m.
const SUNK: f64 = 1e-11;

/// A scalar type for the pose of a marker: plain numbers, or jets along its motion.
pub(crate) trait Moving: Scalar {
    fn place(m: &Motion) -> Place<Self>;
}

impl Moving for f64 {
    fn place(m: &Motion) -> Place<f64> {
        Place::of(m)
    }
}

impl Moving for Jet {
    fn place(m: &Motion) -> Place<Jet> {
        Place::moving(m)
    }
}

/// Gap, normal, tangents and point over any scalar.
struct Seen<S> {
    gap: S,
    point: [S; 3],
    tangents: [[S; 3]; 2],
    normal: [S; 3],
}

impl ContactPoint {
    fn pair(&self, z: &[f64]) -> Option<Pair> {
        match &self.features {
            Features::Fixed(pair) => Some(*pair),
            Features::Nearest { .. } => Pair::decode(z),
        }
    }

    fn see<S: Scalar>(&self, pair: &Pair, A: &Place<S>, B: &Place<S>) -> Seen<S> {
        let g = pair.gap(A, B);
        let tangents = match self.tangents {
            Tangents::Planar => [cross(A.axis(2), g.normal), A.axis(2)],
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
        Seen { gap: g.gap, point: g.point, tangents, normal: g.normal }
    }

    /// Normal and tangents over a scalar type with the motion.
    pub(crate) fn axes<S: Moving>(&self, at: &View) -> Option<[[S; 3]; 3]> {
        let pair = self.pair(at.z)?;
        let seen = self.see::<S>(&pair, &S::place(&at[0]), &S::place(&at[1]));
        Some([seen.normal, seen.tangents[0], seen.tangents[1]])
    }

    pub(crate) fn slips(&self) -> usize {
        match self.tangents {
            Tangents::None => 0,
            Tangents::Planar => 1,
            Tangents::Spatial => 2,
        }
    }

    /// The contact point of its current features.
    pub(crate) fn place_now(&self, at: &View) -> Option<Vec3> {
        let pair = self.pair(at.z)?;
        Some(Vec3::from(pair.gap(&Place::<f64>::of(&at[0]), &Place::of(&at[1])).point))
    }

    /// Deviation of the point between the current features from midway between the two solids. It is zero until the point
    /// leaves a feature, for example over the edge of a face.
    fn astray(&self, at: &View, point: Vec3, gap: f64) -> f64 {
        let Features::Nearest { a, b, .. } = &self.features else { return 0.0 };
        let Some(probe) = probe(a.dimension()) else { return 0.0 };
        let pose = Pose { R: Mat3::identity(), p: point };
        let mut found = Vec::new();
        // Above this margin the exact distance does not matter.
        let margin = 0.5 * gap.abs() + 4.0 * self.tolerance();
        let mut off = |solid: &Solid, M: &Motion| {
            if let Some(distance) = solid.ground_distance(&Pose::from(M), &point, margin) {
                return (distance - 0.5 * gap.abs()).abs();
            }
            found.clear();
            touch_all(probe, &pose, solid, &Pose::from(M), margin, &mut found);
            let nearest = found.iter().map(|t| t.gap).fold(margin, f64::min) + PROBE;
            (nearest - 0.5 * gap).abs()
        };
        off(a, &at[0]).max(off(b, &at[1]))
    }

    /// How far the body has moved beyond its current features, as a length x along the ground or a ball. Past the end of an edge
    /// or beyond a ridge it penetrates the next feature by x²/(2 r); x is computed from that depth.
    fn gone(&self, at: &View, pair: &Pair, point: Vec3, gap: f64) -> f64 {
        let Features::Nearest { a, b, .. } = &self.features else { return 0.0 };
        let follows = |s: &Solid| s.is_ground() || s.is_ball();
        if !follows(a) && !follows(b) {
            return 0.0;
        }
        let mut found = Vec::new();
        touch_all(a, &Pose::from(&at[0]), b, &Pose::from(&at[1]), gap + self.own(), &mut found);
        if found.iter().any(|touch| touch.pair == *pair) {
            return 0.0;
        }
        let near = |t: &&Touch| ((t.point_a + t.point_b) * 0.5 - point).norm() <= self.own();
        // If nothing touches any more, it has moved at least this far.
        if !found.iter().any(|t| near(&t)) {
            return self.own();
        }
        // The feature that a ball or rod penetrates is the deepest of all, at any distance. With a search near the point only, the
        // value would become zero again farther on, and samples before and after would both miss it.
        let round = a.is_round() || b.is_round();
        let counts = |t: &&Touch| round || near(t);
        let least = found.iter().filter(counts).map(|t| t.gap).fold(gap, f64::min);
        // Corners and edges penetrate linearly, not as x²: a square root would fire at the round-off of their gaps.
        if round { (2.0 * a.reach().min(b.reach()) * (gap - least)).sqrt() } else { GONE * (gap - least) / SUNK }
    }

    /// Distance from a contact point within which touching features belong to it.
    pub(crate) fn own(&self) -> f64 {
        match &self.features {
            Features::Nearest { a, b, .. } if a.dimension() == Dimension::Three => 1e-3 * a.reach().min(b.reach()),
            _ => 10.0 * ASTRAY,
        }
    }

    /// Size of the smaller of the two solids.
    pub(crate) fn smaller(&self) -> f64 {
        match &self.features {
            Features::Nearest { a, b, .. } => a.reach().min(b.reach()),
            Features::Fixed(_) => f64::INFINITY,
        }
    }

    /// Tolerance of [`astray`](Self::astray). In space the corners of two crossing faces are not corners of either body, and move
    /// on both.
    fn tolerance(&self) -> f64 {
        match &self.features {
            Features::Nearest { a, b, .. } if (a.is_ground() || b.is_ground()) && (a.is_round() || b.is_round()) => {
                ASTRAY
            }
            Features::Nearest { a, b, .. } if a.dimension() == Dimension::Three => 1e-4 * a.reach().min(b.reach()),
            _ => ASTRAY,
        }
    }

    /// The touching points of the two solids, then the nearest points, sorted by gap.
    ///
    /// A flat contact is reduced to the few points that support it. Open points are not reduced: the ground has many faces near
    /// a body, and only the gaps show which of them is reached first.
    pub(crate) fn touches(&self, at: &View, range: Range) -> Vec<Touch> {
        let mut found = Vec::new();
        let Features::Nearest { a, b, .. } = &self.features else { return found };
        let margin = match range {
            Range::All => f64::INFINITY,
            Range::Near => a.reach().min(b.reach()),
        };
        touch_all(a, &Pose::from(&at[0]), b, &Pose::from(&at[1]), margin, &mut found);
        found.sort_by(|x, y| x.gap.total_cmp(&y.gap));
        let apart = found.split_off(found.partition_point(|touch| touch.gap < CLOSED));
        spread(&mut found, 0, most_of(a.dimension()));
        found.extend(apart);
        found
    }
}

/// Radius of the probe that represents a point, m.
const PROBE: f64 = 1e-6;

/// A solid so small that its distance is that of a point.
fn probe(dimension: Dimension) -> Option<&'static Solid> {
    static PROBES: OnceLock<[Option<Solid>; 2]> = OnceLock::new();
    let made = PROBES.get_or_init(|| {
        [Shape::Circle { radius: PROBE }, Shape::Sphere { radius: PROBE }].map(|shape| Solid::new(&shape).ok())
    });
    let [plane, space] = made;
    if dimension == Dimension::Two { plane.as_ref() } else { space.as_ref() }
}

/// Sets the states of a contact point without features.
pub(crate) fn unbind(z: &mut [f64]) {
    z.fill(-1.0);
}

/// Wrenches of a unit force along n at p, on A and on B.
fn pair_of_forces(n: Vec3, p: Vec3, A: &Motion, B: &Motion) -> [Wrench; 2] {
    [Wrench { f: -n, m: n.cross(&(p - A.p)) }, Wrench { f: n, m: (p - B.p).cross(&n) }]
}

impl Constraint for ContactPoint {
    fn markers(&self) -> Vec<Reference<'_>> {
        vec![Reference::frame(&self.a), Reference::frame(&self.b)]
    }

    fn rows(&self) -> Vec<Row> {
        let gap = Row { name: "gap", level: Level::Position, unit: "m" };
        let slip = |name| Row { name, level: Level::Velocity, unit: "m" };
        let slips = ["slip1", "slip2"].into_iter().take(self.slips()).map(slip);
        std::iter::once(gap).chain(slips).collect()
    }

    fn check(&self) -> Result<(), Fault> {
        self.impact.check()?;
        self.friction.check()
    }

    fn place(&self, at: &View, rows: &mut Rows) {
        rows.phi_t.fill(0.0);
        let Some(pair) = self.pair(at.z) else {
            // There are no features near.
            rows.phi.fill(0.0);
            rows.phi[0] = QUIET;
            rows.D.fill(Wrench::ZERO);
            return;
        };
        let seen = self.see::<f64>(&pair, &Place::of(&at[0]), &Place::of(&at[1]));
        rows.phi.fill(0.0);
        rows.phi[0] = seen.gap;
        let directions = [seen.normal, seen.tangents[0], seen.tangents[1]];
        for (d, on) in directions.into_iter().zip(rows.D.chunks_exact_mut(2)) {
            on.copy_from_slice(&pair_of_forces(Vec3::from(d), Vec3::from(seen.point), &at[0], &at[1]));
        }
    }

    fn carry(&self, at: &View, rows: &mut Rows) {
        rows.c.fill(0.0);
        let Some(pair) = self.pair(at.z) else { return };
        let (A, B) = (Place::moving(&at[0]), Place::moving(&at[1]));
        let seen = self.see::<Jet>(&pair, &A, &B);
        rows.c[0] = seen.gap.ddf;
        // The slip along the motion with constant twists.
        let constant = |v: Vec3| [v.x, v.y, v.z].map(Jet::constant);
        let carried =
            |M: &Motion, place: &Place<Jet>| add(constant(M.v), cross(constant(M.w), sub(seen.point, place.p)));
        let slip = sub(carried(&at[1], &B), carried(&at[0], &A));
        for (c, t) in rows.c[1..].iter_mut().zip(seen.tangents) {
            *c = dot(t, slip).df;
        }
    }

    fn law(&self) -> Law {
        Law::Unilateral(self.impact)
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for ContactPoint {
    fn states(&self) -> usize {
        match self.features {
            Features::Fixed(_) => 0,
            Features::Nearest { .. } => Pair::WIDTH,
        }
    }

    fn settle(&self, at: &View, z: &mut [f64]) {
        if let Features::Nearest { slot, .. } = &self.features {
            let found = self.touches(at, Range::All);
            match found.get(*slot) {
                Some(touch) => touch.pair.encode(z),
                None => unbind(z),
            }
        }
    }

    fn alarms(&self) -> usize {
        usize::from(matches!(self.features, Features::Nearest { .. }))
    }

    fn alarm(&self, at: &View, _: usize) -> f64 {
        let Some(pair) = self.pair(at.z) else { return QUIET };
        let own = pair.gap(&Place::<f64>::of(&at[0]), &Place::of(&at[1]));
        let point = Vec3::from(own.point);
        (self.tolerance() - self.astray(at, point, own.gap)).min(GONE - self.gone(at, &pair, point, own.gap))
    }
}

impl NonSmooth for ContactPoint {}

impl FrictionLaw for ContactPoint {
    fn grip(&self, _: &View) -> Grip {
        Grip::coulomb(self.friction)
    }

    fn press(&self) -> Press<'_> {
        Press::OwnGap
    }
}
