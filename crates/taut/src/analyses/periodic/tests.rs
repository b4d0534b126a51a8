//! The monodromy matrix from the linearised equations against differences of whole runs, for random small mechanisms with every kind of
//! rotation coordinates; constant coefficients against the modes. `TAUT_ROTORS` sets the number of mechanisms.

use super::flow::Flow;
use super::shooting::displaced;
use super::*;
use crate::analyses::linear::state_difference::state_difference;
use crate::analyses::linear::velocity_blocks::recentre_rodrigues;
use crate::analyses::linear::{ModeRequest, linearise, modes};
use crate::analyses::{Output, floquet, simulate};
use crate::bodies::BodyKind;
use crate::constraints::Prescription;
use crate::prelude::*;
use crate::signals::Signal;
use crate::solution::Columns;

/// Reproducible numbers between −1 and 1.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// The body in one of four kinds of rotation coordinates.
fn in_coordinates(rigid: RigidBody, kind: usize) -> BodyKind {
    match kind % 4 {
        0 => rigid.into(),
        1 => crate::bodies::EulerParameters { rigid }.into(),
        2 => crate::bodies::Rodrigues { rigid }.into(),
        _ => crate::bodies::EulerAngles::new(rigid, crate::bodies::AxisSequence::Xyz).into(),
    }
}

/// A hub that turns at a prescribed speed under gravity, with one to three links in a chain on hinges in random directions, springs and
/// dampers; some have a second hinge axis, some a spring to the ground. Motions without freedom of their own repeat with the hub.
fn random_mechanism(seed: &mut u64, kinds: [usize; 3]) -> (Model, f64) {
    let speed = 6.0 + 2.0 * random(seed);
    let mut spec = Spec::new();
    spec.gravity([1.0, 0.0, -9.81]).body("hub", RigidBody::new(1.0, [0.1; 3]));
    let turn = Prescription::Position(Signal::polynomial([0.0, speed]));
    spec.constraint("shaft", Joint::fixed("ground", "hub").prescribe_rotation(turn));
    let mut carrier = "hub".to_string();
    let links = 1 + (1.5 * (1.0 + random(seed))) as usize;
    for k in 0..links {
        let name = format!("link{k}");
        let inertia = [0.02 + 0.005 * random(seed), 0.03, 0.04];
        let rigid = RigidBody::new(1.0 + 0.3 * random(seed), inertia).at([0.3 + 0.6 * k as f64, 0.0, 0.0]);
        let axis = [0.3 * random(seed), 1.0, 0.5 * random(seed)];
        let (a, b) = (format!("{carrier}.next"), format!("{name}.hinge"));
        let from = if k == 0 { 0.0 } else { 0.3 };
        spec.body(&name, in_coordinates(rigid, kinds[k]))
            .marker(&a, Frame::at([from, 0.0, 0.0]).axis(axis))
            .marker(&b, Frame::at([-0.3, 0.0, 0.0]).axis(axis));
        let stiffness = 60.0 + 15.0 * random(seed);
        let about = |k: f64| [0.0, 0.0, 0.0, k, 0.8 * k, 1.2 * k];
        // A ball joint held by bushing springs, a hinge otherwise.
        if random(seed) > 0.4 {
            spec.constraint(&format!("ball{k}"), Joint::spherical(&a, &b))
                .force(&format!("spring{k}"), Bushing::diagonal(&a, &b, about(stiffness), about(0.6)));
        } else {
            spec.constraint(&format!("hinge{k}"), Joint::revolute(&a, &b))
                .force(&format!("spring{k}"), Spring::torsional(&a, &b, stiffness, 0.6, 0.2));
        }
        carrier = name;
    }
    if random(seed) > 0.0 {
        spec.marker("ground.post", Frame::at([0.5, 0.5, 0.4]))
            .force("post", Spring::linear("ground.post", &carrier, 3.0 + random(seed), 0.2, 0.3));
    }
    (spec.build().unwrap(), std::f64::consts::TAU / speed)
}

/// The periodic motion near the state after four periods, where most of the first motion has died out.
fn motion_of(model: &Model, period: f64) -> Result<PeriodicMotion<'_>, PeriodicError> {
    let settings = Transient { output: Output::Ends, columns: Columns::None, ..Transient::to(4.0 * period) };
    let near = simulate(model, &model.initial_state(), &settings)?.final_state().clone();
    periodic(model, &near, &PeriodicSettings::with_period(period))
}

/// The monodromy matrix column by column: runs from displaced starts.
fn by_differences(motion: &PeriodicMotion) -> DMatrix<f64> {
    let (model, flow): (&Model, &Flow) = (motion.model, &motion.flow);
    let start = motion.segments[0].start();
    let d = motion.monodromy.ncols();
    let end = |j: usize, h: f64| {
        let x = flow.to_world(start, &(start.flow.basis.column(j) * h));
        let moved = displaced(model, &start.state, &x, &flow.states);
        let moved = assemble(model, &moved, &AssemblySettings::default()).unwrap().state;
        let settings =
            Transient { output: Output::Ends, columns: Columns::None, ..Transient::to(moved.t + motion.period) };
        let settings = Transient { rtol: 1e-12, atol: 1e-12, ..settings };
        let mut found = simulate(model, &moved, &settings).unwrap().final_state().clone();
        recentre_rodrigues(&model.bodies, &mut found, &mut vec![0.0; model.sizes.v]);
        let apart = state_difference(model, &start.state, &found, &flow.states);
        flow.reduce(start, &apart).unwrap()
    };
    let h = 1e-4;
    let column = |j: usize| (end(j, h) - end(j, -h)) / (2.0 * h);
    DMatrix::from_columns(&(0..d).map(column).collect::<Vec<_>>())
}

/// The number of random mechanisms.
fn mechanisms() -> u64 {
    std::env::var("TAUT_ROTORS").ok().and_then(|n| n.parse().ok()).unwrap_or(24)
}

#[test]
fn monodromy_equals_differences_of_runs() {
    let mut worst = 0.0_f64;
    for case in 0..mechanisms() {
        let mut seed = 20 + 77 * case;
        let kinds = [case, case / 4, case / 16].map(|k| k as usize % 4);
        let (model, period) = random_mechanism(&mut seed, kinds);
        let motion = motion_of(&model, period).unwrap_or_else(|e| panic!("case {case}, {kinds:?}: {e}"));
        let runs = by_differences(&motion);
        let apart = (&runs - &motion.monodromy).amax() / runs.amax();
        worst = worst.max(apart);
        if case % 50 == 49 {
            println!("{} mechanisms, largest difference so far {worst:e}", case + 1);
        }
        assert!(apart < 1e-6, "case {case}, {kinds:?}: {apart:e}\n{runs}{}", motion.monodromy);
    }
    println!("{} mechanisms, largest difference {worst:e}", mechanisms());
}

/// Whatever the coordinates of the bodies, the multipliers are the same.
#[test]
fn multipliers_do_not_depend_on_rotation_coordinates() {
    for case in 0..3 {
        let found = [[0; 3], [1; 3], [2; 3], [3; 3], [1, 2, 3]].map(|kinds| {
            let (model, period) = random_mechanism(&mut (5 + 9 * case), kinds);
            let motion = motion_of(&model, period).unwrap_or_else(|e| panic!("case {case}, {kinds:?}: {e}"));
            floquet(&motion).unwrap().modes
        });
        for other in &found[1..] {
            assert_eq!(found[0].len(), other.len());
            for a in &found[0] {
                let near = other.iter().map(|b| (a.multiplier - b.multiplier).norm()).fold(f64::INFINITY, f64::min);
                assert!(near < 1e-7, "case {case}: {}, {near:e}", a.multiplier);
                // An error of 1e-7 of the multiplier leaves nothing of the exponent of a small one.
                if a.multiplier.norm() > 1e-2 {
                    let near = other.iter().map(|b| (a.exponent - b.exponent).norm()).fold(f64::INFINITY, f64::min);
                    assert!(near < 1e-4 * a.exponent.norm(), "case {case}: {}, {near:e}", a.exponent);
                }
            }
        }
    }
}

#[test]
fn segments_give_the_same_multipliers() {
    let (model, period) = random_mechanism(&mut 7, [0; 3]);
    let one = periodic(&model, &model.initial_state(), &PeriodicSettings::with_period(period)).unwrap();
    let settings = PeriodicSettings { segments: 3, ..PeriodicSettings::with_period(period) };
    let three = periodic(&model, &model.initial_state(), &settings).unwrap();
    let [a, b] = [one, three].map(|m| floquet(&m).unwrap().modes);
    for (a, b) in a.iter().zip(&b) {
        assert!((a.multiplier - b.multiplier).norm() < 1e-7, "{} {}", a.multiplier, b.multiplier);
    }
}

#[test]
fn constant_coefficients_give_the_modes() {
    // A chain that hangs at rest: any period will do.
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]);
    let mut above = "ground".to_string();
    for k in 0..2 {
        let name = format!("rod{k}");
        spec.body(&name, RigidBody::new(1.0 + k as f64, [0.02, 0.03, 0.01]).at([0.0, 0.0, -0.2 - 0.4 * k as f64]))
            .marker(&format!("{name}.top"), Frame::at([0.0, 0.0, 0.2]))
            .marker(&format!("{name}.end"), Frame::at([0.0, 0.0, -0.2]))
            .constraint(&format!("ball{k}"), Joint::universal(&above, &format!("{name}.top")));
        above = format!("{name}.end");
    }
    let model = spec.build().unwrap();
    let state = model.initial_state();
    let expected = modes(&linearise(&model, &state, None).unwrap(), ModeRequest::All).unwrap();
    let motion = periodic(&model, &state, &PeriodicSettings::with_period(0.37)).unwrap();
    let found = floquet(&motion).unwrap();
    assert_eq!(Some(found.dimension), expected.dimension);
    for m in &expected.modes {
        let near = found.modes.iter().map(|f| (f.exponent - m.lambda).norm()).fold(f64::INFINITY, f64::min);
        assert!(near < 1e-6 * m.omega().max(1.0), "{}: {near:e}", m.lambda);
    }
}
