//! Small programmes with cones: the largest value of a linear function where friction limits the variables.
//!
//! ```text
//!  maximise cᵀz   with   G z ≤ h,   ‖e + E z‖ ≤ f + gᵀz        z = 0 is feasible
//! ```
//!
//! Cutting planes: each cone is the intersection of the half-spaces uᵀ(e + E z) ≤ f + gᵀz over all unit vectors u. The linear
//! programme is repeated with the half-space that its solution violates most (\[Kelley1960\]). Half-spaces hold for every objective
//! and are kept.

use super::linear_programme::{Optimum, maximise};
use nalgebra::{DMatrix, DVector};

/// A cone is violated if ‖e + E z‖ exceeds its bound by more than this, relative to its terms.
const VIOLATION: f64 = 1e-11;
/// A direction raises the objective if its rate exceeds this, for coefficients of largest one.
const RATE: f64 = 1e-8;
/// Most linear programmes of one objective.
const MAX_PROGRAMMES: usize = 300;
/// Most half-spaces of all objectives: the time of a linear programme grows with their number.
const MAX_HALF_SPACES: usize = 1500;

/// ‖e + E z‖ ≤ f + gᵀz.
#[derive(Clone, Debug)]
pub(crate) struct Cone {
    pub e: DVector<f64>,
    pub E: DMatrix<f64>,
    pub f: f64,
    pub g: DVector<f64>,
}

/// A half-space aᵀz ≤ b.
type HalfSpace = (Vec<f64>, f64);

impl Cone {
    fn half_space(&self, u: &DVector<f64>) -> HalfSpace {
        ((self.E.tr_mul(u) - &self.g).as_slice().to_vec(), self.f - u.dot(&self.e))
    }

    /// The half-space that z violates most; none if z is in the cone. `constant` is 1 for the cone itself, and 0 for the cone of its
    /// directions.
    fn violated(&self, z: &DVector<f64>, constant: f64) -> Option<HalfSpace> {
        let changes = &self.E * z;
        let tangential = &self.e * constant + &changes;
        let bound = self.f * constant + self.g.dot(z);
        let terms = changes.norm() + constant * (self.e.norm() + self.f.abs()) + self.g.component_mul(z).abs().sum();
        let norm = tangential.norm();
        (norm - bound > VIOLATION * terms && norm > 0.0).then(|| self.half_space(&(tangential / norm)))
    }
}

/// The variables that half-spaces and cones admit.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConeProgramme {
    half_spaces: Vec<HalfSpace>,
    cones: Vec<Cone>,
}

impl ConeProgramme {
    /// Adds aᵀz ≤ b.
    pub fn limit(&mut self, a: Vec<f64>, b: f64) {
        if b.is_finite() && a.iter().any(|x| *x != 0.0) {
            self.half_spaces.push((a, b));
        }
    }

    /// Adds a cone. One with a single row is two half-spaces.
    pub fn limit_norm(&mut self, cone: Cone) {
        for (i, sign) in (0..cone.e.len()).flat_map(|i| [(i, 1.0), (i, -1.0)]) {
            let mut u = DVector::zeros(cone.e.len());
            u[i] = sign;
            let (a, b) = cone.half_space(&u);
            self.limit(a, b);
        }
        if cone.e.len() > 1 {
            self.cones.push(cone);
        }
    }

    /// Whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        self.half_spaces.is_empty()
    }

    /// Whether there are cones with several rows.
    pub fn has_cones(&self) -> bool {
        !self.cones.is_empty()
    }

    /// The smallest b of the half-spaces, and the smallest margin of the cones, at z = 0: negative if z = 0 is not admissible.
    pub fn least_margin(&self) -> f64 {
        let margins = self.half_spaces.iter().map(|(_, b)| *b);
        let cones = self.cones.iter().map(|c| c.f - c.e.norm());
        margins.chain(cones).fold(f64::INFINITY, f64::min)
    }

    /// The largest value of cᵀz; none if it is not found.
    pub fn maximise(&mut self, c: &[f64]) -> Option<Optimum> {
        for _ in 0..MAX_PROGRAMMES {
            if self.half_spaces.len() > MAX_HALF_SPACES {
                return None;
            }
            let found = linear(c, &self.half_spaces)?;
            match &found {
                Optimum::Unbounded if self.cones.is_empty() => return Some(found),
                Optimum::Unbounded => {
                    if self.has_direction(c)? {
                        return Some(found);
                    }
                }
                Optimum::At(_, z) => {
                    if !self.cut(&DVector::from_column_slice(z), 1.0) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// Whether cᵀz grows without bound: along a direction of all cones. Otherwise half-spaces now exclude this.
    fn has_direction(&mut self, c: &[f64]) -> Option<bool> {
        let n = c.len();
        let size = c.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        for _ in 0..MAX_PROGRAMMES {
            if self.half_spaces.len() > MAX_HALF_SPACES {
                return None;
            }
            // Directions of at most unit length along each axis.
            let mut all = self.half_spaces.iter().map(|(a, _)| (a.clone(), 0.0)).collect::<Vec<HalfSpace>>();
            for (j, sign) in (0..n).flat_map(|j| [(j, 1.0), (j, -1.0)]) {
                let mut a = vec![0.0; n];
                a[j] = sign;
                all.push((a, 1.0));
            }
            let Optimum::At(rate, d) = linear(c, &all)? else { return None };
            if rate <= RATE * size {
                return Some(false);
            }
            if !self.cut(&DVector::from_vec(d), 0.0) {
                return Some(true);
            }
        }
        None
    }

    /// Adds the half-spaces that z violates; whether there are any.
    fn cut(&mut self, z: &DVector<f64>, constant: f64) -> bool {
        let cuts: Vec<HalfSpace> = self.cones.iter().filter_map(|cone| cone.violated(z, constant)).collect();
        self.half_spaces.extend(cuts.iter().cloned());
        !cuts.is_empty()
    }
}

fn linear(c: &[f64], half_spaces: &[HalfSpace]) -> Option<Optimum> {
    let G = DMatrix::from_fn(half_spaces.len(), c.len(), |i, j| half_spaces[i].0[j]);
    let h: Vec<f64> = half_spaces.iter().map(|(_, b)| *b).collect();
    maximise(c, &G, &h)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disc(radius: f64) -> Cone {
        Cone { e: DVector::zeros(2), E: DMatrix::identity(2, 2), f: radius, g: DVector::zeros(2) }
    }

    fn value(found: Option<Optimum>) -> f64 {
        match found {
            Some(Optimum::At(value, _)) => value,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_disc_and_a_half_plane() {
        let mut round = ConeProgramme::default();
        round.limit_norm(disc(2.0));
        for angle in [0.0_f64, 0.3, 1.0, 2.2] {
            let c = [3.0 * angle.cos(), 3.0 * angle.sin()];
            assert!((value(round.maximise(&c)) - 6.0).abs() < 1e-9);
        }
        // The half with z₁ ≤ 0.
        round.limit(vec![1.0, 0.0], 0.0);
        assert!(value(round.maximise(&[1.0, 0.0])).abs() < 1e-12);
        assert!((value(round.maximise(&[1.0, 1.0])) - 2.0).abs() < 1e-9);
    }

    /// z₁ ≥ √(z₂² + z₃²) has no largest z₁; z₃ − z₁ has the largest value 0, and z₂ + z₃ − √2 z₁ too.
    #[test]
    fn an_open_cone() {
        let mut cone = ConeProgramme::default();
        cone.limit_norm(Cone {
            e: DVector::zeros(2),
            E: DMatrix::from_row_slice(2, 3, &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
            f: 0.0,
            g: DVector::from_column_slice(&[1.0, 0.0, 0.0]),
        });
        assert_eq!(cone.maximise(&[1.0, 0.0, 0.0]), Some(Optimum::Unbounded));
        assert!(value(cone.maximise(&[-1.0, 0.0, 1.0])).abs() < 1e-9);
        assert!(value(cone.maximise(&[-2.0_f64.sqrt(), 1.0, 1.0])).abs() < 1e-9);
        assert_eq!(cone.maximise(&[-1.0, 1.0, 1.0]), Some(Optimum::Unbounded));
    }
}
