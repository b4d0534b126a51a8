//! `taut plot`: plots columns of a run.

use crate::ending::{Ending, Failure, note, say};
use clap::Args;
use std::path::PathBuf;
use taut::Table;
use taut_io::plot::{Figure, PlotError, by_unit};
use taut_io::results::Run;
use taut_papers::text::{Align, table};

/// Largest number of panels in one picture.
const PANELS: usize = 24;

/// Arguments of `taut plot`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without column names it lists all columns with unit and meaning; with --list, those that match. Columns with the same unit \
share a panel; a `/` between columns starts a new one. In names, `*` matches any text and `?` any character.

Examples:
  taut plot crank.run                                  list the columns
  taut plot crank.run --list \"main.*\"                  list the columns of main
  taut plot crank.run main.fx main.fy -o main.svg      one panel
  taut plot crank.run \"main.f?\" / piston.x -o both.png")]
pub struct Arguments {
    /// Folder of results
    run: PathBuf,
    /// Columns to plot; `*` and `?` are wildcards, `/` starts a new panel
    columns: Vec<String>,
    /// List the columns instead of plotting them
    #[arg(long)]
    list: bool,
    /// Picture file (.svg or .png), or `-` for SVG on stdout [default: RUN.svg]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Column on the horizontal axis
    #[arg(long, value_name = "COLUMN", default_value = "t")]
    over: String,
    /// Title [default: title of the model]
    #[arg(long)]
    title: Option<String>,
}

/// File format of the picture.
enum Picture {
    Svg,
    Png,
}

impl From<PlotError> for Failure {
    fn from(e: PlotError) -> Failure {
        Failure::new(e.to_string())
    }
}

impl Arguments {
    /// Lists or plots the columns.
    pub fn run(self) -> Result<Ending, Failure> {
        let run = Run::open(&self.run)?;
        if self.list || self.columns.is_empty() {
            list(&run, &self.columns)?;
            return Ok(Ending::Done);
        }
        // Groups of columns between slashes, with wildcards expanded.
        let mut groups: Vec<Vec<&str>> = vec![Vec::new()];
        for word in &self.columns {
            match (word.as_str(), groups.last_mut()) {
                ("/", _) => groups.push(Vec::new()),
                (pattern, Some(group)) => group.extend(matching(&run, pattern)?),
                (_, None) => {}
            }
        }
        let mut wanted = vec![run.describe(&self.over)?.name.as_str()];
        wanted.extend(groups.iter().flatten());
        let columns = run.table(&wanted)?;
        let figure = self.figure(&run, &columns, &groups)?;
        let path = self.output.clone().unwrap_or_else(|| self.run.with_extension("svg"));
        if path.as_os_str() == "-" {
            say(&figure.to_svg())?;
            return Ok(Ending::Done);
        }
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let picture = match ending.as_deref() {
            Some("svg") => Picture::Svg,
            Some("png") => Picture::Png,
            _ => {
                let help = "use the extension .svg or .png";
                return Err(Failure::with_help(format!("{}: unknown picture format", path.display()), help));
            }
        };
        let bytes = match picture {
            Picture::Svg => figure.to_svg().into_bytes(),
            Picture::Png => figure.to_png(2.0)?,
        };
        std::fs::write(&path, bytes).map_err(|e| Failure::file("write", &path, &e))?;
        note(&format!("wrote {}", path.display()));
        Ok(Ending::Done)
    }

    fn figure(&self, run: &Run, columns: &Table, groups: &[Vec<&str>]) -> Result<Figure, Failure> {
        let mut panels = Vec::new();
        for group in groups.iter().filter(|g| !g.is_empty()) {
            panels.extend(by_unit(columns, group)?);
        }
        if panels.len() > PANELS {
            let help = "plot fewer columns, or make several pictures";
            return Err(Failure::with_help(format!("{} panels are too many for one picture", panels.len()), help));
        }
        let title = self.title.as_deref().unwrap_or(&run.manifest().title);
        Ok(Figure::of(columns, &self.over, &panels)?.titled(title))
    }
}

/// The columns that match a name or pattern. The error for an unknown name suggests the nearest one.
fn matching<'a>(run: &'a Run, word: &str) -> Result<Vec<&'a str>, Failure> {
    if !word.contains(['*', '?']) {
        return Ok(vec![&run.describe(word)?.name]);
    }
    let found: Vec<&str> = run.columns().iter().map(|c| c.name.as_str()).filter(|n| fits(word, n)).collect();
    match found.is_empty() {
        true => Err(Failure::with_help(format!("no column matches `{word}`"), "`taut plot RUN` lists the columns")),
        false => Ok(found),
    }
}

/// Whether a name matches a pattern with `*` and `?`.
fn fits(pattern: &str, name: &str) -> bool {
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

fn list(run: &Run, patterns: &[String]) -> Result<(), Failure> {
    let shown = |name: &str| patterns.is_empty() || patterns.iter().any(|p| fits(p, name));
    let columns = run.columns().iter().filter(|c| shown(&c.name));
    let rows: Vec<Vec<String>> = columns.map(|c| vec![c.name.clone(), c.unit.clone(), c.meaning.clone()]).collect();
    say(&table(&[Align::Left; 3], &rows, ""))
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        for (pattern, name) in [("hinge.f*", "hinge.fx_j"), ("hinge.f?", "hinge.fx"), ("*", "t"), ("a*b*c", "a-b-b-c")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("hinge.f?", "hinge.fx_j"), ("a*b", "ab-"), ("?", ""), ("", "x")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
