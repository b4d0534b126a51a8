//! The motion of the double four-bar: truth, ranks, singular poses. [Kamaraj2021] sections 3.1 and 4.1

use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at, largest_absolute};
use crate::reproduce::curve::crossings;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::print::Print;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use std::f64::consts::{FRAC_PI_2, TAU};
use taut::analyses::rank;

pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("kamaraj-2021/double_four_bar")?;
    let tight = [("settings.rtol", "1e-12"), ("settings.atol", "1e-12"), ("outputs.every", "5 ms")];
    let motion = PaperModel::open("kamaraj_double_four_bar", &tight)?.run()?;
    for t in known.list("t")? {
        for (name, unit) in [("x", "m"), ("y", "m"), ("vx", "m/s"), ("vy", "m/s")] {
            let row = ComparisonRow::new("4.1, Fig. 4", format!("{name} of node A at {t} s"), unit);
            let ours = at(&motion, &format!("crank0.tip.{name}"), t)?;
            // Velocities go to 7 m/s and accelerations to 50 m/s²: their error is larger by as much.
            let tolerance = if name.starts_with('v') { 1e-8 } else { 1e-9 };
            found.push(row.compared_with(ours, known.absolute_at(name, t, tolerance)?));
        }
    }
    let energy = |i: usize| -> Result<f64, ReproductionError> {
        Ok(motion.column("energy.kinetic")?[i] + motion.column("energy.potential")?[i])
    };
    let row = ComparisonRow::new("4.1", "energy at the start", "J");
    found.push(row.compared_with(energy(0)?, known.absolute("energy_J", 1e-12)?));
    let row = ComparisonRow::new("4.1", "largest energy drift in 10 s, default at 1e-12", "J");
    let from = "nothing is lost";
    found.push(row.compared_with(largest_absolute(&motion, "energy.balance")?, Reference::at_most(1e-8, from)));
    poses(found, &known)?;
    let passed = crossings(&motion, "crank0.theta", "crank0.omega", 0.0)?;
    let row = ComparisonRow::new("3.1", "first passage of the flat pose", "s");
    found.push(
        row.compared_with(passed.first().copied().unwrap_or(f64::NAN), known.absolute("first_singular_s", 1e-9)?),
    );
    let turned = crossings(&motion, "crank0.theta", "crank0.omega", FRAC_PI_2 - TAU)?;
    let row = ComparisonRow::new("3.1", "time of a full turn", "s");
    found.push(row.compared_with(turned.first().copied().unwrap_or(f64::NAN), known.absolute("full_turn_s", 1e-9)?));
    Ok(())
}

/// Ranks, and what eq. (17) as printed makes of the upright pose.
fn poses(found: &mut ExampleResults, known: &ReferenceValues) -> Result<(), ReproductionError> {
    let erratum = "With the cranks upright, the 14 rows are independent; the singular poses are those in which all bars lie flat.";
    for (start, name, key) in [("90 deg", "upright", "rank_upright"), ("0 deg", "flat", "rank_horizontal")] {
        let case = PaperModel::open("kamaraj_double_four_bar", &[("start", start)])?;
        let ours = rank(&case.model, &case.start)?.rank as f64;
        let row = ComparisonRow::new("3.1", format!("rank of the 14 rows, {name}"), "");
        let row = if name == "upright" {
            row.print(Print::within("singular: below 14", 0.0, 13.0)).erratum(erratum)
        } else {
            row
        };
        found.push(row.compared_with(ours, known.absolute(key, 0.0)?));
    }
    let case = PaperModel::open("kamaraj_four_bar_coordinates", &[])?;
    for (words, printed, ours) in [
        ("redundant coordinates", "15", case.start.v.len()),
        ("constraints", "14", rank(&case.model, &case.start)?.rank),
        ("equations with Lagrange's multipliers", "29", case.start.v.len() + rank(&case.model, &case.start)?.rank),
    ] {
        found.push(ComparisonRow::new("3.1", words, "").printed(printed).ours(ours as f64));
    }
    let case = PaperModel::open("kamaraj_double_four_bar", &[])?;
    let q = |name: &str| case.model.get(&case.start, name);
    // Rows 5, 7, 9, 11, 13 of (17) as printed: all cranks at the origin.
    let (x2, x3, x4, x5) = (q("coupler1.x")?, q("crank1.x")?, q("coupler2.x")?, q("crank2.x")?);
    let residuals = [x3, x2 - 2.0 * x3 + 0.5, x4 - 2.0 * x3 - 0.5, x4 - 2.0 * x5 + 0.5, x5];
    let ours = residuals.into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let row = ComparisonRow::new("(17)", "largest residual of the rows as printed, upright", "m").by_formula().remark(
        "printed: all three cranks hinged at the origin. Right: x3 - l and x5 - 2l in rows 5 and 13, and +l, +l, +2l in rows \
         7, 9 and 11.",
    );
    found.push(row.compared_with(ours, known.absolute("printed_residual", 1e-12)?));
    Ok(())
}
