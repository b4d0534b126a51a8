//! Binds contact points to the features that are currently in contact.
//!
//! Active points take the nearest of the touching features; the others take the remaining ones.

use crate::constraints::{ConstraintKind, View};
use crate::contacts::{Ahead, CLOSED, Range, unbind};
use crate::equations::Scene;
use crate::model::{ContactSlots, Model};
use crate::motion::{Motion, Vec3};
use crate::shapes::{Pair, Touch};
use crate::state::Mode;

/// The points where a pair of surfaces touches or is closest, without those already taken by its active contact points.
fn left(
    model: &Model,
    meeting: &ContactSlots,
    t: f64,
    motions: &[Motion],
    modes: &[Mode],
    z: &[f64],
    range: Range,
    mut each: impl FnMut(usize, Option<Touch>),
) -> Vec<Touch> {
    let Some(&first) = meeting.slots.first() else { return Vec::new() };
    let entry = &model.constraints[first];
    let ConstraintKind::Contact(point) = &entry.kind else { return Vec::new() };
    let view = View { t, motions, ids: &entry.markers, z: &[] };
    let mut found: Vec<Touch> = point.touches(&view, range);
    let far = |touch: &Touch, p: &Vec3| ((touch.point_a + touch.point_b) * 0.5 - p).norm();
    for &c in meeting.slots.iter().filter(|c| modes[**c] != Mode::Idle) {
        let near = place_of(model, c, t, motions, &z[model.constraints[c].z.clone()]).and_then(|p| {
            // Other features of the same solids, for instance across a fold, belong to other contact points.
            let own = |touch: &Touch| touch.gap.abs() < CLOSED && far(touch, &p) <= point.own();
            let closed = found.iter().enumerate().filter(|(_, touch)| own(touch));
            closed.min_by(|a, b| far(a.1, &p).total_cmp(&far(b.1, &p))).map(|(i, _)| i)
        });
        each(c, near.map(|i| found.remove(i)));
    }
    found
}

/// Calls `each` with the gap state of every open contact point whose features change with the pose.
pub(crate) fn ahead(
    model: &Model,
    t: f64,
    motions: &[Motion],
    modes: &[Mode],
    z: &[f64],
    range: Range,
    mut each: impl FnMut(usize, Ahead),
) {
    for meeting in &model.meetings {
        let mut open = meeting.slots.iter().copied().filter(|c| modes[*c] == Mode::Idle).peekable();
        let Some(&first) = open.peek() else { continue };
        let mut found = left(model, meeting, t, motions, modes, z, range, |_, _| {});
        if found.is_empty() && range == Range::Near && open.clone().count() == meeting.slots.len() {
            // In free flight the gap is also evaluated at larger distances, so that a landing shows as a local minimum
            // between two samples.
            found = left(model, meeting, t, motions, modes, z, Range::All, |_, _| {});
        }
        let [a, b] = [0, 1].map(|k| &motions[model.constraints[first].markers[k]]);
        let mut found = found.into_iter();
        for c in open {
            let Some(touch) = found.next() else {
                each(c, Ahead::NOTHING);
                continue;
            };
            each(c, Ahead::of(&touch, a, b));
        }
    }
}

/// Updates the states of all contact points whose features change with the pose; opens points whose features no longer
/// touch.
pub(crate) fn bind(model: &Model, t: f64, scene: &Scene, modes: &mut [Mode], z: &mut [f64]) {
    for meeting in &model.meetings {
        let mut held = Vec::new();
        let found = left(model, meeting, t, &scene.motions, modes, z, Range::All, |c, touch| held.push((c, touch)));
        let mut found = found.into_iter();
        for &c in meeting.slots.iter().filter(|c| modes[**c] == Mode::Idle) {
            let z = &mut z[model.constraints[c].z.clone()];
            match found.next() {
                Some(touch) => touch.pair.encode(z),
                None => unbind(z),
            }
        }
        for (c, touch) in held {
            let mut now = [-1.0; Pair::WIDTH];
            touch.iter().for_each(|touch| touch.pair.encode(&mut now));
            let z = &mut z[model.constraints[c].z.clone()];
            // Different features are a different contact, for which the laws decide again.
            if *z != now {
                z.copy_from_slice(&now);
                modes[c] = Mode::Idle;
            }
        }
    }
}

fn place_of(model: &Model, c: usize, t: f64, motions: &[Motion], z: &[f64]) -> Option<Vec3> {
    let entry = &model.constraints[c];
    let ConstraintKind::Contact(point) = &entry.kind else { return None };
    let view = View { t, motions, ids: &entry.markers, z };
    point.place_now(&view)
}
