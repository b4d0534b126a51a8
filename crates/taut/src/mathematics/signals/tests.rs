use proptest::prelude::*;

use super::*;

fn every_kind() -> Vec<Signal> {
    let table = TableSignal::new(
        vec![-1.5, 0.1, 0.7, 2.3],
        vec![0.1, -0.3, 1e-17, 4.0 / 3.0],
        Interpolation::Spline(SplineEnds::Clamped { start: 0.3, end: -1.0 }),
        Extrapolation::Linear,
    );
    vec![
        Signal::constant(0.1),
        Signal::polynomial([1.0 / 3.0, -2.0, 0.7]),
        Signal::harmonic(0.1, std::f64::consts::TAU, -0.4),
        Signal::Table(table.unwrap()),
        Signal::smooth_step(0.1, 0.7, -1.0, 1e-3),
        Signal::expression("0.2*sin(3*t) + step(t, 0, 0, 1, 0.5)").unwrap(),
    ]
}

#[test]
fn round_trips_are_exact() {
    for signal in every_kind() {
        let value = serde_json::to_value(&signal).unwrap();
        let back: Signal = serde_json::from_value(value).unwrap();
        assert_eq!(back, signal);
        for t in [-3.0, -0.4, 0.0, 0.33, 0.5, 1.9, 10.0] {
            let (a, b) = (signal.at(t), back.at(t));
            assert_eq!([a.f, a.df, a.ddf].map(f64::to_bits), [b.f, b.df, b.ddf].map(f64::to_bits));
        }
    }
}

#[test]
fn written_form_is_tagged_in_snake_case() {
    let text = serde_json::to_string(&Signal::smooth_step(0.0, 1.0, 0.0, 2.0)).unwrap();
    assert_eq!(text, r#"{"type":"smooth_step","t0":0.0,"t1":1.0,"y0":0.0,"y1":2.0}"#);
    let text = serde_json::to_string(&Signal::expression("2*t").unwrap()).unwrap();
    assert_eq!(text, r#"{"type":"expression","formula":"2*t"}"#);
}

#[test]
fn bare_numbers_and_strings_are_signals() {
    let read = |text: &str| serde_json::from_str::<Signal>(text).unwrap();
    assert_eq!(read("2.5"), Signal::constant(2.5));
    assert_eq!(read("-3"), Signal::constant(-3.0));
    assert_eq!(read("4"), Signal::constant(4.0));
    assert_eq!(read("\"2*t\"").at(3.0).f, 6.0);
    let list: Vec<Signal> =
        serde_json::from_str(r#"[1, "t", {"type": "harmonic", "amplitude": 1, "omega": 2}]"#).unwrap();
    assert_eq!(list[2], Signal::harmonic(1.0, 2.0, 0.0));
}

#[test]
fn what_is_refused_says_why() {
    for (text, reason) in [
        (r#""sin(s)""#, "expression signal: at byte 4: found the unknown name 's'"),
        (r#"{"type": "sine"}"#, "unknown variant `sine`"),
        (r#"{"type": "constant"}"#, "missing field `value`"),
        (r#"{"type": "harmonic", "amplitude": 1, "omega": 2, "fase": 1}"#, "unknown field `fase`"),
        (r#"{"type": "constant", "value": 1, "unit": 2}"#, "unknown field `unit`"),
        (r#"{"type": "custom"}"#, "unknown variant `custom`"),
        ("true", "a number, an expression in t, or a signal with a type"),
        ("null", "a number, an expression in t, or a signal with a type"),
        (r#"{"type": "table", "t": [0, 1], "y": [1]}"#, "table signal: 2 points have 1 values"),
    ] {
        let error = serde_json::from_str::<Signal>(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn a_custom_signal_computes_prints_and_stays_out_of_files() {
    let chirp = Signal::custom("chirp", |t| (t * t).sin());
    let y = chirp.at(0.7);
    assert!((y.df - 1.4 * 0.49_f64.cos()).abs() < 1e-15);
    assert!((y.ddf - (2.0 * 0.49_f64.cos() - 1.96 * 0.49_f64.sin())).abs() < 1e-15);
    assert_eq!(format!("{chirp:?}"), "Custom(chirp)");
    assert_eq!(chirp.clone(), chirp);
    assert_ne!(chirp, Signal::custom("chirp", |t| (t * t).sin()));
    assert!(serde_json::to_string(&chirp).is_err());
    assert!(!chirp.is_constant() && chirp.check().is_ok());
}

#[test]
fn constants_and_zeros_are_recognised() {
    let expression = |text| Signal::expression(text).unwrap();
    for constant in [
        Signal::constant(3.0),
        Signal::polynomial([3.0, 0.0]),
        Signal::harmonic(1.0, 0.0, 1.0),
        expression("1+2"),
        Signal::smooth_step(0.0, 1.0, 3.0, 3.0),
    ] {
        assert!(constant.is_constant() && !constant.is_zero(), "{constant:?}");
        assert_eq!(constant.at(17.0).df, 0.0);
    }
    for zero in
        [Signal::default(), Signal::from(0.0), Signal::polynomial([]), expression("0"), Signal::harmonic(0.0, 5.0, 1.0)]
    {
        assert!(zero.is_zero(), "{zero:?}");
    }
    assert!(!Signal::polynomial([0.0, 1.0]).is_constant());
    assert!(!expression("t").is_constant());
}

#[test]
fn good_signals_pass_the_check_and_bad_ones_do_not() {
    for signal in every_kind() {
        assert_eq!(signal.check(), Ok(()));
    }
    for bad in [
        Signal::constant(f64::NAN),
        Signal::polynomial([f64::INFINITY]),
        Signal::harmonic(1.0, f64::NAN, 0.0),
        Signal::smooth_step(1.0, 0.0, 0.0, 1.0),
    ] {
        assert!(bad.check().is_err(), "{bad:?}");
    }
    assert!(Signal::table([0.0, 0.0], [1.0, 2.0]).is_err());
    assert!(matches!(Signal::expression("sin(").unwrap_err(), SignalError::Expression { .. }));
}

proptest! {
    #[test]
    fn derivatives_match_central_differences(t in 0.05..0.95_f64) {
        let h = 1e-5;
        for signal in every_kind() {
            let (behind, here, ahead) = (signal.at(t - h), signal.at(t), signal.at(t + h));
            prop_assert!((here.df - (ahead.f - behind.f) / (2.0 * h)).abs() < 1e-5);
            prop_assert!((here.ddf - (ahead.df - behind.df) / (2.0 * h)).abs() < 5e-2);
        }
    }
}
