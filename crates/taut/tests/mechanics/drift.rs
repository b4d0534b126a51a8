//! Every drift control on the pendulum of \[Masarati2010\] §4.1, and the controls that need a mechanism of their own.
//!
//! The figures beside the bounds are of an independent program with its own step control (root of the largest component,
//! hence up to 990 steps at 1e-9 where the root mean square here makes some 700).

use taut::analyses::{AnalysisError, Integrator, Output, Transient, simulate};

use taut::drift::{DriftControl, DriftParameters, Gain, ProjectionWeight, Threshold};
use taut::dynamics::{Dynamics, SolverSettings};
use taut::{Axis, Frame, Joint, Measure, Model, PlanarBody, PointMass, Prescription, Relation, Signal, Solution, Spec};

fn pendulum() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("mass", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .constraint("rod", Relation::rod("ground", "mass", 1.0));
    spec.build().unwrap()
}

fn run(tolerance: (f64, f64), drift: DriftControl) -> Solution {
    let settings = Transient::to(10.0)
        .integrator(Integrator::DormandPrince)
        .tolerance(tolerance.0, tolerance.1)
        .largest_step(0.1)
        .first_step(0.01)
        .output(Output::Steps)
        .choice(SolverSettings { drift, ..SolverSettings::default() });
    let model = pendulum();
    simulate(&model, &model.initial_state(), &settings).unwrap()
}

fn worst(s: &Solution, column: &str) -> f64 {
    s.column(column).unwrap().iter().fold(0.0, |a, x| a.max(x.abs()))
}

/// Largest |φ|, |φ̇| and |energy|, and the steps.
fn reported(s: &Solution) -> (f64, f64, f64, u64) {
    let of = |column: &str| worst(s, column);
    (of("residual.position"), of("residual.velocity"), of("energy.balance"), s.statistics.steps)
}

const LOOSE: (f64, f64) = (1e-3, 1e-6);
const TIGHT: (f64, f64) = (1e-9, 1e-9);

#[test]
fn projection_in_the_rates_alone_meets_the_constraint_and_loses_the_energy() {
    // Reference: 102 steps, 4e-16 m, 2e-16 m/s, +1.52e-1 J; at 1e-9: 9e-13 m, 4e-16 m/s, -8.2e-7 J.
    let (phi, phidot, energy, steps) = reported(&run(LOOSE, DriftControl::RatesOnly(ProjectionWeight::Mass)));
    assert!(phi < 1e-12 && phidot < 1e-14, "{phi:e} {phidot:e}");
    assert!((0.14..0.16).contains(&energy) && (95..120).contains(&steps), "{energy} {steps}");
    let (phi, phidot, energy, _) = reported(&run(TIGHT, DriftControl::RatesOnly(ProjectionWeight::Mass)));
    assert!(phi < 1e-12 && phidot < 1e-14, "{phi:e} {phidot:e}");
    // The state that is reset as well keeps the energy some 20 to 60 times better.
    let (_, _, reset, _) = reported(&run(TIGHT, DriftControl::Projection(ProjectionWeight::Mass)));
    assert!(energy > 15.0 * reset, "{energy:e} {reset:e}");
}

#[test]
fn baumgarte_keeps_the_residual_small_but_not_zero() {
    // Reference: 1.4e-4 m, 4.1e-4 m/s, -1.8e-2 J; at 1e-9: 1.9e-10 m, 2.8e-10 m/s, -5e-8 J.
    let (phi, phidot, energy, _) = reported(&run(LOOSE, DriftControl::baumgarte(2.0, 2.0)));
    assert!((5e-5..3e-4).contains(&phi) && (1e-4..1e-3).contains(&phidot) && energy < 3e-2, "{phi} {phidot} {energy}");
    let (phi, phidot, energy, _) = reported(&run(TIGHT, DriftControl::baumgarte(2.0, 2.0)));
    assert!(phi < 1e-9 && phidot < 2e-9 && energy < 5e-7, "{phi:e} {phidot:e} {energy:e}");
}

#[test]
fn braun_and_goldfarb_with_the_step_as_gain_drives_the_steps_down() {
    // Reference: gain 10: 1.7e-4 m, 2e-3 m/s, +5e-2 J; 1404 steps at 1e-9 and 7e-11 m; with 1/h some 85 600 steps.
    let (phi, phidot, energy, _) = reported(&run(LOOSE, DriftControl::BraunGoldfarb(Gain::Fixed(10.0))));
    assert!((1e-5..3e-4).contains(&phi) && (1e-4..4e-3).contains(&phidot) && energy < 0.2, "{phi} {phidot} {energy}");
    let (_, _, _, fixed) = reported(&run(TIGHT, DriftControl::BraunGoldfarb(Gain::Fixed(10.0))));
    let (_, _, _, bare) = reported(&run(TIGHT, DriftControl::None));
    let (_, _, _, inverse) = reported(&run(TIGHT, DriftControl::BraunGoldfarb(Gain::PerStep)));
    assert!(fixed > bare && inverse > 10 * fixed, "{bare} {fixed} {inverse}");
}

#[test]
fn gear_gupta_leimkuhler_moves_the_coordinates_alone() {
    let (phi, phidot, _, _) = reported(&run(LOOSE, DriftControl::GearGuptaLeimkuhler(ProjectionWeight::Identity)));
    let (bare, _, _, _) = reported(&run(LOOSE, DriftControl::None));
    // φ no longer collects the error of v, which itself is left alone.
    assert!(phi < 0.02 * bare && phidot > 1e-4, "{phi} {phidot} {bare}");
}

#[test]
fn a_threshold_projects_only_what_exceeds_it() {
    let threshold = |above| DriftControl::Threshold(Threshold { weight: ProjectionWeight::Identity, above });
    let (phi, phidot, _, _) = reported(&run(LOOSE, threshold(1e-4)));
    assert!(phi <= 1e-4 && phidot <= 1e-4 && phi.max(phidot) > 1e-5, "{phi} {phidot}");
    // A threshold far above the drift of a tight run has no effect.
    let (a, b) = (run(TIGHT, threshold(1.0)), run(TIGHT, DriftControl::None));
    assert_eq!(a.last("mass.x"), b.last("mass.x"));
    assert!(a.statistics.resets == 0);
}

#[test]
fn the_energy_is_one_more_row() {
    for tolerance in [LOOSE, TIGHT] {
        let (phi, phidot, energy, _) = reported(&run(tolerance, DriftControl::Energy(ProjectionWeight::Mass)));
        assert!(phi < 1e-14 && phidot < 1e-14 && energy < 1e-13, "{phi:e} {phidot:e} {energy:e}");
    }
    // Not only the energy improves: the motion itself is nearer to the exact one.
    let x = 0.275_087_462_576_116_9;
    let error = |drift| (run(LOOSE, drift).last("mass.x").unwrap() - x).abs();
    assert!(
        error(DriftControl::Energy(ProjectionWeight::Mass))
            < 0.3 * error(DriftControl::Projection(ProjectionWeight::Mass))
    );
}

/// A crank driven at 7 rad/s with a pendulum at its tip: moving constraints do work.
fn driven() -> Model {
    let mut spec = Spec::new();
    let crank = PlanarBody::new(1.0, 0.1).at([0.2, 0.0], 0.0);
    let bob = PlanarBody::new(2.0, 0.05).at([0.7, 0.0], 0.0);
    spec.gravity([0.0, -9.81, 0.0])
        .body("crank", crank)
        .body("bob", bob)
        .marker("crank.foot", Frame::at([-0.2, 0.0, 0.0]))
        .marker("crank.tip", Frame::at([0.2, 0.0, 0.0]))
        .marker("bob.top", Frame::at([-0.3, 0.0, 0.0]))
        .constraint(
            "axle",
            Joint::pin("ground", "crank.foot")
                .prescribe_rotation(Prescription::Position(Signal::polynomial([0.0, 7.0]))),
        )
        .constraint("pin", Joint::pin("crank.tip", "bob.top"));
    spec.build().unwrap()
}

#[test]
fn the_energy_row_counts_the_work_of_drivers() {
    let model = driven();
    let run = |drift: DriftControl| {
        let settings = Transient::to(5.0)
            .integrator(Integrator::DormandPrince)
            .tolerance(1e-4, 1e-6)
            .output(Output::Steps)
            .choice(SolverSettings { drift, ..SolverSettings::default() });
        simulate(&model, &model.initial_state(), &settings).unwrap()
    };
    let (held, free) = (run(DriftControl::Energy(ProjectionWeight::Mass)), run(DriftControl::default()));
    // Where the velocity along the manifold vanishes there is nothing to scale; the energy is corrected a few steps later.
    let balance = held.column("energy.balance").unwrap();
    let owing = balance.iter().filter(|x| x.abs() > 1e-11).count();
    assert!(4 * owing < balance.len() && balance[balance.len() - 1].abs() < 1e-11, "{owing} of {}", balance.len());
    assert!(free.last("energy.balance").unwrap().abs() > 1e-6);
    assert!(worst(&held, "residual.velocity") < 1e-12 && worst(&held, "residual.position") < 1e-13);
}

#[test]
fn controls_are_found_by_name_and_reject_invalid_numbers() {
    for name in DriftControl::NAMES {
        let drift = DriftControl::from_name(name, ProjectionWeight::Mass, DriftParameters::default()).unwrap();
        assert_eq!(drift.name(), *name);
    }
    assert_eq!(DriftControl::from_name("nobody", ProjectionWeight::Mass, DriftParameters::default()), None);
    let model = pendulum();
    let wrong = [
        DriftControl::baumgarte(f64::NAN, 1.0),
        DriftControl::BraunGoldfarb(Gain::Fixed(-1.0)),
        DriftControl::Threshold(Threshold { weight: ProjectionWeight::Mass, above: -1e-3 }),
    ];
    for drift in wrong {
        let settings = Transient::to(1.0).choice(SolverSettings { drift: drift.clone(), ..SolverSettings::default() });
        let found = simulate(&model, &model.initial_state(), &settings);
        assert!(matches!(found, Err(AnalysisError::Setting { .. })), "{drift:?}: {found:?}");
    }
}

#[test]
fn a_fixed_step_too_large_for_the_control_is_reported() {
    let model = pendulum();
    let run = |alpha: f64| {
        let settings = Transient::to(0.1)
            .integrator(Integrator::Rk4)
            .first_step(0.01)
            .choice(SolverSettings { drift: DriftControl::baumgarte(alpha, alpha), ..SolverSettings::default() });
        let mut warnings = simulate(&model, &model.initial_state(), &settings).unwrap().warnings;
        // The audit reports the drift itself, which is large near the stability bound.
        warnings.retain(|w| !w.message.contains("drift apart") && !w.message.contains("energy"));
        warnings
    };
    // RK4 is stable up to h α = 2.785.
    assert!(run(270.0).is_empty(), "{:?}", run(270.0));
    let warnings = run(300.0);
    assert!(warnings.len() == 1 && warnings[0].message.contains("needs one below 9.28e-3 s"), "{warnings:?}");
}

#[test]
fn the_residual_of_the_velocity_is_that_of_the_state_and_not_zero() {
    // Off the manifold: φ = r − 1, φ̇ = n·v, φ̈ = n·v̇ + (v² − φ̇²)/r with n the direction of the rod.
    let (x, z, vx, vz, gravity) = (0.7_f64, -0.8_f64, 2.0, 0.5, 9.81);
    let r = x.hypot(z);
    let (nx, nz) = (x / r, z / r);
    let (phi, phidot) = (r - 1.0, nx * vx + nz * vz);
    let convective = (vx * vx + vz * vz - phidot * phidot) / r;
    let model = pendulum();
    let rates = |drift: DriftControl| {
        let mut rates = [0.0; 6];
        let mut dynamics = Dynamics::new(&model, &SolverSettings { drift, ..SolverSettings::default() });
        dynamics.rates(0.0, &[x, 0.0, z, vx, 0.0, vz], &mut rates).unwrap();
        rates
    };
    let along = |v: &[f64]| nx * v[0] + nz * v[2];
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    let (alpha, beta, gain) = (2.0, 3.0, 10.0);
    let baumgarte = rates(DriftControl::baumgarte(alpha, beta));
    close(along(&baumgarte[3..]) + convective, -2.0 * alpha * phidot - beta * beta * phi);
    close(nx * baumgarte[5] - nz * baumgarte[3], -nx * gravity);
    let braun = rates(DriftControl::BraunGoldfarb(Gain::Fixed(gain)));
    close(along(&braun[3..]) + convective, -gain * phidot);
    close(along(&braun[..3]), -gain * phi);
    let steered = rates(DriftControl::GearGuptaLeimkuhler(ProjectionWeight::Mass));
    close(along(&steered[3..]) + convective, 0.0);
    close(along(&steered[..3]), 0.0);
}

/// A rod with its ends on two crossed lines, and its middle tied to their crossing: that tie follows from the lines, but
/// only where they are met.
fn tied_trammel() -> Model {
    let mut spec = Spec::new();
    let (x, y) = (0.6, 0.8);
    spec.gravity([0.0, -9.81, 0.0])
        .body("bar", PlanarBody::rod(1.0, 2.0).at([x, y], (-y).atan2(x)))
        .marker("bar.foot", Frame::at([1.0, 0.0, 0.0]))
        .marker("bar.head", Frame::at([-1.0, 0.0, 0.0]))
        .constraint("floor", Relation::new(vec![(1.0, Measure::slide_along("ground", "bar.foot", Axis::Y))]))
        .constraint("wall", Relation::new(vec![(1.0, Measure::slide_along("ground", "bar.head", Axis::X))]))
        .constraint("tie", Relation::rod("ground", "bar", 1.0));
    spec.build().unwrap()
}

#[test]
fn rows_dependent_on_the_manifold_alone_are_best_met_thoroughly() {
    let model = tied_trammel();
    let run = |drift: DriftControl| {
        let settings =
            Transient::to(3.0).tolerance(1e-10, 1e-10).choice(SolverSettings { drift, ..SolverSettings::default() });
        simulate(&model, &model.initial_state(), &settings).unwrap()
    };
    let (usual, thorough) = (run(DriftControl::default()), run(DriftControl::FullProjection(ProjectionWeight::Mass)));
    let (usual_energy, energy) = (reported(&usual).2, reported(&thorough).2);
    // The usual projection weights the rows, which contradict each other off the manifold, as they are written.
    assert!(energy < 1e-8 && energy < 0.5 * usual_energy, "energy: {energy:e} and {usual_energy:e}");
    // The motion itself is the same.
    assert!((usual.last("bar.x").unwrap() - thorough.last("bar.x").unwrap()).abs() < 1e-6);
}

#[test]
fn a_fixed_step_beyond_stability_is_no_success() {
    let model = pendulum();
    let settings = Transient::to(2.0)
        .integrator(Integrator::Rk4)
        .first_step(0.01)
        .choice(SolverSettings { drift: DriftControl::baumgarte(500.0, 500.0), ..SolverSettings::default() });
    let found = simulate(&model, &model.initial_state(), &settings).unwrap();
    assert!(!found.outcome.is_success() && found.outcome.to_string().contains("body `mass`"), "{}", found.outcome);
    assert!(found.warnings.iter().any(|w| w.message.contains("will be unstable")));
}
