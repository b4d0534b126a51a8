//! The formulation and the drift control among the settings, read and written.
//!
//! `penalty` and `rank_tolerance` may stand there under any formulation: `taut lab` tries all of them on one file.

use super::node::{Node, Table};
use super::resolve::Context;
use crate::diagnostic::{Diagnostic, Place};
use serde_json::{Map, Value as Json, json};
use taut::drift::{Drift, Numbers, Weight};
use taut::dynamics::Choice;
use taut::formulations::{Method, Setup};

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

pub(super) fn place_of(top: &Table, key: &str) -> Option<Place> {
    top.get("settings").and_then(Node::table).and_then(|t| t.get(key)).map(|n| n.place.clone())
}

/// The choice that the settings make.
pub(super) fn read(settings: &Map<String, Json>, top: &Table, c: &mut Context) -> Choice {
    let number = |key: &str| settings.get(key).and_then(Json::as_f64);
    let word = |key: &str| settings.get(key).and_then(Json::as_str);
    let drift = word("drift").unwrap_or("projection");
    for (key, controls) in BELONGS {
        if settings.contains_key(key) && !controls.contains(&drift) {
            let message = format!("[settings]: `{key}` means nothing under drift = \"{drift}\"");
            let help = format!("it belongs to {}, which `taut lab` tries with it", controls.join(", "));
            let place = place_of(top, key);
            c.findings.push(Diagnostic { place, ..Diagnostic::warning(message).help(help) });
        }
    }
    let weights: Option<Vec<f64>> =
        settings.get("weights").and_then(Json::as_array).map(|l| l.iter().filter_map(Json::as_f64).collect());
    if weights.is_some() && settings.contains_key("weight") {
        let message = "[settings]: `weight` and `weights` are both given";
        let place = place_of(top, "weights");
        c.findings.push(Diagnostic { place, ..Diagnostic::error(message).help("keep one of them") });
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
    let drift = Drift::named(drift, weight, numbers).unwrap_or_default();
    Choice { method, drift, setup, numbers, ..Choice::default() }
}

/// The settings that make this choice; null where the default does.
pub(super) fn write(choice: &Choice) -> Json {
    let (weight, weights) = match choice.drift.weight() {
        Some(Weight::Identity) => (Some("identity"), None),
        Some(Weight::Diagonal(w)) => (None, Some(w)),
        Some(Weight::Mass) | None => (None, None),
    };
    let Numbers { alpha, beta, gain, above } = choice.numbers;
    let own = |name: &str| choice.drift.numbers().into_iter().find(|(k, _)| *k == name).map(|(_, x)| x);
    let method = (choice.method != Method::default()).then_some(choice.method.name());
    json!({
        "formulation": method, "penalty": choice.setup.penalty, "rank_tolerance": choice.setup.rank_tolerance,
        "drift": choice.drift.name(), "weight": weight, "weights": weights,
        "alpha": own("alpha").or(alpha), "beta": own("beta").or(beta), "above": own("above").or(above),
        "gain": own("gain").or(gain),
    })
}
