//! Constraints written by the user, once, over any [`Scalar`]; all derivatives come from the number type.

use super::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerKind, MarkerReference, NonSmooth, RowInfo,
    RowLevel, RowTerms,
};
use crate::error::ParameterError;
use crate::kinematics::{UserPlace as MarkerPose, UserTwist as MarkerTwist};
use crate::mathematics::scratch::{Scratch, with_list, with_scratch};
use crate::motion::{Motion, Vec3, Wrench};
use crate::scalar::{Dual, Jet, Scalar};
use std::fmt::Debug;
use std::sync::Arc;

/// φ(t, poses) = 0, written once over any scalar.
pub trait UserHolonomic: Debug + Send + Sync + 'static {
    /// Number of rows, at least one.
    fn rows(&self) -> usize;
    /// φ of each row into `out`; `at` are the markers in the order they were named.
    fn phi<S: Scalar>(&self, t: S, at: &[MarkerPose<S>], out: &mut [S]);
    /// Checks the parameters.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
}

/// ψ(t, poses, twists) = 0, written once over any scalar.
pub trait UserNonholonomic: Debug + Send + Sync + 'static {
    /// Number of rows, at least one.
    fn rows(&self) -> usize;
    /// ψ of each row into `out`; `at` and `along_motion` are the markers in the order they were named.
    fn psi<S: Scalar>(&self, t: S, at: &[MarkerPose<S>], moving: &[MarkerTwist<S>], out: &mut [S]);
    /// Checks the parameters.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
}

/// Six directions of one marker, and time.
pub(super) type MarkerDual = Dual<7>;
const TIME_DIRECTION: usize = 6;

/// What a function depends on, over one scalar type.
pub(super) struct FunctionInput<'a, S> {
    pub t: S,
    pub at: &'a [MarkerPose<S>],
    pub moving: &'a [MarkerTwist<S>],
    /// Extra states of the element.
    pub z: &'a [f64],
}

/// Either function with its scalar types fixed, so that the trait is object-safe.
pub(super) trait UserFunction: Debug + Send + Sync {
    fn rows(&self) -> usize;
    fn check(&self) -> Result<(), ParameterError>;
    fn evaluate_dual(&self, of: FunctionInput<MarkerDual>, out: &mut [MarkerDual]);
    fn evaluate_jet(&self, of: FunctionInput<Jet>, out: &mut [Jet]);
}

#[derive(Debug)]
struct HolonomicFunction<F>(F);

impl<F: UserHolonomic> UserFunction for HolonomicFunction<F> {
    fn rows(&self) -> usize {
        self.0.rows()
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.0.check()
    }
    fn evaluate_dual(&self, of: FunctionInput<MarkerDual>, out: &mut [MarkerDual]) {
        self.0.phi(of.t, of.at, out);
    }
    fn evaluate_jet(&self, of: FunctionInput<Jet>, out: &mut [Jet]) {
        self.0.phi(of.t, of.at, out);
    }
}

#[derive(Debug)]
struct NonholonomicFunction<F>(F);

impl<F: UserNonholonomic> UserFunction for NonholonomicFunction<F> {
    fn rows(&self) -> usize {
        self.0.rows()
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.0.check()
    }
    fn evaluate_dual(&self, of: FunctionInput<MarkerDual>, out: &mut [MarkerDual]) {
        self.0.psi(of.t, of.at, of.moving, out);
    }
    fn evaluate_jet(&self, of: FunctionInput<Jet>, out: &mut [Jet]) {
        self.0.psi(of.t, of.at, of.moving, out);
    }
}

/// A constraint whose φ or ψ is written by the user.
///
/// ```text
///  φ(t, poses) = 0              D = ∂φ/∂pose             φ_t = ∂φ/∂t          c = φ̈ at zero marker acceleration
///  ψ(t, poses, twists) = 0      D = ∂ψ/∂twist            φ_t = ψ − Σ D·twist  c = ψ̇ at constant twists
/// ```
///
/// D takes one pass of [`Dual`] numbers per marker, seeded with a displacement and the rotation R → (I + \[ε×\]) R;
/// c takes one pass of [`Jet`]s along the motion. ψ need not be linear in the twists.
///
/// # Examples
///
/// ```
/// use taut::constraints::{UserHolonomic, UserPlace};
/// use taut::prelude::*;
/// use taut::scalar::Scalar;
///
/// /// The bead stays on the parabola z = x².
/// #[derive(Debug)]
/// struct Parabola;
///
/// impl UserHolonomic for Parabola {
///     fn rows(&self) -> usize {
///         1
///     }
///     fn phi<S: Scalar>(&self, _t: S, at: &[UserPlace<S>], out: &mut [S]) {
///         let [x, _, z] = at[0].p;
///         out[0] = z - x * x;
///     }
/// }
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("bead", PointMass::new(1.0, [1.0, 0.0, 1.0]))
///     .constraint("wire", UserConstraint::holonomic(&[MarkerReference::frame("bead")], Parabola));
/// let model = spec.build()?;
/// let slide = simulate(&model, &model.initial_state(), &Transient::to(1.0))?;
/// assert!((slide.last("bead.z")? - slide.last("bead.x")?.powi(2)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct UserConstraint {
    markers: Vec<(String, MarkerKind)>,
    rows: Vec<RowInfo>,
    level: RowLevel,
    function: Arc<dyn UserFunction>,
}

impl UserConstraint {
    /// φ(t, poses) = 0 on the given frames and coordinates.
    pub fn holonomic(markers: &[MarkerReference], phi: impl UserHolonomic) -> UserConstraint {
        UserConstraint::new(markers, RowLevel::Position, Arc::new(HolonomicFunction(phi)))
    }

    /// ψ(t, poses, twists) = 0 on the given frames and coordinates.
    pub fn nonholonomic(markers: &[MarkerReference], psi: impl UserNonholonomic) -> UserConstraint {
        UserConstraint::new(markers, RowLevel::Velocity, Arc::new(NonholonomicFunction(psi)))
    }

    pub(super) fn new(markers: &[MarkerReference], level: RowLevel, written: Arc<dyn UserFunction>) -> UserConstraint {
        UserConstraint {
            markers: markers.iter().map(|r| (r.name.to_string(), r.kind)).collect(),
            rows: RowInfo::numbered(written.rows(), level),
            level,
            function: written,
        }
    }

    /// The same constraint with names and units for its rows.
    pub fn name_rows(mut self, rows: &[(&'static str, &'static str)]) -> UserConstraint {
        self.rows = rows.iter().map(|&(name, unit)| RowInfo { name, level: self.level, unit }).collect();
        self
    }
}

/// Calls `f` with the poses and the twists of all markers.
fn with_lists<S: Scalar>(
    at: &ElementInput,
    pose: impl Fn(&Motion) -> MarkerPose<S>,
    f: impl FnOnce(&mut [MarkerPose<S>], &mut [MarkerTwist<S>]),
) where
    MarkerPose<S>: Scratch,
    MarkerTwist<S>: Scratch,
{
    with_list(|poses: &mut Vec<MarkerPose<S>>| {
        with_list(|twists: &mut Vec<MarkerTwist<S>>| {
            poses.extend((0..at.len()).map(|k| pose(&at[k])));
            twists.extend((0..at.len()).map(|k| MarkerTwist::from_motion(&at[k])));
            f(poses, twists);
        });
    });
}

impl Constraint for UserConstraint {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.markers.iter().map(|(name, needs)| MarkerReference { name, kind: *needs }).collect()
    }

    fn rows(&self) -> Vec<RowInfo> {
        self.rows.clone()
    }

    fn check(&self) -> Result<(), ParameterError> {
        let rows = self.function.rows();
        if self.markers.is_empty() {
            return Err(ParameterError::invalid("markers", "there are none; give at least one"));
        }
        if rows == 0 {
            return Err(ParameterError::invalid("rows", "the function has no row; it needs at least one"));
        }
        if self.rows.len() != rows {
            return Err(ParameterError::invalid(
                "rows",
                format!("{} are named, the function has {rows}", self.rows.len()),
            ));
        }
        self.function.check()
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (n, m) = (at.len(), self.rows.len());
        rows.phi_t[..m].fill(0.0);
        with_lists(at, MarkerPose::from_motion, |poses, twists| {
            with_scratch(m, |out: &mut [MarkerDual]| {
                for (k, (_, needs)) in self.markers.iter().enumerate() {
                    match self.level {
                        RowLevel::Position => poses[k] = MarkerPose::seeded(&at[k], *needs),
                        _ => twists[k] = MarkerTwist::seeded(&at[k], *needs),
                    }
                    let t = MarkerDual::variable(at.t, TIME_DIRECTION);
                    self.function.evaluate_dual(FunctionInput { t, at: poses, moving: twists, z: at.z }, out);
                    for (r, out) in out.iter().enumerate() {
                        let [x, y, z, a, b, c, _] = out.eps;
                        let D = Wrench { f: Vec3::new(x, y, z), m: Vec3::new(a, b, c) };
                        rows.D[r * n + k] = D;
                        match self.level {
                            RowLevel::Position => (rows.phi[r], rows.phi_t[r]) = (out.re, out.eps[TIME_DIRECTION]),
                            _ if k == 0 => rows.phi_t[r] = out.re - at[k].power(&D),
                            _ => rows.phi_t[r] -= at[k].power(&D),
                        }
                    }
                    poses[k] = MarkerPose::from_motion(&at[k]);
                    twists[k] = MarkerTwist::from_motion(&at[k]);
                }
            });
        });
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (n, m) = (at.len(), self.rows.len());
        with_lists(at, MarkerPose::along_motion, |poses, twists| {
            with_scratch(m, |out: &mut [Jet]| {
                let of = FunctionInput { t: Jet::variable(at.t), at: poses, moving: twists, z: at.z };
                self.function.evaluate_jet(of, out);
                for (r, out) in out.iter().enumerate() {
                    match self.level {
                        RowLevel::Position => rows.c[r] = out.ddf,
                        _ => {
                            // The velocities may have been corrected since `position_terms`; ψ is evaluated again.
                            let D = &rows.D[r * n..(r + 1) * n];
                            rows.phi_t[r] = out.f - D.iter().enumerate().map(|(k, D)| at[k].power(D)).sum::<f64>();
                            rows.c[r] = out.df;
                        }
                    }
                }
            });
        });
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for UserConstraint {}
impl NonSmooth for UserConstraint {}
impl FrictionLaw for UserConstraint {}

#[cfg(test)]
mod tests {
    use super::super::conformance::evaluate;
    use super::*;

    /// `rows` times the height of the first marker, also with invalid numbers of rows.
    #[derive(Debug)]
    struct Heights(usize);

    impl UserHolonomic for Heights {
        fn rows(&self) -> usize {
            self.0
        }
        fn phi<S: Scalar>(&self, t: S, at: &[MarkerPose<S>], out: &mut [S]) {
            out.fill(at[0].p[2] - t * 2.0);
        }
        fn check(&self) -> Result<(), ParameterError> {
            if self.0 == 7 { Err(ParameterError::invalid("rows", "seven")) } else { Ok(()) }
        }
    }

    #[test]
    fn a_height_driven_in_time() {
        let height =
            UserConstraint::holonomic(&[MarkerReference::frame("a")], Heights(1)).name_rows(&[("height", "m")]);
        assert_eq!(height.rows()[0], RowInfo { name: "height", level: RowLevel::Position, unit: "m" });
        let rising = Motion { p: Vec3::z() * 3.0, v: Vec3::z() * 5.0, ..Motion::REST };
        let seen = evaluate(&height, &[rising]);
        assert_eq!((seen.phi[0], seen.rates[0], seen.c[0]), (3.0, 3.0, 0.0));
        assert_eq!(seen.D[0], Wrench::force(Vec3::z()));
    }

    #[test]
    fn senseless_sizes_are_refused() {
        let a = MarkerReference::frame("a");
        let rows = |n| UserConstraint::holonomic(&[a], Heights(n));
        assert!(rows(40).check().is_ok());
        assert!(rows(0).check().is_err());
        assert!(rows(7).check().is_err(), "the function's own check counts");
        assert!(rows(2).name_rows(&[("one", "m")]).check().is_err());
        assert!(UserConstraint::holonomic(&[], Heights(1)).check().is_err());
        assert!(UserConstraint::holonomic(&[a; 20], Heights(1)).check().is_ok());
    }
}
