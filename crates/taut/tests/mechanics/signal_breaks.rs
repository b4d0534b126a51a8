//! Inputs that are not smooth: their breaks, their values between and beyond their points, and rejected input.

use taut::analyses::{AnalysisError, Transient, simulate};
use taut::constraints::ElementInput;
use taut::forces::{Applied, Cable, FormulaForce, Spring};
use taut::motion::{Motion, Vec3};
use taut::signals::{Characteristic, Extrapolation, ForceLaw, Interpolation, TableLaw, TableSignal};
use taut::{BreakSearch, GuardedElement};
use taut::{
    Cause, Controller, Coupling, Formula, Joint, Measure, Model, Motor, Outcome, PlanarBody, PointMass, Prescription,
};
use taut::{MinimumDistance, Relation, Rope, Severity, Signal, Solution, Spec, Stop, Trigger, Warning};

fn mass() -> Spec {
    let mut spec = Spec::new();
    spec.body("m", PointMass::new(1.0, [0.0; 3]));
    spec
}

fn x() -> Measure {
    Measure::coordinate("m.x")
}

fn formula(text: &str) -> Signal {
    Signal::expression(text).unwrap()
}

fn table(t: &[f64], y: &[f64], extrapolation: Extrapolation) -> Signal {
    Signal::Table(TableSignal::new(t.to_vec(), y.to_vec(), Interpolation::Linear, extrapolation).unwrap())
}

fn all_breaks(model: &Model, from: f64, to: f64) -> Vec<f64> {
    let (mut search, mut t, mut found) = (BreakSearch::new(from, to), from, Vec::new());
    while let Some(next) = search.next(model, t) {
        assert!(next.after > next.before && next.before >= t);
        found.push(next.before);
        t = next.after;
    }
    found
}

fn run(model: &Model, to: f64) -> Solution {
    simulate(model, &model.initial_state(), &Transient::to(to).every(0.25)).unwrap()
}

/// Every element that takes a function of time reports its breaks.
#[test]
fn every_signal_reports_its_breaks() {
    let late = || formula("if_pos(t - 2, 0.5, 1)");
    let models: Vec<(&str, Spec)> = {
        let mut all = Vec::new();
        let mut add = |name, f: &dyn Fn(&mut Spec) -> &mut Spec| {
            let mut spec = mass();
            spec.body("p", PlanarBody::new(1.0, 1.0));
            f(&mut spec);
            all.push((name, spec));
        };
        add("load", &|s| s.force("f", Applied::on_coordinate("m.x", late())));
        add("applied", &|s| s.force("f", Applied::torque("p", [0.0.into(), 0.0.into(), late()])));
        add("actuator", &|s| s.force("f", Spring::actuator(x(), late())));
        add("law", &|s| s.force("f", Spring::new(x(), ForceLaw::expression("-s*if_pos(t - 2, 0.5, 1)").unwrap())));
        add("formula force", &|s| s.force("f", FormulaForce::new(x(), "-m.x*if_pos(t - 2, 0.5, 1)").unwrap()));
        add("motor", &|s| s.force("f", Motor::new(x(), 1.0, 1.0).command(late(), Default::default())));
        add("controller", &|s| s.force("f", Controller::new(x(), "r - s").signal("r", late())));
        add("output", &|s| s.force("f", Controller::new(x(), "if_pos(t - 2, 0, s)")));
        add("state", &|s| s.force("f", Controller::new(x(), "w").state("w", "if_pos(t - 2, 0, 1)", 0.0)));
        add("joint", &|s| {
            s.constraint("c", Joint::slider("ground", "p").prescribe_translation(0, Prescription::Velocity(late())))
        });
        add("driver", &|s| s.constraint("c", Relation::driver(x(), Prescription::Acceleration(late()))));
        add("rope", &|s| s.constraint("c", Rope::new(&["ground", "m"], formula("2 + max(t - 2, 0)"))));
        add("separator", &|s| s.constraint("c", MinimumDistance::new("ground", "m", formula("abs(t - 2)"))));
        add("stop", &|s| s.constraint("c", Stop::upper(x(), formula("5 - max(0, t - 2)"))));
        add("brake", &|s| s.constraint("c", Coupling::brake(x(), late())));
        add("clutch velocity", &|s| s.constraint("c", Coupling::actuator(x(), late(), -1.0, 1.0)));
        add("phi", &|s| s.constraint("c", Formula::phi("m.x - max(0, t - 2)").unwrap()));
        add("psi", &|s| s.constraint("c", Formula::psi("m.vx - step(t, 2, 0, 2, 1)").unwrap()));
        all
    };
    for (name, spec) in models {
        let found = all_breaks(&spec.build().unwrap(), 0.0, 5.0);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert!((found[0] - 2.0).abs() < 1e-14, "{name}: {found:?}");
    }
}

#[test]
fn many_breaks_of_a_long_run_come_window_by_window() {
    let mut spec = mass();
    spec.force("f", Applied::on_coordinate("m.x", formula("sign(sin(50*t))")));
    let model = spec.build().unwrap();
    let start = std::time::Instant::now();
    let found = all_breaks(&model, 0.001, 1000.0);
    assert_eq!(found.len(), 15915);
    assert!(start.elapsed().as_secs_f64() < 20.0);
}

#[test]
fn an_abandoned_break_search_names_the_element() {
    let mut spec = mass();
    spec.force("wild", Applied::on_coordinate("m.x", formula("abs(sin(1/t))")));
    let model = spec.build().unwrap();
    let mut search = BreakSearch::new(1e-12, 1.0);
    _ = search.next(&model, 1e-12);
    assert_eq!(search.incomplete(), ["wild"]);
}

#[test]
fn conditions_with_states_are_guards() {
    let mut spec = mass();
    let curve =
        |x: Vec<f64>, f: Vec<f64>| Characteristic::new(x, f, Interpolation::Linear, Extrapolation::Linear).unwrap();
    let play = curve(vec![0.0, 0.01, 0.02, 0.03], vec![0.0, 0.0, 0.0, 1000.0]);
    spec.force("switch", FormulaForce::new(x(), "if_pos(sin(50*t) - m.x, 1, 0)").unwrap())
        .force("stop", Spring::new(x(), ForceLaw::Table(TableLaw { elastic: Some(play), viscous: None, rest: 0.5 })))
        .force("pid", Controller::new(x(), "-s").within(-1.0, 2.0))
        .force("motor", Motor::new(x(), 1.0, 1.0).within(-3.0, 3.0))
        .force("line", Cable::new("ground", "m", 10.0, 1.0))
        .force("plain", FormulaForce::new(x(), "-m.x").unwrap());
    let model = spec.build().unwrap();
    let found: Vec<(GuardedElement, usize)> = model.guarded_elements();
    assert_eq!(found, [(0, 1), (1, 1), (2, 2), (3, 2), (4, 1)].map(|(f, n)| (GuardedElement::Force(f), n)));
    let guard = |f: usize, i: usize, x: f64, t: f64| {
        let motions: Vec<Motion> = model
            .markers
            .iter()
            .map(|m| if m.body.is_some() { Motion { p: Vec3::new(x, 0.0, 0.0), ..Motion::REST } } else { Motion::REST })
            .collect();
        let view = ElementInput::new(t, &motions, &model.forces[f].markers, &[]);
        model.forces[f].kind.force().guard(&view, i)
    };
    assert_eq!(guard(0, 0, 0.25, 0.0), -0.25);
    // Points of the table at 0.5, 0.51, 0.52, 0.53: the guard passes zero at each of them.
    let signs = [0.49, 0.505, 0.515, 0.525, 0.54].map(|x| guard(1, 0, x, 0.0).signum());
    assert_eq!(signs, [-1.0, 1.0, -1.0, 1.0, -1.0]);
    assert_eq!((guard(2, 0, 1.5, 0.0), guard(2, 1, 1.5, 0.0)), (-0.5, -3.5));
    assert_eq!((guard(4, 0, 1.5, 0.0), guard(4, 0, 0.5, 0.0)), (0.5, -0.5));
}

/// A triangle of three points was once interpolated by a spline: 137.5 N at 1.25 s.
#[test]
fn triangle_table() {
    let triangle = Signal::table([0.0, 2.5, 5.0], [0.0, 200.0, 0.0]).unwrap();
    assert_eq!([1.25, 2.5, 3.75, 6.0].map(|t| triangle.at(t).f), [100.0, 200.0, 100.0, 0.0]);
    // ∫ f dt: 62.5 up to 1.25 s, 500 in all.
    let mut spec = mass();
    spec.force("f", Applied::on_coordinate("m.x", triangle));
    let s = run(&spec.build().unwrap(), 10.0);
    let vx = s.column("m.vx").unwrap();
    assert!((vx[5] - 62.5).abs() < 1e-9 && (vx[40] - 500.0).abs() < 1e-9, "{} {}", vx[5], vx[40]);
}

/// A bump stop with free play pushed and pulled inside the play: −25 and +75 N.
#[test]
fn free_play_table() {
    let law: ForceLaw =
        serde_json::from_str(r#"{"type": "table", "elastic": {"x": [0, 0.01, 0.02, 0.03], "force": [0, 0, 0, 1000]}}"#)
            .unwrap();
    for s in [0.0, 0.005, 0.01, 0.015, 0.02] {
        assert_eq!(law.force(s, 0.0, 0.0), 0.0);
    }
    assert!((law.force(0.025, 0.0, 0.0) + 500.0).abs() < 1e-9);
    assert_eq!(law.stored_energy(0.02), Some(0.0));
}

/// A short pulse as a table once caused spline overshoot of a thousand times its height: 6e8 J.
#[test]
fn spline_overshoot() {
    let pulse =
        table(&[0.0, 1.0, 1.0005, 1.001, 1.002, 5.0], &[0.0, 0.0, 1000.0, 1000.0, 0.0, 0.0], Extrapolation::Hold);
    let most = (0..50_000).map(|k| pulse.at(1e-4 * f64::from(k)).f.abs()).fold(0.0, f64::max);
    assert!(most <= 1000.0, "{most}");
    // ∫ f dt = 0.25 + 0.5 + 0.5
    let mut spec = mass();
    spec.force("f", Applied::on_coordinate("m.x", pulse));
    let s = run(&spec.build().unwrap(), 5.0);
    let vx = s.column("m.vx").unwrap();
    assert!((vx[20] - 1.25).abs() < 1e-9, "{}", vx[20]);
}

/// Beyond its last point a driver once stopped without a warning.
#[test]
fn table_driver_ends() {
    let driven = |extrapolation| {
        let mut spec = Spec::new();
        let position = table(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 0.0, 0.0], extrapolation);
        spec.body("m", PlanarBody::new(1.0, 1.0))
            .constraint("s", Joint::slider("ground", "m").prescribe_translation(0, Prescription::Position(position)));
        spec.build().unwrap()
    };
    let s = run(&driven(Extrapolation::Hold), 4.0);
    let reported = s.warnings.iter().find(|w| w.message.contains("beyond the end of its table at 3"));
    assert!(
        reported.is_some_and(|w| w.message.contains("`s`") && w.element.as_deref() == Some("s")),
        "{:?}",
        s.warnings
    );
    assert!(run(&driven(Extrapolation::Hold), 3.0).warnings.is_empty());

    let s = run(&driven(Extrapolation::Error), 4.0);
    let Outcome::NotFinite { t, cause: Cause::Table { name, end } } = &s.outcome else { panic!("{}", s.outcome) };
    assert_eq!((name.as_str(), *end), ("s", 3.0));
    assert!((t - 3.0).abs() < 1e-9, "{t}");
}

/// The same of a spring whose table the deflection leaves.
#[test]
fn a_table_law_ends_beyond_its_points() {
    let sprung = |extrapolation| {
        let curve =
            Characteristic::new(vec![-1.0, 0.0, 1.0], vec![-2.0, 0.0, 2.0], Interpolation::Linear, extrapolation);
        let law = ForceLaw::Table(TableLaw { elastic: Some(curve.unwrap()), viscous: None, rest: 0.0 });
        let mut spec = mass();
        spec.force("k", Spring::new(x(), law)).force("pull", Applied::on_coordinate("m.x", 3.0.into()));
        spec.build().unwrap()
    };
    let s = run(&sprung(Extrapolation::Linear), 3.0);
    assert!(s.warnings.iter().any(|w| w.message.contains("`k`") && w.message.contains("tangent")), "{:?}", s.warnings);
    let s = run(&sprung(Extrapolation::Error), 3.0);
    let Outcome::NotFinite { cause: Cause::Table { name, end }, .. } = &s.outcome else { panic!("{}", s.outcome) };
    assert_eq!((name.as_str(), *end), ("k", 1.0));
    assert!((s.last("m.x").unwrap() - 1.0).abs() < 1e-3);
}

/// A position that jumps is rejected before the run, with the constraint and the time.
#[test]
fn a_prescribed_position_that_jumps() {
    let refused = |build: &dyn Fn(&mut Spec) -> &mut Spec| {
        let mut spec = mass();
        spec.body("p", PlanarBody::new(1.0, 1.0));
        build(&mut spec);
        let model = spec.build().unwrap();
        match simulate(&model, &model.initial_state(), &Transient::to(5.0)) {
            Err(AnalysisError::PositionJump { constraint, t, by }) => Some((constraint, t, by)),
            _ => None,
        }
    };
    let driver =
        |text: &str| refused(&|s| s.constraint("lift", Relation::driver(x(), Prescription::Position(formula(text)))));
    for text in ["if_pos(t - 2, 0.5, 0)", "step(t, 2, 0, 2, 0.5)", "0.5*floor(t/2)*if_pos(3 - t, 1, 1)"] {
        let (name, t, by) = driver(text).unwrap_or_else(|| panic!("{text} is not refused"));
        assert!(name == "lift" && (t - 2.0).abs() < 1e-9 && (by - 0.5).abs() < 1e-9, "{text}: {name} {t} {by}");
    }
    assert_eq!(driver("max(0, t - 2)"), None);
    assert_eq!(driver("step(t, 2, 0, 3, 0.5)"), None);
    let joint = refused(&|s| {
        s.constraint(
            "c",
            Joint::slider("ground", "p").prescribe_translation(0, Prescription::Position(formula("sign(t - 1)"))),
        )
    });
    assert!(joint.is_some_and(|(_, t, by)| (t - 1.0).abs() < 1e-9 && (by - 2.0).abs() < 1e-9));
    let phi = refused(&|s| s.constraint("c", Formula::phi("m.x - if_pos(t - 1, 0.25, 0)").unwrap()));
    assert!(phi.is_some_and(|(_, t, by)| (t - 1.0).abs() < 1e-9 && (by - 0.25).abs() < 1e-9));
    // Whether this one jumps depends on where the mass is by then.
    assert_eq!(refused(&|s| s.constraint("c", Formula::phi("m.y*if_pos(t - 1, 2, 1)").unwrap())), None);
    // A velocity may jump.
    assert_eq!(
        refused(&|s| s.constraint("c", Relation::driver(x(), Prescription::Velocity(formula("sign(t - 1)"))))),
        None
    );
}

/// A search for zeros that reaches its bound makes the run doubtful and names the element.
#[test]
fn a_condition_or_an_event_that_oscillates_too_fast_is_named() {
    let warnings = |build: &dyn Fn(&mut Spec) -> &mut Spec| {
        let mut spec = Spec::new();
        spec.body("m", PointMass::new(1.0, [0.0; 3]).moving([1.0, 0.0, 0.0]));
        build(&mut spec);
        let model = spec.build().unwrap();
        simulate(&model, &model.initial_state(), &Transient::to(3.0)).unwrap().warnings
    };
    let names = |found: &[Warning], element: &str| {
        found.iter().any(|w| {
            let named = w.element.as_deref() == Some(element) && w.message.contains(element);
            named && w.severity == Severity::Doubtful && w.message.contains("could not be followed closely enough")
        })
    };
    let push = |text: &str| FormulaForce::new(x(), text).unwrap();
    let found = warnings(&|s| s.force("push", push("if_pos(1.000001 + sin(1e6*m.x), 0, 1)")));
    assert!(names(&found, "push"), "{found:?}");
    let found = warnings(&|s| s.event("count", Trigger::when("1.000001 + sin(1e6*m.x)")));
    assert!(names(&found, "count"), "{found:?}");
    // Slow oscillations are followed.
    let found = warnings(&|s| s.force("push", push("if_pos(1.001 + sin(50*m.x), 0, 1)")));
    assert!(found.is_empty(), "{found:?}");
}
