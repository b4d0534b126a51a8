//! `share_stiffness` and `misfit` of a constraint.

use super::super::expand::Item;
use super::super::resolve::Context;
use super::{deserialize, report_error};
use serde_json::{Map, Value as Json, json};
use taut::{SharingStiffness, Spec};

/// Takes the two fields out and adds them to the specification.
pub(super) fn apply(fields: &mut Map<String, Json>, item: &Item, c: &mut Context, spec: &mut Spec) {
    let (stiffness, misfit) = (fields.remove("share_stiffness"), fields.remove("misfit"));
    let (kind, stiffness, misfit) = match (stiffness, misfit) {
        (None, None) => return,
        (None, Some(_)) => {
            let help = "give `share_stiffness` too: the load that a misfit causes depends on it";
            return report_error(c, &item.place, "`misfit` without `share_stiffness`", help);
        }
        (Some(k), e) if k.is_number() => ("row", k, e.unwrap_or(json!(0.0))),
        (Some(k), e) => ("frame", k, e.unwrap_or(json!(vec![0.0; 6]))),
    };
    let given = json!({ kind: { "stiffness": stiffness, "misfit": misfit } });
    if let Some(found) = deserialize::<SharingStiffness>(given, &item.place, c) {
        spec.share_stiffness(&item.name, found);
    }
}
