//! `[settings]`, `[outputs]` and `[[expect]]`.

use super::choice;
use super::node::{Node, Table, Value};
use super::resolve::Context;
use super::vocabulary::{EXPECT, OUTPUTS, SETTINGS};
use crate::diagnostic::Diagnostic;
use serde_json::{Map, Value as Json};
use std::time::Duration;
use taut::analyses::{Integrator, Output, Pace, RunMethod, Start, Stiff, Transient};
use taut::dynamics::Update;
use taut::events::Paradox;
use taut::{Columns, Family};

/// Settings that some methods alone know.
const OF_METHODS: [(&str, &[Integrator]); 2] = [
    ("update", &[Integrator::GeneralisedAlpha]),
    ("spectral_radius", &[Integrator::GeneralisedAlpha, Integrator::TwoStep]),
];

/// A value that the results must have.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The column.
    pub column: String,
    /// Which of its values.
    pub at: At,
    /// The value.
    pub value: f64,
    /// Largest difference allowed.
    pub tolerance: f64,
    /// Where the value comes from.
    pub source: String,
}

/// Which value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum At {
    /// That at a time.
    Time(f64),
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The last.
    End,
}

/// The largest relative tolerance that is accepted: beyond it a step is not controlled.
const LARGEST_RTOL: f64 = 0.1;

/// Settings and outputs of a file.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub transient: Transient,
    pub march: RunMethod,
    pub start_time: f64,
    pub only: Vec<String>,
    pub expect: Vec<Expectation>,
}

fn section(top: &Table, key: &str, fields: &[super::vocabulary::Field], c: &mut Context) -> Map<String, Json> {
    c.element = format!("[{key}]");
    match top.get(key) {
        None => Map::new(),
        Some(node) => match node.table() {
            Some(table) => c.fields(table, fields, &node.place, &[]),
            None => {
                c.findings.push(Diagnostic::error(format!("[{key}] must be a table")).at(&node.place));
                Map::new()
            }
        },
    }
}

/// Reads all of them.
pub(crate) fn run(top: &Table, c: &mut Context) -> Run {
    let settings = section(top, "settings", SETTINGS, c);
    let outputs = section(top, "outputs", OUTPUTS, c);
    let number = |key: &str| settings.get(key).and_then(Json::as_f64);
    let word = |key: &str| settings.get(key).and_then(Json::as_str).unwrap_or_default();
    let start_time = number("start_time").unwrap_or(0.0);
    if settings.contains_key("end_time") && settings.contains_key("duration") {
        let place = top.get("settings").map(|n| n.place.clone());
        let finding =
            Diagnostic::error("[settings]: `duration` and `end_time` are both given").help("keep one of them");
        c.findings.push(Diagnostic { place, ..finding });
    }
    if let Some(end) = number("end_time").filter(|end| *end <= start_time) {
        let place = top.get("settings").map(|n| n.place.clone());
        let message = format!("[settings]: `end_time` is {end} s, not after the start at {start_time} s");
        c.findings.push(Diagnostic { place, ..Diagnostic::error(message) });
    }
    let t_end = number("end_time").unwrap_or(start_time + number("duration").unwrap_or(1.0));
    let mut transient = Transient::to(t_end);
    for (key, x) in settings.iter().filter_map(|(k, v)| v.as_f64().map(|x| (k, x))) {
        let zero = ["start_time", "atol", "alpha", "beta", "gain", "above", "spectral_radius"].contains(&key.as_str());
        if x < 0.0 && key != "start_time" || x == 0.0 && !zero {
            let place = top.get("settings").and_then(Node::table).and_then(|t| t.get(key)).map(|n| n.place.clone());
            let finding = Diagnostic::error(format!("[settings]: `{key}` is {x}, it must be greater than zero"));
            c.findings.push(Diagnostic { place, ..finding });
        }
    }
    if let Some(rtol) = number("rtol").filter(|rtol| *rtol > LARGEST_RTOL) {
        let message = format!("[settings]: `rtol` is {rtol}, it must be at most {LARGEST_RTOL}");
        let help = "it is the relative error of one step: 1e-8 is the default, 1e-4 is coarse";
        c.findings.push(Diagnostic { place: choice::place_of(top, "rtol"), ..Diagnostic::error(message).help(help) });
    }
    transient.rtol = number("rtol").unwrap_or(transient.rtol);
    transient.atol = number("atol").or(number("rtol")).unwrap_or(transient.atol);
    transient.h_first = number("step");
    transient.h_max = number("max_step");
    transient.integrator = word("method").parse().unwrap_or(Integrator::Dop853);
    transient.spectral_radius = number("spectral_radius");
    if word("update") == "convected" {
        transient.update = Update::Convected;
    }
    if word("pace") == "fixed" {
        transient.pace = Pace::Fixed;
    }
    transient.stiff = match word("stiff") {
        "switch" => Stiff::Switch,
        "ignore" => Stiff::Ignore,
        _ => Stiff::Propose,
    };
    transient.choice = choice::read(&settings, top, c);
    for (key, methods) in OF_METHODS {
        // A run that switches may come to a method that knows it.
        if settings.contains_key(key) && !methods.contains(&transient.integrator) && transient.stiff != Stiff::Switch {
            let message =
                format!("[settings]: `{key}` means nothing under method = \"{}\"", transient.integrator.name());
            let names: Vec<&str> = methods.iter().map(|m| m.name()).collect();
            let help = format!("it belongs to {}", names.join(" and "));
            let place = choice::place_of(top, key);
            c.findings.push(Diagnostic { place, ..Diagnostic::warning(message).help(help) });
        }
    }
    if word("paradox") == "impulse" {
        transient.paradox = Paradox::Impulse;
    }
    if word("start") == "as_given" {
        transient.start = Start::AsGiven;
    }
    transient.limits.max_steps = settings.get("max_steps").and_then(Json::as_u64);
    transient.limits.wall_clock = number("wall_clock").filter(|x| (0.0..1e12).contains(x)).map(Duration::from_secs_f64);
    output(&outputs, top, &mut transient, start_time, c);
    let only = outputs.get("only").and_then(Json::as_array);
    let only = only.map(|l| l.iter().filter_map(|t| t.as_str().map(str::to_string)).collect()).unwrap_or_default();
    let march = match word("march") {
        "events" => RunMethod::Events,
        "time_stepping" => RunMethod::TimeStepping,
        _ => RunMethod::Automatic,
    };
    Run { transient, march, start_time, only, expect: expectations(top, c) }
}

fn output(outputs: &Map<String, Json>, top: &Table, transient: &mut Transient, start: f64, c: &mut Context) {
    let given: Vec<&str> = ["every", "times", "at"].into_iter().filter(|k| outputs.contains_key(*k)).collect();
    if given.len() > 1 {
        let message = format!("[outputs]: {} exclude each other", given.join(" and "));
        let place = top.get("outputs").map(|n| n.place.clone());
        c.findings.push(Diagnostic { place, ..Diagnostic::error(message).help("keep one of them") });
    }
    if let Some(every) = outputs.get("every").and_then(Json::as_f64)
        && every <= 0.0
    {
        let place = top.get("outputs").and_then(Node::table).and_then(|t| t.get("every")).map(|n| n.place.clone());
        let finding = Diagnostic::error(format!("[outputs]: `every` is {every}, it must be greater than zero"));
        c.findings.push(Diagnostic { place, ..finding });
    }
    transient.output = match given.first() {
        Some(&"every") => Output::Every(outputs["every"].as_f64().unwrap_or(0.01)),
        Some(&"times") => {
            let times = outputs["times"].as_array().map(|l| l.iter().filter_map(Json::as_f64).collect::<Vec<f64>>());
            let times = times.unwrap_or_default();
            if let Some(t) = times.iter().find(|t| **t < start || **t > transient.t_end) {
                let place =
                    top.get("outputs").and_then(Node::table).and_then(|t| t.get("times")).map(|n| n.place.clone());
                let message = format!(
                    "[outputs]: no row is written at {t} s, outside the run from {start} s to {} s",
                    transient.t_end
                );
                let help = "change `times`, or the duration";
                c.findings.push(Diagnostic { place, ..Diagnostic::warning(message).help(help) });
            }
            Output::Times(times)
        }
        Some(_) if outputs["at"] == "steps" => Output::Steps,
        Some(_) => Output::Ends,
        // A thousand rows make a smooth plot.
        None => Output::Every((transient.t_end - start) / 1000.0),
    };
    let families = outputs.get("columns").and_then(Json::as_array);
    let all = families.is_none_or(|l| l.iter().any(|w| w == "all"));
    if let (false, Some(list)) = (all, families) {
        let families = list.iter().filter_map(|w| serde_json::from_value::<Family>(w.clone()).ok());
        transient.columns = Columns::Only(families.collect());
    }
}

fn expectations(top: &Table, c: &mut Context) -> Vec<Expectation> {
    let Some(node) = top.get("expect") else { return Vec::new() };
    c.element = "[[expect]]".to_string();
    let Value::List(list) = &node.value else {
        c.findings.push(Diagnostic::error("`expect` must be a list of tables: [[expect]]").at(&node.place));
        return Vec::new();
    };
    let mut found = Vec::new();
    for one in list {
        let Some(table) = one.table() else {
            c.findings.push(Diagnostic::error("[[expect]] must hold tables").at(&one.place));
            continue;
        };
        let fields = c.fields(table, EXPECT, &one.place, &[]);
        let text = |key: &str| fields.get(key).and_then(Json::as_str).unwrap_or_default().to_string();
        let number = |key: &str| fields.get(key).and_then(Json::as_f64);
        let at = match (number("at"), text("of").as_str()) {
            (Some(t), "") => At::Time(t),
            (None, "max") => At::Max,
            (None, "min") => At::Min,
            (None, "end") => At::End,
            _ => {
                let message = "[[expect]]: give either `at` (a time) or `of` (max, min, end)";
                c.findings.push(Diagnostic::error(message).at(&one.place));
                continue;
            }
        };
        if let (Some(value), Some(tolerance)) = (number("value"), number("tolerance")) {
            found.push(Expectation { column: text("column"), at, value, tolerance, source: text("source") });
        }
    }
    found
}
