//! Real and complex numbers, and the factors of matrices made of them.

use crate::Singular;
use faer::c64;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Spec};
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// Numbers a matrix can be made of.
pub trait Number:
    Copy
    + fmt::Debug
    + AddAssign
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Factored
{
    /// From a real number.
    fn real(x: f64) -> Self;
    /// Whether it is a number at all.
    fn is_number(self) -> bool;
}

impl Number for f64 {
    fn real(x: f64) -> f64 {
        x
    }
    fn is_number(self) -> bool {
        self.is_finite()
    }
}

impl Number for c64 {
    fn real(x: f64) -> c64 {
        c64::new(x, 0.0)
    }
    fn is_number(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}

/// LU of one pattern.
pub struct Factors<T: 'static> {
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, T>,
    work: MemBuffer,
}

/// What is compiled here for each kind of number, and nowhere else.
pub trait Factored: Sized + 'static {
    /// Finds an order of elimination, and room.
    fn plan(pattern: &SymbolicSparseColMat<usize>) -> Result<Factors<Self>, Singular>;
    /// Factors these values.
    fn factor(
        factors: &mut Factors<Self>,
        pattern: &SymbolicSparseColMat<usize>,
        values: &[Self],
    ) -> Result<(), Singular>;
    /// Solves in place.
    fn solve(factors: &mut Factors<Self>, x: &mut [Self]);
}

macro_rules! factored {
    ($T:ty) => {
        impl Factored for $T {
            fn plan(pattern: &SymbolicSparseColMat<usize>) -> Result<Factors<$T>, Singular> {
                let plan = factorize_symbolic_lu(pattern.as_ref(), LuSymbolicParams::default());
                let symbolic = plan.map_err(|_| Singular)?;
                let factoring = symbolic.factorize_numeric_lu_scratch::<$T>(Par::Seq, Spec::default());
                let solving = symbolic.solve_in_place_scratch::<$T>(1, Par::Seq);
                let work = MemBuffer::try_new(factoring.or(solving)).map_err(|_| Singular)?;
                Ok(Factors { symbolic, numeric: NumericLu::new(), work })
            }

            fn factor(
                factors: &mut Factors<$T>,
                pattern: &SymbolicSparseColMat<usize>,
                values: &[$T],
            ) -> Result<(), Singular> {
                let matrix = SparseColMatRef::new(pattern.as_ref(), values);
                let stack = MemStack::new(&mut factors.work);
                let numeric = &mut factors.numeric;
                let done = factors.symbolic.factorize_numeric_lu(numeric, matrix, Par::Seq, stack, Spec::default());
                done.map(|_| ()).map_err(|_| Singular)
            }

            fn solve(factors: &mut Factors<$T>, x: &mut [$T]) {
                let stack = MemStack::new(&mut factors.work);
                let n = x.len();
                let lu = LuRef::new_unchecked(&factors.symbolic, &factors.numeric);
                lu.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(x, n, 1), Par::Seq, stack);
            }
        }
    };
}
factored!(f64);
factored!(c64);
