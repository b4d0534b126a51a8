//! Forces.

use super::super::expand::{Item, PlacementKind};
use super::super::resolve::Context;
use super::super::vocabulary::FORCES;
use super::{control, deserialize, report_error, string_field};
use serde_json::{Map, Value as Json, json};
use taut::forces::{Applied, Bushing, ForceKind, Spring};
use taut::signals::{ForceLaw, LinearLaw};
use taut::{Measure, Named, Signal, Spec};

pub(super) fn force(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.diagnostics.len();
    let Some((kind, mut fields)) = c.kind(&item.node, FORCES, "force") else { return };
    if c.diagnostics.len() > before {
        return;
    }
    // Between two points it acts along their distance.
    let distance = json!({ "distance": {} });
    let between = matches!(kind.name, "spring" | "cable") && fields.contains_key("a") || kind.name == "tyre";
    c.check_units_along(kind, &item.node, if between { Some(&distance) } else { fields.get("coordinate") });
    if c.diagnostics.len() > before {
        return;
    }
    fields.remove("definitions");
    let place = &item.place;
    let found: Option<ForceKind> = match kind.name {
        "spring" => spring(&mut fields, item, c).map(ForceKind::from),
        "actuator" => {
            let along = fields.remove("coordinate").and_then(|m| deserialize::<Measure>(m, place, c));
            let force = fields.remove("force").and_then(|s| deserialize::<Signal>(s, place, c));
            along.zip(force).map(|(along, force)| Spring::actuator(along, force).into())
        }
        "generalised_force" => {
            let on = string_field(&fields, "coordinate");
            let force = fields.remove("force").and_then(|s| deserialize::<Signal>(s, place, c));
            force.map(|force| Applied::on_coordinate(&on, force).into())
        }
        "applied" => {
            if !fields.contains_key("force") && !fields.contains_key("torque") {
                report_error(c, place, "neither `force` nor `torque` is given", "give one of them, or both");
                return;
            }
            let in_world = fields.get("axes").is_none_or(|axes| axes == "world");
            if in_world && c.part.placed == PlacementKind::Rotated {
                let help = "give axes = \"marker\" and a marker of the ground or of a body, or define the force outside the part";
                report_error(c, place, "a force in world axes would not rotate with its part", help);
                return;
            }
            deserialize::<Applied>(Json::Object(fields), place, c).map(ForceKind::from)
        }
        "motor" | "pid" | "controller" => control::force(kind.name, fields, item, c),
        "bushing" => deserialize::<Bushing>(Json::Object(fields), place, c).map(ForceKind::from),
        _ => {
            fields.insert("type".to_string(), json!(kind.name));
            deserialize::<ForceKind>(Json::Object(fields), place, c)
        }
    };
    if let Some(found) = found {
        spec.forces.push(Named { name: item.name.clone(), item: found });
    }
}

fn spring(fields: &mut Map<String, Json>, item: &Item, c: &mut Context) -> Option<Spring> {
    let place = &item.place;
    let (a, b) = (fields.contains_key("a"), fields.contains_key("b"));
    let along = match (fields.remove("coordinate"), a, b) {
        (Some(along), false, false) => deserialize::<Measure>(along, place, c)?,
        (None, true, true) => Measure::distance(&string_field(fields, "a"), &string_field(fields, "b")),
        _ => {
            report_error(
                c,
                place,
                "a spring acts between `a` and `b`, or along a `coordinate`",
                "give either both ends, or `coordinate`",
            );
            return None;
        }
    };
    let number = |key: &str| fields.get(key).and_then(Json::as_f64);
    let rest = match (number("free_length"), number("rest")) {
        (Some(_), Some(_)) => {
            report_error(
                c,
                place,
                "`free_length` and `rest` are both given",
                "keep `free_length` with a and b, `rest` with `coordinate`",
            );
            return None;
        }
        (length, rest) => length.or(rest),
    };
    let (stiffness, damping, preload) = (number("stiffness"), number("damping"), number("preload"));
    let plain = stiffness.is_some() || damping.is_some() || preload.is_some();
    let law = match fields.remove("law") {
        Some(_) if plain || rest.is_some() => {
            report_error(c, place, "`law` and single coefficients are both given", "keep one of them");
            return None;
        }
        Some(law) => Some(deserialize::<ForceLaw>(law, place, c)?),
        None if plain => Some(ForceLaw::Linear(LinearLaw {
            stiffness: stiffness.unwrap_or(0.0),
            damping: damping.unwrap_or(0.0),
            rest: rest.unwrap_or(0.0),
            preload: preload.unwrap_or(0.0),
        })),
        None => None,
    };
    let drive = match fields.remove("force") {
        Some(signal) => Some(deserialize::<Signal>(signal, place, c)?),
        None => None,
    };
    if law.is_none() && drive.is_none() {
        report_error(c, place, "the spring has neither stiffness, damping, law nor force", "give one of them");
        return None;
    }
    Some(Spring { along, law, drive })
}
