//! Making, naming, saving and restoring steppers.
#![allow(missing_docs)]

use crate::common;

use common::{oscillator, stepper, swing, swing_solution};
use taut_ode::{
    Checkpoint, Controller, Method, Refusal, RestoreError, Settings, SetupError, StepFailure, Stepper, System,
    Tolerance,
};

fn look(stepper: &mut dyn Stepper, system: &mut dyn System, t: f64) -> [f64; 2] {
    let mut y = [0.0; 2];
    stepper.interpolate(system, t, &mut y).expect("inside");
    y
}

#[test]
fn nonsense_is_refused_at_the_start() {
    let make = |t, y: &[f64], settings: &Settings| Method::DormandPrince.stepper(t, y, settings).err();
    let good = Settings::default();
    assert_eq!(make(0.0, &[f64::NAN], &good), Some(SetupError::Start));
    assert_eq!(make(f64::INFINITY, &[1.0], &good), Some(SetupError::Start));
    for (rtol, atol) in [(-1.0, 1.0), (0.0, 0.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)] {
        let settings = Settings::with_tolerance(rtol, atol);
        assert_eq!(make(0.0, &[1.0], &settings), Some(SetupError::Tolerance));
    }
    let settings = Settings { tolerance: Tolerance::with_each(1e-3, vec![1.0, 2.0]), ..Settings::default() };
    assert!(matches!(make(0.0, &[1.0], &settings), Some(SetupError::Dimension { .. })));
    let settings = Settings { h_max: Some(0.0), ..Settings::default() };
    assert!(matches!(make(0.0, &[1.0], &settings), Some(SetupError::StepSize { .. })));
    let settings = Settings {
        controller: Some(Controller { safety: 2.0, ..Controller::for_method(Method::Dop853) }),
        ..Settings::default()
    };
    assert_eq!(make(0.0, &[1.0], &settings), Some(SetupError::Controller));
    let missing = Method::Rk4.stepper(0.0, &[1.0], &good).err();
    assert_eq!(missing, Some(SetupError::StepMissing));

    let mut stepper = stepper(Method::Dop853, 0.0, &[1.0, 0.0, 0.0], 1e-6);
    let failure = stepper.step(&mut oscillator(), 1.0);
    assert!(matches!(failure, Err(StepFailure::Dimension { .. })));
    let mut stepper = common::stepper(Method::Dop853, 0.0, &[1.0, 0.0], 1e-6);
    let failure = stepper.step(&mut oscillator(), f64::NAN);
    assert_eq!(failure, Err(StepFailure::StoppingTime));
    let failure = stepper.interpolate(&mut oscillator(), 0.0, &mut [0.0]);
    assert_eq!(failure, Err(Refusal::OutsideDomain));
}

#[test]
fn checkpoints_continue_bit_by_bit() {
    for method in common::ANY {
        let mut system = swing();
        let start = swing_solution(0.1);
        let mut original = stepper(method, 0.1, &start, 1e-7);
        for _ in 0..5 {
            original.step(&mut system, 2.0).expect("smooth");
        }
        original.correct()[0] *= 1.0 + 1e-9;
        let text = serde_json::to_string(&original.save()).expect("serialises");
        let checkpoint: Checkpoint = serde_json::from_str(&text).expect("deserialises");
        assert_eq!(checkpoint, original.save());
        assert_eq!((checkpoint.method(), checkpoint.t()), (method, original.t()));

        let mut copy = stepper(method, 0.0, &[1.0, 1.0], 1e-7);
        copy.restore(&checkpoint).expect("same method");
        let t = original.t_old() + 0.4 * original.h();
        let a = look(&mut *original, &mut system, t);
        assert_eq!(look(&mut *copy, &mut system, t), a);
        while original.t() < 2.0 {
            original.step(&mut system, 2.0).expect("smooth");
            copy.step(&mut system, 2.0).expect("smooth");
            assert_eq!(original.t().to_bits(), copy.t().to_bits());
            assert_eq!(original.save(), copy.save());
        }

        let other = if method == Method::Rk4 { Method::Dop853 } else { Method::Rk4 };
        let mut other = stepper(other, 0.0, &[1.0, 1.0], 1e-7);
        assert!(matches!(other.restore(&checkpoint), Err(RestoreError::Method { .. })));
        let mut longer = stepper(method, 0.0, &[1.0, 1.0, 1.0], 1e-7);
        assert!(matches!(longer.restore(&checkpoint), Err(RestoreError::Dimension { .. })));
    }
}

#[test]
fn names_are_read_and_written() {
    for method in Method::ALL {
        assert_eq!(method.to_string().parse(), Ok(method));
        let text = serde_json::to_string(&method).expect("serialises");
        assert_eq!(text, format!("\"{method}\""));
    }
    assert!("euler".parse::<Method>().is_err());
    let settings: Settings = serde_json::from_str(r#"{"tolerance": {"rtol": 1e-3, "atol": [1.0, 2.0]}, "h_max": 0.5}"#)
        .expect("valid settings");
    assert_eq!(settings.tolerance, Tolerance::with_each(1e-3, vec![1.0, 2.0]));
}

#[test]
fn what_only_implicit_methods_have_is_checked_and_kept_out_of_explicit_checkpoints() {
    for rho in [-0.1, 1.1, f64::NAN] {
        let settings = Settings { spectral_radius: Some(rho), ..Settings::default() };
        let made = Method::TwoStep.stepper(0.0, &[1.0], &settings);
        assert!(matches!(made.err(), Some(SetupError::SpectralRadius { .. })), "{rho}");
    }
    let made = taut_ode::RungeKutta::new(Method::RadauIia5, 0.0, &[1.0], &Settings::default());
    assert_eq!(made.err(), Some(SetupError::Implicit(Method::RadauIia5)));
    let settings = Settings { step_control: taut_ode::StepControl::Fixed, ..Settings::default() };
    let made = Method::Trapezoidal.stepper(0.0, &[1.0], &settings);
    assert_eq!(made.err(), Some(SetupError::StepMissing));

    // A checkpoint written before there were implicit methods is still read.
    let mut old = stepper(Method::DormandPrince, 0.0, &[1.0, 0.0], 1e-6);
    old.step(&mut oscillator(), 1.0).expect("smooth");
    let text = serde_json::to_string(&old.save()).expect("serialises");
    assert!(!text.contains("memory") && !text.contains("stiffness"), "{text}");
    let read: Checkpoint = serde_json::from_str(&text).expect("deserialises");
    old.restore(&read).expect("same method");
    // One of an explicit method is not accepted by an implicit one, even under its name.
    let text = text.replace("dormand_prince", "radau5");
    let forged: Checkpoint = serde_json::from_str(&text).expect("deserialises");
    let mut radau = stepper(Method::RadauIia5, 0.0, &[1.0, 0.0], 1e-6);
    assert!(matches!(radau.restore(&forged), Err(RestoreError::Dimension { .. })));
}
