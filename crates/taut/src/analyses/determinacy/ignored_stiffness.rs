//! Stiffnesses for load sharing that have no effect.

use super::{DeterminacyReport, JointDeterminacy};
use crate::bodies::BodyKind;
use crate::forces::ForceKind;
use crate::model::{Model, SharingStiffness};
use std::collections::BTreeSet;

/// Stiffnesses for sharing that cannot take effect because flexible bodies determine the reactions, or that have a misfit there.
pub(super) fn ignored_stiffness(model: &Model, report: &DeterminacyReport) -> Vec<String> {
    let beams = model.forces.iter().filter(|f| matches!(f.kind, ForceKind::Beam(_)));
    let nodes: BTreeSet<usize> = beams.flat_map(|f| &f.markers).filter_map(|m| model.markers[*m].body).collect();
    let is_flexible = |m: &usize| {
        let body = model.markers[*m].body;
        body.is_some_and(|b| nodes.contains(&b) || matches!(model.bodies[b].kind, BodyKind::Modal(_)))
    };
    let ignored = |(c, stiffness): &&(usize, SharingStiffness)| {
        let entry = &model.constraints[*c];
        let has_misfit = stiffness.misfit().iter().any(|e| *e != 0.0);
        report.label(&entry.name) == JointDeterminacy::Unique && (has_misfit || entry.markers.iter().any(is_flexible))
    };
    let names: Vec<&str> =
        model.sharing.iter().filter(ignored).map(|(c, _)| model.constraints[*c].name.as_str()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "`share_stiffness` of `{}` has no effect, because its reactions are unique; give an elastic seat of a flexible body as a \
         bushing, and move the marker by a misfit",
        names.join("`, `")
    )]
}
