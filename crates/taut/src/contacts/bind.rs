//! Binds the points of contact to the features that meet now.
//!
//! Points that hold take the nearest of the features that touch; the others take what is left.

use super::point::{Features, unbind};
use crate::constraints::{ConstraintKind, View};
use crate::equations::Scene;
use crate::model::Model;
use crate::motion::Vec3;
use crate::shapes::{Pair, Touch};
use crate::state::Mode;

/// Gaps below this are closed, m.
const SAME: f64 = 1e-6;

/// Sets the states of all points whose features change with the poses; opens those whose features no longer meet.
pub(crate) fn bind(model: &Model, t: f64, scene: &Scene, modes: &mut [Mode], z: &mut [f64]) {
    for meeting in &model.meetings {
        let Some(&first) = meeting.slots.first() else { continue };
        let entry = &model.constraints[first];
        let ConstraintKind::Contact(point) = &entry.kind else { continue };
        let view = View { t, motions: &scene.motions, ids: &entry.markers, z: &[] };
        let mut found: Vec<Touch> = point.touches(&view, f64::INFINITY);
        let mut free = Vec::new();
        for &c in &meeting.slots {
            let at = model.constraints[c].z.clone();
            let held = (modes[c] != Mode::Idle).then(|| place_of(model, c, t, scene, &z[at.clone()])).flatten();
            let far = |touch: &Touch, p: &Vec3| ((touch.point_a + touch.point_b) * 0.5 - p).norm();
            let near = held.and_then(|p| {
                let closed = found.iter().enumerate().filter(|(_, touch)| touch.gap < SAME);
                closed.min_by(|a, b| far(a.1, &p).total_cmp(&far(b.1, &p))).map(|(i, _)| i)
            });
            match near {
                Some(i) => {
                    let mut now = [0.0; Pair::WIDTH];
                    found.remove(i).pair.encode(&mut now);
                    // Other features are another contact, about which the laws decide anew.
                    if z[at.clone()] != now {
                        z[at].copy_from_slice(&now);
                        modes[c] = Mode::Idle;
                    }
                }
                None => {
                    modes[c] = Mode::Idle;
                    free.push(c);
                }
            }
        }
        let mut found = found.into_iter();
        for c in free {
            let z = &mut z[model.constraints[c].z.clone()];
            match found.next() {
                Some(touch) => touch.pair.encode(z),
                None => unbind(z),
            }
        }
    }
}

fn place_of(model: &Model, c: usize, t: f64, scene: &Scene, z: &[f64]) -> Option<Vec3> {
    let entry = &model.constraints[c];
    let ConstraintKind::Contact(point) = &entry.kind else { return None };
    let view = View { t, motions: &scene.motions, ids: &entry.markers, z };
    point.place_now(&view)
}

/// The meetings of a model: the points of one pair follow each other.
pub(crate) fn meetings(model: &[crate::model::ConstraintEntry]) -> Vec<super::Meeting> {
    let mut found: Vec<super::Meeting> = Vec::new();
    for (c, entry) in model.iter().enumerate() {
        let ConstraintKind::Contact(point) = &entry.kind else { continue };
        match &point.features {
            Features::Fixed(_) => {}
            Features::Nearest { slot: 0, .. } => found.push(super::Meeting { slots: vec![c] }),
            Features::Nearest { .. } => found.iter_mut().rev().take(1).for_each(|m| m.slots.push(c)),
        }
    }
    found
}
