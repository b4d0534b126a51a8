//! Separates free motions from slow ones by comparing the stiffness with its round-off.
//!
//! If stiff elements take part in a motion, ξᵀKξ is a small difference of large terms. To estimate its round-off, ξᵀKξ is evaluated
//! again at slightly perturbed poses along ξ. A spring, however soft, gives the same stiffness there; round-off does not.

use super::Linearised;
use crate::bodies::DisplacementKind;
use crate::equations::StateView;
use crate::model::{BodyEntry, Model};
use crate::tangent::{DifferenceAccuracy, TangentMatrices};

/// ξᵀKξ below this, relative to the sum of the magnitudes of its terms, may be round-off of differences and is checked.
const CHECK_THRESHOLD: f64 = 1e-9;
/// Below this it is round-off, even of a sum of exact terms.
const ROUND_OFF: f64 = 4e-15;
/// Size of the perturbation, relative to lengths. The stiffness itself changes only with the square of it.
const PERTURBATION: f64 = 1e-9;
/// A stiffness must exceed the difference of two evaluations by this factor.
const SIGNIFICANCE_FACTOR: f64 = 10.0;

/// Which velocities of a body have a stiffness that may be a difference of larger terms of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mixing {
    /// Its rotations.
    Rotations,
    /// Also its translations: a stiff spring along x has a stiffness along y that is round-off.
    All,
}

/// Whether the stiffness of a motion is only round-off, or negligible beside the fastest motions (ω² at most `fastest`).
pub(super) fn has_no_stiffness(lin: &Linearised, xi: &[f64], fastest: f64) -> bool {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let stiffness = |K: &[f64]| dot(xi, &lin.times_pattern(K, xi));
    let here = stiffness(&lin.tangent.K);
    let absolute = |x: &[f64]| x.iter().map(|x| x.abs()).collect::<Vec<f64>>();
    let x = absolute(xi);
    let sum = |K: Vec<f64>| dot(&x, &lin.times_pattern(&K, &x));
    let terms = sum(lin.stiffness_magnitudes(Mixing::Rotations));
    if here.abs() <= ROUND_OFF * terms || here.abs() <= 1e-18 * fastest * dot(xi, &lin.times_mass(xi)) {
        return true;
    }
    if here.abs() > CHECK_THRESHOLD * sum(lin.stiffness_magnitudes(Mixing::All)) {
        return false;
    }
    let looks = [-1.0, 1.0, 2.0].map(|times| stiffness(&lin.perturbed_stiffness(xi, times * PERTURBATION)));
    let apart = looks.iter().fold(0.0_f64, |a, look| a.max((look - here).abs()));
    // NaN is no stiffness.
    here.is_nan() || apart.is_nan() || here.abs() <= SIGNIFICANCE_FACTOR * apart
}

impl Linearised<'_> {
    /// |K|, entry by entry; for those velocities of a body that mix, the largest entry, since each is a difference of such terms.
    fn stiffness_magnitudes(&self, mixing: Mixing) -> Vec<f64> {
        let mut K: Vec<f64> = self.tangent.K.iter().map(|k| k.abs()).collect();
        for (b, entry) in self.model.bodies.iter().enumerate() {
            let Some(start) = self.tangent.pattern.start(b, b) else { continue };
            let (n, body) = (entry.v.len(), entry.kind.body());
            let is_turn = |i: &usize| body.displacement_kind(*i) == DisplacementKind::Other;
            let (turns, moves): (Vec<usize>, Vec<usize>) = (0..n).partition(is_turn);
            for group in [Some(turns), Some(moves).filter(|_| mixing == Mixing::All)].into_iter().flatten() {
                let places = group.iter().flat_map(|j| group.iter().map(move |i| start + j * n + i));
                let largest = places.clone().fold(0.0_f64, |a, at| a.max(K[at]));
                places.for_each(|at| K[at] = largest);
            }
        }
        K
    }

    /// K at a pose displaced along a motion, with the largest displacement `fraction` relative to lengths.
    fn perturbed_stiffness(&self, xi: &[f64], fraction: f64) -> Vec<f64> {
        let scale = self.displacement_scales();
        let largest = xi.iter().zip(&scale).fold(0.0_f64, |a, (x, s)| a.max((x / s).abs()));
        let mut state = self.state.clone();
        let delta: Vec<f64> = xi.iter().map(|x| fraction * x / largest).collect();
        for b in &self.model.bodies {
            b.kind.body().displace(&mut state.q[b.q.clone()], &delta[b.v.clone()]);
        }
        let mut tangent = TangentMatrices::new(self.model);
        tangent.evaluate(self.model, StateView::from(&state), &self.vdot, &self.lambda, DifferenceAccuracy::SixthOrder);
        tangent.K
    }

    /// Displacement scale of each velocity: a length of the mechanism, or 1 rad.
    pub(in crate::analyses) fn displacement_scales(&self) -> Vec<f64> {
        scales(self.model, &self.tangent)
    }
}

/// The same from a tangent.
pub(super) fn scales(model: &Model, tangent: &TangentMatrices) -> Vec<f64> {
    let lengths = tangent.characteristic_lengths(model);
    let of = |(b, entry): (usize, &BodyEntry)| {
        let body = entry.kind.body();
        let length = lengths[b];
        (0..entry.v.len())
            .map(|i| if body.displacement_kind(i) == DisplacementKind::Length { length } else { 1.0 })
            .collect::<Vec<f64>>()
    };
    model.bodies.iter().enumerate().flat_map(of).collect()
}

/// The largest force caused by a displacement of its scale.
pub(super) fn max_scaled_stiffness(model: &Model, tangent: &TangentMatrices, scales: &[f64]) -> f64 {
    let mut most = 0.0_f64;
    for pair in &tangent.pattern.blocks {
        let (rows, columns) = (model.bodies[pair.row].v.len(), &model.bodies[pair.column].v);
        for (j, c) in columns.clone().enumerate() {
            let K = &tangent.K[pair.start + j * rows..pair.start + (j + 1) * rows];
            most = K.iter().fold(most, |a, k| a.max(k.abs() * scales[c]));
        }
    }
    most
}
