//! Exact solution of one block with all other blocks fixed: u = g p + w.
//!
//! For a cone the normal row is eliminated, p_n = −(w_n + g_nt p_t)/g_nn. With S = g_tt − g_tn g_nt/g_nn and
//! b = w_t − g_tn w_n/g_nn, sliding means u_t = −s p_t with s > 0, so that
//!
//! ```text
//!  p_t(s) = −(S + s I)⁻¹ b,      |p_t(s)| = μ p_n(s) = r₀ + r₁·p_t(s),      r₀ = −μ w_n/g_nn > 0
//! ```
//!
//! which is one scalar (secular) equation. At s = 0 the left side is the larger one, otherwise the block sticks; for s → ∞ it vanishes
//! and the right side is r₀ > 0. A root therefore exists for any μ and any coupling g_nt. Written as
//! (r₀ + r₁·p_t)/|p_t| − 1 = 0 it is linear in s if S is isotropic and uncoupled, and Newton's method needs one step. A disc of
//! fixed radius is the case r₁ = 0.
//!
//! Everything that depends on g alone is computed once ([`PreparedBlock`]), so that a visit of a sweep that sticks or separates needs
//! neither a division nor a root.

use super::ball;
use super::laws::ComplementarityLaw;

/// Whether the block alone has a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BlockSolution {
    Solved,
    /// This block alone cannot satisfy its law; p is unchanged.
    Impossible,
}

type V2 = [f64; 2];
type M2 = [[f64; 2]; 2];

/// Maximum number of steps for the scalar equation; bisection alone would reach round-off in fewer.
const MAX_STEPS: usize = 80;
/// Maximum number of passes over friction, spin and rolling of one contact, and the relative change at which they stop.
const COUPLING_PASSES: (usize, f64) = (4, 1e-3);

/// The part of a block's solution that depends on g alone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PreparedBlock {
    /// 1/g_nn; zero if g_nn is not positive.
    inverse_normal: f64,
    /// g_nt/g_nn and g_tn of a cone.
    gnt: V2,
    gtn: V2,
    tangent: Secular,
    roll: Secular,
}

impl PreparedBlock {
    /// For a block with this law and this g, stored row by row.
    pub fn new(law: &ComplementarityLaw, g: &[f64]) -> PreparedBlock {
        let inverse_normal = if g[0] > 0.0 { 1.0 / g[0] } else { 0.0 };
        let mut block = PreparedBlock { inverse_normal, ..PreparedBlock::default() };
        match *law {
            ComplementarityLaw::Disc { .. } => {
                block.tangent = Secular::new([[g[0], g[1]], [g[2], g[3]]], [0.0; 2], g[0].max(g[3]));
            }
            ComplementarityLaw::Cone { mu } => block.prepare_cone(g, 3, mu),
            ComplementarityLaw::ConeWithTorques { mu, .. } => {
                block.prepare_cone(g, 6, mu);
                block.roll = Secular::new([[g[28], g[29]], [g[34], g[35]]], [0.0; 2], g[28].max(g[35]));
            }
            _ => {}
        }
        block
    }

    fn prepare_cone(&mut self, g: &[f64], stride: usize, mu: f64) {
        let at = |i: usize, j: usize| g[i * stride + j];
        let k = self.inverse_normal;
        self.gnt = [at(0, 1) * k, at(0, 2) * k];
        self.gtn = [at(1, 0), at(2, 0)];
        let [x, y] = self.gnt;
        let S =
            [[at(1, 1) - at(1, 0) * x, at(1, 2) - at(1, 0) * y], [at(2, 1) - at(2, 0) * x, at(2, 2) - at(2, 0) * y]];
        self.tangent = Secular::new(S, [-mu * x, -mu * y], at(1, 1).max(at(2, 2)));
    }

    /// Solves the block in place; `g` is stored row by row. Undetermined components keep their values.
    #[inline(always)]
    pub fn solve(&self, law: &ComplementarityLaw, g: &[f64], w: &[f64], p: &mut [f64]) -> BlockSolution {
        match *law {
            ComplementarityLaw::NonNegative if self.inverse_normal > 0.0 => {
                p[0] = (-w[0] * self.inverse_normal).max(0.0);
                BlockSolution::Solved
            }
            ComplementarityLaw::NonNegative => interval(g[0], w[0], 0.0, f64::INFINITY, &mut p[0]),
            ComplementarityLaw::Interval { lower, upper } => interval(g[0], w[0], lower, upper, &mut p[0]),
            ComplementarityLaw::Disc { radius } => {
                p.copy_from_slice(&self.tangent.solve([w[0], w[1]], radius));
                BlockSolution::Solved
            }
            ComplementarityLaw::Ball { radius } => {
                ball::solve(g, w, radius, p);
                BlockSolution::Solved
            }
            ComplementarityLaw::PlanarCone { mu } => store(planar_cone(g, w, mu), p),
            ComplementarityLaw::Cone { mu } => store(self.cone([w[0], w[1], w[2]], mu), p),
            ComplementarityLaw::ConeWithTorques { mu, spin, roll } => self.cone_with_torques(g, w, mu, spin, roll, p),
        }
    }

    #[inline(always)]
    fn cone(&self, w: [f64; 3], mu: f64) -> Option<[f64; 3]> {
        if w[0] >= 0.0 {
            return Some([0.0; 3]);
        }
        if self.inverse_normal <= 0.0 {
            return None;
        }
        let wn = w[0] * self.inverse_normal;
        if mu == 0.0 {
            return Some([-wn, 0.0, 0.0]);
        }
        let b = [w[1] - self.gtn[0] * wn, w[2] - self.gtn[1] * wn];
        let pt = self.tangent.solve(b, -mu * wn);
        Some([-(wn + self.gnt[0] * pt[0] + self.gnt[1] * pt[1]), pt[0], pt[1]])
    }

    #[inline(always)]
    fn cone_with_torques(&self, g: &[f64], w: &[f64], mu: f64, spin: f64, roll: f64, p: &mut [f64]) -> BlockSolution {
        let (Some(g), Some(w), Some(p)) = (g.first_chunk::<36>(), w.first_chunk::<6>(), p.first_chunk_mut::<6>())
        else {
            return BlockSolution::Impossible;
        };
        for _ in 0..COUPLING_PASSES.0 {
            let before = *p;
            // u of the rows without the contribution of their own set.
            let (s, r1, r2) = (p[3], p[4], p[5]);
            let of = |i: usize| w[i] + g[6 * i + 3] * s + g[6 * i + 4] * r1 + g[6 * i + 5] * r2;
            let Some([n, t1, t2]) = self.cone([of(0), of(1), of(2)], mu) else { return BlockSolution::Impossible };
            // An open contact has no torques. If it had, look again without them.
            if n == 0.0 {
                *p = [0.0; 6];
                if before[3..] == [0.0; 3] {
                    break;
                }
                continue;
            }
            let bound = spin * n;
            let u = w[3] + g[18] * n + g[19] * t1 + g[20] * t2 + g[22] * r1 + g[23] * r2;
            let mut s = s.max(-bound).min(bound);
            interval(g[21], u, -bound, bound, &mut s);
            let of = |i: usize| w[i] + g[6 * i] * n + g[6 * i + 1] * t1 + g[6 * i + 2] * t2 + g[6 * i + 3] * s;
            let [r1, r2] = self.roll.solve([of(4), of(5)], roll * n);
            *p = [n, t1, t2, s, r1, r2];
            let mut changed = 0.0_f64;
            for i in 0..6 {
                changed = changed.max((p[i] - before[i]).abs());
            }
            if changed <= COUPLING_PASSES.1 * n {
                break;
            }
        }
        BlockSolution::Solved
    }
}

/// Solves one block in place; `g` is stored row by row. Undetermined components keep their values.
pub(super) fn solve(law: &ComplementarityLaw, g: &[f64], w: &[f64], p: &mut [f64]) -> BlockSolution {
    PreparedBlock::new(law, g).solve(law, g, w, p)
}

#[inline]
fn store<const N: usize>(found: Option<[f64; N]>, p: &mut [f64]) -> BlockSolution {
    match found {
        Some(x) => {
            p[..N].copy_from_slice(&x);
            BlockSolution::Solved
        }
        None => BlockSolution::Impossible,
    }
}

#[inline]
fn interval(g: f64, w: f64, lower: f64, upper: f64, p: &mut f64) -> BlockSolution {
    if g > 0.0 {
        *p = (-w / g).max(lower).min(upper);
        return BlockSolution::Solved;
    }
    // u does not increase with p: the solution can only be at a bound.
    let (low, high) = (g * lower + w, g * upper + w);
    if w == 0.0 && g == 0.0 {
        *p = p.max(lower).min(upper);
    } else if lower.is_finite() && (low >= 0.0) {
        *p = lower;
    } else if upper.is_finite() && (high <= 0.0) {
        *p = upper;
    } else {
        return BlockSolution::Impossible;
    }
    BlockSolution::Solved
}

#[inline]
fn planar_cone(g: &[f64], w: &[f64], mu: f64) -> Option<[f64; 2]> {
    let (gnn, gnt, gtn, gtt) = (g[0], g[1], g[2], g[3]);
    if w[0] >= 0.0 {
        return Some([0.0; 2]);
    }
    if gnn <= 0.0 {
        return None;
    }
    let (S, b) = (gtt - gtn * gnt / gnn, w[1] - gtn * w[0] / gnn);
    if S > 1e-14 * gtt {
        let pt = -b / S;
        let pn = -(w[0] + gnt * pt) / gnn;
        if pt.abs() <= mu * pn {
            return Some([pn, pt]);
        }
    }
    if b == 0.0 {
        return Some([-w[0] / gnn, 0.0]);
    }
    let ratio = -mu * b.signum();
    let stiffness = gnn + ratio * gnt;
    if stiffness <= 0.0 {
        return None;
    }
    let pn = -w[0] / stiffness;
    Some([pn, ratio * pn])
}

/// No `hypot`: impulses neither overflow nor underflow when squared.
#[inline(always)]
fn norm(x: V2) -> f64 {
    (x[0] * x[0] + x[1] * x[1]).sqrt()
}

/// The secular equation of two rows, prepared for many right-hand sides.
#[derive(Clone, Copy, Debug, Default)]
struct Secular {
    S: M2,
    r1: V2,
    scale: f64,
    /// 1/S if S is isotropic and uncoupled, as for spheres; else zero.
    isotropic: f64,
    /// S⁻¹ if S is regular.
    inverse: Option<M2>,
}

impl Secular {
    fn new(S: M2, r1: V2, scale: f64) -> Secular {
        let (small, S0) = (1e-13 * scale, S[0][0]);
        let alike = (S0 - S[1][1]).abs() <= small && S[0][1].abs().max(S[1][0].abs()) <= small;
        let uncoupled = r1[0].abs().max(r1[1].abs()) <= 1e-13;
        let isotropic = if alike && uncoupled && S0 > small { 1.0 / S0 } else { 0.0 };
        let det = S[0][0] * S[1][1] - S[0][1] * S[1][0];
        let k = 1.0 / det;
        let inverse = (det > 1e-13 * scale * scale && scale > 0.0)
            .then(|| [[S[1][1] * k, -S[0][1] * k], [-S[1][0] * k, S[0][0] * k]]);
        Secular { S, r1, scale, isotropic, inverse }
    }

    /// Solves |p_t(s)| = r₀ + r₁·p_t(s); returns p_t(0) if that is already within the limit.
    #[inline(always)]
    fn solve(&self, b: V2, r0: f64) -> V2 {
        if r0 <= 0.0 || (b[0] == 0.0 && b[1] == 0.0) {
            return [0.0; 2];
        }
        // p_t = −b/(S + s) in closed form.
        if self.isotropic > 0.0 {
            let (k, square) = (self.isotropic, b[0] * b[0] + b[1] * b[1]);
            let ratio = if k * k * square <= r0 * r0 { k } else { r0 / square.sqrt() };
            return [-b[0] * ratio, -b[1] * ratio];
        }
        if let Some(K) = &self.inverse {
            let pt = [-(K[0][0] * b[0] + K[0][1] * b[1]), -(K[1][0] * b[0] + K[1][1] * b[1])];
            let radius = r0 + self.r1[0] * pt[0] + self.r1[1] * pt[1];
            if radius >= 0.0 && pt[0] * pt[0] + pt[1] * pt[1] <= radius * radius {
                return pt;
            }
        }
        self.slide(b, r0)
    }

    /// The same by Newton's method, safeguarded by bisection.
    fn slide(&self, b: V2, r0: f64) -> V2 {
        let Secular { S, r1, scale, .. } = *self;
        let inverse = |s: f64, x: V2| -> V2 {
            let (a, d) = (S[0][0] + s, S[1][1] + s);
            let k = 1.0 / (a * d - S[0][1] * S[1][0]);
            [(d * x[0] - S[0][1] * x[1]) * k, (a * x[1] - S[1][0] * x[0]) * k]
        };
        // Dependent rows: the limit s → 0 gives the solution of least norm.
        let mut low = if self.inverse.is_some() { 0.0 } else { 1e-13 * scale.max(f64::MIN_POSITIVE) };
        let mut high = f64::INFINITY;
        let mut s = low;
        let mut pt = [0.0; 2];
        for _ in 0..MAX_STEPS {
            pt = inverse(s, [-b[0], -b[1]]);
            let length = norm(pt);
            let radius = r0 + r1[0] * pt[0] + r1[1] * pt[1];
            let gap = radius / length - 1.0;
            if gap >= 0.0 && s == low && high == f64::INFINITY {
                return pt;
            }
            if gap.abs() <= 32.0 * f64::EPSILON {
                break;
            }
            if gap < 0.0 {
                low = s
            } else {
                high = s
            }
            // d p_t/ds = −(S + s I)⁻¹ p_t
            let slope = inverse(s, pt);
            let along = (pt[0] * slope[0] + pt[1] * slope[1]) / length;
            let rate = (-(r1[0] * slope[0] + r1[1] * slope[1]) + radius * along / length) / length;
            let next = s - gap / rate;
            s = if next > low && next < high {
                next
            } else if high == f64::INFINITY {
                4.0 * s.max(scale).max(norm(b) / r0)
            } else if low > 0.0 {
                (low * high).sqrt()
            } else {
                0.5 * high
            };
            if s <= low || s >= high {
                break;
            }
        }
        // Exactly on the limit: |p_t| (1 − r₁·d) = r₀.
        let length = norm(pt);
        let d = [pt[0] / length, pt[1] / length];
        let free = 1.0 - r1[0] * d[0] - r1[1] * d[1];
        if free > 0.0 { [r0 / free * d[0], r0 / free * d[1]] } else { pt }
    }
}
