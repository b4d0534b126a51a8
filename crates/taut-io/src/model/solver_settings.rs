//! Reads and writes the settings of formulation and drift control.
//!
//! `penalty` and `rank_tolerance` are accepted with every formulation, because `taut lab` tries all of them on one file.

use super::node::{Node, Table};
use super::resolve::Context;
use super::vocabulary::choices::{INCONSISTENT, ROW_WEIGHTINGS, value_of, word_of};
use crate::diagnostic::{Diagnostic, Place};
use serde_json::{Map, Value as Json, json};
use taut::drift::{DriftControl, DriftParameters, ProjectionWeight};
use taut::dynamics::SolverSettings;
use taut::formulations::{FormulationParameters, Method};

/// Drift controls that project.
const PROJECTING: &[&str] =
    &["projection", "rates_only", "threshold", "gear_gupta_leimkuhler", "energy", "full_projection"];

/// Settings that only some drift controls use.
const SETTINGS_OF_SOME_CONTROLS: [(&str, &[&str]); 6] = [
    ("alpha", &["baumgarte"]),
    ("beta", &["baumgarte"]),
    ("gain", &["braun_goldfarb"]),
    ("projection_threshold", &["threshold"]),
    ("projection_norm", PROJECTING),
    ("projection_weights", PROJECTING),
];

pub(super) fn place_of(top: &Table, key: &str) -> Option<Place> {
    top.get("settings").and_then(Node::table).and_then(|t| t.get(key)).map(|n| n.place.clone())
}

/// Reads formulation and drift control.
pub(super) fn read(settings: &Map<String, Json>, top: &Table, c: &mut Context) -> SolverSettings {
    let number = |key: &str| settings.get(key).and_then(Json::as_f64);
    let word = |key: &str| settings.get(key).and_then(Json::as_str);
    let drift = word("drift").unwrap_or("projection");
    for (key, controls) in SETTINGS_OF_SOME_CONTROLS {
        if settings.contains_key(key) && !controls.contains(&drift) {
            let message = format!("[settings]: drift = \"{drift}\" ignores `{key}`");
            let help = format!("it applies to {}; `taut lab` tries these with it", controls.join(", "));
            let place = place_of(top, key);
            c.diagnostics.push(Diagnostic { place, ..Diagnostic::warning(message).help(help) });
        }
    }
    let weights: Option<Vec<f64>> = settings
        .get("projection_weights")
        .and_then(Json::as_array)
        .map(|l| l.iter().filter_map(Json::as_f64).collect());
    if weights.is_some() && settings.contains_key("projection_norm") {
        let message = "[settings]: `projection_norm` and `projection_weights` are both given";
        let place = place_of(top, "projection_weights");
        c.diagnostics.push(Diagnostic { place, ..Diagnostic::error(message).help("keep one of them") });
    }
    let weight = match (weights, word("projection_norm")) {
        (Some(weights), _) => ProjectionWeight::Diagonal(weights),
        (None, Some("identity")) => ProjectionWeight::Identity,
        (None, _) => ProjectionWeight::Mass,
    };
    let numbers = DriftParameters {
        alpha: number("alpha"),
        beta: number("beta"),
        gain: number("gain"),
        above: number("projection_threshold"),
    };
    let method = word("formulation").and_then(Method::from_name).unwrap_or_default();
    let setup = FormulationParameters { penalty: number("penalty"), rank_tolerance: number("rank_tolerance") };
    let drift = DriftControl::from_name(drift, weight, numbers).unwrap_or_default();
    let (inconsistent, row_weighting) =
        (value_of(&INCONSISTENT, word("inconsistent")), value_of(&ROW_WEIGHTINGS, word("row_weighting")));
    SolverSettings { method, drift, setup, numbers, inconsistent, row_weighting, ..SolverSettings::default() }
}

/// The settings of formulation and drift control; null for defaults.
pub(super) fn write(choice: &SolverSettings) -> Json {
    let (weight, weights) = match choice.drift.weight() {
        Some(ProjectionWeight::Identity) => (Some("identity"), None),
        Some(ProjectionWeight::Diagonal(w)) => (None, Some(w)),
        Some(ProjectionWeight::Mass) | None => (None, None),
    };
    let DriftParameters { alpha, beta, gain, above } = choice.numbers;
    let own = |name: &str| choice.drift.parameters().into_iter().find(|(k, _)| *k == name).map(|(_, x)| x);
    let method = (choice.method != Method::default()).then_some(choice.method.name());
    json!({
        "formulation": method, "penalty": choice.setup.penalty, "rank_tolerance": choice.setup.rank_tolerance,
        "drift": choice.drift.name(), "projection_norm": weight, "projection_weights": weights,
        "alpha": own("alpha").or(alpha), "beta": own("beta").or(beta), "projection_threshold": own("above").or(above),
        "gain": own("gain").or(gain),
        "inconsistent": word_of(&INCONSISTENT, choice.inconsistent),
        "row_weighting": word_of(&ROW_WEIGHTINGS, choice.row_weighting),
    })
}
