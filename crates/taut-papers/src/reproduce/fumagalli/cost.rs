//! Operations of the three formulas by the article's own polynomials. [FumagalliMasarati2009] section 6

use crate::reproduce::ExampleResults;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::ComparisonRow;

/// n³/3, Cholesky's factor.
fn cholesky(n: f64) -> f64 {
    n.powi(3) / 3.0
}

/// Singular values of an m × n matrix.
fn singular_values(n: f64, m: f64) -> f64 {
    4.0 * n * n * m + 8.0 * n * m * m + 9.0 * m.powi(3)
}

/// Eq. (6) with a root of so many n³.
pub fn by_root(root: f64, n: f64, m: f64) -> f64 {
    root * n.powi(3) + 2.0 * n * n * m + singular_values(n, m)
}

/// Eq. (23).
pub fn by_factor(n: f64, m: f64) -> f64 {
    cholesky(n) + n * n * m + singular_values(n, m)
}

/// Eq. (46).
pub fn by_multipliers(n: f64, m: f64) -> f64 {
    cholesky(n) + n * n * m + n * m * m + 12.0 * m.powi(3)
}

/// The counts for four sizes.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("fumagalli-masarati-2009/operation_counts")?;
    for (n, m) in [(10.0, 2.0), (15.0, 14.0), (100.0, 10.0), (1000.0, 50.0)] {
        let counts = [
            ("eq6_spectral", "eq. (6)", "spectral root", by_root(12.0, n, m)),
            ("eq6_schur", "eq. (6)", "Schur root", by_root(50.0 / 3.0, n, m)),
            ("eq23", "eq. (23)", "Cholesky", by_factor(n, m)),
            ("eq46", "eq. (46)", "multipliers", by_multipliers(n, m)),
        ];
        for (name, source, words, count) in counts {
            let row = ComparisonRow::new(source, format!("operations, {words}, n = {n}, m = {m}"), "");
            found.push(row.by_formula().compared_with(count, known.relative(&format!("n={n},m={m}/{name}"), 1e-12)?));
        }
    }
    Ok(())
}
