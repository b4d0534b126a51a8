//! Forces written by the user: wrenches in plain numbers, or a potential over any [`Scalar`].
//!
//! ```text
//!  V(poses)          wrench on marker k = −∂V/∂pose_k       exact, one pass of dual numbers per marker
//! ```

use super::{Conservation, ExtraStates, Force, NonSmooth};
use crate::constraints::{Needs, Reference, UserPlace, View};
use crate::error::Fault;
use crate::motion::{Motion, Vec3, Wrench};
use crate::scalar::{Dual, Scalar};
use std::fmt;
use std::sync::Arc;

/// A force written by the user.
pub trait UserLoad: fmt::Debug + Send + Sync + 'static {
    /// Sets the wrench on every marker, in the order they were named (a coordinate: `f.x`).
    fn wrench(&self, at: &View, on: &mut [Wrench]);
    /// Stored energy.
    fn potential(&self, _at: &View) -> f64 {
        0.0
    }
    /// Power that does not come from the potential; a load with a potential must override this.
    fn work_rate(&self, at: &View, on: &[Wrench]) -> f64 {
        on.iter().enumerate().map(|(k, w)| at[k].power(w)).sum()
    }
    /// Whether `work_rate` can be nonzero.
    fn conserves(&self) -> Conservation {
        Conservation::Open
    }
    /// Checks the parameters.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// A potential V of the poses of some markers, written once over any scalar.
pub trait UserPotential: fmt::Debug + Send + Sync + 'static {
    /// V, J.
    fn energy<S: Scalar>(&self, at: &[UserPlace<S>]) -> S;
    /// Checks the parameters.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// A user-written force on the given markers.
#[derive(Clone, Debug)]
pub struct UserForce {
    markers: Vec<(String, Needs)>,
    load: Arc<dyn UserLoad>,
}

impl UserForce {
    /// Maximum number of markers of a potential: they are on the stack.
    pub const MOST_MARKERS: usize = 8;

    /// A load on the given frames and coordinates.
    pub fn new(markers: &[Reference], load: impl UserLoad) -> UserForce {
        UserForce { markers: markers.iter().map(|r| (r.name.to_string(), r.needs)).collect(), load: Arc::new(load) }
    }

    /// A closure that sets the wrenches; all its power counts as non-conservative.
    pub fn closure(markers: &[Reference], wrench: impl Fn(&View, &mut [Wrench]) + Send + Sync + 'static) -> UserForce {
        UserForce::new(markers, Closure(wrench))
    }

    /// The force of a potential.
    pub fn potential(markers: &[Reference], V: impl UserPotential) -> UserForce {
        UserForce::new(markers, Potential { V, needs: markers.iter().map(|r| r.needs).collect() })
    }
}

impl Force for UserForce {
    fn markers(&self) -> Vec<Reference<'_>> {
        self.markers.iter().map(|(name, needs)| Reference { name, needs: *needs }).collect()
    }

    fn check(&self) -> Result<(), Fault> {
        if self.markers.is_empty() {
            return Err(Fault::value("markers", "a force needs at least one marker to act on"));
        }
        self.load.check()
    }

    fn apply(&self, at: &View, on: &mut [Wrench]) {
        // A load need not set the wrenches of all markers.
        on.fill(Wrench::ZERO);
        self.load.wrench(at, on);
    }

    fn potential(&self, at: &View) -> f64 {
        self.load.potential(at)
    }

    fn work_rate(&self, at: &View, on: &[Wrench]) -> f64 {
        self.load.work_rate(at, on)
    }

    fn conserves(&self) -> Conservation {
        self.load.conserves()
    }
}

impl ExtraStates for UserForce {}
impl NonSmooth for UserForce {}

struct Closure<F>(F);

impl<F> fmt::Debug for Closure<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("closure")
    }
}

impl<F: Fn(&View, &mut [Wrench]) + Send + Sync + 'static> UserLoad for Closure<F> {
    fn wrench(&self, at: &View, on: &mut [Wrench]) {
        (self.0)(at, on);
    }
}

#[derive(Debug)]
struct Potential<V> {
    V: V,
    needs: Vec<Needs>,
}

/// The poses of the view; unused entries follow them.
fn poses<S: Scalar>(at: &View) -> [UserPlace<S>; UserForce::MOST_MARKERS] {
    let mut poses = [UserPlace::of(&Motion::REST); UserForce::MOST_MARKERS];
    for (k, pose) in poses.iter_mut().enumerate().take(at.len()) {
        *pose = UserPlace::of(&at[k]);
    }
    poses
}

impl<V: UserPotential> UserLoad for Potential<V> {
    fn wrench(&self, at: &View, on: &mut [Wrench]) {
        let mut poses = poses::<Dual<6>>(at);
        for (k, needs) in self.needs.iter().enumerate() {
            poses[k] = UserPlace::seeded(&at[k], *needs);
            let [x, y, z, a, b, c] = self.V.energy(&poses[..at.len()]).eps;
            on[k] = Wrench { f: -Vec3::new(x, y, z), m: -Vec3::new(a, b, c) };
            poses[k] = UserPlace::of(&at[k]);
        }
    }

    fn potential(&self, at: &View) -> f64 {
        self.V.energy(&poses::<f64>(at)[..at.len()])
    }

    fn work_rate(&self, _at: &View, _on: &[Wrench]) -> f64 {
        0.0
    }

    fn conserves(&self) -> Conservation {
        Conservation::Conservative
    }

    fn check(&self) -> Result<(), Fault> {
        let (found, most) = (self.needs.len(), UserForce::MOST_MARKERS);
        if found > most {
            return Err(Fault::value("markers", format!("there are {found}, a potential may have at most {most}")));
        }
        self.V.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::conformance::{Rig, balances, coordinate, resultant, waving};
    use crate::forces::Spring;
    use crate::scalar::{dot, norm, sub};

    #[derive(Debug)]
    struct Stretch;

    impl UserPotential for Stretch {
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

    fn two() -> [Reference<'static>; 2] {
        [Reference::frame("a"), Reference::frame("b")]
    }

    #[test]
    fn a_potential_equals_the_library_spring() {
        let motions = Rig::two().motions(0.6);
        let view = View::new(0.6, &motions, &[0, 1], &[]);
        let (mut mine, mut library) = ([Wrench::ZERO; 2], [Wrench::ZERO; 2]);
        let (user, spring) = (UserForce::potential(&two(), Stretch), Spring::linear("a", "b", 40.0, 0.0, 0.8));
        user.apply(&view, &mut mine);
        spring.apply(&view, &mut library);
        for (mine, library) in mine.iter().zip(&library) {
            assert!((mine.f - library.f).norm() < 1e-13 && mine.m == library.m);
        }
        assert!((user.potential(&view) - spring.potential(&view)).abs() < 1e-14);
    }

    #[test]
    fn a_potential_keeps_energy() {
        balances(&Rig::two(), &UserForce::potential(&two(), Stretch));
        let markers = [Reference::frame("a"), Reference::frame("b"), Reference::coordinate("c")];
        let rig = Rig::new(vec![waving(1), waving(2), coordinate(3)]);
        balances(&rig, &UserForce::potential(&markers, Coupled));
        // V depends only on relative poses, so the total wrench on the two frames is zero.
        let motions = rig.motions(0.2);
        let mut on = [Wrench::ZERO; 3];
        UserForce::potential(&markers, Coupled).apply(&View::new(0.2, &motions, &[0, 1, 2], &[]), &mut on);
        let sum = resultant(&motions[..2], &on[..2]);
        assert!(sum.f.norm() + sum.m.norm() < 1e-14);
    }

    #[test]
    fn a_closure_pushes_what_it_names() {
        let drag = UserForce::closure(&two(), |at, on| on[1].f = at[1].v * -2.0);
        balances(&Rig::two(), &drag);
        let motions = Rig::two().motions(0.2);
        let mut on = [Wrench::force(Vec3::x()); 2];
        drag.apply(&View::new(0.2, &motions, &[0, 1], &[]), &mut on);
        assert_eq!(on[0], Wrench::ZERO);
    }

    #[test]
    fn too_many_or_no_markers_are_refused() {
        assert!(UserForce::closure(&[], |_, _| ()).check().is_err());
        assert!(UserForce::potential(&[Reference::frame("a"); 9], Stretch).check().is_err());
    }
}
