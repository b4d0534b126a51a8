//! Groups of like parts around an axis, found by the numbers in their names.

use super::MultibladeError;
use crate::analyses::linear::RotatingFrame;
use crate::analyses::linear::local_axes::{AxesChoice, local_axes};
use crate::analyses::linear::rotating_frame::frame_motion;
use crate::common::spelling::did_you_mean;
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions};
use crate::model::Model;
use crate::motion::Vec3;
use crate::state::State;
use nalgebra::DMatrix;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Tolerance of equal spacing, radii and masses, rad or relative.
const LIKENESS_TOLERANCE: f64 = 1e-6;

/// Like parts: sets of elements that correspond, each in the order of the azimuth.
#[derive(Clone, Debug)]
pub(in crate::analyses) struct Group {
    /// Number of parts.
    pub count: usize,
    /// Azimuth of the first part at the start, rad.
    pub first_azimuth: f64,
    /// Sets of bodies, by their index in the model.
    pub bodies: Vec<Vec<usize>>,
    /// Sets of forces with extra states, likewise.
    pub forces: Vec<Vec<usize>>,
}

/// The number and the rest of a name that begins with a word: `blade3.tip` is (3, `.tip`) for `blade`.
fn numbered<'n>(name: &'n str, word: &str) -> Option<(u64, &'n str)> {
    let rest = name.strip_prefix(word)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((rest[..end].parse().ok()?, &rest[end..]))
}

/// Sets of names that differ in their number only.
fn sets<'n>(names: impl Iterator<Item = &'n str>, word: &str) -> Vec<BTreeMap<u64, usize>> {
    let mut found: BTreeMap<&str, BTreeMap<u64, usize>> = BTreeMap::new();
    for (i, name) in names.enumerate() {
        if let Some((number, rest)) = numbered(name, word) {
            found.entry(rest).or_default().insert(number, i);
        }
    }
    found.into_values().collect()
}

impl Group {
    /// The group of all elements whose names begin with one of these words and a number.
    pub fn find(
        model: &Model,
        state: &State,
        words: &[String],
        frame: &RotatingFrame,
    ) -> Result<Group, MultibladeError> {
        let (mut bodies, mut forces): (Vec<Vec<usize>>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut numbers: Option<Vec<u64>> = None;
        for word in words {
            let found = sets(model.bodies.iter().map(|b| b.name.as_str()), word);
            if found.is_empty() {
                let hint = did_you_mean(
                    word,
                    model.bodies.iter().map(|b| b.name.trim_end_matches(|c: char| c.is_ascii_digit())),
                );
                return Err(MultibladeError::NoGroup { word: word.clone(), hint });
            }
            for set in found {
                let own: Vec<u64> = set.keys().copied().collect();
                let known = numbers.get_or_insert_with(|| own.clone());
                if own != *known || own.len() < 2 {
                    let name = set.values().next().map_or(String::new(), |b| model.bodies[*b].name.clone());
                    return Err(MultibladeError::Incomplete { name, found: own.len(), expected: known.len().max(2) });
                }
                bodies.push(set.into_values().collect());
            }
        }
        let count = numbers.map_or(0, |n| n.len());
        for word in words {
            let with_states = |i: &usize| !model.forces[*i].z.is_empty();
            let found = sets(model.forces.iter().map(|f| f.name.as_str()), word);
            forces.extend(found.into_iter().filter(|s| s.len() == count).map(|s| s.into_values().collect::<Vec<_>>()));
            forces.retain(|set| set.iter().all(with_states));
        }
        let mut group = Group { count, first_azimuth: 0.0, bodies, forces };
        group.order_by_azimuth(model, state, frame)?;
        group.check_masses(model, state)?;
        Ok(group)
    }

    /// Sorts all sets by the azimuth of the first set with bodies off the axis, and checks the spacing.
    fn order_by_azimuth(&mut self, model: &Model, state: &State, frame: &RotatingFrame) -> Result<(), MultibladeError> {
        let axis = Vec3::from(frame.axis).normalize() * frame.rate.signum();
        // Any two directions across the axis.
        let across = if axis.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
        let e1 = (across - axis * axis.dot(&across)).normalize();
        let e2 = axis.cross(&e1);
        let polar = |b: usize| {
            let from = frame_motion(&model.bodies[b], state).p - Vec3::from(frame.through);
            let (x, y) = (from.dot(&e1), from.dot(&e2));
            (x.hypot(y), y.atan2(x), from.dot(&axis))
        };
        let size = self.bodies.iter().flatten().fold(0.0_f64, |a, b| a.max(polar(*b).0));
        let Some(off) = self.bodies.iter().find(|set| polar(set[0]).0 > 1e-3 * size) else {
            return Err(MultibladeError::OnAxis { name: model.bodies[self.bodies[0][0]].name.clone() });
        };
        self.first_azimuth = polar(off[0]).1;
        let after = |b: usize, from: f64| (polar(b).1 - from).rem_euclid(TAU);
        let mut order: Vec<usize> = (0..self.count).collect();
        // Just before the first counts as a whole turn.
        let place = |i: &usize| (after(off[*i], self.first_azimuth) + 1e-9).rem_euclid(TAU);
        order.sort_by(|a, b| place(a).total_cmp(&place(b)));
        for set in self.bodies.iter_mut().chain(&mut self.forces) {
            *set = order.iter().map(|i| set[*i]).collect();
        }
        for set in &self.bodies {
            let (radius, from, height) = polar(set[0]);
            for (i, b) in set.iter().enumerate() {
                let (r, _, h) = polar(*b);
                let expected = TAU * i as f64 / self.count as f64;
                let apart = (after(*b, from) - expected + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
                let on_axis = radius <= 1e-6 * size;
                let unlike =
                    (r - radius).abs() > LIKENESS_TOLERANCE * size || (h - height).abs() > LIKENESS_TOLERANCE * size;
                if unlike || (!on_axis && apart.abs() > LIKENESS_TOLERANCE) {
                    let [name, first] = [*b, set[0]].map(|b| model.bodies[b].name.clone());
                    return Err(MultibladeError::Spacing {
                        name,
                        first,
                        count: self.count,
                        degrees: apart.to_degrees(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Like parts have like masses, each in its own axes.
    fn check_masses(&self, model: &Model, state: &State) -> Result<(), MultibladeError> {
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        assemble_positions(model, StateView::from(state), &mut scene, &mut eq);
        let axes = local_axes(model, state, &vec![AxesChoice::Body; model.bodies.len()]);
        let mass = |b: usize| {
            let entry = &model.bodies[b];
            let n = entry.v.len();
            let M = DMatrix::from_column_slice(n, n, &eq.M[entry.mass.clone()]);
            axes[b].Z.tr_mul(&(M * &axes[b].Z))
        };
        for set in &self.bodies {
            let first = mass(set[0]);
            for b in &set[1..] {
                let own = mass(*b);
                if own.shape() != first.shape() || (&own - &first).amax() > LIKENESS_TOLERANCE * first.amax() {
                    let [name, first] = [*b, set[0]].map(|b| model.bodies[b].name.clone());
                    return Err(MultibladeError::Unlike { name, first });
                }
            }
        }
        Ok(())
    }

    /// T(ψ) and its derivative by ψ: like coordinates of the parts by collective, cosine, sine … and differential ones.
    pub fn transform(&self, psi: f64) -> [DMatrix<f64>; 2] {
        let n = self.count;
        let column = |part: usize, k: usize| -> [f64; 2] {
            let angle = psi + self.first_azimuth + TAU * part as f64 / n as f64;
            match Coordinate::of(k, n) {
                Coordinate::Collective => [1.0, 0.0],
                Coordinate::Cosine(m) => [(m as f64 * angle).cos(), -(m as f64) * (m as f64 * angle).sin()],
                Coordinate::Sine(m) => [(m as f64 * angle).sin(), m as f64 * (m as f64 * angle).cos()],
                Coordinate::Differential => [if part.is_multiple_of(2) { 1.0 } else { -1.0 }, 0.0],
            }
        };
        [0, 1].map(|which| DMatrix::from_fn(n, n, |part, k| column(part, k)[which]))
    }
}

/// A coordinate of the group instead of those of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// All parts alike.
    Collective,
    /// As cos nψ.
    Cosine(usize),
    /// As sin nψ.
    Sine(usize),
    /// With alternating signs.
    Differential,
}

impl Coordinate {
    /// The coordinate k of a group of n parts.
    pub fn of(k: usize, n: usize) -> Coordinate {
        match k {
            0 => Coordinate::Collective,
            k if n.is_multiple_of(2) && k == n - 1 => Coordinate::Differential,
            k if k % 2 == 1 => Coordinate::Cosine(k.div_ceil(2)),
            k => Coordinate::Sine(k / 2),
        }
    }

    /// Its name.
    pub fn label(self) -> String {
        match self {
            Coordinate::Collective => "collective".to_string(),
            Coordinate::Cosine(n) => format!("cosine{n}"),
            Coordinate::Sine(n) => format!("sine{n}"),
            Coordinate::Differential => "differential".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_sets() {
        let names = ["hub", "blade1", "blade2.tip", "blade2", "blade1.tip", "blades"];
        let found = sets(names.into_iter(), "blade");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].values().copied().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(found[1].values().copied().collect::<Vec<_>>(), [4, 2]);
    }

    #[test]
    fn transforms_are_regular_and_consistent() {
        for count in 2..=7 {
            let group = Group { count, first_azimuth: 0.3, bodies: Vec::new(), forces: Vec::new() };
            let [T, rate] = group.transform(0.7);
            let [later, _] = group.transform(0.7 + 1e-6);
            let [before, _] = group.transform(0.7 - 1e-6);
            assert!(((later - before) / 2e-6 - rate).amax() < 1e-8);
            // Columns are orthogonal: n and n/2 on the diagonal of TᵀT.
            let product = T.tr_mul(&T);
            let off = DMatrix::from_fn(count, count, |i, j| if i == j { 0.0 } else { product[(i, j)] });
            assert!(off.amax() < 1e-12 && product.diagonal().min() > 0.9, "{count}");
        }
    }
}
