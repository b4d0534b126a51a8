//! Three methods for M^(1/2), on 12 × 12 matrices with three condition numbers. [FumagalliMasarati2009] section 3.1
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::reproduce::ExampleResults;
use crate::reproduce::decade::next_power_of_ten;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use nalgebra::DMatrix;
use taut::formulations::square_root::{SquareRoot, denman_beavers, schur, spectral};

/// Condition number, and its key in the reference values.
const CONDITIONS: [(f64, &str); 3] = [(1e1, "cond_1e+01"), (1e4, "cond_1e+04"), (1e8, "cond_1e+08")];

/// Eigenvalues logarithmically spaced from 1 to the condition number, with random eigenvectors.
fn matrix(condition: f64) -> DMatrix<f64> {
    let n = 12;
    let V = DMatrix::from_fn(n, n, |i, j| ((i * i + 3 * i * j + 7 * j + 1) as f64).sin()).qr().q();
    let D = DMatrix::from_fn(n, n, |i, j| if i == j { condition.powf(i as f64 / (n - 1) as f64) } else { 0.0 });
    let M = &V * D * V.transpose();
    (&M + M.transpose()) * 0.5
}

/// Errors of the square, relative to M, of the inverse root, and steps of the iteration.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("fumagalli-masarati-2009/square_root")?;
    for (condition, name) in CONDITIONS {
        let M = matrix(condition);
        let none = || ReproductionError::new(format!("no square root at a condition of {condition:e}"));
        let (iterated, steps) = denman_beavers(&M).ok_or_else(none)?;
        let (spectral, schur) = (spectral(&M).ok_or_else(none)?, schur(&M).ok_or_else(none)?);
        let square = |root: &SquareRoot| (&root.root * &root.root - &M).norm() / M.norm();
        let inverse = (&iterated.inverse * &M * &iterated.inverse - DMatrix::identity(M.nrows(), M.nrows())).amax();
        for (source, words, error, entry) in [
            ("eqs. (9), (10)", "square, spectral", square(&spectral), "spectral_err"),
            ("eq. (13)", "square, Denman–Beavers", square(&iterated), "db_err"),
            ("eqs. (14) to (16)", "square, Schur", square(&schur), "schur_err"),
            ("eq. (13)", "inverse root, Denman–Beavers", inverse, "db_inverse_err"),
        ] {
            let elsewhere = known.number(&format!("{name}/{entry}"))?;
            let row = ComparisonRow::new(source, format!("error of the {words}, condition {condition:e}"), "");
            let from = "ten times the error that another program makes on a matrix of its own";
            found.push(row.compared_with(
                next_power_of_ten(error),
                Reference::at_most(next_power_of_ten(10.0 * elsewhere), from),
            ));
        }
        let row = ComparisonRow::new("eq. (13)", format!("steps of the iteration, condition {condition:e}"), "");
        found.push(row.compared_with(steps as f64, known.absolute(&format!("{name}/db_iterations"), 1.0)?));
    }
    Ok(())
}
