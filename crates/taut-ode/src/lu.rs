//! Dense LU factorisation with partial pivoting, real and complex.

use std::ops::{Div, Mul, Sub};

use crate::Refusal;

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self { re: self.re - b.re, im: self.im - b.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Self { re: self.re * b.re - self.im * b.im, im: self.re * b.im + self.im * b.re }
    }
}

impl Div for Complex {
    type Output = Self;
    // Pivots are of moderate magnitude: no scaling is needed.
    fn div(self, b: Self) -> Self {
        let d = b.re * b.re + b.im * b.im;
        Self { re: (self.re * b.re + self.im * b.im) / d, im: (self.im * b.re - self.re * b.im) / d }
    }
}

/// An entry of a matrix.
pub trait Entry: Copy + Default + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// The magnitude by which pivots are compared.
    fn magnitude(self) -> f64;
}

impl Entry for f64 {
    fn magnitude(self) -> f64 {
        self.abs()
    }
}

impl Entry for Complex {
    fn magnitude(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

/// `P A = L U` in the place of A, row by row.
#[derive(Debug, Clone)]
pub struct Lu<T> {
    n: usize,
    /// The matrix, to be filled before [`factor`](Self::factor).
    pub a: Vec<T>,
    /// Index of the row with which each row was exchanged.
    swaps: Vec<usize>,
}

impl<T: Entry> Lu<T> {
    pub fn new(n: usize) -> Self {
        Self { n, a: vec![T::default(); n * n], swaps: vec![0; n] }
    }

    /// Allocates a matrix of this size, if it has another one.
    pub fn resize(&mut self, n: usize) {
        if self.n != n {
            *self = Self::new(n);
        }
    }

    /// Factors what is in `a`.
    pub fn factor(&mut self) -> Result<(), Refusal> {
        let n = self.n;
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                if self.a[i * n + k].magnitude() > self.a[pivot * n + k].magnitude() {
                    pivot = i;
                }
            }
            let size = self.a[pivot * n + k].magnitude();
            if !(size > 0.0 && size.is_finite()) {
                return Err(Refusal::NotConverged);
            }
            self.swaps[k] = pivot;
            if pivot != k {
                for j in 0..n {
                    self.a.swap(k * n + j, pivot * n + j);
                }
            }
            let (above, below) = self.a.split_at_mut((k + 1) * n);
            let row = &above[k * n..];
            for other in below.chunks_exact_mut(n) {
                let factor = other[k] / row[k];
                other[k] = factor;
                if factor.magnitude() != 0.0 {
                    for j in k + 1..n {
                        other[j] = other[j] - factor * row[j];
                    }
                }
            }
        }
        Ok(())
    }

    /// Solves `A x = b` in the place of b.
    pub fn solve(&self, b: &mut [T]) {
        let n = self.n;
        for (k, &pivot) in self.swaps.iter().enumerate() {
            b.swap(k, pivot);
        }
        for i in 1..n {
            for j in 0..i {
                b[i] = b[i] - self.a[i * n + j] * b[j];
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                b[i] = b[i] - self.a[i * n + j] * b[j];
            }
            b[i] = b[i] / self.a[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_and_complex_systems_are_solved() {
        // The leading entry is zero: without an exchange of rows there is no factor.
        let a = [0.0, 2.0, 1.0, 1.0, -1.0, 3.0, 4.0, 0.5, -2.0];
        let x = [1.0, -2.0, 0.5];
        let mut lu = Lu::<f64>::new(3);
        lu.a.copy_from_slice(&a);
        let mut b: Vec<f64> = a.chunks(3).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
        lu.factor().expect("regular");
        lu.solve(&mut b);
        assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-14), "{b:?}");

        // (A + i I) z = c for z = x + i (2 x): both parts of the residual vanish.
        let mut lu = Lu::<Complex>::new(3);
        for (i, (entry, &re)) in lu.a.iter_mut().zip(&a).enumerate() {
            *entry = Complex { re, im: if i % 4 == 0 { 1.0 } else { 0.0 } };
        }
        let ax: Vec<f64> = a.chunks(3).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
        let mut c: Vec<Complex> =
            ax.iter().zip(&x).map(|(ax, x)| Complex { re: ax - 2.0 * x, im: 2.0 * ax + x }).collect();
        lu.factor().expect("regular");
        lu.solve(&mut c);
        for (c, x) in c.iter().zip(&x) {
            assert!((c.re - x).abs() < 1e-14 && (c.im - 2.0 * x).abs() < 1e-14, "{c:?} {x}");
        }
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let mut lu = Lu::<f64>::new(2);
        lu.a.copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        assert_eq!(lu.factor(), Err(Refusal::NotConverged));
    }
}
