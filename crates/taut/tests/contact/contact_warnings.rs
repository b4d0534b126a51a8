//! Warnings of runs with contacts, events of the start, and slip of redundant friction contacts.

use std::sync::atomic::{AtomicBool, Ordering};
use taut::analyses::{Run, RunStatus, Simulation, Transient, simulate};
use taut::constraints::SlipAxes;
use taut::contacts::{ContactRule, RigidContact, Surface};
use taut::forces::Applied;
use taut::interruption::Interruption;
use taut::laws::Friction;
use taut::shapes::Shape;
use taut::{Axis, EventKind, Frame, Joint, Orientation, PlanarBody, PointPlaneContact, RigidBody, Severity, Signal};
use taut::{Solution, Spec};

const G: f64 = 9.81;

fn run(spec: &Spec, t: f64) -> Solution {
    let model = spec.build().unwrap();
    simulate(&model, &model.initial_state(), &Transient::to(t)).unwrap()
}

/// A rod of 2 m whose foot slides towards −x at 1 m/s, inclined by 1.1 rad, turning at `turning`.
fn rod(mu: f64, turning: f64) -> Spec {
    let (sin, cos) = 1.1_f64.sin_cos();
    let up = Orientation::Axes { z: [0.0, 1.0, 0.0], x: Some([1.0, 0.0, 0.0]) };
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body(
            "rod",
            PlanarBody::new(1.0, 1.0 / 3.0).at([cos, sin], 1.1).moving([-1.0 - turning * sin, turning * cos], turning),
        )
        .marker("rod.foot", Frame::at([-1.0, 0.0, 0.0]))
        .marker("ground.floor", Frame::at([0.0; 3]).with_orientation(up))
        .constraint(
            "floor",
            PointPlaneContact::new("ground.floor", "rod.foot").friction(Friction::same(mu), SlipAxes::One(Axis::X)),
        );
    spec
}

#[test]
fn several_solutions_are_reported() {
    // With m = 1, l = 1, J = 1/3 the gap acceleration per unit of its own force is
    // 1 + 3 cos θ (cos θ − μ sin θ), below zero for μ = 1.6; while the rod turns fast its free foot rises: two solutions.
    let (sin, cos) = 1.1_f64.sin_cos();
    assert!(1.0 + 3.0 * cos * (cos - 1.6 * sin) < 0.0 && 16.0 * sin > G);
    let s = run(&rod(1.6, 4.0), 0.01);
    let reported = s.warnings.iter().find(|w| w.message.contains("several solutions"));
    assert!(reported.is_some_and(|w| w.severity == Severity::Doubtful && w.element.as_deref() == Some("floor")));
    // With less friction there is one.
    let s = run(&rod(0.5, 4.0), 0.01);
    assert!(s.warnings.is_empty(), "{:?}", s.warnings);
}

#[test]
fn a_jointed_pair_excluded_from_a_rule_is_reported() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("wheel", RigidBody::new(1.0, [0.1; 3]).at([0.0, 0.0, 0.5]))
        .surface("tyre", Surface::new("wheel", Shape::Sphere { radius: 0.3 }))
        .surface("road", Surface::new("ground", Shape::HalfSpace {}))
        .constraint("upright", Joint::prismatic("ground", "wheel"))
        .contact("all", ContactRule::all(RigidContact::SMOOTH));
    let s = run(&spec, 0.01);
    assert!(
        s.warnings.iter().any(|w| w.message.contains("`tyre` and `road`") || w.message.contains("`road` and `tyre`"))
    );
    spec.contact("these", ContactRule::pair("tyre", "road", RigidContact::SMOOTH));
    let s = run(&spec, 0.5);
    assert!(s.warnings.is_empty(), "{:?}", s.warnings);
    assert!((s.last("wheel.z").unwrap() - 0.3).abs() < 1e-9);
}

#[test]
fn a_table_slips_although_another_load_sharing_would_hold_it() {
    // Pushed by 20 t N at half a metre's height beside its middle. Of all ways to share the weight between the four legs
    // one sticks until 2.2040 s: the largest force for which min over twists of Σ μ N |v| is not below it, over all N ≥ 0 that
    // balance weight and tilting moment (by nested golden-section search in a separate script: 2.2022 s with N_c = 0.3 N).
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]).body("table", RigidBody::new(10.0, [1.0; 3]).com([0.1, 0.2, 0.0]).at([0.0, 0.0, 0.5]));
    for (name, x, y) in [("a", 0.5, 0.5), ("b", -0.5, 0.5), ("c", -0.5, -0.5), ("d", 0.5, -0.5)] {
        let leg = format!("table.{name}");
        spec.marker(&leg, Frame::at([x, y, -0.5])).constraint(
            &format!("l{name}"),
            PointPlaneContact::new("ground", &leg).friction(Friction::same(0.5), SlipAxes::Two),
        );
    }
    let push = [Signal::expression("20*t").unwrap(), Signal::constant(0.0), Signal::constant(0.0)];
    spec.force("push", Applied::force("table", push));
    let s = run(&spec, 2.21);
    let slips = s.events.iter().find(|o| o.what == EventKind::Slips).map(|o| o.t);
    assert!(slips.is_some_and(|t| (t - 2.204).abs() < 5e-4), "{slips:?}");
}

/// A ball that hits the floor where the run starts.
fn falling_onto_the_floor() -> Spec {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("ball", RigidBody::new(1.0, [0.1; 3]).at([0.0, 0.0, 0.3]).moving([0.0, 0.0, -1.0], [0.0; 3]))
        .surface("ball", Surface::new("ball", Shape::Sphere { radius: 0.3 }))
        .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
        .contact("bounce", ContactRule::all(RigidContact::SMOOTH.restitution(0.5)));
    spec
}

#[test]
fn an_interruption_in_the_first_step_keeps_the_events_of_the_start() {
    static FLAG: AtomicBool = AtomicBool::new(true);
    let model = falling_onto_the_floor().build().unwrap();
    let settings = Transient::to(0.2).every(0.01);
    let whole = simulate(&model, &model.initial_state(), &settings).unwrap();
    assert_eq!(whole.events.iter().filter(|e| e.t == 0.0).count(), 1);
    let mut run = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
    // A checkpoint of the start leads back to the start.
    let start = run.checkpoint();
    run.restore(&start).unwrap();
    assert_eq!(run.events(), &whole.events[..1]);
    run.interrupt(Interruption { flag: Some(&FLAG), ..Interruption::default() });
    assert_eq!((run.step(), run.statistics().steps), (RunStatus::Underway, 0));
    assert_eq!(run.events(), &whole.events[..1]);
    FLAG.store(false, Ordering::Relaxed);
    assert_eq!(run.run(), RunStatus::Ended);
    let found = run.into_solution();
    assert_eq!((found.events, found.table), (whole.events, whole.table));
    // In a second run the first one has reported the events before the checkpoint.
    let mut first = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
    first.advance(0.1);
    let mut second = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
    second.restore(&first.checkpoint()).unwrap();
    assert!(second.events().is_empty());
}
