//! After set-up nothing is allocated: evaluations and projections of every kind.
#![allow(unsafe_code, non_snake_case)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use taut_constrain::scalar::Scalar;
use taut_constrain::{ConstrainedOde, ConstraintFormulas, Differentiated, Mass, NumericalConstraints, StateMap};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Particles on circles; `copies` equal rows each, and one rolling condition.
struct Circles {
    copies: usize,
}

impl ConstraintFormulas for Circles {
    fn position_rows(&self) -> usize {
        self.copies
    }
    fn velocity_rows(&self) -> usize {
        1
    }
    fn phi<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
        phi.iter_mut().for_each(|phi| *phi = (q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0);
    }
    fn psi<S: Scalar>(&self, _t: S, q: &[S], v: &[S], psi: &mut [S]) {
        psi[0] = v[2] - q[0] * v[1] + q[1] * v[0];
    }
}

#[test]
fn evaluations_and_projections_do_not_allocate() {
    let code = |_t: f64, y: &[f64], ydot: &mut [f64]| {
        ydot[..3].copy_from_slice(&y[3..]);
        ydot[3..].copy_from_slice(&[0.0, -9.81, 0.0]);
    };
    let dense = nalgebra::DMatrix::from_row_slice(3, 3, &[2.0, 0.1, 0.0, 0.1, 2.0, 0.0, 0.0, 0.0, 1.0]);
    for copies in [1, 3] {
        let masses = [
            Mass::Identity(3),
            Mass::Diagonal(vec![1.0, 1.0, 2.0]),
            Mass::Diagonal(vec![1.0, 1.0, 0.0]),
            Mass::Blocks { sizes: vec![2, 1], values: vec![2.0, 0.1, 0.1, 2.0, 1.0] },
            Mass::Dense(dense.clone()),
            Mass::Sparse(taut_constrain::SparseRows::from_dense(&dense)),
            Mass::NonSymmetric(dense.clone()),
            Mass::Solve { n: 3, solve: Box::new(|x| x[2] *= 0.5) },
        ];
        for mass in masses {
            let name = format!("{mass:?}, {copies} rows");
            let circles = Differentiated::new(Circles { copies }, 3).unwrap();
            let mut ode = ConstrainedOde::new(StateMap::positions_then_rates(3), circles, mass).unwrap();
            let (mut y, mut ydot) = ([1.0, 0.0, 0.0, 0.0, 0.5, 0.5], [0.0; 6]);
            let before = COUNT.with(Cell::get);
            for step in 0..5 {
                ode.rates(0.0, &y, &mut ydot, code).unwrap();
                y.iter_mut().zip(&ydot).for_each(|(y, k)| *y += 1e-3 * k);
                ode.project(1e-3 * step as f64, &mut y).unwrap();
            }
            let count = COUNT.with(Cell::get) - before;
            assert_eq!(count, 0, "{name}");
            let (phi, rate) = ode.residuals(0.0, &y).unwrap();
            assert!(phi < 1e-15 && rate < 1e-14, "{name}: {phi:e} {rate:e}");
        }
    }
    let rod = NumericalConstraints::new(
        2,
        1,
        Box::new(|_t, q, phi| {
            phi[0] = q[0].hypot(q[1]) - 1.0;
            Ok(())
        }),
    );
    let mut ode = ConstrainedOde::new(StateMap::positions_then_rates(2), rod, Mass::Identity(2)).unwrap();
    let mut y = [1.001, 0.0, 0.0, 0.1];
    let before = COUNT.with(Cell::get);
    ode.project(0.0, &mut y).unwrap();
    assert_eq!(COUNT.with(Cell::get) - before, 0);
}
