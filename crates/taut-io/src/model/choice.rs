//! The formulation and the drift control among the settings, read and written.

use super::node::{Node, Table};
use super::resolve::Context;
use crate::diagnostic::Diagnostic;
use serde_json::{Map, Value as Json, json};
use taut::drift::{Drift, Numbers, Weight};
use taut::dynamics::Choice;
use taut::formulations::{Exactness, Method, Setup};

/// Controls that project.
const WEIGHED: &[&str] = &["projection", "rates_only", "threshold", "gear_gupta_leimkuhler", "energy", "thorough"];

/// What belongs to which controls; the other settings belong to all.
const BELONGS: [(&str, &[&str]); 6] = [
    ("alpha", &["baumgarte"]),
    ("beta", &["baumgarte"]),
    ("gain", &["braun_goldfarb"]),
    ("above", &["threshold"]),
    ("weight", WEIGHED),
    ("weights", WEIGHED),
];

/// The choice that the settings make.
pub(super) fn read(settings: &Map<String, Json>, top: &Table, c: &mut Context) -> Choice {
    let number = |key: &str| settings.get(key).and_then(Json::as_f64);
    let word = |key: &str| settings.get(key).and_then(Json::as_str);
    let mut complain = |key: &str, message: String, help: String| {
        let place = top.get("settings").and_then(Node::table).and_then(|t| t.get(key)).map(|n| n.place.clone());
        c.findings.push(Diagnostic { place, ..Diagnostic::error(message).help(help) });
    };
    let drift = word("drift").unwrap_or("projection");
    for (key, controls) in BELONGS {
        if settings.contains_key(key) && !controls.contains(&drift) {
            let message = format!("[settings]: `{key}` means nothing under drift = \"{drift}\"");
            complain(key, message, format!("it belongs to {}", controls.join(", ")));
        }
    }
    let weights: Option<Vec<f64>> =
        settings.get("weights").and_then(Json::as_array).map(|l| l.iter().filter_map(Json::as_f64).collect());
    if weights.is_some() && settings.contains_key("weight") {
        let message = "[settings]: `weight` and `weights` are both given".to_string();
        complain("weights", message, "keep one of them".to_string());
    }
    let weight = match (weights, word("weight")) {
        (Some(weights), _) => Weight::Diagonal(weights),
        (None, Some("identity")) => Weight::Identity,
        (None, _) => Weight::Mass,
    };
    let numbers =
        Numbers { alpha: number("alpha"), beta: number("beta"), gain: number("gain"), above: number("above") };
    let method = word("formulation").and_then(Method::named).unwrap_or_default();
    let setup = Setup { penalty: number("penalty"), rank_tolerance: number("rank_tolerance") };
    let penalised = method.dense(&setup).is_some_and(|d| d.exactness() == Exactness::Penalised);
    if setup.penalty.is_some() && !penalised {
        let message = format!("[settings]: `penalty` means nothing under formulation = \"{method}\"");
        let with = |m: &&Method| m.dense(&setup).is_some_and(|d| d.exactness() == Exactness::Penalised);
        let known: Vec<&str> = Method::ALL.iter().filter(with).map(|m| m.name()).collect();
        complain("penalty", message, format!("it belongs to {}", known.join(", ")));
    }
    let drift = Drift::named(drift, weight, numbers).unwrap_or_default();
    Choice { method, drift, setup, ..Choice::default() }
}

/// The settings that make this choice; null where the default does.
pub(super) fn write(choice: &Choice) -> Json {
    let (weight, weights) = match choice.drift.weight() {
        Some(Weight::Identity) => (Some("identity"), None),
        Some(Weight::Diagonal(w)) => (None, Some(w)),
        Some(Weight::Mass) | None => (None, None),
    };
    let numbers: Map<String, Json> =
        choice.drift.numbers().into_iter().map(|(k, x)| (k.to_string(), json!(x))).collect();
    let method = (choice.method != Method::default()).then_some(choice.method.name());
    json!({
        "formulation": method, "penalty": choice.setup.penalty, "rank_tolerance": choice.setup.rank_tolerance,
        "drift": choice.drift.name(), "weight": weight, "weights": weights,
        "alpha": numbers.get("alpha"), "beta": numbers.get("beta"), "above": numbers.get("above"),
        "gain": numbers.get("gain"),
    })
}
