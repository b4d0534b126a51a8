//! Real and complex entries, and the factorisations compiled for them.

use crate::Singular;
use crate::panels::Panels;
use crate::pivots::{ColumnMatrix, PivotFailure};
use faer::c64;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::amd;
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
    + Factorisation
{
    /// From a real number.
    fn from_real(x: f64) -> Self;
    /// Whether it is finite.
    fn is_number(self) -> bool;
    /// The magnitude by which pivots are compared.
    fn magnitude(self) -> f64;
}

impl Number for f64 {
    fn from_real(x: f64) -> f64 {
        x
    }
    fn is_number(self) -> bool {
        self.is_finite()
    }
    fn magnitude(self) -> f64 {
        self.abs()
    }
}

impl Number for c64 {
    fn from_real(x: f64) -> c64 {
        c64::new(x, 0.0)
    }
    fn is_number(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
    fn magnitude(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

/// Number of products per entry of the factors from which on dense blocks are faster.
const BLOCK_DENSITY: f64 = 40.0;

/// The factors may have this many times the entries predicted by the elimination order, plus some. Beyond that, pivots off the
/// diagonal have made the order useless, as with constraint rows that close many loops; the order of faer suits any pivots.
const MAX_FILL_RATIO: f64 = 3.0;
const EXTRA_ENTRIES: usize = 50_000;

/// LU of one pattern.
pub enum Factors<T: 'static> {
    /// For little fill-in.
    Panels(Box<Panels<T>>),
    /// For much fill-in.
    Blocks(Box<Blocks<T>>),
}

/// The factors of faer, which groups columns into dense blocks.
pub struct Blocks<T: 'static> {
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, T>,
    work: MemBuffer,
}

/// An elimination order of minimum degree, the number of entries of L and U with pivots on the diagonal, and the number of
/// products per entry.
fn minimum_degree(pattern: &SymbolicSparseColMat<usize>) -> Result<(Vec<usize>, f64, f64), Singular> {
    let (n, entries) = (pattern.ncols(), pattern.compute_nnz());
    let (mut order, mut inverse) = (vec![0; n], vec![0; n]);
    let mut work = MemBuffer::try_new(amd::order_scratch::<usize>(n, entries)).map_err(|_| Singular)?;
    let stack = MemStack::new(&mut work);
    let flops = amd::order(&mut order, &mut inverse, pattern.as_ref(), amd::Control::default(), stack);
    let flops = flops.map_err(|_| Singular)?;
    // One quotient for each entry of L; U has as many.
    let entries = 2.0 * flops.n_div;
    Ok((order, entries, flops.n_mult_subs_lu / entries.max(1.0)))
}

/// The factorisation, compiled here once for each type of entry.
pub trait Factorisation: Sized + 'static {
    /// Finds an elimination order and allocates the factors.
    fn analyse(pattern: &SymbolicSparseColMat<usize>) -> Result<Factors<Self>, Singular>;
    /// The same with dense blocks, for any pivots.
    fn analyse_blocks(pattern: &SymbolicSparseColMat<usize>) -> Result<Factors<Self>, Singular>;
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
        impl Factorisation for $T {
            fn analyse(pattern: &SymbolicSparseColMat<usize>) -> Result<Factors<$T>, Singular> {
                let (order, entries, density) = minimum_degree(pattern)?;
                let room = (MAX_FILL_RATIO * entries) as usize + EXTRA_ENTRIES;
                // Positions are stored in 32 bits.
                if density < BLOCK_DENSITY && room < u32::MAX as usize / 2 {
                    return Ok(Factors::Panels(Box::new(Panels::new(order, room))));
                }
                <$T>::analyse_blocks(pattern)
            }

            fn analyse_blocks(pattern: &SymbolicSparseColMat<usize>) -> Result<Factors<$T>, Singular> {
                let plan = factorize_symbolic_lu(pattern.as_ref(), LuSymbolicParams::default());
                let symbolic = plan.map_err(|_| Singular)?;
                let factoring = symbolic.factorize_numeric_lu_scratch::<$T>(Par::Seq, Spec::default());
                let solving = symbolic.solve_in_place_scratch::<$T>(1, Par::Seq);
                let work = MemBuffer::try_new(factoring.or(solving)).map_err(|_| Singular)?;
                Ok(Factors::Blocks(Box::new(Blocks { symbolic, numeric: NumericLu::new(), work })))
            }

            fn factor(
                factors: &mut Factors<$T>,
                pattern: &SymbolicSparseColMat<usize>,
                values: &[$T],
            ) -> Result<(), Singular> {
                match factors {
                    Factors::Panels(panels) => {
                        let stored = ColumnMatrix { starts: pattern.col_ptr(), rows: pattern.row_idx(), values };
                        match panels.factor(stored) {
                            Ok(()) => Ok(()),
                            Err(PivotFailure::Singular) => Err(Singular),
                            Err(PivotFailure::TooMuchFill) => {
                                *factors = <$T>::analyse_blocks(pattern)?;
                                <$T>::factor(factors, pattern, values)
                            }
                        }
                    }
                    Factors::Blocks(blocks) => {
                        let Blocks { symbolic, numeric, work } = &mut **blocks;
                        let matrix = SparseColMatRef::new(pattern.as_ref(), values);
                        let stack = MemStack::new(work);
                        let done = symbolic.factorize_numeric_lu(numeric, matrix, Par::Seq, stack, Spec::default());
                        done.map(|_| ()).map_err(|_| Singular)
                    }
                }
            }

            fn solve(factors: &mut Factors<$T>, x: &mut [$T]) {
                match factors {
                    Factors::Panels(panels) => panels.solve(x),
                    Factors::Blocks(blocks) => {
                        let Blocks { symbolic, numeric, work } = &mut **blocks;
                        let (stack, n) = (MemStack::new(work), x.len());
                        let lu = LuRef::new_unchecked(symbolic, numeric);
                        let x = MatMut::from_column_major_slice_mut(x, n, 1);
                        lu.solve_in_place_with_conj(Conj::No, x, Par::Seq, stack);
                    }
                }
            }
        }
    };
}
factored!(f64);
factored!(c64);
