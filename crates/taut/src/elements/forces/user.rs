//! Forces written by the user: wrenches in plain numbers, or a potential over any [`Scalar`].

use super::{Conservation, ExtraStates, Force, ForceReport, NonSmooth};
use crate::constraints::{ElementInput, MarkerKind, MarkerReference, UserPlace};
use crate::error::ParameterError;
use crate::mathematics::scratch::{Scratch, with_list};
use crate::motion::{Vec3, Wrench};
use crate::scalar::{Dual, Scalar};
use std::fmt;
use std::sync::Arc;

/// A force written by the user.
pub trait UserLoad: fmt::Debug + Send + Sync + 'static {
    /// Sets the wrench on every marker, in the order they were named (a coordinate: `f.x`).
    fn wrench(&self, at: &ElementInput, on: &mut [Wrench]);
    /// Stored energy.
    fn potential(&self, _at: &ElementInput) -> f64 {
        0.0
    }
    /// Power that does not come from the potential; a load with a potential must override this.
    fn nonconservative_power(&self, at: &ElementInput, on: &[Wrench]) -> f64 {
        on.iter().enumerate().map(|(k, w)| at[k].power(w)).sum()
    }
    /// Whether `nonconservative_power` can be nonzero.
    fn conservation(&self) -> Conservation {
        Conservation::NonConservative
    }
    /// Checks the parameters.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
}

/// A potential V of the poses of some markers, written once over any scalar.
pub trait UserPotential: fmt::Debug + Send + Sync + 'static {
    /// V, J.
    fn energy<S: Scalar>(&self, at: &[UserPlace<S>]) -> S;
    /// Checks the parameters.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
}

/// A user-written force on the given markers.
///
/// ```text
///  V(poses)          wrench on marker k = −∂V/∂pose_k       exact, one pass of dual numbers per marker
/// ```
///
/// # Examples
///
/// ```
/// use taut::motion::Wrench;
/// use taut::prelude::*;
///
/// // Linear drag: m v̇ = −c v.
/// let drag = UserForce::closure(&[MarkerReference::frame("puck")], |at, on| on[0] = Wrench::force(at[0].v * -0.5));
/// let mut spec = Spec::new();
/// spec.body("puck", PointMass::new(2.0, [0.0; 3]).moving([3.0, 0.0, 0.0])).force("drag", drag);
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(4.0))?;
/// assert!((run.last("puck.vx")? - 3.0 * (-1.0_f64).exp()).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct UserForce {
    markers: Vec<(String, MarkerKind)>,
    load: Arc<dyn UserLoad>,
}

impl UserForce {
    /// A load on the given frames and coordinates.
    pub fn new(markers: &[MarkerReference], load: impl UserLoad) -> UserForce {
        UserForce { markers: markers.iter().map(|r| (r.name.to_string(), r.kind)).collect(), load: Arc::new(load) }
    }

    /// A closure that sets the wrenches; all its power counts as non-conservative.
    pub fn closure(
        markers: &[MarkerReference],
        wrench: impl Fn(&ElementInput, &mut [Wrench]) + Send + Sync + 'static,
    ) -> UserForce {
        UserForce::new(markers, Closure(wrench))
    }

    /// The force of a potential.
    pub fn potential(markers: &[MarkerReference], V: impl UserPotential) -> UserForce {
        UserForce::new(markers, Potential { V, needs: markers.iter().map(|r| r.kind).collect() })
    }
}

impl Force for UserForce {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.markers.iter().map(|(name, needs)| MarkerReference { name, kind: *needs }).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.markers.is_empty() {
            return Err(ParameterError::invalid("markers", "a force needs at least one marker to act on"));
        }
        self.load.check()
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        // A load need not set the wrenches of all markers.
        on.fill(Wrench::ZERO);
        self.load.wrench(at, on);
    }

    fn potential(&self, at: &ElementInput) -> f64 {
        self.load.potential(at)
    }

    fn nonconservative_power(&self, at: &ElementInput, on: &[Wrench]) -> f64 {
        self.load.nonconservative_power(at, on)
    }

    fn conservation(&self) -> Conservation {
        self.load.conservation()
    }
}

impl ExtraStates for UserForce {}
impl ForceReport for UserForce {}
impl NonSmooth for UserForce {}

struct Closure<F>(F);

impl<F> fmt::Debug for Closure<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("closure")
    }
}

impl<F: Fn(&ElementInput, &mut [Wrench]) + Send + Sync + 'static> UserLoad for Closure<F> {
    fn wrench(&self, at: &ElementInput, on: &mut [Wrench]) {
        (self.0)(at, on);
    }
}

#[derive(Debug)]
struct Potential<V> {
    V: V,
    needs: Vec<MarkerKind>,
}

/// Calls `f` with the poses of all markers.
fn with_poses<S: Scalar, T>(at: &ElementInput, f: impl FnOnce(&mut [UserPlace<S>]) -> T) -> T
where
    UserPlace<S>: Scratch,
{
    with_list(|poses: &mut Vec<UserPlace<S>>| {
        poses.extend((0..at.len()).map(|k| UserPlace::from_motion(&at[k])));
        f(poses)
    })
}

impl<V: UserPotential> UserLoad for Potential<V> {
    fn wrench(&self, at: &ElementInput, on: &mut [Wrench]) {
        with_poses(at, |poses: &mut [UserPlace<Dual<6>>]| {
            for (k, needs) in self.needs.iter().enumerate() {
                poses[k] = UserPlace::seeded(&at[k], *needs);
                let [x, y, z, a, b, c] = self.V.energy(poses).eps;
                on[k] = Wrench { f: -Vec3::new(x, y, z), m: -Vec3::new(a, b, c) };
                poses[k] = UserPlace::from_motion(&at[k]);
            }
        });
    }

    fn potential(&self, at: &ElementInput) -> f64 {
        with_poses(at, |poses: &mut [UserPlace<f64>]| self.V.energy(poses))
    }

    fn nonconservative_power(&self, _at: &ElementInput, _on: &[Wrench]) -> f64 {
        0.0
    }

    fn conservation(&self) -> Conservation {
        Conservation::Conservative
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.V.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::conformance::{Rig, check_power_balance, resultant, smooth_coordinate, smooth_frame};
    use crate::forces::Spring;
    use crate::scalar::{dot, norm, sub};

    #[derive(Debug)]
    struct SpringEnergy;

    impl UserPotential for SpringEnergy {
        fn energy<S: Scalar>(&self, at: &[UserPlace<S>]) -> S {
            let x = norm(sub(at[1].p, at[0].p)) - 0.8;
            x * x * 20.0
        }
    }

    /// Couples two frames and a coordinate.
    #[derive(Debug)]
    struct Coupled;

    impl UserPotential for Coupled {
        fn energy<S: Scalar>(&self, at: &[UserPlace<S>]) -> S {
            let d = sub(at[1].p, at[0].p);
            dot(at[0].axis(2), at[1].axis(0)) * at[2].p[0] + dot(d, at[0].axis(1)).sin()
        }
    }

    fn two() -> [MarkerReference<'static>; 2] {
        [MarkerReference::frame("a"), MarkerReference::frame("b")]
    }

    #[test]
    fn a_potential_equals_the_library_spring() {
        let motions = Rig::two_frames().motions(0.6);
        let view = ElementInput::new(0.6, &motions, &[0, 1], &[]);
        let (mut mine, mut library) = ([Wrench::ZERO; 2], [Wrench::ZERO; 2]);
        let (user, spring) = (UserForce::potential(&two(), SpringEnergy), Spring::linear("a", "b", 40.0, 0.0, 0.8));
        user.apply(&view, &mut mine);
        spring.apply(&view, &mut library);
        for (mine, library) in mine.iter().zip(&library) {
            assert!((mine.f - library.f).norm() < 1e-13 && mine.m == library.m);
        }
        assert!((user.potential(&view) - spring.potential(&view)).abs() < 1e-14);
    }

    #[test]
    fn a_potential_keeps_energy() {
        check_power_balance(&Rig::two_frames(), &UserForce::potential(&two(), SpringEnergy));
        let markers = [MarkerReference::frame("a"), MarkerReference::frame("b"), MarkerReference::coordinate("c")];
        let rig = Rig::new(vec![smooth_frame(1), smooth_frame(2), smooth_coordinate(3)]);
        check_power_balance(&rig, &UserForce::potential(&markers, Coupled));
        // V depends only on relative poses, so the total wrench on the two frames is zero.
        let motions = rig.motions(0.2);
        let mut on = [Wrench::ZERO; 3];
        UserForce::potential(&markers, Coupled).apply(&ElementInput::new(0.2, &motions, &[0, 1, 2], &[]), &mut on);
        let sum = resultant(&motions[..2], &on[..2]);
        assert!(sum.f.norm() + sum.m.norm() < 1e-14);
    }

    #[test]
    fn a_closure_pushes_what_it_names() {
        let drag = UserForce::closure(&two(), |at, on| on[1].f = at[1].v * -2.0);
        check_power_balance(&Rig::two_frames(), &drag);
        let motions = Rig::two_frames().motions(0.2);
        let mut on = [Wrench::force(Vec3::x()); 2];
        drag.apply(&ElementInput::new(0.2, &motions, &[0, 1], &[]), &mut on);
        assert_eq!(on[0], Wrench::ZERO);
    }

    #[test]
    fn no_markers_are_refused() {
        assert!(UserForce::closure(&[], |_, _| ()).check().is_err());
        assert!(UserForce::potential(&[MarkerReference::frame("a"); 9], SpringEnergy).check().is_ok());
    }
}
