//! Mass, mass centre and inertia of a link, and how several become one.

use super::pose::Pose;
use taut::motion::{Mat3, Vec3};

/// Mass and inertia of a link, in its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass, kg.
    pub mass: f64,
    /// Mass centre, m.
    pub com: Vec3,
    /// Tensor about the mass centre, kg m².
    pub tensor: Mat3,
}

impl Inertia {
    /// No mass at all.
    pub const NONE: Inertia = Inertia {
        mass: 0.0,
        com: Vec3::new(0.0, 0.0, 0.0),
        tensor: Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// Principal moments along the axes of a frame in the mass centre, which stands at `pose` in the link.
    pub fn principal(mass: f64, moments: [f64; 3], pose: &Pose) -> Inertia {
        let tensor = Mat3::from_diagonal(&Vec3::from(moments));
        Inertia { mass, com: pose.p, tensor: pose.R * tensor * pose.R.transpose() }
    }

    /// The same in the frame in which the link stands at `pose`.
    pub fn rotated(&self, pose: &Pose) -> Inertia {
        Inertia { mass: self.mass, com: pose.point(&self.com), tensor: pose.R * self.tensor * pose.R.transpose() }
    }

    /// Both as one rigid body; frames must be the same.
    pub fn sum(&self, other: &Inertia) -> Inertia {
        let mass = self.mass + other.mass;
        if other.is_none() {
            return *self;
        }
        if self.is_none() {
            return *other;
        }
        let com = match mass > 0.0 {
            true => (self.com * self.mass + other.com * other.mass) / mass,
            false => self.com,
        };
        Inertia { mass, com, tensor: self.about(&com) + other.about(&com) }
    }

    /// The tensor about a point.
    fn about(&self, point: &Vec3) -> Mat3 {
        let d = self.com - point;
        self.tensor + (Mat3::identity() * d.norm_squared() - d * d.transpose()) * self.mass
    }

    /// Mass and tensor times a factor: another density.
    pub fn scaled(&self, factor: f64) -> Inertia {
        Inertia { mass: self.mass * factor, com: self.com, tensor: self.tensor * factor }
    }

    /// Whether there is nothing.
    pub fn is_none(&self) -> bool {
        self.mass == 0.0 && self.tensor.iter().all(|x| *x == 0.0)
    }

    /// xx, yy, zz, xy, xz, yz: the order of the engine.
    pub fn entries(&self) -> [f64; 6] {
        let t = &self.tensor;
        let off = |i, j| 0.5 * (t[(i, j)] + t[(j, i)]);
        [t[(0, 0)], t[(1, 1)], t[(2, 2)], off(0, 1), off(0, 2), off(1, 2)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_halves_make_a_rod() {
        // Rods of length 1 and mass 1 end to end are one of length 2 and mass 2: m l²/12 = 8/12.
        let half = |x: f64| Inertia::principal(1.0, [0.0, 1.0 / 12.0, 1.0 / 12.0], &Pose::at(Vec3::new(x, 0.0, 0.0)));
        let whole = half(0.5).sum(&half(1.5));
        assert_eq!((whole.mass, whole.com.x), (2.0, 1.0));
        assert!((whole.tensor[(2, 2)] - 8.0 / 12.0).abs() < 1e-15);
        assert!(half(0.0).sum(&Inertia::NONE) == half(0.0) && Inertia::NONE.sum(&half(2.0)) == half(2.0));
    }
}
