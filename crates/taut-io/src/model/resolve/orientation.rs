//! Rotations.

use super::super::node::{Entry, Node};
use super::super::vocabulary::{self as words, Field, FieldType, ORIENTATION};
use super::Context;
use crate::diagnostic::{Diagnostic, did_you_mean};
use serde_json::{Value as Json, json};

impl Context<'_> {
    /// A rotation in the form of the engine.
    pub fn orientation(&mut self, node: &Node) -> Option<Json> {
        if node.text() == Some("aligned") {
            return Some(json!("aligned"));
        }
        let Some([Entry { key, place, node: inner }]) = node.table().map(|t| t.0.as_slice()) else {
            self.report_type_mismatch(node, "an orientation: { axes = { z = […] } }, { rotation_vector = […] }, { quaternion = […] } or { rotations = […] }");
            return None;
        };
        const AXES: &[Field] = &[
            words::required("z", FieldType::Vector(&[3], words::DIMENSIONLESS), "Direction of z."),
            words::optional(
                "x",
                FieldType::Vector(&[3], words::DIMENSIONLESS),
                "Direction of x, as far as it is perpendicular to z.",
            ),
        ];
        match (key.as_str(), inner.table()) {
            ("axes", Some(axes)) => Some(json!({ "axes": self.fields(axes, AXES, &inner.place, &[]) })),
            ("rotations", _) => self.rotations(inner),
            (name, _) => match ORIENTATION.iter().find(|f| f.name == name && f.name != "axes") {
                Some(field) => self.resolve(field.field_type, inner).map(|v| json!({ key: v })),
                None => {
                    let hint = did_you_mean(name, ORIENTATION.iter().map(|f| f.name));
                    self.report(Diagnostic::error(format!("unknown kind of orientation `{name}`{hint}")).at(place));
                    None
                }
            },
        }
    }

    /// The quaternion of successive rotations about the rotated axes.
    pub(super) fn rotations(&mut self, node: &Node) -> Option<Json> {
        let Some(list) = node.list() else {
            self.report_type_mismatch(node, "a list of rotations: [[\"z\", \"30 deg\"], …]");
            return None;
        };
        let mut q = [1.0, 0.0, 0.0, 0.0];
        for turn in list {
            let Some([axis, angle]) = turn.list() else {
                self.report_type_mismatch(turn, "a rotation: [\"z\", \"30 deg\"]");
                return None;
            };
            let axis = self.choice(axis, &["x", "y", "z"])?;
            let (s, c) = (0.5 * self.number(angle, &words::ANGLE)?).sin_cos();
            let i = ["x", "y", "z"].iter().position(|a| json!(a) == axis).unwrap_or(2);
            let mut p = [c, 0.0, 0.0, 0.0];
            p[i + 1] = s;
            q = quaternion_product(q, p);
        }
        let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        Some(json!({ "quaternion": q.map(|c| c / length) }))
    }
}

/// The product of two quaternions (w, x, y, z).
pub(crate) fn quaternion_product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}
