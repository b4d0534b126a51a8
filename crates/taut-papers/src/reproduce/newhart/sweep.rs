//! What the penalty factor does. [Newhart2019] section 2.3, Figures 2 to 4 and Table 1

use super::ode23;
use super::pendulum::{BAUMGARTE, choice, x_error};
use crate::reproduce::ExampleResults;
use crate::reproduce::case::PaperModel;
use crate::reproduce::curve::slope;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::print::Print;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use taut::analyses::Output;
use taut::drift::DriftControl;
use taut::formulations::Method;

/// A method that is swept: words, figure, formulation, drift control, entry of the reference, printed seconds from 1e1 to 1e8.
type SweptMethod = (&'static str, &'static str, Method, DriftControl, &'static str, [&'static str; 8]);

const SWEPT: [SweptMethod; 3] = [
    (
        "static penalty",
        "Fig. 2",
        Method::StaticPenalty,
        DriftControl::None,
        "static_penalty",
        ["1.1112 s", "0.9061 s", "0.9291 s", "0.9457 s", "0.9365 s", "0.9418 s", "0.9555 s", "0.9373 s"],
    ),
    (
        "static penalty, Baumgarte",
        "Fig. 3",
        Method::StaticPenalty,
        BAUMGARTE,
        "static_penalty_baumgarte",
        ["0.9679 s", "0.9441 s", "0.9461 s", "0.9825 s", "1.0045 s", "0.9546 s", "0.9673 s", "0.9409 s"],
    ),
    (
        "alternate penalty",
        "Fig. 4",
        Method::GoicoleaOrden,
        DriftControl::None,
        "alternate_penalty",
        ["0.8816 s", "0.9254 s", "0.9874 s", "1.1233 s", "1.6363 s", "2.7658 s", "6.8599 s", "19.3364 s"],
    ),
];

/// From this power of ten on, stability limits the steps of the alternate penalty. Round-off then decides which steps are rejected, and with
/// them the error: the independent program itself gives errors that differ by several per cent if the start differs by 1e-9.
const STABILITY_LIMITED: i32 = 6;
/// What is then compared: the errors decrease with the factor.
const LESS: &str = "the error with a tenth of the factor, by an independent program";

pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("newhart-2019/penalty_sweep")?;
    let case = PaperModel::open("newhart_pendulum", &[])?;
    for (words, figure, method, drift, key, seconds) in &SWEPT {
        for (power, seconds) in (1..).zip(seconds) {
            let choice = choice(*method, drift, 10_f64.powi(power));
            let motion = case.run_with(&ode23(&case.settings).choice(choice))?;
            let entry = format!("runs/1e{power}/{key}");
            let row = ComparisonRow::new("Table 1", format!("steps, {words}, mu = 1e{power}"), "");
            let row = row.print(Print::beside(seconds)).remark(
                "Seconds are not reproducible; their shape is that of the steps: flat for the static penalty, growing as the root \
                 of mu for the alternate one.",
            );
            let steps = motion.statistics.steps as f64;
            found.push(row.compared_with(steps, known.relative(&format!("{entry}/steps"), 0.01)?));
            let row = ComparisonRow::new(figure, format!("largest error of x, {words}, mu = 1e{power}"), "m");
            let reference = match *method == Method::GoicoleaOrden && power >= STABILITY_LIMITED {
                true => Reference::at_most(known.number(&format!("runs/1e{}/{key}/x_error", power - 1))?, LESS),
                false => known.relative(&format!("{entry}/x_error"), 0.02)?,
            };
            found.push(row.compared_with(x_error(&motion)?, reference));
        }
    }
    slopes(found, &case)?;
    round_off(found, &case)
}

/// The largest factors: with them the error grows again.
fn round_off(found: &mut ExampleResults, case: &PaperModel) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("newhart-2019/penalty_round_off")?;
    let error = |mu: f64| -> Result<f64, ReproductionError> {
        let choice = choice(Method::StaticPenalty, &DriftControl::None, mu);
        let settings = case.settings.clone().tolerance(1e-9, 1e-9).choice(choice).output(Output::Steps);
        x_error(&case.run_with(&settings)?)
    };
    let small = error(1e7)?;
    let row = ComparisonRow::new("2.3", "largest error of x, static penalty, mu = 1e7, 1e-9", "m");
    found.push(row.compared_with(small, known.relative("x_error/1e7", 0.2)?));
    let row =
        ComparisonRow::new("2.3", "decades by which the error grows from mu = 1e8 to 1e9, static penalty, 1e-9", "");
    let row = row.print(Print::within("more accurate as penalty factors increase: below 0", -9.0, 0.0)).erratum(
        "True up to some 1e7. M + mu C_q^T C_q has a condition of order mu; beyond that factor its round-off dominates the error, and \
         soon the number of steps.",
    );
    found.push(row.compared_with((error(1e9)? / error(1e8)?).log10(), known.absolute("log10_ratio_1e9_1e8", 0.45)?));
    Ok(())
}

/// Integrated tightly, a penalty leaves a model error of order 1/mu, and nothing else.
fn slopes(found: &mut ExampleResults, case: &PaperModel) -> Result<(), ReproductionError> {
    for (words, method, drift, powers) in [
        ("static penalty", Method::StaticPenalty, DriftControl::None, 3..=7),
        ("static penalty, Baumgarte", Method::StaticPenalty, BAUMGARTE, 1..=6),
        ("alternate penalty", Method::GoicoleaOrden, DriftControl::None, 3..=5),
        ("index 2, eq. (55)", Method::Index2Static, DriftControl::None, 3..=7),
        ("index 2, eq. (58)", Method::Index2, DriftControl::None, 3..=4),
    ] {
        let row = ComparisonRow::new("2.3", format!("power of mu in the model error, {words}, 1e-11"), "");
        let mut points = Vec::new();
        for power in powers {
            let choice = choice(method, &drift, 10_f64.powi(power));
            let settings = case.settings.clone().tolerance(1e-11, 1e-11).choice(choice);
            points.push((f64::from(power), x_error(&case.run_with(&settings)?)?.log10()));
        }
        let from = "first order in 1/mu: (M + mu A^T A)^-1 by Sherman and Morrison";
        found.push(row.compared_with(slope(&points), Reference::absolute(-1.0, 0.05, from)));
    }
    Ok(())
}
