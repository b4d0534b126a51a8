//! Systems of three coordinates with one row, repeated rows, contradicting rows. [FumagalliMasarati2009] sections 2 to 5
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at, nan_max};
use crate::reproduce::decade::next_power_of_ten;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::print::Print;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use nalgebra::{DMatrix, DVector};
use taut::formulations::{
    Cholesky, DenseEquations, DenseFormulation, DenseSolution, FormulationParameters, Regularised,
    UdwadiaKalabaDenmanBeavers, UdwadiaKalabaSchur, UdwadiaKalabaSpectral,
};

/// Key of the case in the reference values, and its description.
const CASES: [(&str, &str); 5] = [
    ("full_rank", "one row"),
    ("redundant_consistent", "row and its double"),
    ("redundant_inconsistent", "equal rows that contradict"),
    ("three_rows_rank2", "three rows of rank two"),
    ("three_rows_rank2_inconsistent", "three rows of rank two that contradict"),
];

/// Solution of one system by one formula.
pub fn solved<D: DenseFormulation>(full: &DenseEquations) -> Result<DenseSolution, ReproductionError> {
    let mut method = D::new(&FormulationParameters::default());
    match method.unsupported_reason(full) {
        Some(why) => Err(ReproductionError::new(why)),
        None => Ok(method.solve(full)?),
    }
}

/// Solutions by eq. (6) with three square roots, by eq. (23) and by eq. (46), with their names.
pub fn all_formulas(full: &DenseEquations) -> Result<[(&'static str, DenseSolution); 5], ReproductionError> {
    Ok([
        ("eq. (6), spectral", solved::<UdwadiaKalabaSpectral>(full)?),
        ("eq. (6), Denman–Beavers", solved::<UdwadiaKalabaDenmanBeavers>(full)?),
        ("eq. (6), Schur", solved::<UdwadiaKalabaSchur>(full)?),
        ("eq. (23)", solved::<Cholesky>(full)?),
        ("eq. (46)", solved::<Regularised>(full)?),
    ])
}

/// Accelerations, multipliers and the residual of A v̇ = b; for each formula its largest error.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("fumagalli-masarati-2009/small")?;
    let M = DMatrix::from_row_slice(3, 3, &table(&known, "M", 3)?);
    let f = DVector::from_vec(known.list("f")?);
    for (case, words) in CASES {
        let b = known.list(&format!("{case}/b"))?;
        let A = DMatrix::from_row_slice(b.len(), 3, &table(&known, &format!("{case}/A"), b.len())?);
        let full = DenseEquations::symmetric(M.clone(), f.clone(), A, DVector::from_vec(b));
        let solutions = all_formulas(&full)?;
        let (vdot, lambda) = (known.list(&format!("{case}/xdd"))?, known.list(&format!("{case}/lambda"))?);
        let (_, by_multipliers) = &solutions[4];
        for (i, right) in vdot.iter().enumerate() {
            let row = ComparisonRow::new("eq. (46)", format!("acceleration {}, {words}", i + 1), "");
            found.push(row.compared_with(by_multipliers.vdot[i], Reference::absolute(*right, 1e-12, known.from())));
        }
        for (i, right) in lambda.iter().enumerate() {
            // M ẍ + Aᵀλ = f in the article.
            let row = ComparisonRow::new("eq. (45)", format!("multiplier {}, {words}", i + 1), "");
            found.push(row.compared_with(-by_multipliers.lambda[i], Reference::absolute(*right, 1e-12, known.from())));
        }
        for (name, answer) in &solutions {
            let far = |x: &DVector<f64>, right: &[f64], sign: f64| {
                x.iter().zip(right).fold(0.0, |most, (x, y)| nan_max(most, (sign * x - y).abs()))
            };
            let apart = nan_max(far(&answer.vdot, &vdot, 1.0), far(&answer.lambda, &lambda, -1.0));
            let row = ComparisonRow::new(name, format!("largest error, {words}"), "");
            found.push(row.compared_with(next_power_of_ten(apart), Reference::at_most(1e-12, known.from())));
        }
        let left = (&full.A * &by_multipliers.vdot - &full.b).amax();
        let expected = if case.ends_with("inconsistent") { least_squares_residual(case) } else { 0.0 };
        let row = ComparisonRow::new("eq. (3)", format!("largest |A v̇ − b|, {words}"), "");
        let from = "least squares of A v̇ = b, by hand";
        found.push(row.compared_with(left, Reference::absolute(expected, 1e-12, from)));
    }
    Ok(())
}

/// Largest least-squares residual: two equal rows with right-hand sides 1 and 2 get 1.5; three rows with r1 + r2 − r3 = 0 and a
/// contradiction of 1 take a third each.
fn least_squares_residual(case: &str) -> f64 {
    if case.starts_with("three") { 1.0 / 3.0 } else { 0.5 }
}

/// The rows of a matrix in the reference values, concatenated.
fn table(known: &ReferenceValues, path: &str, rows: usize) -> Result<Vec<f64>, ReproductionError> {
    let rows: Vec<Vec<f64>> = (0..rows).map(|i| known.list(&format!("{path}/{i}"))).collect::<Result<_, _>>()?;
    Ok(rows.concat())
}

/// The counterexample to eqs. (47) and (48), as a mechanism.
pub fn norm(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("fumagalli-masarati-2009/norm_claim")?;
    let motion = PaperModel::open("fumagalli_norm", &[])?.run()?;
    let (light, heavy) = (at(&motion, "light.ax", 0.0)?, at(&motion, "heavy.ax", 0.0)?);
    let row = ComparisonRow::new("eq. (47)", "length of the constrained accelerations, free ones 1", "m/s²")
        .print(Print::within("less than 1", 0.0, 1.0));
    let erratum = "The claim holds in the norm of M only.";
    found.push(row.compared_with(light.hypot(heavy), known.absolute("norm_xdd", 1e-12)?).erratum(erratum));
    let weighted = (light * light + 25.0 * heavy * heavy).sqrt();
    let row = ComparisonRow::new("eq. (47)", "the same in the norm of M, free ones 5", "").print(Print::within(
        "less than 5",
        0.0,
        5.0,
    ));
    found.push(row.compared_with(weighted, known.absolute("Mnorm_xdd", 1e-12)?));
    Ok(())
}
