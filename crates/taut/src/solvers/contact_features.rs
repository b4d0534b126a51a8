//! Binds contact points to the features that are currently in contact.
//!
//! Active points take the nearest of the touching features; the others take the remaining ones.

use crate::constraints::{ConstraintKind, ElementInput};
use crate::contacts::{GapState, SearchRange, clear_features};
use crate::equations::MarkerKinematics;
use crate::model::{ContactSlots, Model};
use crate::motion::{Motion, Vec3};
use crate::shapes::{ContactGeometry, FeaturePair};
use crate::state::ConstraintMode;

/// The points where a pair of surfaces touches or is closest, without those already taken by its active contact points.
fn unassigned_touches(
    model: &Model,
    meeting: &ContactSlots,
    t: f64,
    motions: &[Motion],
    modes: &[ConstraintMode],
    z: &[f64],
    range: SearchRange,
    mut each: impl FnMut(usize, Option<ContactGeometry>),
) -> Vec<ContactGeometry> {
    let Some(&first) = meeting.slots.first() else { return Vec::new() };
    let entry = &model.constraints[first];
    let ConstraintKind::Contact(point) = &entry.kind else { return Vec::new() };
    let view = ElementInput { t, motions, markers: &entry.markers, z: &[] };
    let mut found: Vec<ContactGeometry> = point.touch_points(&view, range);
    let far = |touch: &ContactGeometry, p: &Vec3| ((touch.point_a + touch.point_b) * 0.5 - p).norm();
    for &c in meeting.slots.iter().filter(|c| modes[**c] != ConstraintMode::Idle) {
        let near = contact_position(model, c, t, motions, &z[model.constraints[c].z.clone()]).and_then(|p| {
            // Other features of the same solids, for instance across a fold, belong to other contact points.
            let own = |touch: &ContactGeometry| {
                touch.gap.abs() < model.contact_scale.touching_gap() && far(touch, &p) <= point.neighbourhood_radius()
            };
            let closed = found.iter().enumerate().filter(|(_, touch)| own(touch));
            closed.min_by(|a, b| far(a.1, &p).total_cmp(&far(b.1, &p))).map(|(i, _)| i)
        });
        each(c, near.map(|i| found.remove(i)));
    }
    found
}

/// Calls `each` with the gap state of every open contact point whose features change with the pose.
pub(crate) fn for_each_open_contact(
    model: &Model,
    t: f64,
    motions: &[Motion],
    modes: &[ConstraintMode],
    z: &[f64],
    range: SearchRange,
    mut each: impl FnMut(usize, GapState),
) {
    for meeting in &model.contact_slots {
        let mut open = meeting.slots.iter().copied().filter(|c| modes[*c] == ConstraintMode::Idle).peekable();
        let Some(&first) = open.peek() else { continue };
        let mut found = unassigned_touches(model, meeting, t, motions, modes, z, range, |_, _| {});
        if found.is_empty() && range == SearchRange::Near && open.clone().count() == meeting.slots.len() {
            // In free flight the gap is also evaluated at larger distances, so that a landing shows as a local minimum
            // between two samples.
            found = unassigned_touches(model, meeting, t, motions, modes, z, SearchRange::Unlimited, |_, _| {});
        }
        let [a, b] = [0, 1].map(|k| &motions[model.constraints[first].markers[k]]);
        let mut found = found.into_iter();
        for c in open {
            let Some(touch) = found.next() else {
                each(c, GapState::NONE_NEAR);
                continue;
            };
            each(c, GapState::at_touch(&touch, a, b));
        }
    }
}

/// Updates the states of all contact points whose features change with the pose; opens points whose features no longer
/// touch.
pub(crate) fn bind_features(
    model: &Model,
    t: f64,
    scene: &MarkerKinematics,
    modes: &mut [ConstraintMode],
    z: &mut [f64],
) {
    for meeting in &model.contact_slots {
        let mut held = Vec::new();
        let found =
            unassigned_touches(model, meeting, t, &scene.motions, modes, z, SearchRange::Unlimited, |c, touch| {
                held.push((c, touch))
            });
        let mut found = found.into_iter();
        for &c in meeting.slots.iter().filter(|c| modes[**c] == ConstraintMode::Idle) {
            let z = &mut z[model.constraints[c].z.clone()];
            match found.next() {
                Some(touch) => touch.pair.encode(z),
                None => clear_features(z),
            }
        }
        for (c, touch) in held {
            let mut now = [-1.0; FeaturePair::ENCODED_LENGTH];
            touch.iter().for_each(|touch| touch.pair.encode(&mut now));
            let z = &mut z[model.constraints[c].z.clone()];
            // Different features are a different contact, for which the laws decide again.
            if *z != now {
                z.copy_from_slice(&now);
                modes[c] = ConstraintMode::Idle;
            }
        }
    }
}

fn contact_position(model: &Model, c: usize, t: f64, motions: &[Motion], z: &[f64]) -> Option<Vec3> {
    let entry = &model.constraints[c];
    let ConstraintKind::Contact(point) = &entry.kind else { return None };
    let view = ElementInput { t, motions, markers: &entry.markers, z };
    point.contact_point(&view)
}
