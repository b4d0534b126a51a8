//! Products of the blocks of a linearisation with vectors, real or complex.

use super::rotating_frame::FrameTerms;
use super::rows::RowUse;
use super::{Alive, Linearised};
use crate::constraints::RowLevel;
use crate::tangent::Number;

impl Linearised<'_> {
    /// Values laid out like K times x.
    pub(super) fn times_pattern<T: Number>(&self, values: &[f64], x: &[T]) -> Vec<T> {
        let mut out = vec![T::from_real(0.0); self.n()];
        for pair in &self.tangent.pattern.blocks {
            let (rows, columns) = (&self.model.bodies[pair.row].v, &self.model.bodies[pair.column].v);
            for (j, x) in x[columns.clone()].iter().enumerate() {
                let column = &values[pair.start + j * rows.len()..pair.start + (j + 1) * rows.len()];
                out[rows.clone()].iter_mut().zip(column).for_each(|(out, k)| *out += T::from_real(*k) * *x);
            }
        }
        out
    }

    /// M x.
    pub(super) fn times_mass<T: Number>(&self, x: &[T]) -> Vec<T> {
        let mut out = vec![T::from_real(0.0); self.n()];
        for b in &self.model.bodies {
            let n = b.v.len();
            let M = &self.eq.M[b.mass.clone()];
            for (j, x) in x[b.v.clone()].iter().enumerate() {
                out[b.v.clone()].iter_mut().zip(&M[j * n..]).for_each(|(out, m)| *out += T::from_real(*m) * *x);
            }
        }
        out
    }

    /// S x and Q x.
    pub(super) fn frame_products<T: Number>(&self, x: &[T]) -> [Vec<T>; 2] {
        let mut out = [vec![T::from_real(0.0); self.n()], vec![T::from_real(0.0); self.n()]];
        for (b, carried) in self.model.bodies.iter().zip(&self.frame_terms) {
            let FrameTerms::Rotating { S, Q } = carried else { continue };
            for (j, x) in x[b.v.clone()].iter().enumerate() {
                for (out, X) in out.iter_mut().zip([S, Q]) {
                    out[b.v.clone()].iter_mut().zip(X.column(j).iter()).for_each(|(o, s)| *o += T::from_real(*s) * *x);
                }
            }
        }
        out
    }

    /// Values laid out like A times x, of the rows that hold at this level.
    pub(super) fn add_rows<T: Number>(&self, values: &[f64], level: RowLevel, sign: f64, x: &[T], out: &mut [T]) {
        for c in &self.model.constraints {
            for block in &c.blocks {
                let x = &x[self.model.bodies[block.body].v.clone()];
                for (r, row) in c.rows.clone().enumerate().filter(|(_, row)| self.row_uses[*row] == RowUse::At(level)) {
                    let values = &values[block.start + r * x.len()..block.start + (r + 1) * x.len()];
                    values.iter().zip(x).for_each(|(a, x)| out[row] += T::from_real(sign * a) * *x);
                }
            }
        }
    }

    /// ∂ż/∂v x, or ∂ż/∂δ x.
    pub(super) fn times_states<T: Number>(&self, values: &[f64], x: &[T]) -> Vec<T> {
        let mut out = vec![T::from_real(0.0); self.model.sizes.z];
        for ((z, v), value) in self.tangent.pattern.z_by_v.iter().zip(values) {
            if self.active_states[*z] == Alive::Yes {
                out[*z] += T::from_real(*value) * x[*v];
            }
        }
        out
    }

    /// The right-hand side y of T(λ) u = y for (J − λ)(ξ, dv, z) = (a, b, c); see [`Pencil`](super::pencil::Pencil).
    pub(super) fn pencil_load<T: Number>(&self, l: T, a: &[T], b: &[T], c: &[T]) -> Vec<T> {
        let places = self.unknown_ranges();
        let mut y = vec![T::from_real(0.0); places.z.end];
        let zero = T::from_real(0.0);
        // M b + (M (λ + Q) + C) a
        let [_, Qa] = self.frame_products(a);
        let inner: Vec<T> = (0..self.n()).map(|i| b[i] + l * a[i] + Qa[i]).collect();
        let (Mx, Ca) = (self.times_mass(&inner), self.times_pattern(&self.tangent.C, a));
        (0..self.n()).for_each(|i| y[i] = zero - Mx[i] - Ca[i]);
        let rows = &mut y[places.lambda.clone()];
        self.add_rows(&self.eq.A, RowLevel::Velocity, -1.0, a, rows);
        self.add_rows(&self.eq.A, RowLevel::Acceleration, -1.0, &inner, rows);
        self.add_rows(&self.tangent.H, RowLevel::Acceleration, -1.0, a, rows);
        let by_v = self.times_states(&self.tangent.z_by_v, a);
        for (z, out) in y[places.z].iter_mut().enumerate() {
            *out = if self.active_states[z] == Alive::Yes { by_v[z] - c[z] } else { zero };
        }
        y
    }

    /// dv = a + (λ − S) ξ.
    pub(super) fn velocities<T: Number>(&self, l: T, a: &[T], xi: &[T]) -> Vec<T> {
        let [S, _] = self.frame_products(xi);
        (0..self.n()).map(|i| a[i] + l * xi[i] - S[i]).collect()
    }
}
