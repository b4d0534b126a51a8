//! Draws the figures of the papers.

use super::{Paper, PaperFigure, ReproductionError};
use crate::files::{WriteError, create_folder, write_file};
use std::path::Path;
use taut::Solution;
use taut::analyses::laboratory::in_parallel;
use taut_io::plot::{Figure, Panel, Series, Sheet};

/// Why a figure is not there.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// It could not be computed.
    #[error("{name}: {reason}")]
    Computation {
        /// Name of the figure.
        name: &'static str,
        /// What went wrong.
        reason: String,
    },
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Computes all figures of these papers in parallel and writes them to a folder as SVG; gives back their number.
///
/// # Errors
/// A run fails, or a file cannot be written.
pub fn draw(papers: &[&'static Paper], folder: &Path) -> Result<usize, FigureError> {
    create_folder(folder)?;
    let figures: Vec<&PaperFigure> = papers.iter().flat_map(|p| p.figures).collect();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let drawn = in_parallel(threads, figures.len(), |i| (figures[i].draw)().map(|sheet: Sheet| sheet.to_svg()));
    for (figure, svg) in figures.iter().zip(drawn) {
        let svg = svg.map_err(|e| FigureError::Computation { name: figure.name, reason: e.message })?;
        write_file(&folder.join(format!("{}.svg", figure.name)), &svg)?;
    }
    Ok(figures.len())
}

/// Width of a figure that stands beside another one, and of one that stands alone.
pub(super) const HALF: f64 = 470.0;
pub(super) const WHOLE: f64 = 820.0;

/// A line of a column over time, times a factor.
pub(super) fn line(label: &str, motion: &Solution, column: &str, factor: f64) -> Result<Series, ReproductionError> {
    let y = motion.column(column)?.iter().map(|y| factor * y).collect();
    Ok(Series { label: label.to_string(), x: motion.t().to_vec(), y })
}

/// A figure of one panel over time.
pub(super) fn over_time(label: &str, unit: &str, series: Vec<Series>) -> Figure {
    let panel = Panel { label: label.to_string(), unit: unit.to_string(), series };
    Figure::new("time", "s", vec![panel]).sized(HALF, 190.0)
}
