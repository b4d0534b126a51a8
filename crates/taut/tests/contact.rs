//! Contact of shapes, event by event, against closed forms.
#![allow(non_snake_case)]

use taut::analyses::{Transient, simulate};
use taut::contacts::{Contact, RigidContact, Surface};
use taut::laws::ImpactLaw;
use taut::shapes::Shape;
use taut::{Happening, Orientation, PlanarBody, RigidBody, Solution, Spec};

const G: f64 = 9.81;

fn times(solution: &Solution, what: Happening) -> Vec<f64> {
    solution.events.iter().filter(|o| o.what == what).map(|o| o.t).collect()
}

fn tight(t: f64) -> Transient {
    Transient::to(t).every(t / 50.0).tolerance(1e-11, 1e-11)
}

fn run(spec: &Spec, settings: &Transient) -> Solution {
    let model = spec.build().unwrap();
    let solution = simulate(&model, &model.initial_state(), settings).unwrap();
    println!("{} {:?}", solution.outcome, solution.statistics);
    for o in solution.events.iter().rev().take(40) {
        println!("  {:.12} {} {:?} {:.6e} {:.6e}", o.t, o.name, o.what, o.impulse, o.lost);
    }
    println!("  balance {:?} warnings {:?}", solution.last("energy.balance"), solution.warnings);
    solution
}

fn ball(r: f64, p: [f64; 3]) -> RigidBody {
    let J = 0.4 * r * r;
    RigidBody::new(1.0, [J, J, J]).at(p)
}

#[test]
fn a_sphere_slides_until_it_rolls() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("ball", ball(0.1, [0.0, 0.0, 0.1]).moving([2.0, 0.0, 0.0], [0.0; 3]))
        .surface("skin", Surface::new("ball", Shape::Sphere { radius: 0.1 }))
        .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
        .contact("touch", Contact::pair("skin", "floor", RigidContact::SMOOTH.friction(0.2)));
    let s = run(&spec, &tight(1.0));
    println!("{:?} {:?}", s.last("ball.vx"), s.last("ball.x"));
}

#[test]
fn a_box_dropped_on_its_corner_comes_to_rest() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body(
            "box",
            RigidBody::new(1.0, [0.02, 0.03, 0.04])
                .at([0.0, 0.0, 0.6])
                .turned(Orientation::RotationVector([0.3, 0.4, 0.0])),
        )
        .surface("skin", Surface::new("box", Shape::Box { size: [0.3, 0.4, 0.5] }))
        .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
        .contact("touch", Contact::pair("skin", "floor", RigidContact::SMOOTH.friction(0.4).restitution(0.3)));
    let s = run(&spec, &Transient::to(3.0).every(0.05));
    println!("{:?} {:?} {:?}", s.last("box.z"), s.last("box.vx"), s.last("energy.kinetic"));
}

#[test]
fn newtons_cradle() {
    for law in [ImpactLaw::Sequence, ImpactLaw::Newton, ImpactLaw::Poisson] {
        let mut spec = Spec::new();
        for i in 0..5 {
            let x = 0.2 * f64::from(i) - if i == 0 { 0.1 } else { 0.0 };
            let v = if i == 0 { 1.0 } else { 0.0 };
            spec.body(&format!("b{i}"), PlanarBody::new(1.0, 0.004).at([x, 0.0], 0.0).moving([v, 0.0], 0.0))
                .surface(&format!("s{i}"), Surface::new(&format!("b{i}"), Shape::Circle { radius: 0.1 }));
        }
        let mut kind = RigidContact::SMOOTH.restitution(1.0);
        kind.impact.law = law;
        spec.contact("touch", Contact::all(kind));
        let s = run(&spec, &tight(0.5));
        println!("{law:?} {:?}", (0..5).map(|i| s.last(&format!("b{i}.vx")).unwrap()).collect::<Vec<_>>());
    }
}

#[test]
fn a_box_on_a_box() {
    let mut spec = Spec::new();
    let cube = |z: f64| RigidBody::new(1.0, [1.0 / 600.0; 3]).at([0.0, 0.0, z]);
    spec.gravity([0.0, 0.0, -G])
        .body("low", cube(0.05))
        .body("high", cube(0.25).turned(Orientation::RotationVector([0.0, 0.0, 0.5])))
        .surface("one", Surface::new("low", Shape::Box { size: [0.1, 0.1, 0.1] }))
        .surface("two", Surface::new("high", Shape::Box { size: [0.1, 0.1, 0.1] }))
        .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
        .contact("touch", Contact::all(RigidContact::SMOOTH.friction(0.5)));
    let s = run(&spec, &Transient::to(2.0).every(0.05));
    println!("{:?} {:?}", s.last("high.z"), s.last("low.z"));
}
