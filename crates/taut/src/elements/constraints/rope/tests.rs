use super::super::ConstraintKind;
use super::super::conformance::{Evaluation, Rig, evaluate, resultant, smooth_frame};
use super::*;
use std::f64::consts::PI;

fn point(name: &str) -> Via {
    Via::Point(name.to_string())
}

fn pulley(radius: f64, sense: Sense) -> Via {
    Via::pulley("pulley", radius, sense)
}

fn rough(radius: f64, sense: Sense) -> Via {
    let friction = Some(Friction::same(0.2));
    Via::Pulley { marker: "rough".to_string(), radius, sense, turns: 1, friction }
}

fn at(x: f64, y: f64) -> Motion {
    Motion { p: Vec3::new(x, y, 0.0), ..Motion::REST }
}

/// The length used in this pose, of a rope of 10 m.
fn used(seen: &Evaluation) -> f64 {
    10.0 - seen.phi[0]
}

/// From P to Q, both below, over a disc in the origin: two tangents, and the arc between them over the top.
fn around(p: [f64; 2], q: [f64; 2], r: f64) -> f64 {
    let (a, b) = (p[0].hypot(p[1]), q[0].hypot(q[1]));
    let over = TAU - ((p[0] * q[0] + p[1] * q[1]) / (a * b)).acos();
    (a * a - r * r).sqrt() + (b * b - r * r).sqrt() + r * (over - (r / a).acos() - (r / b).acos())
}

#[test]
fn rates_follow_the_motion() {
    let seeds = |n: u32| Rig::new((1..=n).map(smooth_frame).collect());
    let pay = || Signal::harmonic(0.3, 1.7, 0.2);
    seeds(2).check_identities(&Rope::new(&["a", "b"], 2.0));
    seeds(4).check_identities(&Rope::new(&["a", "b", "c", "d"], pay()));
    for sense in [Sense::Positive, Sense::Negative] {
        let one = vec![point("a"), pulley(0.3, sense), point("b")];
        seeds(3).check_identities(&Rope::with_pulleys(one, pay()));
        let two = vec![point("a"), pulley(0.3, sense), pulley(0.2, Sense::Positive), point("b"), point("c")];
        seeds(5).check_identities(&Rope::with_pulleys(two, 3.0));
        let through = vec![point("a"), pulley(0.1, sense), rough(0.3, sense), point("b")];
        seeds(4).check_identities(&Rope::with_pulleys(through, pay()));
    }
}

#[test]
fn a_taut_rope_of_two_points_is_a_rod_that_pulls() {
    let motions = Rig::two_frames().motions(0.5);
    let rope = evaluate(&Rope::new(&["a", "b"], 0.6), &motions);
    let rod = evaluate(&super::super::Relation::rod("a", "b", 0.6), &motions);
    assert!((rope.phi[0] + rod.phi[0]).abs() < 1e-14 && (rope.rates[0] + rod.rates[0]).abs() < 1e-14);
    assert!((rope.c[0] + rod.c[0]).abs() < 1e-13);
    (0..2).for_each(|k| assert!((rope.D[k].f + rod.D[k].f).norm() < 1e-14 && rope.D[k].m == Vec3::zeros()));
}

#[test]
fn atwood() {
    let rope = Rope::with_pulleys(vec![point("left"), pulley(0.5, Sense::Negative), point("right")], 10.0);
    let motions = [at(-0.5, -2.0), at(0.0, 0.0), at(0.5, -3.0)];
    let seen = evaluate(&rope, &motions);
    assert!((used(&seen) - (5.0 + 0.5 * PI)).abs() < 1e-14);
    // The tension lifts both ends and loads the pulley, without a moment about its axis.
    let expected = [Vec3::y(), Vec3::y() * -2.0, Vec3::y()];
    for (D, f) in seen.D.iter().zip(expected) {
        assert!((D.f - f).norm() < 1e-14 && D.m.norm() < 1e-14, "{D:?}");
    }
    // Also while the pulley spins: the rope slips on it.
    let spinning = Motion { w: Vec3::z() * 30.0, ..motions[1] };
    assert_eq!(evaluate(&rope, &[motions[0], spinning, motions[2]]).rates[0], 0.0);
}

#[test]
fn a_rope_on_a_rough_pulley_slips_relative_to_its_rim() {
    let rope = Rope::with_pulleys(vec![point("left"), rough(0.5, Sense::Negative), point("right")], 10.0);
    let moving = |y, vy| Motion { v: Vec3::y() * vy, ..at(y, -2.0) };
    let slip = |spin: f64| {
        let disc = Motion { w: Vec3::z() * spin, ..Motion::REST };
        evaluate(&rope, &[moving(-0.5, 3.0), disc, moving(0.5, -3.0)]).rates
    };
    // To the right with 3 m/s, over a disc at rest and over one whose rim moves as fast.
    assert!((slip(0.0)[1] - 3.0).abs() < 1e-14 && slip(-6.0)[1].abs() < 1e-14 && slip(-6.0)[0].abs() < 1e-14);
    // The difference of the tensions turns the disc; their sum does not.
    let seen = evaluate(&rope, &[at(-0.5, -2.0), at(0.0, 0.0), at(0.5, -2.0)]);
    assert!(seen.D[1].m.norm() < 1e-14 && (seen.D[4].m - Vec3::z() * 0.5).norm() < 1e-14, "{:?}", seen.D[4]);
    let sum = resultant(&[at(-0.5, -2.0), at(0.0, 0.0), at(0.5, -2.0)], &seen.D[3..]);
    assert!(sum.f.norm() + sum.m.norm() < 1e-14);
}

#[test]
fn tangents_and_arc_have_their_closed_form() {
    let (p, q, r) = ([-2.0, -1.0], [3.0, -0.5], 0.7);
    let rope = Rope::with_pulleys(vec![point("p"), pulley(r, Sense::Negative), point("q")], 10.0);
    let motions = [at(p[0], p[1]), at(0.0, 0.0), at(q[0], q[1])];
    assert!((used(&evaluate(&rope, &motions)) - around(p, q, r)).abs() < 1e-14);
    // With the pulley reversed, the same rope runs in the other sense about z.
    let mut over = motions;
    over[1].R = crate::motion::Mat3::new(1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0);
    let positive = Rope::with_pulleys(vec![point("p"), pulley(r, Sense::Positive), point("q")], 10.0);
    assert!((used(&evaluate(&positive, &over)) - around(p, q, r)).abs() < 1e-14);
    // Action equals reaction.
    let sum = resultant(&motions, &evaluate(&rope, &motions).D);
    assert!(sum.f.norm() + sum.m.norm() < 1e-14);
}

#[test]
fn a_crossed_stretch_between_two_pulleys() {
    let (r, s, d) = (0.5, 0.3, 3.0);
    let through = vec![point("p"), pulley(r, Sense::Negative), pulley(s, Sense::Positive), point("q")];
    // Up on the left of the first, across, and up on the right of the second.
    let motions = [at(-r, -2.0), at(0.0, 0.0), at(d, 0.0), at(d + s, 2.0)];
    let cross = (d * d - (r + s) * (r + s)).sqrt();
    // From vertical to the slope of the inner tangent.
    let angle = 0.5 * PI + ((r + s) / d).asin();
    let seen = evaluate(&Rope::with_pulleys(through, 10.0), &motions);
    assert!((used(&seen) - (4.0 + cross + (r + s) * angle)).abs() < 1e-14);
    let sum = resultant(&motions, &seen.D);
    assert!(sum.f.norm() + sum.m.norm() < 1e-14);
    // An open segment: both discs on the same side.
    let through = vec![point("p"), pulley(r, Sense::Negative), pulley(s, Sense::Negative), point("q")];
    let motions = [at(-r, -2.0), at(0.0, 0.0), at(d, 0.0), at(d + s, -2.0)];
    let open = (d * d - (r - s) * (r - s)).sqrt();
    let tilt = ((r - s) / d).asin();
    let expected = 4.0 + open + r * (0.5 * PI + tilt) + s * (0.5 * PI - tilt);
    assert!((used(&evaluate(&Rope::with_pulleys(through, 10.0), &motions)) - expected).abs() < 1e-14);
}

#[test]
fn a_rope_leaves_a_pulley_without_a_jump() {
    let rope = Rope::with_pulleys(vec![point("p"), pulley(0.5, Sense::Negative), point("q")], 10.0);
    let seen = |y: f64| evaluate(&rope, &[at(-2.0, y), at(0.0, 0.0), at(2.0, y)]);
    let high = seen(0.8);
    assert_eq!((used(&high), high.D[1]), (4.0, Wrench::ZERO));
    let (below, above) = (seen(0.5 - 1e-6), seen(0.5 + 1e-6));
    assert!((used(&below) - used(&above)).abs() < 1e-11);
    (0..3).for_each(|k| assert!((below.D[k].f - above.D[k].f).norm() < 1e-5));
    assert!(below.D[1].f.y < 0.0);
}

#[test]
fn points_that_coincide_and_discs_that_swallow_a_point_give_numbers() {
    let moving = Motion { v: Vec3::x(), ..Motion::REST };
    let numbers =
        |seen: Evaluation| assert!(seen.phi[0].is_finite() && seen.rates[0].is_finite() && seen.c[0].is_finite());
    numbers(evaluate(&Rope::new(&["a", "b"], 1.0), &[Motion::REST, moving]));
    let rope = Rope::with_pulleys(vec![point("p"), pulley(0.5, Sense::Negative), point("q")], 10.0);
    numbers(evaluate(&rope, &[at(0.1, 0.0), Motion::REST, at(2.0, 0.0)]));
    numbers(evaluate(&rope, &[at(0.0, 0.0), moving, at(2.0, 0.0)]));
}

#[test]
fn it_passes_through_a_file() {
    let text = r#"{"type": "rope", "length": 4, "through": [{"point": "ground"},
        {"pulley": {"marker": "block", "radius": 0.1, "sense": "negative"}}, {"point": "load"}]}"#;
    let ConstraintKind::Rope(rope) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
    assert_eq!(rope.markers().iter().map(|r| r.name).collect::<Vec<_>>(), ["ground", "block", "load"]);
    assert_eq!(serde_json::from_str::<Rope>(&serde_json::to_string(&rope).unwrap()).unwrap(), rope);
    assert!(rope.check().is_ok());
    assert!(Rope { length: 0.0.into(), ..rope.clone() }.check().is_err());
    assert!(Rope::new(&["a"], 1.0).check().is_err());
    assert!(Rope::new(&["a"; 17], 1.0).check().is_err());
    let two = vec![point("a"), rough(0.1, Sense::Positive), rough(0.2, Sense::Positive), point("b")];
    assert!(Rope::with_pulleys(two, 1.0).check().unwrap_err().to_string().contains("one such pulley"));
    assert!(Rope::with_pulleys(vec![point("a"), pulley(0.1, Sense::Positive)], 1.0).check().is_err());
    assert!(Rope::with_pulleys(vec![point("a"), pulley(-0.1, Sense::Positive), point("b")], 1.0).check().is_err());
}
