//! One point of contact between two surfaces.
//!
//! ```text
//!  φ = g(poses) ≥ 0             gap of two features, n from A to B, p the point between them
//!  ψ_i = t_i · (v_B(p) − v_A(p))  slip of the material points, t_i ⊥ n
//! ```
//!
//! g and n come from the features' own functions over any scalar: jets along the motion give the convective terms with
//! all curvatures. The tangents are a smooth function of n in the axes of A, so that a direction of slip keeps its
//! meaning.

use crate::constraints::{
    Constraint, Dependence, ExtraStates, FrictionLaw, Level, NonSmooth, Reference, Row, Rows, UserPlace as Place, View,
};
use crate::error::Fault;
use crate::laws::{Friction, Grip, Impact, Law, Press, QUIET};
use crate::motion::{Mat3, Motion, Vec3, Wrench};
use crate::scalar::{Jet, Scalar, add, cross, dot, matrix_vector, sub, transposed_matrix_vector};
use crate::shapes::{Dimension, Pair, Pose, Shape, Solid, Touch, most_of, spread, touch_all};
use std::sync::OnceLock;

/// Which slips are rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tangents {
    /// None: smooth surfaces.
    None,
    /// The one in the plane.
    Planar,
    /// Both.
    Spatial,
}

/// Where the features come from.
#[derive(Clone, Debug)]
pub(crate) enum Features {
    /// They are always these two.
    Fixed(Pair),
    /// Those nearest of two solids; the constraint keeps the present ones among its states.
    Nearest {
        /// On A.
        a: Solid,
        /// On B.
        b: Solid,
        /// Which of the points they touch in.
        slot: usize,
    },
}

/// A unilateral point of contact.
#[derive(Clone, Debug)]
pub struct ContactPoint {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) features: Features,
    pub(crate) tangents: Tangents,
    pub(crate) impact: Impact,
    pub(crate) friction: Friction,
}

/// Gaps below this are closed, m.
pub(crate) const CLOSED: f64 = 1e-6;

/// How far touches are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// However far apart.
    All,
    /// About as far as the smaller of the two reaches.
    Near,
}

/// How far the features may be from those that really meet before they are bound anew, m.
const ASTRAY: f64 = 1e-9;

/// How far the body may have gone beyond the features it is held on, m: so little that no speed into what follows is worth
/// a rebound.
const GONE: f64 = 1e-7;

/// How deep a body with edges may have sunk into what follows, m.
const SUNK: f64 = 1e-11;

/// A scalar in which a marker can be placed: as it stands, or as it moves.
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
                // A smooth frame about n; either half of the normals has one of its own.
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

    /// Normal and tangents over any scalar that knows the motion.
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

    /// Where its features meet.
    pub(crate) fn place_now(&self, at: &View) -> Option<Vec3> {
        let pair = self.pair(at.z)?;
        Some(Vec3::from(pair.gap(&Place::<f64>::of(&at[0]), &Place::of(&at[1])).point))
    }

    /// How far the point between its features is from lying midway between the two solids: beyond the border of a face
    /// it no longer does.
    fn astray(&self, at: &View, point: Vec3, gap: f64) -> f64 {
        let Features::Nearest { a, b, .. } = &self.features else { return 0.0 };
        let Some(probe) = probe(a.dimension()) else { return 0.0 };
        let pose = Pose { R: Mat3::identity(), p: point };
        let mut found = Vec::new();
        // Beyond this it is astray however far.
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

    /// How far, as a length along the ground or a ball, the body has gone beyond the features it is held on: past the end of an
    /// edge or beyond a ridge it sinks by x²/(2 r) into what follows, and x is what is told here.
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
        // Where nothing touches any more it has gone at least so far.
        if !found.iter().any(|t| near(&t)) {
            return self.own();
        }
        // What a ball or a rod sinks into is deeper than all it touches, however far it has gone since; were only
        // what is near looked at, all would seem well again beyond, and a look on either side would miss it.
        let round = a.is_round() || b.is_round();
        let counts = |t: &&Touch| round || near(t);
        let least = found.iter().filter(counts).map(|t| t.gap).fold(gap, f64::min);
        // Corners and edges sink straight in, not as x²: a root would ring at the round-off of their gaps.
        if round { (2.0 * a.reach().min(b.reach()) * (gap - least)).sqrt() } else { GONE * (gap - least) / SUNK }
    }

    /// Within which distance of a point features are its own, if they touch.
    pub(crate) fn own(&self) -> f64 {
        match &self.features {
            Features::Nearest { a, b, .. } if a.dimension() == Dimension::Three => 1e-3 * a.reach().min(b.reach()),
            _ => 10.0 * ASTRAY,
        }
    }

    /// How far the smaller of the two reaches.
    pub(crate) fn smaller(&self) -> f64 {
        match &self.features {
            Features::Nearest { a, b, .. } => a.reach().min(b.reach()),
            Features::Fixed(_) => f64::INFINITY,
        }
    }

    /// How far that may be. In space the corners of two faces that cross are not those of either body, and move on both.
    fn tolerance(&self) -> f64 {
        match &self.features {
            Features::Nearest { a, b, .. } if (a.is_ground() || b.is_ground()) && (a.is_round() || b.is_round()) => {
                ASTRAY
            }
            Features::Nearest { a, b, .. } if a.dimension() == Dimension::Three => 1e-4 * a.reach().min(b.reach()),
            _ => ASTRAY,
        }
    }

    /// The points in which the two solids touch, then those that come nearest, by their gaps.
    ///
    /// Of a flat contact only the few points count that hold it. Points still apart are not thinned out: ground has many
    /// faces about a body, and which of them is met first only the gaps tell.
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

/// Radius of what stands for a point, m.
const PROBE: f64 = 1e-6;

/// A body so small that its distance is that of a point.
fn probe(dimension: Dimension) -> Option<&'static Solid> {
    static PROBES: OnceLock<[Option<Solid>; 2]> = OnceLock::new();
    let made = PROBES.get_or_init(|| {
        [Shape::Circle { radius: PROBE }, Shape::Sphere { radius: PROBE }].map(|shape| Solid::new(&shape).ok())
    });
    let [plane, space] = made;
    if dimension == Dimension::Two { plane.as_ref() } else { space.as_ref() }
}

/// States of a point at which nothing meets.
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
            // Nothing meets here.
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
