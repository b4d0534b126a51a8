//! Pendulums with gravity and a torque, alone or as the cranks of a parallelogram: θ̈ = (τ − m g l sin θ)/J.

use super::inputs::Input;
use super::random::Random;
use super::reference::Brute;
use super::{Judgement, Trial};
use taut::forces::Applied;
use taut::{Frame, Joint, PlanarBody, Signal, Spec};

const G: f64 = 9.81;

pub fn case(r: &mut Random) -> Judgement {
    let (end, loops) = (r.between(0.8, 2.0), r.below(2) == 1);
    let (m, l) = (r.ratio(0.2, 5.0), r.ratio(0.2, 1.5));
    let bar = if loops { r.ratio(0.2, 3.0) } else { 0.0 };
    let cranks = if loops { 2 } else { 1 };
    let start = r.between(-0.6, 0.6);
    let (s, c) = start.sin_cos();
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]);
    // Rods that hang by their ends; a bar between their lower ends stays level.
    for i in 0..cranks {
        let x = i as f64;
        let name = format!("rod{i}");
        spec.body(&name, PlanarBody::new(m, m * l * l / 12.0).at([x + 0.5 * l * s, -0.5 * l * c], start))
            .marker(&format!("{name}.top"), Frame::at([0.0, 0.5 * l, 0.0]))
            .marker(&format!("{name}.end"), Frame::at([0.0, -0.5 * l, 0.0]))
            .marker(&format!("ground.p{i}"), Frame::at([x, 0.0, 0.0]))
            .constraint(&format!("pin{i}"), Joint::pin(&format!("ground.p{i}"), &format!("{name}.top")));
    }
    if loops {
        spec.body("bar", PlanarBody::new(bar, bar / 12.0).at([0.5 + l * s, -l * c], 0.0))
            .marker("bar.a", Frame::at([-0.5, 0.0, 0.0]))
            .marker("bar.b", Frame::at([0.5, 0.0, 0.0]))
            .constraint("left", Joint::pin("rod0.end", "bar.a"))
            .constraint("right", Joint::pin("rod1.end", "bar.b"));
    }
    let rods = f64::from(cranks);
    let J = rods * m * l * l / 3.0 + bar * l * l;
    let weight = (rods * 0.5 * m + bar) * G * l;
    let input = Input::random(r, 0.3 * weight, end);
    spec.force("motor", Applied::torque("rod0", [Signal::default(), Signal::default(), input.signal.clone()]));
    let model = spec.build().expect("pendulums");
    let trial = Trial::new(r, end);
    let told = format!("{cranks} rods m {m}, l {l}, bar {bar}, from {start}; {}", input.told);
    let mut brute = Brute::new(vec![start, 0.0], input.breaks.clone(), end / 3000.0, |t, y, _| {
        vec![y[1], (input.signal.at(t).f - weight * y[0].sin()) / J]
    });
    trial.judge(&model, &["rod0.theta".to_string(), "rod0.omega".to_string()], &mut |t| brute.at(t), &told)
}
