//! Forces.

use super::super::expand::{Item, Placed};
use super::super::resolve::Context;
use super::super::vocabulary::FORCES;
use super::{control, name, refuse, typed};
use serde_json::{Map, Value as Json, json};
use taut::forces::{Applied, Bushing, ForceKind, Spring};
use taut::signals::{Law, LinearLaw};
use taut::{Measure, Named, Signal, Spec};

pub(super) fn force(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.findings.len();
    let Some((kind, mut fields)) = c.kind(&item.node, FORCES, "force") else { return };
    if c.findings.len() > before {
        return;
    }
    // Between two points it acts along their distance.
    let distance = json!({ "distance": {} });
    let between = matches!(kind.name, "spring" | "cable") && fields.contains_key("a");
    c.suit(kind, &item.node, if between { Some(&distance) } else { fields.get("coordinate") });
    if c.findings.len() > before {
        return;
    }
    let place = &item.place;
    let found: Option<ForceKind> = match kind.name {
        "spring" => spring(&mut fields, item, c).map(ForceKind::from),
        "actuator" => {
            let along = fields.remove("coordinate").and_then(|m| typed::<Measure>(m, place, c));
            let force = fields.remove("force").and_then(|s| typed::<Signal>(s, place, c));
            along.zip(force).map(|(along, force)| Spring::actuator(along, force).into())
        }
        "generalised_force" => {
            let on = name(&fields, "coordinate");
            let force = fields.remove("force").and_then(|s| typed::<Signal>(s, place, c));
            force.map(|force| Applied::on_coordinate(&on, force).into())
        }
        "applied" => {
            if !fields.contains_key("force") && !fields.contains_key("torque") {
                refuse(c, place, "neither `force` nor `torque` is given", "give one of them, or both");
                return;
            }
            let in_world = fields.get("axes").is_none_or(|axes| axes == "world");
            if in_world && c.part.placed == Placed::Turned {
                let help = "give axes = \"marker\" and a marker of the ground or of a body, or define the force outside the part";
                refuse(c, place, "a force in world axes would not rotate with its part", help);
                return;
            }
            typed::<Applied>(Json::Object(fields), place, c).map(ForceKind::from)
        }
        "motor" | "pid" | "controller" => control::force(kind.name, fields, item, c),
        "bushing" => typed::<Bushing>(Json::Object(fields), place, c).map(ForceKind::from),
        _ => {
            fields.insert("type".to_string(), json!(kind.name));
            typed::<ForceKind>(Json::Object(fields), place, c)
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
        (Some(along), false, false) => typed::<Measure>(along, place, c)?,
        (None, true, true) => Measure::distance(&name(fields, "a"), &name(fields, "b")),
        _ => {
            refuse(
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
            refuse(
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
            refuse(c, place, "`law` and single coefficients are both given", "keep one of them");
            return None;
        }
        Some(law) => Some(typed::<Law>(law, place, c)?),
        None if plain => Some(Law::Linear(LinearLaw {
            stiffness: stiffness.unwrap_or(0.0),
            damping: damping.unwrap_or(0.0),
            rest: rest.unwrap_or(0.0),
            preload: preload.unwrap_or(0.0),
        })),
        None => None,
    };
    let drive = match fields.remove("force") {
        Some(signal) => Some(typed::<Signal>(signal, place, c)?),
        None => None,
    };
    if law.is_none() && drive.is_none() {
        refuse(c, place, "the spring has neither stiffness, damping, law nor force", "give one of them");
        return None;
    }
    Some(Spring { along, law, drive })
}
