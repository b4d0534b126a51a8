use proptest::prelude::*;

use super::*;
use crate::scalar::Jet;

fn spline(x: &[f64], y: &[f64], ends: Ends) -> Result<Spline, SignalError> {
    Spline::new("test", x.to_vec(), y.to_vec(), ends, Extrapolation::Linear)
}

fn sampled(n: usize, to: f64, f: impl Fn(f64) -> f64, ends: Ends) -> Spline {
    let x: Vec<f64> = (0..=n).map(|i| to * i as f64 / n as f64).collect();
    let y: Vec<f64> = x.iter().map(|&x| f(x)).collect();
    spline(&x, &y, ends).unwrap()
}

/// Greatest error of the value, slope and curvature against sin.
fn errors_against_sine(spline: &Spline) -> [f64; 3] {
    let (from, to) = spline.span();
    let mut worst = [0.0_f64; 3];
    for i in 0..=1000 {
        let x = from + (to - from) * f64::from(i) / 1000.0;
        let y = spline.at(Jet::variable(x));
        let errors = [y.f - x.sin(), y.df - x.cos(), y.ddf + x.sin()];
        worst = std::array::from_fn(|k| worst[k].max(errors[k].abs()));
    }
    worst
}

#[test]
fn natural_spline_through_four_points_by_hand() {
    // m₁ and m₂ of (0,0) (1,1) (2,0) (3,1): 4 m₁ + m₂ = -12, m₁ + 4 m₂ = 12.
    let s = spline(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 0.0, 1.0], Ends::Natural).unwrap();
    for (m, expected) in s.curvature.iter().zip([0.0, -4.0, 4.0, 0.0]) {
        assert!((m - expected).abs() < 1e-14);
    }
    assert!((s.at(0.5) - 0.75).abs() < 1e-15);
    assert!((s.at(1.5) - 0.5).abs() < 1e-15);
}

#[test]
fn spline_of_sine_converges_with_fourth_order() {
    use std::f64::consts::PI;
    // sin has no curvature at 0 and π, so natural ends fit it.
    let coarse = errors_against_sine(&sampled(10, PI, f64::sin, Ends::Natural));
    let fine = errors_against_sine(&sampled(20, PI, f64::sin, Ends::Natural));
    assert!(coarse[0] < 5e-5 && coarse[1] < 5e-4 && coarse[2] < 2e-2, "{coarse:?}");
    for (order, k) in [(4, 0), (3, 1), (2, 2)] {
        let ratio = coarse[k] / fine[k];
        assert!(ratio > 0.9 * f64::from(1 << order), "derivative {k}: {ratio}");
    }
}

#[test]
fn periodic_spline_of_sine_has_no_seam() {
    use std::f64::consts::TAU;
    let wave = sampled(40, TAU, f64::sin, Ends::Periodic);
    let worst = errors_against_sine(&wave);
    assert!(worst[0] < 3e-6 && worst[1] < 1e-4, "{worst:?}");
    let (before, after) = (wave.at(Jet::variable(-1e-9)), wave.at(Jet::variable(TAU + 1e-9)));
    assert!((before.f + after.f).abs() < 1e-14);
    assert!((before.df - after.df).abs() < 1e-12);
    assert!((before.ddf - after.ddf).abs() < 1e-8);
    for turns in [-7.0, -1.0, 3.0] {
        let (near, far) = (wave.at(1.0), wave.at(1.0 + turns * TAU));
        assert!((near - far).abs() < 1e-13);
    }
    // One period has no mean, so the integral is periodic too.
    assert!((wave.integral(1.0 - 5.0 * TAU) - wave.integral(1.0)).abs() < 1e-12);
}

#[test]
fn three_points_make_a_period() {
    let s = spline(&[0.0, 1.0, 3.0], &[0.0, 1.0, 0.0], Ends::Periodic).unwrap();
    let slope = |x: f64| s.at(Jet::variable(x)).df;
    assert!((slope(0.0) - slope(3.0 - 1e-12)).abs() < 1e-10);
    assert!((slope(1.0 - 1e-12) - slope(1.0)).abs() < 1e-10);
    assert_eq!(s.at(1.0), 1.0);
    // Each period adds the same area.
    let period = s.integral(3.0 - 1e-13);
    assert!(period > 1.0);
    for turns in [-2.0, -1.0, 1.0, 4.0] {
        let area = s.integral(1.3 + 3.0 * turns);
        assert!((area - s.integral(1.3) - turns * period).abs() < 1e-11);
    }
}

#[test]
fn two_points_make_a_line_or_the_clamped_cubic() {
    let line = spline(&[1.0, 3.0], &[1.0, 5.0], Ends::Natural).unwrap();
    assert_eq!((line.at(2.0), line.at(0.0), line.at(4.0)), (3.0, -1.0, 7.0));
    let ends = Ends::Clamped { start: 0.0, end: 0.0 };
    let cubic = spline(&[0.0, 1.0], &[0.0, 1.0], ends).unwrap();
    for x in [0.25, 0.5, 0.8] {
        let expected = x * x * (3.0 - 2.0 * x);
        assert!((cubic.at(x) - expected).abs() < 1e-15);
    }
}

#[test]
fn outside_the_ends_hold_or_go_straight_on() {
    let build = |extrapolation| {
        let (x, y) = (vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 4.0]);
        let ends = Ends::Clamped { start: 0.0, end: 4.0 };
        Spline::new("test", x, y, ends, extrapolation).unwrap()
    };
    let hold = build(Extrapolation::Hold).at(Jet::variable(3.0));
    assert_eq!((hold.f, hold.df, hold.ddf), (4.0, 0.0, 0.0));
    let straight = build(Extrapolation::Linear).at(Jet::variable(3.0));
    assert!((straight.f - 8.0).abs() < 1e-14 && (straight.df - 4.0).abs() < 1e-14);
    assert_eq!(straight.ddf, 0.0);
    let before = build(Extrapolation::Hold).at(Jet::variable(-1.0));
    assert_eq!((before.f, before.df), (0.0, 0.0));
    // ∫ x² over 0…2, then on.
    assert!((build(Extrapolation::Hold).integral(3.0) - (8.0 / 3.0 + 4.0)).abs() < 1e-14);
    assert!((build(Extrapolation::Linear).integral(3.0) - (8.0 / 3.0 + 6.0)).abs() < 1e-14);
}

#[test]
fn nan_and_infinity_do_not_panic() {
    for ends in [Ends::Natural, Ends::Periodic] {
        let s = spline(&[0.0, 1.0, 2.0], &[0.0, 1.0, 0.0], ends).unwrap();
        assert!(s.at(f64::NAN).is_nan() && s.integral(f64::NAN).is_nan());
        let _ = (s.at(f64::INFINITY), s.at(f64::NEG_INFINITY), s.at(1e300));
    }
}

#[test]
fn bad_points_are_refused() {
    let natural = |x: &[f64], y: &[f64]| spline(x, y, Ends::Natural).unwrap_err();
    assert!(matches!(natural(&[0.0, 1.0], &[0.0]), SignalError::LengthMismatch { abscissas: 2, ordinates: 1, .. }));
    assert!(matches!(natural(&[0.0], &[0.0]), SignalError::TooFewPoints { found: 1, least: 2, .. }));
    assert!(matches!(natural(&[], &[]), SignalError::TooFewPoints { found: 0, .. }));
    assert!(matches!(natural(&[0.0, 2.0, 1.0], &[0.0; 3]), SignalError::Unsorted { index: 2, .. }));
    assert!(matches!(natural(&[0.0, 0.0], &[0.0; 2]), SignalError::Unsorted { index: 1, .. }));
    assert!(matches!(
        natural(&[0.0, f64::NAN], &[0.0; 2]),
        SignalError::EntryNotFinite { list: "points", index: 1, .. }
    ));
    assert!(matches!(
        natural(&[0.0, 1.0], &[f64::INFINITY, 0.0]),
        SignalError::EntryNotFinite { list: "values", index: 0, .. }
    ));
    assert!(matches!(natural(&[0.0, 1e-300, 1.0], &[0.0, 1e300, 0.0]), SignalError::Overflow { .. }));
    let periodic = spline(&[0.0, 1.0, 2.0], &[0.0, 1.0, 0.5], Ends::Periodic);
    assert!(matches!(periodic, Err(SignalError::NotPeriodic { .. })));
    let slope = Ends::Clamped { start: f64::NAN, end: 0.0 };
    let clamped = spline(&[0.0, 1.0], &[0.0, 1.0], slope);
    assert!(matches!(clamped, Err(SignalError::NotFinite { parameter: "start", .. })));
}

proptest! {
    #[test]
    fn clamped_spline_reproduces_cubics(
        c in prop::array::uniform4(-3.0..3.0_f64),
        gaps in prop::collection::vec(0.1..2.0_f64, 1..8),
        u in 0.0..1.0_f64,
    ) {
        let cubic = |x: Jet| ((x * c[3] + c[2]) * x + c[1]) * x + c[0];
        let mut x = vec![-2.0];
        for gap in gaps {
            x.push(x[x.len() - 1] + gap);
        }
        let y: Vec<f64> = x.iter().map(|&x| cubic(Jet::constant(x)).f).collect();
        let slope = |x: f64| cubic(Jet::variable(x)).df;
        let ends = Ends::Clamped { start: slope(x[0]), end: slope(x[x.len() - 1]) };
        let s = spline(&x, &y, ends).unwrap();
        let t = Jet::variable(x[0] + u * (x[x.len() - 1] - x[0]));
        let (got, wanted) = (s.at(t), cubic(t));
        let size = 1.0 + y.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        prop_assert!((got.f - wanted.f).abs() < 1e-12 * size);
        prop_assert!((got.df - wanted.df).abs() < 1e-10 * size);
        prop_assert!((got.ddf - wanted.ddf).abs() < 1e-8 * size);
        let primitive = |x: f64| x * (c[0] + x * (c[1] / 2.0 + x * (c[2] / 3.0 + x * c[3] / 4.0)));
        let area = primitive(t.f) - primitive(x[0]);
        prop_assert!((s.integral(t.f) - area).abs() < 1e-11 * size * (1.0 + t.f.abs()));
    }

    #[test]
    fn the_integral_differentiates_to_the_value(
        y in prop::collection::vec(-3.0..3.0_f64, 3..9),
        x in -3.0..12.0_f64,
        periodic in any::<bool>(),
    ) {
        let mut y = y;
        let ends = if periodic { Ends::Periodic } else { Ends::Natural };
        let last = y.len() - 1;
        if periodic {
            y[last] = y[0];
        }
        let knots: Vec<f64> = (0..=last).map(|i| i as f64).collect();
        let s = spline(&knots, &y, ends).unwrap();
        let h = 1e-4;
        let slope = (s.integral(x + h) - s.integral(x - h)) / (2.0 * h);
        prop_assert!((slope - s.at(x)).abs() < 1e-5);
    }

    #[test]
    fn inner_points_join_to_second_order(y in prop::collection::vec(-3.0..3.0_f64, 4..9)) {
        let knots: Vec<f64> = (0..y.len()).map(|i| i as f64 * 0.5).collect();
        let s = spline(&knots, &y, Ends::Natural).unwrap();
        for i in 1..y.len() - 1 {
            let (left, right) = (
                s.at(Jet::variable(knots[i] - 1e-12)),
                s.at(Jet::variable(knots[i])),
            );
            prop_assert_eq!(right.f, y[i]);
            prop_assert!((left.f - right.f).abs() < 1e-9);
            prop_assert!((left.df - right.df).abs() < 1e-8);
            prop_assert!((left.ddf - right.ddf).abs() < 1e-7);
        }
    }
}
