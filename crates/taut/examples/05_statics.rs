//! The equilibrium of a weight on a rod that is pulled sideways: tan α = F/(m g).

use taut::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mass, length, force, g) = (4.0, 2.0, 30.0, 9.81);
    let pull = [Signal::constant(force), Signal::constant(0.0), Signal::constant(0.0)];
    let mut spec = Spec::new();
    spec.gravity([0.0, -g, 0.0])
        .body("weight", PointMass::new(mass, [0.0, -length, 0.0]))
        .constraint("rod", Relation::rod("ground", "weight", length))
        .force("pull", Applied::force("weight", pull));
    let model = spec.build()?;

    let found = statics(&model, &model.initial_state(), &Statics::default())?;
    let (x, y) = (found.state.q[0], found.state.q[1]);
    println!("x = {x:.9} m, y = {y:.9} m, tension {:.6} N", found.lambda[0].abs());
    assert!((x / -y - force / (mass * g)).abs() < 1e-9);
    assert!((found.lambda[0].abs() - force.hypot(mass * g)).abs() < 1e-6);
    Ok(())
}
