//! `taut plot`: plots columns of runs, or of a sweep.

mod disc;
mod overlay;
mod sweep;

use crate::exit::{CliError, ExitStatus, print_stderr, print_stdout};
use crate::file_format::PictureFormat;
use clap::Args;
use std::path::PathBuf;
use taut::Table;
use taut_io::plot::{Figure, PlotError, by_unit};
use taut_io::results::StoredRun;
use taut_papers::text::{Align, table};
use taut_sweep::StoredSweep;

/// Largest number of panels in one picture.
const MAX_PANELS: usize = 24;

/// Arguments of `taut plot`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without column names, the command lists all columns with unit and meaning; with --list, those that match. Columns with the \
same unit share a panel; a `/` between columns starts a new one. In names, `*` matches any text and `?` any character.

Examples:
  taut plot crank.run                              # list the columns
  taut plot crank.run --list \"main.*\"              # list the columns of main
  taut plot crank.run main.fx main.fy -o main.svg  # one panel
  taut plot crank.run \"main.f?\" / piston.x -o both.png
  # several runs in one picture; the largest is named
  taut plot a.run b.run c.run main.fx -o all.svg
  taut plot rotor.run --disc main alpha lift       # maps of both over the disc
  taut plot study.sweep                            # list the columns of a sweep
  # a response curve or a heat map
  taut plot study.sweep elbow.f.max -o response.svg
  taut plot study.sweep elbow.f.max --kind tornado -o tornado.svg")]
pub struct Arguments {
    /// Folder of results: of a run or of a sweep
    run: PathBuf,
    /// More runs, and columns to plot; `*` and `?` are wildcards, `/` starts a new panel
    columns: Vec<String>,
    /// List the columns instead of plotting them
    #[arg(long)]
    list: bool,
    /// Picture file (.svg or .png), or `-` for SVG on stdout [default: RUN.svg]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Column on the horizontal axis [default: t]; of a sweep, one or more parameters, separated by commas
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    over: Vec<String>,
    /// Sweep: kind of picture: response, heat_map, scatter_matrix, parallel or tornado
    #[arg(long, value_enum, hide_possible_values = true)]
    kind: Option<sweep::Kind>,
    /// Sweep: mark the largest or the smallest first result as the worst
    #[arg(long, value_enum, default_value_t)]
    worst: sweep::WorstEnd,
    /// Draw quantities of the stations of this disc over radius and azimuth, for its last turn
    #[arg(long, value_name = "DISC", conflicts_with_all = ["over", "kind", "list"])]
    disc: Option<String>,
    /// Title [default: title of the model]
    #[arg(long)]
    title: Option<String>,
}

impl From<PlotError> for CliError {
    fn from(e: PlotError) -> CliError {
        CliError::new(e.to_string())
    }
}

impl Arguments {
    /// Lists or plots the columns.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        if StoredSweep::is_sweep(&self.run) {
            return self.plot_sweep();
        }
        if self.kind.is_some() {
            return Err(CliError::new(format!("--kind is for sweeps; {} is not one", self.run.display())));
        }
        let (others, columns) = overlay::split_runs(&self.columns);
        let run = StoredRun::open(&self.run)?;
        if let Some(disc) = &self.disc {
            return self.plot_disc(disc, &run);
        }
        if self.list || columns.is_empty() {
            list_columns(&run, columns)?;
            return Ok(ExitStatus::Success);
        }
        // Groups of columns between slashes, with wildcards expanded.
        let mut groups: Vec<Vec<&str>> = vec![Vec::new()];
        for word in columns {
            match (word.as_str(), groups.last_mut()) {
                ("/", _) => groups.push(Vec::new()),
                (pattern, Some(group)) => group.extend(matching_columns(&run, pattern)?),
                (_, None) => {}
            }
        }
        let mut wanted = vec![run.describe(self.abscissa()?)?.name.as_str()];
        wanted.extend(groups.iter().flatten());
        let columns = run.table(&wanted)?;
        let mut figure = self.figure(&run, &columns, &groups)?;
        if !others.is_empty() {
            figure = overlay::overlay(figure, &self.run, others, &wanted)?;
        }
        self.write(&|| figure.to_svg(), &|| figure.to_png(2.0))
    }

    /// The column on the horizontal axis of a run.
    fn abscissa(&self) -> Result<&str, CliError> {
        match self.over.as_slice() {
            [] => Ok("t"),
            [one] => Ok(one),
            _ => Err(CliError::new("--over: a plot of a run has one column on its horizontal axis")),
        }
    }

    /// Writes the picture.
    fn write(
        &self,
        svg: &dyn Fn() -> String,
        png: &dyn Fn() -> Result<Vec<u8>, PlotError>,
    ) -> Result<ExitStatus, CliError> {
        let path = self.output.clone().unwrap_or_else(|| self.run.with_extension("svg"));
        if path.as_os_str() == "-" {
            print_stdout(&svg())?;
            return Ok(ExitStatus::Success);
        }
        let bytes = match PictureFormat::of(&path)? {
            PictureFormat::Svg => svg().into_bytes(),
            PictureFormat::Png => png()?,
        };
        std::fs::write(&path, bytes).map_err(|e| CliError::file_error("write", &path, &e))?;
        print_stderr(&format!("wrote {}", path.display()));
        Ok(ExitStatus::Success)
    }

    fn figure(&self, run: &StoredRun, columns: &Table, groups: &[Vec<&str>]) -> Result<Figure, CliError> {
        let mut panels = Vec::new();
        for group in groups.iter().filter(|g| !g.is_empty()) {
            panels.extend(by_unit(columns, group)?);
        }
        if panels.len() > MAX_PANELS {
            let help = "plot fewer columns, or make several pictures";
            return Err(CliError::with_help(format!("{} panels are too many for one picture", panels.len()), help));
        }
        let title = self.title.as_deref().unwrap_or(&run.manifest().title);
        Ok(Figure::of(columns, self.abscissa()?, &panels)?.titled(title))
    }
}

/// The columns that match a name or pattern. The error for an unknown name suggests the nearest one.
fn matching_columns<'a>(run: &'a StoredRun, word: &str) -> Result<Vec<&'a str>, CliError> {
    if !word.contains(['*', '?']) {
        return Ok(vec![&run.describe(word)?.name]);
    }
    let found: Vec<&str> = run.columns().iter().map(|c| c.name.as_str()).filter(|n| matches_pattern(word, n)).collect();
    match found.is_empty() {
        true => Err(CliError::with_help(format!("no column matches `{word}`"), "`taut plot RUN` lists the columns")),
        false => Ok(found),
    }
}

/// Whether a name matches a pattern with `*` and `?`.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                // Let the last star match one more character.
                Some((at, from)) => {
                    (p, n) = (at + 1, from + 1);
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

fn list_columns(run: &StoredRun, patterns: &[String]) -> Result<(), CliError> {
    let shown = |name: &str| patterns.is_empty() || patterns.iter().any(|p| matches_pattern(p, name));
    let columns = run.columns().iter().filter(|c| shown(&c.name));
    let rows: Vec<Vec<String>> = columns.map(|c| vec![c.name.clone(), c.unit.clone(), c.meaning.clone()]).collect();
    print_stdout(&table(&[Align::Left; 3], &rows, ""))
}

#[cfg(test)]
mod tests {
    use super::matches_pattern;

    #[test]
    fn patterns() {
        for (pattern, name) in [("hinge.f*", "hinge.fx_j"), ("hinge.f?", "hinge.fx"), ("*", "t"), ("a*b*c", "a-b-b-c")]
        {
            assert!(matches_pattern(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("hinge.f?", "hinge.fx_j"), ("a*b", "ab-"), ("?", ""), ("", "x")] {
            assert!(!matches_pattern(pattern, name), "{pattern} {name}");
        }
    }
}
