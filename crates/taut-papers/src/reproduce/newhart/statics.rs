//! The static example: a rigid bar on two rods, by penalties and exactly. [Newhart2019] section 1.2.6

use crate::reproduce::ExampleResults;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::print::Print;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::ComparisonRow;
use nalgebra::{Matrix2x5, Matrix5, Vector5};
use taut::analyses::{Statics, compare_with_penalty};
use taut::bodies::Quantity;
use taut::{Measure, Relation, Spec, Subsystem};

/// Displacements that the thesis prints, mm.
const PRINTED: [&str; 5] = ["0.4876", "1.2191", "0", "0", "1.4629"];
/// E A / l of both rods, N/mm.
const K: [f64; 2] = [200e3 * 1200.0 / 4500.0, 70e3 * 900.0 / 3000.0];
/// At the end of the bar, N.
const LOAD: f64 = 30e3;

/// The five displacements of figure 1, in mm: two points of the bar, the feet of the rods, the end of the bar.
#[derive(Debug)]
struct Rods;

impl Subsystem for Rods {
    fn coordinates(&self) -> Vec<Quantity> {
        ["q1", "q2", "q3", "q4", "q5"].iter().map(|n| Quantity::new(n, "m")).collect()
    }
    fn initial_state(&self, _q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {}
    fn mass_matrix(&self, _q: &[f64], M: &mut [f64]) {
        (0..25).for_each(|i| M[i] = if i % 6 == 0 { 1.0 } else { 0.0 });
    }
    fn forces(&self, _t: f64, q: &[f64], _v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        let (one, two) = (K[0] * (q[0] - q[2]), K[1] * (q[1] - q[3]));
        f.copy_from_slice(&[-one, -two, one, two, LOAD]);
    }
}

pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("newhart-2019/static")?;
    let of = |name: &str| Measure::coordinate(&format!("rods.{name}"));
    let mut spec = Spec::new();
    spec.body("rods", Rods)
        .constraint("first", Relation::new(vec![(1.0, of("q1")), (-2.0 / 6.0, of("q5"))]))
        .constraint("second", Relation::new(vec![(1.0, of("q2")), (-5.0 / 6.0, of("q5"))]))
        .constraint("foot1", Relation::new(vec![(1.0, of("q3"))]))
        .constraint("foot2", Relation::new(vec![(1.0, of("q4"))]));
    let model = spec.build()?;
    let both = compare_with_penalty(&model, &model.initial_state(), &Statics::default())
        .map_err(|e| ReproductionError::new(e.to_string()))?;
    let ways = [("penalty", "penalty_mm", &both.penalty), ("rigid bar", "exact_mm", &both.exact)];
    for (words, key, way) in ways {
        for (i, (printed, ours)) in PRINTED.iter().zip(&way.displacement).enumerate() {
            let row = ComparisonRow::new("1.2.6", format!("Q{}, {words}", i + 1), "mm");
            // The thesis prints the solution by penalties; zeros have four decimals as well.
            let row = match (key, *printed) {
                ("exact_mm", _) => row.print(Print::beside(printed)),
                (_, "0") => row.print(Print::within("0", -5e-5, 5e-5)),
                _ => row.printed(printed),
            };
            found.push(row.compared_with(*ours, known.absolute(&format!("{key}/{i}"), 1e-9)?));
        }
    }
    let row = ComparisonRow::new("1.2.6", "relative error of the penalty", "");
    found.push(row.compared_with(both.error, known.absolute("relative_penalty_error", 1e-7)?));
    matrices(found, &known)
}

/// The matrices as printed, and the solution if eqs. (64) and (67) are taken at their word: C twice.
fn matrices(found: &mut ExampleResults, known: &ReferenceValues) -> Result<(), ReproductionError> {
    let mut stiffness = Matrix5::zeros();
    for (i, j, k) in [(0, 2, K[0]), (1, 3, K[1])] {
        stiffness[(i, i)] += k;
        stiffness[(j, j)] += k;
        stiffness[(i, j)] -= k;
        stiffness[(j, i)] -= k;
    }
    let rows = Matrix2x5::new(1.0, 0.0, 0.0, 0.0, -2.0 / 6.0, 0.0, 1.0, 0.0, 0.0, -5.0 / 6.0);
    let feet = Matrix5::from_diagonal(&Vector5::new(0.0, 0.0, 1.0, 1.0, 0.0));
    let factor = 1e4 * K[0];
    let whole = stiffness + factor * (rows.transpose() * rows + feet);
    let mut push = |words: &str, printed: &str, ours: f64, path: &str| -> Result<(), ReproductionError> {
        let row = ComparisonRow::new("1.2.6", words, "").printed(printed).by_formula();
        found.push(row.compared_with(ours, known.relative(path, 1e-12)?));
        Ok(())
    };
    push("K11 / 1e4 [N/mm]", "5.333", stiffness[(0, 0)] / 1e4, "K_1e4/0")?;
    push("K22 / 1e4 [N/mm]", "2.1", stiffness[(1, 1)] / 1e4, "K_1e4/1")?;
    push("penalty C [N/mm]", "5.333e8", factor, "C")?;
    for ((i, j), printed) in KC_PRINTED {
        push(&format!("Kc{i}{j} / 1e8 [N/mm]"), printed, whole[(i - 1, j - 1)] / 1e8, &format!("Kc_1e8/{i}{j}"))?;
    }
    let literal = stiffness + factor * (rows.transpose() * rows + factor * feet);
    let solved = literal.lu().solve(&Vector5::new(0.0, 0.0, 0.0, 0.0, LOAD)).map_or(f64::NAN, |q| q[4]);
    let row = ComparisonRow::new("(64), (67)", "Q5, C in both equations as printed", "mm").by_formula();
    let remark = "C belongs into one of the two, as in the listing.";
    found.push(row.remark(remark).compared_with(solved, known.relative("literal_mm/4", 1e-9)?));
    Ok(())
}

/// The entries of the constrained stiffness matrix, as printed.
const KC_PRINTED: [((usize, usize), &str); 9] = [
    ((1, 1), "5.3339"),
    ((1, 3), "-0.0005"),
    ((1, 5), "-1.7778"),
    ((2, 2), "5.3335"),
    ((2, 4), "-0.0002"),
    ((2, 5), "-4.4444"),
    ((3, 3), "5.3339"),
    ((4, 4), "5.3335"),
    ((5, 5), "4.2963"),
];
