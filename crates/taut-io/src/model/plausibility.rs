//! Warnings about models that are valid but implausible.

use super::ElementSource;
use super::error_places::family_place;
use crate::diagnostic::Diagnostic;
use std::collections::HashMap;
use taut::Spec;
use taut::bodies::BodyKind;

/// Planar joints between spatial bodies and vice versa; gravity that does not act on planar bodies.
pub(super) fn warn_implausible(
    spec: &Spec,
    written: &HashMap<(&'static str, String), ElementSource>,
    findings: &mut Vec<Diagnostic>,
) {
    let kinds: HashMap<&str, &BodyKind> = spec.bodies.iter().map(|b| (b.name.as_str(), &b.item)).collect();
    let planar = |kind: &BodyKind| matches!(kind, BodyKind::Planar(_));
    if spec.gravity[2] != 0.0 && !spec.bodies.is_empty() && spec.bodies.iter().all(|b| planar(&b.item)) {
        findings.push(Diagnostic::warning("gravity along z does not move planar bodies").help("give it along y"));
    }
    for constraint in &spec.constraints {
        let Some(ElementSource { node, .. }) = written.get(&("constraint", constraint.name.clone())) else { continue };
        let Some(table) = node.table() else { continue };
        let text = |key: &str| table.get(key).and_then(|n| n.text()).unwrap_or_default();
        let on = |key: &str| kinds.get(text(key).split('.').next().unwrap_or_default()).copied();
        let ends: Vec<&BodyKind> = [on("a"), on("b")].into_iter().flatten().collect();
        let kind = text("type");
        let flat = matches!(kind, "pin" | "slider" | "weld" | "slot");
        let round = matches!(kind, "revolute" | "prismatic" | "fixed" | "cylindrical" | "spherical" | "universal");
        let message = if flat && ends.iter().any(|k| k.rigid().is_some()) {
            format!(
                "joint `{}`: `{kind}` is meant for planar bodies; between rigid bodies it leaves more degrees of freedom",
                constraint.name
            )
        } else if round && !ends.is_empty() && ends.iter().all(|k| planar(k)) {
            format!("joint `{}`: `{kind}` between planar bodies has rows without effect", constraint.name)
        } else {
            continue;
        };
        let help = match flat {
            true => "in space use revolute, spherical, prismatic, fixed …; docs/model-file.md lists them",
            false => "in the plane use pin, slider, weld or slot",
        };
        let place = family_place(written, "constraint", &constraint.name);
        findings.push(Diagnostic { place, ..Diagnostic::warning(message).help(help) });
    }
}
