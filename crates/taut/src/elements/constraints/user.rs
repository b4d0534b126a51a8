//! Constraints written by the user, once, over any [`Scalar`]; all derivatives come from the number type.

use super::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerKind, MarkerReference, NonSmooth, RowInfo,
    RowLevel, RowTerms,
};
use crate::error::ParameterError;
use crate::kinematics::{UserPlace as MarkerPose, UserTwist as MarkerTwist};
use crate::motion::{Motion, Vec3, Wrench};
use crate::scalar::{Dual, Jet, Scalar};
use std::fmt::Debug;
use std::sync::Arc;

/// φ(t, poses) = 0, written once over any scalar.
pub trait UserHolonomic: Debug + Send + Sync + 'static {
    /// Number of rows, at most [`UserConstraint::MAX_ROWS`].
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
    /// Number of rows, at most [`UserConstraint::MAX_ROWS`].
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
#[derive(Clone, Debug)]
pub struct UserConstraint {
    markers: Vec<(String, MarkerKind)>,
    rows: Vec<RowInfo>,
    level: RowLevel,
    function: Arc<dyn UserFunction>,
}

/// Values of markers: of a few on the stack, of many on the heap.
struct MarkerValues<T> {
    few: [T; FEW_MARKERS],
    many: Vec<T>,
}

const FEW_MARKERS: usize = 8;

impl<T: Copy> MarkerValues<T> {
    fn new(rest: T) -> MarkerValues<T> {
        MarkerValues { few: [rest; FEW_MARKERS], many: Vec::new() }
    }

    fn fill(&mut self, n: usize, of: impl Fn(usize) -> T) -> &mut [T] {
        if n > FEW_MARKERS {
            self.many.extend((0..n).map(of));
            return &mut self.many;
        }
        self.few.iter_mut().take(n).enumerate().for_each(|(k, x)| *x = of(k));
        &mut self.few[..n]
    }
}

const NAMES: [&str; UserConstraint::MAX_ROWS] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];

impl UserConstraint {
    /// Maximum number of rows of one function.
    pub const MAX_ROWS: usize = 12;

    /// φ(t, poses) = 0 on the given frames and coordinates.
    pub fn holonomic(markers: &[MarkerReference], phi: impl UserHolonomic) -> UserConstraint {
        UserConstraint::new(markers, RowLevel::Position, Arc::new(HolonomicFunction(phi)))
    }

    /// ψ(t, poses, twists) = 0 on the given frames and coordinates.
    pub fn nonholonomic(markers: &[MarkerReference], psi: impl UserNonholonomic) -> UserConstraint {
        UserConstraint::new(markers, RowLevel::Velocity, Arc::new(NonholonomicFunction(psi)))
    }

    pub(super) fn new(markers: &[MarkerReference], level: RowLevel, written: Arc<dyn UserFunction>) -> UserConstraint {
        let names = NAMES.iter().take(written.rows());
        UserConstraint {
            markers: markers.iter().map(|r| (r.name.to_string(), r.kind)).collect(),
            rows: names.map(|name| RowInfo { name, level, unit: "1" }).collect(),
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
            return Err(ParameterError::invalid("markers", "there are none, give at least one"));
        }
        if !(1..=Self::MAX_ROWS).contains(&rows) {
            let remedy = format!("the function has {rows}; it may have 1 to {}", Self::MAX_ROWS);
            return Err(ParameterError::invalid("rows", remedy));
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
        let mut poses = MarkerValues::new(MarkerPose::from_motion(&Motion::REST));
        let mut twists = MarkerValues::new(MarkerTwist::from_motion(&Motion::REST));
        let poses = poses.fill(n, |k| MarkerPose::from_motion(&at[k]));
        let twists = twists.fill(n, |k| MarkerTwist::from_motion(&at[k]));
        let mut out = [MarkerDual::constant(0.0); Self::MAX_ROWS];
        rows.phi_t[..m].fill(0.0);
        for (k, (_, needs)) in self.markers.iter().enumerate() {
            match self.level {
                RowLevel::Position => poses[k] = MarkerPose::seeded(&at[k], *needs),
                _ => twists[k] = MarkerTwist::seeded(&at[k], *needs),
            }
            let t = MarkerDual::variable(at.t, TIME_DIRECTION);
            let of = FunctionInput { t, at: poses, moving: twists, z: at.z };
            self.function.evaluate_dual(of, &mut out[..m]);
            for (r, out) in out[..m].iter().enumerate() {
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
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (n, m) = (at.len(), self.rows.len());
        let mut poses = MarkerValues::new(MarkerPose::from_motion(&Motion::REST));
        let mut twists = MarkerValues::new(MarkerTwist::from_motion(&Motion::REST));
        let poses = poses.fill(n, |k| MarkerPose::along_motion(&at[k]));
        let twists = twists.fill(n, |k| MarkerTwist::from_motion(&at[k]));
        let mut out = [Jet::constant(0.0); Self::MAX_ROWS];
        let of = FunctionInput { t: Jet::variable(at.t), at: poses, moving: twists, z: at.z };
        self.function.evaluate_jet(of, &mut out[..m]);
        for (r, out) in out[..m].iter().enumerate() {
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
        assert!(rows(12).check().is_ok());
        assert!(rows(0).check().is_err());
        assert!(rows(13).check().is_err());
        assert!(rows(7).check().is_err(), "the function's own check counts");
        assert!(rows(2).name_rows(&[("one", "m")]).check().is_err());
        assert!(UserConstraint::holonomic(&[], Heights(1)).check().is_err());
        assert!(UserConstraint::holonomic(&[a; 90], Heights(1)).check().is_ok());
    }
}
