//! Poses and velocities of all links from the coordinates of the joints, and the way back for accelerations.

use super::pose::{Pose, rotation_of_axis_angle, rotation_of_quaternion};
use super::tree::{Freedom, Tree};
use nalgebra::{DMatrix, DVector};
use taut::motion::{Mat3, Vec3, quaternion_of_rotation};

/// Coordinates and velocities of one joint.
///
/// A hinge has its angle, a slide its displacement; a ball a quaternion w, x, y, z and the angular velocity in axes
/// of the link; a free joint the position and quaternion in the parent, the velocity in axes of the parent and the
/// angular velocity in axes of the link.
#[derive(Clone, Debug, PartialEq)]
pub struct JointState {
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
}

/// How a link moves, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkMotion {
    /// Pose in the world.
    pub pose: Pose,
    /// Angular velocity.
    pub w: Vec3,
    /// Velocity of the origin.
    pub v: Vec3,
    /// Angular acceleration.
    pub alpha: Vec3,
    /// Acceleration of the origin.
    pub a: Vec3,
}

impl LinkMotion {
    const GROUND: LinkMotion = LinkMotion {
        pose: Pose::IDENTITY,
        w: Vec3::new(0.0, 0.0, 0.0),
        v: Vec3::new(0.0, 0.0, 0.0),
        alpha: Vec3::new(0.0, 0.0, 0.0),
        a: Vec3::new(0.0, 0.0, 0.0),
    };

    /// The same motion with the origin carried to the point r away from it.
    fn placed_freedom(&self, r: Vec3) -> LinkMotion {
        LinkMotion {
            pose: Pose { p: self.pose.p + r, ..self.pose },
            v: self.v + self.w.cross(&r),
            a: self.a + self.alpha.cross(&r) + self.w.cross(&self.w.cross(&r)),
            ..*self
        }
    }

    /// Turned about the point `at` of its frame, with the relative angular velocity `w` of the frame it becomes.
    fn turned(&self, at: &Vec3, R: Mat3, w: Vec3) -> LinkMotion {
        let mut there = self.placed_freedom(self.pose.R * at);
        there.alpha += there.w.cross(&w);
        there.w += w;
        there.pose.R *= R;
        there.placed_freedom(-(there.pose.R * at))
    }
}

/// A unit of acceleration of one velocity of a joint: its effect on (α, a) of the link.
struct JointColumn {
    axis: Vec3,
    kind: ColumnKind,
}

enum ColumnKind {
    /// About a point of the world.
    About(Vec3),
    Along,
}

impl Tree {
    /// The pose of the file, at rest.
    pub fn reference(&self) -> Vec<JointState> {
        let one = |(i, j): (usize, &super::tree::Articulation)| {
            let q = match j.freedom {
                Freedom::Hinge { .. } | Freedom::Slide { .. } => vec![j.reference],
                Freedom::Ball { .. } => vec![1.0, 0.0, 0.0, 0.0],
                Freedom::Free => {
                    let offset = &self.links[i].offset;
                    offset.p.iter().copied().chain(quaternion_of_rotation(&offset.R)).collect()
                }
            };
            JointState { q, v: vec![0.0; j.freedom.velocities()] }
        };
        self.joints().map(one).collect()
    }

    /// How every link moves when the joints stand and move as given and do not accelerate.
    ///
    /// # Panics
    /// If the states are not those of this tree's joints; [`Robot::start`](super::Robot::start) checks them.
    pub fn motions(&self, joints: &[JointState]) -> Vec<LinkMotion> {
        let mut motions: Vec<LinkMotion> = Vec::with_capacity(self.links.len());
        let mut next = 0;
        for (i, link) in self.links.iter().enumerate() {
            let parent = link.parent.map_or(LinkMotion::GROUND, |p| motions[p]);
            let own = &joints[next..next + link.joints.len()];
            next += link.joints.len();
            motions.push(self.propagate_motion(i, &parent, own).0);
        }
        motions
    }

    /// The accelerations of the joints behind the accelerations (α, a) of all links.
    ///
    /// # Panics
    /// As [`Tree::motions`], and if `links` are not as many as the tree has.
    pub fn joint_accelerations(&self, joints: &[JointState], links: &[(Vec3, Vec3)]) -> Vec<Vec<f64>> {
        let mut motions: Vec<LinkMotion> = Vec::with_capacity(self.links.len());
        let (mut next, mut found) = (0, Vec::new());
        for (i, link) in self.links.iter().enumerate() {
            let parent = link.parent.map_or(LinkMotion::GROUND, |p| motions[p]);
            let own = &joints[next..next + link.joints.len()];
            next += link.joints.len();
            let (mut motion, columns) = self.propagate_motion(i, &parent, own);
            let (alpha, a) = links[i];
            let gap = [alpha - motion.alpha, a - motion.a];
            let rhs = DVector::from_iterator(6, gap.iter().flat_map(|v| v.iter().copied()));
            let mut S = DMatrix::zeros(6, columns.len());
            for (k, c) in columns.iter().enumerate() {
                let (turning, moving) = match c.kind {
                    ColumnKind::About(p) => (c.axis, c.axis.cross(&(motion.pose.p - p))),
                    ColumnKind::Along => (Vec3::zeros(), c.axis),
                };
                S.fixed_view_mut::<3, 1>(0, k).copy_from(&turning);
                S.fixed_view_mut::<3, 1>(3, k).copy_from(&moving);
            }
            // Columns of one joint are perpendicular or nearly so: QR is exact enough, and cheaper than an SVD.
            let qr = S.qr();
            let solved = qr.r().solve_upper_triangular(&qr.q().tr_mul(&rhs));
            let solved = solved.unwrap_or_else(|| DVector::zeros(columns.len()));
            let mut rates = solved.iter().copied();
            for joint in &link.joints {
                found.push(rates.by_ref().take(joint.freedom.velocities()).collect());
            }
            (motion.alpha, motion.a) = (alpha, a);
            motions.push(motion);
        }
        found
    }

    /// The motion of a link on its parent, its joints not accelerating, and what each of their accelerations adds.
    fn propagate_motion(&self, i: usize, parent: &LinkMotion, joints: &[JointState]) -> (LinkMotion, Vec<JointColumn>) {
        let link = &self.links[i];
        let mut now = parent.placed_freedom(parent.pose.R * link.offset.p);
        now.pose.R *= link.offset.R;
        let mut columns = Vec::new();
        for (joint, JointState { q, v }) in link.joints.iter().zip(joints) {
            match joint.freedom {
                Freedom::Hinge { axis, at } => {
                    let n = now.pose.R * axis;
                    columns.push(JointColumn { axis: n, kind: ColumnKind::About(now.pose.point(&at)) });
                    now = now.turned(&at, rotation_of_axis_angle(&axis, q[0] - joint.reference), n * v[0]);
                }
                Freedom::Slide { axis } => {
                    let n = now.pose.R * axis;
                    columns.push(JointColumn { axis: n, kind: ColumnKind::Along });
                    let before = now.w;
                    now = now.placed_freedom(n * (q[0] - joint.reference));
                    now.v += n * v[0];
                    now.a += before.cross(&n) * (2.0 * v[0]);
                }
                Freedom::Ball { at } => {
                    let R = rotation_of_quaternion([q[0], q[1], q[2], q[3]]).unwrap_or_else(Mat3::identity);
                    let after = now.pose.R * R;
                    let p = now.pose.point(&at);
                    columns.extend(
                        (0..3).map(|k| JointColumn { axis: after.column(k).into(), kind: ColumnKind::About(p) }),
                    );
                    now = now.turned(&at, R, after * Vec3::new(v[0], v[1], v[2]));
                }
                Freedom::Free => {
                    let axes = parent.pose.R;
                    columns
                        .extend((0..3).map(|k| JointColumn { axis: axes.column(k).into(), kind: ColumnKind::Along }));
                    now = parent.placed_freedom(axes * Vec3::new(q[0], q[1], q[2]));
                    let rate = axes * Vec3::new(v[0], v[1], v[2]);
                    now.a += now.w.cross(&rate) * 2.0;
                    now.v += rate;
                    let R = rotation_of_quaternion([q[3], q[4], q[5], q[6]]).unwrap_or_else(Mat3::identity);
                    let (after, p) = (now.pose.R * R, now.pose.p);
                    columns.extend(
                        (0..3).map(|k| JointColumn { axis: after.column(k).into(), kind: ColumnKind::About(p) }),
                    );
                    now = now.turned(&Vec3::zeros(), R, after * Vec3::new(v[3], v[4], v[5]));
                }
            }
        }
        (now, columns)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Articulation, Link};
    use super::*;
    use crate::robot::Inertia;

    fn link(parent: Option<usize>, freedoms: Vec<Freedom>) -> Link {
        let p = Vec3::new(0.3, -0.2, 0.5);
        let offset = Pose { R: rotation_of_axis_angle(&Vec3::new(0.6, 0.0, 0.8), 0.7), p };
        let joints =
            freedoms.into_iter().map(|f| Articulation { reference: 0.2, ..Articulation::new("j", f) }).collect();
        let (inertia, frames) = (Inertia::NONE, Vec::new());
        Link { name: String::new(), parent, offset, joints, inertia, frames, shapes: Vec::new(), place: None }
    }

    /// The joint after the time h, its velocities being constant.
    fn later(state: &JointState, h: f64) -> JointState {
        let JointState { mut q, v } = state.clone();
        let quaternion = |q: &[f64], w: &[f64]| {
            let w = Vec3::new(w[0], w[1], w[2]) * h;
            let R = rotation_of_quaternion([q[0], q[1], q[2], q[3]]).unwrap()
                * rotation_of_axis_angle(&w.normalize(), w.norm());
            quaternion_of_rotation(&R)
        };
        match q.len() {
            1 => q[0] += h * v[0],
            4 => q = quaternion(&q, &v).to_vec(),
            _ => {
                (0..3).for_each(|i| q[i] += h * v[i]);
                let turned = quaternion(&q[3..], &v[3..]);
                q[3..].copy_from_slice(&turned);
            }
        }
        JointState { q, v }
    }

    #[test]
    fn velocities_and_accelerations_are_those_of_the_poses() {
        let (axis, at) = (Vec3::new(0.0, 0.6, 0.8), Vec3::new(0.1, 0.2, -0.3));
        let tree = Tree {
            links: vec![
                link(None, vec![Freedom::Slide { axis }, Freedom::Hinge { axis: Vec3::x(), at }]),
                link(Some(0), vec![Freedom::Ball { at }]),
                link(Some(1), vec![Freedom::Free]),
                link(Some(2), vec![Freedom::Hinge { axis, at }, Freedom::Slide { axis: Vec3::y() }]),
            ],
            ..Tree::default()
        };
        let mut seed = 0.1_f64;
        let mut next = || {
            seed = (seed * 97.0 + 0.37).fract();
            2.0 * seed - 1.0
        };
        let mut states = tree.reference();
        for state in &mut states {
            state.q.iter_mut().chain(&mut state.v).for_each(|x| *x += next());
        }
        let h = 1e-4;
        let moved = |h| tree.motions(&states.iter().map(|s| later(s, h)).collect::<Vec<_>>());
        let (before, now, after) = (moved(-h), tree.motions(&states), moved(h));
        for ((b, n), a) in before.iter().zip(&now).zip(&after) {
            assert!(((a.pose.p - b.pose.p) / (2.0 * h) - n.v).norm() < 1e-6);
            assert!(((a.v - b.v) / (2.0 * h) - n.a).norm() < 1e-6);
            assert!(((a.w - b.w) / (2.0 * h) - n.alpha).norm() < 1e-6);
            let spin = (a.pose.R - b.pose.R) / (2.0 * h) * n.pose.R.transpose();
            assert!((Vec3::new(spin[(2, 1)], spin[(0, 2)], spin[(1, 0)]) - n.w).norm() < 1e-6);
        }
        let still = now.iter().map(|m| (m.alpha, m.a)).collect::<Vec<_>>();
        assert!(tree.joint_accelerations(&states, &still).iter().flatten().all(|a| a.abs() < 1e-12));
    }
}
