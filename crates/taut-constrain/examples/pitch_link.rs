//! Add a pitch link to existing rotor code ([Masarati2010] §4.3).

use taut_constrain::nalgebra::DMatrix;
use taut_constrain::scalar::Scalar;
use taut_constrain::{ConstrainError, ConstrainedOde, ConstraintFormulas, Differentiated, Mass, StateMap};

/// Existing code: flap and pitch of a blade, y = (β, θ, β̇, θ̇).
fn blade(t: f64, y: &[f64], ydot: &mut [f64]) {
    let (w, ib, ix, ip) = (40.0, 416.67, 1.875e-2, 9.375e-2);
    let moment = 1e4 * (w * t + std::f64::consts::FRAC_PI_2).cos() - 0.5 * w * ib * y[2];
    let (f1, f2) = (moment - ib * w * w * 1.0625 * y[0] + ix * w * w * y[1], ix * w * w * y[0] - ip * w * w * y[1]);
    let det = ib * ip - ix * ix;
    ydot.copy_from_slice(&[y[2], y[3], (ip * f1 + ix * f2) / det, (ix * f1 + ib * f2) / det]);
}

/// New: the length of the link minus 0.15 m.
struct Link;

impl ConstraintFormulas for Link {
    fn position_rows(&self) -> usize {
        1
    }
    fn phi<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        let (sb, cb, st, ct) = (q[0].sin(), q[0].cos(), q[1].sin(), q[1].cos());
        let (x, y, z) = (cb * 0.05 - sb * st * 0.2 - 0.05, ct * 0.2 - 0.2, sb * 0.05 + cb * st * 0.2 + 0.15);
        phi[0] = (x * x + y * y + z * z).sqrt() - 0.15;
    }
}

fn main() -> Result<(), ConstrainError> {
    let mass = Mass::Dense(DMatrix::from_row_slice(2, 2, &[416.67, -1.875e-2, -1.875e-2, 9.375e-2]));
    let mut rotor = ConstrainedOde::new(StateMap::positions_then_rates(2), Differentiated::new(Link, 2)?, mass)?;
    let (mut y, mut k, h) = ([0.0; 4], [[0.0; 4]; 4], 2.5e-4);
    for step in 0..4000 {
        let t = h * f64::from(step);
        for s in 0..4 {
            // Runge–Kutta, as before.
            let c = [0.0, 0.5, 0.5, 1.0][s];
            let x: [f64; 4] = std::array::from_fn(|i| if s == 0 { y[i] } else { y[i] + c * h * k[s - 1][i] });
            rotor.rates(t + c * h, &x, &mut k[s], blade)?;
        }
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]));
        rotor.project(t + h, &mut y)?;
    }
    rotor.rates(1.0, &y, &mut k[0], blade)?;
    println!("flap {:.12} pitch {:.12} force {:.9}", y[0], y[1], rotor.lambda()[0]);
    Ok(())
}
