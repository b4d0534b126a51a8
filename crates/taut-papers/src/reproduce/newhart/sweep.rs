//! What the penalty factor does. [Newhart2019] section 2.3, Figures 2 to 4 and Table 1

use super::ode23;
use super::pendulum::{BAUMGARTE, choice, x_error};
use crate::reproduce::ExampleResults;
use crate::reproduce::case::PaperModel;
use crate::reproduce::curve::slope;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use taut::drift::DriftControl;
use taut::formulations::Method;
use taut_io::plot::{Figure, Marks, Panel, Scale, Series};

/// A method that is swept: words, figure, formulation, drift control, entry of the reference, last power of ten.
type SweptMethod = (&'static str, &'static str, Method, DriftControl, &'static str, i32);

const SWEPT: [SweptMethod; 3] = [
    ("static penalty", "Fig. 2", Method::StaticPenalty, DriftControl::None, "static_penalty", 8),
    ("static penalty, Baumgarte", "Fig. 3", Method::StaticPenalty, BAUMGARTE, "static_penalty_baumgarte", 8),
    ("alternate penalty", "Fig. 4", Method::GoicoleaOrden, DriftControl::None, "alternate_penalty", 6),
];

pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("newhart-2019/penalty_sweep")?;
    let case = PaperModel::open("newhart_pendulum", &[])?;
    let mut lines = Vec::new();
    for (words, figure, method, drift, key, last) in &SWEPT {
        let mut line = Series { label: (*words).to_string(), x: Vec::new(), y: Vec::new() };
        for power in 1..=*last {
            let choice = choice(*method, drift, 10_f64.powi(power));
            let motion = case.run_with(&ode23(&case.settings).choice(choice))?;
            let entry = format!("runs/1e{power}/{key}");
            let error = x_error(&motion)?;
            line.x.push(10_f64.powi(power));
            line.y.push(error);
            let remark = "at the tolerances of ode23; the seconds of Table 1 are not reproducible, their shape is: flat for \
                          the static penalty, growing as the root of mu for the alternate one.";
            let row = ComparisonRow::new("Table 1", format!("evaluations, {words}, mu = 1e{power}"), "").remark(remark);
            let count = motion.statistics.evaluations as f64;
            found.push(row.alongside(count, known.number(&format!("{entry}/evaluations"))?, known.from()));
            let row =
                ComparisonRow::new(figure, format!("largest error of x, {words}, mu = 1e{power}"), "m").remark(remark);
            found.push(row.alongside(error, known.number(&format!("{entry}/x_error"))?, known.from()));
        }
        lines.push(line);
    }
    slopes(found, &case)?;
    let panel = Panel { label: "largest error of x".to_string(), unit: "m".to_string(), series: lines };
    let figure = Figure {
        scales: (Scale::Logarithmic, Scale::Logarithmic),
        marks: Marks::Points,
        ..Figure::new("penalty", "1", vec![panel])
    };
    let caption = "Error of the penalty methods over the penalty, tolerances of ode23 (Figures 2 to 4)";
    found.picture("newhart_penalties", caption, figure);
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
