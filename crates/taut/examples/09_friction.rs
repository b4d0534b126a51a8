//! A block slides over the ground until it sticks: Coulomb friction without regularisation.
//!
//! It stops after v/(μ g), at the distance v²/(2 μ g), and then stays exactly at rest.

use taut::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mu, speed, g) = (0.3, 4.0, 9.81);
    let touch = PointPlaneContact::new("ground", "block").friction(Friction::same(mu), SlipAxes::Two);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -g])
        .body("block", PointMass::new(5.0, [0.0; 3]).moving([speed, 0.0, 0.0]))
        .constraint("touch", touch);
    let model = spec.build()?;

    let run = simulate(&model, &model.initial_state(), &Transient::to(3.0).every(0.1))?;
    let sticks = run.events.iter().find(|event| event.what == EventKind::Sticks).ok_or("it does not stick")?;
    let end = run.final_state().q[0];
    println!("it sticks at {:.9} s, {end:.9} m from the start", sticks.t);
    assert!((sticks.t - speed / (mu * g)).abs() < 1e-8);
    assert!((end - speed * speed / (2.0 * mu * g)).abs() < 1e-7);
    assert!(run.final_state().v[0].abs() < 1e-12);
    Ok(())
}
