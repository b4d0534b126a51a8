//! User code with constraints against closed forms and independent integrations.

use super::models::*;
use nalgebra::DMatrix;
use taut_constrain::{
    ConstrainedOde, Differentiated, Mass, NumericalConstraints, OdeOptions, StageCorrection, StateMap,
};

fn pendulum() -> ConstrainedOde<Differentiated<Pendulum>> {
    let rod = Differentiated::new(Pendulum, 2).unwrap();
    ConstrainedOde::new(StateMap::positions_then_rates(2), rod, Mass::Identity(2)).unwrap()
}

/// Elliptic functions, 30 digits.
const PENDULUM: [(f64, f64, f64); 4] = [
    (0.5, 0.39104879155, -0.92036994879),
    (1.0, -0.98629175113, -0.16501085313),
    (2.0, 0.79356619534, -0.60848393044),
    (5.0, 0.94230543504, -0.33475433841),
];

#[test]
fn the_pendulum_follows_the_elliptic_functions() {
    let (mut ode, mut y, mut t) = (pendulum(), [1.0, 0.0, 0.0, 0.0], 0.0);
    for (time, x, z) in PENDULUM {
        let steps = ((time - t) * 1000.0_f64).round() as usize;
        rk4(&mut ode, falling, &mut y, t, 1e-3, steps).unwrap();
        t = time;
        assert!((y[0] - x).abs() < 2e-9 && (y[1] - z).abs() < 2e-9, "{t}: {y:?}");
        let (phi, phidot) = ode.residuals(t, &y).unwrap();
        assert!(phi < 1e-15 && phidot < 1e-14, "{phi:e} {phidot:e}");
    }
}

#[test]
fn every_way_to_differentiate_gives_the_same_pendulum() {
    let rod = |_t: f64, q: &[f64], phi: &mut [f64]| {
        phi[0] = q[0].hypot(q[1]) - 1.0;
        Ok(())
    };
    let differences = NumericalConstraints::new(2, 1, Box::new(rod));
    let mut complex = NumericalConstraints::new(2, 1, Box::new(rod));
    complex.set_complex_phi(Box::new(|_t, q, phi| {
        // The principal root of x² + z² for complex x, z.
        let (re, im) = (q[0] * q[0] - q[1] * q[1] + q[2] * q[2] - q[3] * q[3], 2.0 * (q[0] * q[1] + q[2] * q[3]));
        let root = ((re.hypot(im) + re) / 2.0).sqrt();
        (phi[0], phi[1]) = (root - 1.0, im / (2.0 * root));
        Ok(())
    }));
    let mut given = NumericalConstraints::new(2, 1, Box::new(rod));
    given.set_jacobian(Box::new(|_t, q, _v, A| {
        let l = q[0].hypot(q[1]);
        (A[0], A[1]) = (q[0] / l, q[1] / l);
        Ok(())
    }));
    given.set_bias(Box::new(|_t, q, v, b| {
        let l = q[0].hypot(q[1]);
        b[0] = -(v[0] * q[1] - v[1] * q[0]).powi(2) / l.powi(3);
        Ok(())
    }));
    for (constraints, tolerance) in [(differences, 1e-9), (complex, 1e-11), (given, 1e-12)] {
        let mut ode = ConstrainedOde::new(StateMap::positions_then_rates(2), constraints, Mass::Identity(2)).unwrap();
        let (mut y, mut exact) = ([1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]);
        rk4(&mut ode, falling, &mut y, 0.0, 1e-2, 100).unwrap();
        rk4(&mut pendulum(), falling, &mut exact, 0.0, 1e-2, 100).unwrap();
        let far = (0..4).fold(0.0_f64, |m, i| m.max((y[i] - exact[i]).abs()));
        assert!(far < tolerance, "{far:e}");
        let (phi, phidot) = ode.residuals(1.0, &y).unwrap();
        assert!(phi < 1e-15 && phidot < 1e-12, "{phi:e} {phidot:e}");
    }
}

#[test]
fn the_pitch_link_moves_the_blade_as_published() {
    // DOP853 to 1e-12 on the two equations: t, β, θ, β̇, θ̇, λ.
    let known = [
        [
            0.05,
            -0.010230061841456622,
            0.0025576073494469093,
            -0.3781723951277133,
            0.09455328512638943,
            2.792510966455441,
        ],
        [0.25, -0.020576496898, 0.005144871054, 0.702110070, -0.175603909, -0.224869020],
        [1.0, -0.022450561923, 0.005613610316, -0.781835217, 0.195560043, 0.002018908],
        [2.0, 0.000409070120, -0.000102267536, 1.190611497, -0.297652926, -0.000140138],
    ];
    let link = Differentiated::new(PitchLink, 2).unwrap();
    let mass = Mass::Dense(DMatrix::from_row_slice(2, 2, &BLADE_MASS));
    let mut ode = ConstrainedOde::new(StateMap::positions_then_rates(2), link, mass).unwrap();
    let (mut y, mut t, mut ydot) = ([0.0; 4], 0.0_f64, [0.0; 4]);
    for row in known {
        let steps = ((row[0] - t) / 2.5e-4_f64).round() as usize;
        rk4(&mut ode, blade, &mut y, t, 2.5e-4, steps).unwrap();
        t = row[0];
        for i in 0..4 {
            assert!((y[i] - row[i + 1]).abs() < 1e-8, "{t}: {y:?}");
        }
        ode.rates(t, &y, &mut ydot, blade).unwrap();
        assert!((ode.lambda()[0] - row[5]).abs() < 1e-7, "{t}: {:?}", ode.lambda());
        let (phi, phidot) = ode.residuals(t, &y).unwrap();
        assert!(phi < 1e-15 && phidot < 1e-15, "{phi:e} {phidot:e}");
    }
}

#[test]
fn the_double_four_bar_moves_like_one_pendulum() {
    let bars = Differentiated::new(DoubleFourBar, 15).unwrap();
    let mass = Mass::Diagonal((0..15).map(|i| if i % 3 == 2 { 1.0 / 12.0 } else { 1.0 }).collect());
    let mut ode = ConstrainedOde::new(StateMap::positions_then_rates(15), bars, mass).unwrap();
    let mut y = double_four_bar_start();
    // θ'' = −(7 g/6 l) cos θ, integrated separately.
    rk4(&mut ode, falling_bars, &mut y, 0.0, 1e-3, 500).unwrap();
    assert!((y[2] - 0.801977699239597).abs() < 1e-9 && (y[17] + 2.7273084942772443).abs() < 1e-8, "{y:?}");
    let (phi, phidot) = ode.residuals(0.5, &y).unwrap();
    assert!(phi < 1e-14 && phidot < 1e-13, "{phi:e} {phidot:e}");
    assert_eq!(ode.project(0.5, &mut y).unwrap().rank, 14);
    // Through the pose at 0.7144 s in which 14 rows have rank 12.
    rk4(&mut ode, falling_bars, &mut y, 0.5, 1e-3, 500).unwrap();
    assert!((y[2] + 1.767074476310386).abs() < 1e-5, "{}", y[2]);
}

#[test]
fn a_chain_of_a_thousand_coordinates_has_the_tensions_of_a_tridiagonal_solution() {
    let particles = 500;
    let links = Differentiated::new(Chain { particles, length: 0.01 }, 2 * particles).unwrap();
    let mut ode =
        ConstrainedOde::new(StateMap::positions_then_rates(2 * particles), links, Mass::Identity(2 * particles))
            .unwrap();
    // Horizontal at rest, then released.
    let mut y = vec![0.0; 4 * particles];
    (0..particles).for_each(|k| y[2 * k] = 0.01 * (k + 1) as f64);
    rk4(&mut ode, falling_particles, &mut y, 0.0, 5e-4, 100).unwrap();
    let (phi, phidot) = ode.residuals(0.05, &y).unwrap();
    assert!(phi < 1e-15 && phidot < 1e-13, "{phi:e} {phidot:e}");
    let mut ydot = vec![0.0; y.len()];
    ode.rates(0.05, &y, &mut ydot, falling_particles).unwrap();
    // (d_k·d_k)(2λ_k − …): a tridiagonal system for the tensions, by elimination.
    let d = |k: usize, from: usize| -> [f64; 2] {
        let at = |k: usize, c: usize| y[from + 2 * k + c];
        if k == 0 { [at(0, 0), at(0, 1)] } else { [at(k, 0) - at(k - 1, 0), at(k, 1) - at(k - 1, 1)] }
    };
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let n = particles;
    let (mut main, mut right) = (vec![0.0; n], vec![0.0; n]);
    for k in 0..n {
        let own = d(k, 0);
        main[k] = dot(own, own) * if k == 0 { 1.0 } else { 2.0 };
        // Only the first rod feels gravity: elsewhere it accelerates both ends alike.
        let free = if k == 0 { own[1] * -9.81 } else { 0.0 };
        right[k] = -dot(d(k, 2 * n), d(k, 2 * n)) - free;
    }
    let mut off = vec![0.0; n];
    (1..n).for_each(|k| off[k] = -dot(d(k, 0), d(k - 1, 0)));
    for k in 1..n {
        let factor = off[k] / main[k - 1];
        main[k] -= factor * off[k];
        right[k] -= factor * right[k - 1];
    }
    let mut lambda = vec![0.0; n];
    for k in (0..n).rev() {
        let next = if k + 1 < n { off[k + 1] * lambda[k + 1] } else { 0.0 };
        lambda[k] = (right[k] - next) / main[k];
    }
    let size = lambda.iter().fold(0.0_f64, |a, l| a.max(l.abs()));
    let far = (0..n).fold(0.0_f64, |a, k| a.max((lambda[k] - ode.lambda()[k]).abs()));
    assert!(far < 1e-9 * size, "{far:e} of {size:e}");
}

#[test]
fn the_baseline_drifts_and_the_projection_does_not() {
    let run = |stage: StageCorrection, project: bool| {
        let options = OdeOptions { stage, ..OdeOptions::default() };
        let rod = Differentiated::new(Pendulum, 2).unwrap();
        let map = StateMap::positions_then_rates(2);
        let mut ode = ConstrainedOde::with_options(map, rod, Mass::Identity(2), options).unwrap();
        let (mut y, mut ydot) = ([1.0, 0.0, 0.0, 0.0], [0.0; 4]);
        for step in 0..1000 {
            ode.rates(step as f64 * 1e-3, &y, &mut ydot, falling).unwrap();
            y.iter_mut().zip(&ydot).for_each(|(y, k)| *y += 1e-3 * k);
            if project {
                ode.project(1.0, &mut y).unwrap();
            }
        }
        ode.residuals(1.0, &y).unwrap().0
    };
    assert!(run(StageCorrection::None, false) > 1e-3);
    for stage in [StageCorrection::None, StageCorrection::Velocity, StageCorrection::PositionAndVelocity] {
        assert!(run(stage, true) < 1e-15);
    }
}

#[test]
fn extra_states_and_scattered_entries_stay_where_they_are() {
    // y = (z, vz, x, s, vx): s' = −s is not mechanical.
    let code = |_t: f64, y: &[f64], ydot: &mut [f64]| ydot.copy_from_slice(&[y[1], -9.81, y[4], -y[3], 0.0]);
    let map = StateMap { states: 5, positions: vec![2, 0], rates: vec![4, 1] };
    let mut ode = ConstrainedOde::new(map, Differentiated::new(Pendulum, 2).unwrap(), Mass::Identity(2)).unwrap();
    let mut y = [0.0, 0.0, 1.0, 1.0, 0.0];
    let mut plain = [1.0, 0.0, 0.0, 0.0];
    rk4(&mut ode, code, &mut y, 0.0, 1e-2, 100).unwrap();
    rk4(&mut pendulum(), falling, &mut plain, 0.0, 1e-2, 100).unwrap();
    assert_eq!([y[2], y[0], y[4], y[1]], plain);
    assert!((y[3] - (-1.0_f64).exp()).abs() < 1e-9);
}
