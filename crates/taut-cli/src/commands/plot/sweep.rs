//! Pictures of a sweep.

use super::{Arguments, matches_pattern};
use crate::exit::{CliError, ExitStatus, print_stdout};
use clap::ValueEnum;
use taut_papers::text::{Align, table};
use taut_sweep::StoredSweep;
use taut_sweep::plot::{Picture, PictureRequest, Worst, draw};

/// Kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Kind {
    // Described at the option itself.
    Response,
    HeatMap,
    ScatterMatrix,
    Parallel,
    Tornado,
}

impl From<Kind> for Picture {
    fn from(kind: Kind) -> Picture {
        match kind {
            Kind::Response => Picture::Response,
            Kind::HeatMap => Picture::HeatMap,
            Kind::ScatterMatrix => Picture::ScatterMatrix,
            Kind::Parallel => Picture::Parallel,
            Kind::Tornado => Picture::Tornado,
        }
    }
}

/// Which end of a result is the worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum WorstEnd {
    // Described at the option itself.
    #[default]
    Largest,
    Smallest,
}

impl Arguments {
    /// Lists or plots the columns of a sweep.
    pub(super) fn plot_sweep(&self) -> Result<ExitStatus, CliError> {
        let sweep = StoredSweep::open(&self.run)?;
        if self.list || self.columns.is_empty() {
            list(&sweep, &self.columns)?;
            return Ok(ExitStatus::Success);
        }
        let mut columns: Vec<String> = Vec::new();
        for word in &self.columns {
            // Members of a sweep have one set of axes.
            match word.as_str() {
                "/" => {}
                word if word.contains(['*', '?']) => {
                    let names = sweep.columns().iter().map(|c| &c.name).filter(|n| matches_pattern(word, n));
                    columns.extend(names.cloned());
                }
                word => columns.push(word.to_string()),
            }
        }
        let worst = match self.worst {
            WorstEnd::Largest => Worst::Largest,
            WorstEnd::Smallest => Worst::Smallest,
        };
        let title = self.title.clone().unwrap_or_else(|| sweep.title().to_string());
        let request =
            PictureRequest { kind: self.kind.map(Picture::from), columns, over: self.over.clone(), worst, title };
        let drawing = draw(&sweep, &request)?;
        self.write(&|| drawing.to_svg(), &|| drawing.to_png(2.0))
    }
}

fn list(sweep: &StoredSweep, patterns: &[String]) -> Result<(), CliError> {
    let shown = |name: &str| patterns.is_empty() || patterns.iter().any(|p| matches_pattern(p, name));
    let parameters =
        sweep.parameters().iter().map(|p| vec![p.name.clone(), p.unit.clone(), "varied parameter".to_string()]);
    let results = sweep.columns().iter().map(|c| vec![c.name.clone(), c.unit.clone(), c.formula.clone()]);
    let rows: Vec<Vec<String>> = parameters.chain(results).filter(|r| shown(&r[0])).collect();
    print_stdout(&table(&[Align::Left; 3], &rows, ""))
}
