//! Quaternions as coordinates, and the twist of the body's frame.

use super::*;

impl Manifold for RigidBody {
    fn displacement(&self, q: &[f64], dq: &[f64], delta: &mut [f64]) {
        delta[..3].copy_from_slice(&dq[..3]);
        // δϑ = 2 vec(δe ∘ e*) of the unit quaternion e.
        let [e0, e1, e2, e3] = [q[3], q[4], q[5], q[6]];
        let k = 2.0 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3);
        let [d0, d1, d2, d3] = [dq[3], dq[4], dq[5], dq[6]];
        delta[3] = k * (d1 * e0 - d0 * e1 - d2 * e3 + d3 * e2);
        delta[4] = k * (d2 * e0 - d0 * e2 - d3 * e1 + d1 * e3);
        delta[5] = k * (d3 * e0 - d0 * e3 - d1 * e2 + d2 * e1);
    }
    fn displacement_rate(&self, delta: &[f64], v: &[f64], rate: &mut [f64]) {
        rate[..3].copy_from_slice(&v[..3]);
        let turn = inverse_rotation_jacobian(&Vec3::new(delta[3], delta[4], delta[5])) * Vec3::new(v[3], v[4], v[5]);
        rate[3..].copy_from_slice(turn.as_slice());
    }
    fn rate_jacobian(&self, v: &[f64]) -> RateJacobian {
        RateJacobian::Quaternion(Vec3::new(v[3], v[4], v[5]))
    }
    #[inline(always)]
    fn normalise(&self, q: &mut [f64]) {
        let k = 1.0 / (q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]).sqrt();
        (3..7).for_each(|i| q[i] *= k);
    }
}

impl ReferenceFrame for RigidBody {
    fn twist_components(&self) -> &'static [usize] {
        &[0, 1, 2, 3, 4, 5]
    }
    fn body_axes(&self, q: &[f64]) -> BodyAxes {
        let mut own = Motion::REST;
        self.frame_pose(q, &mut own);
        BodyAxes::Space(own.R)
    }
    fn steady_rotation(
        &self,
        q: &[f64],
        point: &Vec3,
        omega: &Vec3,
        v: &mut [f64],
        vdot: &mut [f64],
    ) -> SteadyRotation {
        let u = omega.cross(&(Vec3::new(q[0], q[1], q[2]) - point));
        let a = omega.cross(&u);
        for i in 0..3 {
            (v[i], vdot[i]) = (u[i], a[i]);
            (v[3 + i], vdot[3 + i]) = (omega[i], 0.0);
        }
        SteadyRotation::Prescribed
    }
}
