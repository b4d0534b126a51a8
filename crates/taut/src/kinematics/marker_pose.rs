//! Poses and twists of markers over any scalar, and their seeds for automatic differentiation.

use super::MarkerKind;
use crate::mathematics::scratch::scratch;
use crate::motion::{Motion, Vec3};
use crate::scalar::{Dual, Jet, Scalar};

/// Pose of a marker. The value of a scalar coordinate is `p[0]`.
#[derive(Clone, Copy, Debug)]
pub struct MarkerPose<S> {
    /// R_WM; `R[i]` is row i, as [`matrix_vector`](crate::scalar::matrix_vector) expects it.
    pub R: [[S; 3]; 3],
    /// p_WM, m.
    pub p: [S; 3],
}

/// Twist of a marker. The rate of a scalar coordinate is `v[0]`.
#[derive(Clone, Copy, Debug)]
pub struct MarkerTwist<S> {
    /// w_WM, rad/s.
    pub w: [S; 3],
    /// v_WM, m/s.
    pub v: [S; 3],
}

scratch!(
    MarkerPose<f64>,
    MarkerPose<Jet>,
    MarkerPose<Dual<6>>,
    MarkerPose<Dual<7>>,
    MarkerTwist<Jet>,
    MarkerTwist<Dual<7>>,
);

impl<S: Scalar> MarkerPose<S> {
    /// Axis `j` of the marker in world components.
    pub fn axis(&self, j: usize) -> [S; 3] {
        [self.R[0][j], self.R[1][j], self.R[2][j]]
    }

    pub(crate) fn from_motion(m: &Motion) -> MarkerPose<S> {
        MarkerPose { R: [0, 1, 2].map(|i| [0, 1, 2].map(|j| S::from(m.R[(i, j)]))), p: to_scalars(&m.p) }
    }
}

impl<const N: usize> MarkerPose<Dual<N>> {
    /// The pose as a function of its own displacement (directions 0–2) and rotation (3–5).
    pub(crate) fn seeded(m: &Motion, needs: MarkerKind) -> MarkerPose<Dual<N>> {
        let mut place = MarkerPose::from_motion(m);
        if needs == MarkerKind::Coordinate {
            place.p[0] = Dual::variable(m.p.x, 0);
            return place;
        }
        for i in 0..3 {
            place.p[i] = Dual::variable(m.p[i], i);
            for j in 0..3 {
                // (e_k × r)_i for column r: only the two k other than i contribute.
                let (k, l) = ((i + 1) % 3, (i + 2) % 3);
                place.R[i][j].eps[3 + k] = m.R[(l, j)];
                place.R[i][j].eps[3 + l] = -m.R[(k, j)];
            }
        }
        place
    }
}

impl MarkerPose<Jet> {
    /// The pose along a motion with constant twist: p̈ = 0, R̈ = w×(w×R).
    pub(crate) fn along_motion(m: &Motion) -> MarkerPose<Jet> {
        let column = |j: usize| {
            let r = m.axis(j);
            let dr = m.w.cross(&r);
            (r, dr, m.w.cross(&dr))
        };
        let [x, y, z] = [column(0), column(1), column(2)];
        let jet = |i: usize, (r, dr, ddr): &(Vec3, Vec3, Vec3)| Jet::new(r[i], dr[i], ddr[i]);
        MarkerPose {
            R: [0, 1, 2].map(|i| [jet(i, &x), jet(i, &y), jet(i, &z)]),
            p: [0, 1, 2].map(|i| Jet::new(m.p[i], m.v[i], 0.0)),
        }
    }
}

impl<S: Scalar> MarkerTwist<S> {
    pub(crate) fn from_motion(m: &Motion) -> MarkerTwist<S> {
        MarkerTwist { w: to_scalars(&m.w), v: to_scalars(&m.v) }
    }
}

impl<const N: usize> MarkerTwist<Dual<N>> {
    pub(crate) fn seeded(m: &Motion, needs: MarkerKind) -> MarkerTwist<Dual<N>> {
        MarkerTwist::seeded_from(m, needs, 0)
    }

    /// The same with the directions from `first` on.
    pub(crate) fn seeded_from(m: &Motion, needs: MarkerKind, first: usize) -> MarkerTwist<Dual<N>> {
        let mut twist = MarkerTwist::from_motion(m);
        if needs == MarkerKind::Coordinate {
            twist.v[0] = Dual::variable(m.v.x, first);
            return twist;
        }
        for i in 0..3 {
            twist.v[i] = Dual::variable(m.v[i], first + i);
            twist.w[i] = Dual::variable(m.w[i], first + 3 + i);
        }
        twist
    }
}

fn to_scalars<S: Scalar>(v: &Vec3) -> [S; 3] {
    [S::from(v.x), S::from(v.y), S::from(v.z)]
}
