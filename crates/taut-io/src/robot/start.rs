//! Initial state of a robot: from joint coordinates and velocities to those of the bodies.

use super::rotor::rotor_name;
use super::{JointState, Robot};
use std::collections::HashMap;
use std::f64::consts::TAU;
use taut::Spec;
use taut::bodies::BodyKind;
use taut::motion::quaternion_of_rotation;
use thiserror::Error;

/// Why an initial state is not valid.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StartError {
    /// Another number of joints than the robot has.
    #[error("{found} joints are given, the robot has {needed}")]
    Joints {
        /// Given.
        found: usize,
        /// Needed.
        needed: usize,
    },
    /// Another number of coordinates or velocities than a joint has, or not finite ones.
    #[error("joint `{joint}` needs {q} coordinates and {v} velocities, all finite")]
    Size {
        /// The joint.
        joint: String,
        /// Coordinates.
        q: usize,
        /// Velocities.
        v: usize,
    },
}

impl Robot {
    /// Lets the spec start where the joints stand and move as given, in the order of [`Robot::tree`]'s joints.
    ///
    /// # Errors
    /// Values that do not fit the joints.
    pub fn start(&mut self, joints: &[JointState]) -> Result<(), StartError> {
        let needed = self.tree.joints().count();
        if joints.len() != needed {
            return Err(StartError::Joints { found: joints.len(), needed });
        }
        for ((_, joint), state) in self.tree.joints().zip(joints) {
            let (q, v) = (joint.freedom.coordinates(), joint.freedom.velocities());
            let finite = state.q.iter().chain(&state.v).all(|x| x.is_finite());
            if state.q.len() != q || state.v.len() != v || !finite {
                return Err(StartError::Size { joint: joint.name.clone(), q, v });
            }
        }
        place(&mut self.spec, &self.tree, joints);
        Ok(())
    }
}

/// Writes the start into the bodies of a spec made from this tree.
pub(crate) fn place(spec: &mut Spec, tree: &super::Tree, joints: &[JointState]) {
    for (body, motion) in spec.bodies.iter_mut().zip(tree.motions(joints)) {
        if let BodyKind::Rigid(body) = &mut body.item {
            body.position = motion.pose.p.into();
            body.orientation = super::writer::orientation(quaternion_of_rotation(&motion.pose.R));
            body.velocity = motion.v.into();
            body.angular_velocity = motion.w.into();
        }
    }
    let rotors: HashMap<String, usize> = spec.bodies.iter().enumerate().map(|(i, b)| (b.name.clone(), i)).collect();
    for ((_, joint), state) in tree.joints().zip(joints).filter(|((_, j), _)| j.armature > 0.0) {
        let Some(&rotor) = rotors.get(&rotor_name(&joint.name)) else { continue };
        if let (BodyKind::Planar(rotor), [q], [v]) = (&mut spec.bodies[rotor].item, &state.q[..], &state.v[..]) {
            // An angle is measured in its first turn.
            let turns = matches!(joint.freedom, super::Freedom::Hinge { .. });
            rotor.angle = if turns { q - TAU * (q / TAU).round() } else { *q };
            rotor.angular_velocity = *v;
        }
    }
}
