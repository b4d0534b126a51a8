//! Events as data: schedules, conditions, and their actions, against closed forms.
#![allow(non_snake_case)]

mod data;
mod firing;
mod impulses;
mod locks;

use taut::analyses::Transient;
use taut::bodies::Variable;
use taut::{
    EventKind, FormulaForce, Frame, Joint, Measure, PlanarBody, PointMass, Prescription, Relation, Signal, Solution,
    Spec,
};

const G: f64 = 9.81;

fn tight(t_end: f64) -> Transient {
    Transient::to(t_end).tolerance(1e-11, 1e-11)
}

fn times(s: &Solution, name: &str) -> Vec<f64> {
    s.events.iter().filter(|o| o.what == EventKind::Event && o.name == name).map(|o| o.t).collect()
}

/// Rows recorded at a time, of some columns.
fn rows<const N: usize>(s: &Solution, t: f64, columns: [&str; N]) -> Vec<[f64; N]> {
    let here = |i: &usize| (s.t()[*i] - t).abs() < 1e-9;
    (0..s.len()).filter(here).map(|i| columns.map(|c| s.column(c).unwrap()[i])).collect()
}

const L1: f64 = 0.4;
const L2: f64 = 0.6;
const M1: f64 = 1.0;
const M2: f64 = 2.0;

/// Two rods in a chain that turn against each other, with a lock of their relative rotation that is not yet active.
fn double_pendulum(gravity: f64) -> Spec {
    let mut spec = Spec::new();
    spec.gravity([0.0, -gravity, 0.0])
        .body("one", PlanarBody::rod(M1, L1).at([L1 / 2.0, 0.0], 0.0).moving([0.0, 1.5 * L1 / 2.0], 1.5))
        .body(
            "two",
            PlanarBody::rod(M2, L2).at([L1 + L2 / 2.0, 0.0], 0.0).moving([0.0, 1.5 * L1 - 4.0 * L2 / 2.0], -4.0),
        )
        .marker("one.root", Frame::at([-L1 / 2.0, 0.0, 0.0]))
        .marker("one.tip", Frame::at([L1 / 2.0, 0.0, 0.0]))
        .marker("two.root", Frame::at([-L2 / 2.0, 0.0, 0.0]))
        .constraint("pivot", Joint::pin("ground", "one.root"))
        .constraint("elbow", Joint::pin("one.tip", "two.root"))
        .constraint(
            "weld",
            Relation::driver(Measure::angle("one", "two"), Prescription::Velocity(Signal::constant(0.0))),
        )
        .unlocked("weld");
    spec
}

/// A mass on a spring whose stiffness is a variable.
fn oscillator() -> Spec {
    let mut spec = Spec::new();
    spec.body("k", Variable::new(4.0))
        .body("mass", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .force("spring", FormulaForce::new(Measure::coordinate("mass.x"), "-k.value*mass.x").unwrap());
    spec
}
