//! Penalty compared with projection, both with Baumgarte's terms, at the tolerances of ode23. [Newhart2019] Figures 19 and 26

use super::ode23;
use super::pendulum::{BAUMGARTE, choice};
use crate::reproduce::Findings;
use crate::reproduce::case::{Case, worst};
use crate::reproduce::known::Known;
use crate::reproduce::row::Row;
use crate::reproduce::trouble::Trouble;
use taut::formulations::Method;

/// A comparison: source, description, reference values, penalty, columns with units in the order of the reference.
pub struct Compared {
    pub source: &'static str,
    pub words: &'static str,
    pub known: &'static str,
    pub penalty: f64,
    pub columns: &'static [(&'static str, &'static str)],
}

/// Rows of the largest difference of each coordinate and velocity.
pub fn tell(found: &mut Findings, case: &Case, of: &Compared) -> Result<(), Trouble> {
    let known = Known::of(of.known)?;
    let run = |method| case.run_with(&ode23(&case.settings).choice(choice(method, &BAUMGARTE, of.penalty)));
    let (penalty, projection) = (run(Method::StaticPenalty)?, run(Method::HeaneyHou)?);
    for (i, (column, unit)) in of.columns.iter().enumerate() {
        let (a, b) = (penalty.column(column)?, projection.column(column)?);
        let most = a.iter().zip(b).fold(0.0, |most, (a, b)| worst(most, (a - b).abs()));
        let row = Row::new(of.source, format!("|penalty - projection| of {column}, {}", of.words), unit);
        let row = row.remark(
            "both runs err by far more than this at the tolerances of ode23; their difference is of order 1/mu as long as \
             both take the same steps.",
        );
        let reference = known.number(&format!("penalty_minus_projection/{i}"))?;
        let from = "independent implementation of the thesis' methods with the step control of ode23 (1e-3, 1e-6)";
        found.push(row.beside(most, reference, from));
    }
    Ok(())
}
