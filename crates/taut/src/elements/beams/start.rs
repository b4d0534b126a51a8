//! A beam that starts deformed: the initial poses of its nodes differ from the given shape, which remains free of strain.

use super::Beam;
use crate::bodies::BodyKind;
use crate::error::ParameterError;
use crate::motion::Orientation;

impl Beam {
    /// A node at its initial pose.
    pub(super) fn at_start(&self, k: usize, mut body: BodyKind) -> Result<BodyKind, ParameterError> {
        if self.node_states.is_empty() {
            return Ok(body);
        }
        if self.node_states.len() != self.node_count() {
            let what = format!("there are {} lists for {} nodes", self.node_states.len(), self.node_count());
            return Err(ParameterError::invalid("node_states", what));
        }
        let given = &self.node_states[k];
        ParameterError::check_finite("node_states", given)?;
        match (&mut body, &given[..]) {
            (BodyKind::Planar(b), [x, y, angle, vx, vy, w]) => {
                (b.position, b.angle, b.velocity, b.angular_velocity) = ([*x, *y], *angle, [*vx, *vy], *w);
            }
            (BodyKind::Rigid(b), [x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz]) => {
                (b.position, b.velocity, b.angular_velocity) = ([*x, *y, *z], [*vx, *vy, *vz], [*wx, *wy, *wz]);
                b.orientation = Orientation::Quaternion([*qw, *qx, *qy, *qz]);
            }
            _ => {
                let what = format!(
                    "node {k} has {} numbers; write x, y, z, qw, qx, qy, qz and their velocities vx, vy, vz, wx, wy, wz, in \
                     the plane x, y, theta, vx, vy, omega",
                    given.len()
                );
                return Err(ParameterError::invalid("node_states", what));
            }
        }
        Ok(body)
    }
}
