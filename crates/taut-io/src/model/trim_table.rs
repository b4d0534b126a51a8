//! `[trim]`: parameters to be found and the results that they must bring about, in the words of `taut trim`.

use super::node::{Node, Table, Value};
use super::resolve::Context;
use super::vocabulary::{Field, TRIM, TRIM_TARGET, TRIM_VARY};
use crate::diagnostic::{Diagnostic, Place, did_you_mean};
use serde_json::{Map, Value as Json};
use taut::analyses::HarmonicStatistic;

/// The trim that a file describes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrimTable {
    /// Period of the motion, s.
    pub period: Option<f64>,
    /// An unknown period near this value, s.
    pub free_period: Option<f64>,
    /// Columns that keep their values at the start, with an unknown period.
    pub hold: Vec<String>,
    /// The search starts from the state of the run at this time, s.
    pub at: Option<f64>,
    /// Number of segments of the period.
    pub segments: Option<u64>,
    /// Parameters to be found.
    pub vary: Vec<TrimVariable>,
    /// Results that must take values.
    pub targets: Vec<TrimResult>,
}

/// A parameter to be found.
#[derive(Clone, Debug, PartialEq)]
pub struct TrimVariable {
    /// Its name, or the path of a field as in `--set`.
    pub parameter: String,
    /// Lowest value.
    pub low: f64,
    /// First value.
    pub first: f64,
    /// Highest value.
    pub high: f64,
}

/// A result and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct TrimResult {
    /// The column.
    pub column: String,
    /// What of it; none for the value in equilibrium.
    pub statistic: Option<HarmonicStatistic>,
    /// The value in SI units.
    pub value: f64,
}

/// Reads `[trim]`; errors are reported to the context.
pub(super) fn read_trim(top: &Table, c: &mut Context) -> Option<TrimTable> {
    let node = top.get("trim")?;
    c.element = "[trim]".to_string();
    let Some(table) = node.table() else {
        c.diagnostics.push(Diagnostic::error("[trim] must be a table").at(&node.place));
        return None;
    };
    let before = c.diagnostics.len();
    let fields = c.fields(table, TRIM, &node.place, &["vary", "target"]);
    let number = |key: &str| fields.get(key).and_then(Json::as_f64);
    let hold = fields.get("hold").and_then(Json::as_array);
    let hold = hold.into_iter().flatten().filter_map(Json::as_str).map(str::to_string).collect();
    let segments = fields.get("segments").and_then(Json::as_i64);
    let found = TrimTable {
        period: number("period"),
        free_period: number("free_period"),
        hold,
        at: number("at"),
        segments: segments.and_then(|n| u64::try_from(n).ok()),
        vary: entries(table, "vary", TRIM_VARY, c).iter().filter_map(|(node, one)| variable(node, one, c)).collect(),
        targets: entries(table, "target", TRIM_TARGET, c)
            .iter()
            .filter_map(|(node, one)| target(node, one, c))
            .collect(),
    };
    c.element.clear();
    if c.diagnostics.len() > before {
        return None;
    }
    let periodic = found.period.or(found.free_period);
    if let Some(t) = found.targets.iter().find(|t| t.statistic.is_some() != periodic.is_some()) {
        let (column, place) = (&t.column, place_of_target(table, &t.column).unwrap_or(&node.place));
        let message = match periodic {
            Some(_) => format!("[[trim.target]], `{column}`: `statistic` is missing"),
            None => format!("[[trim.target]], `{column}`: `statistic` needs a period"),
        };
        let help = "give `period` for means and harmonics; without it and without `statistic` the equilibrium counts";
        c.diagnostics.push(Diagnostic::error(message).at(place).help(help));
    }
    let wrong = |message: &str| Diagnostic::error(format!("[trim]: {message}")).at(&node.place);
    if found.targets.is_empty() || found.targets.len() != found.vary.len() {
        let (targets, parameters) = (found.targets.len(), found.vary.len());
        let message = format!("{targets} targets and {parameters} parameters");
        c.diagnostics.push(wrong(&message).help("give at least one [[trim.target]], and one [[trim.vary]] for each"));
    }
    if found.period.is_some() && found.free_period.is_some() {
        c.diagnostics.push(wrong("`period` and `free_period` exclude each other"));
    } else if !periodic.is_none_or(|t| t.is_finite() && t > 0.0) {
        c.diagnostics.push(wrong("the period must be greater than zero"));
    } else if segments.is_some_and(|n| !(1..=1000).contains(&n)) {
        c.diagnostics.push(wrong("`segments` must be from 1 to 1000"));
    } else if found.free_period.is_none() && !found.hold.is_empty() {
        c.diagnostics.push(wrong("`hold` needs `free_period`"));
    }
    Some(found)
}

/// Where a target is written.
fn place_of_target<'t>(table: &'t Table, column: &str) -> Option<&'t Place> {
    let of = |one: &&Node| one.table().and_then(|t| t.get("column")).and_then(Node::text) == Some(column);
    Some(&table.get("target")?.list()?.iter().find(of)?.place)
}

/// The tables of a list, with their fields.
fn entries(table: &Table, key: &str, known: &[Field], c: &mut Context) -> Vec<(Node, Map<String, Json>)> {
    let Some(node) = table.get(key) else { return Vec::new() };
    let Value::List(list) = &node.value else {
        let message = format!("[trim]: `{key}` must be a list of tables: [[trim.{key}]]");
        c.diagnostics.push(Diagnostic::error(message).at(&node.place));
        return Vec::new();
    };
    let mut found = Vec::new();
    for one in list {
        c.element = format!("[[trim.{key}]]");
        match one.table() {
            Some(table) => {
                let before = c.diagnostics.len();
                let fields = c.fields(table, known, &one.place, &[]);
                if c.diagnostics.len() == before {
                    found.push((one.clone(), fields));
                }
            }
            None => {
                let message = format!("every [[trim.{key}]] must be a table");
                c.diagnostics.push(Diagnostic::error(message).at(&one.place));
            }
        }
    }
    found
}

fn variable(node: &Node, fields: &Map<String, Json>, c: &mut Context) -> Option<TrimVariable> {
    let parameter = fields.get("parameter")?.as_str()?.to_string();
    let number = |key: &str| fields.get(key).and_then(Json::as_f64);
    let found = TrimVariable { low: number("low")?, first: number("first")?, high: number("high")?, parameter };
    let name = &found.parameter;
    // A field of an element is checked where it is set.
    if !name.contains('.') && c.scope.get(name).is_none() {
        let hint = did_you_mean(name, c.scope.names().iter().map(String::as_str));
        let message = format!("[[trim.vary]]: there is no parameter `{name}`{hint}");
        let help = "name a parameter of [params], or a field of an element as in link2.mass";
        c.diagnostics.push(Diagnostic::error(message).at(&node.place).help(help));
        return None;
    }
    if !(found.low < found.high && (found.low..=found.high).contains(&found.first)) {
        let TrimVariable { low, first, high, .. } = found;
        let message = format!("[[trim.vary]], `{name}`: low = {low}, first = {first}, high = {high}");
        let help = "`low` must be below `high`, and `first` between them";
        c.diagnostics.push(Diagnostic::error(message).at(&node.place).help(help));
        return None;
    }
    Some(found)
}

fn target(node: &Node, fields: &Map<String, Json>, c: &mut Context) -> Option<TrimResult> {
    let column = fields.get("column")?.as_str()?.to_string();
    let statistic = match fields.get("statistic").and_then(Json::as_str) {
        None => None,
        Some(word) => match word.parse() {
            Ok(found) => Some(found),
            Err(message) => {
                let message = format!("[[trim.target]], `{column}`: `{word}` is no statistic; {message}");
                c.diagnostics.push(Diagnostic::error(message).at(&node.place));
                return None;
            }
        },
    };
    Some(TrimResult { column, statistic, value: fields.get("value")?.as_f64()? })
}
