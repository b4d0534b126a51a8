//! The inertia of rotors ("armature"): I q̇²/2 for a joint coordinate q, whatever the links do.
//!
//! The inertia of a link cannot represent that: the energy of a rotor depends on the relative rotation of two links, not on
//! their rotation in the world. A flywheel can. It rotates in a bearing on the ground by the measured angle of the joint, and
//! its energy is I q̇²/2 exactly; gravity does not move it.

use taut::{Joint, Measure, PlanarBody, Relation, Spec};

/// The flywheel of a joint.
pub(crate) fn rotor_name(joint: &str) -> String {
    format!("{joint}-rotor")
}

/// Adds the flywheel of a joint whose coordinate is `measure`.
pub(crate) fn add(spec: &mut Spec, joint: &str, measure: &Measure, inertia: f64) {
    let rotor = rotor_name(joint);
    spec.body(&rotor, PlanarBody::new(1.0, inertia));
    spec.constraint(&format!("{rotor}-bearing"), Joint::pin("ground", &rotor));
    let turn = Measure::coordinate(&format!("{rotor}.theta"));
    spec.constraint(&format!("{rotor}-gear"), Relation::new(vec![(1.0, turn), (-1.0, measure.clone())]));
}
