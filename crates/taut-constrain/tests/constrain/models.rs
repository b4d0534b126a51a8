//! The mechanisms of the papers as users would write them: their own right-hand side, and φ.

use taut_constrain::scalar::Scalar;
use taut_constrain::{ConstrainError, ConstrainedOde, ConstraintFormulas, ConstraintFunctions};

/// [Masarati2010] §4.1: a particle on a rod of length 1, from (1, 0) at rest, g = 9.81.
pub struct Pendulum;

impl ConstraintFormulas for Pendulum {
    fn position_rows(&self) -> usize {
        1
    }
    fn phi<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        phi[0] = (q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0;
    }
}

pub fn falling(_t: f64, y: &[f64], ydot: &mut [f64]) {
    ydot.copy_from_slice(&[y[2], y[3], 0.0, -9.81]);
}

/// [Masarati2010] §4.3: flap and pitch of a blade, y = (β, θ, β̇, θ̇), tied by a rigid pitch link.
pub struct PitchLink;

pub const BLADE_MASS: [f64; 4] = [416.67, -1.875e-2, -1.875e-2, 9.375e-2];

impl ConstraintFormulas for PitchLink {
    fn position_rows(&self) -> usize {
        1
    }
    fn phi<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let (sb, cb, st, ct) = (q[0].sin(), q[0].cos(), q[1].sin(), q[1].cos());
        let x = cb * 0.05 - sb * st * 0.2 - 0.05;
        let y = ct * 0.2 - 0.2;
        let z = sb * 0.05 + cb * st * 0.2 + 0.15;
        phi[0] = (x * x + y * y + z * z).sqrt() - 0.15;
    }
}

/// The blade without its link: M a = f, solved by hand.
pub fn blade(t: f64, y: &[f64], ydot: &mut [f64]) {
    let (w, ib, ix, ip) = (40.0, BLADE_MASS[0], -BLADE_MASS[1], BLADE_MASS[3]);
    let moment = 1e4 * (w * t + std::f64::consts::FRAC_PI_2).cos() - 0.5 * w * ib * y[2];
    let f1 = moment - ib * w * w * 1.0625 * y[0] + ix * w * w * y[1];
    let f2 = -ip * w * w * y[1] + ix * w * w * y[0];
    let det = ib * ip - ix * ix;
    ydot.copy_from_slice(&[y[2], y[3], (ip * f1 + ix * f2) / det, (ix * f1 + ib * f2) / det]);
}

/// The double four-bar of [Kamaraj2021]: three cranks and two couplers, rods of 1 m and 1 kg, (x, y, θ) each; seven pins.
pub struct DoubleFourBar;

/// Bodies and signs of the ends that each pin joins; the third entry is the ground point's x if the first body is −1.
const PINS: [(i32, f64, usize, f64, f64); 7] = [
    (-1, 0.0, 0, -0.5, 0.0),
    (-1, 0.0, 1, -0.5, 1.0),
    (-1, 0.0, 2, -0.5, 2.0),
    (0, 0.5, 3, -0.5, 0.0),
    (1, 0.5, 3, 0.5, 0.0),
    (1, 0.5, 4, -0.5, 0.0),
    (2, 0.5, 4, 0.5, 0.0),
];

impl ConstraintFormulas for DoubleFourBar {
    fn position_rows(&self) -> usize {
        14
    }
    fn phi<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let end = |body: usize, s: f64| {
            let theta = q[3 * body + 2];
            (q[3 * body] + theta.cos() * s, q[3 * body + 1] + theta.sin() * s)
        };
        for (k, (a, sa, b, sb, ground)) in PINS.iter().enumerate() {
            let (bx, by) = end(*b, *sb);
            let (ax, ay) = if *a < 0 { (S::from(*ground), S::from(0.0)) } else { end(*a as usize, *sa) };
            (phi[2 * k], phi[2 * k + 1]) = (bx - ax, by - ay);
        }
    }
}

/// The cranks upright, the tip of the first moving at 1 m/s along x: y = (q, v).
pub fn double_four_bar_start() -> Vec<f64> {
    let mut y = vec![0.0; 30];
    for crank in 0..3 {
        (y[3 * crank], y[3 * crank + 1], y[3 * crank + 2]) = (crank as f64, 0.5, std::f64::consts::FRAC_PI_2);
        (y[15 + 3 * crank], y[15 + 3 * crank + 2]) = (0.5, -1.0);
    }
    for coupler in 0..2 {
        let at = 3 * (3 + coupler);
        (y[at], y[at + 1], y[15 + at]) = (coupler as f64 + 0.5, 1.0, 1.0);
    }
    y
}

pub fn falling_bars(_t: f64, y: &[f64], ydot: &mut [f64]) {
    ydot[..15].copy_from_slice(&y[15..]);
    (0..15).for_each(|i| ydot[15 + i] = if i % 3 == 1 { -9.81 } else { 0.0 });
}

/// A chain of particles in the plane, rods of equal length, hung from the origin: q = (x₁, y₁, x₂, y₂, …).
pub struct Chain {
    pub particles: usize,
    pub length: f64,
}

impl ConstraintFormulas for Chain {
    fn position_rows(&self) -> usize {
        self.particles
    }
    fn phi<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        for k in 0..self.particles {
            let (dx, dy) = match k {
                0 => (q[0], q[1]),
                _ => (q[2 * k] - q[2 * k - 2], q[2 * k + 1] - q[2 * k - 1]),
            };
            phi[k] = (dx * dx + dy * dy - self.length * self.length) * 0.5;
        }
    }
    fn nonzeros(&self) -> Option<Vec<(usize, usize)>> {
        let row = |k: usize| (2 * k).saturating_sub(2)..2 * k + 2;
        Some((0..self.particles).flat_map(|k| row(k).map(move |j| (k, j))).collect())
    }
}

pub fn falling_particles(_t: f64, y: &[f64], ydot: &mut [f64]) {
    let n = y.len() / 2;
    ydot[..n].copy_from_slice(&y[n..]);
    (0..n).for_each(|i| ydot[n + i] = if i % 2 == 1 { -9.81 } else { 0.0 });
}

/// The classical method of order four with a projection after each step: the loop of a user.
pub fn rk4<C: ConstraintFunctions>(
    ode: &mut ConstrainedOde<C>,
    f: fn(f64, &[f64], &mut [f64]),
    y: &mut [f64],
    t0: f64,
    h: f64,
    steps: usize,
) -> Result<(), ConstrainError> {
    let n = y.len();
    let (mut k, mut stage) = (vec![vec![0.0; n]; 4], vec![0.0; n]);
    for step in 0..steps {
        let t = t0 + h * step as f64;
        for s in 0..4 {
            let c = [0.0, 0.5, 0.5, 1.0][s];
            stage.copy_from_slice(y);
            if s > 0 {
                let (done, _) = k.split_at(s);
                stage.iter_mut().zip(&done[s - 1]).for_each(|(x, k)| *x += c * h * k);
            }
            ode.rates(t + c * h, &stage, &mut k[s], f)?;
        }
        (0..n).for_each(|i| y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]));
        ode.project(t0 + h * (step + 1) as f64, y)?;
    }
    Ok(())
}
