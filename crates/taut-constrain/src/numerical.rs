//! Constraints without derivatives: by complex steps or finite differences.

use crate::error::{ConstrainError, check_finite, check_size};
use crate::functions::{ColumnGroups, ConstraintFunctions};
use crate::sparse_rows::SparseRows;
use crate::stencils::{SIXTH_ORDER, SIXTH_ORDER_SECOND};

/// Step of first differences, and of second differences, relative to the scale. Powers of two are exact.
const FIRST_STEP: f64 = 1.0 / 256.0;
const SECOND_STEP: f64 = 1.0 / 64.0;
const COMPLEX_STEP: f64 = 1e-100;

/// φ(t, q) → φ, or an error code.
pub type PositionFunction = Box<dyn FnMut(f64, &[f64], &mut [f64]) -> Result<(), i32> + Send>;
/// ψ(t, q, v) → ψ; also the form of the functions for A (by rows, in its pattern) and b.
pub type StateFunction = Box<dyn FnMut(f64, &[f64], &[f64], &mut [f64]) -> Result<(), i32> + Send>;
/// φ for complex arguments: t as (re, im); q and φ as pairs re, im, re, im, …
pub type ComplexFunction = Box<dyn FnMut([f64; 2], &[f64], &mut [f64]) -> Result<(), i32> + Send>;

/// Constraints given as functions, with or without derivatives.
///
/// ```text
///  A      complex step     Im φ(t, q + i h e) / h, h = 1e-100           exact to round-off
///         difference       sixth order, step 2⁻⁸ of the scale           about 1e-13
///  φ̇      A v + φ_t, φ_t like A
///  b      complex step     sixth-order difference of Im φ(t + i h, q + i h v) / h     about 1e-13
///         difference       sixth-order second difference along (t + s, q + s v)       about 1e-11
/// ```
///
/// The errors are relative to φ and its derivatives on the scale of the coordinates (default: 1), which
/// [`set_scale`](NumericalConstraints::set_scale) changes. Functions with kinks within three steps lose these digits.
pub struct NumericalConstraints {
    n: usize,
    position_rows: usize,
    velocity_rows: usize,
    phi: PositionFunction,
    psi: Option<StateFunction>,
    complex: Option<ComplexFunction>,
    given_jacobian: Option<StateFunction>,
    given_bias: Option<StateFunction>,
    pattern: SparseRows,
    groups: ColumnGroups,
    scale: Vec<f64>,
    time_scale: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    out: Vec<f64>,
    sum: Vec<f64>,
    complex_q: Vec<f64>,
    complex_out: Vec<f64>,
}

impl std::fmt::Debug for NumericalConstraints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NumericalConstraints({} + {} rows)", self.position_rows, self.velocity_rows)
    }
}

impl NumericalConstraints {
    /// φ with `rows` rows in n coordinates.
    pub fn new(n: usize, rows: usize, phi: PositionFunction) -> NumericalConstraints {
        let mut new = NumericalConstraints {
            n,
            position_rows: rows,
            velocity_rows: 0,
            phi,
            psi: None,
            complex: None,
            given_jacobian: None,
            given_bias: None,
            pattern: SparseRows::full(rows, n),
            groups: ColumnGroups { group: (0..n).collect(), count: n },
            scale: vec![1.0; n],
            time_scale: 1.0,
            q: vec![0.0; n],
            v: vec![0.0; n],
            out: Vec::new(),
            sum: Vec::new(),
            complex_q: vec![0.0; 2 * n],
            complex_out: vec![0.0; 2 * rows],
        };
        new.resize();
        new
    }

    fn resize(&mut self) {
        let rows = self.position_rows + self.velocity_rows;
        self.out.resize(rows, 0.0);
        self.sum.resize(rows, 0.0);
    }

    /// Adds rows ψ(t, q, v) = 0.
    pub fn set_psi(&mut self, rows: usize, psi: StateFunction) {
        (self.velocity_rows, self.psi) = (rows, Some(psi));
        self.pattern = SparseRows::full(self.position_rows + rows, self.n);
        self.groups = ColumnGroups { group: (0..self.n).collect(), count: self.n };
        self.resize();
    }

    /// φ for complex arguments, for derivatives without truncation error.
    pub fn set_complex_phi(&mut self, phi: ComplexFunction) {
        self.complex = Some(phi);
    }

    /// A of all rows, in the order of its pattern (by rows).
    pub fn set_jacobian(&mut self, jacobian: StateFunction) {
        self.given_jacobian = Some(jacobian);
    }

    /// b of all rows.
    pub fn set_bias(&mut self, bias: StateFunction) {
        self.given_bias = Some(bias);
    }

    /// The (row, column) pairs at which A can differ from zero, rows of ψ after those of φ.
    pub fn set_nonzeros(&mut self, places: &[(usize, usize)]) -> Result<(), ConstrainError> {
        let entries: Vec<_> = places.iter().map(|(i, j)| (*i, *j, 0.0)).collect();
        self.pattern = SparseRows::from_triplets(self.position_rows + self.velocity_rows, self.n, &entries)?;
        self.groups = ColumnGroups::new(&self.pattern);
        Ok(())
    }

    /// Changes of q and t over which φ is smooth; default: 1 each. They set the steps of the differences.
    pub fn set_scale(&mut self, coordinates: &[f64], time: f64) -> Result<(), ConstrainError> {
        check_size("the scales", self.n, coordinates.len())?;
        for value in coordinates.iter().copied().chain([time]) {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ConstrainError::Option { what: "a scale", value });
            }
        }
        self.scale.copy_from_slice(coordinates);
        self.time_scale = time;
        Ok(())
    }

    /// φ at (t + ds, q + ds · direction) into `out`.
    fn phi_at(&mut self, t: f64, q: &[f64], v: &[f64], s: f64) -> Result<(), ConstrainError> {
        (0..self.n).for_each(|j| self.q[j] = q[j] + s * v[j]);
        let out = &mut self.out[..self.position_rows];
        (self.phi)(t + s, &self.q, out).map_err(ConstrainError::Function)?;
        check_finite("φ", out)
    }

    /// Im φ(t + i h dt, q + i h dq)/h at (t, q) into `out`.
    fn complex_slope(&mut self, t: [f64; 2]) -> Result<(), ConstrainError> {
        let Some(phi) = self.complex.as_mut() else { return Ok(()) };
        phi(t, &self.complex_q, &mut self.complex_out).map_err(ConstrainError::Function)?;
        check_finite("φ with complex arguments", &self.complex_out)?;
        (0..self.position_rows).for_each(|i| self.out[i] = self.complex_out[2 * i + 1] / COMPLEX_STEP);
        Ok(())
    }

    /// The step along (t + s, q + s v).
    fn line_step(&self, step: f64, v: &[f64]) -> f64 {
        let fastest = v.iter().zip(&self.scale).fold(self.time_scale.recip(), |a, (v, s)| a.max(v.abs() / s));
        step / fastest
    }

    /// ∂φ/∂q and ∂ψ/∂v for one group of columns into `sum`, scaled by the steps; by differences.
    fn difference_group(&mut self, t: f64, q: &[f64], v: &[f64], group: usize) -> Result<(), ConstrainError> {
        self.sum.fill(0.0);
        for (k, weight) in SIXTH_ORDER {
            let moved = |j: usize, x: f64| {
                if self.groups.group[j] == group { x + k * FIRST_STEP * self.scale[j] } else { x }
            };
            for j in 0..self.n {
                (self.q[j], self.v[j]) = (moved(j, q[j]), moved(j, v[j]));
            }
            let (phi, psi) = self.out.split_at_mut(self.position_rows);
            if self.complex.is_none() {
                (self.phi)(t, &self.q, phi).map_err(ConstrainError::Function)?;
            }
            if let Some(of) = self.psi.as_mut() {
                of(t, q, &self.v, psi).map_err(ConstrainError::Function)?;
            }
            self.sum.iter_mut().zip(&self.out).for_each(|(sum, out)| *sum += weight * out);
        }
        let factor = FIRST_STEP.recip();
        self.sum.iter_mut().for_each(|sum| *sum *= factor);
        Ok(())
    }
}

impl ConstraintFunctions for NumericalConstraints {
    fn coordinates(&self) -> usize {
        self.n
    }
    fn position_rows(&self) -> usize {
        self.position_rows
    }
    fn velocity_rows(&self) -> usize {
        self.velocity_rows
    }
    fn pattern(&self) -> SparseRows {
        self.pattern.clone()
    }

    fn position(&mut self, t: f64, q: &[f64], phi: &mut [f64]) -> Result<(), ConstrainError> {
        (self.phi)(t, q, phi).map_err(ConstrainError::Function)
    }

    fn jacobian(&mut self, t: f64, q: &[f64], v: &[f64], A: &mut SparseRows) -> Result<(), ConstrainError> {
        check_size("the entries of A", self.pattern.values().len(), A.values().len())?;
        if let Some(given) = self.given_jacobian.as_mut() {
            return given(t, q, v, A.values_mut()).map_err(ConstrainError::Function);
        }
        for group in 0..self.groups.count {
            let numerical = self.complex.is_none() || self.psi.is_some();
            if numerical {
                self.difference_group(t, q, v, group)?;
            }
            if self.complex.is_some() {
                for j in 0..self.n {
                    let seed = if self.groups.group[j] == group { COMPLEX_STEP } else { 0.0 };
                    (self.complex_q[2 * j], self.complex_q[2 * j + 1]) = (q[j], seed);
                }
                self.complex_slope([t, 0.0])?;
            }
            for i in 0..A.rows() {
                let exact = self.complex.is_some() && i < self.position_rows;
                for k in A.offsets()[i]..A.offsets()[i + 1] {
                    let j = A.columns()[k];
                    if self.groups.group[j] == group {
                        A.values_mut()[k] = if exact { self.out[i] } else { self.sum[i] / self.scale[j] };
                    }
                }
            }
        }
        Ok(())
    }

    fn velocity(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        A: &SparseRows,
        rate: &mut [f64],
    ) -> Result<(), ConstrainError> {
        A.times(v, rate);
        // φ_t; the differences cancel exactly if φ does not depend on time.
        let m = self.position_rows;
        if self.complex.is_some() {
            (0..self.n).for_each(|j| (self.complex_q[2 * j], self.complex_q[2 * j + 1]) = (q[j], 0.0));
            self.complex_slope([t, COMPLEX_STEP])?;
            rate[..m].iter_mut().zip(&self.out).for_each(|(rate, out)| *rate += out);
        } else {
            let h = FIRST_STEP * self.time_scale;
            self.sum.fill(0.0);
            for (k, weight) in SIXTH_ORDER {
                (self.phi)(t + k * h, q, &mut self.out[..m]).map_err(ConstrainError::Function)?;
                self.sum.iter_mut().zip(&self.out).for_each(|(sum, out)| *sum += weight * out);
            }
            rate[..m].iter_mut().zip(&self.sum).for_each(|(rate, sum)| *rate += sum / h);
        }
        match self.psi.as_mut() {
            Some(psi) => psi(t, q, v, &mut rate[m..]).map_err(ConstrainError::Function),
            None => Ok(()),
        }
    }

    fn acceleration(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        _A: &SparseRows,
        b: &mut [f64],
    ) -> Result<(), ConstrainError> {
        if let Some(given) = self.given_bias.as_mut() {
            return given(t, q, v, b).map_err(ConstrainError::Function);
        }
        let m = self.position_rows;
        b.fill(0.0);
        if self.complex.is_some() {
            let h = self.line_step(FIRST_STEP, v);
            for (k, weight) in SIXTH_ORDER {
                for j in 0..self.n {
                    (self.complex_q[2 * j], self.complex_q[2 * j + 1]) = (q[j] + k * h * v[j], COMPLEX_STEP * v[j]);
                }
                self.complex_slope([t + k * h, COMPLEX_STEP])?;
                b[..m].iter_mut().zip(&self.out).for_each(|(b, out)| *b -= weight * out / h);
            }
        } else {
            let h = self.line_step(SECOND_STEP, v);
            for (k, weight) in SIXTH_ORDER_SECOND {
                self.phi_at(t, q, v, k * h)?;
                b[..m].iter_mut().zip(&self.out).for_each(|(b, out)| *b -= weight * out / (180.0 * h * h));
            }
        }
        let h = self.line_step(FIRST_STEP, v);
        if let Some(psi) = self.psi.as_mut() {
            for (k, weight) in SIXTH_ORDER {
                (0..self.n).for_each(|j| self.q[j] = q[j] + k * h * v[j]);
                psi(t + k * h, &self.q, v, &mut self.out[m..]).map_err(ConstrainError::Function)?;
                b[m..].iter_mut().zip(&self.out[m..]).for_each(|(b, out)| *b -= weight * out / h);
            }
        }
        Ok(())
    }
}
