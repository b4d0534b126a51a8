//! Bad input is an error with a remedy, never a panic and never a NaN in the result.

use super::models::{Pendulum, falling};
use nalgebra::DMatrix;
use taut_constrain::{
    ConstrainError, ConstrainedOde, ConstraintSolver, Differentiated, Inconsistent, Mass, Metric, NumericalConstraints,
    OdeOptions, SolverOptions, SparseRows, StateMap,
};

fn ode(map: StateMap) -> Result<ConstrainedOde<Differentiated<Pendulum>>, ConstrainError> {
    ConstrainedOde::new(map, Differentiated::new(Pendulum, 2)?, Mass::Identity(2))
}

#[test]
fn sizes_and_indices() {
    let map = |positions: &[usize], rates: &[usize]| StateMap {
        states: 4,
        positions: positions.to_vec(),
        rates: rates.to_vec(),
    };
    for bad in [map(&[0, 1], &[2]), map(&[0, 4], &[2, 3]), map(&[0, 1], &[1, 3]), map(&[0], &[1])] {
        assert!(ode(bad).is_err());
    }
    let mut good = ode(map(&[0, 1], &[2, 3])).unwrap();
    let mut ydot = [0.0; 4];
    let error = good.rates(0.0, &[0.0; 3], &mut ydot, falling).unwrap_err();
    assert_eq!(error.to_string(), "y has 3 entries; it must have 4");
    let error = good.rates(0.0, &[1.0, f64::NAN, 0.0, 0.0], &mut ydot, falling).unwrap_err();
    assert!(error.to_string().starts_with("entry 1 of y is not a finite number"), "{error}");
    // The rates of the second coordinate are somewhere else.
    let error = ode(map(&[0, 2], &[1, 3])).unwrap().rates(0.0, &[1.0, 0.5, 0.0, 0.7], &mut ydot, falling).unwrap_err();
    assert!(matches!(error, ConstrainError::NotARate { .. }), "{error}");
}

#[test]
fn matrices() {
    assert!(Metric::new(Mass::Dense(DMatrix::from_element(2, 3, 1.0))).is_err());
    assert!(Metric::new(Mass::Dense(DMatrix::from_row_slice(2, 2, &[1.0, 0.5, 0.0, 1.0]))).is_err());
    assert!(Metric::new(Mass::Diagonal(vec![1.0, f64::NAN])).is_err());
    assert!(Metric::new(Mass::Blocks { sizes: vec![2], values: vec![1.0] }).is_err());
    let mut M = Metric::new(Mass::Diagonal(vec![1.0, -1.0])).unwrap();
    let A = SparseRows::full(1, 2);
    assert!(ConstraintSolver::new(&M, &SparseRows::full(1, 3), SolverOptions::default()).is_err());
    let bad = SolverOptions { rank_tolerance: f64::NAN, ..SolverOptions::default() };
    assert!(ConstraintSolver::new(&M, &A, bad).is_err());
    let mut solver = ConstraintSolver::new(&M, &A, SolverOptions::default()).unwrap();
    assert!(solver.factor(&mut M, &A).is_err(), "a negative mass that nothing restrains");
    let found = solver.accelerations(&mut M, &A, &[0.0; 2], &[0.0], &mut [0.0; 2], &mut [0.0]);
    assert!(matches!(found, Err(ConstrainError::Unsupported(_))), "{found:?}");
}

#[test]
fn constraints_that_cannot_hold() {
    // x² = −1, and two contradictory positions.
    let far = NumericalConstraints::new(
        1,
        1,
        Box::new(|_t, q, phi| {
            phi[0] = q[0] * q[0] + 1.0;
            Ok(())
        }),
    );
    let map = StateMap::positions_then_rates(1);
    let found = ConstrainedOde::new(map.clone(), far, Mass::Identity(1)).unwrap().project(0.0, &mut [0.3, 0.0]);
    assert!(found.is_err(), "{found:?}");
    let two = || {
        let phi = |_t: f64, q: &[f64], phi: &mut [f64]| {
            (phi[0], phi[1]) = (q[0] - 1.0, q[0] - 2.0);
            Ok(())
        };
        NumericalConstraints::new(1, 2, Box::new(phi))
    };
    let error =
        ConstrainedOde::new(map.clone(), two(), Mass::Identity(1)).unwrap().project(0.0, &mut [0.0, 0.0]).unwrap_err();
    assert!(matches!(error, ConstrainError::Contradictory { .. }), "{error}");
    let options = OdeOptions { inconsistent: Inconsistent::LeastSquares, ..OdeOptions::default() };
    let mut y = [0.0, 0.0];
    let mut least = ConstrainedOde::with_options(map.clone(), two(), Mass::Identity(1), options).unwrap();
    let found = least.project(0.0, &mut y).unwrap();
    assert!((y[0] - 1.5).abs() < 1e-12 && (found.position_residual - 0.5).abs() < 1e-12, "{y:?} {found:?}");
    // A function that fails reports its code.
    let fails = NumericalConstraints::new(1, 1, Box::new(|_, _, _| Err(7)));
    let error = ConstrainedOde::new(map, fails, Mass::Identity(1)).unwrap().project(0.0, &mut [0.0, 0.0]);
    assert_eq!(error, Err(ConstrainError::Function(7)));
}
