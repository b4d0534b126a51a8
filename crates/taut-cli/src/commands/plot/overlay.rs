//! Several runs in one picture.

use crate::exit::CliError;
use std::path::Path;
use taut_io::plot::{Figure, PlotError, Series};
use taut_io::results::{MANIFEST, StoredRun};

/// Folders of runs at the beginning of a list of words, and the rest, which are columns.
pub fn split_runs(words: &[String]) -> (&[String], &[String]) {
    let is_run = |word: &String| Path::new(word).join(MANIFEST).exists();
    let count = words.iter().take_while(|w| is_run(w)).count();
    words.split_at(count)
}

/// The name of a run in the legend.
fn label(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}

/// Largest magnitude of a line.
fn peak(series: &Series) -> f64 {
    series.y.iter().filter(|y| y.is_finite()).fold(0.0, |a, y| a.max(y.abs()))
}

/// Adds the same columns of other runs to a figure. `wanted` begins with the abscissa. In every panel, the line with the largest
/// magnitude is named in the legend.
pub fn overlay(mut figure: Figure, first: &Path, others: &[String], wanted: &[&str]) -> Result<Figure, CliError> {
    let own: Vec<Vec<String>> =
        figure.panels.iter().map(|p| p.series.iter().map(|s| s.label.clone()).collect()).collect();
    let rename =
        |run: &Path, column: &str, alone: bool| if alone { label(run) } else { format!("{}: {column}", label(run)) };
    for (panel, columns) in figure.panels.iter_mut().zip(&own) {
        if let ([column], true) = (columns.as_slice(), panel.label.is_empty()) {
            panel.label.clone_from(column);
        }
        for (series, column) in panel.series.iter_mut().zip(columns) {
            series.label = rename(first, column, columns.len() == 1);
        }
    }
    for other in others {
        let path = Path::new(other);
        let run = StoredRun::open(path)?;
        let table = run.table(wanted).map_err(|e| CliError::new(format!("{other}: {e}")))?;
        let get = |name: &str| table.get(name).map_err(|e| CliError::from(PlotError::from(e)));
        let x = get(wanted[0])?;
        for (panel, columns) in figure.panels.iter_mut().zip(&own) {
            for column in columns {
                let y = get(column)?;
                let label = rename(path, column, columns.len() == 1);
                panel.series.push(Series { label, x: x.data.clone(), y: y.data.clone() });
            }
        }
    }
    for panel in &mut figure.panels {
        let worst = panel.series.iter_mut().max_by(|a, b| peak(a).total_cmp(&peak(b)));
        if let Some(worst) = worst {
            worst.label.push_str(" (largest)");
        }
    }
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_no_runs_are_columns() {
        let words: Vec<String> = ["main.fx", "main.fy"].map(String::from).to_vec();
        assert_eq!(split_runs(&words), (&words[..0], &words[..]));
    }
}
