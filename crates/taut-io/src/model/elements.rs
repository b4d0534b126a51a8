//! From resolved values to the elements of a [`Spec`].

use super::expand::{Item, Part, Section};
use super::resolve::{Context, Placed, multiplied};
use super::shapes::mass_properties;
use super::vocabulary::{
    ANGLE_DRIVER, BODIES, CONSTRAINTS, DRIVER, FORCES, Field, JOINTS, LENGTH, LENGTH_DRIVER, What, may,
};
use crate::diagnostic::{Diagnostic, Place};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};
use taut::bodies::BodyKind;
use taut::constraints::ConstraintKind;
use taut::forces::{Applied, Bushing, ForceKind, Spring};
use taut::signals::Law;
use taut::{
    Frame, Hold, Joint, KnifeEdge, Measure, Named, PlanarBody, PointMass, Relation, RigidBody, Rolling, Seen, Signal,
    Spec,
};

/// Adds an element to the mechanism; what is wrong is said to the context.
pub(crate) fn add(item: &Item, c: &mut Context, spec: &mut Spec) {
    match item.section {
        Section::Bodies => body(item, c, spec),
        Section::Markers => marker(item, c, spec),
        Section::Joints => joint(item, c, spec),
        Section::Drivers => driver(item, c, spec),
        Section::Constraints => constraint(item, c, spec),
        Section::Forces => force(item, c, spec),
        Section::Measures => {
            if let Some(measure) = c.coordinate(&item.node).and_then(|m| typed::<Measure>(m, &item.place, c)) {
                spec.measure(&item.name, measure);
            }
        }
        // Named signals are read where they are used.
        Section::Signals => drop(c.signal(&item.node, &super::vocabulary::ANYTHING, 0)),
    }
}

/// The engine's own type of a value that the vocabulary has checked already.
fn typed<T: DeserializeOwned>(value: Json, place: &Place, c: &mut Context) -> Option<T> {
    match serde_json::from_value(value) {
        Ok(found) => Some(found),
        Err(e) => {
            c.findings.push(Diagnostic::error(format!("{}: {e}", c.element)).at(place));
            None
        }
    }
}

fn refuse(c: &mut Context, place: &Place, message: &str, help: &str) {
    c.findings.push(Diagnostic::error(format!("{}: {message}", c.element)).at(place).help(help));
}

fn body(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.findings.len();
    let Some((kind, mut fields)) = c.kind(&item.node, BODIES, "body") else { return };
    if c.findings.len() > before {
        return;
    }
    fields.remove("markers");
    if let Some(Json::Array(shapes)) = fields.remove("shape")
        && !from_shapes(kind.name, &shapes, &mut fields, item, c)
    {
        return;
    }
    for needed in ["mass", "inertia"].iter().filter(|n| **n == "mass" || kind.name != "point_mass") {
        if !fields.contains_key(*needed) {
            let help = "give `mass` and `inertia`, or a `shape` with `mass` or `density`";
            refuse(c, &item.place, &format!("`{needed}` is missing"), help);
            return;
        }
    }
    let place = &item.place;
    let found: Option<BodyKind> = match kind.name {
        "rigid" => {
            if let Some(Json::Array(j)) = fields.get_mut("inertia")
                && j.len() == 3
            {
                j.extend([json!(0.0), json!(0.0), json!(0.0)]);
            }
            typed::<RigidBody>(Json::Object(fields), place, c).map(|b| placed_rigid(b, &item.part).into())
        }
        "planar" => match typed::<PlanarBody>(Json::Object(fields), place, c) {
            Some(b) => match placed_planar(b, &item.part) {
                Some(b) => Some(b.into()),
                None => {
                    let help = "a part with planar bodies may be moved in the xy plane and turned about z only";
                    refuse(c, place, "a planar body would leave its plane", help);
                    None
                }
            },
            None => None,
        },
        _ => typed::<PointMass>(Json::Object(fields), place, c).map(|b| placed_point(b, &item.part).into()),
    };
    if let Some(found) = found {
        spec.body(&item.name, found);
    }
    let markers = item.node.table().and_then(|t| t.get("markers"));
    let Some(markers) = markers else { return };
    let Some(table) = markers.table() else {
        refuse(c, &markers.place, "`markers` must be a table of frames by name", "markers = { tip = [1, 0, 0] }");
        return;
    };
    for entry in &table.0 {
        let name = format!("{}.{}", item.name, entry.key);
        c.element = format!("marker `{name}`");
        if let Some(frame) = frame(&entry.node, &item.part, c) {
            spec.marker(&name, frame);
        }
    }
}

/// Sets mass, mass centre and inertia from shapes; false if they cannot.
fn from_shapes(kind: &str, shapes: &[Json], fields: &mut Map<String, Json>, item: &Item, c: &mut Context) -> bool {
    for given in ["inertia", "com"] {
        if fields.contains_key(given) {
            let help = "keep either the shape or the numbers";
            refuse(c, &item.place, &format!("both `shape` and `{given}` are given"), help);
            return false;
        }
    }
    match mass_properties(shapes, fields.get("mass").and_then(Json::as_f64)) {
        Ok(found) => {
            fields.insert("mass".to_string(), json!(found.mass));
            if kind == "planar" {
                fields.insert("inertia".to_string(), json!(found.inertia[2]));
                fields.insert("com".to_string(), json!([found.com[0], found.com[1]]));
            } else {
                fields.insert("inertia".to_string(), json!(found.inertia));
                fields.insert("com".to_string(), json!(found.com));
            }
            true
        }
        Err(why) => {
            let place = item.node.table().and_then(|t| t.get("shape")).map_or(&item.place, |n| &n.place);
            refuse(c, place, &why, "mass properties come from `shape` with `density`, or with the body's `mass`");
            false
        }
    }
}

/// `[x, y, z]`, `[x, y]`, or a table with `at`, `orientation`, `seen`.
fn frame(node: &super::node::Node, part: &Part, c: &mut Context) -> Option<Frame> {
    const AT: What = What::Vector(&[2, 3], LENGTH);
    const FRAME: &[Field] = &[
        may("at", AT, "Origin."),
        may("orientation", What::Orientation, "Axes."),
        may("seen", What::Choice(&["from_body", "from_world"]), "What the numbers count from; the body if left out."),
    ];
    let mut fields = match node.table() {
        Some(table) => c.fields(table, FRAME, &node.place, &[]),
        None => Map::from_iter([("at".to_string(), c.resolve(AT, node)?)]),
    };
    if let Some(Json::Array(at)) = fields.get_mut("at")
        && at.len() == 2
    {
        at.push(json!(0.0));
    }
    let mut frame: Frame = typed(Json::Object(fields), &node.place, c)?;
    if frame.seen == Seen::FromWorld {
        place_frame(&mut frame, part);
    }
    Some(frame)
}

fn marker(item: &Item, c: &mut Context, spec: &mut Spec) {
    if let Some(mut frame) = frame(&item.node, &item.part, c) {
        if item.name.starts_with("ground.") && frame.seen == Seen::FromBody {
            place_frame(&mut frame, &item.part);
        }
        spec.marker(&item.name, frame);
    }
}

/// A frame of the world that moves with its part.
pub(crate) fn place_frame(frame: &mut Frame, part: &Part) {
    if part.placed == Placed::AsWritten {
        return;
    }
    let at = rotated(part.turned, frame.at);
    frame.at = [0, 1, 2].map(|i| part.position[i] + at[i]);
    frame.orientation = turned(&frame.orientation, part);
}

/// An orientation seen from outside a part.
fn turned(orientation: &taut::Orientation, part: &Part) -> taut::Orientation {
    match orientation.matrix() {
        Ok(R) => {
            let q = multiplied(part.turned, taut::motion::quaternion_of_rotation(&R));
            let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
            taut::Orientation::Quaternion(q.map(|c| c / n))
        }
        Err(_) => orientation.clone(),
    }
}

pub(crate) fn placed_rigid(mut b: RigidBody, part: &Part) -> RigidBody {
    if part.placed == Placed::Moved {
        let p = rotated(part.turned, b.position);
        b.position = [0, 1, 2].map(|i| part.position[i] + p[i]);
        b.orientation = turned(&b.orientation, part);
        b.velocity = rotated(part.turned, b.velocity);
        b.angular_velocity = rotated(part.turned, b.angular_velocity);
    }
    b
}

pub(crate) fn placed_point(mut b: PointMass, part: &Part) -> PointMass {
    if part.placed == Placed::Moved {
        let p = rotated(part.turned, b.position);
        b.position = [0, 1, 2].map(|i| part.position[i] + p[i]);
        b.velocity = rotated(part.turned, b.velocity);
    }
    b
}

fn placed_planar(mut b: PlanarBody, part: &Part) -> Option<PlanarBody> {
    if part.placed == Placed::Moved {
        let [w, x, y, z] = part.turned;
        if x.abs().max(y.abs()) > 1e-12 || part.position[2] != 0.0 {
            return None;
        }
        let p = rotated(part.turned, [b.position[0], b.position[1], 0.0]);
        b.position = [part.position[0] + p[0], part.position[1] + p[1]];
        b.angle += 2.0 * z.atan2(w);
        let v = rotated(part.turned, [b.velocity[0], b.velocity[1], 0.0]);
        b.velocity = [v[0], v[1]];
    }
    Some(b)
}

/// The vector `v` turned by the unit quaternion `q`.
pub(crate) fn rotated(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let p = multiplied(multiplied(q, [0.0, v[0], v[1], v[2]]), [q[0], -q[1], -q[2], -q[3]]);
    [p[1], p[2], p[3]]
}

fn name(fields: &Map<String, Json>, key: &str) -> String {
    fields.get(key).and_then(Json::as_str).unwrap_or_default().to_string()
}

/// The joint of that name, as its constructor makes it.
pub(crate) fn named_joint(kind: &str, a: &str, b: &str) -> Option<Joint> {
    let make: fn(&str, &str) -> Joint = match kind {
        "fixed" => Joint::fixed,
        "revolute" => Joint::revolute,
        "prismatic" => Joint::prismatic,
        "cylindrical" => Joint::cylindrical,
        "spherical" => Joint::spherical,
        "universal" => Joint::universal,
        "constant_velocity" => Joint::constant_velocity,
        "planar" => Joint::planar,
        "point_on_line" => Joint::point_on_line,
        "point_on_plane" => Joint::point_on_plane,
        "parallel_axes" => Joint::parallel_axes,
        "perpendicular_axes" => Joint::perpendicular_axes,
        "parallel_frames" => Joint::parallel_frames,
        "pin" => Joint::pin,
        "slider" => Joint::slider,
        "weld" => Joint::weld,
        "slot" => Joint::slot,
        _ => return None,
    };
    Some(make(a, b))
}

fn joint(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.findings.len();
    let Some((kind, mut fields)) = c.kind(&item.node, JOINTS, "joint") else { return };
    if c.findings.len() > before {
        return;
    }
    let (a, b, place) = (name(&fields, "a"), name(&fields, "b"), &item.place);
    match kind.name {
        "rod" => {
            let Some(length) = fields.remove("length").and_then(|l| typed::<Signal>(l, place, c)) else { return };
            if length.is_constant() && length.at(0.0).f <= 0.0 {
                let help = "for a common point use `spherical`, or `pin` in the plane";
                refuse(c, place, "`length` of a rod must be greater than zero", help);
                return;
            }
            spec.constraint(&item.name, Relation::driver(Measure::distance(&a, &b), Hold::Position(length)));
        }
        "screw" => {
            let pitch = fields.get("pitch").and_then(Json::as_f64).unwrap_or(0.0);
            spec.screw(&item.name, &a, &b, pitch);
        }
        "joint" => {
            if let Some(joint) = typed::<Joint>(Json::Object(fields), place, c) {
                spec.constraint(&item.name, joint);
            }
        }
        _ => {
            let Some(mut joint) = named_joint(kind.name, &a, &b) else { return };
            if let Some(hold) = fields.remove("turn").and_then(|h| typed::<Hold>(h, place, c)) {
                joint = joint.turn(hold);
            }
            if let Some(hold) = fields.remove("slide").and_then(|h| typed::<Hold>(h, place, c)) {
                let along = if matches!(kind.name, "slider" | "slot") { 0 } else { 2 };
                joint = joint.drive(along, hold);
            }
            spec.constraint(&item.name, joint);
        }
    }
}

/// Exactly one of `position`, `velocity`, `acceleration`.
fn hold(fields: &mut Map<String, Json>, item: &Item, c: &mut Context) -> Option<Hold> {
    let given: Vec<String> = ["position", "velocity", "acceleration"]
        .iter()
        .filter(|k| fields.contains_key(**k))
        .map(|k| k.to_string())
        .collect();
    let [one] = given.as_slice() else {
        let found = if given.is_empty() { "none is".to_string() } else { format!("{} are", given.join(" and ")) };
        let message = format!("give one of `position`, `velocity` and `acceleration`; {found} given");
        refuse(c, &item.place, &message, "a driver prescribes one of them, the others follow");
        return None;
    };
    let signal = fields.remove(one)?;
    typed(json!({ one.as_str(): signal }), &item.place, c)
}

/// Whether a coordinate of a body has this name.
fn ends_in(of: &Json, name: &str) -> bool {
    of.get("coordinate").and_then(Json::as_str).is_some_and(|c| c.ends_with(name))
}

fn driver(item: &Item, c: &mut Context, spec: &mut Spec) {
    let Some(table) = item.node.table() else {
        refuse(c, &item.place, "a driver is a table", "give `of` and one of position, velocity, acceleration");
        return;
    };
    let before = c.findings.len();
    // What the coordinate is decides which units fit; what is wrong with it is said with the other fields.
    let mut unsaid = Vec::new();
    let of = table.get("of").and_then(|of| {
        let mut quiet = Context { scope: c.scope.clone(), element: String::new(), findings: &mut unsaid, ..*c };
        quiet.coordinate(of)
    });
    let words = match of {
        Some(of) if of.get("angle").is_some() || ends_in(&of, ".theta") => ANGLE_DRIVER,
        Some(of) if of.get("distance").or(of.get("slide")).is_some() => LENGTH_DRIVER,
        Some(of) if [".x", ".y", ".z"].iter().any(|x| ends_in(&of, x)) => LENGTH_DRIVER,
        _ => DRIVER,
    };
    let mut fields = c.fields(table, words, &item.place, &[]);
    if c.findings.len() > before {
        return;
    }
    let of = fields.remove("of").and_then(|m| typed::<Measure>(m, &item.place, c));
    if let (Some(of), Some(hold)) = (of, hold(&mut fields, item, c)) {
        spec.constraint(&item.name, Relation::driver(of, hold));
    }
}

fn constraint(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.findings.len();
    let Some((kind, mut fields)) = c.kind(&item.node, CONSTRAINTS, "constraint") else { return };
    if c.findings.len() > before {
        return;
    }
    let place = &item.place;
    let mut measure =
        |fields: &mut Map<String, Json>, key: &str| fields.remove(key).and_then(|m| typed::<Measure>(m, place, c));
    let found: Option<ConstraintKind> = match kind.name {
        "gear" => {
            let (one, two) = (measure(&mut fields, "one"), measure(&mut fields, "two"));
            let ratio = fields.get("ratio").and_then(Json::as_f64).unwrap_or(1.0);
            let sum = fields.get("sum").and_then(Json::as_f64).unwrap_or(0.0);
            let held = if sum == 0.0 { Hold::Held } else { Hold::Position(Signal::constant(sum)) };
            one.zip(two).map(|(one, two)| Relation::gear(one, two, ratio).follows(held).into())
        }
        "rack_and_pinion" => {
            let (slide, turn) = (measure(&mut fields, "slide"), measure(&mut fields, "turn"));
            let radius = fields.get("radius").and_then(Json::as_f64).unwrap_or(1.0);
            slide.zip(turn).map(|(slide, turn)| Relation::rack_and_pinion(slide, turn, radius).into())
        }
        "relation" => {
            let given: Vec<&str> =
                ["equals", "velocity", "acceleration"].into_iter().filter(|k| fields.contains_key(*k)).collect();
            let follows = match given.as_slice() {
                [] => json!("held"),
                ["equals"] => json!({ "position": fields.remove("equals") }),
                [one] => json!({ *one: fields.remove(*one) }),
                _ => {
                    refuse(c, place, &format!("{} exclude each other", given.join(" and ")), "keep one of them");
                    return;
                }
            };
            let terms = fields.remove("terms").unwrap_or_default();
            typed::<Relation>(json!({ "terms": terms, "follows": follows }), place, c).map(ConstraintKind::from)
        }
        "knife_edge" => typed::<KnifeEdge>(Json::Object(fields), place, c).map(ConstraintKind::from),
        "rolling" => typed::<Rolling>(Json::Object(fields), place, c).map(ConstraintKind::from),
        _ => {
            fields.insert("type".to_string(), json!(kind.name));
            typed::<ConstraintKind>(Json::Object(fields), place, c)
        }
    };
    if let Some(found) = found {
        spec.constraints.push(Named { name: item.name.clone(), item: found });
    }
}

fn force(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.findings.len();
    let Some((kind, mut fields)) = c.kind(&item.node, FORCES, "force") else { return };
    if c.findings.len() > before {
        return;
    }
    let place = &item.place;
    let found: Option<ForceKind> = match kind.name {
        "spring" => spring(&mut fields, item, c).map(ForceKind::from),
        "actuator" => {
            let along = fields.remove("along").and_then(|m| typed::<Measure>(m, place, c));
            let force = fields.remove("force").and_then(|s| typed::<Signal>(s, place, c));
            along.zip(force).map(|(along, force)| Spring::actuator(along, force).into())
        }
        "load" => {
            let on = name(&fields, "on");
            let force = fields.remove("force").and_then(|s| typed::<Signal>(s, place, c));
            force.map(|force| Applied::on_coordinate(&on, force).into())
        }
        "applied" => {
            if !fields.contains_key("force") && !fields.contains_key("torque") {
                refuse(c, place, "neither `force` nor `torque` is given", "give one of them, or both");
                return;
            }
            typed::<Applied>(Json::Object(fields), place, c).map(ForceKind::from)
        }
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
    let along = match (fields.remove("along"), a, b) {
        (Some(along), false, false) => typed::<Measure>(along, place, c)?,
        (None, true, true) => Measure::distance(&name(fields, "a"), &name(fields, "b")),
        _ => {
            refuse(
                c,
                place,
                "a spring acts between `a` and `b`, or `along` a coordinate",
                "give either both ends, or `along`",
            );
            return None;
        }
    };
    let number = |key: &str| fields.get(key).and_then(Json::as_f64);
    let rest = match (number("length"), number("rest")) {
        (Some(_), Some(_)) => {
            refuse(c, place, "`length` and `rest` are both given", "keep `length` with a and b, `rest` with along");
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
        None if plain => Some(Law::Linear(taut::signals::LinearLaw {
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
