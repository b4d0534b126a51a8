//! The flapping blade: as printed, put right in part, and as a mechanism. [Kamaraj2021] sections 3.2 and 4.2

use super::figures::by_the_paper;
use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at, largest_absolute, nan_max};
use crate::reproduce::curve::crossings;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::print::Print;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use std::f64::consts::{PI, TAU};
use taut::Solution;

/// A model of the blade: source, words, file, changes, columns of the angle and its two rates, right values, linear frequency.
pub struct BladeCase {
    source: &'static str,
    words: &'static str,
    file: &'static str,
    set: &'static [(&'static str, &'static str)],
    columns: [&'static str; 3],
    known: &'static str,
    linear: &'static str,
    remark: &'static str,
}

const COORDINATES: [&str; 3] = ["angles.flap", "angles.flap'", "angles.flap''"];
/// A flap angle small enough for the linear frequency, rad.
const SMALL_FLAP_ANGLE: f64 = 1e-4;
const AS_PRINTED: &str = "printed: a plus sign in rows 1 and 2 of (21), no spring in (19). With the sign the blade points \
                          inwards: this is not a flapping blade. The spring is added here.";
const NO_ROTARY: &str = "printed: no moment on the flap angle in (19). Right: -I_cm theta'^2 sin(beta) cos(beta) besides the \
                         spring. Here the sign of (21) and the spring are put right, and nothing else.";

pub const BLADES: [BladeCase; 4] = [
    BladeCase {
        source: "4.2, Fig. 5",
        words: "rigid bodies and hinges",
        file: "kamaraj_flapping_blade",
        set: &[],
        columns: ["flap.angle", "flap.angle.rate", "flap.angle.acceleration"],
        known: "kamaraj-2021/blade",
        linear: "physical",
        remark: "",
    },
    BladeCase {
        source: "(19)-(22)",
        words: "eight coordinates, put right",
        file: "kamaraj_blade_coordinates",
        set: &[],
        columns: COORDINATES,
        known: "kamaraj-2021/blade",
        linear: "physical",
        remark: "",
    },
    BladeCase {
        source: "(19)-(22)",
        words: "eight coordinates, hinge put right",
        file: "kamaraj_blade_coordinates",
        set: &[("rotary", "0")],
        columns: COORDINATES,
        known: "kamaraj-2021/blade_no_rotary",
        linear: "no_rotary",
        remark: NO_ROTARY,
    },
    BladeCase {
        source: "(19)-(22)",
        words: "eight coordinates, as printed",
        file: "kamaraj_blade_coordinates",
        set: &[("rotary", "0"), ("hinge", "1")],
        columns: COORDINATES,
        known: "kamaraj-2021/blade_printed",
        linear: "printed_signs",
        remark: AS_PRINTED,
    },
];

pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let frequencies = ReferenceValues::of("kamaraj-2021/blade_frequencies")?;
    for blade in &BLADES {
        let noted = |row: ComparisonRow| if blade.remark.is_empty() { row } else { row.remark(blade.remark) };
        let known = ReferenceValues::of(blade.known)?;
        let small =
            open(blade, &[(start_of(blade), "1e-4"), ("settings.duration", "1 ms"), ("outputs.every", "1 ms")])?;
        // θ'' = −ω² θ where θ is small.
        let linear = (-at(&small.run()?, blade.columns[2], 0.0)? / SMALL_FLAP_ANGLE).sqrt();
        let row = noted(ComparisonRow::new(blade.source, format!("linear flap frequency, {}", blade.words), "rad/s"));
        found.push(row.compared_with(linear, frequencies.relative(blade.linear, 1e-7)?));
        let motion = open(blade, &[("outputs.every", "5 ms")])?.run()?;
        for t in known.list("t")? {
            let row = noted(ComparisonRow::new(blade.source, format!("beta at {t} s, {}", blade.words), "rad"));
            found.push(row.compared_with(at(&motion, blade.columns[0], t)?, known.absolute_at("beta", t, 1e-8)?));
            let row =
                noted(ComparisonRow::new(blade.source, format!("rate of beta at {t} s, {}", blade.words), "rad/s"));
            found.push(row.compared_with(at(&motion, blade.columns[1], t)?, known.absolute_at("beta_rate", t, 2e-7)?));
        }
        let row =
            noted(ComparisonRow::new(blade.source, format!("mean frequency at 10 deg, {}", blade.words), "rad/s"));
        found.push(row.compared_with(mean_frequency(&motion, blade)?, known.relative("frequency", 1e-7)?));
        if blade.words == BLADES[0].words {
            against_linear(found, &motion, blade, &frequencies)?;
        }
    }
    formula(found, &frequencies)?;
    by_udwadia_kalaba(found)
}

fn start_of(blade: &BladeCase) -> &'static str {
    if blade.file == "kamaraj_flapping_blade" { "beta" } else { "b0" }
}

pub fn open(blade: &BladeCase, changes: &[(&str, &str)]) -> Result<PaperModel, ReproductionError> {
    PaperModel::open(blade.file, &[blade.set, changes].concat())
}

/// Whole periods between the first and the last upward passage of zero.
fn mean_frequency(motion: &Solution, blade: &BladeCase) -> Result<f64, ReproductionError> {
    let passed = crossings(motion, blade.columns[0], blade.columns[1], 0.0)?;
    // Every second passage goes the same way.
    let count = (passed.len().saturating_sub(1)) / 2;
    let (Some(first), Some(last)) = (passed.first(), passed.get(2 * count)) else {
        return Err(ReproductionError::new("the blade does not swing"));
    };
    Ok(TAU * count as f64 / (last - first))
}

/// Eq. (25) with the correct frequency, compared with the true motion.
fn against_linear(
    found: &mut ExampleResults,
    motion: &Solution,
    blade: &BladeCase,
    frequencies: &ReferenceValues,
) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("kamaraj-2021/blade_linear")?;
    let (w, beta0, beta) = (frequencies.number("physical")?, PI / 18.0, motion.column(blade.columns[0])?);
    for (until, key) in [(0.5, "deviation_0.5s"), (5.0, "deviation_5s")] {
        let apart = motion.t().iter().zip(beta).filter(|(t, _)| **t <= until + 1e-9);
        let most = apart.map(|(t, b)| (b - beta0 * (w * t).cos()).abs()).fold(0.0, nan_max);
        let row = ComparisonRow::new("(25), Fig. 5", format!("linear apart from nonlinear, up to {until} s"), "rad");
        let row = row.printed("good agreement").erratum(
            "the agreement lasts for a few turns only: at 10 degrees the true frequency is 22.589 rad/s, not 22.754.",
        );
        found.push(row.compared_with(most, known.relative(key, 0.02)?));
    }
    Ok(())
}

/// Eq. (24) as printed and put right, as a formula.
fn formula(found: &mut ExampleResults, known: &ReferenceValues) -> Result<(), ReproductionError> {
    let (lb, ll, m, k, w): (f64, f64, f64, f64, f64) = (8.9, 0.4, 100.0, 2900.0, 22.0);
    let e = ll / (ll + lb);
    let frequency = |nearness: f64, inertia: f64| w * (1.0 + 1.5 * e / nearness + k / (inertia * w * w)).sqrt();
    let (hinge, centre) = (m * lb * lb / 3.0, m * lb * lb / 12.0);
    let remark = "printed: 3 e/(2 (1 - 3 e)). Right: 3 e/(2 (1 - e)), with the inertia about the hinge.";
    for (words, ours, key) in [
        ("1 - 3e as printed, I about the hinge", frequency(1.0 - 3.0 * e, hinge), "eq24_hinge"),
        ("1 - 3e as printed, I about the centre", frequency(1.0 - 3.0 * e, centre), "eq24_centre"),
        ("1 - e, I about the hinge", frequency(1.0 - e, hinge), "physical"),
    ] {
        let row = ComparisonRow::new("(24)", format!("formula with {words}"), "rad/s").by_formula().remark(remark);
        found.push(row.compared_with(ours, known.relative(key, 1e-12)?));
    }
    Ok(())
}

/// The method of the paper: Udwadia–Kalaba with the law of Braun and Goldfarb, RK4, h = 1e-3, the equations put right.
fn by_udwadia_kalaba(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("kamaraj-2021/blade_rk4")?;
    let case = PaperModel::open("kamaraj_blade_coordinates", &[("outputs.every", "5 ms")])?;
    let motion = case.run_with(&by_the_paper(&case.settings))?;
    let remark = "the correction of the coordinates holds the speed too; with the six positions alone, as in the first row of \
                  (15), beta differs by up to 1e-7 rad.";
    for t in known.list("t")? {
        let row =
            ComparisonRow::new("4.2", format!("beta at {t} s, Udwadia-Kalaba, RK4, h = 1e-3"), "rad").remark(remark);
        found.push(row.compared_with(at(&motion, "angles.flap", t)?, known.absolute_at("beta", t, 1e-10)?));
    }
    let row = ComparisonRow::new("4.2, Fig. 6", "largest |Phi_q|, Udwadia-Kalaba, RK4, h = 1e-3", "m");
    let row = row
        .print(Print::within("about six orders below 8.9 m", 2.8e-6, 2.8e-5))
        .erratum("3.7e-5 m are 4.2e-6 of the length of the blade, five orders of magnitude below it.");
    let ours = largest_absolute(&motion, "residual.position")?;
    found.push(row.compared_with(ours, known.relative("phi", 0.01)?));
    let ours = motion.column("angles.azimuth'")?.iter().fold(0.0, |most, w| nan_max(most, (w - 22.0).abs()));
    let row = ComparisonRow::new("4.2, Fig. 7", "largest |Omega - 22|, Udwadia-Kalaba, RK4, h = 1e-3", "rad/s");
    let row = row
        .print(Print::beside("order of 1e-13"))
        .remark("printed: Omega - 2 beta' for the constraint. Right: Omega - 22. Round-off can only be bounded.");
    found.push(row.compared_with(ours, Reference::at_most(3.2e-13, "the order that is printed")));
    Ok(())
}
