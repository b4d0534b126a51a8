//! The manuscript has no figure that shows data; this one is our own.

use crate::reproduce::PaperFigure;
use crate::reproduce::case::PaperModel;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::figures::{WHOLE, line, over_time};
use taut_io::plot::Sheet;

/// The double pendulum.
pub const ALL: &[PaperFigure] = &[PaperFigure {
    name: "mitiguy_double_pendulum",
    caption: "Our own case: angles of the two rods of the double pendulum from the horizontal",
    draw: double_pendulum,
}];

fn double_pendulum() -> Result<Sheet, ReproductionError> {
    let case = PaperModel::open("mitiguy_double_pendulum", &[])?;
    let motion = case.run_with(&case.settings.clone().every(0.01))?;
    let lines = vec![line("upper rod", &motion, "upper.theta", 1.0)?, line("lower rod", &motion, "lower.theta", 1.0)?];
    Ok(over_time("angle", "rad", lines).sized(WHOLE, 280.0).into())
}
