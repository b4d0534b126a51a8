//! Random small rotors in the air whose surroundings are alike all round: Floquet multipliers against the modes in the rotating frame.
//! Dynamic inflow is left out: its states are components in axes that do not turn.
//! `TAUT_ROTORS` sets their number.

use super::rotating;
use taut::air::{Air, Disc, Distribution, Field, Inflow, LinearInflow, PlatePolar, Polar, Unsteady, Wing};
use taut::analyses::{FloquetMode, PeriodicSettings, floquet, periodic};
use taut::prelude::*;

/// Reproducible numbers between −1 and 1.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// A hub that turns at a prescribed speed with one to three winged links in a chain, on hinges in random directions or ball joints, with
/// springs and dampers, all kinds of sections and of induced velocity.
fn random_rotor(seed: &mut u64, case: u64) -> (Model, f64) {
    let speed = 6.0 + 2.0 * random(seed);
    let links = 1 + (1.5 * (1.0 + random(seed))) as usize;
    let inflow = match case % 5 {
        0 => Inflow::None,
        1 => Inflow::Uniform { time_constant: None },
        2 => Inflow::Linear { law: LinearInflow::Coleman },
        3 => Inflow::Prescribed { inflow: Field::Constant(1.0) },
        _ => Inflow::Uniform { time_constant: Some(0.1) },
    };
    let unsteady = [Unsteady::None, Unsteady::QuasiSteady, Unsteady::Wagner][case as usize % 3];
    let mut spec = Spec::new();
    let wind = [0.0, 0.0, -1.0].map(Field::Constant);
    spec.gravity([0.0, 0.0, -9.81])
        .body("hub", RigidBody::new(1.0, [0.1; 3]).moving([0.0; 3], [0.0, 0.0, speed]))
        .air(Air { wind, ..Air::default() })
        .polar("section", Polar::Plate(PlatePolar { slope: 5.0 + random(seed), drag: 0.02 }))
        .disc("main", Disc { at: "ground".into(), radius: 0.6 + 0.6 * links as f64, blades: None, inflow });
    let turn = Prescription::Position(Signal::polynomial([0.0, speed]));
    spec.constraint("shaft", Joint::fixed("ground", "hub").prescribe_rotation(turn));
    let mut carrier = "hub".to_string();
    for k in 0..links {
        let name = format!("link{k}");
        let inertia = [0.02 + 0.005 * random(seed), 0.03, 0.04];
        let x = 0.3 + 0.6 * k as f64;
        let rigid = RigidBody::new(1.0 + 0.3 * random(seed), inertia).at([x, 0.0, 0.0]);
        let rigid = rigid.moving([0.0, speed * x, 0.0], [0.0, 0.0, speed]);
        let axis = [0.3 * random(seed), 1.0, 0.5 * random(seed)];
        let (a, b) = (format!("{carrier}.next"), format!("{name}.hinge"));
        let from = if k == 0 { 0.0 } else { 0.3 };
        spec.body(&name, rigid)
            .marker(&a, Frame::at([from, 0.0, 0.0]).axis(axis))
            .marker(&b, Frame::at([-0.3, 0.0, 0.0]).axis(axis));
        let stiffness = 60.0 + 15.0 * random(seed);
        let about = |k: f64| [0.0, 0.0, 0.0, k, 0.8 * k, 1.2 * k];
        if random(seed) > 0.4 {
            spec.constraint(&format!("ball{k}"), Joint::spherical(&a, &b))
                .force(&format!("spring{k}"), Bushing::diagonal(&a, &b, about(stiffness), about(0.6)));
        } else {
            spec.constraint(&format!("hinge{k}"), Joint::revolute(&a, &b))
                .force(&format!("spring{k}"), Spring::torsional(&a, &b, stiffness, 0.6, 0.2));
        }
        let twist = Distribution::Constant(0.15 + 0.05 * random(seed));
        let wing = Wing::new(&name, [-0.2, 0.0, 0.0], [0.3, 0.0, 0.0], 0.1, "section");
        spec.wing(&format!("wing{k}"), Wing { twist, stations: 4, unsteady, disc: Some("main".into()), ..wing });
        carrier = name;
    }
    (spec.build().unwrap(), std::f64::consts::TAU / speed)
}

#[test]
fn constant_coefficients_give_the_modes_of_the_rotating_frame() {
    let count = std::env::var("TAUT_ROTORS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let mut worst = 0.0_f64;
    for case in 0..count {
        let (model, period) = random_rotor(&mut (900 + 13 * case), case);
        let found = rotating().state(&model, &model.initial_state(), &Transient::default());
        let (state, frame) = found.unwrap_or_else(|e| panic!("case {case}: {e}"));
        let expected = modes(&linearise(&model, &state, frame).unwrap(), ModeRequest::All).unwrap();
        let motion = periodic(&model, &state, &PeriodicSettings::with_period(period))
            .unwrap_or_else(|e| panic!("case {case}: {e}"));
        let found = floquet(&motion).unwrap();
        assert_eq!(Some(found.dimension), expected.dimension, "case {case}");
        for m in &expected.modes {
            let multiplier = (m.lambda * period).exp();
            let apart =
                |f: &FloquetMode| (f.multiplier - multiplier).norm().min((f.multiplier.conj() - multiplier).norm());
            let near = found.modes.iter().map(apart).fold(f64::INFINITY, f64::min);
            worst = worst.max(near);
            assert!(near < 1e-6 * multiplier.norm().max(1.0), "case {case}: {}, {near:e}", m.lambda);
        }
    }
    println!("{count} rotors, largest difference of a multiplier {worst:e}");
}
