//! Contradictory constraints: the run stops, or continues with the least-squares solution in either weighting.

use taut::analyses::{AnalysisError, Transient, simulate};
use taut::drift::{DriftControl, ProjectionWeight};
use taut::dynamics::{Inconsistent, RowWeighting, SolverSettings};
use taut::formulations::Method;
use taut::{ColumnFamily, Columns, Measure, Model, PointMass, Prescription, Relation, Signal, Solution, Spec, Verdict};

/// A mass of 2 kg whose height is prescribed twice, the second time in another unit: z = 0.1 m and f z = 0.2 f m.
fn twice(factor: f64) -> Model {
    let z = || Measure::coordinate("mass.z");
    let row =
        |k: f64, at: f64| Relation::new(vec![(k, z())]).follows(Prescription::Position(Signal::Constant { value: at }));
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("mass", PointMass::new(2.0, [0.0, 0.0, 0.13]).moving([0.5, 0.0, 0.0]))
        .constraint("one", row(1.0, 0.1))
        .constraint("other", row(factor, 0.2 * factor));
    spec.build().unwrap()
}

fn choice(method: Method, row_weighting: RowWeighting) -> SolverSettings {
    SolverSettings { method, row_weighting, inconsistent: Inconsistent::LeastSquares, ..SolverSettings::default() }
}

fn run(model: &Model, choice: SolverSettings) -> Solution {
    simulate(model, &model.initial_state(), &Transient::to(1.0).every(0.1).choice(choice)).unwrap()
}

#[test]
fn a_contradiction_stops_the_run_by_default() {
    let model = twice(3.0);
    let error = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap_err();
    assert!(matches!(error, AnalysisError::CannotAssemble(_)), "{error}");
    assert!(error.to_string().contains("`other."), "{error}");
}

#[test]
fn every_formulation_finds_the_same_least_squares() {
    // Rows as written minimise (z − 0.1)² + 9 (z − 0.2)²; scaled rows have equal weights.
    for (weighting, z) in [(RowWeighting::AsWritten, 1.9 / 10.0), (RowWeighting::Scaled, 0.15)] {
        let residual = (z - 0.1_f64).abs().max(3.0 * (z - 0.2_f64).abs());
        for method in [
            Method::ConstraintForce,
            Method::UdwadiaKalabaSpectral,
            Method::Cholesky,
            Method::Regularised,
            Method::NullSpace,
        ] {
            let s = run(&twice(3.0), choice(method, weighting));
            assert!(s.outcome.is_success(), "{method}: {:?}", s.outcome);
            let name = format!("{method} {weighting:?}");
            assert!((s.last("mass.z").unwrap() - z).abs() < 1e-10, "{name}: {}", s.last("mass.z").unwrap());
            assert!((s.last("mass.x").unwrap() - 0.5).abs() < 1e-10, "{name}");
            assert!((s.last("residual.position").unwrap() - residual).abs() < 1e-10, "{name}");
            // Both rows together carry the weight.
            let carried = s.last("one.lambda_relation").unwrap() + 3.0 * s.last("other.lambda_relation").unwrap();
            assert!((carried - 2.0 * 9.81).abs() < 1e-9, "{name}: {carried}");
            let said = s.warnings.iter().any(|w| w.message.contains("contradict each other in their positions"));
            assert!(said, "{name}: {:?}", s.warnings);
        }
    }
}

#[test]
fn contradictory_velocities_have_least_squares_too() {
    let z = || Measure::coordinate("mass.z");
    let row = |k: f64, rate: f64| {
        Relation::new(vec![(k, z())]).follows(Prescription::Velocity(Signal::Constant { value: rate }))
    };
    let mut spec = Spec::new();
    spec.body("mass", PointMass::new(2.0, [0.0; 3]))
        .constraint("one", row(1.0, 1.0))
        .constraint("other", row(2.0, 4.0));
    let model = spec.build().unwrap();
    assert!(simulate(&model, &model.initial_state(), &Transient::to(1.0)).is_err());
    let settings = Transient::to(1.0).choice(choice(Method::ConstraintForce, RowWeighting::AsWritten));
    let s = simulate(&model, &model.initial_state(), &settings).unwrap();
    // (v − 1)² + (2 v − 4)² is least at v = 9/5.
    assert!((s.last("mass.vz").unwrap() - 1.8).abs() < 1e-10, "{}", s.last("mass.vz").unwrap());
    assert!((s.last("mass.z").unwrap() - 1.8).abs() < 1e-9, "{}", s.last("mass.z").unwrap());
    assert!((s.last("residual.velocity").unwrap() - 0.8).abs() < 1e-10);
}

#[test]
fn consistent_models_do_not_notice() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("mass", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .constraint("rod", Relation::rod("ground", "mass", 1.0));
    let model = spec.build().unwrap();
    let plain = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap();
    let settings = Transient::to(1.0).choice(choice(Method::ConstraintForce, RowWeighting::AsWritten));
    let least = simulate(&model, &model.initial_state(), &settings).unwrap();
    assert!((plain.last("mass.x").unwrap() - least.last("mass.x").unwrap()).abs() < 1e-12);
    assert!(least.warnings.is_empty() && least.verdict == Some(Verdict::Sound), "{:?}", least.warnings);
}

#[test]
fn corrections_are_columns() {
    // A pendulum at a rough tolerance: the state of the integrator leaves the circle, the recorded one does not.
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("mass", PointMass::new(3.0, [1.0, 0.0, 0.0]))
        .constraint("rod", Relation::rod("ground", "mass", 1.0));
    let model = spec.build().unwrap();
    let families = vec![ColumnFamily::State, ColumnFamily::Multipliers, ColumnFamily::Corrections];
    let mut all = Vec::new();
    for weight in [ProjectionWeight::Mass, ProjectionWeight::Identity] {
        let drift = DriftControl::RatesOnly(weight);
        let settings = Transient::to(1.0)
            .every(0.1)
            .tolerance(1e-4, 1e-4)
            .columns(Columns::Only(families.clone()))
            .choice(SolverSettings { drift, ..SolverSettings::default() });
        let s = simulate(&model, &model.initial_state(), &settings).unwrap();
        let largest = |name: &str| s.column(name).unwrap().iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        assert!(largest("rod.mu_relation") > 1e-9 && largest("rod.nu_relation") > 1e-9, "no drift to correct");
        // One row of unit gradient: Gauss' function is λ²/2m, and that of the velocity μ²/2w.
        for i in 0..s.len() {
            let lambda = s.column("rod.lambda_relation").unwrap()[i];
            let gaussian = s.column("gaussian").unwrap()[i];
            assert!((gaussian - lambda * lambda / 6.0).abs() <= 1e-9 * gaussian.abs().max(1.0), "{gaussian}");
        }
        all.push((largest("rod.mu_relation"), largest("gaussian.velocity"), largest("rod.nu_relation")));
    }
    let [(mu_m, g_m, nu_m), (mu_i, g_i, nu_i)] = all[..] else { unreachable!() };
    // Both norms correct along the same line: δ = μ/m with W = M and μ with W = I.
    assert!((mu_m / mu_i - 3.0).abs() < 1e-6 && (nu_m / nu_i - 3.0).abs() < 1e-3, "{mu_m} {mu_i} {nu_m} {nu_i}");
    assert!((g_m / (mu_m * mu_m / 6.0) - 1.0).abs() < 1e-6 && (g_i / (mu_i * mu_i / 2.0) - 1.0).abs() < 1e-6);
}
