//! The reactions in the bearings of an unbalanced rotor.
//!
//! The mass centre is e off the axis, at a quarter of the span. At the speed ω the bearings carry 3/4 and 1/4 of m e ω².

use taut::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mass, offset, speed, span) = (3.0, 2e-3, 100.0, 0.8);
    let rotor = RigidBody::new(mass, [0.02, 0.02, 0.01])
        .com([offset, 0.0, 0.0])
        .at([0.0, 0.0, 0.25 * span])
        .moving([0.0; 3], [0.0, 0.0, speed]);
    let mut spec = Spec::new();
    spec.body("rotor", rotor)
        .marker("rotor.a", Frame::at([0.0, 0.0, -0.25 * span]))
        .marker("rotor.b", Frame::at([0.0, 0.0, 0.75 * span]))
        .marker("ground.b", Frame::at([0.0, 0.0, span]))
        // A fixed bearing and a floating one: no row is redundant.
        .constraint("a", Joint::spherical("ground", "rotor.a"))
        .constraint("b", Joint::point_on_line("ground.b", "rotor.b"));
    let model = spec.build()?;

    let run = simulate(&model, &model.initial_state(), &Transient::to(0.1).every(0.005).tolerance(1e-10, 1e-10))?;
    let load = mass * offset * speed * speed;
    for (bearing, share) in [("a", 0.75), ("b", 0.25)] {
        let (fx, fy) = (run.column(&format!("{bearing}.fx"))?, run.column(&format!("{bearing}.fy"))?);
        for (fx, fy) in fx.iter().zip(fy) {
            assert!((fx.hypot(*fy) - share * load).abs() < 1e-6 * load);
        }
        println!("bearing {bearing}: {:.6} N of {load:.3} N", fx[0].hypot(fy[0]));
    }
    Ok(())
}
