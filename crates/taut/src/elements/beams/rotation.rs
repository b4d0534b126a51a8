//! The rotation vector: exponential, logarithm, and the tangent J with its derivatives.
//!
//! ```text
//!  exp(θ) = I + c₁ [θ×] + c₂ [θ×]²           w = J(θ) θ̇ for R = exp(θ), in the axes that R starts from
//!  J(θ)   = I + c₂ [θ×] + c₃ [θ×]²           J(θ)⁻¹ = I − ½ [θ×] + β [θ×]²,   β = (c₃ − 2 c₄) / (2 c₂)
//!  c_k(x) = Σ (−x)ʲ / (2j + k)!,   x = |θ|²      c_k = 1/k! − x c_{k+2}      dc_k/dx = −½ (c_{k+1} − k c_{k+2})
//! ```
//!
//! The functions c_k are entire: formulas written with them need no special case near θ = 0 \[Bauchau2011\].

use crate::motion::{Mat3, Vec3};

/// c_k for k = 1 … 7 at x = |θ|².
#[derive(Clone, Copy, Debug)]
struct EntireFunctions([f64; 8]);

impl EntireFunctions {
    #[inline(always)]
    fn at(x: f64) -> EntireFunctions {
        // c₆ and c₇ by their series: up to half a turn the relative error of fourteen terms is below 1e-20.
        let series = |k: f64, first: f64| {
            let (mut sum, mut j) = (1.0, 13.0);
            while j > 0.5 {
                sum = 1.0 - x * sum / ((2.0 * j + k) * (2.0 * j + k - 1.0));
                j -= 1.0;
            }
            sum * first
        };
        let (c6, c7) = (series(6.0, 1.0 / 720.0), series(7.0, 1.0 / 5040.0));
        let (c4, c5) = (1.0 / 24.0 - x * c6, 1.0 / 120.0 - x * c7);
        let (c2, c3) = (0.5 - x * c4, 1.0 / 6.0 - x * c5);
        EntireFunctions([1.0 - x * c2, 1.0 - x * c3, c2, c3, c4, c5, c6, c7])
    }

    /// dc_k/dx.
    #[inline(always)]
    fn first_derivative(&self, k: usize) -> f64 {
        -0.5 * (self.0[k + 1] - k as f64 * self.0[k + 2])
    }

    /// d²c_k/dx².
    #[inline(always)]
    fn second_derivative(&self, k: usize) -> f64 {
        -0.5 * (self.first_derivative(k + 1) - k as f64 * self.first_derivative(k + 2))
    }
}

/// A rotation vector with the data for its tangents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RotationVector {
    pub theta: Vec3,
    c: EntireFunctions,
    cross: Mat3,
    square: Mat3,
}

impl RotationVector {
    #[inline(always)]
    pub fn new(theta: Vec3) -> RotationVector {
        let cross = theta.cross_matrix();
        RotationVector { theta, c: EntireFunctions::at(theta.norm_squared()), cross, square: cross * cross }
    }

    /// exp(θ).
    #[inline(always)]
    pub fn exp(&self) -> Mat3 {
        Mat3::identity() + self.cross * self.c.0[1] + self.square * self.c.0[2]
    }

    /// J(θ).
    #[inline(always)]
    pub fn J(&self) -> Mat3 {
        Mat3::identity() + self.cross * self.c.0[2] + self.square * self.c.0[3]
    }

    /// J(−θ) u: from θ' to the curvature in the rotated axes.
    #[inline(always)]
    pub fn J_negative_times(&self, u: &Vec3) -> Vec3 {
        let once = self.theta.cross(u);
        u - once * self.c.0[2] + self.theta.cross(&once) * self.c.0[3]
    }

    /// Derivative of J along η.
    pub fn dJ(&self, eta: &Vec3) -> Mat3 {
        let along = 2.0 * self.theta.dot(eta);
        let h = eta.cross_matrix();
        h * self.c.0[2]
            + (h * self.cross + self.cross * h) * self.c.0[3]
            + (self.cross * self.c.first_derivative(2) + self.square * self.c.first_derivative(3)) * along
    }

    /// Second derivative of J along η and ζ.
    pub fn ddJ(&self, eta: &Vec3, zeta: &Vec3) -> Mat3 {
        let (along, across, both) = (2.0 * self.theta.dot(eta), 2.0 * self.theta.dot(zeta), 2.0 * eta.dot(zeta));
        let (h, k) = (eta.cross_matrix(), zeta.cross_matrix());
        let (a, b) = (self.c.first_derivative(2), self.c.first_derivative(3));
        let pair = |m: &Mat3| m * self.cross + self.cross * m;
        (h * k + k * h) * self.c.0[3]
            + (h * a + pair(&h) * b) * across
            + (k * a + pair(&k) * b) * along
            + (self.cross * a + self.square * b) * both
            + (self.cross * self.c.second_derivative(2) + self.square * self.c.second_derivative(3)) * (along * across)
    }

    /// β of J⁻¹.
    #[inline(always)]
    fn beta(&self) -> f64 {
        (self.c.0[3] - 2.0 * self.c.0[4]) / (2.0 * self.c.0[2])
    }

    /// J(θ)⁻¹.
    #[inline(always)]
    pub fn J_inverse(&self) -> Mat3 {
        Mat3::identity() - self.cross * 0.5 + self.square * self.beta()
    }

    /// Derivative of J⁻¹ along η.
    pub fn dJ_inverse(&self, eta: &Vec3) -> Mat3 {
        let c = &self.c;
        let slope = (c.first_derivative(3) - 2.0 * c.first_derivative(4) - 2.0 * self.beta() * c.first_derivative(2))
            / (2.0 * c.0[2]);
        let h = eta.cross_matrix();
        (h * self.cross + self.cross * h) * self.beta() - h * 0.5 + self.square * (2.0 * self.theta.dot(eta) * slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;

    /// Directions with angles from nearly zero to nearly half a turn.
    fn vectors() -> impl Iterator<Item = Vec3> {
        let axis = Vec3::new(0.48, -0.6, 0.64);
        [0.0, 1e-9, 1e-4, 0.1, 0.7, 1.6, 2.5, 3.1].into_iter().map(move |angle| axis * angle)
    }

    #[test]
    fn exponential_and_logarithm() {
        for theta in vectors() {
            let R = RotationVector::new(theta).exp();
            assert!((R - Rotation3::new(theta).into_inner()).amax() < 1e-15);
            assert!((crate::motion::rotation_vector(&R) - theta).norm() < 1e-14 * (1.0 + theta.norm()), "{theta}");
        }
    }

    #[test]
    fn the_tangent_and_its_inverse() {
        for theta in vectors() {
            let turn = RotationVector::new(theta);
            assert!((turn.J() * turn.J_inverse() - Mat3::identity()).amax() < 1e-14);
            // J(−θ) = exp(−θ) J(θ).
            let u = Vec3::new(0.3, 0.5, -0.2);
            assert!((turn.J_negative_times(&u) - turn.exp().tr_mul(&(turn.J() * u))).norm() < 1e-15);
        }
    }

    /// Five-point differences of a matrix along a direction.
    fn slope(f: impl Fn(&Vec3) -> Mat3, theta: &Vec3, eta: &Vec3) -> Mat3 {
        let h = 2e-3;
        let at = |k: f64| f(&(theta + eta * (k * h)));
        ((at(1.0) - at(-1.0)) * 8.0 - (at(2.0) - at(-2.0))) / (12.0 * h)
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let (eta, zeta) = (Vec3::new(0.4, 0.3, -0.5), Vec3::new(-0.2, 0.7, 0.1));
        for theta in vectors() {
            let turn = RotationVector::new(theta);
            // w = J(θ) θ̇.
            let spin = slope(|t| RotationVector::new(*t).exp(), &theta, &eta) * turn.exp().transpose();
            assert!((spin - (turn.J() * eta).cross_matrix()).amax() < 1e-11);
            assert!((turn.dJ(&eta) - slope(|t| RotationVector::new(*t).J(), &theta, &eta)).amax() < 1e-11);
            assert!(
                (turn.ddJ(&eta, &zeta) - slope(|t| RotationVector::new(*t).dJ(&eta), &theta, &zeta)).amax() < 1e-11
            );
            assert!(
                (turn.dJ_inverse(&eta) - slope(|t| RotationVector::new(*t).J_inverse(), &theta, &eta)).amax() < 1e-10
            );
        }
    }
}
