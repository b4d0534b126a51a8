//! Free axes of joints, and the generalised force of a unit effort along or about each.

use crate::constraints::{ConstraintKind, Hold, Joint, Turning};
use crate::equations::Scene;
use crate::model::Model;
use crate::motion::Wrench;
use crate::state::{Mode, State};

/// A free axis of a joint.
pub(super) struct FreeAxis {
    pub joint: String,
    pub name: &'static str,
    /// Generalised force of a unit effort on marker B, its opposite on A.
    pub force: Vec<f64>,
}

const ALONG: [&str; 3] = ["along_x", "along_y", "along_z"];
const ABOUT: [&str; 3] = ["about_x", "about_y", "about_z"];

/// The axes of marker A about which marker B can turn.
fn turns(joint: &Joint) -> [bool; 3] {
    match &joint.turning {
        Turning::Free | Turning::Perpendicular | Turning::Homokinetic => [true; 3],
        Turning::Parallel => [false, false, true],
        Turning::About(hold) => [true, true, *hold == Hold::Free],
        Turning::Locked(hold) => [false, false, *hold == Hold::Free],
    }
}

/// All free axes of the active joints, at an evaluated scene.
pub(super) fn free_axes(model: &Model, state: &State, scene: &Scene) -> Vec<FreeAxis> {
    let mut list = Vec::new();
    for (c, entry) in model.constraints.iter().enumerate() {
        let ConstraintKind::Joint(joint) = &entry.kind else { continue };
        if state.modes[c] != Mode::Active {
            continue;
        }
        let [a, b] = [entry.markers[0], entry.markers[1]];
        let (A, B) = (&scene.motions[a], &scene.motions[b]);
        for i in 0..3 {
            let axis = A.axis(i);
            if joint.along[i] == Hold::Free {
                let on_a = Wrench { f: -axis, m: -(B.p - A.p).cross(&axis) };
                let force = generalised(model, state, scene, &[(a, on_a), (b, Wrench::force(axis))]);
                list.push(FreeAxis { joint: entry.name.clone(), name: ALONG[i], force });
            }
            if turns(joint)[i] {
                let force = generalised(model, state, scene, &[(a, Wrench::moment(-axis)), (b, Wrench::moment(axis))]);
                list.push(FreeAxis { joint: entry.name.clone(), name: ABOUT[i], force });
            }
        }
    }
    list.retain(|axis| axis.force.iter().any(|f| *f != 0.0));
    list
}

/// Σ Jᵀ w.
fn generalised(model: &Model, state: &State, scene: &Scene, on: &[(usize, Wrench)]) -> Vec<f64> {
    let mut f = vec![0.0; model.sizes.v];
    for (m, w) in on {
        let Some(b) = model.markers[*m].body.map(|b| &model.bodies[b]) else { continue };
        let (own, seen) = (&scene.motions[b.markers.start], &scene.motions[*m]);
        let (q, place) = (&state.q[b.q.clone()], &model.markers[*m].place);
        b.kind.body().pull(q, own, place, seen, w, &mut f[b.v.clone()]);
    }
    f
}
