//! Constraints written by the user, once, over any [`Scalar`]; all derivatives come from the number type.
//!
//! ```text
//!  φ(t, poses) = 0              D = ∂φ/∂pose             φ_t = ∂φ/∂t          c = φ̈ at zero marker acceleration
//!  ψ(t, poses, twists) = 0      D = ∂ψ/∂twist            φ_t = ψ − Σ D·twist  c = ψ̇ at constant twists
//! ```
//!
//! D takes one pass of [`Dual`] numbers per marker, seeded with a displacement and the rotation R → (I + \[ε×\]) R;
//! c takes one pass of [`Jet`]s along the motion. ψ need not be linear in the twists.

use super::{Constraint, Dependence, Level, Needs, Reference, Row, Rows, View};
use crate::error::Fault;
use crate::motion::{Motion, Vec3, Wrench};
use crate::scalar::{Dual, Jet, Scalar};
use std::fmt::Debug;
use std::sync::Arc;

/// Pose of a marker. A coordinate shows itself as `p[0]`.
#[derive(Clone, Copy, Debug)]
pub struct Place<S> {
    /// R_WM; `R[i]` is row i, so that [`matrix_vector`](crate::scalar::matrix_vector) takes it as it is.
    pub R: [[S; 3]; 3],
    /// p_WM, m.
    pub p: [S; 3],
}

/// Twist of a marker. A coordinate shows its rate as `v[0]`.
#[derive(Clone, Copy, Debug)]
pub struct Twist<S> {
    /// w_WM, rad/s.
    pub w: [S; 3],
    /// v_WM, m/s.
    pub v: [S; 3],
}

impl<S: Scalar> Place<S> {
    /// Axis `j` of the marker in world components.
    pub fn axis(&self, j: usize) -> [S; 3] {
        [self.R[0][j], self.R[1][j], self.R[2][j]]
    }

    pub(crate) fn of(m: &Motion) -> Place<S> {
        Place { R: [0, 1, 2].map(|i| [0, 1, 2].map(|j| S::from(m.R[(i, j)]))), p: numbers(&m.p) }
    }
}

impl<const N: usize> Place<Dual<N>> {
    /// The pose as a function of a displacement (directions 0–2) and a rotation (3–5) of its own.
    pub(crate) fn seeded(m: &Motion, needs: Needs) -> Place<Dual<N>> {
        let mut place = Place::of(m);
        if needs == Needs::Coordinate {
            place.p[0] = Dual::variable(m.p.x, 0);
            return place;
        }
        for i in 0..3 {
            place.p[i] = Dual::variable(m.p[i], i);
            for j in 0..3 {
                // (e_k × r)_i for column r: the two k other than i take part.
                let (k, l) = ((i + 1) % 3, (i + 2) % 3);
                place.R[i][j].eps[3 + k] = m.R[(l, j)];
                place.R[i][j].eps[3 + l] = -m.R[(k, j)];
            }
        }
        place
    }
}

impl Place<Jet> {
    /// The pose moving with its twist and no acceleration: p̈ = 0, R̈ = w×(w×R).
    fn moving(m: &Motion) -> Place<Jet> {
        let column = |j: usize| {
            let r = m.axis(j);
            let dr = m.w.cross(&r);
            (r, dr, m.w.cross(&dr))
        };
        let [x, y, z] = [column(0), column(1), column(2)];
        let jet = |i: usize, (r, dr, ddr): &(Vec3, Vec3, Vec3)| Jet::new(r[i], dr[i], ddr[i]);
        Place {
            R: [0, 1, 2].map(|i| [jet(i, &x), jet(i, &y), jet(i, &z)]),
            p: [0, 1, 2].map(|i| Jet::new(m.p[i], m.v[i], 0.0)),
        }
    }
}

impl<S: Scalar> Twist<S> {
    fn of(m: &Motion) -> Twist<S> {
        Twist { w: numbers(&m.w), v: numbers(&m.v) }
    }
}

impl<const N: usize> Twist<Dual<N>> {
    fn seeded(m: &Motion, needs: Needs) -> Twist<Dual<N>> {
        let mut twist = Twist::of(m);
        if needs == Needs::Coordinate {
            twist.v[0] = Dual::variable(m.v.x, 0);
            return twist;
        }
        for i in 0..3 {
            twist.v[i] = Dual::variable(m.v[i], i);
            twist.w[i] = Dual::variable(m.w[i], 3 + i);
        }
        twist
    }
}

fn numbers<S: Scalar>(v: &Vec3) -> [S; 3] {
    [S::from(v.x), S::from(v.y), S::from(v.z)]
}

/// φ(t, poses) = 0, written once over any scalar.
pub trait UserHolonomic: Debug + Send + Sync + 'static {
    /// Number of rows, at most [`UserConstraint::MOST_ROWS`].
    fn rows(&self) -> usize;
    /// φ of each row into `out`; `at` are the markers in the order they were named.
    fn phi<S: Scalar>(&self, t: S, at: &[Place<S>], out: &mut [S]);
    /// Whether the parameters make sense.
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
    /// Whether the parameters make sense.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// Six directions of one marker, and time.
type Slope = Dual<7>;
const TIME: usize = 6;

/// Either function with its scalars chosen, so that it fits behind a pointer.
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

/// A constraint whose φ or ψ the user wrote.
#[derive(Clone, Debug)]
pub struct UserConstraint {
    markers: Vec<(String, Needs)>,
    rows: Vec<Row>,
    level: Level,
    written: Arc<dyn Written>,
}

const NAMES: [&str; UserConstraint::MOST_ROWS] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];

impl UserConstraint {
    /// The most markers one function may see: they lie on the stack.
    pub const MOST_MARKERS: usize = 8;
    /// The most rows one function may have.
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
                    // The velocities may have been corrected since `place`; ψ is that of the new ones.
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
