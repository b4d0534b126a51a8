//! A bead on a helix in oil: a joint and a force of your own.
//!
//! The joint is φ = (x − R cos(z/p), y − R sin(z/p)); Taut differentiates it. The force is −c v. With κ = 1 + R²/p² and
//! τ = m/c the bead falls by (g τ/κ) (t − τ (1 − exp(−t/τ))).

use taut::constraints::{UserHolonomic, UserPlace};
use taut::motion::Wrench;
use taut::prelude::*;
use taut::scalar::Scalar;

#[derive(Debug)]
struct Helix {
    radius: f64,
    pitch: f64,
}

impl UserHolonomic for Helix {
    fn rows(&self) -> usize {
        2
    }
    fn phi<S: Scalar>(&self, _t: S, at: &[UserPlace<S>], out: &mut [S]) {
        let [x, y, z] = at[0].p;
        let angle = z / S::from(self.pitch);
        out[0] = x - angle.cos() * S::from(self.radius);
        out[1] = y - angle.sin() * S::from(self.radius);
    }
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (radius, pitch, mass, c, g) = (0.3, 0.1, 0.5, 0.4, 9.81);
    let bead = [MarkerReference::frame("bead")];
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -g])
        .body("bead", PointMass::new(mass, [radius, 0.0, 0.0]))
        .constraint("helix", UserConstraint::holonomic(&bead, Helix { radius, pitch }))
        .force("oil", UserForce::closure(&bead, move |at, on| on[0] = Wrench::force(at[0].v * -c)));
    let model = spec.build()?;

    let run = simulate(&model, &model.initial_state(), &Transient::to(2.0).every(0.1).tolerance(1e-10, 1e-10))?;
    let (kappa, tau) = (1.0 + (radius / pitch).powi(2), mass / c);
    for (t, z) in run.t().iter().zip(run.column("bead.z")?) {
        let expected = -g * tau / kappa * (t - tau * (1.0 - (-t / tau).exp()));
        assert!((z - expected).abs() < 1e-8);
    }
    println!("after 2 s the bead is at {:.9} m", run.final_state().q[2]);
    Ok(())
}
