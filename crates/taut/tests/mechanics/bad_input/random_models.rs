//! Random models: every analysis returns in time and without a panic.

use super::{INF, NAN};
use proptest::prelude::*;
use std::sync::mpsc;
use std::time::Duration;
use taut::analyses::{
    AssemblySettings, InitialConditions, Limits, Transient, assemble, doctor, inverse, kinematic, rank, simulate,
};
use taut::bodies::BodyKind;
use taut::constraints::ConstraintKind;
use taut::forces::{Applied, Bushing, ForceKind, Spring};
use taut::signals::ForceLaw;
use taut::{
    Formula, FormulaForce, Frame, Joint, KnifeEdge, Measure, Orientation, PlanarBody, PointMass, Prescription,
    Relation, RigidBody, Rolling, Signal, Spec,
};

/// Mostly ordinary numbers, now and then one that is not.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        60 => -2.0..2.0f64,
        2 => Just(0.0),
        1 => prop::sample::select(vec![
            NAN, INF, -INF, 1e300, -1e300, 1e155, 1e-300, 1e-160, 1e12, -1e12, f64::MIN_POSITIVE, f64::MAX, 5e-324,
        ]),
    ]
}

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![50 => 0.1..3.0f64, 2 => Just(1.0), 1 => number()]
}

fn triple() -> impl Strategy<Value = [f64; 3]> {
    [number(), number(), number()]
}

fn body() -> impl Strategy<Value = BodyKind> {
    prop_oneof![
        (positive(), triple(), triple()).prop_map(|(m, p, v)| PointMass::new(m, p).moving(v).into()),
        (positive(), positive(), triple(), triple(), number()).prop_map(|(m, j, p, v, c)| {
            PlanarBody::new(m, j).com([c, 0.1]).at([p[0], p[1]], p[2]).moving([v[0], v[1]], v[2]).into()
        }),
        (positive(), positive(), triple(), triple(), triple(), number()).prop_map(|(m, j, p, r, w, c)| {
            RigidBody::new(m, [j, j, 1.1 * j])
                .com([0.0, c, 0.0])
                .at(p)
                .oriented(Orientation::RotationVector(r))
                .moving([0.0; 3], w)
                .into()
        }),
    ]
}

/// Names that mostly exist.
fn place() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just("ground".to_string()),
        12 => (0..3usize).prop_map(|b| format!("b{b}")),
        12 => (0..3usize).prop_map(|b| format!("b{b}.m")),
        1 => Just("b0.x".to_string()),
        1 => Just("nowhere".to_string()),
    ]
}

fn signal() -> impl Strategy<Value = Signal> {
    prop_oneof![
        number().prop_map(Signal::constant),
        triple().prop_map(|c| Signal::polynomial(c.to_vec())),
        triple().prop_map(|[a, w, p]| Signal::harmonic(a, w, p)),
        triple().prop_map(|[a, b, c]| Signal::smooth_step(a, a + b.abs(), b, c)),
        Just(Signal::expression("1/t").unwrap()),
        Just(Signal::expression("sqrt(t - 0.005)").unwrap()),
    ]
}

fn hold() -> impl Strategy<Value = Prescription> {
    prop_oneof![
        4 => Just(Prescription::Fixed),
        1 => Just(Prescription::Free),
        1 => signal().prop_map(Prescription::Position),
        1 => signal().prop_map(Prescription::Velocity),
        1 => signal().prop_map(Prescription::Acceleration),
    ]
}

fn measure() -> impl Strategy<Value = Measure> {
    prop_oneof![
        (place(), place()).prop_map(|(a, b)| Measure::distance(&a, &b)),
        (place(), place()).prop_map(|(a, b)| Measure::slide(&a, &b)),
        (place(), place()).prop_map(|(a, b)| Measure::angle(&a, &b)),
        (0..3usize, prop::sample::select(vec!["x", "y", "theta", "qw"]))
            .prop_map(|(b, c)| Measure::coordinate(&format!("b{b}.{c}"))),
    ]
}

fn constraint() -> impl Strategy<Value = ConstraintKind> {
    let makers: Vec<fn(&str, &str) -> Joint> = vec![
        Joint::fixed,
        Joint::revolute,
        Joint::prismatic,
        Joint::cylindrical,
        Joint::spherical,
        Joint::universal,
        Joint::constant_velocity,
        Joint::planar,
        Joint::pin,
        Joint::slider,
        Joint::slot,
    ];
    prop_oneof![
        6 => (prop::sample::select(makers), place(), place()).prop_map(|(make, a, b)| make(&a, &b).into()),
        2 => (place(), place(), hold(), 0..3usize)
            .prop_map(|(a, b, h, i)| Joint::spherical(&a, &b).prescribe_translation(i, h).into()),
        2 => (place(), place(), hold()).prop_map(|(a, b, h)| Joint::revolute(&a, &b).prescribe_rotation(h).into()),
        2 => (place(), place(), positive()).prop_map(|(a, b, l)| Relation::rod(&a, &b, l).into()),
        2 => (measure(), measure(), number(), hold())
            .prop_map(|(m, n, k, h)| Relation::new(vec![(1.0, m), (k, n)]).follows(h).into()),
        1 => (place(), place()).prop_map(|(a, b)| KnifeEdge::new(&a, &b).into()),
        1 => (place(), place()).prop_map(|(a, b)| Formula::phi(&format!("{a}.x*{b}.y - 1/{a}.y + t")).unwrap().into()),
        1 => (place(), place()).prop_map(|(a, b)| Formula::psi(&format!("{a}.vx - sqrt({b}.vy)")).unwrap().into()),
        1 => (place(), place(), positive()).prop_map(|(a, b, r)| Rolling::sphere(&a, &b, r).into()),
        1 => (place(), place(), positive()).prop_map(|(a, b, r)| Rolling::disc(&a, &b, r).into()),
    ]
}

fn force() -> impl Strategy<Value = ForceKind> {
    prop_oneof![
        (place(), [signal(), signal(), signal()]).prop_map(|(a, s)| Applied::force(&a, s).into()),
        (measure(), triple()).prop_map(|(m, [k, c, r])| Spring::new(m, ForceLaw::linear(k, c, r)).into()),
        (measure(), place()).prop_map(|(m, a)| FormulaForce::new(m, &format!("-s/{a}.x - rate")).unwrap().into()),
        measure().prop_map(|m| Spring::new(m, ForceLaw::expression("-1/s + sqrt(rate) + ln(t)").unwrap()).into()),
        (place(), place(), positive(), number()).prop_map(|(a, b, k, c)| Bushing::diagonal(
            &a,
            &b,
            [k; 6],
            [c, c, 0.0, 0.0, c, 0.0]
        )
        .into()),
    ]
}

fn spec() -> impl Strategy<Value = Spec> {
    (
        prop_oneof![10 => Just([0.0, -9.81, 0.0]), 1 => triple()],
        prop::collection::vec(body(), 1..=3),
        prop::collection::vec(triple(), 3),
        prop::collection::vec(constraint(), 0..=4),
        prop::collection::vec(force(), 0..=2),
        prop::collection::vec(measure(), 0..=1),
    )
        .prop_map(|(g, bodies, frames, constraints, forces, measures)| {
            let mut spec = Spec::new();
            spec.gravity(g);
            for (i, (b, at)) in bodies.into_iter().zip(frames).enumerate() {
                spec.body(&format!("b{i}"), b).marker(&format!("b{i}.m"), Frame::at(at));
            }
            constraints.into_iter().enumerate().for_each(|(i, c)| _ = spec.constraint(&format!("c{i}"), c));
            forces.into_iter().enumerate().for_each(|(i, f)| _ = spec.force(&format!("f{i}"), f));
            measures.into_iter().enumerate().for_each(|(i, m)| _ = spec.measure(&format!("s{i}"), m));
            spec
        })
}

/// Runs every analysis on a specification; an error is a valid answer.
fn run_every_analysis(spec: &Spec) -> &'static str {
    let model = match spec.build() {
        Ok(model) => model,
        Err(e) => {
            assert!(!e.to_string().is_empty());
            return "refused";
        }
    };
    let start = model.initial_state();
    let _ = rank(&model, &start).map_err(|e| e.to_string());
    match doctor(&model, &start) {
        Ok(found) => {
            assert!(!found.to_string().is_empty());
            let sum: usize = found.dependent.iter().map(|s| s.redundant).sum();
            assert_eq!(found.here.map(|c| c.redundant), Some(sum), "{found}");
        }
        Err(e) => assert!(!e.to_string().is_empty()),
    }
    let _ = assemble(&model, &start, &AssemblySettings::default()).map_err(|e| e.to_string());
    let _ = inverse(&model, &start, &vec![1.0; model.sizes.v]).map_err(|e| e.to_string());
    let _ = kinematic(&model, &start, &[0.0, 0.01]).map_err(|e| e.to_string());
    let limits = Limits { max_steps: Some(200), wall_clock: Some(Duration::from_secs(5)) };
    let mut seen = "not assembled";
    for start_as in [InitialConditions::Assemble, InitialConditions::AsGiven] {
        let settings = Transient::to(0.01).every(0.002).limits(limits).start(start_as);
        match simulate(&model, &start, &settings) {
            Ok(s) => {
                assert!(!s.outcome.to_string().is_empty());
                seen = if s.outcome.is_success() { "ran" } else { "stopped" };
            }
            Err(e) => assert!(!e.to_string().is_empty()),
        }
    }
    seen
}

/// What must not happen.
pub(super) enum Trouble {
    Hangs,
    Panics(String),
}

/// Runs a case in its own thread, so that a hanging case is detected and shown.
pub(super) fn within(limit: Duration, spec: &Spec) -> Result<&'static str, Trouble> {
    let (send, receive) = mpsc::channel();
    let own = spec.clone();
    let worker = std::thread::spawn(move || {
        let seen = run_every_analysis(&own);
        let _ = send.send(seen);
    });
    match receive.recv_timeout(limit) {
        Ok(seen) => Ok(seen),
        Err(mpsc::RecvTimeoutError::Timeout) => Err(Trouble::Hangs),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let why = worker.join().expect_err("it ended without an answer");
            let text = why.downcast_ref::<String>().cloned();
            Err(Trouble::Panics(text.or_else(|| why.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default()))
        }
    }
}

#[test]
fn random_models_neither_panic_nor_hang() {
    use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
    use std::collections::BTreeMap;
    // The same cases every time, unless these variables are set: TAUT_FUZZ_CASES=100000 TAUT_FUZZ_SEED=7.
    let given = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u32>().ok());
    let cases = given("TAUT_FUZZ_CASES").unwrap_or(2000);
    let mut seed = [0; 32];
    seed[..4].copy_from_slice(&given("TAUT_FUZZ_SEED").unwrap_or(0).to_le_bytes());
    let mut config = ProptestConfig::with_cases(cases);
    config.failure_persistence = None;
    config.max_shrink_iters = 200;
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let counts = std::cell::RefCell::new(BTreeMap::<&str, u32>::new());
    let hangs = std::cell::RefCell::new(None);
    let result = runner.run(&spec(), |spec| {
        // A hanging case is not shrunk, because every attempt would wait again.
        if hangs.borrow().is_some() {
            return Ok(());
        }
        match within(Duration::from_secs(60), &spec) {
            Ok(seen) => *counts.borrow_mut().entry(seen).or_default() += 1,
            Err(Trouble::Hangs) => *hangs.borrow_mut() = Some(format!("{spec:#?}")),
            Err(Trouble::Panics(why)) => return Err(TestCaseError::fail(why)),
        }
        Ok(())
    });
    if let Some(spec) = hangs.into_inner() {
        panic!("this hangs: {spec}");
    }
    if let Err(e) = result {
        panic!("{e}");
    }
    let counts = counts.into_inner();
    // The test must be meaningful: a good part of the cases builds and runs.
    assert!(counts.get("ran").is_some_and(|n| *n > cases / 20), "{counts:?}");
}
