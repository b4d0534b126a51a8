//! The slider-crank, as printed and as a mechanism. [Newhart2019] section 2.4.3

use super::difference::{self, ComparedRuns};
use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at, nan_max};
use crate::reproduce::curve::crossings;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::ComparisonRow;
use std::f64::consts::FRAC_PI_2;

/// How near the truth every run must come.
const REFERENCE_TOLERANCE: f64 = 1e-9;

pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    as_printed(found)?;
    as_mechanism(found)
}

/// The equations of the thesis: a diagonal mass matrix.
fn as_printed(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("newhart-2019/slider_thesis")?;
    let case = PaperModel::open("newhart_slider_crank_coordinates", &[("outputs.every", "1 ms")])?;
    let motion = case.run()?;
    for t in known.list("t")? {
        for (column, name, unit) in
            [("arms.one", "theta1", "rad"), ("arms.two", "theta2", "rad"), ("arms.slider", "x3", "m")]
        {
            let row = ComparisonRow::new("2.4.3", format!("{name} at {t} s, M as printed"), unit);
            found.push(row.compared_with(at(&motion, column, t)?, known.absolute_at(name, t, REFERENCE_TOLERANCE)?));
        }
    }
    // What the true energy does along it: couplings that are left out do work.
    let read = |name: &str| motion.column(name);
    let (q1, q2, w1, w2, v) =
        (read("arms.one")?, read("arms.two")?, read("arms.one'")?, read("arms.two'")?, read("arms.slider'")?);
    let energy = |i: usize| {
        let (s1, s12, c2) = (q1[i].cos(), (q1[i] + q2[i]).cos(), q2[i].cos());
        let (a, b) = (w1[i], w1[i] + w2[i]);
        let kinetic =
            0.5 * (4.0 / 3.0 * a * a + 4.0 * a * a + 4.0 / 3.0 * b * b + 4.0 * a * b * c2) + 0.5 * v[i] * v[i];
        // Heights of the mass centres: angles count from −y.
        kinetic - 9.81 * (s1 + 2.0 * s1 + s12)
    };
    let change = (0..motion.len()).map(|i| (energy(i) - energy(0)).abs()).fold(0.0, nan_max);
    let row = ComparisonRow::new("2.4.3", "largest change of the true energy, M as printed", "J");
    let row = row.remark(
        "printed: a diagonal mass matrix. Right: theta2 is relative, so M11 = m1 L1^2/3 + m2 (L1^2 + L2^2/3 + L1 L2 cos \
         theta2), M12 = m2 (L2^2/3 + L1 L2 cos(theta2)/2); without them the mechanism gains and loses energy.",
    );
    found.push(row.compared_with(change, known.absolute("energy_error_J", 1e-4)?));
    difference::push_differences(found, &case, &COMPARED)
}

const COMPARED: ComparedRuns = ComparedRuns {
    source: "Fig. 26",
    words: "M as printed, mu = 1e5",
    known: "newhart-2019/slider_thesis",
    penalty: 1e5,
    seconds: "0.3141 s, 0.3085 s",
    hidden: false,
    columns: &[
        ("arms.one", "rad"),
        ("arms.two", "rad"),
        ("arms.slider", "m"),
        ("arms.one'", "rad/s"),
        ("arms.two'", "rad/s"),
        ("arms.slider'", "m/s"),
    ],
};

/// The mechanism itself, in absolute coordinates of three bodies.
fn as_mechanism(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("newhart-2019/slider_physical")?;
    let case = PaperModel::open("newhart_slider_crank", &[("outputs.every", "10 ms")])?;
    let motion = case.run()?;
    for t in known.list("t")? {
        // Angles of the thesis count from −y, and the second from the first.
        let (crank, rod) = (at(&motion, "crank.theta", t)?, at(&motion, "rod.theta", t)?);
        let reported = [
            ("theta1", crank + FRAC_PI_2, "rad"),
            ("theta2", rod - crank, "rad"),
            ("x3", at(&motion, "slider.x", t)?, "m"),
        ];
        for (name, ours, unit) in reported {
            let row = ComparisonRow::new("2.4.3", format!("{name} at {t} s, mechanism"), unit);
            found.push(row.compared_with(ours, known.absolute_at(name, t, REFERENCE_TOLERANCE)?));
        }
    }
    // Equal arms fold where the slider comes home: a branch point, which the motion passes straight on.
    let across =
        PaperModel::open("newhart_slider_crank", &[("outputs.every", "1 ms"), ("settings.duration", "1.74 s")])?;
    let passed = crossings(&across.run()?, "slider.x", "slider.vx", 0.0)?;
    let ours = passed.first().copied().unwrap_or(f64::NAN);
    let row = ComparisonRow::new("2.4.3", "time at which the arms fold (x3 = 0)", "s");
    let row = row.remark("the thesis runs past it, to 1.8 s; there the mechanism may branch.");
    found.push(row.compared_with(ours, known.absolute("fold_s", REFERENCE_TOLERANCE)?));
    Ok(())
}
