use proptest::prelude::*;

use super::*;
use crate::scalar::Jet;

fn spline(x: &[f64], y: &[f64], ends: SplineEnds) -> Result<Interpolant, SignalError> {
    Interpolant::new("test", x.to_vec(), y.to_vec(), Interpolation::Spline(ends), Extrapolation::Linear)
}

fn sampled(n: usize, to: f64, f: impl Fn(f64) -> f64, ends: SplineEnds) -> Interpolant {
    let x: Vec<f64> = (0..=n).map(|i| to * i as f64 / n as f64).collect();
    let y: Vec<f64> = x.iter().map(|&x| f(x)).collect();
    spline(&x, &y, ends).unwrap()
}

/// Greatest error of the value, slope and curvature against sin.
fn errors_against_sine(spline: &Interpolant) -> [f64; 3] {
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
    let s = spline(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 0.0, 1.0], SplineEnds::Natural).unwrap();
    for (piece, m) in s.pieces.iter().zip([0.0, -4.0, 4.0]) {
        assert!((2.0 * piece[2] - m).abs() < 1e-14);
    }
    assert!((s.at(0.5) - 0.75).abs() < 1e-15);
    assert!((s.at(1.5) - 0.5).abs() < 1e-15);
}

#[test]
fn spline_of_sine_converges_with_fourth_order() {
    use std::f64::consts::PI;
    // sin has no curvature at 0 and π, so natural ends fit it.
    let coarse = errors_against_sine(&sampled(10, PI, f64::sin, SplineEnds::Natural));
    let fine = errors_against_sine(&sampled(20, PI, f64::sin, SplineEnds::Natural));
    assert!(coarse[0] < 5e-5 && coarse[1] < 5e-4 && coarse[2] < 2e-2, "{coarse:?}");
    for (order, k) in [(4, 0), (3, 1), (2, 2)] {
        let ratio = coarse[k] / fine[k];
        assert!(ratio > 0.9 * f64::from(1 << order), "derivative {k}: {ratio}");
    }
}

#[test]
fn periodic_spline_of_sine_has_no_seam() {
    use std::f64::consts::TAU;
    let wave = sampled(40, TAU, f64::sin, SplineEnds::Periodic);
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
    // The mean over a period is zero, so the integral is periodic too.
    assert!((wave.integral(1.0 - 5.0 * TAU) - wave.integral(1.0)).abs() < 1e-12);
}

#[test]
fn three_points_make_a_period() {
    let s = spline(&[0.0, 1.0, 3.0], &[0.0, 1.0, 0.0], SplineEnds::Periodic).unwrap();
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
    let line = spline(&[1.0, 3.0], &[1.0, 5.0], SplineEnds::Natural).unwrap();
    assert_eq!((line.at(2.0), line.at(0.0), line.at(4.0)), (3.0, -1.0, 7.0));
    let ends = SplineEnds::Clamped { start: 0.0, end: 0.0 };
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
        let ends = SplineEnds::Clamped { start: 0.0, end: 4.0 };
        Interpolant::new("test", x, y, Interpolation::Spline(ends), extrapolation).unwrap()
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
    for ends in [SplineEnds::Natural, SplineEnds::Periodic] {
        let s = spline(&[0.0, 1.0, 2.0], &[0.0, 1.0, 0.0], ends).unwrap();
        assert!(s.at(f64::NAN).is_nan() && s.integral(f64::NAN).is_nan());
        let _ = (s.at(f64::INFINITY), s.at(f64::NEG_INFINITY), s.at(1e300));
    }
}

#[test]
fn bad_points_are_refused() {
    let natural = |x: &[f64], y: &[f64]| spline(x, y, SplineEnds::Natural).unwrap_err();
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
    let periodic = spline(&[0.0, 1.0, 2.0], &[0.0, 1.0, 0.5], SplineEnds::Periodic);
    assert!(matches!(periodic, Err(SignalError::NotPeriodic { .. })));
    let slope = SplineEnds::Clamped { start: f64::NAN, end: 0.0 };
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
        let ends = SplineEnds::Clamped { start: slope(x[0]), end: slope(x[x.len() - 1]) };
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
        let ends = if periodic { SplineEnds::Periodic } else { SplineEnds::Natural };
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
        let s = spline(&knots, &y, SplineEnds::Natural).unwrap();
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

fn curve(x: &[f64], y: &[f64], interpolation: Interpolation, extrapolation: Extrapolation) -> Interpolant {
    Interpolant::new("test", x.to_vec(), y.to_vec(), interpolation, extrapolation).unwrap()
}

#[test]
fn straight_lines_join_the_points() {
    let s = curve(&[0.0, 2.5, 5.0], &[0.0, 200.0, 0.0], Interpolation::Linear, Extrapolation::Hold);
    assert_eq!((s.at(1.25), s.at(2.5), s.at(3.75), s.at(9.0)), (100.0, 200.0, 100.0, 0.0));
    assert_eq!(s.integral(5.0), 500.0);
}

#[test]
fn slopes_by_hand() {
    let (x, y) = ([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0]);
    let slopes = |interpolation| {
        let s = curve(&x, &y, interpolation, Extrapolation::Linear);
        x.map(|x| s.at(Jet::variable(x)).df)
    };
    // Secants 1, 3, 5: 6/(3/1 + 3/3) and 6/(3/3 + 3/5); parabolas at the ends, limited to zero at the first.
    for (found, expected) in slopes(Interpolation::Pchip).into_iter().zip([0.0, 1.5, 3.75, 6.0]) {
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
    }
    // Akima's slopes of a parabola are its own.
    for (found, expected) in slopes(Interpolation::Akima).into_iter().zip([0.0, 2.0, 4.0, 6.0]) {
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
    }
}

#[test]
fn play_stays_play_and_nothing_overshoots() {
    for interpolation in [Interpolation::Linear, Interpolation::Pchip, Interpolation::Akima] {
        let s = curve(&[0.0, 0.01, 0.02, 0.03], &[0.0, 0.0, 0.0, 1000.0], interpolation, Extrapolation::Linear);
        for k in 0..=20 {
            let x = 0.001 * f64::from(k);
            assert!(s.at(x).abs() < 1e-9, "{interpolation:?}: {x}: {}", s.at(x));
        }
    }
    let pulse = [0.0, 0.0, 1000.0, 1000.0, 0.0, 0.0];
    let s = curve(&[0.0, 1.0, 1.0005, 1.001, 1.002, 5.0], &pulse, Interpolation::Pchip, Extrapolation::Hold);
    for k in 0..=5000 {
        let y = s.at(0.001 * f64::from(k));
        assert!((-1e-9..=1000.0 + 1e-9).contains(&y), "{y}");
    }
}

#[test]
fn every_interpolation_repeats_without_a_seam() {
    let (x, y) = ([0.0, 1.0, 2.0, 4.0], [0.0, 1.0, -1.0, 0.0]);
    for interpolation in [Interpolation::Pchip, Interpolation::Akima, Interpolation::Spline(SplineEnds::Natural)] {
        let s = curve(&x, &y, interpolation, Extrapolation::Periodic);
        let (before, after) = (s.at(Jet::variable(4.0 - 1e-9)), s.at(Jet::variable(4.0 + 1e-9)));
        assert!((before.df - after.df).abs() < 1e-6, "{interpolation:?}");
        assert!((s.at(0.7) - s.at(8.7)).abs() < 1e-13);
    }
}

#[test]
fn a_curve_that_refuses_to_go_on_is_no_number_there() {
    let s = curve(&[0.0, 1.0], &[0.0, 1.0], Interpolation::Linear, Extrapolation::Error);
    assert!(s.at(1.5).is_nan() && s.at(-0.5).is_nan() && s.at(1.0) == 1.0);
    assert_eq!(
        (s.passed_end(1.5).map(|b| b.end), s.passed_end(-0.1).map(|b| b.end), s.passed_end(1.0)),
        (Some(1.0), Some(0.0), None)
    );
}

#[test]
fn points_are_breaks_where_something_changes() {
    let found = |s: &Interpolant, from: f64, to: f64| {
        let mut list = BreakList::default();
        s.breaks(from, to, &mut list);
        list.into_sorted()
    };
    let s = curve(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 2.0, 0.0], Interpolation::Linear, Extrapolation::Hold);
    let at: Vec<f64> = found(&s, -1.0, 5.0).iter().map(|b| b.after).collect();
    assert_eq!(at, [0.0, 2.0, 3.0_f64.next_up()]);
    let s = curve(&[0.0, 0.1, 0.3], &[0.0, 1.0, 0.0], Interpolation::Linear, Extrapolation::Periodic);
    let all = found(&s, 0.05, 29.95);
    assert_eq!(all.len(), 199);
    for b in all {
        // Each side has its own slope, and the two times are adjacent numbers.
        let slope = |t: f64| s.at(Jet::variable(t)).df;
        assert!(slope(b.before) != slope(b.after) && b.after == b.before.next_up(), "{b:?}");
    }
}

#[test]
fn the_guard_passes_zero_at_every_point_and_nowhere_else() {
    for extrapolation in [Extrapolation::Linear, Extrapolation::Periodic] {
        let s = curve(&[0.0, 0.5, 1.5, 2.0], &[0.0, 1.0, -1.0, 0.0], Interpolation::Linear, extrapolation);
        let (mut changes, mut last) = (Vec::new(), s.knot_guard(-0.1003));
        for k in 0..2200 {
            let x = -0.1003 + 0.001 * f64::from(k);
            let now = s.knot_guard(x);
            if now * last < 0.0 {
                changes.push((x * 10.0).round() / 10.0);
            }
            last = now;
        }
        assert_eq!(changes, [0.0, 0.5, 1.5, 2.0], "{extrapolation:?}");
    }
}
