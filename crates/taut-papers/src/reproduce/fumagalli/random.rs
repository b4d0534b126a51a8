//! Random systems: the three formulas are one. [FumagalliMasarati2009] section 4.2
#![allow(non_snake_case)] // the theory's letter is the identifier

use super::small::all_formulas;
use crate::reproduce::ExampleResults;
use crate::reproduce::case::nan_max;
use crate::reproduce::decade::next_power_of_ten;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use nalgebra::{DMatrix, DVector};
use taut::formulations::DenseEquations;

/// Reproducible pseudo-random numbers between −1 and 1: a 64-bit linear congruential generator.
struct RandomSource(u64);

impl RandomSource {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.next() + 1.0) * 0.5 * n as f64) as usize
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| self.next())
    }

    fn vector(&mut self, n: usize) -> DVector<f64> {
        DVector::from_fn(n, |_, _| self.next())
    }
}

/// Kind of constraint rows.
#[derive(Clone, Copy, PartialEq)]
enum RowKind {
    Independent,
    Repeated,
    Contradicting,
}

/// M = R Rᵀ + 0.1 I and up to n rows; dependent ones are combinations of the others.
fn system(numbers: &mut RandomSource, rows: RowKind) -> DenseEquations {
    let n = 3 + numbers.below(10);
    let m = 1 + numbers.below(n - 1);
    let R = numbers.matrix(n, n);
    let M = &R * R.transpose() + DMatrix::identity(n, n) * 0.1;
    let mut A = numbers.matrix(m, n);
    if rows != RowKind::Independent {
        let C = numbers.matrix(1 + m / 2, m);
        let more = &C * &A;
        let (own, extra) = (A.nrows(), more.nrows());
        A = A.resize_vertically(own + extra, 0.0);
        A.rows_mut(own, extra).copy_from(&more);
    }
    let b = match rows {
        RowKind::Contradicting => numbers.vector(A.nrows()),
        _ => &A * numbers.vector(n),
    };
    DenseEquations::symmetric(M, numbers.vector(n), A, b)
}

/// The largest difference of the accelerations by any two formulas, relative to the accelerations.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("fumagalli-masarati-2009/random")?;
    let count = known.number("trials")? as usize;
    let kinds = [
        (RowKind::Independent, "full", "independent rows"),
        (RowKind::Repeated, "redundant", "repeated rows"),
        (RowKind::Contradicting, "inconsistent", "contradicting rows"),
    ];
    for (rows, name, words) in kinds {
        let (mut numbers, mut most) = (RandomSource(1), 0.0);
        for _ in 0..count {
            let full = system(&mut numbers, rows);
            let solutions = all_formulas(&full)?;
            for (i, (_, one)) in solutions.iter().enumerate() {
                for (_, two) in &solutions[..i] {
                    let size = one.vdot.amax().max(two.vdot.amax()).max(1.0);
                    most = nan_max(most, (&one.vdot - &two.vdot).amax() / size);
                }
            }
        }
        let elsewhere = known.number(&format!("max_rel_diff/{name}"))?;
        let row = ComparisonRow::new("4.2", format!("largest relative difference, {count} systems, {words}"), "");
        let from = "ten times the difference that another program finds on systems of its own";
        found.push(
            row.compared_with(next_power_of_ten(most), Reference::at_most(next_power_of_ten(10.0 * elsewhere), from)),
        );
    }
    Ok(())
}
