//! Actuators that prescribe a length, a velocity, an acceleration: the force is what is sought. [MitiguyBanerjee2000]

use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at};
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::ComparisonRow;

/// All three.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    length(found)?;
    velocity(found)?;
    acceleration(found)
}

/// Two masses whose distance follows 1 + 0.2 sin 5t: the force is the reduced mass times the acceleration.
fn length(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("mitiguy-banerjee-2000/length_actuator")?;
    let motion = PaperModel::open("mitiguy_length_actuator", &[])?.run()?;
    let columns = [
        ("force", "actuator.lambda_relation", "force that pushes the masses apart", "N"),
        ("x1", "one.x", "place of the first mass", "m"),
        ("x2", "two.x", "place of the second mass", "m"),
    ];
    for t in known.list("t")? {
        for (name, column, words, unit) in columns {
            let row = ComparisonRow::new("length", format!("{words} at {t} s"), unit);
            found.push(row.compared_with(at(&motion, column, t)?, known.absolute_at(name, t, 1e-10)?));
        }
    }
    Ok(())
}

/// A hoist that lifts 10 kg with 0.5 t, then 1 m/s.
fn velocity(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("mitiguy-banerjee-2000/velocity_actuator")?;
    let motion = PaperModel::open("mitiguy_hoist", &[])?.run()?;
    let rows = [
        ("force_rising", "hoist.lambda_relation", 1.0, "force while it speeds up", "N"),
        ("force_steady", "hoist.lambda_relation", 3.0, "force at constant speed", "N"),
        ("height_at_3s", "load.z", 3.0, "height at 3 s", "m"),
    ];
    for (name, column, t, words, unit) in rows {
        found.push(
            ComparisonRow::new("velocity", words, unit)
                .compared_with(at(&motion, column, t)?, known.absolute(name, 1e-9)?),
        );
    }
    Ok(())
}

/// A crank that is speeded up by 2 rad/s².
fn acceleration(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("mitiguy-banerjee-2000/acceleration_actuator")?;
    let motion = PaperModel::open("mitiguy_crank", &[])?.run()?;
    for t in known.list("t")? {
        let row = ComparisonRow::new("acceleration", format!("torque at {t} s"), "N m");
        found.push(row.compared_with(at(&motion, "motor.mz", t)?, known.absolute_at("torque", t, 1e-10)?));
    }
    Ok(())
}
