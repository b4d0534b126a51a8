//! Fields of contact and friction: coefficients, ropes, pairs of surfaces, points.

use super::super::node::Node;
use super::super::vocabulary::{DIMENSIONLESS, Field, LENGTH, PULLEY};
use super::Context;
use crate::diagnostic::Diagnostic;
use serde_json::{Value as Json, json};

impl Context<'_> {
    /// One coefficient, or a table with `static`, `kinetic` or both.
    pub(super) fn friction(&mut self, node: &Node, fields: &[Field]) -> Option<Json> {
        if node.table().is_none() {
            return self.number(node, &DIMENSIONLESS).map(|mu| json!({ "stick": mu, "slip": mu }));
        }
        let mut found = self.table(node, fields)?;
        let (stick, slip) = (found.remove("static"), found.remove("kinetic"));
        let Some(other) = stick.clone().or(slip.clone()) else {
            let help = "friction = 0.5, or friction = { static = 0.5, kinetic = 0.4 }";
            self.report(Diagnostic::error("no coefficient of friction is given").at(&node.place).help(help));
            return None;
        };
        found.insert("stick".to_string(), stick.unwrap_or(other.clone()));
        found.insert("slip".to_string(), slip.unwrap_or(other));
        Some(Json::Object(found))
    }

    /// Markers, and pulleys between them.
    pub(super) fn rope_path(&mut self, node: &Node) -> Option<Json> {
        let Some(list) = node.list() else {
            self.report_type_mismatch(node, "a list of markers and pulleys");
            return None;
        };
        let via = |c: &mut Self, n: &Node| {
            if let Some(name) = n.text() {
                return Some(json!({ "point": c.part.marker(name) }));
            }
            if n.table().is_none() {
                c.report_type_mismatch(n, "a marker, or { pulley, radius, sense }");
                return None;
            }
            let mut pulley = c.table(n, PULLEY)?;
            let marker = pulley.remove("pulley")?;
            let sense = pulley.remove("sense").unwrap_or(json!("positive"));
            let mut found = json!({ "marker": marker, "radius": pulley["radius"], "sense": sense });
            for key in ["turns", "friction"] {
                if let Some(value) = pulley.remove(key) {
                    found[key] = value;
                }
            }
            Some(json!({ "pulley": found }))
        };
        let all: Vec<Option<Json>> = list.iter().map(|n| via(self, n)).collect();
        all.into_iter().collect::<Option<Vec<_>>>().map(Json::Array)
    }

    /// `["ball", "floor"]`, or "all".
    pub(super) fn surface_pair(&mut self, node: &Node) -> Option<Json> {
        if node.text() == Some("all") {
            return Some(json!("all"));
        }
        let names: Option<Vec<&str>> = node.list().map(|l| l.iter().filter_map(Node::text).collect());
        match names.as_deref() {
            Some([a, b]) if node.list().is_some_and(|l| l.len() == 2) => {
                let whole = |name: &str| format!("{}{name}", self.part.prefix);
                Some(json!({ "pair": [whole(a), whole(b)] }))
            }
            _ => {
                let found = match node.list() {
                    Some(list) => format!("a list of {}", list.len()),
                    None => node.kind().to_string(),
                };
                let message = format!("expected the names of two surfaces, or \"all\", found {found}");
                let help = "between = [\"ball\", \"floor\"]; whole groups are given by `groups`";
                self.report(Diagnostic::error(message).at(&node.place).help(help));
                None
            }
        }
    }

    /// Groups are shared by all parts of a model: their names stay as they are.
    pub(super) fn groups(&mut self, node: &Node) -> Option<Json> {
        let list = node.list().map_or(vec![node], |l| l.iter().collect());
        let names: Vec<Option<String>> = list.iter().map(|n| self.text(n)).collect();
        match names.into_iter().collect::<Option<Vec<_>>>()?.as_slice() {
            [one] => Some(json!({ "groups": [one, one] })),
            [one, two] => Some(json!({ "groups": [one, two] })),
            more => {
                let message = format!("expected one group or two, found {}", more.len());
                let help =
                    "groups = \"balls\" means all pairs within it, groups = [\"balls\", \"walls\"] each with each";
                self.report(Diagnostic::error(message).at(&node.place).help(help));
                None
            }
        }
    }

    pub(super) fn points(&mut self, node: &Node, count: usize) -> Option<Json> {
        let Some(list) = node.list() else {
            self.report_type_mismatch(node, &format!("a list of points with {count} numbers each"));
            return None;
        };
        let all: Vec<Option<Json>> = list.iter().map(|n| self.numbers(n, &LENGTH, &[count])).collect();
        all.into_iter().collect::<Option<Vec<_>>>().map(Json::Array)
    }

    pub(super) fn triangles(&mut self, node: &Node) -> Option<Json> {
        let Some(list) = node.list() else {
            self.report_type_mismatch(node, "a list of triangles, three indices of points each");
            return None;
        };
        let triangle = |c: &mut Self, n: &Node| match n.list() {
            Some(corners) if corners.len() == 3 => {
                let corner = |c: &mut Self, n: &Node| match c.scope.clone().whole(n) {
                    Ok(i) if i >= 0 => Some(json!(i)),
                    Ok(i) => {
                        c.report(Diagnostic::error(format!("there is no point {i}; the first is 0")).at(&n.place));
                        None
                    }
                    Err(finding) => {
                        c.report(finding);
                        None
                    }
                };
                corners.iter().map(|n| corner(c, n)).collect::<Option<Vec<_>>>().map(Json::Array)
            }
            _ => {
                c.report_type_mismatch(n, "three indices of points");
                None
            }
        };
        let all: Vec<Option<Json>> = list.iter().map(|n| triangle(self, n)).collect();
        all.into_iter().collect::<Option<Vec<_>>>().map(Json::Array)
    }
}
