//! Tests of the audit with complete runs.

use crate::analyses::{Transient, simulate};
use crate::forces::Spring;
use crate::stepping::{self, TimeSteppingSettings};
use crate::{Frame, Joint, Measure, PlanarBody, PointMass, Prescription, Relation, Signal, Solution, Spec, Verdict};
use taut_ode::Method;

/// Two masses with a spring between them, one of them driven along x, to 10 s.
fn driven(along: &str, atol: f64) -> Solution {
    let mut spec = Spec::new();
    spec.body("a", PointMass::new(1.0, [0.0; 3]))
        .body("b", PointMass::new(1.0, [3.0, 0.0, 0.0]))
        .constraint(
            "r",
            Relation::driver(Measure::coordinate("a.x"), Prescription::Position(Signal::expression(along).unwrap())),
        )
        .force("s", Spring::linear("a", "b", 10.0, 0.0, 3.0));
    let model = spec.build().unwrap();
    let settings = Transient::to(10.0).tolerance(1e-6, atol).every(0.25);
    simulate(&model, &model.initial_state(), &settings).unwrap()
}

#[test]
fn what_hardly_moves_yet_is_not_wrong() {
    // For three seconds the driver moves by less than 1e-100 m, and the energies are practically zero.
    for atol in [1e-6, 1e-9, 1e-12] {
        let run = driven("0.5 + 0.5*tanh(50*(t - 3.05))", atol);
        assert_eq!(run.verdict, Some(Verdict::Sound), "{atol}: {:?}", run.warnings);
        // The mass does move later.
        let x = run.column("b.x").unwrap();
        assert!(x.iter().any(|x| *x > 4.5), "{x:?}");
    }
}

#[test]
fn a_pulse_out_of_nothing_is_sound_under_every_method() {
    // The energy of the pulse grows by orders of magnitude from step to step.
    for method in ["generalised_alpha", "trapezoidal", "two_step", "dop853"] {
        let mut spec = Spec::new();
        let pulse = Signal::expression("5*exp(-((t-4.3)/0.003)^2)").unwrap();
        spec.body("a", PointMass::new(1.0, [0.0; 3]))
            .constraint("r", Relation::driver(Measure::coordinate("a.x"), Prescription::Velocity(pulse)));
        let model = spec.build().unwrap();
        let method = Method::ALL.into_iter().find(|m| m.name() == method).unwrap();
        let settings = Transient::to(5.0).tolerance(1e-6, 1e-6).integrator(method);
        let run = simulate(&model, &model.initial_state(), &settings).unwrap();
        assert_eq!(run.verdict, Some(Verdict::Sound), "{method}: {:?}", run.warnings);
        // The area under the pulse.
        let x = run.last("a.x").unwrap();
        assert!((x - 5.0 * 0.003 * std::f64::consts::PI.sqrt()).abs() < 1e-4, "{method}: {x}");
    }
}

#[test]
fn time_steps_too_long_for_a_stiff_spring_are_wrong() {
    let mut spec = Spec::new();
    spec.body("m", PointMass::new(1.0, [1.01, 0.0, 0.0])).force("s", Spring::linear("ground", "m", 1e6, 0.0, 1.0));
    let model = spec.build().unwrap();
    let run = |h: f64| stepping::simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(0.1, h)).unwrap();
    // ω = 1000 rad/s: the midpoint rule is explicit in q, and stable up to ω h = 2.
    let wrong = run(2.5e-3);
    assert_eq!(wrong.verdict, Some(Verdict::Wrong), "{:?}", wrong.warnings);
    assert!(wrong.warnings.iter().any(|w| w.message.contains("gained") && w.element.as_deref() == Some("m")));
    let sound = run(1e-5);
    assert_eq!(sound.verdict, Some(Verdict::Sound), "{:?}", sound.warnings);
}

#[test]
fn time_steps_book_the_work_of_a_driver_that_turns_at_a_steady_rate() {
    // A rod rotates at 10 rad/s for one and a half turns: the driver does work against gravity only.
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("rod", PlanarBody::new(2.0, 0.1).at([0.0, -0.5], 0.0).moving([5.0, 0.0], 10.0))
        .marker("rod.end", Frame::world([0.0; 3]))
        .constraint("pin", Joint::pin("ground", "rod.end"))
        .constraint(
            "motor",
            Relation::driver(Measure::angle("ground", "rod.end"), Prescription::Velocity(Signal::constant(10.0))),
        );
    let model = spec.build().unwrap();
    let settings = TimeSteppingSettings::to(0.3 * std::f64::consts::PI, 1e-3);
    let run = stepping::simulate(&model, &model.initial_state(), &settings).unwrap();
    assert_eq!(run.verdict, Some(Verdict::Sound), "{:?}", run.warnings);
    // 2 m g r; a first-order error would be more than 1e-3 of 25 J.
    let work = run.last("energy.work").unwrap();
    assert!((work - 19.62).abs() < 1e-3, "{work}");
}
