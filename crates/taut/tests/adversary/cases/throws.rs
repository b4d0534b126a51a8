//! Throws: a point against a plane, a stop, a rope's end or another point, in one short moment of a long flight. Closed forms.

use super::random::Random;
use super::{Judgement, Trial};
use taut::constraints::{PointOnPlane, Rope, Separator, Stop};
use taut::laws::{Impact, ImpactLaw};
use taut::{Frame, Measure, PointMass, Spec};

pub fn case(r: &mut Random) -> Judgement {
    let (size, speed) = (r.ratio(1e-3, 1.0), r.ratio(0.01, 1000.0));
    let distance = size * r.ratio(2.0, 1e4);
    let e = [0.0, 0.5, 0.9, 1.0][r.below(4)];
    let impact = Impact { law: ImpactLaw::Newton, restitution: e };
    let (m, other) = (r.ratio(0.1, 10.0), r.ratio(0.1, 10.0));
    let meets = distance / speed;
    let end = meets * r.between(1.2, 3.0);
    let mut spec = Spec::new();
    let body = |at: f64, v: f64, m: f64| PointMass { velocity: [v, 0.0, 0.0], ..PointMass::new(m, [at, 0.0, 0.0]) };
    let kind = r.below(4);
    let x = Measure::coordinate("a.x");
    match kind {
        // A wall whose inner side is towards −x.
        0 => spec
            .body("a", body(0.0, speed, m))
            .marker("ground.wall", Frame::at([distance, 0.0, 0.0]).axis([-1.0, 0.0, 0.0]))
            .constraint("wall", PointOnPlane::new("ground.wall", "a").impact(impact)),
        1 => spec.body("a", body(0.0, speed, m)).constraint("stop", Stop::upper(x, distance).impact(impact)),
        2 => spec
            .body("a", body(0.5 * distance, speed, m))
            .constraint("rope", Rope::new(&["ground", "a"], 1.5 * distance).impact(impact)),
        // Two that keep a distance of twice their size.
        _ => spec
            .body("a", body(0.0, speed, m))
            .body("b", body(distance + 2.0 * size, 0.0, other))
            .constraint("touch", Separator::new("a", "b", 2.0 * size).impact(impact)),
    };
    let model = spec.build().expect("a throw");
    let trial = Trial::new(r, end);
    let told = format!("kind {kind}, speed {speed}, distance {distance}, size {size}, e {e}, masses {m} {other}");
    let exact = |t: f64| {
        let after = (t - meets).max(0.0);
        let (from, v) = match kind {
            3 => (0.0, speed * (m - e * other) / (m + other)),
            2 => (0.5 * distance, -e * speed),
            _ => (0.0, -e * speed),
        };
        let x = from + speed * t.min(meets) + v * after;
        vec![x / distance, if t > meets { v / speed } else { 1.0 }]
    };
    // Sizes are those of the throw.
    trial.judge_scaled(&model, &[("a.x", distance), ("a.vx", speed)], &mut |t| exact(t), meets, &told)
}
