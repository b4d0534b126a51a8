//! A four-bar linkage whose crank is driven at constant speed: a closed loop and a driver.
//!
//! The angles of crank and rocker satisfy Freudenstein's equation
//! (d/a) cos θ₄ − (d/c) cos θ₂ + (a² − b² + c² + d²)/(2 a c) = cos(θ₂ − θ₄).

use taut::prelude::*;

/// Crank, coupler, rocker, ground, m.
const LENGTHS: [f64; 4] = [0.2, 0.5, 0.4, 0.5];

/// A rod between two points, with the markers `NAME.a` and `NAME.b` at its ends.
fn rod(spec: &mut Spec, name: &str, from: [f64; 2], to: [f64; 2]) {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let middle = [from[0] + 0.5 * dx, from[1] + 0.5 * dy];
    spec.body(name, PlanarBody::rod(1.0, dx.hypot(dy)).at(middle, dy.atan2(dx)))
        .marker(&format!("{name}.a"), Frame::world([from[0], from[1], 0.0]))
        .marker(&format!("{name}.b"), Frame::world([to[0], to[1], 0.0]));
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [a, b, c, d] = LENGTHS;
    let mut spec = Spec::new();
    // The start pose: crank along x, rocker upright.
    rod(&mut spec, "crank", [0.0, 0.0], [a, 0.0]);
    rod(&mut spec, "coupler", [a, 0.0], [d, c]);
    rod(&mut spec, "rocker", [d, 0.0], [d, c]);
    let turn = Prescription::Position(Signal::polynomial([0.0, 5.0]));
    spec.marker("ground.right", Frame::at([d, 0.0, 0.0]))
        .constraint("main", Joint::pin("ground", "crank.a"))
        .constraint("elbow", Joint::pin("crank.b", "coupler.a"))
        .constraint("wrist", Joint::pin("coupler.b", "rocker.b"))
        .constraint("right", Joint::pin("ground.right", "rocker.a"))
        .constraint("motor", Relation::driver(Measure::angle("ground", "crank"), turn));
    let model = spec.build()?;

    let times: Vec<f64> = (0..=100).map(|i| 0.02 * f64::from(i)).collect();
    let motion = kinematic(&model, &model.initial_state(), &times)?;
    let (two, four) = (motion.column("crank.theta")?, motion.column("rocker.theta")?);
    let residual = |(t2, t4): (&f64, &f64)| {
        d / a * t4.cos() - d / c * t2.cos() + (a * a - b * b + c * c + d * d) / (2.0 * a * c) - (t2 - t4).cos()
    };
    let worst = two.iter().zip(four).map(residual).fold(0.0, |most: f64, r| most.max(r.abs()));
    println!("largest residual of Freudenstein's equation: {worst:.1e}");
    assert!(worst < 1e-12);
    Ok(())
}
