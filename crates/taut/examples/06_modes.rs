//! The modes of a double pendulum of two equal rods: ω² = (3 ∓ 6/√7) g/l.

use std::f64::consts::FRAC_PI_2;
use taut::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (length, g) = (0.5, 9.81);
    let mut spec = Spec::new();
    spec.gravity([0.0, -g, 0.0])
        .body("upper", PlanarBody::rod(1.0, length).at([0.0, -0.5 * length], -FRAC_PI_2))
        .body("lower", PlanarBody::rod(1.0, length).at([0.0, -1.5 * length], -FRAC_PI_2))
        .marker("upper.a", Frame::at([-0.5 * length, 0.0, 0.0]))
        .marker("upper.b", Frame::at([0.5 * length, 0.0, 0.0]))
        .marker("lower.a", Frame::at([-0.5 * length, 0.0, 0.0]))
        .constraint("hinge", Joint::pin("ground", "upper.a"))
        .constraint("elbow", Joint::pin("upper.b", "lower.a"));
    let model = spec.build()?;

    let small = linearise(&model, &model.initial_state(), None)?;
    let found = modes(&small, ModeRequest::All)?;
    for (mode, sign) in found.modes.iter().zip([-1.0, 1.0]) {
        let expected = ((3.0 + sign * 6.0 / 7.0_f64.sqrt()) * g / length).sqrt();
        println!("ω = {:.9} rad/s, closed form {expected:.9} rad/s", mode.omega());
        assert!((mode.omega() / expected - 1.0).abs() < 1e-9);
    }
    assert_eq!(found.modes.len(), 2);
    Ok(())
}
