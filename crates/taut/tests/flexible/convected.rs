//! Generalised-alpha steps in convected axes: exact for steady rotation, and convergent to the same motion.

use crate::common::below;
use taut::analyses::{Integrator, Transient, simulate};
use taut::beams::{Beam, Section};
use taut::bodies::{PlanarBody, RigidBody};
use taut::constraints::Joint;
use taut::dynamics::UpdateAxes;
use taut::marker::Frame;
use taut::{Model, Outcome, Prescription, Signal, Solution, Spec};

fn run(model: &Model, settings: &Transient) -> Solution {
    let found = simulate(model, &model.initial_state(), settings).unwrap();
    assert_eq!(found.outcome, Outcome::Finished, "{:?}", found.warnings);
    found
}

fn alpha(end: f64, h: f64, update: UpdateAxes) -> Transient {
    let settings = Transient::to(end).integrator(Integrator::GeneralisedAlpha).fixed_step(h).update(update);
    settings.tolerance(1e-9, 1e-9)
}

/// A plate on a pin that turns by 0.6 rad in each step.
#[test]
fn a_plate_on_a_pin_is_followed_exactly() {
    let (radius, rate, h, steps) = (0.8, 3.0, 0.2, 30.0);
    let mut spec = Spec::new();
    spec.body("plate", PlanarBody::new(2.0, 0.1).at([radius, 0.0], 0.0).moving([0.0, radius * rate], rate));
    spec.marker("plate.pin", Frame::world([0.0; 3]));
    spec.constraint("pin", Joint::pin("ground", "plate.pin"));
    let model = spec.build().unwrap();
    let end = h * steps;
    let off = |update| {
        let found = run(&model, &alpha(end, h, update));
        let state = found.final_state();
        let angle = rate * end;
        let exact = [radius * angle.cos(), radius * angle.sin(), angle];
        state.q.iter().zip(exact).fold(0.0_f64, |worst, (q, e)| worst.max((q - e).abs()))
    };
    below("moving axes", off(UpdateAxes::Convected), 1e-9);
    assert!(off(UpdateAxes::Spatial) > 1e-3, "axes of the world: {}", off(UpdateAxes::Spatial));
}

/// A body with three different moments of inertia on a skew hinge, steady about it.
#[test]
fn a_body_on_a_hinge_is_followed_exactly() {
    let axis = taut::nalgebra::Unit::new_normalize(taut::nalgebra::Vector3::new(1.0, 2.0, -0.5));
    let (rate, h, steps) = (2.5, 0.2, 25.0);
    let (w, p) = (axis.into_inner() * rate, taut::nalgebra::Vector3::new(0.3, -0.2, 0.6));
    let mut spec = Spec::new();
    let body = RigidBody::new(1.5, [0.02, 0.05, 0.04]).at(p.into()).moving(w.cross(&p).into(), w.into());
    spec.body("body", body);
    spec.marker("ground.hinge", Frame::world([0.0; 3]).axis(axis.into_inner().into()));
    spec.marker("body.hinge", Frame::world([0.0; 3]).axis(axis.into_inner().into()));
    spec.constraint("hinge", Joint::revolute("ground.hinge", "body.hinge"));
    let model = spec.build().unwrap();
    let end = h * steps;
    let exact = taut::nalgebra::Rotation3::from_axis_angle(&axis, rate * end) * p;
    let off = |update| {
        let found = run(&model, &alpha(end, h, update));
        let state = found.final_state();
        (taut::nalgebra::Vector3::new(state.q[0], state.q[1], state.q[2]) - exact).norm()
    };
    below("moving axes", off(UpdateAxes::Convected), 1e-8);
    assert!(off(UpdateAxes::Spatial) > 1e-3, "axes of the world: {}", off(UpdateAxes::Spatial));
}

/// A flexible arm that its hub turns, in space and plane: order 2 towards the motion of explicit steps.
#[test]
fn a_turned_arm_tends_to_the_same_motion() {
    let section = || Section::diagonal([2.8e5, 1e5, 1e5, 100.0, 140.0, 140.0], 1.2, [1.2e-3, 6e-4, 6e-4]);
    let arm = |flat: bool, rest: Beam| {
        let mut spec = Spec::new();
        spec.beam("arm", if flat { rest.planar() } else { rest });
        let turn = Prescription::Position(Signal::expression("1.5*(t - sin(t))").unwrap());
        let hub = if flat { Joint::pin("ground", "arm_0") } else { Joint::revolute("ground", "arm_0") };
        spec.constraint("hub", hub.prescribe_rotation(turn));
        spec.build().unwrap()
    };
    let straight = |n| Beam::straight([0.0; 3], [2.0, 0.0, 0.0], section(), n);
    let tip = |model: &Model, settings: Transient| {
        let found = run(model, &settings.every(0.125));
        let name = &model.bodies.last().unwrap().name;
        ["x", "y"].map(|c| found.column(&format!("{name}.{c}")).unwrap().to_vec())
    };
    for (flat, beam) in [(true, straight(2).variational()), (true, straight(4)), (false, straight(3))] {
        let model = arm(flat, beam);
        let exact = tip(&model, Transient::to(3.0).tolerance(1e-10, 1e-10));
        // The worst of all times: at a single one the error may pass through zero.
        let off = |h: f64| {
            let p = tip(&model, alpha(3.0, h, UpdateAxes::Convected).spectral_radius(0.8));
            let apart = |k: usize| (p[0][k] - exact[0][k]).hypot(p[1][k] - exact[1][k]);
            (0..p[0].len()).map(apart).fold(0.0, f64::max)
        };
        let (coarse, fine) = (off(1e-2), off(5e-3));
        let order = (coarse / fine).log2();
        assert!((order - 2.0).abs() < 0.3, "{coarse} {fine}: order {order}");
    }
}

/// Work of a driven hub, from its reaction moment: converges with the order of the method, 2.
#[test]
fn the_energy_balance_converges_with_the_step() {
    let section = Section::diagonal([2.8e5, 1e5, 1e5, 100.0, 140.0, 140.0], 1.2, [1.2e-3, 6e-4, 6e-4]);
    let mut spec = Spec::new();
    spec.beam("arm", Beam::straight([0.0; 3], [2.0, 0.0, 0.0], section, 2).planar().variational());
    let turn = Prescription::Position(Signal::expression("0.4*(t - sin(t))").unwrap());
    spec.constraint("hub", Joint::pin("ground", "arm_0").prescribe_rotation(turn));
    let model = spec.build().unwrap();
    for update in [UpdateAxes::Spatial, UpdateAxes::Convected] {
        let off = [8e-3, 4e-3].map(|h| {
            let found = run(&model, &alpha(2.0, h, update).every(0.5));
            found.column("energy.balance").unwrap().iter().fold(0.0_f64, |worst, x| worst.max(x.abs()))
        });
        let order = (off[0] / off[1]).log2();
        assert!(order > 1.7, "{update:?}: {off:?}, order {order}");
    }
}
