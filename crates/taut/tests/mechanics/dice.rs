//! Random numbers, vectors and matrices that are the same in every run.

use nalgebra::{DMatrix, DVector, Vector3};

/// Reproducible pseudo-random numbers (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
    /// Between −1 and 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    /// One of 0 … n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub fn vector(&mut self, n: usize) -> DVector<f64> {
        DVector::from_fn(n, |_, _| self.unit())
    }
    pub fn matrix(&mut self, m: usize, n: usize) -> DMatrix<f64> {
        DMatrix::from_fn(m, n, |_, _| self.unit())
    }
    pub fn triple(&mut self) -> [f64; 3] {
        [self.unit(), self.unit(), self.unit()]
    }
    /// m × n with orthonormal columns, m ≥ n.
    pub fn orthonormal(&mut self, m: usize, n: usize) -> DMatrix<f64> {
        self.matrix(m, n).qr().q()
    }
    /// Evenly spread in their logarithm between 1/c and c.
    pub fn spread(&mut self, n: usize, c: f64) -> DMatrix<f64> {
        DMatrix::from_diagonal(&DVector::from_fn(n, |_, _| c.powf(self.unit())))
    }
    /// A point of a coarse grid, where axes often meet and are parallel.
    pub fn grid(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| 0.5 * self.below(4) as f64 - 0.5)
    }
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        (1..list.len()).rev().for_each(|i| list.swap(i, self.below(i + 1)));
    }
}
