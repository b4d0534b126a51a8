//! Impacts: rebound, energy, momentum.

use super::*;
use crate::analyses::Output;
use crate::stepping::{TimeSteppingSettings, simulate};

/// A ball of radius 0.1 with its centre at z = 1.1, falling from rest.
fn drop(e: f64, h: f64, t_end: f64) -> crate::Solution {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    spec.body("ball", sphere(0.1).at([0.0, 0.0, 1.1]));
    let shapes = [("ground", Shape::HalfSpace {}), ("ball", Shape::Sphere { radius: 0.1 })];
    on(&mut spec, &shapes, plastic(0.0).restitution(e));
    let model = spec.build().unwrap();
    let settings = TimeSteppingSettings::to(t_end, h).output(Output::Steps);
    simulate(&model, &model.initial_state(), &settings).unwrap()
}

/// Height of the lowest point of a ball dropped from 1 m with restitution e.
fn height(e: f64, mut t: f64) -> f64 {
    let mut v = (2.0 * G).sqrt();
    t -= v / G;
    if t < 0.0 {
        return 1.0 - 0.5 * G * (t + v / G).powi(2);
    }
    loop {
        v *= e;
        if t < 2.0 * v / G {
            return v * t - 0.5 * G * t * t;
        }
        t -= 2.0 * v / G;
    }
}

#[test]
fn a_bouncing_ball_converges_with_first_order() {
    // In the air after the second rebound.
    let t = 1.3;
    let hs = [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4];
    let mut errors = Vec::new();
    for h in hs {
        // The error depends on where in a step the impact falls: the mean over several lengths near h.
        let lengths: Vec<f64> = (0..16).map(|i| h * (1.0 + i as f64 / 37.0)).collect();
        let of = |h: &f64| (drop(0.7, *h, t).last("ball.z").unwrap() - 0.1 - height(0.7, t)).abs();
        errors.push(lengths.iter().map(of).sum::<f64>() / lengths.len() as f64);
    }
    let order = slope(&hs, &errors);
    assert!((0.85..1.3).contains(&order), "order {order}, errors {errors:?}");
    assert!(errors[5] < 1e-3, "{errors:?}");
}

#[test]
fn times_of_impact_converge_with_first_order() {
    let exact = (2.0 / G).sqrt();
    for h in [4e-3, 1e-3, 2.5e-4] {
        let run = drop(0.7, h, 0.6);
        let (t, vz) = (run.t(), run.column("ball.vz").unwrap());
        let k = vz.windows(2).position(|w| w[0] < 0.0 && w[1] > 0.0).unwrap();
        assert!((t[k] - exact).abs() < 1.01 * h, "{} and {exact}", t[k]);
        // The rebound is that of the velocity at the start of the step, to the bit of round-off.
        assert!((vz[k + 1] + 0.7 * vz[k]).abs() < 1e-12, "{} {}", vz[k], vz[k + 1]);
    }
}

#[test]
fn an_elastic_ball_keeps_its_energy_to_round_off() {
    let run = drop(1.0, 1e-3, 20.0);
    let (kinetic, potential) = (run.column("energy.kinetic").unwrap(), run.column("energy.potential").unwrap());
    let start = kinetic[0] + potential[0];
    for (k, p) in kinetic.iter().zip(potential) {
        assert!((k + p - start).abs() < 1e-10 * start, "{}", k + p - start);
    }
    assert!(run.column("contact.penetration").unwrap().iter().all(|p| *p < 1e-7 * 0.1));
}

#[test]
fn a_ball_comes_to_rest_and_never_gains() {
    for (e, h) in [(0.0, 1e-3), (0.5, 1e-3), (0.8, 4e-3)] {
        let run = drop(e, h, 8.0);
        let energy: Vec<f64> = run
            .column("energy.kinetic")
            .unwrap()
            .iter()
            .zip(run.column("energy.potential").unwrap())
            .map(|(k, p)| k + p)
            .collect();
        for w in energy.windows(2) {
            assert!(w[1] <= w[0] + 1e-12 * energy[0], "e = {e}: {} after {}", w[1], w[0]);
        }
        assert!(run.last("ball.vz").unwrap().abs() < 1e-12, "{}", run.last("ball.vz").unwrap());
        assert!((run.last("ball.z").unwrap() - 0.1).abs() < 1e-7);
        // What was lost is what the contacts took.
        let lost = run.last("contact.lost").unwrap() - run.last("contact.lifted").unwrap();
        assert!((energy[0] - energy[energy.len() - 1] - lost).abs() < 1e-10 * energy[0]);
        assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    }
}

/// Balls of one mass in a row along x, the first one moving.
fn row_of_balls(gaps: &[f64], e: f64, h: f64, t_end: f64) -> crate::Solution {
    let mut spec = Spec::new();
    spec.body("b0", sphere(0.05).at([-0.2, 0.0, 0.0]).moving([2.0, 0.0, 0.0], [0.0; 3]));
    let mut x = 0.0;
    for (i, gap) in gaps.iter().enumerate() {
        spec.body(format!("b{}", i + 1).as_str(), sphere(0.05).at([x, 0.0, 0.0]));
        x += 0.1 + gap;
    }
    let names: Vec<String> = (0..=gaps.len()).map(|i| format!("b{i}")).collect();
    let shapes: Vec<(&str, Shape)> = names.iter().map(|n| (n.as_str(), Shape::Sphere { radius: 0.05 })).collect();
    on(&mut spec, &shapes, plastic(0.0).restitution(e));
    let model = spec.build().unwrap();
    simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(t_end, h)).unwrap()
}

#[test]
fn two_balls_head_on() {
    for e in [0.0, 0.6, 1.0] {
        let run = row_of_balls(&[0.0], e, 1e-3, 0.2);
        let (a, b) = (run.last("b0.vx").unwrap(), run.last("b1.vx").unwrap());
        assert!((a - (1.0 - e)).abs() < 1e-12 && (b - (1.0 + e)).abs() < 1e-12, "{a} {b}");
    }
}

#[test]
fn a_cradle_conserves_momentum_and_energy() {
    // Touching: Moreau's law takes all contacts at once, v = (−1/3, 2/3, 2/3) of the first speed.
    let run = row_of_balls(&[0.0, 0.0], 1.0, 1e-3, 0.15);
    let v: Vec<f64> = (0..3).map(|i| run.last(&format!("b{i}.vx")).unwrap()).collect();
    for (v, exact) in v.iter().zip([-2.0 / 3.0, 4.0 / 3.0, 4.0 / 3.0]) {
        assert!((v - exact).abs() < 1e-10, "{v} {exact}");
    }
    // With gaps one impact follows the other, and only the last ball moves on.
    let run = row_of_balls(&[1e-3, 1e-3, 1e-3], 1.0, 1e-3, 0.2);
    let v: Vec<f64> = (0..4).map(|i| run.last(&format!("b{i}.vx")).unwrap()).collect();
    for (v, exact) in v.iter().zip([0.0, 0.0, 0.0, 2.0]) {
        assert!((v - exact).abs() < 1e-10, "{v} {exact}");
    }
}
