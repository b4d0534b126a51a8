//! Free axes of joints, and the generalised force of a unit effort along or about each.

use crate::constraints::{ConstraintKind, Joint, Prescription, RotationMask};
use crate::equations::MarkerKinematics;
use crate::model::Model;
use crate::motion::Wrench;
use crate::state::{ConstraintMode, State};

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
fn free_rotations(joint: &Joint) -> [bool; 3] {
    match &joint.rotation {
        RotationMask::Free | RotationMask::Perpendicular | RotationMask::ConstantVelocity => [true; 3],
        RotationMask::Parallel => [false, false, true],
        RotationMask::About(hold) => [true, true, *hold == Prescription::Free],
        RotationMask::Locked(hold) => [false, false, *hold == Prescription::Free],
    }
}

/// All free axes of the active joints, at an evaluated scene.
pub(super) fn free_axes(model: &Model, state: &State, scene: &MarkerKinematics) -> Vec<FreeAxis> {
    let mut list = Vec::new();
    for (c, entry) in model.constraints.iter().enumerate() {
        let ConstraintKind::Joint(joint) = &entry.kind else { continue };
        if state.modes[c] != ConstraintMode::Active {
            continue;
        }
        let [a, b] = [entry.markers[0], entry.markers[1]];
        let (A, B) = (&scene.motions[a], &scene.motions[b]);
        for i in 0..3 {
            let axis = A.axis(i);
            if joint.translation[i] == Prescription::Free {
                let on_a = Wrench { f: -axis, m: -(B.p - A.p).cross(&axis) };
                let force = generalised_force(model, state, scene, &[(a, on_a), (b, Wrench::force(axis))]);
                list.push(FreeAxis { joint: entry.name.clone(), name: ALONG[i], force });
            }
            if free_rotations(joint)[i] {
                let force =
                    generalised_force(model, state, scene, &[(a, Wrench::moment(-axis)), (b, Wrench::moment(axis))]);
                list.push(FreeAxis { joint: entry.name.clone(), name: ABOUT[i], force });
            }
        }
    }
    list.retain(|axis| axis.force.iter().any(|f| *f != 0.0));
    list
}

/// Σ Jᵀ w.
fn generalised_force(model: &Model, state: &State, scene: &MarkerKinematics, on: &[(usize, Wrench)]) -> Vec<f64> {
    let mut f = vec![0.0; model.sizes.v];
    for (m, w) in on {
        let Some(b) = model.markers[*m].body.map(|b| &model.bodies[b]) else { continue };
        scene.apply_transpose(model, &state.q, *m, w, &mut f[b.v.clone()]);
    }
    f
}
