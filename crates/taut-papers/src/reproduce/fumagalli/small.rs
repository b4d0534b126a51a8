//! Systems of three coordinates with one row, repeated rows, contradicting rows. [FumagalliMasarati2009] sections 2 to 5
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::reproduce::Findings;
use crate::reproduce::case::{Case, at, worst};
use crate::reproduce::decade::decade;
use crate::reproduce::known::Known;
use crate::reproduce::row::{Reference, Row};
use crate::reproduce::trouble::Trouble;
use nalgebra::{DMatrix, DVector};
use taut::formulations::{
    Answer, Cholesky, Dense, Full, Regularised, Setup, UdwadiaKalabaDenmanBeavers, UdwadiaKalabaSchur,
    UdwadiaKalabaSpectral,
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
pub fn solved<D: Dense>(full: &Full) -> Result<Answer, Trouble> {
    let mut method = D::new(&Setup::default());
    match method.refuses(full) {
        Some(why) => Err(Trouble::new(why)),
        None => Ok(method.solve(full)?),
    }
}

/// Solutions by eq. (6) with three square roots, by eq. (23) and by eq. (46), with their names.
pub fn all(full: &Full) -> Result<[(&'static str, Answer); 5], Trouble> {
    Ok([
        ("eq. (6), spectral", solved::<UdwadiaKalabaSpectral>(full)?),
        ("eq. (6), Denman–Beavers", solved::<UdwadiaKalabaDenmanBeavers>(full)?),
        ("eq. (6), Schur", solved::<UdwadiaKalabaSchur>(full)?),
        ("eq. (23)", solved::<Cholesky>(full)?),
        ("eq. (46)", solved::<Regularised>(full)?),
    ])
}

/// Accelerations, multipliers and the residual of A v̇ = b; for each formula its largest error.
pub fn compute(found: &mut Findings) -> Result<(), Trouble> {
    let known = Known::of("fumagalli-masarati-2009/small")?;
    let M = DMatrix::from_row_slice(3, 3, &table(&known, "M", 3)?);
    let f = DVector::from_vec(known.list("f")?);
    for (case, words) in CASES {
        let b = known.list(&format!("{case}/b"))?;
        let A = DMatrix::from_row_slice(b.len(), 3, &table(&known, &format!("{case}/A"), b.len())?);
        let full = Full::symmetric(M.clone(), f.clone(), A, DVector::from_vec(b));
        let answers = all(&full)?;
        let (vdot, lambda) = (known.list(&format!("{case}/xdd"))?, known.list(&format!("{case}/lambda"))?);
        let (_, by_multipliers) = &answers[4];
        for (i, right) in vdot.iter().enumerate() {
            let row = Row::new("eq. (46)", format!("acceleration {}, {words}", i + 1), "");
            found.push(row.against(by_multipliers.vdot[i], Reference::absolute(*right, 1e-12, known.from())));
        }
        for (i, right) in lambda.iter().enumerate() {
            // M ẍ + Aᵀλ = f in the article.
            let row = Row::new("eq. (45)", format!("multiplier {}, {words}", i + 1), "");
            found.push(row.against(-by_multipliers.lambda[i], Reference::absolute(*right, 1e-12, known.from())));
        }
        for (name, answer) in &answers {
            let far = |x: &DVector<f64>, right: &[f64], sign: f64| {
                x.iter().zip(right).fold(0.0, |most, (x, y)| worst(most, (sign * x - y).abs()))
            };
            let apart = worst(far(&answer.vdot, &vdot, 1.0), far(&answer.lambda, &lambda, -1.0));
            let row = Row::new(name, format!("largest error, {words}"), "");
            found.push(row.against(decade(apart), Reference::at_most(1e-12, known.from())));
        }
        let left = (&full.A * &by_multipliers.vdot - &full.b).amax();
        let expected = if case.ends_with("inconsistent") { least_squares_rest(case) } else { 0.0 };
        let row = Row::new("eq. (3)", format!("largest |A v̇ − b|, {words}"), "");
        let from = "least squares of A v̇ = b, by hand";
        found.push(row.against(left, Reference::absolute(expected, 1e-12, from)));
    }
    Ok(())
}

/// Largest least-squares residual: two equal rows with right-hand sides 1 and 2 get 1.5; three rows with r1 + r2 − r3 = 0 and a
/// contradiction of 1 take a third each.
fn least_squares_rest(case: &str) -> f64 {
    if case.starts_with("three") { 1.0 / 3.0 } else { 0.5 }
}

/// The rows of a matrix in the reference values, concatenated.
fn table(known: &Known, path: &str, rows: usize) -> Result<Vec<f64>, Trouble> {
    let rows: Vec<Vec<f64>> = (0..rows).map(|i| known.list(&format!("{path}/{i}"))).collect::<Result<_, _>>()?;
    Ok(rows.concat())
}

/// The counterexample to eqs. (47) and (48), as a mechanism.
pub fn norm(found: &mut Findings) -> Result<(), Trouble> {
    let known = Known::of("fumagalli-masarati-2009/norm_claim")?;
    let motion = Case::open("fumagalli_norm", &[])?.run()?;
    let (light, heavy) = (at(&motion, "light.ax", 0.0)?, at(&motion, "heavy.ax", 0.0)?);
    let row =
        Row::new("eq. (47)", "length of the constrained accelerations, free ones 1", "m/s²").printed("less than 1");
    let remark = "The claim holds in the norm of M only.";
    found.push(row.against(light.hypot(heavy), known.absolute("norm_xdd", 1e-12)?).remark(remark));
    let weighted = (light * light + 25.0 * heavy * heavy).sqrt();
    let row = Row::new("eq. (47)", "the same in the norm of M, free ones 5", "").printed("less than 5");
    found.push(row.against(weighted, known.absolute("Mnorm_xdd", 1e-12)?));
    Ok(())
}
