//! A user's fully implicit code with multipliers appended, solved by Newton's method.

use super::models::Pendulum;
use nalgebra::{DMatrix, DVector};
use taut_constrain::{ConstrainedResidual, Differentiated, ImplicitForm, ResidualRows, StateMap};

/// The user's residual: a falling particle of mass 2.
fn particle(_t: f64, y: &[f64], ydot: &[f64], g: &mut [f64]) {
    g.copy_from_slice(&[ydot[0] - y[2], ydot[1] - y[3], 2.0 * ydot[2], 2.0 * (ydot[3] + 9.81)]);
}

/// Steps of BDF2 (the first is implicit Euler) with Newton's method and differences; the state and λ at the end.
fn run(form: ImplicitForm, steps: usize) -> Vec<f64> {
    let rows = ResidualRows { kinematic: vec![0, 1], motion: vec![2, 3] };
    let rod = Differentiated::new(Pendulum, 2).unwrap();
    let mut code = ConstrainedResidual::new(StateMap::positions_then_rates(2), rows, rod, form).unwrap();
    let (size, h) = (code.size(), 0.5 / steps as f64);
    assert_eq!(size, 6);
    let mut Y = DVector::from_vec(vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let mut before = Y.clone();
    for step in 0..steps {
        let t = h * (step + 1) as f64;
        // Ẏ = (c Y − old)/h.
        let (c, old) = if step == 0 { (1.0, Y.clone()) } else { (1.5, &Y * 2.0 - &before * 0.5) };
        let mut residual = |x: &DVector<f64>| {
            let rate = (x * c - &old) / h;
            let mut G = DVector::zeros(size);
            code.residual(t, x.as_slice(), rate.as_slice(), G.as_mut_slice(), particle).unwrap();
            G
        };
        let mut x = Y.clone();
        for _ in 0..8 {
            let G = residual(&x);
            let mut K = DMatrix::zeros(size, size);
            for j in 0..size {
                let mut moved = x.clone();
                moved[j] += 1e-6;
                K.set_column(j, &((residual(&moved) - &G) / 1e-6));
            }
            x -= K.lu().solve(&G).unwrap();
        }
        before = std::mem::replace(&mut Y, x);
    }
    Y.as_slice().to_vec()
}

#[test]
fn both_forms_converge_to_the_pendulum() {
    // Position at 0.5 s by elliptic functions; tension 3 m g |z| in a rod of 1 m, towards the origin.
    let (x, z) = (0.39104879155, -0.92036994879);
    for form in [ImplicitForm::Index1, ImplicitForm::Index2] {
        let (coarse, fine) = (run(form, 100), run(form, 200));
        let error = |Y: &[f64]| (Y[0] - x).hypot(Y[1] - z);
        assert!(error(&fine) < 3e-4 && error(&coarse) / error(&fine) > 3.0, "{form:?}: {:e}", error(&fine));
        assert!((fine[4] - 3.0 * 2.0 * 9.81 * z).abs() < 0.05, "{form:?}: {}", fine[4]);
    }
    // φ holds exactly only where it is among the equations.
    let Y = run(ImplicitForm::Index2, 100);
    assert!((Y[0].hypot(Y[1]) - 1.0).abs() < 1e-12);
}
