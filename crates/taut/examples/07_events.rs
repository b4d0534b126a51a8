//! A throw that ends where it reaches the ground: an event with an action.
//!
//! From the height h with the vertical speed u the flight takes (u + √(u² + 2 g h))/g.

use taut::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (height, speed, g) = (1.5, [12.0, 7.0], 9.81);
    let mut spec = Spec::new();
    spec.gravity([0.0, -g, 0.0])
        .body("ball", PointMass::new(0.3, [0.0, height, 0.0]).moving([speed[0], speed[1], 0.0]))
        .event("top", Trigger::when("ball.vy").falling().then(Action::Record))
        .event("ground", Trigger::when("ball.y").falling().then(Action::Stop));
    let model = spec.build()?;

    let flight = simulate(&model, &model.initial_state(), &Transient::to(10.0))?;
    let time = (speed[1] + (speed[1] * speed[1] + 2.0 * g * height).sqrt()) / g;
    println!("{}", flight.outcome);
    let [top, ground] = &flight.events[..] else { return Err("two events were expected".into()) };
    assert!((top.t - speed[1] / g).abs() < 1e-9);
    assert!((ground.t - time).abs() < 1e-9);
    assert!((flight.final_state().q[0] - speed[0] * time).abs() < 1e-8);
    assert!(matches!(&flight.outcome, Outcome::Event { name, .. } if name == "ground"));
    Ok(())
}
