//! The pendulum under all methods of the thesis. [Newhart2019] section 2.4.1

use super::ode23;
use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at, nan_max};
use crate::reproduce::curve::exact_pendulum;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::print::Print;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use taut::Solution;
use taut::drift::{DriftControl, ProjectionWeight};
use taut::dynamics::SolverSettings;
use taut::formulations::{Exactness, FormulationParameters, Method};

/// A run of the thesis: words, source, formulation, drift control, penalty, entry of the reference, printed seconds.
type Run = (&'static str, &'static str, Method, DriftControl, f64, &'static str, &'static str);

/// The corrections of the listings move coordinates by C_q^T (C_q C_q^T)^-1: unit weights.
const RATES: DriftControl = DriftControl::RatesOnly(ProjectionWeight::Identity);
/// The stabilisation of the listings.
pub const BAUMGARTE: DriftControl = DriftControl::baumgarte(20.0, 20.0);

const NONE: DriftControl = DriftControl::None;
const RUNS: [Run; 10] = [
    ("static penalty, as the program runs", "A.2.a", Method::StaticPenalty, NONE, 1e5, "static_penalty", "0.9365 s"),
    ("static penalty, rates corrected", "(71)", Method::StaticPenalty, RATES, 1e5, "static_penalty_corrected", ""),
    (
        "static penalty, Baumgarte",
        "(72), A.2.b",
        Method::StaticPenalty,
        BAUMGARTE,
        1e5,
        "static_penalty_baumgarte",
        "1.0045 s",
    ),
    ("projection, as the program runs", "A.2.c", Method::HeaneyHou, NONE, 1e5, "projection", "1.0887 s"),
    ("projection, rates corrected", "(48)", Method::HeaneyHou, RATES, 1e5, "projection_corrected", ""),
    ("projection, Baumgarte", "A.2.d", Method::HeaneyHou, BAUMGARTE, 1e5, "projection_baumgarte", "0.9484 s"),
    ("alternate penalty", "(52), A.2.e", Method::GoicoleaOrden, NONE, 1e5, "alternate_penalty", "1.6363 s"),
    ("index 2, static", "(55)", Method::Index2Static, NONE, 1e5, "index2_eq55", "1.1308 s"),
    ("index 2, mu = 1e3", "(58)", Method::Index2, NONE, 1e3, "index2_eq58", ""),
    (
        "static penalty, Baumgarte, beta = 4.4721",
        "2.4.1",
        Method::StaticPenalty,
        DriftControl::baumgarte(20.0, 4.4721),
        1e5,
        "static_penalty_baumgarte_text",
        "",
    ),
];

pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    exact(found)?;
    as_the_thesis(found)?;
    as_printed(found)
}

/// A method with its penalty, where it has one.
pub fn choice(method: Method, drift: &DriftControl, penalty: f64) -> SolverSettings {
    let setup = FormulationParameters { penalty: Some(penalty), ..FormulationParameters::default() };
    SolverSettings { method, drift: drift.clone(), setup, ..SolverSettings::default() }
}

/// Largest distance of x from the exact motion.
pub fn x_error(motion: &Solution) -> Result<f64, ReproductionError> {
    let x = motion.column("mass.x")?;
    Ok(motion.t().iter().zip(x).fold(0.0, |most, (t, x)| nan_max(most, (x - exact_pendulum(9.81, *t).0).abs())))
}

/// Every method that has no penalty, at a tight tolerance, against elliptic functions.
fn exact(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("newhart-2019/pendulum")?;
    let case = PaperModel::open("newhart_pendulum", &[("settings.rtol", "1e-10"), ("settings.atol", "1e-10")])?;
    let exact =
        |m: &&Method| m.dense(&FormulationParameters::default()).is_none_or(|d| d.exactness() == Exactness::Exact);
    for method in Method::ALL.iter().filter(exact) {
        let motion = case
            .run_with(&case.settings.clone().choice(SolverSettings { method: *method, ..SolverSettings::default() }))?;
        for (column, name) in [("mass.x", "x"), ("mass.y", "y")] {
            let row = ComparisonRow::new("2.4.1", format!("{name} at 5 s, {}, 1e-10", method.name()), "m");
            found.push(row.compared_with(at(&motion, column, 5.0)?, known.absolute_at(name, 5.0, 1e-8)?));
        }
    }
    Ok(())
}

/// What the programs of the thesis do, with the tolerances of ode23.
fn as_the_thesis(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("newhart-2019/pendulum_runs")?;
    let direct = PaperModel::open("newhart_pendulum_direct", &[])?;
    let motion = direct.run_with(&ode23(&direct.settings))?;
    let theta = motion.column("pendulum.theta")?;
    let apart = motion.t().iter().zip(theta).map(|(t, a)| (a.sin() - exact_pendulum(9.81, *t).0).abs());
    let counts = (motion.statistics.steps, apart.fold(0.0, nan_max));
    push_run_rows(found, &known, ("direct, the angle alone", "A.2.g", "direct", "0.8391 s"), counts)?;
    for (words, source, method, drift, mu, key, seconds) in &RUNS {
        let motion = ode23_run(*method, drift, *mu)?;
        push_run_rows(found, &known, (words, source, key, seconds), (motion.statistics.steps, x_error(&motion)?))?;
    }
    Ok(())
}

/// The pendulum under one method, with the pair and the tolerances of ode23.
pub fn ode23_run(method: Method, drift: &DriftControl, mu: f64) -> Result<Solution, ReproductionError> {
    let case = PaperModel::open("newhart_pendulum", &[])?;
    case.run_with(&ode23(&case.settings).choice(choice(method, drift, mu)))
}

/// Steps and error, compared with those of an independent program.
fn push_run_rows(
    found: &mut ExampleResults,
    known: &ReferenceValues,
    who: (&str, &str, &str, &str),
    ours: (u64, f64),
) -> Result<(), ReproductionError> {
    let (words, source, key, seconds) = who;
    let other = ReferenceValues::of("newhart-2019/pendulum_runs_ode23")?;
    let remark = format!(
        "The step control of ode23 itself makes {} steps with an error of {:.4} m.",
        other.number(&format!("runs/{key}/steps"))?,
        other.number(&format!("runs/{key}/x_error"))?
    );
    let row = ComparisonRow::new(source, format!("steps, {words}"), "").remark(remark);
    let row = if seconds.is_empty() { row } else { row.print(Print::beside(seconds)) };
    found.push(row.compared_with(ours.0 as f64, known.relative(&format!("runs/{key}/steps"), 0.01)?));
    let row = ComparisonRow::new(source, format!("largest error of x, {words}"), "m");
    found.push(row.compared_with(ours.1, known.relative(&format!("runs/{key}/x_error"), 0.02)?));
    Ok(())
}

/// Signs as printed: both diverge.
fn as_printed(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let open = |set: &[(&str, &str)]| PaperModel::open("newhart_pendulum_printed", set);
    let stabilised = open(&[("mu", "1e5"), ("signed", "1"), ("settings.max_steps", "100000")])?;
    let motion = stabilised.run_to_any_end(&ode23(&stabilised.settings))?;
    let reached = motion.column("mass.x")?.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let row = ComparisonRow::new("(72), A.2.b", "largest |x|, Baumgarte's terms with the sign as printed", "m").remark(
        "printed: gamma + B in the listing, -mu C_q^T (-gamma - 2 alpha C' - zeta C) in (72). Right: gamma - B, and zeta \
         squared. As printed errors grow as exp(48 t): the pendulum leaves its circle.",
    );
    found.push(row.compared_with(reached, Reference::at_least(10.0, "C'' = 40 C' + 400 C grows without bound")));
    let tight = [("gamma_sign", "-1"), ("alpha", "0"), ("beta", "0")];
    let motion = open(&tight)?.run()?;
    let row = ComparisonRow::new("(48)", "x at 5 s, last line with the sign as printed", "m").remark(
        "printed: - C_q^T (..)^-1 gamma in the last line of (48), + in those before. Right: +. As printed the mass is \
         pushed outwards ever faster.",
    );
    let known = ReferenceValues::of("newhart-2019/pendulum_printed")?;
    found.push(row.compared_with(at(&motion, "mass.x", 5.0)?, known.relative("x_eq48", 1e-6)?));
    Ok(())
}
