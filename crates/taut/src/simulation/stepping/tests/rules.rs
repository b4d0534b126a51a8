//! Rules of the model: what is taken, what is said, what is refused.

use super::*;
use crate::analyses::AnalysisError;
use crate::contacts::{ContactScope, HuntCrossley};
use crate::laws::{Friction, ImpactLaw};
use crate::stepping::{TimeSteppingSettings, TimeSteppingSimulation, simulate};

fn balls(count: usize, contact: ContactRule) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    spec.surface("floor", Surface::new("ground", Shape::HalfSpace {}).group("floor"));
    for i in 0..count {
        let name = format!("b{i}");
        spec.body(name.as_str(), sphere(0.1).at([0.3 * i as f64, 0.0, 0.2]));
        spec.surface(&name, Surface::new(&name, Shape::Sphere { radius: 0.1 }).group("balls"));
    }
    spec.contact("touch", contact);
    spec.build().unwrap()
}

#[test]
fn rows_of_surfaces_only_report() {
    // Few pairs: the model has constraints of them too, with rolling and spinning; none of them may act here, but
    // they tell the forces of the contacts.
    let mut rule = plastic(0.4);
    (rule.torsional_friction, rule.rolling_friction) = (1e-3, 1e-3);
    let model = balls(2, ContactRule::all(rule));
    assert!(!model.constraints.is_empty());
    let run = simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(0.5, 1e-3)).unwrap();
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    assert!((run.last("b0.z").unwrap() - 0.1).abs() < 1e-7);
    assert_eq!(run.last("contact.count"), Ok(2.0));
    let sum = |ending: &str| run.names().filter(|n| n.ends_with(ending)).map(|n| run.last(n).unwrap()).sum::<f64>();
    let weight = 2.0 * 4.0 / 3.0 * std::f64::consts::PI * G;
    assert!((sum(".lambda_gap") - weight).abs() < 1e-6 * weight, "{}", sum(".lambda_gap"));
    assert!(sum(".lambda_slip1").abs() < 1e-9 && sum(".lambda_spin").abs() < 1e-9);
}

#[test]
fn a_rule_for_one_group_leaves_the_others_alone() {
    let model =
        balls(2, ContactRule { between: ContactScope::Pair("floor".into(), "b1".into()), kind: plastic(0.3).into() });
    let run = simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(0.5, 1e-3)).unwrap();
    assert!((run.last("b0.z").unwrap() - (0.2 - 0.5 * G * 0.25)).abs() < 1e-9);
    assert!((run.last("b1.z").unwrap() - 0.1).abs() < 1e-7);
}

#[test]
fn compliant_contacts_are_forces_while_they_are_few() {
    let soft = HuntCrossley {
        stiffness: 1e5,
        exponent: 1.5,
        dissipation: 0.1,
        friction: Friction::NONE,
        transition_velocity: 1e-3,
    };
    let few = balls(2, ContactRule::groups("floor", "balls", soft));
    let run = simulate(&few, &few.initial_state(), &TimeSteppingSettings::to(0.2, 1e-4)).unwrap();
    assert!(run.outcome.is_success() && run.last("b0.z").unwrap() > 0.05);
    let many = balls(70, ContactRule::groups("floor", "balls", soft));
    let refused = TimeSteppingSimulation::new(&many, &many.initial_state(), &TimeSteppingSettings::to(0.2, 1e-3))
        .map(|_| ())
        .unwrap_err();
    assert!(
        matches!(refused, AnalysisError::Inapplicable { .. }) && refused.to_string().contains("touch"),
        "{refused}"
    );
}

#[test]
fn other_laws_of_impact_are_reported() {
    let mut rule = plastic(0.3).restitution(0.5);
    rule.impact.law = ImpactLaw::Poisson;
    let model = balls(1, ContactRule::all(rule));
    let run = simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(0.01, 1e-3)).unwrap();
    assert!(run.warnings.len() == 1 && run.warnings[0].message.contains("Newton"), "{:?}", run.warnings);
}
