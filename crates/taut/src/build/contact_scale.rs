//! The size of a model, to which the tolerances of its contacts are relative.

use crate::constraints::ConstraintKind;
use crate::contacts::ContactScale;
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions};
use crate::laws::ConstraintLaw;
use crate::marker::MarkerPlacement;
use crate::model::Model;

/// Sets the scale from the surfaces on bodies and, without any, from the markers on bodies; and from the initial positions.
pub(super) fn set_contact_scale(model: &mut Model) {
    let gaps = model.constraints.iter().any(|c| matches!(c.law, ConstraintLaw::Unilateral(_)));
    if !gaps && model.contacts.is_empty() {
        return;
    }
    let mut scene = MarkerKinematics::new(model);
    assemble_positions(model, StateView::from(&model.initial), &mut scene, &mut Equations::new(model));
    let largest = |sizes: &mut dyn Iterator<Item = f64>| sizes.filter(|x| x.is_finite()).fold(0.0, f64::max);
    let frames = || {
        let on_body = |b: usize, m: usize| (m, model.bodies[b].markers.start);
        let all = model.markers.iter().enumerate().filter(|(_, m)| matches!(m.placement, MarkerPlacement::Frame(..)));
        all.filter_map(move |(i, m)| m.body.map(|b| on_body(b, i)))
    };
    let surfaces = model.surfaces.iter().filter(|s| s.body.is_some());
    let radius = largest(&mut surfaces.map(|s| s.solid.radius_about_marker()));
    let reach = largest(&mut frames().map(|(m, own)| (scene.motions[m].p - scene.motions[own].p).norm()));
    let distance = largest(&mut frames().map(|(m, _)| scene.motions[m].p.norm()));
    let size = if radius > 0.0 { radius } else { reach };
    model.contact_scale = ContactScale::new(size, distance);
    for entry in &mut model.constraints {
        if let ConstraintKind::Contact(point) = &mut entry.kind {
            point.scale = model.contact_scale;
        }
    }
}
