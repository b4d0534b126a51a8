//! Newton's method on the projection equation F(p̂) = p̂ − proj_P (p̂ − û) = 0, [AlartCurnier1991].
//!
//! F is piecewise smooth. With z = p̂ − û, D an element of the derivative of proj_P at z and a small ρ
//!
//! ```text
//!  (I − D (I − Ĝ − ρ I)) δ = −F
//! ```
//!
//! ρ makes the matrix regular if rows are dependent. It is the parameter of a proximal-point method about the current p̂: the
//! fixed points remain those of F, δ has almost no component in the null space of Ĝ, and since ρ → 0 as F → 0, convergence remains
//! superlinear. Starting from p̂ = 0, redundant rows share their load with nearly least norm, and symmetric problems get symmetric
//! solutions.

use super::dense::TOLERANCE;
use super::laws::Part;
use super::scaled::{Residual, Scaled};
use crate::interruption;
use nalgebra::{DMatrix, DVector};

/// Maximum number of steps of one attempt.
const STEPS: usize = 40;
/// Maximum number of step halvings in the line search.
const HALVINGS: usize = 8;
/// Largest ρ; diag Ĝ is one.
const RHO: f64 = 1e-2;
/// Lower bound of ρ, initially and finally: along the null space δ contains the round-off of F times 1/ρ.
const FLOOR: (f64, f64) = (1e-4, 1e-11);
/// Additional steps after the tolerance is met.
const EXTRA: usize = 2;
/// An attempt ends after this many steps without a smaller residual.
const PATIENCE: usize = 6;

/// Working memory of the iteration, allocated once.
pub(super) struct Newton {
    J: DMatrix<f64>,
    u: DVector<f64>,
    F: DVector<f64>,
    trial: DVector<f64>,
}

impl Newton {
    pub fn new(k: usize) -> Newton {
        Newton { J: DMatrix::zeros(k, k), u: DVector::zeros(k), F: DVector::zeros(k), trial: DVector::zeros(k) }
    }

    /// Improves p as far as possible and keeps the best iterate. Returns its residual and the number of steps.
    pub fn improve(&mut self, problem: &Scaled, p: &mut DVector<f64>, target: f64) -> (Residual, usize) {
        problem.u(p, &mut self.u);
        let mut residual = problem.residual(p, &self.u, &mut self.F);
        let (mut best, mut best_p) = (residual, p.clone());
        let (mut fruitless, mut extra, mut floor) = (0, 0, FLOOR.0);
        for step in 0..STEPS {
            if best.relative <= TOLERANCE {
                extra += 1;
            }
            if residual.relative <= target || fruitless >= PATIENCE || extra > EXTRA || interruption::is_asked() {
                *p = best_p;
                return (best, step);
            }
            let (merit, before) = (self.F.norm(), residual.relative);
            let z = &*p - &self.u;
            let rho = residual.relative.clamp(floor, RHO);
            self.jacobian(problem, &z, rho);
            let Some(delta) = self.J.clone().lu().solve(&self.F) else { break };
            // The first halving that reduces |F|, else the full step: crossing a kink may require an increase of |F|.
            let mut length = 1.0;
            let mut found = None;
            for _ in 0..HALVINGS {
                self.trial.copy_from(p);
                self.trial.axpy(-length, &delta, 1.0);
                problem.u(&self.trial, &mut self.u);
                let next = problem.residual(&self.trial, &self.u, &mut self.F);
                if self.F.norm() < (1.0 - 1e-4 * length) * merit {
                    found = Some(next);
                    break;
                }
                length *= 0.5;
            }
            residual = match found {
                Some(next) => next,
                None => {
                    self.trial.copy_from(p);
                    self.trial.axpy(-1.0, &delta, 1.0);
                    problem.u(&self.trial, &mut self.u);
                    problem.residual(&self.trial, &self.u, &mut self.F)
                }
            };
            if !residual.relative.is_finite() {
                break;
            }
            p.copy_from(&self.trial);
            // Convergence is slow if ρ is not small compared with the eigenvalues of Ĝ.
            if residual.relative <= floor && residual.relative > 1e-2 * before {
                floor = (1e-2 * floor).max(FLOOR.1);
            }
            if residual.relative < 0.9 * best.relative {
                fruitless = 0;
            } else {
                fruitless += 1;
            }
            if residual.relative < best.relative {
                (best, best_p) = (residual, p.clone());
            }
        }
        *p = best_p;
        (best, STEPS)
    }

    /// J = I − D (I − Ĝ − ρ I), set by set. Entries of Z = I − Ĝ − ρ I are computed when needed.
    fn jacobian(&mut self, problem: &Scaled, z: &DVector<f64>, rho: f64) {
        let k = z.len();
        let J = &mut self.J;
        J.fill(0.0);
        let Z = |i: usize, j: usize| if i == j { 1.0 - rho - problem.G[(i, j)] } else { -problem.G[(i, j)] };
        for (law, &start) in problem.laws.iter().zip(&problem.starts) {
            let pushing = z[start] > 0.0;
            let normal = z[start].max(0.0);
            for (row, part) in law.parts() {
                let i = start + row;
                // D of the rows of this set: derivatives by their own z, and by z of the normal row.
                let (own, by_normal) = match part {
                    Part::Normal => (along(pushing), [0.0; 3]),
                    Part::Segment { lower, upper } => (along(lower < z[i] && z[i] < upper), [0.0; 3]),
                    Part::Share { mu } => {
                        let inside = z[i].abs() <= mu * normal;
                        let share = if inside || !pushing { 0.0 } else { mu * z[i].signum() };
                        (along(inside && pushing), [share, 0.0, 0.0])
                    }
                    Part::Disc { radius } => onto_sphere([z[i], z[i + 1], 0.0], radius, 0.0),
                    Part::Ball { radius } => onto_sphere([z[i], z[i + 1], z[i + 2]], radius, 0.0),
                    Part::DiscShare { mu } if pushing => onto_sphere([z[i], z[i + 1], 0.0], mu * normal, mu),
                    Part::DiscShare { .. } => ([[0.0; 3]; 3], [0.0; 3]),
                };
                let rows = part.rows();
                for a in 0..rows {
                    for j in 0..k {
                        let mut sum = 0.0;
                        for b in 0..rows {
                            sum += own[a][b] * Z(i + b, j);
                        }
                        if by_normal[a] != 0.0 {
                            sum += by_normal[a] * Z(start, j);
                        }
                        J[(i + a, j)] = -sum;
                    }
                    J[(i + a, i + a)] += 1.0;
                }
            }
        }
    }
}

fn along(inside: bool) -> [[f64; 3]; 3] {
    let mut own = [[0.0; 3]; 3];
    own[0][0] = f64::from(u8::from(inside));
    own
}

/// Derivative of the projection onto a disc or ball by z, and by the normal row, of which its radius is μ times.
fn onto_sphere(z: [f64; 3], radius: f64, mu: f64) -> ([[f64; 3]; 3], [f64; 3]) {
    let length = z[0].hypot(z[1]).hypot(z[2]);
    let mut own = [[0.0; 3]; 3];
    let outside = length > radius;
    let (d, turn) = if outside { (z.map(|z| z / length), radius / length) } else { ([0.0; 3], 1.0) };
    for a in 0..3 {
        for b in 0..3 {
            own[a][b] = turn * (f64::from(u8::from(a == b)) - d[a] * d[b]);
        }
    }
    (own, d.map(|d| mu * d))
}
