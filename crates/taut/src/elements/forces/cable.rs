//! An elastic cable between two points: it pulls if it is longer than its free length, and exerts no force if it is slack.

use super::{Conservation, ExtraStates, Force, ForceReport, NonSmooth, TangentAvailability};
use crate::constraints::{ElementInput, MarkerReference};
use crate::error::ParameterError;
use crate::motion::{Mat3, Vec3, Wrench};
use nalgebra::Matrix6;
use serde::{Deserialize, Serialize};

/// An elastic cable between the points `a` and `b`.
///
/// ```text
///  s = |p_B − p_A|,  u = (p_B − p_A)/s       T = max(0, k (s − L) + c ṡ) where s > L, else 0
///  force on B  −T u,  on A  +T u             V = ½ k (s − L)² where s > L
/// ```
///
/// Damping cannot make the cable push: T is never negative. A rope that does not stretch at all is a constraint
/// ([`Rope`](crate::constraints::Rope)).
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A lamp on an elastic cable hangs m g/k below the free length.
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("lamp", PointMass::new(3.0, [0.0, 0.0, -2.01]))
///     .force("cable", Cable::new("ground", "lamp", 6000.0, 2.0));
/// let model = spec.build()?;
/// let found = statics(&model, &model.initial_state(), &Statics::default())?;
/// assert!((found.state.q[2] + 2.0 + 3.0 * 9.81 / 6000.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cable {
    /// One end.
    pub a: String,
    /// The other.
    pub b: String,
    /// k, N/m: EA over the free length.
    pub stiffness: f64,
    /// c, N s/m.
    #[serde(default)]
    pub damping: f64,
    /// Free length L, m.
    #[serde(rename = "free_length")]
    pub free_length: f64,
}

/// The state of a taut cable.
struct TautCable {
    s: f64,
    u: Vec3,
    /// v_B − v_A.
    v: Vec3,
    tension: f64,
}

impl Cable {
    /// Between two points, with stiffness N/m and free length m.
    pub fn new(a: &str, b: &str, stiffness: f64, length: f64) -> Cable {
        Cable { a: a.to_string(), b: b.to_string(), stiffness, damping: 0.0, free_length: length }
    }

    /// The same with damping, N s/m.
    pub fn damped(mut self, damping: f64) -> Cable {
        self.damping = damping;
        self
    }

    /// The state of the cable if it is taut; none if it is slack.
    fn taut_state(&self, at: &ElementInput) -> Option<TautCable> {
        let d = at[1].p - at[0].p;
        let s = d.norm();
        if s <= self.free_length || s == 0.0 {
            return None;
        }
        let (u, v) = (d / s, at[1].v - at[0].v);
        let rate = u.dot(&v);
        let tension = self.stiffness * (s - self.free_length) + self.damping * rate;
        (tension > 0.0).then_some(TautCable { s, u, v, tension })
    }
}

impl Force for Cable {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(&self.a), MarkerReference::frame(&self.b)]
    }

    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_positive("stiffness", self.stiffness)?;
        for (field, x) in [("damping", self.damping), ("free_length", self.free_length)] {
            ParameterError::check_finite(field, &[x])?;
            if x < 0.0 {
                return Err(ParameterError::invalid(field, format!("it is {x}; it must not be negative")));
            }
        }
        Ok(())
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        let f = self.taut_state(at).map_or_else(Vec3::zeros, |p| p.u * p.tension);
        on[0] = Wrench::force(f);
        on[1] = Wrench::force(-f);
    }

    fn tangent(&self, at: &ElementInput, pose: &mut [Matrix6<f64>], twist: &mut [Matrix6<f64>]) -> TangentAvailability {
        let Some(p) = self.taut_state(at) else { return TangentAvailability::Full };
        let along = p.u * p.u.transpose();
        let across = (Mat3::identity() - along) / p.s;
        // d(T u) = (k u·dd + c (u·dv + v·du)) u + T du,  du = across dd.
        let by_d = along * self.stiffness + p.u * (across * p.v).transpose() * self.damping + across * p.tension;
        let by_v = along * self.damping;
        for (k, sign_k) in [1.0, -1.0].into_iter().enumerate() {
            for (j, sign_j) in [-1.0, 1.0].into_iter().enumerate() {
                pose[2 * k + j].fixed_view_mut::<3, 3>(0, 0).copy_from(&(by_d * (sign_k * sign_j)));
                twist[2 * k + j].fixed_view_mut::<3, 3>(0, 0).copy_from(&(by_v * (sign_k * sign_j)));
            }
        }
        TangentAvailability::Full
    }

    fn potential(&self, at: &ElementInput) -> f64 {
        let longer = ((at[1].p - at[0].p).norm() - self.free_length).max(0.0);
        0.5 * self.stiffness * longer * longer
    }

    fn nonconservative_power(&self, at: &ElementInput, _on: &[Wrench]) -> f64 {
        let d = at[1].p - at[0].p;
        let longer = (d.norm() - self.free_length).max(0.0);
        if longer == 0.0 {
            return 0.0;
        }
        // Total power less the power of the potential.
        let rate = d.dot(&(at[1].v - at[0].v)) / d.norm();
        let tension = self.taut_state(at).map_or(0.0, |p| p.tension);
        (self.stiffness * longer - tension) * rate
    }

    fn conservation(&self) -> Conservation {
        if self.damping == 0.0 { Conservation::Conservative } else { Conservation::NonConservative }
    }
}

impl ExtraStates for Cable {}

impl ForceReport for Cable {}

impl NonSmooth for Cable {
    fn guard_count(&self) -> usize {
        // Where it becomes taut, and where damping would make it push.
        if self.damping == 0.0 { 1 } else { 2 }
    }

    fn guard(&self, at: &ElementInput, i: usize) -> f64 {
        let d = at[1].p - at[0].p;
        let longer = d.norm() - self.free_length;
        match i {
            0 => longer,
            _ => {
                let rate = d.try_normalize(0.0).map_or(0.0, |u| u.dot(&(at[1].v - at[0].v)));
                self.stiffness * longer + self.damping * rate
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::conformance::{Rig, check_power_balance, resultant};
    use crate::motion::Motion;

    #[test]
    fn stored_and_spent_power_make_up_the_whole() {
        for length in [0.0, 0.3, 50.0] {
            check_power_balance(&Rig::two_frames(), &Cable::new("a", "b", 40.0, length));
            check_power_balance(&Rig::two_frames(), &Cable::new("a", "b", 40.0, length).damped(3.0));
        }
        let motions = Rig::two_frames().motions(0.4);
        let mut on = [Wrench::ZERO; 2];
        Cable::new("a", "b", 40.0, 0.1).apply(&ElementInput::new(0.0, &motions, &[0, 1], &[]), &mut on);
        let sum = resultant(&motions, &on);
        assert!(on[0].f.norm() > 1.0 && sum.f.norm() + sum.m.norm() < 1e-13);
    }

    #[test]
    fn it_pulls_and_never_pushes() {
        let b = |x: f64, v: f64| Motion { p: Vec3::new(x, 0.0, 0.0), v: Vec3::new(v, 0.0, 0.0), ..Motion::REST };
        for (x, v, pull) in [(1.5, 0.0, 5.0), (0.5, 0.0, 0.0), (1.5, 1.0, 7.0), (1.1, -1.0, 0.0), (0.9, 3.0, 0.0)] {
            let motions = [Motion::REST, b(x, v)];
            let mut on = [Wrench::ZERO; 2];
            Cable::new("a", "b", 10.0, 1.0).damped(2.0).apply(&ElementInput::new(0.0, &motions, &[0, 1], &[]), &mut on);
            assert!((on[0].f.x - pull).abs() < 1e-14 && (on[1].f.x + pull).abs() < 1e-14, "{x} {v}: {}", on[0].f.x);
        }
    }

    #[test]
    fn its_derivatives_are_those_of_differences() {
        let cable = Cable::new("a", "b", 40.0, 0.2).damped(3.0);
        let motions = Rig::two_frames().motions(0.4);
        let [mut pose, mut twist] = [[Matrix6::zeros(); 4], [Matrix6::zeros(); 4]];
        cable.tangent(&ElementInput::new(0.0, &motions, &[0, 1], &[]), &mut pose, &mut twist);
        let h = 1e-6;
        for j in 0..2 {
            for axis in 0..3 {
                let wrench = |moved: &dyn Fn(&mut Motion)| {
                    let mut motions = motions.clone();
                    moved(&mut motions[j]);
                    let mut on = [Wrench::ZERO; 2];
                    cable.apply(&ElementInput::new(0.0, &motions, &[0, 1], &[]), &mut on);
                    on
                };
                let (less, more) = (wrench(&|m| m.p[axis] -= h), wrench(&|m| m.p[axis] += h));
                let (slow, fast) = (wrench(&|m| m.v[axis] -= h), wrench(&|m| m.v[axis] += h));
                for k in 0..2 {
                    let by_p = (more[k].f - less[k].f) / (2.0 * h) - pose[2 * k + j].fixed_view::<3, 1>(0, axis);
                    let by_v = (fast[k].f - slow[k].f) / (2.0 * h) - twist[2 * k + j].fixed_view::<3, 1>(0, axis);
                    assert!(by_p.norm() + by_v.norm() < 1e-6, "{by_p} {by_v}");
                }
            }
        }
    }

    #[test]
    fn senseless_cables_are_refused() {
        assert!(Cable::new("a", "b", 0.0, 1.0).check().is_err());
        assert!(Cable::new("a", "b", 1.0, -1.0).check().is_err());
        assert!(Cable::new("a", "b", 1.0, 1.0).damped(f64::NAN).check().is_err());
        assert!(Cable::new("a", "b", 1.0, 0.0).check().is_ok());
    }
}
