//! Coordinates, motions and rotations of joints, terms of relations.

use super::super::node::{Entry, Node};
use super::super::vocabulary::{
    self as words, ACCELERATION_OF_COORDINATE, DISPLACEMENT, Field, FieldType, RATE, ROTATIONS, TERM, TRANSLATIONS,
};
use super::Context;
use crate::diagnostic::{Diagnostic, did_you_mean};
use serde_json::{Value as Json, json};

impl Context<'_> {
    /// `hinge.angle`, `rod.x`, the name of a measure, or `{ distance = { a, b } }`.
    pub fn coordinate(&mut self, node: &Node) -> Option<Json> {
        if let Some(name) = node.text() {
            let name = format!("{}{name}", self.part.prefix);
            if let Some(measure) = self.register.measures.get(&name) {
                return Some(measure.clone());
            }
            if self.register.formula_measures.contains_key(&name) {
                let message =
                    format!("`{name}` is a measure by formula; only measures between markers are coordinates");
                let help = "use a formula: a force or constraint of type \"formula\", a controller, an event";
                self.report(Diagnostic::error(message).at(&node.place).help(help));
                return None;
            }
            let (owner, what) = name.rsplit_once('.').unwrap_or((&name, ""));
            let Some((kind, a, b)) = self.register.joints.get(owner) else {
                let own = node.text().unwrap_or_default().to_string();
                return self.body_coordinate(node, &own).map(|c| json!({ "coordinate": c }));
            };
            let ends = json!({ "a": a, "b": b });
            let in_plane = matches!(kind.as_str(), "slider" | "slot");
            if !has_coordinate(kind, what) {
                let message = format!("joint `{owner}` ({kind}) has no coordinate `{what}`");
                let help = "joints that rotate have `.angle`, joints that translate `.slide`, rods `.distance`; or give for example { slide = { a, b } }";
                self.report(Diagnostic::error(message).at(&node.place).help(help));
                return None;
            }
            return match what {
                "angle" => Some(json!({ "angle": ends })),
                "distance" => Some(json!({ "distance": ends })),
                "slide" if in_plane => Some(json!({ "slide": { "a": a, "b": b, "axis": "x" } })),
                "slide" => Some(json!({ "slide": ends })),
                _ => {
                    let message = format!("joint `{owner}` has no coordinate `{what}`");
                    let help = "coordinates of joints are `.angle`, `.slide` and `.distance`";
                    self.report(Diagnostic::error(message).at(&node.place).help(help));
                    None
                }
            };
        }
        let Some(table) = node.table() else {
            self.report_type_mismatch(node, "a coordinate: a name such as \"hinge.angle\", or { angle = { a, b } }");
            return None;
        };
        let [Entry { key, place, node: inner }] = table.0.as_slice() else {
            let help = "one of distance, slide, angle, elevation, coordinate";
            self.report(Diagnostic::error("a coordinate is a table with one entry").at(&node.place).help(help));
            return None;
        };
        const ENDS: &[Field] = &[
            words::required("a", FieldType::Marker, "One marker."),
            words::required("b", FieldType::Marker, "The other."),
        ];
        const SLIDE: &[Field] = &[
            words::required("a", FieldType::Marker, "Carries the axis."),
            words::required("b", FieldType::Marker, "Moves along it."),
            words::optional("axis", FieldType::Choice(&["x", "y", "z"]), "Axis of a; default: z."),
        ];
        match (key.as_str(), inner.table()) {
            ("coordinate", _) => self.resolve(FieldType::BodyCoordinate, inner).map(|c| json!({ "coordinate": c })),
            ("distance" | "angle" | "elevation", Some(ends)) => {
                Some(json!({ key: self.fields(ends, ENDS, &inner.place, &[]) }))
            }
            ("slide", Some(ends)) => Some(json!({ "slide": self.fields(ends, SLIDE, &inner.place, &[]) })),
            ("distance" | "slide" | "angle" | "elevation", None) => {
                self.report_type_mismatch(inner, "{ a = marker, b = marker }");
                None
            }
            (other, _) => {
                let hint = did_you_mean(other, ["distance", "slide", "angle", "elevation", "coordinate"].into_iter());
                self.report(Diagnostic::error(format!("unknown kind of coordinate `{other}`{hint}")).at(place));
                None
            }
        }
    }

    /// `{ position | velocity | acceleration = SIGNAL }`.
    pub(super) fn motion(&mut self, node: &Node) -> Option<Json> {
        let entry = node.table().map(|t| t.0.as_slice());
        let Some([Entry { key, place, node: signal }]) = entry else {
            self.report_type_mismatch(node, "a motion: { position = … }, { velocity = … } or { acceleration = … }");
            return None;
        };
        let requested = match key.as_str() {
            "position" => DISPLACEMENT,
            "velocity" => RATE,
            "acceleration" => ACCELERATION_OF_COORDINATE,
            other => {
                let hint = did_you_mean(other, ["position", "velocity", "acceleration"].into_iter());
                self.report(Diagnostic::error(format!("unknown key `{other}`{hint}")).at(place));
                return None;
            }
        };
        self.signal(signal, &requested, 0).map(|s| json!({ key: s }))
    }

    pub(super) fn translation_entry(&mut self, node: &Node) -> Option<Json> {
        match node.text() {
            Some(_) => self.choice_or(node, TRANSLATIONS, ", or a motion such as { position = … }"),
            None => self.motion(node),
        }
    }

    pub(super) fn rotation_mask(&mut self, node: &Node) -> Option<Json> {
        if node.text().is_some() {
            return self.choice_or(node, ROTATIONS, ", or a table { locked = … } or { about = … }");
        }
        match node.table().map(|t| t.0.as_slice()) {
            Some([Entry { key, node: hold, .. }]) if key == "about" || key == "locked" => {
                self.translation_entry(hold).map(|h| json!({ key: h }))
            }
            _ => {
                self.report_type_mismatch(node, "a rotation: a word, { about = … } or { locked = … }");
                None
            }
        }
    }

    pub(super) fn terms(&mut self, node: &Node) -> Option<Json> {
        let Some(list) = node.list() else {
            self.report_type_mismatch(node, "a list of { factor, coordinate }");
            return None;
        };
        let mut terms = Vec::new();
        for term in list {
            match term.table() {
                Some(table) => terms.push(Json::Object(self.fields(table, TERM, &term.place, &[]))),
                None => self.report_type_mismatch(term, "{ factor, coordinate }"),
            }
        }
        Some(Json::Array(terms))
    }
}

/// Whether a joint of this kind has such a coordinate.
fn has_coordinate(kind: &str, what: &str) -> bool {
    match what {
        "distance" => kind == "rod",
        "slide" => {
            matches!(kind, "prismatic" | "cylindrical" | "slider" | "slot" | "point_on_line" | "screw" | "joint")
        }
        "angle" => !matches!(kind, "rod" | "prismatic" | "slider"),
        _ => true,
    }
}
