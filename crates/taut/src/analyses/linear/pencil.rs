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

use super::frame::Carried;
use super::rows::Use;
use super::{Alive, LinearError, Linearised};
use crate::constraints::Level;
use crate::tangent::{Bordered, Number};
use std::ops::Range;

/// T(λ) of one linearisation, with its factors.
pub(super) struct Pencil<'l, 'm, T: Number> {
    pub lin: &'l Linearised<'m>,
    matrix: Bordered<T>,
    pub at: T,
}

/// Positions of ξ, dλ and z in the vector of unknowns.
pub(super) struct Places {
    pub xi: Range<usize>,
    pub lambda: Range<usize>,
    pub z: Range<usize>,
}

impl Linearised<'_> {
    /// Positions of the unknowns of T.
    pub(super) fn places(&self) -> Places {
        let (n, m) = (self.n(), self.model.rows.len());
        Places { xi: 0..n, lambda: n..n + m, z: n + m..n + m + self.model.sizes.z }
    }
}

impl<'l, 'm, T: Number> Pencil<'l, 'm, T> {
    /// Allocates T.
    pub fn new(lin: &'l Linearised<'m>) -> Result<Pencil<'l, 'm, T>, LinearError> {
        let matrix = Bordered::new(lin.model, &lin.tangent.pattern).map_err(LinearError::singular("any frequency"))?;
        Ok(Pencil { lin, matrix, at: T::real(0.0) })
    }

    /// Fills and factors T(λ).
    pub fn factor(&mut self, lambda: T, told: impl FnOnce() -> String) -> Result<(), LinearError> {
        self.at = lambda;
        self.fill_bodies(lambda);
        self.fill_rows(lambda);
        self.fill_states(lambda);
        match self.matrix.sparse.factor() {
            Ok(()) => Ok(()),
            Err(e) => Err(LinearError::singular(told())(e)),
        }
    }

    /// Solves T x = y in place.
    pub fn solve(&mut self, x: &mut [T]) -> Result<(), LinearError> {
        self.matrix.sparse.solve(x).map_err(LinearError::singular("a solve"))
    }

    fn fill_bodies(&mut self, l: T) {
        let lin = self.lin;
        let (t, model) = (&lin.tangent, lin.model);
        let values = self.matrix.body();
        for pair in &t.pattern.pairs {
            let (rows, columns) = (model.bodies[pair.row].v.len(), model.bodies[pair.column].v.len());
            let range = pair.start..pair.start + rows * columns;
            let (K, C) = (&t.K[range.clone()], &t.C[range.clone()]);
            let out = &mut values[range];
            for ((out, K), C) in out.iter_mut().zip(K).zip(C) {
                *out = T::real(*K) + T::real(*C) * l;
            }
            let M = (pair.row == pair.column).then(|| &lin.eq.M[model.bodies[pair.row].mass.clone()]);
            match (&lin.carried[pair.column], M) {
                (Carried::Still, Some(M)) => out.iter_mut().zip(M).for_each(|(out, M)| *out += T::real(*M) * l * l),
                (Carried::Still, None) => {}
                (Carried::Along { S, Q }, M) => {
                    let n = columns;
                    // (λ + Q)(λ − S) = λ² + λ (Q − S) − Q S
                    let (first, last) = (Q - S, Q * S);
                    for j in 0..n {
                        for i in 0..rows {
                            let mut sum = T::real(0.0);
                            for k in 0..n {
                                sum += T::real(-C[k * rows + i] * S[(k, j)]);
                                if let Some(M) = M {
                                    let own = if k == j { l * l } else { T::real(0.0) };
                                    let with = own + T::real(first[(k, j)]) * l - T::real(last[(k, j)]);
                                    sum += T::real(M[k * rows + i]) * with;
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
        let (zero, one) = (T::real(0.0), T::real(1.0));
        for (value, used) in self.matrix.shift().iter_mut().zip(&lin.rows) {
            *value = if used.any() { zero } else { one };
        }
        for c in &model.constraints {
            for block in &c.blocks {
                let n = model.bodies[block.body].v.len();
                let carried = &lin.carried[block.body];
                for (r, row) in c.rows.clone().enumerate() {
                    let range = block.start + r * n..block.start + (r + 1) * n;
                    let used = lin.rows[row];
                    let B = &lin.reactions()[range.clone()];
                    for (out, B) in self.matrix.reactions()[range.clone()].iter_mut().zip(B) {
                        *out = if used.any() { T::real(-B) } else { zero };
                    }
                    let A: Vec<T> = lin.eq.A[range.clone()].iter().map(|a| T::real(*a)).collect();
                    let of = |values: &[f64]| -> Vec<T> { values[range.clone()].iter().map(|x| T::real(*x)).collect() };
                    let found = match used {
                        Use::None => vec![zero; n],
                        Use::At(Level::Position) => A,
                        Use::At(Level::Velocity) => sum(&lag(&A, l, carried), &of(&lin.P)),
                        Use::At(Level::Acceleration) => {
                            let inner = sum(&lead(&A, l, carried), &of(&t.H));
                            sum(&lag(&inner, l, carried), &of(&t.G))
                        }
                    };
                    self.matrix.rows()[range].copy_from_slice(&found);
                }
            }
        }
    }

    fn fill_states(&mut self, l: T) {
        let lin = self.lin;
        let t = &lin.tangent;
        let alive = |z: usize| lin.states[z] == Alive::Yes;
        let only = |z: usize, x: f64| if alive(z) { T::real(x) } else { T::real(0.0) };
        for ((out, at), x) in self.matrix.r_by_z().iter_mut().zip(&t.pattern.r_by_z).zip(&t.r_by_z) {
            *out = only(at.1, *x);
        }
        let bodies = bodies_of_velocities(lin);
        for (e, (out, &(z, v))) in self.matrix.z_by_v().iter_mut().zip(&t.pattern.z_by_v).enumerate() {
            *out = T::real(0.0);
            if !alive(z) {
                continue;
            }
            *out = T::real(-t.z_by_delta[e]) - T::real(t.z_by_v[e]) * l;
            let body = bodies[v];
            if let Carried::Along { S, .. } = &lin.carried[body] {
                let range = lin.model.bodies[body].v.clone();
                let first = e - (v - range.start) * t.pattern.stride[e];
                for k in 0..range.len() {
                    *out += T::real(t.z_by_v[first + k * t.pattern.stride[e]] * S[(k, v - range.start)]);
                }
            }
        }
        for ((out, at), x) in self.matrix.z_by_z().iter_mut().zip(&t.pattern.z_by_z).zip(&t.z_by_z) {
            *out = if alive(at.0) && alive(at.1) { T::real(-x) } else { T::real(0.0) };
        }
        for (z, out) in self.matrix.z_own().iter_mut().enumerate() {
            *out = if alive(z) { l } else { T::real(1.0) };
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
fn lag<T: Number>(a: &[T], l: T, carried: &Carried) -> Vec<T> {
    let mut out: Vec<T> = a.iter().map(|a| *a * l).collect();
    if let Carried::Along { S, .. } = carried {
        for (j, out) in out.iter_mut().enumerate() {
            a.iter().enumerate().for_each(|(k, a)| *out += *a * T::real(-S[(k, j)]));
        }
    }
    out
}

/// The row a (λ + Q).
fn lead<T: Number>(a: &[T], l: T, carried: &Carried) -> Vec<T> {
    let mut out: Vec<T> = a.iter().map(|a| *a * l).collect();
    if let Carried::Along { Q, .. } = carried {
        for (j, out) in out.iter_mut().enumerate() {
            a.iter().enumerate().for_each(|(k, a)| *out += *a * T::real(Q[(k, j)]));
        }
    }
    out
}
