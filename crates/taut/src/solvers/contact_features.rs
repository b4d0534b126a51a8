//! Binds the points of contact to the features that meet now.
//!
//! Points that hold take the nearest of the features that touch; the others take what is left.

use crate::constraints::{ConstraintKind, View};
use crate::contacts::{Ahead, CLOSED, Range, unbind};
use crate::equations::Scene;
use crate::model::{ContactSlots, Model};
use crate::motion::{Motion, Vec3};
use crate::shapes::{Pair, Touch};
use crate::state::Mode;

/// The points in which a pair touches or comes nearest, without those that its held points have.
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
            // Other features of the same solids, as across a fold, are not its own.
            let own = |touch: &Touch| touch.gap.abs() < CLOSED && far(touch, &p) <= point.own();
            let closed = found.iter().enumerate().filter(|(_, touch)| own(touch));
            closed.min_by(|a, b| far(a.1, &p).total_cmp(&far(b.1, &p))).map(|(i, _)| i)
        });
        each(c, near.map(|i| found.remove(i)));
    }
    found
}

/// What is ahead of every point that is open and whose features change with the poses: `each` gets the constraint.
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
            // In flight the gap is told from afar, so that a landing shows as a dip between two looks.
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

/// Sets the states of all points whose features change with the poses; opens those whose features no longer meet.
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
            // Other features are another contact, about which the laws decide anew.
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
