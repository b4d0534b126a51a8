//! Exact derivatives of a compliant contact: the force over dual numbers, with respect to all poses and twists at once.
//!
//! Finite differences would reach beyond the surface, where the force is zero, and give half of the stiffness of a contact that
//! has just closed. The touching features give their gap, normal and point over any scalar, in contact or not.

use super::{CompliantPair, HuntCrossley};
use crate::constraints::{ElementInput, UserPlace};
use crate::forces::TangentAvailability;
use crate::laws::Friction;
use crate::motion::{Motion, Vec3};
use crate::scalar::{Dual, Scalar, add, cross, dot, scale, sub};
use crate::shapes::FeaturePair;
use nalgebra::Matrix6;

/// Six directions of each pose, then six of each twist.
const DIRECTIONS: usize = 24;
type ContactDual = Dual<DIRECTIONS>;

/// The motion of a marker with dual numbers for pose and twist.
struct DualMotion {
    place: UserPlace<ContactDual>,
    v: [ContactDual; 3],
    w: [ContactDual; 3],
}

impl DualMotion {
    /// Marker k of two: p → p + dp, R → exp(dθ) R, v → v + dv, w → w + dw.
    fn new(m: &Motion, k: usize) -> DualMotion {
        let along = |re: f64, of: &[(usize, f64)]| {
            let mut x = ContactDual::constant(re);
            of.iter().for_each(|(i, slope)| x.eps[*i] = *slope);
            x
        };
        let vector = |x: &Vec3, first: usize| [0, 1, 2].map(|i| along(x[i], &[(first + i, 1.0)]));
        let R = [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| {
                let turned = |a: usize| Vec3::ith(a, 1.0).cross(&m.R.column(j).into_owned())[i];
                let slopes = [0, 1, 2].map(|a| (6 * k + 3 + a, turned(a)));
                along(m.R[(i, j)], &slopes)
            })
        });
        DualMotion {
            place: UserPlace { R, p: vector(&m.p, 6 * k) },
            v: vector(&m.v, 12 + 6 * k),
            w: vector(&m.w, 12 + 6 * k + 3),
        }
    }

    /// Velocity of a point fixed to the marker.
    fn point_velocity(&self, p: [ContactDual; 3]) -> [ContactDual; 3] {
        add(self.v, cross(self.w, sub(p, self.place.p)))
    }
}

impl HuntCrossley {
    /// N of a depth and its rate.
    fn normal_force<S: Scalar>(&self, depth: S, rate: S) -> S {
        let whole = depth.powf(self.exponent) * self.stiffness * (rate * self.dissipation + 1.0);
        if whole.value() > 0.0 { whole } else { S::zero() }
    }

    /// μ divided by the slip velocity: finite at zero.
    fn friction_over_slip<S: Scalar>(&self, slip: [S; 3]) -> S {
        let Friction { stick, slip: sliding } = self.friction;
        let square = dot(slip, slip);
        let s = if square.value() > 0.0 { square.sqrt() / self.transition_velocity } else { S::zero() };
        if s.value() < 1.0 {
            return (S::from(2.0) - s) * (stick / self.transition_velocity);
        }
        let fall = S::one() - (-(s - 1.0).powi(2) * 0.25).exp();
        (S::from(stick) - fall * (stick - sliding)) / (s * self.transition_velocity)
    }
}

impl CompliantPair {
    /// Force on B and the point where it acts.
    fn contact_force(&self, pair: &FeaturePair, sides: &[DualMotion; 2]) -> ([ContactDual; 3], [ContactDual; 3]) {
        let touch = pair.gap(&sides[0].place, &sides[1].place);
        let (p, n) = (touch.point, touch.normal);
        let u = sub(sides[1].point_velocity(p), sides[0].point_velocity(p));
        let rate = -dot(n, u);
        let slip = add(u, scale(n, rate));
        let normal = self.law.normal_force(-touch.gap, rate);
        let friction = scale(slip, -self.law.friction_over_slip(slip) * normal);
        (add(scale(n, normal), friction), p)
    }

    /// Derivatives of the wrenches on both markers.
    pub(super) fn force_derivatives(
        &self,
        at: &ElementInput,
        pose: &mut [Matrix6<f64>],
        twist: &mut [Matrix6<f64>],
    ) -> TangentAvailability {
        let sides = [DualMotion::new(&at[0], 0), DualMotion::new(&at[1], 1)];
        for touch in self.touch_points(at) {
            let (f, p) = self.contact_force(&touch.pair, &sides);
            for (k, sense) in [(0, -1.0), (1, 1.0)] {
                let f = f.map(|f| f * sense);
                let m = cross(sub(p, sides[k].place.p), f);
                for (row, x) in f.into_iter().chain(m).enumerate() {
                    if !(x.re.is_finite() && x.eps.iter().all(|x| x.is_finite())) {
                        return TangentAvailability::Unavailable;
                    }
                    for column in 0..6 {
                        for j in 0..2 {
                            pose[2 * k + j][(row, column)] += x.eps[6 * j + column];
                            twist[2 * k + j][(row, column)] += x.eps[12 + 6 * j + column];
                        }
                    }
                }
            }
        }
        TangentAvailability::Full
    }
}

#[cfg(test)]
mod tests {
    use super::super::EnergyTracking;
    use super::*;
    use crate::forces::Force;
    use crate::motion::Wrench;
    use crate::shapes::{Shape, Solid};
    use nalgebra::Rotation3;

    fn pair(a: Shape, b: Shape, law: HuntCrossley) -> CompliantPair {
        let stored = EnergyTracking::for_shapes(&a, &b);
        let solids = [Solid::new(&a).unwrap(), Solid::new(&b).unwrap()];
        CompliantPair { a: "a".to_string(), b: "b".to_string(), solids, law, energy_tracking: stored }
    }

    fn moving(p: [f64; 3], turn: [f64; 3], v: [f64; 3], w: [f64; 3]) -> Motion {
        let R = Rotation3::new(Vec3::from(turn)).into_inner();
        Motion { p: p.into(), R, v: v.into(), w: w.into(), ..Motion::REST }
    }

    fn wrenches(force: &CompliantPair, motions: &[Motion]) -> [Wrench; 2] {
        let mut on = [Wrench::ZERO; 2];
        force.apply(&ElementInput::new(0.0, motions, &[0, 1], &[]), &mut on);
        on
    }

    /// A motion moved along one of twelve directions.
    fn moved(m: &Motion, i: usize, h: f64) -> Motion {
        let (mut m, e) = (*m, Vec3::ith(i % 3, h));
        match i / 3 {
            0 => m.p += e,
            1 => m.R = Rotation3::new(e).into_inner() * m.R,
            2 => m.v += e,
            _ => m.w += e,
        }
        m
    }

    #[test]
    fn they_are_those_of_differences_within_the_contact() {
        let law = HuntCrossley::new(2e4).dissipation(0.7).friction(Friction { stick: 0.6, slip: 0.4 });
        let floor = moving([0.1, -0.2, 0.05], [0.1, 0.2, -0.3], [0.02, 0.01, 0.0], [0.1, 0.0, 0.2]);
        let slow = [4e-4, -3e-4, -1e-3];
        let cases = [
            (Shape::HalfSpace {}, Shape::Sphere { radius: 0.3 }, [0.2, 0.1, 0.30], [0.5, 0.4, -0.1]),
            (Shape::HalfSpace {}, Shape::Sphere { radius: 0.3 }, [0.2, 0.1, 0.30], slow),
            (Shape::Sphere { radius: 0.4 }, Shape::Sphere { radius: 0.3 }, [0.4, 0.1, 0.5], [0.2, -0.1, -0.3]),
            (Shape::HalfSpace {}, Shape::Box { size: [0.4, 0.3, 0.2] }, [0.2, 0.1, 0.12], [0.2, 0.3, -0.2]),
        ];
        for (a, b, p, v) in cases {
            let force = pair(a, b, law);
            let motions = [floor, moving(p, [0.11, 0.19, 0.4], v, [0.3, -0.2, 0.1])];
            let here = wrenches(&force, &motions);
            assert!(here[1].f.norm() > 1.0, "they do not touch: {:?}", here[1].f);
            let [mut pose, mut twist] = [[Matrix6::zeros(); 4], [Matrix6::zeros(); 4]];
            let known = force.tangent(&ElementInput::new(0.0, &motions, &[0, 1], &[]), &mut pose, &mut twist);
            assert_eq!(known, TangentAvailability::Full);
            for j in 0..2 {
                for i in 0..12 {
                    let h = if i < 6 { 1e-6 } else { 1e-7 };
                    let [less, more] = [-h, h].map(|h| {
                        let mut motions = motions;
                        motions[j] = moved(&motions[j], i, h);
                        wrenches(&force, &motions)
                    });
                    for k in 0..2 {
                        let block = if i < 6 { &pose[2 * k + j] } else { &twist[2 * k + j] };
                        let found = block.column(i % 6);
                        let by = |x: Vec3, y: Vec3, row: usize| (y - x) / (2.0 * h) - found.fixed_rows::<3>(row);
                        let off = by(less[k].f, more[k].f, 0).norm() + by(less[k].m, more[k].m, 3).norm();
                        assert!(off < 1e-5 * block.amax().max(1e3), "{off} of {}, {j} {i} {k}", block.amax());
                    }
                }
            }
        }
    }

    #[test]
    fn a_contact_that_just_holds_has_its_whole_stiffness() {
        // Differences of 1e-5 across a depth of 1e-9 would give half of it.
        let force = pair(Shape::HalfSpace {}, Shape::Sphere { radius: 0.1 }, HuntCrossley::new(1e5).exponent(1.0));
        let motions = [Motion::REST, moving([0.0, 0.0, 0.1 - 1e-9], [0.0; 3], [0.0; 3], [0.0; 3])];
        let [mut pose, mut twist] = [[Matrix6::zeros(); 4], [Matrix6::zeros(); 4]];
        force.tangent(&ElementInput::new(0.0, &motions, &[0, 1], &[]), &mut pose, &mut twist);
        assert!((pose[3][(2, 2)] + 1e5).abs() < 1e-6, "{}", pose[3][(2, 2)]);
    }
}
