//! The laboratory: exact formulations agree, drift controls differ as expected, and inapplicable trials are reported.

use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use taut::analyses::laboratory::{Ended, Extent, Figures, Finding, Laboratory, Menu, Pace, Reference, Report};
use taut::analyses::{Integrator, Transient};
use taut::drift::Drift;
use taut::formulations::{Exactness, Method, Steers};
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

fn report(model: &Model, settings: &Transient, menu: &Menu) -> Report {
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
fn figures(finding: &Finding) -> &Figures {
    assert_eq!(finding.ended, Ended::Finished, "{:?}", finding.trial);
    finding.figures.as_ref().unwrap()
}

#[track_caller]
fn error(finding: &Finding) -> f64 {
    figures(finding).error.unwrap().largest
}

#[test]
fn exact_formulations_land_on_the_same_pendulum() {
    let settings = Transient::to(2.0).every(0.05).tolerance(1e-9, 1e-9);
    let menu = Menu { formulations: Some(exact()), tolerances: Some(vec![1e-9]), ..Menu::default() };
    let found = report(&pendulum(), &settings, &menu);
    let Reference::Known { rtol, accuracy, .. } = found.reference else { panic!("{:?}", found.reference) };
    assert!(rtol == 1e-13 && accuracy < 1e-10, "{rtol:e} {accuracy:e}");
    assert_eq!(found.findings.len(), exact().len());
    for f in &found.findings {
        let figures = figures(f);
        assert!(error(f) < 1e-7, "{:?}: {:e}", f.trial, error(f));
        assert!(figures.phi < 1e-12 && figures.phidot < 1e-12 && figures.energy.largest < 1e-6, "{f:?}");
        assert!(figures.seconds > 0.0 && figures.statistics.evaluations > 100, "{f:?}");
    }
    let rank = found.rank.unwrap();
    assert_eq!((rank.rows, rank.rank, rank.freedoms), (1, 1, 2));
}

#[test]
fn exact_formulations_land_on_the_same_double_four_bar() {
    // Before the flat pose: beyond it the methods treat vanishing rows differently.
    let settings = Transient::to(0.6).every(0.02).tolerance(1e-9, 1e-9);
    let menu = Menu { formulations: Some(exact()), tolerances: Some(vec![1e-9]), ..Menu::default() };
    let found = report(&double_four_bar(), &settings, &menu);
    for f in &found.findings {
        assert!(error(f) < 1e-7, "{:?}: {:e}", f.trial, error(f));
        assert!(figures(f).phi < 1e-12 && figures(f).acceleration < 1e-6, "{f:?}");
    }
}

#[test]
fn the_baseline_drifts_and_the_projection_does_not() {
    let settings = Transient::to(20.0).every(0.05).tolerance(1e-6, 1e-6);
    let menu = Menu {
        drifts: Some(["none", "projection", "baumgarte"].map(drift).to_vec()),
        tolerances: Some(vec![1e-6]),
        ..Menu::default()
    };
    let found = report(&pendulum(), &settings, &menu);
    let [none, projection, baumgarte] = &found.findings[..] else { panic!("{:?}", found.findings) };
    let phi = |f: &Finding| figures(f).phi;
    assert!(phi(none) > 1e-8 && phi(projection) < 1e-14, "{:e} {:e}", phi(none), phi(projection));
    assert!(phi(baumgarte) < phi(none) && phi(baumgarte) > phi(projection), "{:e} {:e}", phi(baumgarte), phi(none));
}

fn drift(name: &str) -> Drift {
    Drift::named(name, Default::default(), Default::default()).unwrap()
}

#[test]
fn what_does_not_go_together_is_told() {
    let settings = Transient::to(0.02).every(0.01).tolerance(1e-6, 1e-6);
    let steers = |m: &Method| m.dense(&Default::default()).is_some_and(|d| d.steers() == Steers::Otherwise);
    let steering: Vec<Method> = Method::ALL.iter().copied().filter(steers).collect();
    assert!(!steering.is_empty());
    let menu = Menu {
        formulations: Some([vec![Method::default()], steering.clone()].concat()),
        drifts: Some(["none", "projection", "gear_gupta_leimkuhler"].map(drift).to_vec()),
        integrators: Some(vec![Integrator::Dop853, Integrator::Rk4]),
        tolerances: Some(vec![1e-6]),
        extent: Extent::Natural,
    };
    let found = report(&pendulum(), &settings, &menu);
    let both = |f: &&Finding| steering.contains(&f.trial.method) && f.trial.drift == drift("gear_gupta_leimkuhler");
    let adaptive = |f: &&Finding| f.trial.integrator == Integrator::Dop853;
    assert_eq!(found.findings.iter().filter(both).filter(adaptive).count(), steering.len());
    for f in &found.findings {
        match &f.ended {
            // No step was given.
            Ended::Inapplicable(why) if f.trial.pace == Pace::Step(None) => assert!(why.contains("fixed"), "{why}"),
            Ended::Inapplicable(why) if both(&f) => assert!(why.contains("cannot be combined"), "{why}"),
            // The model's own words.
            Ended::Inapplicable(why) => {
                assert!(f.trial.method != Method::default() && why.contains("penalty"), "{why}")
            }
            ended => assert!(*ended == Ended::Finished && adaptive(&f) && !both(&f), "{f:?}"),
        }
    }
}

#[test]
fn a_formulation_that_refuses_dependent_rows_says_so_and_the_others_run() {
    // The same rod twice.
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("mass", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .constraint("rod", Relation::rod("ground", "mass", 1.0))
        .constraint("again", Relation::rod("ground", "mass", 1.0));
    let settings = Transient::to(0.3).every(0.05).tolerance(1e-8, 1e-8);
    let menu = Menu { formulations: Some(exact()), tolerances: Some(vec![1e-8]), ..Menu::default() };
    let found = report(&spec.build().unwrap(), &settings, &menu);
    assert_eq!(found.rank.map(|r| (r.rows, r.rank)), Some((2, 1)));
    let (finished, others): (Vec<&Finding>, Vec<&Finding>) =
        found.findings.iter().partition(|f| f.ended == Ended::Finished);
    assert!(finished.iter().all(|f| error(f) < 1e-6), "{finished:?}");
    assert!(finished.iter().any(|f| f.trial.method == Method::default()));
    // Lagrange's matrix is singular there.
    assert!(others.iter().any(|f| f.trial.method == Method::Lagrange), "{others:?}");
    for f in others {
        let why = match &f.ended {
            Ended::Inapplicable(why) => why.clone(),
            Ended::Stopped(outcome) => outcome.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(why.contains("depend") || why.contains("singular") || why.contains("rank"), "{why}");
    }
}

#[test]
fn findings_do_not_depend_on_how_many_run_at_once() {
    let model = pendulum();
    let settings = Transient::to(0.5).every(0.05).tolerance(1e-7, 1e-7);
    let trials = Menu { tolerances: Some(vec![1e-5, 1e-7]), ..Menu::default() }.trials(&settings);
    let run = |jobs: usize| {
        let laboratory = Laboratory::new(&model, &model.initial_state(), &settings).unwrap().jobs(jobs);
        let mut report = laboratory.run(&trials, &|_| ControlFlow::Continue(()));
        report.jobs = 0;
        for figures in report.findings.iter_mut().filter_map(|f| f.figures.as_mut()) {
            figures.seconds = 0.0;
            figures.timing = taut::analyses::laboratory::Timing::Recorded;
        }
        report
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one, three);
    assert!(one.findings.iter().map(|f| &f.trial).eq(&trials));
}

#[test]
fn a_limit_ends_a_trial_and_a_word_from_outside_all() {
    let model = double_four_bar();
    let mut settings = Transient::to(1e4).every(10.0).tolerance(1e-8, 1e-8);
    settings.limits.wall_clock = Some(std::time::Duration::from_millis(30));
    let menu = Menu { formulations: Some(vec![Method::default()]), tolerances: Some(vec![1e-8]), ..Menu::default() };
    let found = report(&model, &settings, &menu);
    assert!(matches!(&found.findings[0].ended, Ended::Stopped(o) if o.to_string().contains("clock")), "{found:?}");
    assert!(matches!(&found.reference, Reference::Unknown { why } if why.contains("clock")), "{:?}", found.reference);
    let asked = AtomicUsize::new(0);
    let laboratory = Laboratory::new(&model, &model.initial_state(), &settings).unwrap();
    let stopped = laboratory.run(&menu.trials(&settings), &|_| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    assert!(stopped.findings.iter().all(|f| f.ended == Ended::Interrupted), "{:?}", stopped.findings);
}
