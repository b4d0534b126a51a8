//! Time of periodic motions and their multipliers: rotors under gravity, the whole period and one passage.
//!
//! Run with `cargo bench -p taut --bench floquet`. A rotor has a hub on a support that yields along x and N blades with flap, lag
//! and pitch in one ball joint, springs and dampers: 3 N + 1 freedoms.

use std::f64::consts::TAU;
use std::time::Instant;
use taut::analyses::{PeriodicSettings, floquet, passage_modes, periodic};
use taut::constraints::Prescription;
use taut::prelude::*;
use taut::signals::Signal;

const SPEED: f64 = 12.0;

fn rotor(blades: usize) -> Model {
    let mut spec = Spec::new();
    let along = [1.0, 0.0, 0.0];
    spec.gravity([0.0, -9.81, 0.0])
        .body("support", RigidBody::new(20.0, [1.0; 3]))
        .body("hub", RigidBody::new(2.0, [1.0; 3]).moving([0.0; 3], [0.0, 0.0, SPEED]))
        .marker("ground.rail", Frame::at([0.0; 3]).axis(along))
        .marker("support.rail", Frame::at([0.0; 3]).axis(along))
        .constraint("rail", Joint::prismatic("ground.rail", "support.rail"))
        .force(
            "mount",
            Bushing::diagonal("ground", "support", [2e3, 0.0, 0.0, 0.0, 0.0, 0.0], [30.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        );
    let turn = Prescription::Position(Signal::polynomial([0.0, SPEED]));
    spec.constraint("shaft", Joint::fixed("support", "hub").prescribe_rotation(turn));
    for k in 0..blades {
        let angle = TAU * k as f64 / blades as f64;
        let (s, c) = angle.sin_cos();
        let about = Orientation::RotationVector([0.0, 0.0, angle]);
        let name = format!("blade{k}");
        let body = RigidBody::new(1.0, [0.001, 0.03, 0.03]).at([0.5 * c, 0.5 * s, 0.0]).oriented(about.clone());
        let body = body.moving([-SPEED * 0.5 * s, SPEED * 0.5 * c, 0.0], [0.0, 0.0, SPEED]);
        let (a, b) = (format!("hub.hinge{k}"), format!("{name}.root"));
        spec.body(&name, body)
            .marker(&a, Frame::at([0.2 * c, 0.2 * s, 0.0]).with_orientation(about))
            .marker(&b, Frame::at([-0.3, 0.0, 0.0]))
            .constraint(&format!("root{k}"), Joint::spherical(&a, &b))
            .force(
                &format!("spring{k}"),
                Bushing::diagonal(&a, &b, [0.0, 0.0, 0.0, 30.0, 30.0, 20.0], [0.0, 0.0, 0.0, 0.05, 0.4, 0.4]),
            );
    }
    spec.build().expect("a rotor")
}

fn main() {
    println!("blades  multipliers  periodic motion and monodromy   multipliers   one passage");
    for blades in [2, 4, 8, 16] {
        let model = rotor(blades);
        let (state, period) = (model.initial_state(), TAU / SPEED);
        let settings = PeriodicSettings::with_period(period);
        let clock = Instant::now();
        let motion = periodic(&model, &state, &settings).expect("a periodic motion");
        let whole = clock.elapsed();
        let clock = Instant::now();
        let modes = floquet(&motion).expect("multipliers");
        let eigenvalues = clock.elapsed();
        let clock = Instant::now();
        let words = ["blade".to_string()];
        passage_modes(&model, &state, period, &settings, &words, [0.0, 0.0, 1.0]).expect("one passage");
        println!(
            "{blades:>6}  {:>11}  {whole:>29.1?}  {eigenvalues:>12.1?}  {:>12.1?}",
            modes.dimension,
            clock.elapsed()
        );
    }
}
