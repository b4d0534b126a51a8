//! The Jacobian `J = ∂F/∂y` of an implicit method, reused over several steps.

use crate::checkpoint::{ImplicitMemory, Validity};
use crate::first_step::finite_rates;
use crate::lu::{Complex, Lu};
use crate::{Refusal, Statistics, System};

/// Assumed magnitude of a component that is zero and does not change.
const SMALL_COMPONENT: f64 = 1e-5;

/// A difference above this many units of round-off is trusted.
const TRUSTED_ROUNDINGS: f64 = 1e3;

/// A column is tested for a jump if it changes a derivative by more than this within a step. Smaller ones neither slow the
/// iteration nor hide the error.
const STEEP_COLUMN: f64 = 1.0;

/// A function jumps within the first of two equal widths if the second changes it by less than this share of the first.
const JUMP_SHARE: f64 = 0.25;

/// `J` and the factors of `σ I − J`: those of the system, or dense ones by differences.
#[derive(Debug, Clone)]
pub struct JacobianFactors {
    /// `J`, row by row, if the system does not provide it.
    J: Vec<f64>,
    real: [Lu<f64>; 2],
    complex: [Lu<Complex>; 2],
    /// Whether `J` is the one described in the memory; not after a restoration.
    content: Validity,
    /// The `σ` of each factorisation.
    sigma: [Option<(f64, f64)>; 2],
    shifted: Vec<f64>,
    f: Vec<f64>,
    f_shifted: Vec<f64>,
    f_near: Vec<f64>,
    right: Vec<Complex>,
}

impl JacobianFactors {
    /// Without a Jacobian. Dense matrices are allocated when they are first needed.
    pub fn new(n: usize) -> Self {
        Self {
            J: Vec::new(),
            real: [Lu::new(0), Lu::new(0)],
            complex: [Lu::new(0), Lu::new(0)],
            content: Validity::Stale,
            sigma: [None; 2],
            shifted: vec![0.0; n],
            f: vec![0.0; n],
            f_shifted: vec![0.0; n],
            f_near: vec![0.0; n],
            right: vec![Complex::default(); n],
        }
    }

    /// Invalidates `J` and its factors, which the system may have replaced: they are computed again at the same place.
    pub fn invalidate(&mut self) {
        self.content = Validity::Stale;
    }

    /// Provides `J`: the one described in the memory, or a new one at `(t, y)` if that is stale.
    pub fn ensure(
        &mut self,
        system: &mut dyn System,
        memory: &mut ImplicitMemory,
        statistics: &mut Statistics,
        t: f64,
        y: &[f64],
        h: f64,
    ) -> Result<(), Refusal> {
        if memory.derived == Validity::Stale {
            (memory.t_derived, memory.h_derived) = (t, h);
            memory.derived_at[..y.len()].copy_from_slice(y);
            statistics.evaluations += self.evaluate(system, t, y, h)?;
            memory.derived = Validity::Fresh;
        } else if self.content == Validity::Stale {
            // Repeated after a restoration: not counted as work of the integration.
            self.evaluate(system, memory.t_derived, &memory.derived_at[..y.len()], memory.h_derived)?;
        }
        Ok(())
    }

    /// Returns the number of evaluations.
    fn evaluate(&mut self, system: &mut dyn System, t: f64, y: &[f64], h: f64) -> Result<u64, Refusal> {
        self.content = Validity::Stale;
        self.sigma = [None; 2];
        let evaluations = match system.jacobian_solver() {
            Some(linear) => {
                linear.linearise(t, y)?;
                0
            }
            None => self.difference_columns(system, t, y, h)?,
        };
        self.content = Validity::Fresh;
        Ok(evaluations)
    }

    /// Differences. A jump of `F` within the width of a difference would count as a stiff derivative, which damps the error
    /// estimate: such columns are taken on one side of the jump.
    fn difference_columns(&mut self, system: &mut dyn System, t: f64, y: &[f64], h: f64) -> Result<u64, Refusal> {
        let n = y.len();
        self.J.resize(n * n, 0.0);
        let mut evaluations = 1;
        finite_rates(system, t, y, &mut self.f)?;
        let rounding = self.f.iter().fold(0.0_f64, |most, f| most.max(f.abs())) * f64::EPSILON;
        let floor = (f64::EPSILON * SMALL_COMPONENT).sqrt();
        self.shifted.copy_from_slice(y);
        for j in 0..n {
            // Half the digits of y_j, before or after the step.
            let size = f64::EPSILON.sqrt() * y[j].abs().max((h * self.f[j]).abs());
            evaluations += self.difference_column(system, t, y, j, if size > 0.0 { size } else { floor })?;
            let most = (0..n).map(|i| (self.f_shifted[i] - self.f[i]).abs()).fold(0.0, f64::max);
            // If the difference is mostly round-off, a wider one is more accurate.
            if size > 0.0 && size < floor && most < TRUSTED_ROUNDINGS * rounding {
                evaluations += self.difference_column(system, t, y, j, floor)?;
            }
            let steep = (0..n).any(|i| (h * self.J[i * n + j]).abs() > STEEP_COLUMN);
            if steep {
                evaluations += self.avoid_jump(system, t, y, j, h, TRUSTED_ROUNDINGS * rounding);
            }
        }
        Ok(evaluations)
    }

    /// Replaces a column whose difference contains a jump by a difference beyond the jump, on the side to which the solution
    /// moves. Expects the shifted derivatives of that column in `f_shifted`. Returns the number of evaluations.
    fn avoid_jump(&mut self, system: &mut dyn System, t: f64, y: &[f64], j: usize, h: f64, rounding: f64) -> u64 {
        let n = y.len();
        let steepest = (0..n).max_by(|a, b| self.J[a * n + j].abs().total_cmp(&self.J[b * n + j].abs())).unwrap_or(0);
        let change = self.f_shifted[steepest] - self.f[steepest];
        if change.abs() <= rounding {
            return 0;
        }
        let d = change / self.J[steepest * n + j];
        let near = self.f_shifted[steepest];
        self.shifted[j] = y[j] + 2.0 * d;
        let mut evaluations = 1;
        let beyond = finite_rates(system, t, &self.shifted, &mut self.f_shifted);
        let jumps = beyond.is_ok() && (self.f_shifted[steepest] - near).abs() < JUMP_SHARE * change.abs();
        if jumps {
            let towards = d.abs() * if h * self.f[j] < 0.0 { -1.0 } else { 1.0 };
            for d in [towards, -towards] {
                evaluations += 2;
                self.shifted[j] = y[j] + d;
                let near = self.shifted[j];
                if finite_rates(system, t, &self.shifted, &mut self.f_near).is_err() {
                    continue;
                }
                self.shifted[j] = y[j] + 2.0 * d;
                if finite_rates(system, t, &self.shifted, &mut self.f_shifted).is_ok() {
                    let width = self.shifted[j] - near;
                    (0..n).for_each(|i| self.J[i * n + j] = (self.f_shifted[i] - self.f_near[i]) / width);
                    break;
                }
            }
        }
        self.shifted[j] = y[j];
        evaluations
    }

    /// One column by a forward difference, or a backward one if the system refuses that.
    fn difference_column(
        &mut self,
        system: &mut dyn System,
        t: f64,
        y: &[f64],
        j: usize,
        size: f64,
    ) -> Result<u64, Refusal> {
        let n = y.len();
        let mut result = Err(Refusal::NotFinite);
        let (mut d, mut evaluations) = (size, 0);
        for sign in [1.0, -1.0] {
            self.shifted[j] = y[j] + sign * size;
            d = self.shifted[j] - y[j];
            evaluations += 1;
            result = finite_rates(system, t, &self.shifted, &mut self.f_shifted);
            if result.is_ok() {
                break;
            }
        }
        self.shifted[j] = y[j];
        result?;
        for i in 0..n {
            self.J[i * n + j] = (self.f_shifted[i] - self.f[i]) / d;
        }
        Ok(evaluations)
    }

    /// Factors `σ I − J`, unless these factors exist.
    pub fn factor(&mut self, system: &mut dyn System, place: usize, re: f64, im: f64) -> Result<(), Refusal> {
        if self.sigma[place] == Some((re, im)) {
            return Ok(());
        }
        self.sigma[place] = None;
        let n = self.f.len();
        if let Some(linear) = system.jacobian_solver() {
            linear.factor(place, re, im)?;
        } else if im == 0.0 {
            let lu = &mut self.real[place];
            lu.resize(n);
            for (a, J) in lu.a.iter_mut().zip(&self.J) {
                *a = -J;
            }
            for i in 0..n {
                lu.a[i * n + i] += re;
            }
            lu.factor()?;
        } else {
            let lu = &mut self.complex[place];
            lu.resize(n);
            for (a, J) in lu.a.iter_mut().zip(&self.J) {
                *a = Complex { re: -J, im: 0.0 };
            }
            for i in 0..n {
                lu.a[i * n + i].re += re;
                lu.a[i * n + i].im += im;
            }
            lu.factor()?;
        }
        self.sigma[place] = Some((re, im));
        Ok(())
    }

    /// Solves with the factor; `im` is empty for a real one.
    pub fn solve(
        &mut self,
        system: &mut dyn System,
        place: usize,
        re: &mut [f64],
        im: &mut [f64],
    ) -> Result<(), Refusal> {
        if let Some(linear) = system.jacobian_solver() {
            return linear.solve(place, re, im);
        }
        if im.is_empty() {
            self.real[place].solve(re);
            return Ok(());
        }
        for (x, (re, im)) in self.right.iter_mut().zip(re.iter().zip(im.iter())) {
            *x = Complex { re: *re, im: *im };
        }
        self.complex[place].solve(&mut self.right);
        for (x, (re, im)) in self.right.iter().zip(re.iter_mut().zip(im.iter_mut())) {
            (*re, *im) = (x.re, x.im);
        }
        Ok(())
    }
}
