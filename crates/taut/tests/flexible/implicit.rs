//! Implicit integrators on constrained mechanisms that turn in space: order, energy, stiff parts, constraints held.

use taut::analyses::{Integrator, Limits, Output, StepControl, StiffnessAction, Transient, simulate};
use taut::beams::{Beam, Section};
use taut::bodies::RigidBody;
use taut::constraints::{Joint, PointPlaneContact, SlipAxes};
use taut::dynamics::UpdateAxes;
use taut::forces::Spring;
use taut::laws::Friction;
use taut::marker::Frame;
use taut::{Model, Outcome, PointMass, Solution, Spec};

/// A fast top on a ball joint, and a second body that hangs on a skew hinge from it.
fn top_with_pendulum() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]);
    let top = RigidBody::new(1.5, [0.02, 0.03, 0.012]).at([0.0, 0.2, 0.3]).moving([-1.2, 0.9, -0.6], [3.0, 0.5, 6.0]);
    spec.body("top", top);
    spec.body("arm", RigidBody::new(0.4, [0.004, 0.001, 0.004]).at([0.1, 0.45, 0.3]));
    spec.marker("top.foot", Frame::world([0.0, 0.0, 0.0]));
    spec.marker("top.pin", Frame::world([0.05, 0.3, 0.3]).axis([1.0, 0.3, 0.2]));
    spec.marker("arm.pin", Frame::world([0.05, 0.3, 0.3]).axis([1.0, 0.3, 0.2]));
    spec.constraint("foot", Joint::spherical("ground", "top.foot"));
    spec.constraint("hinge", Joint::revolute("top.pin", "arm.pin"));
    spec.build().unwrap()
}

fn run(model: &Model, settings: &Transient) -> Solution {
    let found = simulate(model, &model.initial_state(), settings).unwrap();
    assert_eq!(found.outcome, Outcome::Finished, "{:?}", found.warnings);
    found
}

fn apart(a: &Solution, b: &Solution) -> f64 {
    let pairs =
        a.final_state().q.iter().zip(&b.final_state().q).chain(a.final_state().v.iter().zip(&b.final_state().v));
    pairs.fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()))
}

fn largest(found: &Solution, column: &str) -> f64 {
    found.column(column).unwrap().iter().fold(0.0_f64, |worst, x| worst.max(x.abs()))
}

/// Error of each of three steps, each half the one before, and the orders that they show.
fn orders(method: Integrator, rho: Option<f64>, update: UpdateAxes, first: f64) -> (Vec<f64>, Vec<f64>) {
    let model = top_with_pendulum();
    let end = Transient::to(0.4);
    let exact = run(&model, &end.clone().tolerance(1e-13, 1e-13));
    let mut errors = Vec::new();
    for halving in 0..3 {
        let mut settings = end.clone().integrator(method).update(update).fixed_step(first / f64::from(1 << halving));
        settings.spectral_radius = rho;
        // The iteration within a step converges to the tolerance.
        let found = run(&model, &settings.tolerance(1e-11, 1e-11).output(Output::Steps));
        assert!(largest(&found, "residual.position") < 1e-13, "{method}");
        assert!(largest(&found, "residual.velocity") < 1e-12, "{method}");
        errors.push(apart(&found, &exact));
    }
    let orders = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    (errors, orders)
}

#[test]
fn every_implicit_method_has_its_order_on_turning_constrained_bodies() {
    let world = UpdateAxes::Spatial;
    for (method, rho, update, first, order) in [
        (Integrator::Trapezoidal, None, world, 2e-3, 2.0),
        (Integrator::TwoStep, Some(0.6), world, 2e-3, 2.0),
        (Integrator::TwoStep, Some(0.0), world, 2e-3, 2.0),
        (Integrator::GeneralisedAlpha, Some(0.8), world, 2e-3, 2.0),
        (Integrator::GeneralisedAlpha, Some(0.2), world, 2e-3, 2.0),
        (Integrator::GeneralisedAlpha, Some(0.8), UpdateAxes::Convected, 2e-3, 2.0),
        (Integrator::GeneralisedAlpha, Some(0.2), UpdateAxes::Convected, 2e-3, 2.0),
        (Integrator::RadauIia5, None, world, 2e-2, 5.0),
    ] {
        let (errors, found) = orders(method, rho, update, first);
        let last = found[found.len() - 1];
        assert!((last - order).abs() < 0.12 * order, "{method} {rho:?} {update:?}: {errors:?} {found:?}");
    }
}

/// A released cantilever with material damping: fast motions decay at once but still limit the steps of explicit methods.
fn damped_cantilever() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0]);
    let section = Section::diagonal([2e6, 8e5, 8e5, 40.0, 50.0, 50.0], 0.8, [1e-5, 5e-6, 5e-6]).damped(1e-3);
    spec.beam("blade", Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section, 4));
    spec.constraint("clamp", Joint::weld("ground", "blade_0"));
    spec.build().unwrap()
}

#[test]
fn a_stiff_beam_takes_few_implicit_steps() {
    let model = damped_cantilever();
    let settings = Transient::to(0.5).tolerance(1e-6, 1e-8);
    let exact = run(&model, &settings.clone().tolerance(1e-10, 1e-11));
    let radau = run(&model, &settings.clone().integrator(Integrator::RadauIia5));
    let alpha = run(&model, &settings.clone().integrator(Integrator::GeneralisedAlpha));
    let tip = |s: &Solution| s.final_state().q[s.final_state().q.len() - 6];
    // Second coordinate of the last node.
    assert!((tip(&radau) - tip(&exact)).abs() < 1e-5, "{} {}", tip(&radau), tip(&exact));
    assert!((tip(&alpha) - tip(&exact)).abs() < 1e-4, "{} {}", tip(&alpha), tip(&exact));
    assert!(
        10 * radau.statistics.steps < exact.statistics.steps,
        "{} {}",
        radau.statistics.steps,
        exact.statistics.steps
    );
    for found in [&radau, &alpha] {
        assert!(largest(found, "residual.position") < 1e-13);
    }
}

#[test]
fn stiffness_is_reported_or_resolved() {
    let model = damped_cantilever();
    let settings = Transient::to(0.6).tolerance(1e-4, 1e-6);
    let warned = |s: &Solution| s.warnings.iter().any(|w| w.message.contains("stability, not accuracy"));
    let switched = run(&model, &settings.clone().stiff(StiffnessAction::Switch));
    let proposed = run(&model, &settings.clone().stiff(StiffnessAction::Warn));
    let quiet = run(&model, &settings.stiff(StiffnessAction::Ignore));
    assert!(warned(&switched) && warned(&proposed), "{:?} {:?}", switched.warnings, proposed.warnings);
    assert!(!warned(&quiet));
    assert!(5 * switched.statistics.steps < proposed.statistics.steps, "{:?}", switched.statistics);
    assert!(apart(&proposed, &quiet) == 0.0, "looking changes nothing");
    assert!(apart(&switched, &quiet) < 1e-3, "{}", apart(&switched, &quiet));
}

#[test]
fn a_vibration_that_keeps_the_steps_of_radau_short_is_named() {
    // ω² = k/m = 1e8 or 1; the fast one has an amplitude of a millimetre.
    let oscillator = |stiffness: f64| {
        let mut spec = Spec::new();
        spec.body("tip", PointMass::new(0.01, [1.001, 0.0, 0.0]));
        spec.force("spring", Spring::linear("ground", "tip", stiffness, 0.0, 1.0));
        spec.build().unwrap()
    };
    let limits = Limits { max_steps: Some(6_000), ..Limits::default() };
    let settings = Transient { limits, ..Transient::to(200.0).tolerance(1e-6, 1e-6).integrator(Integrator::RadauIia5) };
    let end = |stiffness: f64, stiff: StiffnessAction| {
        let model = oscillator(stiffness);
        simulate(&model, &model.initial_state(), &settings.clone().stiff(stiff)).unwrap()
    };
    let (fast, slow) = (end(1e6, StiffnessAction::Warn), end(0.01, StiffnessAction::Warn));
    let messages: Vec<&String> = fast.warnings.iter().map(|w| &w.message).collect();
    let named = |m: &&String| m.contains("about 1e4 rad/s, largest in `tip.vx`") && m.contains("step_control");
    assert!(messages.len() == 1 && messages.iter().all(named), "{messages:?}");
    assert!(slow.outcome == Outcome::Finished && slow.warnings.is_empty(), "{:?}", slow.warnings);
    let quiet = end(1e6, StiffnessAction::Ignore);
    assert!(quiet.warnings.is_empty() && apart(&fast, &quiet) == 0.0, "looking changes nothing");
}

#[test]
fn energy_behaves_as_the_method_predicts() {
    // A spring pendulum, some sixty steps for each of its fast periods.
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]);
    spec.body("bob", RigidBody::new(1.0, [0.01, 0.01, 0.01]).at([0.3, 0.0, -1.0]));
    spec.force("spring", Spring::linear("ground", "bob", 400.0, 0.0, 1.0));
    let model = spec.build().unwrap();
    let fixed = |method, rho, h| {
        let mut settings = Transient::to(40.0).integrator(method).fixed_step(h).tolerance(1e-11, 1e-13).every(0.1);
        settings.spectral_radius = rho;
        let found = run(&model, &settings);
        let balance = found.column("energy.balance").unwrap();
        let half = balance.len() / 2;
        let most = |part: &[f64]| part.iter().fold(0.0_f64, |worst, x| worst.max(x.abs()));
        [most(&balance[..half]), most(&balance[half..])]
    };
    // The trapezoidal rule loses nothing in the long run.
    let trapezoidal = fixed(Integrator::Trapezoidal, None, 5e-3);
    assert!(trapezoidal[1] < 1.3 * trapezoidal[0], "{trapezoidal:?}");
    // Radau loses little, and by its order less with half the step.
    let [coarse, fine] = [5e-3, 2.5e-3].map(|h| fixed(Integrator::RadauIia5, None, h)[1]);
    assert!(coarse > 16.0 * fine && coarse < 1e-2 * trapezoidal[1], "{coarse:e} {fine:e} {trapezoidal:?}");
    // The others dissipate as much as requested.
    for method in [Integrator::TwoStep, Integrator::GeneralisedAlpha] {
        let [gentle, hard] = [0.9, 0.1].map(|rho| fixed(method, Some(rho), 5e-3));
        assert!(hard[1] > 2.0 * gentle[1], "{method}: {gentle:?} {hard:?}");
        assert!(hard[1] > 1.5 * hard[0], "{method} goes on losing: {hard:?}");
    }
}

#[test]
fn friction_is_rejected_by_methods_without_it() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]);
    spec.body("block", RigidBody::new(1.0, [0.1; 3]).moving([1.0, 0.0, 0.0], [0.0; 3]));
    let ground = PointPlaneContact::new("ground", "block").friction(Friction::same(0.3), SlipAxes::Two);
    spec.constraint("ground", ground);
    let model = spec.build().unwrap();
    let settings = Transient::to(0.1).integrator(Integrator::GeneralisedAlpha);
    let said = simulate(&model, &model.initial_state(), &settings).unwrap_err().to_string();
    assert!(said.contains("friction") && said.contains("radau5"), "{said}");
    let slid = run(&model, &settings.integrator(Integrator::RadauIia5));
    assert!((slid.final_state().v[0] - (1.0 - 0.3 * 9.81 * 0.1)).abs() < 1e-9, "{}", slid.final_state().v[0]);
}

#[test]
fn fixed_step_control_needs_a_step() {
    let model = top_with_pendulum();
    let settings =
        Transient { step_control: StepControl::Fixed, ..Transient::to(1.0).integrator(Integrator::RadauIia5) };
    assert!(simulate(&model, &model.initial_state(), &settings).is_err());
    let settings = Transient::to(1.0).integrator(Integrator::GeneralisedAlpha).spectral_radius(1.5);
    assert!(simulate(&model, &model.initial_state(), &settings).is_err());
}

/// Derivatives kept from the previous step use the old direction of the spring: in fast rotation they fail at every step, and trying
/// them each time tripled the cost.
#[test]
fn a_stiff_spring_that_turns_does_not_waste_iterations() {
    let (k, m, speed) = (1e6, 1.2, 6.0);
    let radius = 0.5 + (0.25_f64 + m * speed * speed / k).sqrt(); // k (r - 1) r = m v²
    let mut spec = Spec::new();
    spec.body("mass", PointMass::new(m, [radius, 0.0, 0.0]).moving([0.0, speed, 0.0]));
    spec.force("spring", Spring::linear("ground", "mass", k, 0.0, 1.0));
    let model = spec.build().unwrap();
    let settings = Transient::to(5.0).integrator(Integrator::GeneralisedAlpha).fixed_step(0.0125).tolerance(1e-4, 1e-4);
    let found = run(&model, &settings.output(Output::Steps));
    let [x, y] = ["mass.x", "mass.y"].map(|name| found.column(name).unwrap().to_vec());
    let off = x.iter().zip(&y).fold(0.0_f64, |worst, (x, y)| worst.max((x.hypot(*y) - radius).abs()));
    assert!(off < 1e-4, "{off}");
    let (steps, evaluations) = (found.statistics.steps, found.statistics.evaluations);
    assert!(evaluations < 5 * steps, "{evaluations} evaluations in {steps} steps");
}
