//! `[settings]`, `[outputs]` and `[[expect]]`.

use super::node::{Node, Table, Value};
use super::resolve::Context;
use super::solver_settings;
use super::vocabulary::choices::{
    CONTACT_METHODS, ERROR_NORMS, ERROR_PER, INCREMENT_AXES, INITIAL_CONDITIONS, PARADOX_RESPONSES, REACTION_SHARINGS,
    STATISTICS, STEP_CONTROLS, STIFFNESS_RESPONSES, value_of,
};
use super::vocabulary::{EXPECT, OUTPUTS, SETTINGS};
use crate::diagnostic::Diagnostic;
use serde_json::{Map, Value as Json};
use std::time::Duration;
use taut::analyses::{Integrator, Output, RunMethod, StiffnessAction, Transient};
use taut::{ColumnFamily, Columns};

/// Settings that only some integrators use.
const SETTINGS_OF_SOME_METHODS: [(&str, &[Integrator]); 2] = [
    ("increment_axes", &Integrator::SECOND_ORDER),
    ("spectral_radius", &[Integrator::GeneralisedAlpha, Integrator::TwoStep]),
];

/// A value that the results must have.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The column.
    pub column: String,
    /// Which value of the column.
    pub at: ExpectedAt,
    /// The value.
    pub value: f64,
    /// Largest difference allowed.
    pub tolerance: f64,
    /// Where the value comes from.
    pub source: String,
}

/// A value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExpectedAt {
    /// The value at a time.
    Time(f64),
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The last.
    Final,
}

/// Largest relative tolerance that is accepted; a larger one does not control the step.
const MAX_RTOL: f64 = 0.1;

/// Largest permitted penetration of contacts, relative to the smaller surface.
const MAX_CONTACT_PENETRATION: f64 = 0.5;

/// Settings and outputs of a file.
#[derive(Clone, Debug)]
pub(crate) struct RunSettings {
    pub transient: Transient,
    pub contact_method: RunMethod,
    pub start_time: f64,
    pub column_patterns: Vec<String>,
    pub expect: Vec<Expectation>,
}

fn section(top: &Table, key: &str, fields: &[super::vocabulary::Field], c: &mut Context) -> Map<String, Json> {
    c.element = format!("[{key}]");
    match top.get(key) {
        None => Map::new(),
        Some(node) => match node.table() {
            Some(table) => c.fields(table, fields, &node.place, &[]),
            None => {
                c.diagnostics.push(Diagnostic::error(format!("[{key}] must be a table")).at(&node.place));
                Map::new()
            }
        },
    }
}

/// Reads all of them.
pub(crate) fn read_run_settings(top: &Table, c: &mut Context) -> RunSettings {
    let settings = section(top, "settings", SETTINGS, c);
    let outputs = section(top, "outputs", OUTPUTS, c);
    let number = |key: &str| settings.get(key).and_then(Json::as_f64);
    let word = |key: &str| settings.get(key).and_then(Json::as_str);
    let start_time = number("start_time").unwrap_or(0.0);
    if settings.contains_key("end_time") && settings.contains_key("duration") {
        let place = top.get("settings").map(|n| n.place.clone());
        let finding =
            Diagnostic::error("[settings]: `duration` and `end_time` are both given").help("keep one of them");
        c.diagnostics.push(Diagnostic { place, ..finding });
    }
    if let Some(end) = number("end_time").filter(|end| *end <= start_time) {
        let place = top.get("settings").map(|n| n.place.clone());
        let message = format!("[settings]: `end_time` is {end} s, not after the start at {start_time} s");
        c.diagnostics.push(Diagnostic { place, ..Diagnostic::error(message) });
    }
    let t_end = number("end_time").unwrap_or(start_time + number("duration").unwrap_or(1.0));
    let mut transient = Transient::to(t_end);
    for (key, x) in settings.iter().filter_map(|(k, v)| v.as_f64().map(|x| (k, x))) {
        let zero = ["start_time", "atol", "alpha", "beta", "gain", "projection_threshold", "spectral_radius"]
            .contains(&key.as_str());
        if x < 0.0 && key != "start_time" || x == 0.0 && !zero {
            let place = top.get("settings").and_then(Node::table).and_then(|t| t.get(key)).map(|n| n.place.clone());
            let finding = Diagnostic::error(format!("[settings]: `{key}` is {x}; it must be greater than zero"));
            c.diagnostics.push(Diagnostic { place, ..finding });
        }
    }
    if let Some(rtol) = number("rtol").filter(|rtol| *rtol > MAX_RTOL) {
        let message = format!("[settings]: `rtol` is {rtol}; it must be at most {MAX_RTOL}");
        let help = "rtol is the relative error of one step: the default is 1e-8, 1e-4 is coarse";
        c.diagnostics.push(Diagnostic {
            place: solver_settings::place_of(top, "rtol"),
            ..Diagnostic::error(message).help(help)
        });
    }
    transient.rtol = number("rtol").unwrap_or(transient.rtol);
    transient.atol = number("atol").or(number("rtol")).unwrap_or(transient.atol);
    transient.error_norm = value_of(&ERROR_NORMS, word("error_norm"));
    transient.error_per = value_of(&ERROR_PER, word("error_per"));
    transient.h_first = number("step");
    transient.h_max = number("max_step");
    transient.integrator = word("method").and_then(|m| m.parse().ok()).unwrap_or(Integrator::Dop853);
    transient.spectral_radius = number("spectral_radius");
    transient.update = value_of(&INCREMENT_AXES, word("increment_axes"));
    transient.step_control = value_of(&STEP_CONTROLS, word("step_control"));
    transient.stiff = value_of(&STIFFNESS_RESPONSES, word("on_stiffness"));
    transient.choice = solver_settings::read(&settings, top, c);
    for (key, methods) in SETTINGS_OF_SOME_METHODS {
        // A run that switches may reach an integrator that uses it.
        if settings.contains_key(key)
            && !methods.contains(&transient.integrator)
            && transient.stiff != StiffnessAction::Switch
        {
            let message = format!("[settings]: method = \"{}\" ignores `{key}`", transient.integrator.name());
            let names: Vec<&str> = methods.iter().map(|m| m.name()).collect();
            let help = format!("only {} use it", names.join(" and "));
            let place = solver_settings::place_of(top, key);
            c.diagnostics.push(Diagnostic { place, ..Diagnostic::warning(message).help(help) });
        }
    }
    transient.contact_penetration = number("contact_penetration");
    transient.contact_sweeps = settings.get("contact_sweeps").and_then(Json::as_u64).map(|n| n as usize);
    let least = [("contact_penetration", "it must be above 0"), ("contact_sweeps", "it must be at least 1")];
    for (key, rule) in least {
        if let Some(value) = number(key).filter(|x| *x <= 0.0) {
            let message = format!("[settings]: `{key}` is {value}; {rule}");
            let place = solver_settings::place_of(top, key);
            c.diagnostics.push(Diagnostic { place, ..Diagnostic::error(message) });
        }
    }
    if let Some(ratio) = transient.contact_penetration.filter(|ratio| *ratio > MAX_CONTACT_PENETRATION) {
        let message =
            format!("[settings]: `contact_penetration` is {ratio}; it must be at most {MAX_CONTACT_PENETRATION}");
        let help = "it is a fraction of the smaller surface: 1e-3 is ordinary, 0.1 is coarse";
        let place = solver_settings::place_of(top, "contact_penetration");
        c.diagnostics.push(Diagnostic { place, ..Diagnostic::error(message).help(help) });
    }
    transient.paradox = value_of(&PARADOX_RESPONSES, word("on_painleve_paradox"));
    transient.reactions = value_of(&REACTION_SHARINGS, word("reactions"));
    transient.start = value_of(&INITIAL_CONDITIONS, word("initial_conditions"));
    transient.limits.max_steps = settings.get("max_steps").and_then(Json::as_u64);
    transient.limits.wall_clock = number("wall_clock").filter(|x| (0.0..1e12).contains(x)).map(Duration::from_secs_f64);
    output(&outputs, top, &mut transient, start_time, c);
    let only = outputs.get("only").and_then(Json::as_array);
    let only = only.map(|l| l.iter().filter_map(|t| t.as_str().map(str::to_string)).collect()).unwrap_or_default();
    let contact_method = value_of(&CONTACT_METHODS, word("contact_method"));
    if contact_method == RunMethod::Events {
        for key in ["contact_penetration", "contact_sweeps"].into_iter().filter(|key| settings.contains_key(*key)) {
            let message = format!("[settings]: contact_method = \"event_driven\" ignores `{key}`");
            let place = solver_settings::place_of(top, key);
            let help = "only time stepping uses it";
            c.diagnostics.push(Diagnostic { place, ..Diagnostic::warning(message).help(help) });
        }
    }
    RunSettings { transient, contact_method, start_time, column_patterns: only, expect: expectations(top, c) }
}

fn output(outputs: &Map<String, Json>, top: &Table, transient: &mut Transient, start: f64, c: &mut Context) {
    let given: Vec<&str> = ["every", "times", "rows"].into_iter().filter(|k| outputs.contains_key(*k)).collect();
    if given.len() > 1 {
        let message = format!("[outputs]: {} are mutually exclusive", given.join(" and "));
        let place = top.get("outputs").map(|n| n.place.clone());
        c.diagnostics.push(Diagnostic { place, ..Diagnostic::error(message).help("keep one of them") });
    }
    if let Some(every) = outputs.get("every").and_then(Json::as_f64)
        && every <= 0.0
    {
        let place = top.get("outputs").and_then(Node::table).and_then(|t| t.get("every")).map(|n| n.place.clone());
        let finding = Diagnostic::error(format!("[outputs]: `every` is {every}; it must be greater than zero"));
        c.diagnostics.push(Diagnostic { place, ..finding });
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
                    "[outputs]: {t} s lies outside the run from {start} s to {} s; no row is written there",
                    transient.t_end
                );
                let help = "change `times`, or the duration";
                c.diagnostics.push(Diagnostic { place, ..Diagnostic::warning(message).help(help) });
            }
            Output::Times(times)
        }
        Some(_) if outputs["rows"] == "steps" => Output::Steps,
        Some(_) => Output::Ends,
        // A thousand rows make a smooth plot.
        None => Output::Every((transient.t_end - start) / 1000.0),
    };
    let families = outputs.get("columns").and_then(Json::as_array);
    let all = families.is_none_or(|l| l.iter().any(|w| w == "all"));
    if let (false, Some(list)) = (all, families) {
        let families = list.iter().filter_map(|w| serde_json::from_value::<ColumnFamily>(w.clone()).ok());
        transient.columns = Columns::Only(families.collect());
    }
    // `all` leaves out some families, unless they are named too.
    let named = |f: &ColumnFamily| families.is_some_and(|l| l.iter().any(|w| w == f.name()));
    if all && ColumnFamily::ALL.iter().any(|f| !f.is_default() && named(f)) {
        let chosen = ColumnFamily::ALL.into_iter().filter(|f| f.is_default() || named(f));
        transient.columns = Columns::Only(chosen.collect());
    }
}

fn expectations(top: &Table, c: &mut Context) -> Vec<Expectation> {
    let Some(node) = top.get("expect") else { return Vec::new() };
    c.element = "[[expect]]".to_string();
    let Value::List(list) = &node.value else {
        c.diagnostics.push(Diagnostic::error("`expect` must be a list of tables: [[expect]]").at(&node.place));
        return Vec::new();
    };
    let mut found = Vec::new();
    for one in list {
        let Some(table) = one.table() else {
            c.diagnostics.push(Diagnostic::error("every [[expect]] must be a table").at(&one.place));
            continue;
        };
        let fields = c.fields(table, EXPECT, &one.place, &[]);
        let text = |key: &str| fields.get(key).and_then(Json::as_str).unwrap_or_default().to_string();
        let number = |key: &str| fields.get(key).and_then(Json::as_f64);
        let statistic = STATISTICS.iter().find(|(word, _)| fields.get("statistic").is_some_and(|s| s == word));
        let at = match (number("time"), statistic) {
            (Some(t), None) => ExpectedAt::Time(t),
            (None, Some((_, at))) => *at,
            _ => {
                let message = "[[expect]]: give either `time` or `statistic` (max, min, final)";
                c.diagnostics.push(Diagnostic::error(message).at(&one.place));
                continue;
            }
        };
        if let (Some(value), Some(tolerance)) = (number("value"), number("tolerance")) {
            found.push(Expectation { column: text("column"), at, value, tolerance, source: text("source") });
        }
    }
    found
}
