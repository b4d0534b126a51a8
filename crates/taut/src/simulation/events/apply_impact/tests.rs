//! Impacts whose impulses are not found, and the warnings about them.

use crate::complementarity::dense::SolverEffort;
use crate::constraints::{PointPlaneContact, SlipAxes};
use crate::dynamics::{Dynamics, SolverSettings};
use crate::events::ContactSwitches;
use crate::laws::Friction;
use crate::{Frame, RigidBody, Spec};

/// A plate that falls on four rough feet, the last of which hangs too high to touch.
fn plate() -> Spec {
    let mut spec = Spec::new();
    let feet = [[0.3, 0.2, -0.1], [-0.3, 0.2, -0.1], [0.1, -0.25, -0.1], [0.0, 0.0, 0.1]];
    spec.body(
        "plate",
        RigidBody::new(2.0, [0.05, 0.08, 0.1]).at([0.0, 0.0, 0.1]).moving([0.4, -0.3, -2.0], [0.1, 0.5, 2.0]),
    );
    for (i, foot) in feet.into_iter().enumerate() {
        let (at, name) = (format!("plate.f{i}"), format!("foot{i}"));
        spec.marker(&at, Frame::at(foot));
        spec.constraint(&name, PointPlaneContact::new("ground", &at).friction(Friction::same(0.4), SlipAxes::Two));
    }
    spec
}

fn struck(effort: SolverEffort) -> (Vec<String>, Option<f64>) {
    let model = plate().build().unwrap();
    let state = model.initial_state();
    let mut dynamics = Dynamics::at(&model, &state, &SolverSettings::default());
    let mut switches = ContactSwitches::new(&model, &dynamics.row_scales).with_effort(effort);
    let mut v = state.v.clone();
    let report = switches.transition(&mut dynamics, 0.0, &state.q, &mut v, &state.z).unwrap();
    let reported = report.warnings().into_iter().map(|w| format!("{}{}", w.kind, w.detail)).collect();
    (reported, report.unsolved_residual)
}

#[test]
fn an_impact_that_is_not_solved_is_reported_with_its_contacts() {
    let (reported, stalled) = struck(SolverEffort::OneSweep);
    assert!(stalled.is_some_and(|residual| residual > 1e-9), "{stalled:?}");
    let [warning] = &reported[..] else { panic!("{reported:?}") };
    assert!(warning.starts_with("the impulses of an impact were not found to round-off at `foot"), "{warning}");
    for name in ["`foot0`", "`foot1`", "`foot2`"] {
        assert!(warning.contains(name), "{warning}");
    }
    assert!(!warning.contains("foot3"), "{warning}");
}

#[test]
fn an_impact_that_is_solved_is_not_reported() {
    assert_eq!(struck(SolverEffort::Thorough), (Vec::new(), None));
}
