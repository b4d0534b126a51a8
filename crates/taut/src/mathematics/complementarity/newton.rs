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
use super::laws::AdmissibleSet;
use super::scaled_problem::{LawResidual, ScaledProblem};
use crate::interruption;
use nalgebra::{DMatrix, DVector};

/// Maximum number of steps of one attempt.
const MAX_STEPS: usize = 40;
/// Maximum number of step halvings in the line search.
const MAX_HALVINGS: usize = 8;
/// Largest ρ; diag Ĝ is one.
const RHO_MAX: f64 = 1e-2;
/// Lower bound of ρ, initially and finally: along the null space δ contains the round-off of F times 1/ρ.
const RHO_FLOOR: (f64, f64) = (1e-4, 1e-11);
/// Additional steps after the tolerance is met.
const EXTRA_STEPS: usize = 2;
/// An attempt ends after this many steps without a smaller residual.
const MAX_STEPS_WITHOUT_PROGRESS: usize = 6;

/// Working memory of the iteration, allocated once.
pub(super) struct SemismoothNewton {
    J: DMatrix<f64>,
    u: DVector<f64>,
    F: DVector<f64>,
    trial: DVector<f64>,
}

impl SemismoothNewton {
    pub fn new(k: usize) -> SemismoothNewton {
        SemismoothNewton {
            J: DMatrix::zeros(k, k),
            u: DVector::zeros(k),
            F: DVector::zeros(k),
            trial: DVector::zeros(k),
        }
    }

    /// Improves p as far as possible and keeps the best iterate. Returns its residual and the number of steps.
    pub fn improve(&mut self, problem: &ScaledProblem, p: &mut DVector<f64>, target: f64) -> (LawResidual, usize) {
        problem.u(p, &mut self.u);
        let mut residual = problem.residual(p, &self.u, &mut self.F);
        let (mut best, mut best_p) = (residual, p.clone());
        let (mut fruitless, mut extra, mut floor) = (0, 0, RHO_FLOOR.0);
        for step in 0..MAX_STEPS {
            if best.relative <= TOLERANCE {
                extra += 1;
            }
            if residual.relative <= target
                || fruitless >= MAX_STEPS_WITHOUT_PROGRESS
                || extra > EXTRA_STEPS
                || interruption::is_requested()
            {
                *p = best_p;
                return (best, step);
            }
            let (merit, before) = (self.F.norm(), residual.relative);
            let z = &*p - &self.u;
            let rho = residual.relative.clamp(floor, RHO_MAX);
            self.jacobian(problem, &z, rho);
            let Some(delta) = self.J.clone().lu().solve(&self.F) else { break };
            // The first halving that reduces |F|, else the full step: crossing a kink may require an increase of |F|.
            let mut length = 1.0;
            let mut found = None;
            for _ in 0..MAX_HALVINGS {
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
                floor = (1e-2 * floor).max(RHO_FLOOR.1);
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
        (best, MAX_STEPS)
    }

    /// J = I − D (I − Ĝ − ρ I), set by set. Entries of Z = I − Ĝ − ρ I are computed when needed.
    fn jacobian(&mut self, problem: &ScaledProblem, z: &DVector<f64>, rho: f64) {
        let k = z.len();
        let J = &mut self.J;
        J.fill(0.0);
        let Z = |i: usize, j: usize| if i == j { 1.0 - rho - problem.G[(i, j)] } else { -problem.G[(i, j)] };
        for (law, &start) in problem.laws.iter().zip(&problem.starts) {
            let pushing = z[start] > 0.0;
            let normal = z[start].max(0.0);
            for (row, part) in law.admissible_sets() {
                let i = start + row;
                // D of the rows of this set: derivatives by their own z, and by z of the normal row.
                let (own, by_normal) = match part {
                    AdmissibleSet::Normal => (scalar_projection_derivative(pushing), [0.0; 3]),
                    AdmissibleSet::Interval { lower, upper } => {
                        (scalar_projection_derivative(lower < z[i] && z[i] < upper), [0.0; 3])
                    }
                    AdmissibleSet::FrictionInterval { mu } => {
                        let inside = z[i].abs() <= mu * normal;
                        let ratio = if inside || !pushing { 0.0 } else { mu * z[i].signum() };
                        (scalar_projection_derivative(inside && pushing), [ratio, 0.0, 0.0])
                    }
                    AdmissibleSet::Disc { radius } => ball_projection_derivative([z[i], z[i + 1], 0.0], radius, 0.0),
                    AdmissibleSet::Ball { radius } => {
                        ball_projection_derivative([z[i], z[i + 1], z[i + 2]], radius, 0.0)
                    }
                    AdmissibleSet::FrictionDisc { mu } if pushing => {
                        ball_projection_derivative([z[i], z[i + 1], 0.0], mu * normal, mu)
                    }
                    AdmissibleSet::FrictionDisc { .. } => ([[0.0; 3]; 3], [0.0; 3]),
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

fn scalar_projection_derivative(inside: bool) -> [[f64; 3]; 3] {
    let mut own = [[0.0; 3]; 3];
    own[0][0] = f64::from(u8::from(inside));
    own
}

/// Derivative of the projection onto a disc or ball by z, and by the normal row, of which its radius is μ times.
fn ball_projection_derivative(z: [f64; 3], radius: f64, mu: f64) -> ([[f64; 3]; 3], [f64; 3]) {
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
