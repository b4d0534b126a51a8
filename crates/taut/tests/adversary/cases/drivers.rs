//! A carriage that is driven, rests, starts again and stops dead, with a mass on a spring behind it; brakes that are on for a moment.

use super::random::Random;
use super::reference::Brute;
use super::{Judgement, Trial};
use taut::constraints::Coupling;
use taut::forces::Spring;
use taut::{Frame, Hold, Joint, Measure, PointMass, Relation, Signal, Spec};

pub fn case(r: &mut Random) -> Judgement {
    if r.below(4) == 0 { braked(r) } else { driven(r) }
}

/// x of the carriage by time, and its velocity.
fn driven(r: &mut Random) -> Judgement {
    let end = r.between(1.0, 4.0);
    let (a, b) = (r.between(0.1, 0.5) * end, r.between(0.55, 0.95) * end);
    let v = r.between(0.05, 0.4) / (b - a);
    // Rest, then on: with a soft start, with a jump of the velocity, at a given velocity.
    let kind = r.below(4);
    let hold = |text: String| Signal::expression(&text).expect("a formula");
    let ramp = format!("if_pos(t - {a}, if_pos({b} - t, t - {a}, {b} - {a}), 0)");
    let follow = match kind {
        0 => Hold::Position(hold(format!("if_pos(t - {a}, {v}*(t - {a})^3, 0)"))),
        1 => Hold::Position(hold(format!("{v}*{ramp}"))),
        2 => Hold::Velocity(hold(format!("if_pos(t - {a}, if_pos({b} - t, {v}, 0), 0)"))),
        _ => Hold::Velocity(hold(format!("{v}*abs(sin(3*t))"))),
    };
    let at = move |t: f64| -> (f64, f64) {
        let on = (t.min(b) - a).max(0.0);
        match kind {
            0 => {
                let on = (t - a).max(0.0);
                (v * on.powi(3), 3.0 * v * on * on)
            }
            1 | 2 => (v * on, if t > a && t < b { v } else { 0.0 }),
            _ => {
                let half = std::f64::consts::PI / 3.0;
                let whole = (t / half).floor();
                let rest = t - whole * half;
                (v / 3.0 * (2.0 * whole + 1.0 - (3.0 * rest).cos()), v * (3.0 * t).sin().abs())
            }
        }
    };
    let (m, k, c) = (r.ratio(0.2, 5.0), r.ratio(20.0, 400.0), r.between(0.0, 1.0));
    let mut spec = Spec::new();
    spec.marker("ground.rail", Frame::at([0.0; 3]).axis([1.0, 0.0, 0.0]))
        .body("base", PointMass::new(1.0, [0.0; 3]))
        .body("mass", PointMass::new(m, [1.0, 0.0, 0.0]))
        .constraint("guide", Joint::point_on_line("ground.rail", "base"))
        .constraint("rail", Joint::point_on_line("ground.rail", "mass"))
        .constraint("drive", Relation::driver(Measure::coordinate("base.x"), follow))
        .force("spring", Spring::linear("base", "mass", k, c, 1.0));
    let model = spec.build().expect("a carriage");
    let trial = Trial::new(r, end);
    let told = format!("kind {kind}, {a} … {b}, v {v}, m {m}, k {k}, c {c}");
    let mut breaks = vec![a, b];
    if kind == 3 {
        breaks = (1..20).map(|k| f64::from(k) * std::f64::consts::PI / 3.0).collect();
    }
    let mut brute = Brute::new(vec![1.0, 0.0], breaks, end / 4000.0, move |t, y, _| {
        let (x, rate) = at(t);
        vec![y[1], (-k * (y[0] - x - 1.0) - c * (y[1] - rate)) / m]
    });
    let columns = ["mass.x", "mass.vx", "base.x"].map(String::from);
    trial.judge(&model, &columns, &mut |t| [brute.at(t), vec![at(t).0]].concat(), &told)
}

/// A mass that coasts through brakes which are on for a moment.
fn braked(r: &mut Random) -> Judgement {
    let end = r.between(1.0, 3.0);
    let (m, v) = (r.ratio(0.2, 5.0), r.between(0.3, 2.0));
    let (a, width) = (r.between(0.05, 0.7) * end, r.ratio(1e-4, 0.2) * end);
    let force = r.between(0.2, 3.0) * m * v / width;
    let mut spec = Spec::new();
    let capacity =
        Signal::expression(&format!("if_pos(t - {a}, if_pos({} - t, {force}, 0), 0)", a + width)).expect("a formula");
    spec.marker("ground.rail", Frame::at([0.0; 3]).axis([1.0, 0.0, 0.0]))
        .body("mass", PointMass { velocity: [v, 0.0, 0.0], ..PointMass::new(m, [0.0; 3]) })
        .constraint("rail", Joint::point_on_line("ground.rail", "mass"))
        .constraint("brake", Coupling::brake(Measure::coordinate("mass.x"), capacity));
    let model = spec.build().expect("a brake");
    let trial = Trial::new(r, end);
    let told = format!("brake of {force} N from {a} for {width}, m {m}, v {v}");
    let exact = move |t: f64| {
        let on = (t - a).clamp(0.0, width.min(m * v / force));
        let after = (t - a - on).max(0.0);
        let slow = v - force / m * on;
        vec![v * t.min(a) + v * on - 0.5 * force / m * on * on + slow * after, slow]
    };
    let columns = ["mass.x", "mass.vx"].map(String::from);
    trial.judge(&model, &columns, &mut |t| exact(t), &told)
}
