use super::*;
use crate::analyses::{Transient, simulate};
use crate::bodies::Variable;
use crate::constraints::conformance::{Rig, check_power_balance, smooth_coordinate, smooth_frame};
use crate::forces::{ExtraStates, Force, ForceKind};
use crate::motion::{Motion, Vec3, Wrench};
use crate::{Joint, Model, PlanarBody, PointMass, Spec};

/// A bead on the x axis, a wheel on its axle, a set point.
fn spec() -> Spec {
    let mut spec = Spec::new();
    spec.body("bead", PointMass::new(2.0, [0.3, 0.0, 0.0]))
        .body("wheel", PlanarBody::new(1.0, 0.5))
        .body("goal", Variable::new(0.7))
        .constraint("axle", Joint::pin("ground", "wheel"));
    spec
}

fn x() -> Measure {
    Measure::coordinate("bead.x")
}

fn bound(controller: Controller) -> Controller {
    controller.bind("control", &spec().scope()).unwrap()
}

fn model(controller: Controller) -> Model {
    let mut spec = spec();
    spec.force("control", controller);
    spec.build().unwrap()
}

/// The bead at x with the rate v.
fn bead(x: f64, v: f64) -> [Motion; 1] {
    [Motion { p: Vec3::x() * x, v: Vec3::x() * v, ..Motion::REST }]
}

fn force(c: &Controller, t: f64, motions: &[Motion], z: &[f64]) -> f64 {
    let mut on = vec![Wrench::ZERO; motions.len()];
    let ids: Vec<usize> = (0..motions.len()).collect();
    c.apply(&ElementInput::new(t, motions, &ids, z), &mut on);
    on[0].f.x
}

#[test]
fn power_balances() {
    let text = "-3*s - rate + 2*gap*gap.rate + drive.rate + wheel.omega*goal.value + sin(t)";
    let control = |on| bound(Controller::new(on, text).input("gap", Measure::angle("p", "q")).signal("drive", 2.0));
    // The coordinate, the ends of the gap, wheel.theta and goal.value.
    let read = || vec![smooth_frame(2), smooth_frame(3), smooth_coordinate(4), smooth_coordinate(5)];
    let rig = Rig::new(std::iter::once(smooth_coordinate(1)).chain(read()).collect());
    check_power_balance(&rig, &control(x()).within(-1.0, 2.0));
    let rig = Rig::new([smooth_frame(1), smooth_frame(4)].into_iter().chain(read()).collect());
    check_power_balance(&rig, &control(Measure::angle("a", "b")));
    assert_eq!(control(Measure::angle("a", "b")).angle_markers(), [[0, 1], [2, 3]]);
}

#[test]
fn every_name_is_what_it_says() {
    let text = "1e5*s + 1e4*rate + 1000*r + 100*r.rate + 10*lag + goal.value + t";
    let c = bound(Controller::new(x(), text).signal("r", Signal::polynomial([1.0, 2.0])).state("lag", "-lag", 3.0));
    let mut z = vec![0.0; c.state_count()];
    let motions = [bead(1.0, 2.0)[0], bead(0.25, 0.0)[0]];
    c.initialise_states(&ElementInput::new(0.5, &motions, &[0, 1], &[]), &mut z);
    assert_eq!(z, [3.0]);
    assert_eq!(force(&c, 0.5, &motions, &z), 1e5 + 2e4 + 2000.0 + 200.0 + 30.0 + 0.25 + 0.5);
    let mut zdot = [0.0];
    c.state_rates(&ElementInput::new(0.5, &motions, &[0, 1], &z), &mut zdot);
    assert_eq!(zdot, [-3.0]);
}

#[test]
fn a_state_lags_behind() {
    // ẋ = (u − x)/T with u = 1: F = 1 − exp(−t/T), twice integrated over the mass.
    let (T, t) = (0.4_f64, 1.3_f64);
    let model = model(Controller::new(x(), "lag").state("lag", "(1 - lag)/0.4", 0.0));
    let s = simulate(&model, &model.initial_state(), &Transient::to(t).tolerance(1e-11, 1e-11)).unwrap();
    let expected = (t - T * (1.0 - (-t / T).exp())) / 2.0;
    assert!((s.last("bead.vx").unwrap() - expected).abs() < 1e-9);
    assert!(s.last("energy.balance").unwrap().abs() < 1e-9);
}

#[test]
fn a_pd_loop_is_a_damped_oscillator() {
    let (m, kp, kd, t) = (2.0_f64, 50.0, 4.0, 1.1_f64);
    let model = model(Controller::pid(x(), 1.0, [kp, 0.0, kd], None));
    let s = simulate(&model, &model.initial_state(), &Transient::to(t).tolerance(1e-12, 1e-12)).unwrap();
    let (a, w) = (kd / (2.0 * m), (kp / m - (kd / (2.0 * m)).powi(2)).sqrt());
    let e = -0.7 * (-a * t).exp() * ((w * t).cos() + a / w * (w * t).sin());
    assert!((s.last("bead.x").unwrap() - (1.0 + e)).abs() < 1e-9);
}

#[test]
fn the_integral_takes_away_a_steady_error() {
    let mut spec = spec();
    spec.gravity([-5.0, 0.0, 0.0]).force("control", Controller::pid(x(), 1.0, [50.0, 40.0, 20.0], None));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &Transient::to(40.0).tolerance(1e-9, 1e-9)).unwrap();
    assert!((s.last("bead.x").unwrap() - 1.0).abs() < 1e-6);
}

#[test]
fn at_a_limit_the_integral_does_not_wind_up() {
    let z_after = |limits| {
        let c = bound(Controller::pid(x(), 1.0, [10.0, 5.0, 0.0], limits));
        let mut z = [0.0];
        // Locked far from the reference for 20 s.
        for _ in 0..20_000 {
            let mut zdot = [0.0];
            c.state_rates(&ElementInput::new(0.0, &bead(-9.0, 0.0), &[0], &z), &mut zdot);
            z[0] += 1e-3 * zdot[0];
        }
        z[0]
    };
    assert!((z_after(None) - 200.0).abs() < 1e-6);
    // At rest 0 = e + (output − wanted)/kp: ki z = output, whatever e.
    assert!((z_after(Some([-3.0, 3.0])) - 3.0 / 5.0).abs() < 1e-3);
}

#[test]
fn a_sampled_controller_waits_reads_and_holds() {
    let c = bound(Controller::new(x(), "10*s + sum").sampled_state("sum", "sum + s", 0.5).sampled(0.1));
    assert_eq!((c.state_count(), c.reset_guard_count()), (1 + 2 + 3, 1));
    let mut z = vec![0.0; c.state_count()];
    c.initialise_states(&ElementInput::new(2.0, &bead(1.0, 0.0), &[0], &[]), &mut z);
    // The first sample is due at once; until then the force is zero.
    assert_eq!(
        (force(&c, 2.0, &bead(1.0, 0.0), &z), c.reset_guard(&ElementInput::new(2.0, &[], &[], &z), 0)),
        (0.0, 0.0)
    );
    let ring = |t: f64, x: f64, z: &mut Vec<f64>| {
        let before = z.clone();
        c.reset_states(&ElementInput::new(t, &bead(x, 0.0), &[0], &before), 0, z);
    };
    ring(2.0, 1.0, &mut z);
    assert_eq!(force(&c, 2.05, &bead(7.0, 9.0), &z), 10.0 + 0.5, "held, wherever the bead is");
    assert!((c.reset_guard(&ElementInput::new(2.05, &[], &[], &z), 0) - 0.05).abs() < 1e-12);
    // x₁ = x₀ + s₀ with the held input, not with the present one.
    ring(2.1 + 1e-13, 3.0, &mut z);
    assert_eq!(force(&c, 2.15, &bead(0.0, 0.0), &z), 30.0 + 1.5);
    assert!((z[1] - 2.2).abs() < 1e-15, "the clock does not drift: {}", z[1]);
    ring(2.2, 0.0, &mut z);
    assert_eq!(force(&c, 2.25, &bead(0.0, 0.0), &z), 4.5);
    let mut zdot = vec![1.0; z.len()];
    c.state_rates(&ElementInput::new(2.2, &bead(0.0, 1.0), &[0], &z), &mut zdot);
    assert!(zdot.iter().all(|z| *z == 0.0));
}

#[test]
fn sampled_rates_go_by_strides() {
    let c = bound(Controller::pid(x(), 1.0, [0.0, 2.0, 0.0], None).sampled(0.25));
    let mut z = vec![0.0; c.state_count()];
    c.initialise_states(&ElementInput::new(0.0, &bead(0.0, 0.0), &[0], &[]), &mut z);
    for k in 0..4 {
        let before = z.clone();
        c.reset_states(&ElementInput::new(0.25 * f64::from(k), &bead(0.0, 0.0), &[0], &before), 0, &mut z);
        assert_eq!(force(&c, 0.0, &bead(0.0, 0.0), &z), 2.0 * 0.25 * f64::from(k));
    }
}

#[test]
fn it_passes_through_a_file() {
    let text = r#"{"type": "controller", "coordinate": {"coordinate": "bead.x"}, "output": "kick*r + goal.value",
        "inputs": [{"name": "r", "of": {"signal": 2}}, {"name": "w", "of": {"measure": {"coordinate": "wheel.theta"}}}],
        "states": [{"name": "kick", "next": "w.rate", "initial": 1}], "upper": 4, "sample_time": 0.01}"#;
    let ForceKind::Controller(found) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
    let again: Controller = serde_json::from_str(&serde_json::to_string(&found).unwrap()).unwrap();
    assert_eq!(again, found);
    assert_eq!(model(found.clone()).forces[0].markers.len(), 3);
    // A built controller writes the same text.
    let ForceKind::Controller(built) = &model(found.clone()).forces[0].kind else { panic!() };
    assert_eq!(serde_json::to_string(built).unwrap(), serde_json::to_string(&found).unwrap());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |c: Controller| {
        let mut spec = spec();
        spec.force("control", c);
        spec.build().unwrap_err().to_string()
    };
    let plain = |text: &str| Controller::new(x(), text);
    assert!(refused(plain("2*")).contains("force `control`: output: \"2*\""));
    assert!(refused(plain("volt")).contains("unknown name 'volt'"));
    assert!(refused(plain("wanted")).contains("unknown name 'wanted'"));
    assert!(refused(plain("weel.omega")).contains("did you mean `wheel.omega`?"));
    assert!(refused(plain("1").state("a b", "0", 0.0)).contains("`a b` is not a valid name"));
    assert!(refused(plain("1").state("a", "0", 0.0).signal("a", 1.0)).contains("the name `a` is taken"));
    assert!(refused(plain("1").signal("output", 1.0)).contains("taken"));
    assert!(refused(plain("1").sampled_state("a", "0", 0.0)).contains("only a sampled controller"));
    assert!(refused(plain("1").state("a", "0", f64::NAN)).contains("initial"));
    assert!(refused(plain("1").within(1.0, 0.0)).contains("above the upper limit"));
    assert!(refused(plain("1").sampled(0.0)).contains("sample"));
    assert!(refused(Controller::pid(x(), 1.0, [f64::NAN, 0.0, 0.0], None)).contains("unknown name 'NaN'"));
    assert!(plain("1").check().is_err(), "not part of a model");
    let mut both = plain("1").state("a", "0", 0.0).sampled(0.1);
    both.states[0].next = Some("1".to_string());
    assert!(refused(both).contains("either its `rate` or its `next`"));
}
