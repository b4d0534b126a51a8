//! Order of convergence where the motion is smooth, and the same bits again.

use super::*;
use crate::analyses::{Transient, simulate as transient};
use crate::forces::Spring;
use crate::motion::Orientation;
use crate::stepping::{TimeSteppingSettings, simulate};
use crate::{Joint, PlanarBody, Spec};

/// Largest difference of a state from the event-driven simulation at tolerances of 1e-12.
fn errors(model: &Model, t: f64, hs: &[f64]) -> Vec<f64> {
    let state = model.initial_state();
    let exact = transient(model, &state, &Transient::to(t).tolerance(1e-12, 1e-12)).unwrap();
    let exact = exact.final_state().clone();
    let error = |h: &f64| {
        let run = simulate(model, &state, &TimeSteppingSettings::to(t, *h)).unwrap();
        assert!(run.outcome.is_success(), "{}", run.outcome);
        let last = run.final_state();
        let pairs = last.q.iter().zip(&exact.q).chain(last.v.iter().zip(&exact.v));
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    hs.iter().map(error).collect()
}

fn is_of_second_order(model: &Model, t: f64, hs: &[f64]) {
    let errors = errors(model, t, hs);
    let order = slope(hs, &errors);
    assert!((1.9..2.2).contains(&order), "order {order}, errors {errors:?}");
}

#[test]
fn a_tumbling_body_with_a_damped_spring() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    let body = RigidBody::new(2.0, [0.03, 0.05, 0.08]).at([0.3, 0.0, -1.0]);
    spec.body(
        "body",
        body.oriented(Orientation::RotationVector([0.2, -0.4, 0.1])).moving([0.5, 0.2, 0.0], [3.0, 1.0, 4.0]),
    )
    .force("spring", Spring::linear("ground", "body", 60.0, 0.8, 1.0));
    is_of_second_order(&spec.build().unwrap(), 1.0, &[8e-3, 4e-3, 2e-3, 1e-3]);
}

#[test]
fn a_double_pendulum_in_the_plane() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]);
    spec.body("upper", PlanarBody::rod(1.0, 0.5).com([0.25, 0.0]).at([0.0, 0.0], 0.4))
        .body("lower", PlanarBody::rod(0.7, 0.4).com([0.2, 0.0]).at([0.5 * 0.4_f64.cos(), 0.5 * 0.4_f64.sin()], -0.6))
        .marker("upper.end", crate::Frame::at([0.5, 0.0, 0.0]))
        .constraint("hinge", Joint::pin("ground", "upper"))
        .constraint("elbow", Joint::pin("upper.end", "lower"));
    is_of_second_order(&spec.build().unwrap(), 1.0, &[4e-3, 2e-3, 1e-3, 5e-4]);
}

#[test]
fn a_spatial_pendulum() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    let bob = RigidBody::new(1.0, [0.01, 0.02, 0.03]).com([0.0, 0.0, -0.5]);
    spec.body("bob", bob.oriented(Orientation::RotationVector([0.7, 0.0, 0.0])).moving([0.0; 3], [0.3, 1.0, 2.0]))
        .constraint("ball", Joint::spherical("ground", "bob"));
    is_of_second_order(&spec.build().unwrap(), 1.0, &[4e-3, 2e-3, 1e-3, 5e-4]);
}

#[test]
fn runs_are_equal_bit_by_bit() {
    let model = super::piles::spheres(27);
    let run = || {
        let settings = TimeSteppingSettings::to(0.6, 2e-3);
        simulate(&model, &model.initial_state(), &settings).unwrap().final_state().clone()
    };
    let (a, b) = (run(), run());
    let bits = |s: &crate::State| s.q.iter().chain(&s.v).map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&a), bits(&b));
}
