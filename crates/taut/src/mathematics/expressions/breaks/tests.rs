use super::super::Expression;
use crate::breaks::BreakList;
use std::f64::consts::PI;
use taut_ode::Break;

fn search(text: &str, from: f64, to: f64) -> (Vec<Break>, bool) {
    let expression = Expression::parse(text, &["t"]).unwrap();
    let mut list = BreakList::default();
    expression.breaks(from, to, &mut list);
    let incomplete = list.is_incomplete();
    (list.into_sorted(), incomplete)
}

fn found(text: &str, from: f64, to: f64) -> Vec<Break> {
    let (found, incomplete) = search(text, from, to);
    assert!(!incomplete, "{text}");
    found
}

#[track_caller]
fn check(text: &str, from: f64, to: f64, expected: &[f64]) {
    let breaks = found(text, from, to);
    assert_eq!(breaks.len(), expected.len(), "{text}: {breaks:?}");
    for (b, t) in breaks.iter().zip(expected) {
        // The break is between both times, which are next to each other.
        let permitted = 1e-15 * (1.0 + t.abs()) + 2e-8 * f64::from(text.contains("asin("));
        assert!(b.before - t <= permitted && t - b.after <= permitted, "{text}: {b:?}, {t}");
        assert!(b.after > b.before && b.after - b.before <= 64.0 * f64::EPSILON * (1e-300 + t.abs()), "{text}: {b:?}");
    }
}

#[test]
fn corners_of_every_function() {
    check("if_pos(t - 1, 2, 3)", 0.0, 5.0, &[1.0]);
    check("step(t, 1, 0, 1.5, 7)", 0.0, 5.0, &[1.0, 1.5]);
    check("step(t, 1, 0, 1, 7)", 0.0, 5.0, &[1.0]);
    check("abs(t - 2)", 0.0, 5.0, &[2.0]);
    check("sign(t - 2)", 0.0, 5.0, &[2.0]);
    check("min(t, 2)", 0.0, 5.0, &[2.0]);
    check("max(t^2, 2)", 0.0, 5.0, &[2.0_f64.sqrt()]);
    check("floor(2*t)", 0.2, 1.6, &[0.5, 1.0, 1.5]);
    check("mod(t, 0.5)", 0.2, 1.6, &[0.5, 1.0, 1.5]);
    check("atan2(sin(t), cos(t))", 0.0, 12.0, &[PI, 3.0 * PI]);
    check("sqrt((t - 1)^2)", 0.0, 3.0, &[1.0]);
    check("abs(t - 1)^1.5", 0.0, 3.0, &[1.0]);
    check("asin(sin(t))", 0.0, 6.0, &[0.5 * PI, 1.5 * PI]);
}

#[test]
fn smooth_functions_have_none() {
    for text in ["sin(t)", "exp(-t)*cos(50*t)", "t^3 - 2*t", "abs(t + 1)", "max(2 + sin(t), 0.5)", "sqrt(1 + t^2)", "2"]
    {
        check(text, 0.0, 100.0, &[]);
    }
}

#[test]
fn compositions() {
    let zeros: Vec<f64> = (1..=159).map(|k| f64::from(k) * PI / 50.0).collect();
    check("abs(sin(50*t))", 0.001, 10.0, &zeros);
    let crest = |k: f64, sign: f64| (2.0 * PI * k + 0.5 * PI + sign * 0.99_f64.acos()) / 50.0;
    let gates: Vec<f64> = (0..8).flat_map(|k| [crest(f64::from(k), -1.0), crest(f64::from(k), 1.0)]).collect();
    check("if_pos(sin(50*t) - 0.99, 1, 0)", 0.0, 1.0, &gates);
    check("max(0, sin(t))*t", 0.5, 7.0, &[PI, 2.0 * PI]);
    check("sin(t)*if_pos(t - 1, if_pos(2 - t, t, 0), 3)", 0.0, 5.0, &[1.0, 2.0]);
    check("abs(abs(t - 2) - 1)", 0.0, 5.0, &[1.0, 2.0, 3.0]);
    check("if_pos(max(0, sin(t)), 1, 2)", 0.5, 7.0, &[PI, 2.0 * PI]);
}

#[test]
fn functions_of_pieces_that_are_constant() {
    let multiples = |n: f64| (1..(2.0 * n) as i32).map(|k| f64::from(k) / n).collect::<Vec<f64>>();
    check("mod(floor(7*t), 2)", 0.05, 1.99, &multiples(7.0));
    check("mod(floor(10*t), 3)", 0.05, 1.99, &multiples(10.0));
    check("mod(floor(5*t)*0.1, 0.2)", 0.05, 1.99, &multiples(5.0));
    check("floor(floor(3*t)/2)", 0.05, 1.99, &multiples(3.0));
    check("abs(floor(4*t) - 3)", 0.05, 1.99, &multiples(4.0));
    check("sign(floor(4*t) - 3)*t", 0.05, 1.99, &multiples(4.0));
    check("if_pos(floor(3*t) - 2, t, 1)", 0.05, 1.99, &multiples(3.0));
}

#[test]
fn branches_that_are_not_taken_do_not_count() {
    check("if_pos(t - 1, 0, abs(sin(50*t)))", 0.99, 5.0, &[1.0]);
    check("if_pos(t - 1, 0, 1)*abs(sin(50*t))", 0.99, 5.0, &[1.0]);
    check("step(t, 1, abs(t - 3), 2, 0)", 0.0, 5.0, &[1.0, 2.0]);
}

#[test]
fn a_pulse_of_a_microsecond_in_a_day_is_found() {
    let breaks = found("if_pos(t - 40000, if_pos(40000.000001 - t, 1e6, 0), 0)", 0.0, 86400.0);
    assert_eq!(breaks.len(), 2);
    assert_eq!(breaks[0].before, 40000.0);
}

#[test]
fn a_function_that_touches_zero_is_found_where_it_does() {
    for text in ["sqrt(1 - sin(t))", "if_pos(1 - sin(t), 1, 0)", "abs(1 - cos(t - 1))"] {
        for b in found(text, 0.0, 3.0) {
            assert!((b.before - 0.5 * PI).abs() < 1e-7 || (b.before - 1.0).abs() < 1e-7, "{text}: {b:?}");
        }
    }
    assert_eq!(found("sqrt(1 - sin(t))", 0.0, 3.0).len(), 1);
}

#[test]
fn the_forms_are_those_of_the_values() {
    // At `before` and `after` value and slope are those of the respective side.
    let expression = Expression::parse("abs(t - 2)", &["t"]).unwrap();
    let slope = |t: f64| expression.evaluate(&[crate::scalar::Jet::variable(t)]).df;
    let [b] = found("abs(t - 2)", 0.0, 5.0)[..] else { panic!() };
    assert_eq!((slope(b.before), slope(b.after)), (-1.0, 1.0));
}

#[test]
fn what_cannot_be_resolved_is_said() {
    let (_, incomplete) = search("abs(sin(1/t))", 1e-9, 1.0);
    assert!(incomplete);
    let (_, incomplete) = search("abs(sin(t)^2 + cos(t)^2 - 1)", 0.0, 1.0);
    assert!(incomplete);
}

#[test]
fn thousands_are_found_quickly() {
    let start = std::time::Instant::now();
    assert_eq!(found("mod(t, 0.001)", 0.0005, 3.0005).len(), 3000);
    assert!(start.elapsed().as_secs_f64() < 2.0);
}

/// Sampling finds no change of branch that the search has missed.
#[test]
fn nothing_is_missed_that_sampling_sees() {
    let texts = [
        "if_pos(sin(7*t)*cos(3*t) - 0.3, t, -t)",
        "max(sin(t), min(cos(2*t), 0.3*t - 1))",
        "floor(3*sin(t) + 0.2*t)",
        "mod(t*t, 1.7)",
        "sign(exp(-0.1*t)*cos(5*t) - 0.1)",
        "step(sin(3*t), 0.2, 0, 0.2, 1)",
        "abs(t - 3*floor(t/3) - 1)",
        "if_pos(abs(sin(t)) - abs(cos(t)), sqrt(t), 1)",
    ];
    for text in texts {
        let expression = Expression::parse(text, &["t"]).unwrap();
        let breaks = found(text, 0.1, 12.0);
        assert!(!breaks.is_empty(), "{text}");
        let third = |t: f64, h: f64| {
            let v = |k: f64| expression.evaluate(&[t + k * h]);
            (v(2.0) - 3.0 * v(1.0) + 3.0 * v(0.0) - v(-1.0)).abs()
        };
        let h = 1e-3;
        let mut seen = 0;
        for k in 0..11_000 {
            let t = 0.11 + f64::from(k) * h;
            // Third differences of smooth parts are of order h³ times the third derivative.
            if third(t, h) > 2e-4 {
                seen += 1;
                let near = breaks.iter().any(|b| b.before > t - 1.5 * h && b.before < t + 2.5 * h);
                assert!(near, "{text}: t = {t}, {}", third(t, h));
            }
        }
        assert!(seen > 0, "{text}");
    }
}

#[test]
fn conditions_with_states_are_guards() {
    let e =
        Expression::parse("if_pos(sin(50*t) - x, abs(t - 1), max(x, 2)) + step(x, 0, 0, 1, 1) + floor(x)", &["x", "t"])
            .unwrap();
    assert_eq!(e.guards(), 5);
    let at = |x: f64, t: f64| (0..5).map(|i| e.guard(i, &[x, t])).collect::<Vec<f64>>();
    let g = at(0.25, 0.0);
    assert_eq!(&g[..4], [0.25 - 2.0, -0.25, 0.25, 0.25 - 1.0]);
    assert!((g[4] - (0.25 * PI).sin()).abs() < 1e-15);
    assert!(at(0.99, 0.0)[4] > 0.0 && at(1.01, 0.0)[4] < 0.0 && at(2.01, 0.0)[4] > 0.0);
    let mut list = BreakList::default();
    e.breaks(0.0, 3.0, &mut list);
    assert_eq!(list.into_sorted().len(), 1);
}
