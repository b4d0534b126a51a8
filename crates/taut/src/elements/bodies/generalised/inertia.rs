//! M(q) and the inertia forces of a generalised body, from T(q, v) or from M(q) itself.
//!
//! ```text
//!  T:  M = ∂²T/∂v²      f = ∂T/∂q − (∂²T/∂v∂q) v      T(q, s v) = T₀ + s T₁ + s² T₂
//!  M:  f = 0            power beyond that of the forces: ½ vᵀ Ṁ v
//! ```

use super::Generalised;
use crate::breaks::GuardKind;
use crate::error::ParameterError;
use crate::expressions::Expression;
use crate::mathematics::scratch::with_scratch;
use crate::scalar::{Dual, HyperDual, Jet};

/// Directions differentiated in one pass.
const WIDTH: usize = 4;

/// The inertia of a body with n coordinates.
#[derive(Clone, Debug)]
pub(super) enum Inertia {
    /// T over (q, v).
    KineticEnergy { T: Expression, n: usize },
    /// The upper triangle of M over q: row 0, then row 1 from the diagonal on, …
    MassMatrix { upper: Vec<Expression>, n: usize },
}

impl Inertia {
    /// Parses the text of a body.
    pub fn new(body: &Generalised) -> Result<Inertia, ParameterError> {
        let n = body.coordinates.len();
        let names = body.state_names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match (&body.kinetic_energy, &body.mass_matrix) {
            (Some(T), None) => Ok(Inertia::KineticEnergy { T: parse("kinetic_energy", T, &names)?, n }),
            (None, Some(rows)) => {
                if rows.len() != n || rows.iter().any(|row| row.len() != n) {
                    let what = format!("{n} coordinates need {n} rows of {n} entries");
                    return Err(ParameterError::invalid("mass_matrix", what));
                }
                let entries = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
                let all = entries
                    .map(|(i, j)| Ok((i, j, parse("mass_matrix", &rows[i][j], &names[..n])?)))
                    .collect::<Result<Vec<_>, _>>()?;
                check_symmetry(body, &all)?;
                let upper = all.into_iter().filter(|(i, j, _)| i <= j).map(|(.., entry)| entry).collect();
                Ok(Inertia::MassMatrix { upper, n })
            }
            (Some(_), Some(_)) => Err(ParameterError::invalid(
                "mass_matrix",
                "both `kinetic_energy` and `mass_matrix` are given; keep one",
            )),
            (None, None) => Err(ParameterError::invalid("kinetic_energy", "give `kinetic_energy` or `mass_matrix`")),
        }
    }

    fn size(&self) -> usize {
        match self {
            Inertia::KineticEnergy { n, .. } | Inertia::MassMatrix { n, .. } => *n,
        }
    }

    /// M(q), by columns.
    pub fn mass_matrix(&self, q: &[f64], M: &mut [f64]) {
        match self {
            Inertia::KineticEnergy { .. } => self.hessian(q, &[], M),
            Inertia::MassMatrix { upper, n } => {
                let mut entry = upper.iter();
                for i in 0..*n {
                    for j in i..*n {
                        let value = entry.next().map_or(f64::NAN, |e| e.evaluate(q));
                        (M[i * n + j], M[j * n + i]) = (value, value);
                    }
                }
            }
        }
    }

    /// ∂²T/∂v² at these velocities; none are zeros.
    fn hessian(&self, q: &[f64], v: &[f64], M: &mut [f64]) {
        let Inertia::KineticEnergy { T, n } = self else { return };
        let n = *n;
        with_scratch(2 * n, |x: &mut [HyperDual<WIDTH>]| {
            for k in 0..2 * n {
                x[k] = HyperDual::constant(if k < n { q[k] } else { v.get(k - n).copied().unwrap_or(0.0) });
            }
            for i in 0..n {
                x[n + i].a = 1.0;
                for first in (i..n).step_by(WIDTH) {
                    let width = WIDTH.min(n - first);
                    (0..width).for_each(|k| x[n + first + k].b[k] = 1.0);
                    let row = T.evaluate(x).ab;
                    for k in 0..width {
                        (M[i * n + first + k], M[(first + k) * n + i]) = (row[k], row[k]);
                        x[n + first + k].b[k] = 0.0;
                    }
                }
                x[n + i].a = 0.0;
            }
        });
    }

    /// f += ∂T/∂q − (∂²T/∂v∂q) v.
    pub fn add_forces(&self, q: &[f64], v: &[f64], f: &mut [f64]) {
        let Inertia::KineticEnergy { T, n } = self else { return };
        let n = *n;
        // Direction a moves q along the motion, the directions b move the velocities.
        with_scratch(2 * n, |x: &mut [HyperDual<WIDTH>]| {
            for i in 0..n {
                x[i] = HyperDual { a: v[i], ..HyperDual::constant(q[i]) };
                x[n + i] = HyperDual::constant(v[i]);
            }
            for first in (0..n).step_by(WIDTH) {
                let width = WIDTH.min(n - first);
                (0..width).for_each(|k| x[n + first + k].b[k] = 1.0);
                let momentum_rate = T.evaluate(x).ab;
                for k in 0..width {
                    f[first + k] -= momentum_rate[k];
                    x[n + first + k].b[k] = 0.0;
                }
            }
        });
        with_scratch(2 * n, |x: &mut [Dual<WIDTH>]| {
            for i in 0..n {
                (x[i], x[n + i]) = (Dual::constant(q[i]), Dual::constant(v[i]));
            }
            for first in (0..n).step_by(WIDTH) {
                let width = WIDTH.min(n - first);
                (0..width).for_each(|k| x[first + k].eps[k] = 1.0);
                let gradient = T.evaluate(x).eps;
                for k in 0..width {
                    f[first + k] += gradient[k];
                    x[first + k].eps[k] = 0.0;
                }
            }
        });
    }

    /// T₂ = ½ vᵀ M v.
    pub fn kinetic(&self, q: &[f64], v: &[f64]) -> f64 {
        match self {
            Inertia::KineticEnergy { .. } => 0.5 * self.along_velocity(q, v).ddf,
            Inertia::MassMatrix { upper, n } => {
                let pairs = (0..*n).flat_map(|i| (i..*n).map(move |j| (i, j)));
                let term = |(entry, (i, j)): (&Expression, (usize, usize))| {
                    entry.evaluate(q) * v[i] * v[j] * if i == j { 0.5 } else { 1.0 }
                };
                upper.iter().zip(pairs).map(term).sum()
            }
        }
    }

    /// −T₀.
    pub fn potential(&self, q: &[f64]) -> f64 {
        match self {
            Inertia::KineticEnergy { .. } => -self.along_velocity(q, &[]).f,
            Inertia::MassMatrix { .. } => 0.0,
        }
    }

    /// T(q, s v) as a function of s at s = 0; no velocities are zeros.
    fn along_velocity(&self, q: &[f64], v: &[f64]) -> Jet {
        let Inertia::KineticEnergy { T, n } = self else { return Jet::constant(0.0) };
        with_scratch(2 * n, |x: &mut [Jet]| {
            for i in 0..*n {
                x[i] = Jet::constant(q[i]);
                x[n + i] = Jet::new(0.0, v.get(i).copied().unwrap_or(0.0), 0.0);
            }
            T.evaluate(x)
        })
    }

    /// ½ vᵀ Ṁ v if M itself is given: then the forces do not contain the inertia forces.
    pub fn power(&self, q: &[f64], v: &[f64]) -> f64 {
        let Inertia::MassMatrix { upper, n } = self else { return 0.0 };
        with_scratch(*n, |x: &mut [Dual<1>]| {
            (0..*n).for_each(|i| x[i] = Dual { re: q[i], eps: [v[i]] });
            let pairs = (0..*n).flat_map(|i| (i..*n).map(move |j| (i, j)));
            let term = |(entry, (i, j)): (&Expression, (usize, usize))| {
                entry.evaluate(x).eps[0] * v[i] * v[j] * if i == j { 0.5 } else { 1.0 }
            };
            upper.iter().zip(pairs).map(term).sum()
        })
    }

    /// The first pivot of M(q) that is not above 1e-8 of the diagonal of M at `reference`.
    pub fn lost_pivot(&self, reference: &[f64], q: &[f64]) -> Option<usize> {
        let n = self.size();
        let (mut before, mut now) = (vec![0.0; n * n], vec![0.0; n * n]);
        self.mass_matrix(reference, &mut before);
        self.mass_matrix(q, &mut now);
        singular_pivot(&now, n, |k| 1e-8 * before[k * n + k].abs())
    }

    /// Rejects an inertia that is not smooth, not quadratic in v, not finite or not positive definite at the start.
    pub fn check(&self, body: &Generalised, q: &[f64], v: &[f64]) -> Result<(), ParameterError> {
        let n = self.size();
        let (field, texts) = match self {
            Inertia::KineticEnergy { T, .. } => ("kinetic_energy", std::slice::from_ref(T)),
            Inertia::MassMatrix { upper, .. } => ("mass_matrix", upper.as_slice()),
        };
        let switches = |e: &&Expression| (0..e.guards()).any(|i| e.guard_kind(i) == GuardKind::Switch);
        if let Some(text) = texts.iter().find(switches) {
            let what =
                format!("\"{text}\" switches (abs, sign, min, max, mod, floor, step, if_pos); inertia must be smooth");
            return Err(ParameterError::invalid(field, what));
        }
        let mut M = vec![0.0; n * n];
        self.mass_matrix(q, &mut M);
        let name = |i: usize| &body.coordinates[i].name;
        if let Some(k) = M.iter().position(|m| !m.is_finite()) {
            let what =
                format!("M of `{}` and `{}` is {} at the start; it must be finite", name(k / n), name(k % n), M[k]);
            return Err(ParameterError::invalid(field, what));
        }
        if let Inertia::KineticEnergy { .. } = self {
            // Two other velocities must give the same second derivatives.
            let size = v.iter().fold(1.0_f64, |a, v| a.max(v.abs()));
            let mut other = vec![0.0; n * n];
            for factor in [1.0, -2.3] {
                let moved: Vec<f64> = (0..n).map(|i| v[i] + factor * size * (0.4 + 0.3 * (i as f64).sin())).collect();
                self.hessian(q, &moved, &mut other);
                let scale = M.iter().fold(0.0_f64, |a, m| a.max(m.abs()));
                let differs = |k: &usize| other[*k].is_nan() || (M[*k] - other[*k]).abs() > 1e-9 * scale;
                if let Some(k) = (0..n * n).find(differs) {
                    let what = format!(
                        "\"{}\" is not quadratic in the velocities: its second derivative by `{}'` and `{}'` varies with them",
                        texts[0],
                        name(k / n),
                        name(k % n)
                    );
                    return Err(ParameterError::invalid(field, what));
                }
            }
        }
        match singular_pivot(&M, n, |k| 1e-13 * M[k * n + k].abs()) {
            None => Ok(()),
            Some(i) => {
                let what = format!(
                    "the mass matrix is not positive definite at the start: `{}` has no inertia of its own there; \
                     check the text, start elsewhere, or choose other coordinates",
                    name(i)
                );
                Err(ParameterError::invalid(field, what))
            }
        }
    }
}

/// The first pivot of M = L D Lᵀ that is not above its bound.
fn singular_pivot(M: &[f64], n: usize, bound: impl Fn(usize) -> f64) -> Option<usize> {
    let mut S = M.to_vec();
    for k in 0..n {
        let pivot = S[k * n + k];
        if pivot.is_nan() || pivot <= bound(k) {
            return Some(k);
        }
        for i in k + 1..n {
            let factor = S[k * n + i] / pivot;
            (k + 1..n).for_each(|j| S[j * n + i] -= factor * S[k * n + j]);
        }
    }
    None
}

fn parse(field: &'static str, text: &str, names: &[&str]) -> Result<Expression, ParameterError> {
    Expression::parse(text, names).map_err(|e| ParameterError::invalid(field, format!("\"{text}\": {e}")))
}

/// Compares the two triangles of M at the start and at two other poses.
fn check_symmetry(body: &Generalised, all: &[(usize, usize, Expression)]) -> Result<(), ParameterError> {
    let n = body.coordinates.len();
    let [start, _] = body.start();
    for shift in [0.0, 0.31, -0.47] {
        let q: Vec<f64> = start.iter().enumerate().map(|(i, q)| q + shift * (1.0 + 0.1 * i as f64)).collect();
        let M: Vec<f64> = all.iter().map(|(.., entry)| entry.evaluate(&q)).collect();
        let scale = M.iter().filter(|m| m.is_finite()).fold(0.0_f64, |a, m| a.max(m.abs()));
        if let Some((i, j, _)) = all.iter().find(|(i, j, _)| (M[i * n + j] - M[j * n + i]).abs() > 1e-9 * scale) {
            let [a, b] = [*i, *j].map(|k| &body.coordinates[k].name);
            let what = format!("the entries of `{a}`, `{b}` and of `{b}`, `{a}` differ; M must be symmetric");
            return Err(ParameterError::invalid("mass_matrix", what));
        }
    }
    Ok(())
}
