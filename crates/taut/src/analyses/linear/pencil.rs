//! T(λ): the matrix of small motions ξ e^{λt}, as one sparse matrix.
//!
//! With L = λ − S, dv = L ξ:
//!
//! ```text
//!  [ M (λ + Q) L + C L + K      −Bᵀ   ∂r/∂z ] [ξ ]
//!  [ A  |  A L + P  |  …         0      0   ] [dλ] = T(λ) u      rows at position | velocity | acceleration level
//!  [ −∂ż/∂δ − ∂ż/∂v L            0    λ − ∂ż/∂z ] [z ]
//! ```
//!
//! T is singular exactly at the eigenvalues. It contains the entries of M, K, C, A themselves, so no accuracy is lost even if the lowest
//! frequency is a millionth of the highest. Rows that are left out have zero multipliers.

use super::rotating_frame::FrameTerms;
use super::rows::RowUse;
use super::{Alive, LinearError, Linearised};
use crate::constraints::RowLevel;
use crate::tangent::{BorderedMatrix, Number};
use std::ops::Range;

/// T(λ) of one linearisation, with its factors.
pub(super) struct Pencil<'l, 'm, T: Number> {
    pub lin: &'l Linearised<'m>,
    matrix: BorderedMatrix<T>,
    pub at: T,
}

/// Positions of ξ, dλ and z in the vector of unknowns.
pub(super) struct UnknownRanges {
    pub xi: Range<usize>,
    pub lambda: Range<usize>,
    pub z: Range<usize>,
}

impl Linearised<'_> {
    /// Positions of the unknowns of T.
    pub(super) fn unknown_ranges(&self) -> UnknownRanges {
        let (n, m) = (self.n(), self.model.rows.len());
        UnknownRanges { xi: 0..n, lambda: n..n + m, z: n + m..n + m + self.model.sizes.z }
    }
}

impl<'l, 'm, T: Number> Pencil<'l, 'm, T> {
    /// Allocates T.
    pub fn new(lin: &'l Linearised<'m>) -> Result<Pencil<'l, 'm, T>, LinearError> {
        let matrix =
            BorderedMatrix::new(lin.model, &lin.tangent.pattern).map_err(LinearError::singular("any frequency"))?;
        Ok(Pencil { lin, matrix, at: T::from_real(0.0) })
    }

    /// Fills and factors T(λ).
    pub fn factor(&mut self, lambda: T, reported: impl FnOnce() -> String) -> Result<(), LinearError> {
        self.at = lambda;
        self.fill_bodies(lambda);
        self.fill_rows(lambda);
        self.fill_states(lambda);
        match self.matrix.sparse.factor() {
            Ok(()) => Ok(()),
            Err(e) => Err(LinearError::singular(reported())(e)),
        }
    }

    /// Solves T x = y in place.
    pub fn solve(&mut self, x: &mut [T]) -> Result<(), LinearError> {
        self.matrix.sparse.solve(x).map_err(LinearError::singular("a solve"))
    }

    fn fill_bodies(&mut self, l: T) {
        let lin = self.lin;
        let (t, model) = (&lin.tangent, lin.model);
        let values = self.matrix.bodies_by_bodies();
        for pair in &t.pattern.blocks {
            let (rows, columns) = (model.bodies[pair.row].v.len(), model.bodies[pair.column].v.len());
            let range = pair.start..pair.start + rows * columns;
            let (K, C) = (&t.K[range.clone()], &t.C[range.clone()]);
            let out = &mut values[range];
            for ((out, K), C) in out.iter_mut().zip(K).zip(C) {
                *out = T::from_real(*K) + T::from_real(*C) * l;
            }
            let M = (pair.row == pair.column).then(|| &lin.eq.M[model.bodies[pair.row].mass.clone()]);
            match (&lin.frame_terms[pair.column], M) {
                (FrameTerms::Zero, Some(M)) => {
                    out.iter_mut().zip(M).for_each(|(out, M)| *out += T::from_real(*M) * l * l)
                }
                (FrameTerms::Zero, None) => {}
                (FrameTerms::Rotating { S, Q }, M) => {
                    let n = columns;
                    // (λ + Q)(λ − S) = λ² + λ (Q − S) − Q S
                    let (first, last) = (Q - S, Q * S);
                    for j in 0..n {
                        for i in 0..rows {
                            let mut sum = T::from_real(0.0);
                            for k in 0..n {
                                sum += T::from_real(-C[k * rows + i] * S[(k, j)]);
                                if let Some(M) = M {
                                    let own = if k == j { l * l } else { T::from_real(0.0) };
                                    let with = own + T::from_real(first[(k, j)]) * l - T::from_real(last[(k, j)]);
                                    sum += T::from_real(M[k * rows + i]) * with;
                                }
                            }
                            out[j * rows + i] += sum;
                        }
                    }
                }
            }
        }
    }

    fn fill_rows(&mut self, l: T) {
        let lin = self.lin;
        let (t, model) = (&lin.tangent, lin.model);
        let (zero, one) = (T::from_real(0.0), T::from_real(1.0));
        for (value, used) in self.matrix.shift().iter_mut().zip(&lin.row_uses) {
            *value = if used.any() { zero } else { one };
        }
        for c in &model.constraints {
            for block in &c.blocks {
                let n = model.bodies[block.body].v.len();
                let carried = &lin.frame_terms[block.body];
                for (r, row) in c.rows.clone().enumerate() {
                    let range = block.start + r * n..block.start + (r + 1) * n;
                    let used = lin.row_uses[row];
                    let B = &lin.reactions()[range.clone()];
                    for (out, B) in self.matrix.reactions()[range.clone()].iter_mut().zip(B) {
                        *out = if used.any() { T::from_real(-B) } else { zero };
                    }
                    let A: Vec<T> = lin.eq.A[range.clone()].iter().map(|a| T::from_real(*a)).collect();
                    let of =
                        |values: &[f64]| -> Vec<T> { values[range.clone()].iter().map(|x| T::from_real(*x)).collect() };
                    let found = match used {
                        RowUse::None => vec![zero; n],
                        RowUse::At(RowLevel::Position) => A,
                        RowUse::At(RowLevel::Velocity) => sum(&times_lambda_minus_S(&A, l, carried), &of(&lin.P)),
                        RowUse::At(RowLevel::Acceleration) => {
                            let inner = sum(&times_lambda_plus_Q(&A, l, carried), &of(&t.H));
                            sum(&times_lambda_minus_S(&inner, l, carried), &of(&t.G))
                        }
                    };
                    self.matrix.rows_by_bodies()[range].copy_from_slice(&found);
                }
            }
        }
    }

    fn fill_states(&mut self, l: T) {
        let lin = self.lin;
        let t = &lin.tangent;
        let alive = |z: usize| lin.active_states[z] == Alive::Yes;
        let only = |z: usize, x: f64| if alive(z) { T::from_real(x) } else { T::from_real(0.0) };
        for ((out, at), x) in self.matrix.r_by_z().iter_mut().zip(&t.pattern.r_by_z).zip(&t.r_by_z) {
            *out = only(at.1, *x);
        }
        let bodies = bodies_of_velocities(lin);
        for (e, (out, &(z, v))) in self.matrix.z_by_v().iter_mut().zip(&t.pattern.z_by_v).enumerate() {
            *out = T::from_real(0.0);
            if !alive(z) {
                continue;
            }
            *out = T::from_real(-t.z_by_delta[e]) - T::from_real(t.z_by_v[e]) * l;
            let body = bodies[v];
            if let FrameTerms::Rotating { S, .. } = &lin.frame_terms[body] {
                let range = lin.model.bodies[body].v.clone();
                let first = e - (v - range.start) * t.pattern.stride[e];
                for k in 0..range.len() {
                    *out += T::from_real(t.z_by_v[first + k * t.pattern.stride[e]] * S[(k, v - range.start)]);
                }
            }
        }
        for ((out, at), x) in self.matrix.z_by_z().iter_mut().zip(&t.pattern.z_by_z).zip(&t.z_by_z) {
            *out = if alive(at.0) && alive(at.1) { T::from_real(-x) } else { T::from_real(0.0) };
        }
        for (z, out) in self.matrix.z_diagonal().iter_mut().enumerate() {
            *out = if alive(z) { l } else { T::from_real(1.0) };
        }
    }
}

/// The body of every velocity.
pub(super) fn bodies_of_velocities(lin: &Linearised) -> Vec<usize> {
    let of = |(b, entry): (usize, &crate::model::BodyEntry)| vec![b; entry.v.len()];
    lin.model.bodies.iter().enumerate().flat_map(of).collect()
}

fn sum<T: Number>(a: &[T], b: &[T]) -> Vec<T> {
    a.iter().zip(b).map(|(a, b)| *a + *b).collect()
}

/// The row a (λ − S).
fn times_lambda_minus_S<T: Number>(a: &[T], l: T, carried: &FrameTerms) -> Vec<T> {
    let mut out: Vec<T> = a.iter().map(|a| *a * l).collect();
    if let FrameTerms::Rotating { S, .. } = carried {
        for (j, out) in out.iter_mut().enumerate() {
            a.iter().enumerate().for_each(|(k, a)| *out += *a * T::from_real(-S[(k, j)]));
        }
    }
    out
}

/// The row a (λ + Q).
fn times_lambda_plus_Q<T: Number>(a: &[T], l: T, carried: &FrameTerms) -> Vec<T> {
    let mut out: Vec<T> = a.iter().map(|a| *a * l).collect();
    if let FrameTerms::Rotating { Q, .. } = carried {
        for (j, out) in out.iter_mut().enumerate() {
            a.iter().enumerate().for_each(|(k, a)| *out += *a * T::from_real(Q[(k, j)]));
        }
    }
    out
}
