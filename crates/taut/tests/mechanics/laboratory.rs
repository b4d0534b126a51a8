//! The laboratory: exact formulations agree, drift controls differ as expected, and inapplicable trials are reported.

use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use taut::analyses::laboratory::{
    Laboratory, LaboratoryReport, ReferenceSolution, TrialMetrics, TrialOutcome, TrialResult, TrialSelection, TrialSet,
    TrialStepping,
};
use taut::analyses::{Integrator, Transient};
use taut::drift::DriftControl;
use taut::formulations::{CoordinateVelocity, Exactness, Method};
use taut::{Frame, Joint, Model, PlanarBody, PointMass, Relation, Spec};

/// Point mass on a rod, let go along the horizontal: \[Masarati2010\] §4.1.
fn pendulum() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("mass", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .constraint("rod", Relation::rod("ground", "mass", 1.0));
    spec.build().unwrap()
}

/// Problem A02 of the IFToMM library: two parallelograms in a row, which lie flat at 0.714 s for the first time.
fn double_four_bar() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0]);
    for i in 0..3 {
        let (x, rocker) = (f64::from(i), format!("rocker{i}"));
        spec.body(&rocker, PlanarBody::rod(1.0, 1.0).at([x, 0.5], FRAC_PI_2).moving([0.5, 0.0], -1.0))
            .marker(&format!("ground.{i}"), Frame::at([x, 0.0, 0.0]))
            .marker(&format!("{rocker}.a"), Frame::at([-0.5, 0.0, 0.0]))
            .marker(&format!("{rocker}.b"), Frame::at([0.5, 0.0, 0.0]))
            .constraint(&format!("foot{i}"), Joint::pin(&format!("ground.{i}"), &format!("{rocker}.a")));
    }
    for i in 0..2 {
        let coupler = format!("coupler{i}");
        spec.body(&coupler, PlanarBody::rod(1.0, 1.0).at([f64::from(i) + 0.5, 1.0], 0.0).moving([1.0, 0.0], 0.0))
            .marker(&format!("{coupler}.a"), Frame::at([-0.5, 0.0, 0.0]))
            .marker(&format!("{coupler}.b"), Frame::at([0.5, 0.0, 0.0]))
            .constraint(&format!("left{i}"), Joint::pin(&format!("rocker{i}.b"), &format!("{coupler}.a")))
            .constraint(&format!("right{i}"), Joint::pin(&format!("rocker{}.b", i + 1), &format!("{coupler}.b")));
    }
    spec.build().unwrap()
}

fn report(model: &Model, settings: &Transient, menu: &TrialSelection) -> LaboratoryReport {
    let laboratory = Laboratory::new(model, &model.initial_state(), settings).unwrap();
    laboratory.run(&menu.trials(settings), &|_| ControlFlow::Continue(()))
}

fn is_exact(method: Method) -> bool {
    method.dense(&Default::default()).is_none_or(|d| d.exactness() == Exactness::Exact)
}

fn exact() -> Vec<Method> {
    Method::ALL.iter().copied().filter(|m| is_exact(*m)).collect()
}

#[track_caller]
fn figures(finding: &TrialResult) -> &TrialMetrics {
    assert_eq!(finding.outcome, TrialOutcome::Finished, "{:?}", finding.trial);
    finding.metrics.as_ref().unwrap()
}

#[track_caller]
fn error(finding: &TrialResult) -> f64 {
    figures(finding).error.unwrap().largest
}

#[test]
fn exact_formulations_agree_on_the_pendulum() {
    let settings = Transient::to(2.0).every(0.05).tolerance(1e-9, 1e-9);
    let menu =
        TrialSelection { formulations: Some(exact()), tolerances: Some(vec![1e-9]), ..TrialSelection::default() };
    let found = report(&pendulum(), &settings, &menu);
    let ReferenceSolution::Known { rtol, accuracy, .. } = found.reference else { panic!("{:?}", found.reference) };
    assert!(rtol == 1e-13 && accuracy < 1e-10, "{rtol:e} {accuracy:e}");
    assert_eq!(found.results.len(), exact().len());
    for f in &found.results {
        let figures = figures(f);
        assert!(error(f) < 1e-7, "{:?}: {:e}", f.trial, error(f));
        assert!(figures.phi < 1e-12 && figures.phidot < 1e-12 && figures.energy.largest < 1e-6, "{f:?}");
        assert!(figures.seconds > 0.0 && figures.statistics.evaluations > 100, "{f:?}");
    }
    let rank = found.rank.unwrap();
    assert_eq!((rank.rows, rank.rank, rank.freedoms), (1, 1, 2));
}

#[test]
fn exact_formulations_agree_on_the_double_four_bar() {
    // Before the flat pose: beyond it the methods treat vanishing rows differently.
    let settings = Transient::to(0.6).every(0.02).tolerance(1e-9, 1e-9);
    let menu =
        TrialSelection { formulations: Some(exact()), tolerances: Some(vec![1e-9]), ..TrialSelection::default() };
    let found = report(&double_four_bar(), &settings, &menu);
    for f in &found.results {
        assert!(error(f) < 1e-7, "{:?}: {:e}", f.trial, error(f));
        assert!(figures(f).phi < 1e-12 && figures(f).acceleration < 1e-6, "{f:?}");
    }
}

#[test]
fn the_baseline_drifts_and_the_projection_does_not() {
    let settings = Transient::to(20.0).every(0.05).tolerance(1e-6, 1e-6);
    let menu = TrialSelection {
        drifts: Some(["none", "projection", "baumgarte"].map(drift).to_vec()),
        tolerances: Some(vec![1e-6]),
        ..TrialSelection::default()
    };
    let found = report(&pendulum(), &settings, &menu);
    let [none, projection, baumgarte] = &found.results[..] else { panic!("{:?}", found.results) };
    let phi = |f: &TrialResult| figures(f).phi;
    assert!(phi(none) > 1e-8 && phi(projection) < 1e-14, "{:e} {:e}", phi(none), phi(projection));
    assert!(phi(baumgarte) < phi(none) && phi(baumgarte) > phi(projection), "{:e} {:e}", phi(baumgarte), phi(none));
}

fn drift(name: &str) -> DriftControl {
    DriftControl::from_name(name, Default::default(), Default::default()).unwrap()
}

#[test]
fn incompatible_choices_are_reported() {
    let settings = Transient::to(0.02).every(0.01).tolerance(1e-6, 1e-6);
    let corrects = |m: &Method| {
        m.dense(&Default::default()).is_some_and(|d| d.coordinate_velocity() == CoordinateVelocity::Corrected)
    };
    let correcting: Vec<Method> = Method::ALL.iter().copied().filter(corrects).collect();
    assert!(!correcting.is_empty());
    let menu = TrialSelection {
        formulations: Some([vec![Method::default()], correcting.clone()].concat()),
        drifts: Some(["none", "projection", "gear_gupta_leimkuhler"].map(drift).to_vec()),
        integrators: Some(vec![Integrator::Dop853, Integrator::Rk4]),
        tolerances: Some(vec![1e-6]),
        set: TrialSet::Recommended,
    };
    let found = report(&pendulum(), &settings, &menu);
    let both =
        |f: &&TrialResult| correcting.contains(&f.trial.method) && f.trial.drift == drift("gear_gupta_leimkuhler");
    let adaptive = |f: &&TrialResult| f.trial.integrator == Integrator::Dop853;
    assert_eq!(found.results.iter().filter(both).filter(adaptive).count(), correcting.len());
    for f in &found.results {
        match &f.outcome {
            // No step was given.
            TrialOutcome::Inapplicable(why) if f.trial.stepping == TrialStepping::Fixed(None) => {
                assert!(why.contains("fixed"), "{why}")
            }
            TrialOutcome::Inapplicable(why) if both(&f) => assert!(why.contains("cannot be combined"), "{why}"),
            // The model's own words.
            TrialOutcome::Inapplicable(why) => {
                assert!(f.trial.method != Method::default() && why.contains("penalty"), "{why}")
            }
            ended => assert!(*ended == TrialOutcome::Finished && adaptive(&f) && !both(&f), "{f:?}"),
        }
    }
}

#[test]
fn a_formulation_that_rejects_dependent_rows_does_not_stop_the_others() {
    // The same rod twice.
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("mass", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .constraint("rod", Relation::rod("ground", "mass", 1.0))
        .constraint("again", Relation::rod("ground", "mass", 1.0));
    let settings = Transient::to(0.3).every(0.05).tolerance(1e-8, 1e-8);
    let menu =
        TrialSelection { formulations: Some(exact()), tolerances: Some(vec![1e-8]), ..TrialSelection::default() };
    let found = report(&spec.build().unwrap(), &settings, &menu);
    assert_eq!(found.rank.map(|r| (r.rows, r.rank)), Some((2, 1)));
    let (finished, others): (Vec<&TrialResult>, Vec<&TrialResult>) =
        found.results.iter().partition(|f| f.outcome == TrialOutcome::Finished);
    assert!(finished.iter().all(|f| error(f) < 1e-6), "{finished:?}");
    assert!(finished.iter().any(|f| f.trial.method == Method::default()));
    // Lagrange's matrix is singular there.
    assert!(others.iter().any(|f| f.trial.method == Method::Lagrange), "{others:?}");
    for f in others {
        let why = match &f.outcome {
            TrialOutcome::Inapplicable(why) => why.clone(),
            TrialOutcome::Stopped(outcome) => outcome.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(why.contains("depend") || why.contains("singular") || why.contains("rank"), "{why}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let model = pendulum();
    let settings = Transient::to(0.5).every(0.05).tolerance(1e-7, 1e-7);
    let trials = TrialSelection { tolerances: Some(vec![1e-5, 1e-7]), ..TrialSelection::default() }.trials(&settings);
    let run = |jobs: usize| {
        let laboratory = Laboratory::new(&model, &model.initial_state(), &settings).unwrap().jobs(jobs);
        let mut report = laboratory.run(&trials, &|_| ControlFlow::Continue(()));
        report.jobs = 0;
        for figures in report.results.iter_mut().filter_map(|f| f.metrics.as_mut()) {
            figures.seconds = 0.0;
            figures.timing = taut::analyses::laboratory::Timing::Recorded;
        }
        report
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one, three);
    assert!(one.results.iter().map(|f| &f.trial).eq(&trials));
}

#[test]
fn a_time_limit_stops_one_trial_and_an_interrupt_all() {
    let model = double_four_bar();
    let mut settings = Transient::to(1e4).every(10.0).tolerance(1e-8, 1e-8);
    settings.limits.wall_clock = Some(std::time::Duration::from_millis(30));
    let menu = TrialSelection {
        formulations: Some(vec![Method::default()]),
        tolerances: Some(vec![1e-8]),
        ..TrialSelection::default()
    };
    let found = report(&model, &settings, &menu);
    assert!(
        matches!(&found.results[0].outcome, TrialOutcome::Stopped(o) if o.to_string().contains("clock")),
        "{found:?}"
    );
    assert!(
        matches!(&found.reference, ReferenceSolution::Unknown { reason: why } if why.contains("clock")),
        "{:?}",
        found.reference
    );
    let requested = AtomicUsize::new(0);
    let laboratory = Laboratory::new(&model, &model.initial_state(), &settings).unwrap();
    let stopped = laboratory.run(&menu.trials(&settings), &|_| match requested.fetch_add(1, Ordering::Relaxed) {
        0 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    assert!(stopped.results.iter().all(|f| f.outcome == TrialOutcome::Interrupted), "{:?}", stopped.results);
}
