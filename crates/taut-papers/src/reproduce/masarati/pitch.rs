//! Flap and pitch of a helicopter blade, tied by a rigid pitch link or by a stiff control.
//! [Masarati2010] section 4.3, eqs. (28) to (30), table 3

use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at, largest_absolute};
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use std::f64::consts::PI;
use taut::Solution;

/// Rotor speed, rad/s.
const OMEGA: f64 = 40.0;

/// Index of the values, column, what it is, unit.
const COLUMNS: [(usize, &str, &str, &str); 4] = [
    (0, "blade.flap", "flap", "rad"),
    (1, "blade.pitch", "pitch", "rad"),
    (2, "blade.flap'", "flap rate", "rad/s"),
    (3, "blade.pitch'", "pitch rate", "rad/s"),
];

/// Motion and force of the rigid link.
pub fn link(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let (case, known) =
        (PaperModel::open("masarati_pitch_link", &[])?, ReferenceValues::of("masarati-2010/pitch_link")?);
    let motion = case.run()?;
    for (i, t) in known.list("t")?.into_iter().enumerate().filter(|(_, t)| *t != 1.5) {
        for (k, column, words, unit) in COLUMNS {
            let reference = known.absolute(&format!("beta_theta_and_rates/{i}/{k}"), 1e-9)?;
            found.push(
                ComparisonRow::new("4.3", format!("{words} at {t} s"), unit)
                    .compared_with(at(&motion, column, t)?, reference),
            );
        }
        // Tension is positive in the paper: −λ here.
        let force = -at(&motion, "link.lambda_phi", t)?;
        let reference = known.absolute(&format!("link_force/{i}"), 1e-9)?;
        found.push(
            ComparisonRow::new("4.3", format!("force in the link at {t} s"), "N").compared_with(force, reference),
        );
    }
    steady(found, &case, &known)
}

/// The steady state: amplitude, harmonics of the force, and its peak before.
fn steady(found: &mut ExampleResults, case: &PaperModel, known: &ReferenceValues) -> Result<(), ReproductionError> {
    let last = sampled(case, 2.0 - 3.0 * 2.0 * PI / OMEGA, 2.0, 600)?;
    let flap = largest_absolute(&sampled(case, 1.5, 2.0, 5000)?, "blade.flap")?;
    let row = ComparisonRow::new("Fig. 10", "largest flap after 1.5 s", "rad");
    found.push(row.compared_with(flap, known.absolute("flap_amplitude", 1e-8)?));
    for order in 1..=4 {
        let row = ComparisonRow::new("Fig. 12", format!("harmonic {order} of the force in the link"), "N");
        let row = match order {
            2 => row
                .printed("a small second harmonic")
                .erratum("The kinematics of the link are an odd function, so the small harmonic is the third."),
            _ => row,
        };
        found.push(
            row.compared_with(harmonic(&last, order)?, known.absolute(&format!("harmonics/{order}~1rev"), 1e-9)?),
        );
    }
    let late = sampled(case, 1.5, 2.0, 5000)?;
    let tension = late.column("link.lambda_phi")?.iter().map(|x| -x);
    let (low, high) = tension.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    for (i, (words, ours)) in [("smallest", low), ("largest", high)].into_iter().enumerate() {
        let row = ComparisonRow::new("Fig. 12", format!("{words} force in the link after 1.5 s"), "N");
        found.push(row.compared_with(ours, known.absolute(&format!("link_force_range/{i}"), 1e-7)?));
    }
    let start = sampled(case, 0.0, 0.1, 1000)?;
    let row = ComparisonRow::new("Fig. 12", "largest force in the link", "N");
    found.push(
        row.compared_with(largest_absolute(&start, "link.lambda_phi")?, known.absolute("peak_link_force", 1e-6)?),
    );
    let coarse = sampled(case, 0.0, 0.1, 10)?;
    let row = ComparisonRow::new("Fig. 12", "largest force in the link, seen every 10 ms", "N");
    found.push(
        row.compared_with(largest_absolute(&coarse, "link.lambda_phi")?, known.absolute("peak_every_10ms", 1e-6)?),
    );
    Ok(())
}

/// A run with outputs at equal intervals of a stretch, both ends included.
fn sampled(case: &PaperModel, from: f64, to: f64, intervals: usize) -> Result<Solution, ReproductionError> {
    let times = (0..=intervals).map(|i| from + (to - from) * i as f64 / intervals as f64).collect();
    case.run_with(&case.settings.clone().at(times))
}

/// Size of a harmonic of the rotor speed in the link's force, by Fourier's sum over whole revolutions.
fn harmonic(motion: &Solution, order: i32) -> Result<f64, ReproductionError> {
    let (t, force) = (motion.t(), motion.column("link.lambda_phi")?);
    // The last output is the first of the next period.
    let n = t.len().saturating_sub(1);
    let sum = |part: fn(f64) -> f64| -> f64 {
        (0..n).map(|i| force[i] * part(f64::from(order) * OMEGA * t[i])).sum::<f64>() * 2.0 / n as f64
    };
    Ok(sum(f64::cos).hypot(sum(f64::sin)))
}

/// 1.0625 read as the frequency ratio itself, as table 3 prints it.
pub fn wrong_ratio(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let by_formula = (1.0 + 1.5 * 0.2 / (5.0 - 0.2_f64)).sqrt();
    let row = ComparisonRow::new("Table 3", "flap frequency ratio by its own footnote", "").printed("1.0625");
    let closed = Reference::absolute(1.030_776_406_404_415, 1e-12, "closed form (footnote a of table 3)");
    found.push(
        row.compared_with(by_formula, closed).by_formula().erratum("1.0625 is the square of the frequency ratio."),
    );
    let row = ComparisonRow::new("4.3", "pitch frequency over rotor speed, control and centrifugal stiffness", "")
        .printed("10.5");
    let closed = Reference::absolute(10.547_511_554_864_49, 1e-12, "closed form (eq. (30b))");
    let erratum =
        "10.5 is the value of the control stiffness alone; with the centrifugal stiffness it also rounds to 10.5.";
    found.push(row.compared_with((1.0 + 10.5_f64 * 10.5).sqrt(), closed).by_formula().remark(erratum));
    for (words, text, ours) in [
        ("control stiffness from 10.5 Omega [N m]", "1.6538e4", 9.375e-2 * (10.5_f64 * OMEGA).powi(2)),
        ("pitch-flap coupling", "0.25", 0.05 / 0.2),
    ] {
        found.push(ComparisonRow::new("Table 3", words, "").printed(text).by_formula().ours(ours));
    }

    let known = ReferenceValues::of("masarati-2010/pitch_link_wrong_ratio")?;
    let case = PaperModel::open("masarati_pitch_link", &[("ratio2", "1.0625^2")])?;
    let motion = case.run()?;
    for (i, t) in known.list("t")?.into_iter().enumerate().filter(|(_, t)| [0.5, 2.0].contains(t)) {
        for (k, column, words, unit) in &COLUMNS[..2] {
            let reference = known.absolute(&format!("beta_theta_and_rates/{i}/{k}"), 1e-9)?;
            let row = ComparisonRow::new("Table 3", format!("{words} at {t} s, 1.0625 taken for the ratio"), unit);
            found.push(row.compared_with(at(&motion, column, t)?, reference));
        }
    }
    let coarse = sampled(&case, 0.0, 0.1, 10)?;
    let row = ComparisonRow::new("Table 3", "largest force every 10 ms, 1.0625 taken for the ratio", "N");
    found.push(
        row.compared_with(largest_absolute(&coarse, "link.lambda_phi")?, known.absolute("peak_every_10ms", 1e-6)?),
    );
    Ok(())
}
