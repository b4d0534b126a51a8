//! Writes a mechanism as a file: resolved, in SI, every float with the digits that reproduce it exactly.

mod beams;
mod generalised;
mod modal;
mod unilateral;

use super::elements::named_joint;
use super::settings::{Expectation, ExpectedAt};
use super::solver_settings;
use super::start_targets::PlacedTarget;
use super::upgrade::FORMAT;
use super::vocabulary::choices::{
    CONTACT_METHODS, ERROR_NORMS, ERROR_PER, INCREMENT_AXES, INITIAL_CONDITIONS, PARADOX_RESPONSES, REACTION_SHARINGS,
    STATISTICS, STEP_CONTROLS, STIFFNESS_RESPONSES, word_of,
};
use super::vocabulary::{ElementKind, JOINTS};
use super::{Diagnostic, ModelFile};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;
use taut::analyses::{Output, RunMethod, TargetPriority, Transient};
use taut::bodies::BodyKind;
use taut::constraints::{ConstraintKind, Joint, Prescription, Relation};
use taut::forces::{Applied, ForceAxes, ForceKind, Spring};
use taut::{Columns, Measure, SharingStiffness, Spec};

/// The whole file. [trim] is left out: its parameters have become numbers.
pub(crate) fn write(file: &ModelFile) -> Result<String, Diagnostic> {
    let mut out = format!("taut = {FORMAT}\n");
    if !file.title.is_empty() {
        let _ = writeln!(out, "title = {}", inline(&json!(file.title)));
    }
    let _ = writeln!(out, "gravity = {}", inline(&json!(file.spec.gravity)));
    branch(file, &mut out);
    mechanism(file, &mut out)?;
    start(file, &mut out);
    settings(&file.transient, file.contact_method, file.start_time, &mut out);
    outputs(&file.transient, &file.column_patterns, &mut out);
    file.expect.iter().for_each(|e| expectation(e, &mut out));
    Ok(out)
}

/// The visuals of a body.
fn looks(file: &ModelFile, body: &str) -> Vec<Json> {
    file.visuals.iter().filter(|l| l.name == body).map(|l| json!(l.item)).collect()
}

fn mechanism(file: &ModelFile, out: &mut String) -> Result<(), Diagnostic> {
    let spec = &file.spec;
    let ground = looks(file, "ground");
    if !ground.is_empty() {
        let _ = writeln!(out, "\n[ground]\nvisual = {}", inline(&json!(ground)));
    }
    for body in &spec.bodies {
        if matches!(body.item, BodyKind::Subsystem(_) | BodyKind::Custom(_)) {
            return Err(defined_in_code("body", &body.name));
        }
        let mut found = fields(&body.item, "body", &body.name)?;
        if let BodyKind::Modal(modal) = &body.item {
            found = modal::modal(modal, found);
        }
        // The file has one type for rigid bodies, and `rotation_parameters`.
        if body.item.rigid().is_some()
            && let Some(kind) = found.insert("type".to_string(), json!("rigid")).filter(|k| *k != json!("rigid"))
        {
            found.insert("rotation_parameters".to_string(), kind);
        }
        let looks = looks(file, &body.name);
        if !looks.is_empty() {
            found.insert("visual".to_string(), json!(looks));
        }
        if let BodyKind::Generalised(_) = &body.item {
            ["coordinates", "forces", "states"].iter().for_each(|key| drop(found.remove(*key)));
        }
        table("bodies", &body.name, found, out);
        if let BodyKind::Generalised(b) = &body.item {
            generalised::named_entries(b, out);
        }
    }
    if !spec.markers.is_empty() {
        out.push_str("\n[markers]\n");
    }
    for marker in &spec.markers {
        let mut frame = fields(&marker.item, "marker", &marker.name)?;
        frame.retain(|_, v| *v != json!("aligned") && *v != json!("body"));
        let _ = writeln!(out, "{} = {}", key(&marker.name), inline(&Json::Object(frame)));
    }
    for constraint in &spec.constraints {
        let (section, found) = match &constraint.item {
            ConstraintKind::Joint(j) => ("joints", joint(j, spec)),
            ConstraintKind::Relation(r) => relation(r),
            other => {
                let found = fields(other, "constraint", &constraint.name)?;
                ("constraints", unilateral::constraint(other, found))
            }
        };
        let mut found = found;
        if spec.unlocked.contains(&constraint.name) {
            found.insert("initially".to_string(), json!("unlocked"));
        }
        if let Some(sharing) = spec.sharing.iter().find(|s| s.name == constraint.name) {
            found.extend(load_sharing(&sharing.item));
        }
        table(section, &constraint.name, found, out);
    }
    for force in &spec.forces {
        let found = match &force.item {
            ForceKind::Spring(s) => spring(s),
            ForceKind::Applied(a) => applied(a),
            other => unilateral::force(other, fields(other, "force", &force.name)?),
        };
        table("forces", &force.name, plain_coefficients(found), out);
        unilateral::inputs_and_states(&force.item, out);
    }
    for beam in &spec.beams {
        table("beams", &beam.name, beams::beam(&beam.item), out);
    }
    if let Some(air) = &spec.air {
        out.push_str("\n[air]\n");
        for (name, value) in object(json!(air)) {
            let _ = writeln!(out, "{name} = {}", inline(&value));
        }
    }
    for polar in &spec.polars {
        table("polars", &polar.name, fields(&polar.item, "polar", &polar.name)?, out);
    }
    for disc in &spec.discs {
        table("discs", &disc.name, fields(&disc.item, "disc", &disc.name)?, out);
    }
    for wing in &spec.wings {
        table("wings", &wing.name, fields(&wing.item, "wing", &wing.name)?, out);
    }
    for surface in &spec.surfaces {
        table("surfaces", &surface.name, fields(&surface.item, "surface", &surface.name)?, out);
    }
    for contact in &spec.contacts {
        table("contacts", &contact.name, unilateral::contact(&contact.item), out);
    }
    for event in &spec.events {
        table("events", &event.name, unilateral::event(&event.item), out);
    }
    if !spec.signals.is_empty() {
        out.push_str("\n[signals]\n");
    }
    for signal in &spec.signals {
        let found = serde_json::to_value(&signal.item).map_err(|_| defined_in_code("signal", &signal.name))?;
        let _ = writeln!(out, "{} = {}", key(&signal.name), inline(&found));
    }
    if !spec.measures.is_empty() || !spec.formula_measures.is_empty() {
        out.push_str("\n[measures]\n");
    }
    for measure in &spec.measures {
        let _ = writeln!(out, "{} = {}", key(&measure.name), inline(&json!(measure.item)));
    }
    for measure in &spec.formula_measures {
        let found = json!({ "formula": measure.item.formula, "unit": measure.item.unit });
        let _ = writeln!(out, "{} = {}", key(&measure.name), inline(&found));
    }
    Ok(())
}

fn defined_in_code(family: &str, name: &str) -> Diagnostic {
    Diagnostic::error(format!("{family} `{name}` is defined in code and cannot be written to a file"))
}

/// The serialised fields of an element.
fn fields(item: &impl Serialize, family: &str, name: &str) -> Result<Map<String, Json>, Diagnostic> {
    match serde_json::to_value(item) {
        Ok(Json::Object(fields)) => Ok(fields),
        _ => Err(defined_in_code(family, name)),
    }
}

fn object(value: Json) -> Map<String, Json> {
    match value {
        Json::Object(map) => map,
        _ => Map::new(),
    }
}

/// By its type if there is one, else by its translation and rotation. A planar pin and a spatial point on a line constrain
/// the same; the bodies decide which is written.
fn joint(j: &Joint, spec: &Spec) -> Map<String, Json> {
    let body = j.b.split('.').next().unwrap_or_default();
    let planar = spec.bodies.iter().any(|b| b.name == body && matches!(b.item, BodyKind::Planar(_)));
    let fits = |k: &&ElementKind| named_joint(k.name, &j.a, &j.b).as_ref() == Some(j);
    let named = if planar { JOINTS.iter().rfind(fits) } else { JOINTS.iter().find(fits) };
    match named {
        Some(kind) => object(json!({ "type": kind.name, "a": j.a, "b": j.b })),
        None => {
            object(json!({ "type": "joint", "a": j.a, "b": j.b, "translation": j.translation, "rotation": j.rotation }))
        }
    }
}

/// A rod, a driver, or the relation itself.
fn relation(r: &Relation) -> (&'static str, Map<String, Json>) {
    let (level, signal) = match &r.follows {
        Prescription::Position(s) => ("position", json!(s)),
        Prescription::Velocity(s) => ("velocity", json!(s)),
        Prescription::Acceleration(s) => ("acceleration", json!(s)),
        Prescription::Fixed | Prescription::Free => ("", Json::Null),
    };
    match r.terms.as_slice() {
        [term] if term.factor == 1.0 && !level.is_empty() => match (&term.coordinate, level) {
            (Measure::Distance { a, b }, "position") => {
                ("joints", object(json!({ "type": "rod", "a": a, "b": b, "length": signal })))
            }
            (of, _) => ("drivers", object(json!({ "coordinate": of, level: signal }))),
        },
        terms => {
            let mut found = object(json!({ "type": "relation", "terms": terms }));
            let word = if level == "position" { "equals" } else { level };
            if !word.is_empty() {
                found.insert(word.to_string(), signal);
            }
            ("constraints", found)
        }
    }
}

fn spring(s: &Spring) -> Map<String, Json> {
    let kind = if s.law.is_none() { "actuator" } else { "spring" };
    object(json!({ "type": kind, "coordinate": s.along, "law": s.law, "force": s.drive }))
}

fn applied(a: &Applied) -> Map<String, Json> {
    match a.axes {
        ForceAxes::Coordinate => {
            object(json!({ "type": "generalised_force", "coordinate": a.marker, "force": a.force[0] }))
        }
        axes => object(json!({
            "type": "applied", "marker": a.marker, "force": a.force, "torque": a.torque, "axes": axes,
            "reaction_marker": a.reaction_marker,
        })),
    }
}

/// `{ diagonal = […] }` and `{ full = […] }` are written as the list alone.
fn plain_coefficients(mut found: Map<String, Json>) -> Map<String, Json> {
    for name in ["stiffness", "damping", "viscosity"] {
        let inner = match found.get(name) {
            Some(Json::Object(map)) => map.get("diagonal").or(map.get("full")).cloned(),
            _ => None,
        };
        if let Some(inner) = inner {
            found.insert(name.to_string(), inner);
        }
    }
    found
}

/// `share_stiffness` and `misfit`.
fn load_sharing(sharing: &SharingStiffness) -> Map<String, Json> {
    let (stiffness, misfit) = match sharing {
        SharingStiffness::Frame { stiffness, misfit } => (json!({ "stiffness": stiffness }), json!(misfit)),
        SharingStiffness::Row { stiffness, misfit } => (json!({ "stiffness": stiffness }), json!(misfit)),
    };
    let stiffness = plain_coefficients(object(stiffness)).remove("stiffness").unwrap_or_default();
    object(json!({ "share_stiffness": stiffness, "misfit": misfit }))
}

fn table(section: &str, name: &str, fields: Map<String, Json>, out: &mut String) {
    let _ = writeln!(out, "\n[{section}.{}]", key(name));
    // The type comes first.
    let (kind, rest): (Vec<_>, Vec<_>) = fields.into_iter().partition(|(k, _)| k == "type");
    for (name, value) in kind.into_iter().chain(rest).filter(|(_, v)| !v.is_null() && *v != json!("aligned")) {
        let _ = writeln!(out, "{name} = {}", inline(&value));
    }
}

fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { name.to_string() } else { inline(&json!(name)) }
}

/// A value on one line.
fn inline(value: &Json) -> String {
    match value {
        Json::Null => "\"\"".to_string(),
        Json::Bool(b) => b.to_string(),
        Json::Number(n) if n.is_f64() => format!("{:?}", n.as_f64().unwrap_or(0.0)),
        Json::Number(n) => n.to_string(),
        // JSON's escapes are TOML's.
        Json::String(s) => Json::String(s.clone()).to_string().replace('\u{7f}', "\\u007f"),
        Json::Array(list) => format!("[{}]", list.iter().map(inline).collect::<Vec<_>>().join(", ")),
        // A constant signal is its number.
        Json::Object(map) if map.get("type") == Some(&json!("constant")) => inline(&map["value"]),
        Json::Object(map) => {
            let entries: Vec<String> =
                map.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| format!("{} = {}", key(k), inline(v))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

fn branch(file: &ModelFile, out: &mut String) {
    if let Some(requested) = &file.branch {
        let one = |(name, sign): &(String, &str)| format!("{} = {}", key(name), inline(&json!(sign)));
        let signs: Vec<String> = requested.signs.iter().map(one).collect();
        let _ = writeln!(out, "branch = {{ {} }}", signs.join(", "));
    }
}

fn start(file: &ModelFile, out: &mut String) {
    if !file.start.is_empty() {
        out.push_str("\n[start]\n");
    }
    for PlacedTarget { target, .. } in &file.start {
        let value = match target.priority {
            TargetPriority::Hard => json!(target.value),
            TargetPriority::Strong => json!({ "value": target.value, "priority": "strong", "weight": target.weight }),
            _ => json!({ "value": target.value, "priority": "weak", "weight": target.weight }),
        };
        let _ = writeln!(out, "{} = {}", key(&target.name), inline(&value));
    }
}

fn settings(t: &Transient, contact_method: RunMethod, start_time: f64, out: &mut String) {
    out.push_str("\n[settings]\n");
    let method = t.integrator.name();
    let start = INITIAL_CONDITIONS.iter().find(|(_, start)| *start == t.start).map(|(word, _)| word);
    let all = json!({
        "step_control": word_of(&STEP_CONTROLS, t.step_control), "spectral_radius": t.spectral_radius,
        "increment_axes": word_of(&INCREMENT_AXES, t.update), "on_stiffness": word_of(&STIFFNESS_RESPONSES, t.stiff),
        "duration": t.t_end - start_time, "end_time": t.t_end, "start_time": start_time, "method": method, "rtol": t.rtol, "atol": t.atol,
        "error_norm": word_of(&ERROR_NORMS, t.error_norm), "error_per": word_of(&ERROR_PER, t.error_per),
        "step": t.h_first, "max_step": t.h_max, "initial_conditions": start,
        "contact_method": word_of(&CONTACT_METHODS, contact_method), "on_painleve_paradox": word_of(&PARADOX_RESPONSES, t.paradox),
        "reactions": word_of(&REACTION_SHARINGS, t.reactions),
        "contact_penetration": t.contact_penetration, "contact_sweeps": t.contact_sweeps,
        "max_steps": t.limits.max_steps, "wall_clock": t.limits.wall_clock.map(|d| d.as_secs_f64()),
    });
    // Where the end is not start + duration to the last bit, the end itself is written.
    let exact = start_time + (t.t_end - start_time) == t.t_end;
    for (name, value) in object(all)
        .into_iter()
        .chain(object(solver_settings::write(&t.choice)))
        .filter(|(k, v)| !v.is_null() && k != if exact { "end_time" } else { "duration" })
    {
        let _ = writeln!(out, "{name} = {}", inline(&value));
    }
}

fn outputs(t: &Transient, only: &[String], out: &mut String) {
    out.push_str("\n[outputs]\n");
    let _ = match &t.output {
        Output::Every(dt) => writeln!(out, "every = {dt:?}"),
        Output::Times(times) => writeln!(out, "times = {}", inline(&json!(times))),
        Output::Steps => writeln!(out, "rows = \"steps\""),
        Output::Ends => writeln!(out, "rows = \"ends\""),
    };
    let columns = match &t.columns {
        Columns::All => json!("all"),
        Columns::State => json!(["state"]),
        Columns::Only(families) => json!(families),
        Columns::None => json!([]),
    };
    let _ = writeln!(out, "columns = {}", inline(&columns));
    if !only.is_empty() {
        let _ = writeln!(out, "only = {}", inline(&json!(only)));
    }
}

fn expectation(e: &Expectation, out: &mut String) {
    let (word, at) = match e.at {
        ExpectedAt::Time(t) => ("time", json!(t)),
        other => ("statistic", json!(STATISTICS.iter().find(|(_, at)| *at == other).map(|(word, _)| word))),
    };
    let all = json!({ "column": e.column, word: at, "value": e.value, "tolerance": e.tolerance, "source": e.source });
    out.push_str("\n[[expect]]\n");
    for (name, value) in object(all) {
        let _ = writeln!(out, "{name} = {}", inline(&value));
    }
}
