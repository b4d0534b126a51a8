//! Penalty compared with projection, both with Baumgarte's terms, at the tolerances of ode23. [Newhart2019] Figures 19 and 26

use super::ode23;
use super::pendulum::{BAUMGARTE, choice};
use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, nan_max};
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::ComparisonRow;
use taut::formulations::Method;

/// A comparison: source, description, reference values, penalty, columns with units in the order of the reference.
pub struct ComparedRuns {
    pub source: &'static str,
    pub words: &'static str,
    pub known: &'static str,
    pub penalty: f64,
    pub columns: &'static [(&'static str, &'static str)],
}

/// Rows of the largest difference of each coordinate and velocity.
pub fn push_differences(
    found: &mut ExampleResults,
    case: &PaperModel,
    of: &ComparedRuns,
) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of(of.known)?;
    let run = |method| case.run_with(&ode23(&case.settings).choice(choice(method, &BAUMGARTE, of.penalty)));
    let (penalty, projection) = (run(Method::StaticPenalty)?, run(Method::HeaneyHou)?);
    for (i, (column, unit)) in of.columns.iter().enumerate() {
        let (a, b) = (penalty.column(column)?, projection.column(column)?);
        let most = a.iter().zip(b).fold(0.0, |most, (a, b)| nan_max(most, (a - b).abs()));
        let row = ComparisonRow::new(of.source, format!("|penalty - projection| of {column}, {}", of.words), unit);
        let row = row.remark(
            "both runs err by far more than this at the tolerances of ode23; their difference is of order 1/mu as long as \
             both take the same steps.",
        );
        let reference = known.number(&format!("penalty_minus_projection/{i}"))?;
        let from = "independent implementation of the thesis' methods with the step control of ode23 (1e-3, 1e-6)";
        found.push(row.alongside(most, reference, from));
    }
    Ok(())
}
