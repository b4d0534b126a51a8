//! A chain of two uniform rods, let go along the horizontal. [MitiguyBanerjee2000]

use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at, largest_absolute};
use crate::reproduce::decade::next_power_of_ten;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use std::f64::consts::FRAC_PI_2;

/// Names of the values, columns, what they are, units, and where the columns count from.
const COLUMNS: [(&str, &str, &str, &str, f64); 4] = [
    ("theta1", "upper.theta", "angle of the upper rod from below", "rad", FRAC_PI_2),
    ("theta2", "lower.theta", "angle of the lower rod from below", "rad", FRAC_PI_2),
    ("omega1", "upper.omega", "rate of the upper rod", "rad/s", 0.0),
    ("omega2", "lower.omega", "rate of the lower rod", "rad/s", 0.0),
];

/// Angles and rates, energy, and a picture of both angles.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let (case, known) = (
        PaperModel::open("mitiguy_double_pendulum", &[])?,
        ReferenceValues::of("mitiguy-banerjee-2000/double_pendulum")?,
    );
    let motion = case.run()?;
    for t in known.list("t")? {
        for (name, column, words, unit, from) in COLUMNS {
            let row = ComparisonRow::new("own case", format!("{words} at {t} s"), unit);
            found.push(row.compared_with(at(&motion, column, t)? + from, known.absolute_at(name, t, 1e-9)?));
        }
    }
    let row = ComparisonRow::new("own case", "change of the energy, largest", "J");
    let conserved = Reference::at_most(1e-10, "the energy is conserved");
    found.push(row.compared_with(next_power_of_ten(largest_absolute(&motion, "energy.balance")?), conserved));
    Ok(())
}
