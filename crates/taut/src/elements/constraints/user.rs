//! Constraints written by the user, once, over any [`Scalar`]; all derivatives come from the number type.
//!
//! ```text
//!  φ(t, poses) = 0              D = ∂φ/∂pose             φ_t = ∂φ/∂t          c = φ̈ at zero marker acceleration
//!  ψ(t, poses, twists) = 0      D = ∂ψ/∂twist            φ_t = ψ − Σ D·twist  c = ψ̇ at constant twists
//! ```
//!
//! D takes one pass of [`Dual`] numbers per marker, seeded with a displacement and the rotation R → (I + \[ε×\]) R;
//! c takes one pass of [`Jet`]s along the motion. ψ need not be linear in the twists.

use super::{Constraint, Dependence, ExtraStates, FrictionLaw, Level, Needs, NonSmooth, Reference, Row, Rows, View};
use crate::error::Fault;
use crate::kinematics::{UserPlace as Place, UserTwist as Twist};
use crate::motion::{Motion, Vec3, Wrench};
use crate::scalar::{Dual, Jet, Scalar};
use std::fmt::Debug;
use std::sync::Arc;

/// φ(t, poses) = 0, written once over any scalar.
pub trait UserHolonomic: Debug + Send + Sync + 'static {
    /// Number of rows, at most [`UserConstraint::MOST_ROWS`].
    fn rows(&self) -> usize;
    /// φ of each row into `out`; `at` are the markers in the order they were named.
    fn phi<S: Scalar>(&self, t: S, at: &[Place<S>], out: &mut [S]);
    /// Checks the parameters.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// ψ(t, poses, twists) = 0, written once over any scalar.
pub trait UserNonholonomic: Debug + Send + Sync + 'static {
    /// Number of rows, at most [`UserConstraint::MOST_ROWS`].
    fn rows(&self) -> usize;
    /// ψ of each row into `out`; `at` and `moving` are the markers in the order they were named.
    fn psi<S: Scalar>(&self, t: S, at: &[Place<S>], moving: &[Twist<S>], out: &mut [S]);
    /// Checks the parameters.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// Six directions of one marker, and time.
type Slope = Dual<7>;
const TIME: usize = 6;

/// Either function with its scalar types fixed, so that the trait is object-safe.
trait Written: Debug + Send + Sync {
    fn rows(&self) -> usize;
    fn check(&self) -> Result<(), Fault>;
    fn slopes(&self, t: Slope, at: &[Place<Slope>], moving: &[Twist<Slope>], out: &mut [Slope]);
    fn along(&self, t: Jet, at: &[Place<Jet>], moving: &[Twist<Jet>], out: &mut [Jet]);
}

#[derive(Debug)]
struct Phi<F>(F);

impl<F: UserHolonomic> Written for Phi<F> {
    fn rows(&self) -> usize {
        self.0.rows()
    }
    fn check(&self) -> Result<(), Fault> {
        self.0.check()
    }
    fn slopes(&self, t: Slope, at: &[Place<Slope>], _: &[Twist<Slope>], out: &mut [Slope]) {
        self.0.phi(t, at, out);
    }
    fn along(&self, t: Jet, at: &[Place<Jet>], _: &[Twist<Jet>], out: &mut [Jet]) {
        self.0.phi(t, at, out);
    }
}

#[derive(Debug)]
struct Psi<F>(F);

impl<F: UserNonholonomic> Written for Psi<F> {
    fn rows(&self) -> usize {
        self.0.rows()
    }
    fn check(&self) -> Result<(), Fault> {
        self.0.check()
    }
    fn slopes(&self, t: Slope, at: &[Place<Slope>], moving: &[Twist<Slope>], out: &mut [Slope]) {
        self.0.psi(t, at, moving, out);
    }
    fn along(&self, t: Jet, at: &[Place<Jet>], moving: &[Twist<Jet>], out: &mut [Jet]) {
        self.0.psi(t, at, moving, out);
    }
}

/// A constraint whose φ or ψ is written by the user.
#[derive(Clone, Debug)]
pub struct UserConstraint {
    markers: Vec<(String, Needs)>,
    rows: Vec<Row>,
    level: Level,
    written: Arc<dyn Written>,
}

const NAMES: [&str; UserConstraint::MOST_ROWS] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];

impl UserConstraint {
    /// Maximum number of markers of one function: they are on the stack.
    pub const MOST_MARKERS: usize = 8;
    /// Maximum number of rows of one function.
    pub const MOST_ROWS: usize = 12;

    /// φ(t, poses) = 0 on the given frames and coordinates.
    pub fn holonomic(markers: &[Reference], phi: impl UserHolonomic) -> UserConstraint {
        UserConstraint::new(markers, Level::Position, Arc::new(Phi(phi)))
    }

    /// ψ(t, poses, twists) = 0 on the given frames and coordinates.
    pub fn nonholonomic(markers: &[Reference], psi: impl UserNonholonomic) -> UserConstraint {
        UserConstraint::new(markers, Level::Velocity, Arc::new(Psi(psi)))
    }

    fn new(markers: &[Reference], level: Level, written: Arc<dyn Written>) -> UserConstraint {
        let names = NAMES.iter().take(written.rows());
        UserConstraint {
            markers: markers.iter().map(|r| (r.name.to_string(), r.needs)).collect(),
            rows: names.map(|name| Row { name, level, unit: "1" }).collect(),
            level,
            written,
        }
    }

    /// The same constraint with names and units for its rows.
    pub fn named(mut self, rows: &[(&'static str, &'static str)]) -> UserConstraint {
        self.rows = rows.iter().map(|&(name, unit)| Row { name, level: self.level, unit }).collect();
        self
    }
}

impl Constraint for UserConstraint {
    fn markers(&self) -> Vec<Reference<'_>> {
        self.markers.iter().map(|(name, needs)| Reference { name, needs: *needs }).collect()
    }

    fn rows(&self) -> Vec<Row> {
        self.rows.clone()
    }

    fn check(&self) -> Result<(), Fault> {
        let (markers, rows) = (self.markers.len(), self.written.rows());
        if !(1..=Self::MOST_MARKERS).contains(&markers) {
            return Err(Fault::value("markers", format!("there are {markers}, give 1 to {}", Self::MOST_MARKERS)));
        }
        if !(1..=Self::MOST_ROWS).contains(&rows) {
            let remedy = format!("the function has {rows}, it may have 1 to {}", Self::MOST_ROWS);
            return Err(Fault::value("rows", remedy));
        }
        if self.rows.len() != rows {
            return Err(Fault::value("rows", format!("{} are named, the function has {rows}", self.rows.len())));
        }
        self.written.check()
    }

    fn place(&self, at: &View, rows: &mut Rows) {
        let (n, m) = (at.len(), self.rows.len());
        let mut poses = [Place::of(&Motion::REST); Self::MOST_MARKERS];
        let mut twists = [Twist::of(&Motion::REST); Self::MOST_MARKERS];
        let mut out = [Slope::constant(0.0); Self::MOST_ROWS];
        for k in 0..n {
            poses[k] = Place::of(&at[k]);
            twists[k] = Twist::of(&at[k]);
        }
        rows.phi_t[..m].fill(0.0);
        for (k, (_, needs)) in self.markers.iter().enumerate() {
            match self.level {
                Level::Position => poses[k] = Place::seeded(&at[k], *needs),
                _ => twists[k] = Twist::seeded(&at[k], *needs),
            }
            self.written.slopes(Slope::variable(at.t, TIME), &poses[..n], &twists[..n], &mut out[..m]);
            for (r, out) in out[..m].iter().enumerate() {
                let [x, y, z, a, b, c, _] = out.eps;
                let D = Wrench { f: Vec3::new(x, y, z), m: Vec3::new(a, b, c) };
                rows.D[r * n + k] = D;
                match self.level {
                    Level::Position => (rows.phi[r], rows.phi_t[r]) = (out.re, out.eps[TIME]),
                    _ if k == 0 => rows.phi_t[r] = out.re - at[k].power(&D),
                    _ => rows.phi_t[r] -= at[k].power(&D),
                }
            }
            poses[k] = Place::of(&at[k]);
            twists[k] = Twist::of(&at[k]);
        }
    }

    fn carry(&self, at: &View, rows: &mut Rows) {
        let (n, m) = (at.len(), self.rows.len());
        let mut poses = [Place::of(&Motion::REST); Self::MOST_MARKERS];
        let mut twists = [Twist::of(&Motion::REST); Self::MOST_MARKERS];
        let mut out = [Jet::constant(0.0); Self::MOST_ROWS];
        for k in 0..n {
            poses[k] = Place::moving(&at[k]);
            twists[k] = Twist::of(&at[k]);
        }
        self.written.along(Jet::variable(at.t), &poses[..n], &twists[..n], &mut out[..m]);
        for (r, out) in out[..m].iter().enumerate() {
            match self.level {
                Level::Position => rows.c[r] = out.ddf,
                _ => {
                    // The velocities may have been corrected since `place`; ψ is evaluated again.
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
    use super::super::conformance::probe;
    use super::*;

    /// `rows` times the height of the first marker, also with invalid numbers of rows.
    #[derive(Debug)]
    struct Heights(usize);

    impl UserHolonomic for Heights {
        fn rows(&self) -> usize {
            self.0
        }
        fn phi<S: Scalar>(&self, t: S, at: &[Place<S>], out: &mut [S]) {
            out.fill(at[0].p[2] - t * 2.0);
        }
        fn check(&self) -> Result<(), Fault> {
            if self.0 == 7 { Err(Fault::value("rows", "seven")) } else { Ok(()) }
        }
    }

    #[test]
    fn a_height_driven_in_time() {
        let height = UserConstraint::holonomic(&[Reference::frame("a")], Heights(1)).named(&[("height", "m")]);
        assert_eq!(height.rows()[0], Row { name: "height", level: Level::Position, unit: "m" });
        let rising = Motion { p: Vec3::z() * 3.0, v: Vec3::z() * 5.0, ..Motion::REST };
        let seen = probe(&height, &[rising]);
        assert_eq!((seen.phi[0], seen.rates[0], seen.c[0]), (3.0, 3.0, 0.0));
        assert_eq!(seen.D[0], Wrench::force(Vec3::z()));
    }

    #[test]
    fn senseless_sizes_are_refused() {
        let a = Reference::frame("a");
        let rows = |n| UserConstraint::holonomic(&[a], Heights(n));
        assert!(rows(12).check().is_ok());
        assert!(rows(0).check().is_err());
        assert!(rows(13).check().is_err());
        assert!(rows(7).check().is_err(), "the function's own check counts");
        assert!(rows(2).named(&[("one", "m")]).check().is_err());
        assert!(UserConstraint::holonomic(&[], Heights(1)).check().is_err());
        assert!(UserConstraint::holonomic(&[a; 9], Heights(1)).check().is_err());
    }
}
