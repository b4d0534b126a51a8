//! Pictures of a sweep: response curves, heat map, scatter matrix, parallel coordinates, tornado. The worst member is marked.

mod canvas;
mod heat_map;
mod parallel;
mod response;
mod scatter;
mod tornado;

use crate::design::Value;
use crate::stored::StoredSweep;
use taut_io::diagnostic::Diagnostic;
use taut_io::plot::drawing::Drawing;

/// Kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// Results over one parameter; a line for each combination of the others.
    Response,
    /// One result over two parameters, as colours.
    HeatMap,
    /// Every column over every other.
    ScatterMatrix,
    /// One line per member across all columns.
    Parallel,
    /// By how much each parameter changes a result.
    Tornado,
}

/// Which end of a result is the worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Worst {
    /// The largest value.
    #[default]
    Largest,
    /// The smallest value.
    Smallest,
}

/// A picture as requested.
#[derive(Clone, Debug)]
pub struct PictureRequest {
    /// Its kind; none for the one that suits the sweep.
    pub kind: Option<Picture>,
    /// Names of results, and of parameters in a scatter matrix.
    pub columns: Vec<String>,
    /// Parameters on the axes.
    pub over: Vec<String>,
    /// What is marked.
    pub worst: Worst,
    /// Title.
    pub title: String,
}

/// A column with its numbers.
#[derive(Clone, Debug)]
struct Numbers {
    label: String,
    values: Vec<f64>,
}

impl Numbers {
    fn of(sweep: &StoredSweep, name: &str) -> Result<Numbers, Diagnostic> {
        let (unit, values) = sweep.numbers(name)?;
        let label = if unit.is_empty() || unit == "1" { name.to_string() } else { format!("{name} [{unit}]") };
        Ok(Numbers { label, values })
    }
}

/// What all pictures need.
struct Content<'a> {
    sweep: &'a StoredSweep,
    title: &'a str,
    results: Vec<Numbers>,
    /// Row of the worst member, judged by the first result.
    worst: Option<usize>,
}

impl Content<'_> {
    /// `member 17: a = 0.3`: what is said about the worst member.
    fn worst_text(&self) -> Option<String> {
        let row = &self.sweep.rows()[self.worst?];
        let value = |v: &Value| match v {
            Value::Number(x) => canvas::short(*x),
            Value::Text(t) => t.clone(),
        };
        let values = self.sweep.parameters().iter().zip(&row.parameters);
        let values: Vec<String> =
            values.take(4).map(|(p, v)| format!("{} = {} {}", p.name, value(v), p.unit)).collect();
        Some(format!("member {}: {}", row.member, values.join(", ").replace(" ,", ",").trim_end()))
    }
}

/// Draws a picture.
///
/// # Errors
/// Unknown columns, or a sweep that the kind of picture does not suit.
pub fn draw(sweep: &StoredSweep, request: &PictureRequest) -> Result<Drawing, Diagnostic> {
    if sweep.rows().is_empty() {
        return Err(Diagnostic::error("the sweep has no finished members yet"));
    }
    let results = request.columns.iter().map(|n| Numbers::of(sweep, n)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = results.first() else {
        return Err(Diagnostic::error("name at least one result to plot"));
    };
    let sign = if request.worst == Worst::Largest { 1.0 } else { -1.0 };
    let finite = first.values.iter().enumerate().filter(|(_, x)| x.is_finite());
    let worst = finite.max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)).then(b.0.cmp(&a.0))).map(|(i, _)| i);
    if worst.is_none() {
        return Err(Diagnostic::error(format!("`{}` has no value in any member", request.columns[0])));
    }
    let numeric: Vec<&str> = sweep
        .parameters()
        .iter()
        .enumerate()
        .filter(|(i, _)| sweep.rows().iter().all(|r| matches!(r.parameters.get(*i), Some(Value::Number(_)))))
        .map(|(_, p)| p.name.as_str())
        .collect();
    let given = request.over.iter().map(String::as_str);
    let over: Vec<&str> = if request.over.is_empty() { numeric.clone() } else { given.collect() };
    let content = Content { sweep, title: &request.title, results, worst };
    let kind = request.kind.unwrap_or(match (over.len(), request.columns.len()) {
        (1, _) => Picture::Response,
        (2, 1) if heat_map::is_grid(sweep, over[0], over[1]) => Picture::HeatMap,
        _ => Picture::ScatterMatrix,
    });
    let need = |count: usize| match over.len() {
        n if n < count => {
            let message = format!("this picture needs {count} parameters with numbers; the sweep has {n}");
            Err(Diagnostic::error(message).help("choose another kind of picture with --kind"))
        }
        _ => Ok(()),
    };
    match kind {
        Picture::Response => need(1).and_then(|()| response::draw(&content, over[0])),
        Picture::HeatMap => need(2).and_then(|()| heat_map::draw(&content, over[0], over[1])),
        Picture::ScatterMatrix => scatter::draw(&content, &over),
        Picture::Parallel => parallel::draw(&content, &over),
        Picture::Tornado => need(1).and_then(|()| tornado::draw(&content, &over)),
    }
}
