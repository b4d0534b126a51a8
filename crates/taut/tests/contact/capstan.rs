//! Friction between a rope and a pulley, compared with Euler's capstan equation.

use std::f64::consts::PI;
use taut::analyses::{Transient, simulate};
use taut::constraints::{Sense, Via};
use taut::laws::Friction;
use taut::{EventKind, Joint, PlanarBody, PointMass, Rope, Solution, Spec};

const G: f64 = 9.81;

/// Masses of 1 kg and `heavy` on both sides of a disc of 0.1 m on `pulley`.
fn two_masses(spec: &mut Spec, heavy: f64, speed: f64, pulley: &str, turns: u32, friction: Friction) {
    let disc = Via::Pulley {
        marker: pulley.to_string(),
        radius: 0.1,
        sense: Sense::Negative,
        turns,
        friction: Some(friction),
    };
    let through = vec![Via::Point("light".to_string()), disc, Via::Point("heavy".to_string())];
    spec.gravity([0.0, -G, 0.0])
        .body("light", PointMass::new(1.0, [-0.1, -1.0, 0.0]).moving([0.0, speed, 0.0]))
        .body("heavy", PointMass::new(heavy, [0.1, -1.0, 0.0]).moving([0.0, -speed, 0.0]))
        .constraint("rope", Rope::with_pulleys(through, 2.0 + 0.1 * PI * f64::from(1 + 2 * turns)));
}

fn run(spec: &Spec, duration: f64) -> Solution {
    let model = spec.build().unwrap();
    let settings = Transient::to(duration).every(0.05).tolerance(1e-10, 1e-10);
    simulate(&model, &model.initial_state(), &settings).unwrap()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{found}, not {expected}");
}

#[test]
fn the_ratio_of_tensions_is_that_of_euler_with_every_turn() {
    for turns in [0, 1, 2] {
        let ratio = (0.1 * PI * f64::from(1 + 2 * turns)).exp();
        let heavy = 1.5 * ratio;
        let mut spec = Spec::new();
        two_masses(&mut spec, heavy, 0.0, "ground", turns, Friction { stick: 0.11, slip: 0.1 });
        let motion = run(&spec, 0.3);
        let a = G * (heavy - ratio) / (heavy + ratio);
        close(motion.last("heavy.y").unwrap(), -1.0 - 0.5 * a * 0.09);
        let (mean, difference) = (motion.last("rope.lambda_slack").unwrap(), motion.last("rope.lambda_slip").unwrap());
        close((mean - 0.5 * difference) / (mean + 0.5 * difference), ratio);
        close(mean + 0.5 * difference, G + a);
        close(motion.last("rope.slip").unwrap(), a * 0.3);
    }
}

#[test]
fn below_the_ratio_it_sticks() {
    let mut spec = Spec::new();
    two_masses(&mut spec, 0.999 * (0.2 * PI).exp(), 0.0, "ground", 0, Friction::same(0.2));
    let motion = run(&spec, 1.0);
    assert_eq!(motion.last("heavy.y").unwrap(), -1.0);
    let mut spec = Spec::new();
    two_masses(&mut spec, 1.001 * (0.2 * PI).exp(), 0.0, "ground", 0, Friction::same(0.2));
    assert!(run(&spec, 1.0).last("heavy.y").unwrap() < -1.0 - 1e-4);
}

#[test]
fn a_moving_rope_is_braked_and_then_sticks() {
    let mut spec = Spec::new();
    two_masses(&mut spec, 1.5, 1.0, "ground", 0, Friction::same(0.3));
    let motion = run(&spec, 1.0);
    let ratio = (0.3 * PI).exp();
    let a = G * (1.5 - ratio) / (1.5 + ratio);
    let stop = motion.events.iter().find(|e| e.name == "rope" && e.what == EventKind::Sticks).expect("it sticks");
    close(stop.t, -1.0 / a);
    close(motion.last("heavy.y").unwrap(), -1.0 + 0.5 / a);
    close(motion.last("rope.lambda_slip").unwrap(), -0.5 * G);
    // What friction takes is in the energy balance.
    close(motion.last("energy.balance").unwrap(), 0.0);
}

#[test]
fn a_free_disc_turns_with_a_rope_that_sticks_and_slower_with_one_that_slips() {
    let inertia = 0.02;
    let with_disc = |friction: f64| {
        let mut spec = Spec::new();
        spec.body("disc", PlanarBody::new(1.0, inertia)).constraint("axle", Joint::pin("ground", "disc"));
        two_masses(&mut spec, 2.0, 0.0, "disc", 0, Friction::same(friction));
        run(&spec, 0.4)
    };
    // m r² of both masses and the disc.
    let a = G * (2.0 - 1.0) / (3.0 + inertia / 0.01);
    let stuck = with_disc(0.5);
    close(stuck.last("heavy.vy").unwrap(), -0.4 * a);
    close(stuck.last("disc.omega").unwrap(), -4.0 * a);
    // It slips: I ω̇ = r (T₂ − T₁) with T₂ = T₁ e^(μπ).
    let ratio = (0.05 * PI).exp();
    let (slips, a) = (with_disc(0.05), G * (2.0 - ratio) / (2.0 + ratio));
    close(slips.last("heavy.vy").unwrap(), -0.4 * a);
    close(slips.last("disc.omega").unwrap(), -0.4 * 0.1 * (G + a) * (ratio - 1.0) / inertia);
}
