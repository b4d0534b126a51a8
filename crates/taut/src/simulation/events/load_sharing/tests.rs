//! Loads shared by a box that stands on more points than it needs.

use super::*;
use crate::formulations::CompleteOrthogonalDecomposition;
use crate::motion::Vec3;

fn least(reserves: &[Reserve], x: &DVector<f64>) -> f64 {
    reserves.iter().map(|r| r.value(x)).fold(f64::INFINITY, f64::min)
}

/// One direction after the other, each to its best, over and over.
fn one_by_one(reserves: &[Reserve], directions: usize, reach: f64) -> f64 {
    let mut x = DVector::zeros(directions);
    for _ in 0..200 {
        for i in 0..directions {
            let (mut from, mut to) = (-reach, reach);
            for _ in 0..60 {
                let third = (to - from) / 3.0;
                let value = |s: f64| {
                    let mut x = x.clone();
                    x[i] = s;
                    least(reserves, &x)
                };
                if value(from + third) < value(to - third) { from += third } else { to -= third }
            }
            x[i] = 0.5 * (from + to);
        }
    }
    least(reserves, &x)
}

/// A box of weight 10 on an incline, on these points, under friction: the laws of all points over the forces that cancel
/// each other. Normal forces only, where friction is nothing.
fn stands(points: &[[f64; 2]], slope: f64, mu: f64) -> (Vec<Reserve>, usize, f64) {
    let (weight, height) = (10.0, 0.3);
    let rows = if mu > 0.0 { 3 } else { 1 };
    let axes = [Vec3::z(), Vec3::x(), Vec3::y()];
    let n = rows * points.len();
    let mut A = DMatrix::zeros(6, n);
    for (i, p) in points.iter().enumerate() {
        for (j, axis) in axes.iter().take(rows).enumerate() {
            let moment = Vec3::new(p[0], p[1], -height).cross(axis);
            A.column_mut(rows * i + j).copy_from_slice(&[axis.x, axis.y, axis.z, moment.x, moment.y, moment.z]);
        }
    }
    let along = if mu > 0.0 { weight * slope.sin() } else { 0.0 };
    let load = DVector::from_vec(vec![along, 0.0, weight * slope.cos(), 0.0, 0.0, 0.0]);
    let found = CompleteOrthogonalDecomposition::new(&A, 1e-9).unwrap();
    let lambda = found.solve(&load).unwrap();
    assert!((&A * &lambda - &load).amax() < 1e-12, "it can be held");
    let K = found.kernel().clone();
    let slope_of = |r: usize| K.row(r).transpose();
    let mut reserves = Vec::new();
    for i in 0..points.len() {
        let r = rows * i;
        reserves.push(Reserve::Linear { a: lambda[r], b: slope_of(r) });
        if mu > 0.0 {
            let (l, L) = (lambda.rows(r + 1, 2).into_owned(), K.rows(r + 1, 2).into_owned());
            reserves.push(Reserve::Cone { a: mu * lambda[r], b: slope_of(r) * mu, l, L });
        }
    }
    (reserves, K.ncols(), 2.0 * weight)
}

const CORNERS: [[f64; 2]; 4] = [[0.2, 0.1], [0.2, -0.1], [-0.2, 0.1], [-0.2, -0.1]];

#[test]
fn smooth_corners_with_one_too_many_spare_the_most() {
    // Five pressed points have a kernel of two; the best is the same at all, a fifth of the weight, where the fifth is
    // in the middle.
    let points = [&CORNERS[..], &[[0.0, 0.0]]].concat();
    let (reserves, directions, reach) = stands(&points, 0.0, 0.0);
    assert_eq!(directions, 2);
    let x = maximise_least_reserve(&reserves, directions, reach);
    assert!((least(&reserves, &x) - 2.0).abs() < 1e-8, "{}", least(&reserves, &x));
}

#[test]
fn rough_corners_with_one_too_many_hold_a_steep_box() {
    // On the way to the angle of friction the load fits all cones only in one way after the other.
    for (fifth, share) in [([0.0, 0.0], 0.9), ([0.1, 0.05], 0.99), ([-0.15, 0.02], 0.999)] {
        let (mu, points) = (0.5_f64, [&CORNERS[..], &[fifth]].concat());
        let (reserves, directions, reach) = stands(&points, (share * mu).atan(), mu);
        assert_eq!(directions, 9);
        let x = maximise_least_reserve(&reserves, directions, reach);
        let (found, stalls) = (least(&reserves, &x), one_by_one(&reserves, directions, reach));
        assert!(found > 0.0, "{fifth:?}: {found}");
        assert!(stalls < found - 1e-6, "{fifth:?}: a search along each direction found {stalls} of {found}");
        // No other way leaves more: not near this one, nor anywhere.
        for i in 0..2000_u32 {
            let turn = |j: usize| (f64::from(i) * 0.754_877 + j as f64 * 0.569_84 * f64::from(i + 1)).sin();
            for size in [1e-6, 1e-3, 0.1, 3.0] {
                let other = &x + DVector::from_fn(directions, |j, _| size * turn(j));
                assert!(least(&reserves, &other) <= found + 1e-8, "{fifth:?}: {size} beside it");
            }
        }
    }
}

#[test]
fn beyond_the_angle_of_friction_no_way_is_found() {
    let points = [&CORNERS[..], &[[0.0, 0.0]]].concat();
    let (reserves, directions, reach) = stands(&points, 1.01 * 0.5_f64.atan(), 0.5);
    assert!(least(&reserves, &maximise_least_reserve(&reserves, directions, reach)) < 0.0);
}

#[test]
fn a_load_without_choice_stays_as_it_is() {
    let (reserves, directions, reach) = stands(&CORNERS[..3], 0.0, 0.0);
    assert_eq!((directions, maximise_least_reserve(&reserves, directions, reach).len()), (0, 0));
}
