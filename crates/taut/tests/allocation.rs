//! The step loop does not allocate: right-hand side and end of a step on models of every kind.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;
use taut::analyses::{Limits, Output, Transient, assemble, simulate};
use taut::beams::{Beam, Section};
use taut::bodies::{BeamSupport, Modal, ModeSelection};
use taut::drift::{DriftControl, ProjectionWeight};
use taut::dynamics::{Dynamics, SolverSettings};
use taut::forces::{Applied, Bushing, Spring};
use taut::signals::ForceLaw;
use taut::{
    Columns, Frame, Joint, KnifeEdge, Measure, Model, PlanarBody, PointMass, Prescription, Relation, RigidBody,
    Rolling, Signal, Spec,
};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        unsafe { Heap.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { Heap.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        unsafe { Heap.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count() -> u64 {
    COUNT.with(Cell::get)
}

/// A chain of rods hinged at their ends, along x, in space.
fn chain(n: usize) -> Spec {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]);
    let y = [0.0, 1.0, 0.0];
    for k in 0..n {
        let (x, name) = (k as f64, format!("b{k}"));
        spec.body(&name, RigidBody::new(1.0, [0.01, 0.1, 0.1]).com([0.05, 0.0, 0.0]).at([x + 0.5, 0.0, 0.0]))
            .marker(&format!("{name}.a"), Frame::world([x, 0.0, 0.0]).axis(y))
            .marker(&format!("{name}.b"), Frame::world([x + 1.0, 0.0, 0.0]).axis(y));
        let parent = if k == 0 { "ground.a".to_string() } else { format!("b{}.b", k - 1) };
        spec.constraint(&format!("h{k}"), Joint::revolute(&parent, &format!("{name}.a")));
    }
    spec.marker("ground.a", Frame::world([0.0; 3]).axis(y));
    spec
}

/// A planar four-bar.
fn four_bar() -> Spec {
    let points = [[0.0, 0.0], [0.1, 1.0], [2.0, 1.5], [2.2, 0.0]];
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0]).marker("ground.b", Frame::at([2.2, 0.0, 0.0]));
    for k in 0..3 {
        let (a, b) = (points[k], points[k + 1]);
        spec.body(&format!("b{k}"), PlanarBody::new(1.0, 0.2).at([0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])], 0.0))
            .marker(&format!("b{k}.a"), Frame::world([a[0], a[1], 0.0]))
            .marker(&format!("b{k}.b"), Frame::world([b[0], b[1], 0.0]));
    }
    spec.constraint("h0", Joint::pin("ground", "b0.a"))
        .constraint("h1", Joint::pin("b0.b", "b1.a"))
        .constraint("h2", Joint::pin("b1.b", "b2.a"))
        .constraint("h3", Joint::pin("ground.b", "b2.b"));
    spec
}

fn models() -> Vec<(&'static str, Model)> {
    let mut springs = chain(3);
    // Its corner is a break, at which a run starts anew: beyond the steps that are counted.
    let table = Signal::table(vec![0.0, 5.0, 10.0], vec![0.0, 1.0, 0.5]).unwrap();
    springs
        .body("bob", PointMass::new(1.0, [3.0, 0.0, -1.0]))
        .constraint("rope", Relation::rod("b2.b", "bob", 1.0))
        .force("linear", Spring::linear("ground", "bob", 10.0, 1.0, 2.0))
        .force("twist", Spring::torsional("ground.a", "b0.a", 1.0, 0.1, 0.0))
        .force("law", Spring::new(Measure::coordinate("bob.z"), ForceLaw::expression("-9*s^3 - rate*sin(t)").unwrap()))
        .force("mount", Bushing::diagonal("b0", "b1", [1.0; 6], [0.1; 6]))
        .force("push", Applied::force("b1", [table, Signal::constant(0.0), Signal::expression("sin(t)").unwrap()]));
    let mut relations = four_bar();
    relations
        .body("wheel", PlanarBody::new(1.0, 0.1).at([-1.0, 0.0], 0.0))
        .marker("ground.axle", Frame::at([-1.0, 0.0, 0.0]))
        .constraint("axle", Joint::pin("ground.axle", "wheel"))
        .constraint(
            "gear",
            Relation::gear(Measure::angle("ground", "b0"), Measure::angle("ground.axle", "wheel"), 2.0),
        );
    let mut driven = four_bar();
    driven.constraint(
        "motor",
        Relation::driver(Measure::angle("ground", "b0"), Prescription::Velocity(Signal::constant(1.0))),
    );
    let mut twice = chain(2);
    twice.constraint("again", Joint::revolute("ground.a", "b0.a"));
    let mut rolling = Spec::new();
    rolling
        .gravity([0.0, 0.0, -9.81])
        .body("disc", RigidBody::new(1.0, [0.02, 0.04, 0.02]).at([0.0, 0.0, 0.3]))
        .marker("disc.wheel", Frame::at([0.0; 3]).axis([0.0, 1.0, 0.0]))
        .constraint("road", Rolling::disc("ground", "disc.wheel", 0.3))
        .body("skate", PlanarBody::new(1.0, 0.1).com([0.1, 0.0]).moving([1.0, 0.0], 0.5))
        .constraint("blade", KnifeEdge::new("ground", "skate"));
    let section = Section::diagonal([1e3, 1e3, 1e3, 1.0, 1.0, 1.0], 1.0, [0.2, 0.1, 0.1]).damped(1e-3);
    let mut beams = Spec::new();
    beams
        .beam("two", Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section.clone(), 3))
        .beam("three", Beam::straight([1.0, 0.0, 0.0], [3.0, 0.0, 0.0], section, 2).three_node())
        .constraint("root", Joint::fixed("ground", "two_0"))
        .constraint("hinge", Joint::spherical("two_3", "three_0"))
        .gravity([0.0, 0.0, -1.0]);
    let mut free = Spec::new();
    free.gravity([0.0, 0.0, -9.81])
        .body("one", RigidBody::new(1.0, [0.1, 0.2, 0.3]).moving([0.1, 0.0, 0.0], [0.3, 1.0, 0.1]))
        .body("two", RigidBody::new(2.0, [0.3, 0.2, 0.1]).at([1.0, 0.0, 0.0]))
        .marker("one.end", Frame::world([0.5, 0.0, 0.0]))
        .marker("two.end", Frame::world([0.5, 0.0, 0.0]))
        .constraint("ball", Joint::spherical("one.end", "two.end"))
        .force("spring", Spring::linear("one", "two", 10.0, 0.1, 0.8));
    let strip = Section::diagonal([1e3, 1e3, 1e3, 1.0, 1.0, 1.0], 1.0, [0.2, 0.1, 0.1]);
    let mut modal = Spec::new();
    modal
        .gravity([0.0, 0.0, -1.0])
        .body(
            "blade",
            Modal::from_beam(
                Beam::straight([0.0; 3], [1.0, 0.0, 0.0], strip, 6),
                BeamSupport::Cantilever,
                ModeSelection::First(3),
            ),
        )
        .constraint("root", Joint::fixed("ground", "blade_0"))
        .force("pull", Spring::linear("ground", "blade_6", 0.01, 0.0, 0.5));
    let list = [
        ("free", free),
        ("modal", modal),
        ("beams", beams),
        ("chain", chain(6)),
        ("four-bar", four_bar()),
        ("springs", springs),
        ("relations with angles", relations),
        ("driven", driven),
        ("redundant", twice),
        ("nonholonomic", rolling),
    ];
    list.into_iter().map(|(name, spec)| (name, spec.build().unwrap_or_else(|e| panic!("{name}: {e}")))).collect()
}

#[test]
fn right_hand_side_and_end_of_step_allocate_nothing() {
    let before = count();
    drop(vec![1_u8; 10]);
    assert_eq!(count() - before, 1, "the allocator counts");
    for (name, model) in models() {
        let start =
            assemble(&model, &model.initial_state(), &Default::default()).unwrap_or_else(|e| panic!("{e}")).state;
        let ones = vec![1.0; model.sizes.v];
        for drift in [
            DriftControl::None,
            DriftControl::Projection(ProjectionWeight::Mass),
            DriftControl::Projection(ProjectionWeight::Identity),
            DriftControl::Projection(ProjectionWeight::Diagonal(ones)),
        ] {
            let mut d = Dynamics::new(&model, &SolverSettings { drift: drift.clone(), ..SolverSettings::default() });
            let (mut y, mut dydt) = (vec![0.0; d.dimension()], vec![0.0; d.dimension()]);
            d.pack(&start, &mut y);
            let before = count();
            for k in 0..20 {
                let t = 1e-3 * f64::from(k);
                d.rates(t, &y, &mut dydt).unwrap_or_else(|e| panic!("{name}: {e}"));
                y.iter_mut().zip(&dydt).for_each(|(y, f)| *y += 1e-3 * f);
                d.end_step(t + 1e-3, &mut y);
            }
            assert_eq!(count() - before, 0, "{name}, {drift:?}");
        }
    }
}

#[test]
fn a_run_allocates_no_more_for_more_steps() {
    for (name, model) in models() {
        let start = model.initial_state();
        let allocations = |steps: u64| {
            let limits = Limits { max_steps: Some(steps), ..Limits::default() };
            // The first step is given, so that both runs start equally; nothing is recorded in between.
            let settings = Transient::to(100.0)
                .output(Output::Ends)
                .columns(Columns::None)
                .tolerance(1e-9, 1e-9)
                .largest_step(1e-2)
                .limits(limits);
            let before = count();
            let s = simulate(&model, &start, &settings).unwrap_or_else(|e| panic!("{name}: {e}"));
            let used = count() - before;
            assert_eq!(s.statistics.steps, steps, "{name}: {}", s.outcome);
            used
        };
        assert_eq!(allocations(5), allocations(50), "{name}");
    }
}
