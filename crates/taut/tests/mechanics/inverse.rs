//! Inverse dynamics: forces for a given motion.

use taut::analyses::{AnalysisError, Transient, inverse, simulate};
use taut::{Frame, Joint, Model, PlanarBody, RigidBody, Spec};

fn rod() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("rod", PlanarBody::rod(2.0, 1.0).at([0.5, 0.0], 0.0))
        .marker("rod.end", Frame::at([-0.5, 0.0, 0.0]))
        .constraint("hinge", Joint::pin("ground", "rod.end"));
    spec.build().unwrap()
}

#[test]
fn holding_a_rod_level_takes_its_moment() {
    let model = rod();
    let found = inverse(&model, &model.initial_state(), &[0.0; 3]).unwrap();
    assert_eq!(found.violation, 0.0);
    // The least effort in the norm of M⁻¹ is a pure turn about the hinge: M x with x = θ̈ (0, ½, 1) of the free fall.
    let effort = &found.efforts[0].needed;
    let moment_about_hinge = effort[2] + 0.5 * effort[1];
    assert!((moment_about_hinge - 2.0 * 9.81 * 0.5).abs() < 1e-12);
    // Effort and reaction together hold the weight.
    assert!((found.reactions[0].force[1] + effort[1] - 2.0 * 9.81).abs() < 1e-12);
    assert!((found.needed - effort.iter().fold(0.0_f64, |a, x| a.max(x.abs()))).abs() < 1e-15);
}

#[test]
fn the_true_motion_needs_nothing_besides() {
    let model = rod();
    let s = simulate(&model, &model.initial_state(), &Transient::to(0.7)).unwrap();
    let vdot = ["rod.ax", "rod.ay", "rod.alpha"].map(|n| s.last(n).unwrap());
    let found = inverse(&model, s.final_state(), &vdot).unwrap();
    assert!(found.needed < 1e-10 && found.violation < 1e-10);
    assert!((found.reactions[0].force[1] - s.last("hinge.fy").unwrap()).abs() < 1e-9);
    assert!((found.multiplier(&model, "hinge.x").unwrap() - s.last("hinge.lambda_x").unwrap()).abs() < 1e-9);
}

#[test]
fn redundant_supports_share_equally() {
    // A beam welded at both ends: the least multipliers are those of symmetry.
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -10.0])
        .body("beam", RigidBody::new(3.0, [1.0, 1.0, 1.0]))
        .marker("beam.l", Frame::at([-1.0, 0.0, 0.0]))
        .marker("beam.r", Frame::at([1.0, 0.0, 0.0]))
        .marker("ground.l", Frame::at([-1.0, 0.0, 0.0]))
        .marker("ground.r", Frame::at([1.0, 0.0, 0.0]))
        .constraint("left", Joint::fixed("ground.l", "beam.l"))
        .constraint("right", Joint::fixed("ground.r", "beam.r"));
    let model = spec.build().unwrap();
    let found = inverse(&model, &model.initial_state(), &[0.0; 6]).unwrap();
    assert!(found.needed < 1e-9);
    assert!((found.reactions[0].force[2] - 15.0).abs() < 1e-7 && (found.reactions[1].force[2] - 15.0).abs() < 1e-7);
}

#[test]
fn accelerations_that_violate_constraints_are_reported() {
    let model = rod();
    let found = inverse(&model, &model.initial_state(), &[1.0, 0.0, 0.0]).unwrap();
    assert!((found.violation - 1.0).abs() < 1e-14);
    assert_eq!(found.violated.as_deref(), Some("hinge.x"));
    let error = inverse(&model, &model.initial_state(), &[0.0; 2]).unwrap_err();
    assert!(matches!(error, AnalysisError::Length { .. }));
    assert!(inverse(&model, &model.initial_state(), &[f64::NAN; 3]).is_err());
}
