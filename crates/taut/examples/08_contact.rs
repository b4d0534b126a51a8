//! A ball bounces on the ground until it rests: contact between surfaces, impacts, restitution.
//!
//! The fall takes t₁ = √(2 h/g). Each bounce lasts e times as long as the one before, so the ball rests at
//! t₁ (1 + e)/(1 − e), after infinitely many impacts.

use taut::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (radius, height, e, g) = (0.05, 1.0, 0.6, 9.81);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -g])
        .body("ball", RigidBody::new(0.2, [2e-4; 3]).at([0.0, 0.0, radius + height]))
        .surface("skin", Surface::new("ball", Shape::Sphere { radius }))
        .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
        .contact("bounce", ContactRule::pair("skin", "floor", RigidContact::SMOOTH.restitution(e)));
    let model = spec.build()?;

    let fall = (2.0 * height / g).sqrt();
    let top = fall + e * fall; // the top of the first bounce
    let rest = fall * (1.0 + e) / (1.0 - e);
    let run = simulate(&model, &model.initial_state(), &Transient::to(rest + 0.5).at(vec![0.0, top, rest + 0.5]))?;

    let first = run.events.iter().find(|event| event.what == EventKind::Impact).ok_or("no impact")?;
    let last = run.events.iter().find(|event| event.what == EventKind::Rests).ok_or("it does not rest")?;
    println!("first impact at {:.9} s, rest at {:.9} s (closed form {fall:.9} s, {rest:.9} s)", first.t, last.t);
    assert!((first.t - fall).abs() < 1e-9);
    assert!((last.t - rest).abs() < 1e-5);
    // Rows at impacts are recorded twice, before and after: look the time up.
    let row = run.t().iter().position(|t| *t == top).ok_or("the top is not recorded")?;
    assert!((run.column("ball.z")?[row] - radius - e * e * height).abs() < 1e-6);
    Ok(())
}
