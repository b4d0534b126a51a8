use super::*;
use crate::analyses::{AssemblySettings, assemble};
use crate::dynamics::SolverSettings;
use crate::tangent::mechanism;
use nalgebra::{DMatrix, DVector};

/// The derivative of F by fourth-order differences.
fn finite_difference_jacobian(dynamics: &mut Dynamics, t: f64, y: &[f64]) -> DMatrix<f64> {
    let n = y.len();
    let mut J = DMatrix::zeros(n, n);
    let h = 1e-3;
    let mut rates = vec![0.0; n];
    for column in 0..n {
        for (place, weight) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
            let mut moved = y.to_vec();
            moved[column] += place * h;
            dynamics.rates(t, &moved, &mut rates).unwrap();
            (0..n).for_each(|row| J[(row, column)] += weight / (12.0 * h) * rates[row]);
        }
    }
    J
}

#[test]
fn linear_systems_agree_with_the_finite_difference_jacobian() {
    let model = mechanism();
    let state = assemble(&model, &model.initial_state(), &AssemblySettings::default()).unwrap().state;
    let mut dynamics = Dynamics::at(&model, &state, &SolverSettings::default());
    let n = dynamics.dimension();
    let mut y = vec![0.0; n];
    dynamics.pack(&state, &mut y);
    let J = finite_difference_jacobian(&mut dynamics, 0.0, &y);
    JacobianSolver::linearise(&mut dynamics, 0.0, &y).unwrap();
    for (sigma, width) in [(3.0, 0.0), (40.0, 0.0), (5.0, 7.0)] {
        dynamics.factor(0, sigma, width).unwrap();
        // A right-hand side tangent to the manifold of q, as all rates are.
        let mut along = vec![0.0; n];
        dynamics.rates(0.0, &y, &mut along).unwrap();
        let [mut re, mut im] = [along.clone(), along.iter().map(|x| 0.3 * x).collect::<Vec<f64>>()];
        if width == 0.0 {
            im.clear();
        }
        let (right_re, right_im) = (DVector::from_vec(re.clone()), DVector::from_vec(im.clone()));
        JacobianSolver::solve(&mut dynamics, 0, &mut re, &mut im).unwrap();
        let re = DVector::from_vec(re);
        let mut left = &re * sigma - &J * &re;
        if width != 0.0 {
            let im = DVector::from_vec(im);
            left -= &im * width;
            let left_im = &im * sigma + &re * width - &J * &im;
            assert!((&left_im - &right_im).amax() < 1e-6 * right_im.amax(), "{left_im} {right_im}");
        }
        let off = (&left - &right_re).amax();
        assert!(off < 1e-6 * right_re.amax(), "{sigma} + {width} i: {}", &left - &right_re);
    }
}
