//! The static example: a rigid bar on two rods, by penalties and exactly. [Newhart2019] section 1.2.6

use crate::reproduce::ExampleResults;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::ComparisonRow;
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
            let row = ComparisonRow::new("1.2.6", format!("Q{}, {words}", i + 1), "mm").printed(*printed);
            found.push(row.compared_with(*ours, known.absolute(&format!("{key}/{i}"), 1e-9)?));
        }
    }
    let row = ComparisonRow::new("1.2.6", "relative error of the penalty", "");
    found.push(row.compared_with(both.error, known.absolute("relative_penalty_error", 1e-7)?));
    Ok(())
}
