//! Elimination of a rigid body on a hinge, together with the hinge.
//!
//! The general elimination of a body with six velocities and a hinge with five rows takes eleven pivots, each of which waits
//! for the one before it. If the rows of the hinge have the form
//!
//! ```text
//! v_B + ω_B×r_B − (v_P + ω_P×r_P) = s b₁,    t_i·(ω_B − ω_P) = β_i,  i = 1, 2,
//! ```
//!
//! their solutions are known: x_B = Z x_P + y + n σ, with the motion n of the hinge, the motion Z x_P of a body that is fixed to
//! the other one, and y from b. One unknown σ remains, and one pivot D = nᵀWn. This is the recursion of
//! articulated-body inertias: P ← P + Zᵀ (W − Wn nᵀW/D) Z. The multipliers follow from w = f − W x_B = Aᵀμ. The rows hold to
//! round-off for any mass ratio; the round-off of the multipliers is relative to the forces on all bodies that hang on the hinge.

use super::kernels::{block, block_mut, head, head_mut};
use crate::model::elimination::Hinge;

/// What is stored for a hinge, in place of the block below its body.
struct HingeFactor<'a>(&'a [f64; HingeFactor::VALUES]);

impl<'a> HingeFactor<'a> {
    const VALUES: usize = 26;

    #[inline(always)]
    fn of(hinge: &Hinge, values: &'a [f64]) -> HingeFactor<'a> {
        HingeFactor(head(&values[hinge.pivot as usize + 36..]))
    }
    /// The motion of the hinge.
    #[inline(always)]
    fn n(&self) -> Wide {
        wide(head(&self.0[..]))
    }
    /// U = W n.
    #[inline(always)]
    fn U(&self) -> Wide {
        wide(head(&self.0[6..]))
    }
    /// 1/(nᵀWn).
    #[inline(always)]
    fn inverse(&self) -> f64 {
        self.0[12]
    }
    /// Sign of the body in the rows of the hinge.
    #[inline(always)]
    fn sign(&self) -> f64 {
        self.0[13]
    }
    /// From the origin of the body to the hinge.
    #[inline(always)]
    fn r(&self) -> &[f64; 3] {
        head(&self.0[14..])
    }
    /// From the origin of the body to that of the other body.
    #[inline(always)]
    fn d(&self) -> &[f64; 3] {
        head(&self.0[17..])
    }
    /// The vectors with τ_i·t_k = δ_ik and τ_i·n = 0.
    #[inline(always)]
    fn tau(&self) -> (&[f64; 3], &[f64; 3]) {
        (head(&self.0[20..]), head(&self.0[23..]))
    }

    /// A relative motion that satisfies the rows with the right-hand side b.
    #[inline(always)]
    fn particular<const FUSED: bool>(&self, b: &[f64; 5]) -> Wide {
        let ((t1, t2), s) = (self.tau(), self.sign());
        let mut w = [0.0; 3];
        (0..3).for_each(|i| w[i] = madd::<FUSED>(t1[i], b[3], t2[i] * b[4]));
        joined(cross::<FUSED>(self.r(), &w, [s * b[0], s * b[1], s * b[2]]), w)
    }
}

/// a b + c, rounded once if the processor has the instruction.
#[inline(always)]
fn madd<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// c + a×b.
#[inline(always)]
fn cross<const FUSED: bool>(a: &[f64; 3], b: &[f64; 3], c: [f64; 3]) -> [f64; 3] {
    let term = |i: usize, j: usize, k: usize| madd::<FUSED>(-a[k], b[j], madd::<FUSED>(a[j], b[k], c[i]));
    [term(0, 1, 2), term(1, 2, 0), term(2, 0, 1)]
}

#[inline(always)]
fn dot3<const FUSED: bool>(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    madd::<FUSED>(a[2], b[2], madd::<FUSED>(a[1], b[1], a[0] * b[0]))
}

/// Two sums of three terms, which do not wait for each other.
#[inline(always)]
fn dot6<const FUSED: bool>(a: &Wide, b: &Wide) -> f64 {
    dot3::<FUSED>(head(a), head(b)) + dot3::<FUSED>(head(&a[3..]), head(&b[3..]))
}

/// Six values in two registers of four.
type Wide = [f64; 8];

#[inline(always)]
fn wide(x: &[f64; 6]) -> Wide {
    [x[0], x[1], x[2], x[3], x[4], x[5], 0.0, 0.0]
}

/// c + a b.
#[inline(always)]
fn add_multiple<const FUSED: bool>(mut c: Wide, a: &Wide, b: f64) -> Wide {
    for i in 0..8 {
        c[i] = madd::<FUSED>(a[i], b, c[i]);
    }
    c
}

/// a + b.
#[inline(always)]
fn add(mut a: Wide, b: &Wide) -> Wide {
    for i in 0..8 {
        a[i] += b[i];
    }
    a
}

/// c + W x, as two sums that do not wait for each other.
#[inline(always)]
fn add_product<const FUSED: bool>(W: &[[f64; 6]; 6], x: &Wide, c: &Wide) -> Wide {
    let (mut even, mut odd) = (*c, [0.0; 8]);
    for k in 0..3 {
        even = add_multiple::<FUSED>(even, &wide(&W[2 * k]), x[2 * k]);
        odd = add_multiple::<FUSED>(odd, &wide(&W[2 * k + 1]), x[2 * k + 1]);
    }
    add(even, &odd)
}

/// −a.
#[inline(always)]
fn minus(mut a: Wide) -> Wide {
    for i in 0..8 {
        a[i] = -a[i];
    }
    a
}

/// The first three values, and the next three.
#[inline(always)]
fn halves(x: &Wide) -> ([f64; 3], [f64; 3]) {
    ([x[0], x[1], x[2]], [x[3], x[4], x[5]])
}

/// The two halves as one.
#[inline(always)]
fn joined(v: [f64; 3], w: [f64; 3]) -> Wide {
    [v[0], v[1], v[2], w[0], w[1], w[2], 0.0, 0.0]
}

/// From the origin of a body to the hinge, read from its rows.
#[inline(always)]
fn arm(A: &[f64; 30]) -> [f64; 3] {
    let s = A[0];
    [s * A[11], -s * A[5], s * A[4]]
}

/// Least sine², between the two directions in which a hinge does not turn, of an elimination without their pivots.
const LEAST_SINE_SQUARED: f64 = 0.01;

/// Eliminates a body and its hinge; false, with nothing changed, if the rows of the hinge are nearly dependent.
#[inline(always)]
pub(super) fn eliminate<const FUSED: bool>(hinge: &Hinge, M: &[f64], A: &[f64], values: &mut [f64]) -> bool {
    let own = head::<30>(&A[hinge.jacobian as usize..]);
    let (r, s) = (arm(own), own[0]);
    let (t1, t2) = (head::<3>(&own[21..]), head::<3>(&own[27..]));
    let axis = cross::<false>(t1, t2, [0.0; 3]);
    let square = dot3::<false>(&axis, &axis);
    // Written so that NaN goes the general way, where it is found.
    if !(square >= LEAST_SINE_SQUARED * dot3::<false>(t1, t1) * dot3::<false>(t2, t2)) || square == 0.0 {
        return false;
    }
    let (tau1, tau2) = (cross::<false>(t2, &axis, [0.0; 3]), cross::<false>(&axis, t1, [0.0; 3]));
    let v = cross::<FUSED>(&r, &axis, [0.0; 3]);
    let n = joined(v, axis);
    // The other body is eliminated later: its block comes after those of this one.
    let (front, behind) = values.split_at_mut(hinge.end as usize);
    let (W, store) = front[hinge.pivot as usize..].split_at_mut(36);
    let W = block_mut::<6, 6>(W);
    if let Some(mass) = hinge.first_mass {
        *W = *block(&M[mass as usize..]);
    }
    let U = add_product::<FUSED>(W, &n, &[0.0; 8]);
    let inverse = 1.0 / dot6::<FUSED>(&n, &U);
    let mut d = r.map(|r| -r);
    if let Some(other) = hinge.other {
        let other_arm = arm(head::<30>(&A[other.jacobian as usize..]));
        (0..3).for_each(|i| d[i] += other_arm[i]);
        let P = block_mut::<6, 6>(&mut behind[(other.pivot - hinge.end) as usize..]);
        if let Some(mass) = other.first_mass {
            *P = *block(&M[mass as usize..]);
        }
        add_articulated_inertia::<FUSED>(W, &U, inverse, &d, P);
    }
    let store = head_mut::<{ HingeFactor::VALUES }>(store);
    *head_mut::<6>(&mut store[..]) = *head(&n);
    *head_mut::<6>(&mut store[6..]) = *head(&U);
    (store[12], store[13]) = (inverse, s);
    *head_mut::<3>(&mut store[14..]) = r;
    *head_mut::<3>(&mut store[17..]) = d;
    let scale = 1.0 / square;
    *head_mut::<3>(&mut store[20..]) = tau1.map(|t| t * scale);
    *head_mut::<3>(&mut store[23..]) = tau2.map(|t| t * scale);
    true
}

/// P ← P + Zᵀ (W − U Uᵀ/D) Z with Z = [1 −d×; 0 1].
#[inline(always)]
fn add_articulated_inertia<const FUSED: bool>(
    W: &[[f64; 6]; 6],
    U: &Wide,
    inverse: f64,
    d: &[f64; 3],
    P: &mut [[f64; 6]; 6],
) {
    let mut w = [[0.0; 8]; 6];
    for c in 0..6 {
        w[c] = add_multiple::<FUSED>(wide(&W[c]), U, -U[c] * inverse);
    }
    // (ω×d)_i in terms of ω_j: the columns of −d×.
    w[3] = add_multiple::<FUSED>(add_multiple::<FUSED>(w[3], &w[1], -d[2]), &w[2], d[1]);
    w[4] = add_multiple::<FUSED>(add_multiple::<FUSED>(w[4], &w[0], d[2]), &w[2], -d[0]);
    w[5] = add_multiple::<FUSED>(add_multiple::<FUSED>(w[5], &w[0], -d[1]), &w[1], d[0]);
    for c in 3..6 {
        let turned = cross::<FUSED>(d, head(&w[c]), [w[c][3], w[c][4], w[c][5]]);
        *head_mut::<3>(&mut w[c][3..]) = turned;
    }
    for c in 0..3 {
        (3..6).for_each(|i| w[c][i] = w[i][c]);
    }
    for c in 0..6 {
        P[c] = *head(&add(wide(&P[c]), &w[c]));
    }
}

/// Adds the force on the body, as far as its hinge transmits it, to the other body.
#[inline(always)]
pub(super) fn forward_substitute<const FUSED: bool>(hinge: &Hinge, values: &[f64], x: &mut [f64]) {
    let Some(other) = hinge.other else { return };
    let factor = HingeFactor::of(hinge, values);
    let y = factor.particular::<FUSED>(head(&x[hinge.row_vector as usize..]));
    let f = wide(head(&x[hinge.vector as usize..]));
    let g = add_product::<FUSED>(block(&values[hinge.pivot as usize..]), &minus(y), &f);
    let alpha = -dot6::<FUSED>(&factor.n(), &g) * factor.inverse();
    let (force, moment) = halves(&add_multiple::<FUSED>(g, &factor.U(), alpha));
    let moment = cross::<FUSED>(factor.d(), &force, moment);
    let on = head_mut::<6>(&mut x[other.vector as usize..]);
    *on = *head(&add(wide(on), &joined(force, moment)));
}

/// The acceleration of the body from that of the other one, and the multipliers of the hinge.
#[inline(always)]
pub(super) fn backward_substitute<const FUSED: bool>(hinge: &Hinge, values: &[f64], x: &mut [f64]) {
    let factor = HingeFactor::of(hinge, values);
    let mut h = factor.particular::<FUSED>(head(&x[hinge.row_vector as usize..]));
    if let Some(other) = hinge.other {
        let (v, w) = halves(&wide(head(&x[other.vector as usize..])));
        h = add(joined(cross::<FUSED>(&w, factor.d(), v), w), &h);
    }
    let own = head_mut::<6>(&mut x[hinge.vector as usize..]);
    let (n, f) = (factor.n(), wide(own));
    let sigma = (dot6::<FUSED>(&n, &f) - dot6::<FUSED>(&factor.U(), &h)) * factor.inverse();
    let solution = add_multiple::<FUSED>(h, &n, sigma);
    *own = *head(&solution);
    let w = add_product::<FUSED>(block(&values[hinge.pivot as usize..]), &minus(solution), &f);
    let ((t1, t2), r, s) = (factor.tau(), factor.r(), -factor.sign());
    let force = [-w[0], -w[1], -w[2]];
    let turning = cross::<FUSED>(r, &force, [w[3], w[4], w[5]]);
    *head_mut::<5>(&mut x[hinge.row_vector as usize..]) =
        [s * force[0], s * force[1], s * force[2], dot3::<FUSED>(t1, &turning), dot3::<FUSED>(t2, &turning)];
}

#[cfg(test)]
mod tests {
    use crate::kkt::{KktFactor, Regularisation, SymbolicFactor};
    use crate::model::JacobianBlock;
    use std::sync::Arc;

    /// Three bodies one after the other on the ground; `second` is the second direction without turning of the middle hinge.
    fn solution(is_hinge: bool, second: [f64; 3]) -> Vec<f64> {
        let (mut A, mut constraints) = (Vec::new(), Vec::new());
        for k in 0..3_usize {
            let mut blocks = Vec::new();
            let ends = [k.checked_sub(1).map(|before| (before, -1.0)), Some((k, 1.0))];
            for (body, s) in ends.into_iter().flatten() {
                let r = [0.3 + 0.1 * body as f64, -0.2 * s, 0.4];
                blocks.push(JacobianBlock { body, start: A.len() });
                A.extend([s, 0.0, 0.0, 0.0, s * r[2], -s * r[1]]);
                A.extend([0.0, s, 0.0, -s * r[2], 0.0, s * r[0]]);
                A.extend([0.0, 0.0, s, s * r[1], -s * r[0], 0.0]);
                for t in [[1.0, 0.0, 0.0], if k == 1 { second } else { [0.0, 0.6, 0.8] }] {
                    A.extend([0.0; 3].into_iter().chain(t.map(|t| s * t)));
                }
            }
            constraints.push((5, blocks, k == 0));
        }
        let mut M = Vec::new();
        for k in 0..3 {
            let diagonal = [2.0, 2.0, 2.0, 0.3, 0.2, 0.1 + k as f64];
            M.extend((0..36).map(|i| if i % 7 == 0 { diagonal[i / 7] } else { 0.0 }));
        }
        let mut factor = KktFactor::new(Arc::new(SymbolicFactor::new(&[6; 3], &constraints, &|_| is_hinge)));
        factor.regularise(Regularisation::Clamp(1e-12), &[1.0; 15], &[]);
        let mut x: Vec<f64> = (0..33).map(|i| f64::from(i * 7 % 11) - 4.0).collect();
        let mut again = x.clone();
        factor.factor_and_solve(&M, &A, &mut x);
        factor.solve(&mut again);
        let far = x.iter().zip(&again).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs() / (1.0 + a.abs())));
        assert!(far < 1e-12, "{far:e}");
        x
    }

    #[test]
    fn a_hinge_eliminated_with_its_body_gives_the_same_solution() {
        let (with, without) = (solution(true, [0.0, 1.0, 0.1]), solution(false, [0.0, 1.0, 0.1]));
        for (a, b) in with.iter().zip(&without) {
            assert!((a - b).abs() < 1e-11 * (1.0 + b.abs()), "{a} and {b}");
        }
    }

    #[test]
    fn a_hinge_whose_rows_are_nearly_dependent_is_eliminated_like_any_constraint() {
        assert_eq!(solution(true, [1.0, 1e-3, 0.0]), solution(false, [1.0, 1e-3, 0.0]));
        assert_ne!(solution(true, [0.0, 1.0, 0.1]), solution(false, [0.0, 1.0, 0.1]), "hinges are used at all");
    }
}
