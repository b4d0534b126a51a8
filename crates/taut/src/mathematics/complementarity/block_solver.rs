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

/// Solves one block in place; `g` is stored row by row. Undetermined components keep their values.
#[inline]
pub(super) fn solve(law: &ComplementarityLaw, g: &[f64], w: &[f64], p: &mut [f64]) -> BlockSolution {
    match *law {
        ComplementarityLaw::NonNegative => interval(g[0], w[0], 0.0, f64::INFINITY, &mut p[0]),
        ComplementarityLaw::Interval { lower, upper } => interval(g[0], w[0], lower, upper, &mut p[0]),
        ComplementarityLaw::Disc { radius } => {
            let pt =
                solve_secular_equation([[g[0], g[1]], [g[2], g[3]]], [w[0], w[1]], radius, [0.0; 2], g[0].max(g[3]));
            p.copy_from_slice(&pt);
            BlockSolution::Solved
        }
        ComplementarityLaw::Ball { radius } => {
            ball::solve(g, w, radius, p);
            BlockSolution::Solved
        }
        ComplementarityLaw::PlanarCone { mu } => store(planar_cone(g, w, mu), p),
        ComplementarityLaw::Cone { mu } => store(cone(g, 3, [w[0], w[1], w[2]], mu), p),
        ComplementarityLaw::ConeWithTorques { mu, spin, roll } => cone_with_torques(g, w, mu, spin, roll, p),
    }
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
    let share = -mu * b.signum();
    let stiffness = gnn + share * gnt;
    if stiffness <= 0.0 {
        return None;
    }
    let pn = -w[0] / stiffness;
    Some([pn, share * pn])
}

/// `g` has rows of `stride` entries.
#[inline]
fn cone(g: &[f64], stride: usize, w: [f64; 3], mu: f64) -> Option<[f64; 3]> {
    if w[0] >= 0.0 {
        return Some([0.0; 3]);
    }
    let at = |i: usize, j: usize| g[i * stride + j];
    let gnn = at(0, 0);
    if gnn <= 0.0 {
        return None;
    }
    if mu == 0.0 {
        return Some([-w[0] / gnn, 0.0, 0.0]);
    }
    let gnt = [at(0, 1) / gnn, at(0, 2) / gnn];
    let wn = w[0] / gnn;
    let S = [
        [at(1, 1) - at(1, 0) * gnt[0], at(1, 2) - at(1, 0) * gnt[1]],
        [at(2, 1) - at(2, 0) * gnt[0], at(2, 2) - at(2, 0) * gnt[1]],
    ];
    let b = [w[1] - at(1, 0) * wn, w[2] - at(2, 0) * wn];
    let pt = solve_secular_equation(S, b, -mu * wn, [-mu * gnt[0], -mu * gnt[1]], at(1, 1).max(at(2, 2)));
    Some([-(wn + gnt[0] * pt[0] + gnt[1] * pt[1]), pt[0], pt[1]])
}

fn cone_with_torques(g: &[f64], w: &[f64], mu: f64, spin: f64, roll: f64, p: &mut [f64]) -> BlockSolution {
    let (Some(g), Some(w), Some(p)) = (g.first_chunk::<36>(), w.first_chunk::<6>(), p.first_chunk_mut::<6>()) else {
        return BlockSolution::Impossible;
    };
    for _ in 0..COUPLING_PASSES.0 {
        let before = *p;
        // u of the rows without the contribution of their own set.
        let (s, r1, r2) = (p[3], p[4], p[5]);
        let of = |i: usize| w[i] + g[6 * i + 3] * s + g[6 * i + 4] * r1 + g[6 * i + 5] * r2;
        let Some([n, t1, t2]) = cone(g, 6, [of(0), of(1), of(2)], mu) else { return BlockSolution::Impossible };
        let bound = spin * n;
        let u = w[3] + g[18] * n + g[19] * t1 + g[20] * t2 + g[22] * r1 + g[23] * r2;
        let mut s = s.max(-bound).min(bound);
        interval(g[21], u, -bound, bound, &mut s);
        let of = |i: usize| w[i] + g[6 * i] * n + g[6 * i + 1] * t1 + g[6 * i + 2] * t2 + g[6 * i + 3] * s;
        let [r1, r2] = solve_secular_equation(
            [[g[28], g[29]], [g[34], g[35]]],
            [of(4), of(5)],
            roll * n,
            [0.0; 2],
            g[28].max(g[35]),
        );
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

/// No `hypot`: impulses neither overflow nor underflow when squared.
#[inline(always)]
fn norm(x: V2) -> f64 {
    (x[0] * x[0] + x[1] * x[1]).sqrt()
}

/// Solves |p_t(s)| = r₀ + r₁·p_t(s); returns p_t(0) if that is already within the limit.
#[inline]
fn solve_secular_equation(S: M2, b: V2, r0: f64, r1: V2, scale: f64) -> V2 {
    if r0 <= 0.0 || (b[0] == 0.0 && b[1] == 0.0) {
        return [0.0; 2];
    }
    // Uncoupled and isotropic, as for spheres: p_t = −b/(S + s) in closed form.
    let (small, S0) = (1e-13 * scale, S[0][0]);
    let alike = (S0 - S[1][1]).abs() <= small && S[0][1].abs().max(S[1][0].abs()) <= small;
    if alike && r1[0].abs().max(r1[1].abs()) <= 1e-13 && S0 > small {
        let share = (1.0 / S0).min(r0 / norm(b));
        return [-b[0] * share, -b[1] * share];
    }
    let inverse = |s: f64, x: V2| -> V2 {
        let (a, d) = (S[0][0] + s, S[1][1] + s);
        let det = a * d - S[0][1] * S[1][0];
        [(d * x[0] - S[0][1] * x[1]) / det, (a * x[1] - S[1][0] * x[0]) / det]
    };
    // Dependent rows: the limit s → 0 gives the solution of least norm.
    let det = S[0][0] * S[1][1] - S[0][1] * S[1][0];
    let mut low = if det > 1e-13 * scale * scale && scale > 0.0 { 0.0 } else { 1e-13 * scale.max(f64::MIN_POSITIVE) };
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
