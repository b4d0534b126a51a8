//! A rod swings from the horizontal: model, run, columns.
//!
//! With k = sin(90°/2) half a period takes 2 K(k)/ω₀, ω₀² = 3 g/(2 l), and at the bottom the hinge carries 5/2 of the weight.

use taut::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mass, length, g) = (2.0, 1.0, 9.81);
    let mut spec = Spec::new();
    spec.gravity([0.0, -g, 0.0])
        .body("rod", PlanarBody::rod(mass, length).at([0.5 * length, 0.0], 0.0))
        .marker("rod.end", Frame::at([-0.5 * length, 0.0, 0.0]))
        .constraint("hinge", Joint::pin("ground", "rod.end"));
    let model = spec.build()?;

    let half = 2.0 * 1.854_074_677_301_372 / (1.5 * g / length).sqrt();
    let swing =
        simulate(&model, &model.initial_state(), &Transient::to(half).every(0.5 * half).tolerance(1e-10, 1e-10))?;

    // Three rows: the start, the bottom, the other side.
    let (theta, pull) = (swing.column("rod.theta")?, swing.column("hinge.fy")?);
    println!("angle after half a period: {:.9} rad, reaction at the bottom: {:.6} N", theta[2], pull[1]);
    assert!((theta[2] + std::f64::consts::PI).abs() < 1e-7);
    assert!((pull[1] - 2.5 * mass * g).abs() < 1e-6);
    Ok(())
}
