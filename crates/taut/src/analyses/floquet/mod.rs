//! Floquet analysis: small motions about a periodic motion.
//!
//! The eigenvalues ρ of the monodromy matrix Φ(T) give exponents η = ln ρ/T, whose imaginary parts are known up to multiples of the
//! frequency Ω = 2π/T of the motion. A mode is e^{ηt} p(t) with p periodic,
//!
//! ```text
//!  p(t) = Φ(t) v e^{−ηt} = Σ c_n e^{i n Ω t}
//! ```
//!
//! The frequency of the mode is that of its largest Fourier coefficient, Im η + n Ω. Coefficients are compared by c* M c of the
//! displacements, in axes that move with each body; a rigid rotation of a part then adds no harmonics of its own.

mod film;
mod passage;
mod tracking;

pub use passage::{PassageModes, passage_modes};
pub use tracking::{FloquetBranch, track_floquet_modes};

use super::linear::LinearError;
use super::periodic::flow::{Point, left_inverse, linearised};
use super::{PeriodicError, PeriodicMotion};
use nalgebra::{Complex, DMatrix, DVector};
use serde::Serialize;
use std::f64::consts::TAU;
use taut_sparse::eigen;

/// Multipliers whose imaginary part is below this, relative to the largest, are real.
const REAL_TOLERANCE: f64 = 1e-9;
/// Harmonics with a smaller share are not listed.
const LEAST_SHARE: f64 = 1e-4;
/// Multipliers smaller than this, relative to the largest, are round-off.
const ROUND_OFF: f64 = 1e-14;

/// One harmonic of a mode.
#[derive(Clone, Debug, PartialEq)]
pub struct HarmonicShare {
    /// n.
    pub n: i64,
    /// Im η + n Ω, rad/s.
    pub frequency: f64,
    /// Share of this harmonic, 0 to 1.
    pub share: f64,
    /// c_n: displacements in the axes of each body, of the size of v.
    pub xi: Vec<Complex<f64>>,
}

/// How a mode behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FloquetKind {
    /// A pair of complex multipliers.
    Pair,
    /// A positive real multiplier: locked to a multiple of Ω.
    Locked,
    /// A negative real multiplier: locked to an odd multiple of Ω/2.
    HalfLocked,
    /// A multiplier too small to be distinguished from zero.
    Vanishing,
}

/// One mode: of a complex pair of multipliers the one with positive frequency.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FloquetMode {
    /// ρ.
    pub multiplier: Complex<f64>,
    /// η = σ + i ω with the frequency of the largest harmonic, rad/s.
    pub exponent: Complex<f64>,
    /// Frequency between 0 and Ω/2, rad/s.
    pub principal_frequency: f64,
    /// Its kind.
    pub kind: FloquetKind,
    /// Its harmonics, the largest first.
    pub harmonics: Vec<HarmonicShare>,
    /// (ξ, dv, z) of the largest harmonic, scaled.
    pub(super) shape: Vec<Complex<f64>>,
}

impl FloquetMode {
    /// The other mode of a pair.
    fn conjugate(self) -> FloquetMode {
        let all = |x: Vec<Complex<f64>>| x.into_iter().map(|x| x.conj()).collect();
        let harmonic = |h: HarmonicShare| HarmonicShare { n: -h.n, frequency: -h.frequency, xi: all(h.xi), ..h };
        FloquetMode {
            multiplier: self.multiplier.conj(),
            exponent: self.exponent.conj(),
            harmonics: self.harmonics.into_iter().map(harmonic).collect(),
            shape: all(self.shape),
            ..self
        }
    }

    /// Frequency of oscillation, Hz.
    pub fn frequency(&self) -> f64 {
        self.exponent.im / TAU
    }

    /// Damping ratio −Re η / |η|.
    pub fn damping(&self) -> f64 {
        if self.exponent.norm() > 0.0 { -self.exponent.re / self.exponent.norm() } else { 0.0 }
    }
}

/// The modes of a periodic motion, the least stable first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FloquetModes {
    /// The modes.
    pub modes: Vec<FloquetMode>,
    /// Number of multipliers: the dimension of the subspace that the constraints allow.
    pub dimension: usize,
    /// The period, s.
    pub period: f64,
}

/// Multipliers, exponents and modes of a periodic motion.
///
/// ```text
///  Φ(T) u = ρ u          η = ln ρ / T          the mode is stable if |ρ| < 1
/// ```
///
/// # Errors
/// The eigenvalues cannot be computed.
///
/// # Examples
///
/// ```
/// use taut::analyses::{PeriodicSettings, floquet, periodic};
/// use taut::prelude::*;
///
/// // A damped mass on a spring at rest: with any period ρ = exp((−ζ ω ± i ω_d) T), |ρ| = exp(−c T/2m).
/// let mut spec = Spec::new();
/// spec.body("mass", PointMass::new(2.0, [1.0, 0.0, 0.0]))
///     .constraint("guide", Joint::point_on_line("ground.guide", "mass"))
///     .marker("ground.guide", Frame::at([0.0; 3]).with_orientation(Orientation::z([1.0, 0.0, 0.0])))
///     .force("spring", Spring::linear("ground", "mass", 50.0, 0.8, 1.0));
/// let model = spec.build()?;
/// let motion = periodic(&model, &model.initial_state(), &PeriodicSettings::with_period(0.7))?;
/// let found = floquet(&motion)?;
/// assert!((found.modes[0].multiplier.norm() - (-0.8 * 0.7 / 4.0_f64).exp()).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn floquet(motion: &PeriodicMotion) -> Result<FloquetModes, PeriodicError> {
    let d = motion.monodromy.nrows();
    let failed = |_| LinearError::NoConvergence {
        what: "the computation of the multipliers",
        left: f64::NAN,
        remedy: "check the motion with `taut periodic`",
    };
    let found = eigen(d, motion.monodromy.as_slice()).map_err(failed)?;
    let largest = found.values.iter().fold(0.0_f64, |a, r| a.max(r.norm()));
    let M = local_mass(motion)?;
    let history = history(motion);
    let mut modes = Vec::new();
    for (value, vector) in found.values.iter().zip(&found.vectors) {
        let real = value.im.abs() <= REAL_TOLERANCE * largest;
        // Of a pair, one stands for both.
        if !real && value.im < 0.0 {
            continue;
        }
        let multiplier = if real { Complex::new(value.re, 0.0) } else { *value };
        let found = mode(motion, multiplier, &DVector::from_vec(vector.clone()), largest, &M, &history);
        modes.push(if found.exponent.im < 0.0 && !real { found.conjugate() } else { found });
    }
    modes.sort_by(|a, b| b.exponent.re.total_cmp(&a.exponent.re).then(a.exponent.im.total_cmp(&b.exponent.im)));
    Ok(FloquetModes { modes, dimension: d, period: motion.period })
}

/// X at an instant, by the reduced coordinates at the start.
struct Instant {
    /// Time since the start of the motion.
    t: f64,
    /// The part of the period it stands for.
    weight: f64,
    X: DMatrix<f64>,
}

/// X along one period.
fn history(motion: &PeriodicMotion) -> Vec<Instant> {
    let count = motion.segments.len();
    let d = motion.monodromy.nrows();
    let is_divided = motion.segments.iter().any(|s| !s.nodes.is_empty());
    let mut carried = DMatrix::identity(d, d);
    let mut all = Vec::new();
    for (i, segment) in motion.segments.iter().enumerate() {
        let begin = i as f64 * motion.period / count as f64 - segment.start().state.t;
        if is_divided {
            let weight = |w: f64| w / motion.period;
            let nodes = segment.nodes.iter();
            all.extend(nodes.map(|n| Instant { t: begin + n.t, weight: weight(n.weight), X: &n.X * &carried }));
        } else {
            // The trapezoidal rule; the motion repeats.
            let last = segment.points.len() - 1;
            let weight = 1.0 / (count * last) as f64;
            let instant = |p: &Point| Instant { t: begin + p.sample.state.t, weight, X: &p.X * &carried };
            all.extend(segment.points[..last].iter().map(instant));
        }
        let next = motion.segments[(i + 1) % count].start();
        if let Some(L) = left_inverse(&next.flow.basis) {
            carried = L * &segment.end().X * carried;
        }
    }
    all
}

/// M at the start, in the axes and units of the small motions.
fn local_mass(motion: &PeriodicMotion) -> Result<DMatrix<f64>, PeriodicError> {
    let start = motion.segments[0].start();
    let mut M = linearised(motion.model, &start.state)?.eq.dense_mass();
    for (b, axes) in motion.model.bodies.iter().zip(&start.axes) {
        let (from, count) = (b.v.start, b.v.len());
        let block = axes.Z.tr_mul(&(M.view((from, from), (count, count)) * &axes.Z));
        M.view_mut((from, from), (count, count)).copy_from(&block);
    }
    let scales = &motion.flow.scales;
    Ok(DMatrix::from_fn(M.nrows(), M.ncols(), |i, j| M[(i, j)] * scales[i] * scales[j]))
}

fn mode(
    motion: &PeriodicMotion,
    multiplier: Complex<f64>,
    vector: &DVector<Complex<f64>>,
    largest: f64,
    M: &DMatrix<f64>,
    history: &[Instant],
) -> FloquetMode {
    let n = motion.model.sizes.v;
    // With Lobatto's rule, three nodes of a panel are new.
    let points = motion.segments.iter().map(|s| s.points.len() - 1).sum::<usize>();
    let omega = TAU / motion.period;
    let principal = multiplier.ln() / motion.period;
    let complex = |X: &DMatrix<f64>| X.map(|x| Complex::new(x, 0.0));
    // p(t) e^{…}.
    let part = |at: &Instant| complex(&at.X) * vector * (-principal * at.t).exp();
    let p: Vec<DVector<Complex<f64>>> = history.iter().map(part).collect();
    let M = complex(M);
    let half = (points / 2) as i64;
    let mut all: Vec<(i64, f64, DVector<Complex<f64>>)> = Vec::new();
    for number in -half + 1..half {
        let mut c = DVector::zeros(p[0].len());
        for (at, p) in history.iter().zip(&p) {
            let angle = -number as f64 * omega * at.t;
            c.axpy(Complex::from_polar(at.weight, angle), p, Complex::new(1.0, 0.0));
        }
        let xi = c.rows(0, n).into_owned();
        all.push((number, xi.dotc(&(&M * &xi)).re, c));
    }
    // A mode of extra states alone.
    if all.iter().all(|(_, size, _)| *size <= 0.0) {
        all.iter_mut().for_each(|(_, size, c)| *size = c.norm_squared());
    }
    let whole: f64 = all.iter().map(|(_, size, _)| size).sum();
    let frequency = |number: i64| principal.im + number as f64 * omega;
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    // Of two that are equal up to round-off, the higher frequency comes first.
    let like = all.iter().take_while(|h| all[0].1 - h.1 <= 1e-6 * whole).count();
    all[..like].sort_by(|a, b| frequency(b.0).total_cmp(&frequency(a.0)));
    let scales = &motion.flow.scales;
    let share = |(number, size, c): &(i64, f64, DVector<Complex<f64>>)| HarmonicShare {
        n: *number,
        frequency: frequency(*number),
        share: if whole > 0.0 { size / whole } else { 0.0 },
        xi: (0..n).map(|i| c[i] * scales[i]).collect(),
    };
    let shape = all[0].2.iter().copied().collect();
    let leading = frequency(all[0].0);
    let kind = match multiplier {
        r if r.norm() <= ROUND_OFF * largest => FloquetKind::Vanishing,
        r if r.im != 0.0 => FloquetKind::Pair,
        r if r.re > 0.0 => FloquetKind::Locked,
        _ => FloquetKind::HalfLocked,
    };
    FloquetMode {
        multiplier,
        exponent: Complex::new(principal.re, leading),
        principal_frequency: principal.im.abs(),
        kind,
        harmonics: all.iter().map(share).take_while(|h| h.share >= LEAST_SHARE).collect(),
        shape,
    }
}
