//! The factor T of one body in ξ = T (x_v + N⁺ r_q): 1/σ, or for rotations (σ I + ½ ω×) / (σ² + ¼ |ω|²).

use crate::bodies::RateJacobian;
use crate::tangent::Number;

/// T of one body.
pub(super) enum DisplacementFactor<T> {
    Straight(T),
    /// 1/σ for all velocities but the second three, and the block of those.
    Turning(T, [[T; 3]; 3]),
}

impl<T: Number> DisplacementFactor<T> {
    pub(super) fn new(swirl: &RateJacobian, sigma: T) -> DisplacementFactor<T> {
        let one = T::from_real(1.0) / sigma;
        match swirl {
            RateJacobian::Zero => DisplacementFactor::Straight(one),
            RateJacobian::Quaternion(w) => {
                let below = sigma * sigma + T::from_real(0.25 * w.norm_squared());
                let cross = w.cross_matrix();
                let entry = |i: usize, j: usize| {
                    let diagonal = if i == j { sigma } else { T::from_real(0.0) };
                    (diagonal + T::from_real(0.5 * cross[(i, j)])) / below
                };
                DisplacementFactor::Turning(one, std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))))
            }
        }
    }

    /// x ← T x.
    pub(super) fn apply(&self, x: &mut [T]) {
        let (DisplacementFactor::Straight(one) | DisplacementFactor::Turning(one, _)) = self;
        if let DisplacementFactor::Turning(_, block) = self {
            let old = [x[3], x[4], x[5]];
            for i in 0..3 {
                x[3 + i] = block[i][0] * old[0] + block[i][1] * old[1] + block[i][2] * old[2];
            }
            let (points, shapes) = x.split_at_mut(3);
            points.iter_mut().chain(&mut shapes[3..]).for_each(|x| *x = *x * *one);
        } else {
            x.iter_mut().for_each(|x| *x = *x * *one);
        }
    }

    /// Entry j of the row x T.
    pub(super) fn row_entry(&self, x: impl Fn(usize) -> f64, j: usize) -> T {
        match self {
            DisplacementFactor::Turning(_, block) if (3..6).contains(&j) => {
                let part = |l: usize| T::from_real(x(3 + l)) * block[l][j - 3];
                part(0) + part(1) + part(2)
            }
            DisplacementFactor::Straight(one) | DisplacementFactor::Turning(one, _) => T::from_real(x(j)) * *one,
        }
    }
}
