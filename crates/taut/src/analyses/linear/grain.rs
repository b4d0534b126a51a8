//! Whether a motion is free or only slow: its stiffness beside what rounding leaves of it.
//!
//! Where stiff elements are carried along, ξᵀKξ is a small difference of large terms. How much of it is round-off tells a
//! second look: K of poses a hair further along ξ has other last digits. A spring, however soft, shows the same
//! stiffness there; round-off shows another.

use super::Linearised;
use crate::bodies::Measured;
use crate::equations::At;
use crate::model::{BodyEntry, Model};
use crate::tangent::{Closeness, Tangent};

/// ξᵀKξ below this, relative to the sum of the sizes of its terms, may be round-off of differences, and is looked at.
const DOUBTFUL: f64 = 1e-9;
/// Below this it is: not even a sum of exact terms is finer.
const ROUND: f64 = 4e-15;
/// How far the second look is from the first, relative to lengths: all that changes of a stiffness goes by its square.
const HAIR: f64 = 1e-9;
/// How many times the difference of two looks a stiffness must be.
const CLEAR: f64 = 10.0;

/// Whether nothing but round-off holds a motion, or nothing beside the fastest motions (ω² at most `fastest`).
pub(super) fn stiffless(lin: &Linearised, xi: &[f64], fastest: f64) -> bool {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let stiffness = |K: &[f64]| dot(xi, &lin.times_pattern(K, xi));
    let here = stiffness(&lin.tangent.K);
    let absolute = |x: &[f64]| x.iter().map(|x| x.abs()).collect::<Vec<f64>>();
    let (K, x) = (lin.sizes_of_stiffness(), absolute(xi));
    let terms = dot(&x, &lin.times_pattern(&K, &x));
    if here.abs() <= ROUND * terms || here.abs() <= 1e-18 * fastest * dot(xi, &lin.times_mass(xi)) {
        return true;
    }
    if here.abs() > DOUBTFUL * terms {
        return false;
    }
    let looks = [-1.0, 1.0, 2.0].map(|times| stiffness(&lin.stiffness_along(xi, times * HAIR)));
    let apart = looks.iter().fold(0.0_f64, |a, look| a.max((look - here).abs()));
    // NaN is no stiffness.
    here.is_nan() || apart.is_nan() || here.abs() <= CLEAR * apart
}

impl Linearised<'_> {
    /// |K|, entry by entry; of the turns of a body the largest of all, since each is a difference of such terms.
    fn sizes_of_stiffness(&self) -> Vec<f64> {
        let mut K: Vec<f64> = self.tangent.K.iter().map(|k| k.abs()).collect();
        for (b, entry) in self.model.bodies.iter().enumerate() {
            let Some(start) = self.tangent.pattern.start(b, b) else { continue };
            let (n, body) = (entry.v.len(), entry.kind.body());
            let turns: Vec<usize> = (0..n).filter(|i| body.measured(*i) == Measured::Other).collect();
            let places = turns.iter().flat_map(|j| turns.iter().map(move |i| start + j * n + i));
            let largest = places.clone().fold(0.0_f64, |a, at| a.max(K[at]));
            places.for_each(|at| K[at] = largest);
        }
        K
    }

    /// K a little further along a motion, whose largest displacement is as many lengths.
    fn stiffness_along(&self, xi: &[f64], share: f64) -> Vec<f64> {
        let scale = self.scales();
        let largest = xi.iter().zip(&scale).fold(0.0_f64, |a, (x, s)| a.max((x / s).abs()));
        let mut state = self.state.clone();
        let delta: Vec<f64> = xi.iter().map(|x| share * x / largest).collect();
        for b in &self.model.bodies {
            b.kind.body().displace(&mut state.q[b.q.clone()], &delta[b.v.clone()]);
        }
        let mut tangent = Tangent::new(self.model);
        tangent.take(self.model, At::from(&state), &self.vdot, &self.lambda, Closeness::Fine);
        tangent.K
    }

    /// What displacements along each velocity are measured by: lengths of the mechanism, or 1 rad.
    pub(super) fn scales(&self) -> Vec<f64> {
        scales(self.model, &self.tangent)
    }
}

/// The same of a tangent.
pub(super) fn scales(model: &Model, tangent: &Tangent) -> Vec<f64> {
    let lengths = tangent.lengths(model);
    let of = |(b, entry): (usize, &BodyEntry)| {
        let body = entry.kind.body();
        let length = lengths[b];
        (0..entry.v.len())
            .map(|i| if body.measured(i) == Measured::Length { length } else { 1.0 })
            .collect::<Vec<f64>>()
    };
    model.bodies.iter().enumerate().flat_map(of).collect()
}

/// The largest force of a displacement by its measure.
pub(super) fn stiffest(model: &Model, tangent: &Tangent, scales: &[f64]) -> f64 {
    let mut most = 0.0_f64;
    for pair in &tangent.pattern.pairs {
        let (rows, columns) = (model.bodies[pair.row].v.len(), &model.bodies[pair.column].v);
        for (j, c) in columns.clone().enumerate() {
            let K = &tangent.K[pair.start + j * rows..pair.start + (j + 1) * rows];
            most = K.iter().fold(most, |a, k| a.max(k.abs() * scales[c]));
        }
    }
    most
}
