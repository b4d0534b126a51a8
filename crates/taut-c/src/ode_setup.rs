//! What is set before the first evaluation of a constrained ODE.

use crate::memory::{TautMassSolve, User, dense, input, mass_solve};
use crate::ode::{TautComplexPhi, TautMass, TautOde, TautPsi, with};
use crate::status::Failure;
use std::ffi::c_void;
use taut_constrain::{ConstrainError, Inconsistent, Mass, RowWeighting, StageCorrection};

/// Adds `rows` rows psi(t, q, v) = 0.
///
/// # Safety
///
/// `psi` may be called with `user` until the handle is released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_psi(
    ode: *mut TautOde,
    rows: usize,
    psi: Option<TautPsi>,
    user: *mut c_void,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let function = state_function("psi", psi, user)?;
            crate::memory::entries(rows, ode.map.n())?;
            ode.setup()?.constraints.set_psi(rows, function);
            ode.rows += rows;
            Ok(())
        })
    }
}

/// phi for complex arguments: derivatives by complex steps, without truncation error.
///
/// # Safety
///
/// `phi` may be called with `user` until the handle is released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_complex_phi(
    ode: *mut TautOde,
    phi: Option<TautComplexPhi>,
    user: *mut c_void,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let (phi, user) = (phi.ok_or(Failure::Null("phi"))?, User(user));
            let function = move |t: [f64; 2], q: &[f64], out: &mut [f64]| {
                let code = phi(t.as_ptr(), q.as_ptr(), out.as_mut_ptr(), user.pointer());
                if code == 0 { Ok(()) } else { Err(code) }
            };
            ode.setup()?.constraints.set_complex_phi(Box::new(function));
            Ok(())
        })
    }
}

/// A of all rows, row by row: exact derivatives. With nonzeros set, only these, in their order by rows and columns.
///
/// # Safety
///
/// `jacobian` may be called with `user` until the handle is released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_jacobian(ode: *mut TautOde, jacobian: Option<TautPsi>, user: *mut c_void) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let function = state_function("jacobian", jacobian, user)?;
            ode.setup()?.constraints.set_jacobian(function);
            Ok(())
        })
    }
}

/// b of all rows, with A v' = b.
///
/// # Safety
///
/// `bias` may be called with `user` until the handle is released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_bias(ode: *mut TautOde, bias: Option<TautPsi>, user: *mut c_void) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let function = state_function("bias", bias, user)?;
            ode.setup()?.constraints.set_bias(function);
            Ok(())
        })
    }
}

/// The places at which A can differ from zero: `count` pairs of row and column. Long chains then cost little.
///
/// # Safety
///
/// `rows` and `columns` are null or valid for `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_nonzeros(
    ode: *mut TautOde,
    count: usize,
    rows: *const usize,
    columns: *const usize,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let (rows, columns) = (input("rows", rows, count)?, input("columns", columns, count)?);
            let places: Vec<_> = rows.iter().copied().zip(columns.iter().copied()).collect();
            Ok(ode.setup()?.constraints.set_nonzeros(&places)?)
        })
    }
}

/// Changes of each coordinate (n numbers) and of time over which phi is smooth, such as the shortest length in it; default: 1.
/// They set the steps of the differences, which are 1/256 and 1/64 of them.
///
/// # Safety
///
/// `coordinates` is null or valid for n numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_scale(ode: *mut TautOde, coordinates: *const f64, time: f64) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let coordinates = input("coordinates", coordinates, ode.map.n())?;
            Ok(ode.setup()?.constraints.set_scale(coordinates, time)?)
        })
    }
}

/// A diagonal M: n numbers.
///
/// # Safety
///
/// `diagonal` is null or valid for n numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_mass_diagonal(ode: *mut TautOde, diagonal: *const f64) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            ode.setup()?.mass = Mass::Diagonal(input("diagonal", diagonal, ode.map.n())?.to_vec());
            Ok(())
        })
    }
}

/// A full constant M, n x n; `symmetric` is 0 or 1.
///
/// # Safety
///
/// `M` is null or valid for n * n numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_mass_dense(ode: *mut TautOde, M: *const f64, symmetric: i32) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let M = dense("M", M, ode.map.n(), ode.map.n())?;
            ode.setup()?.mass = if symmetric == 0 { Mass::NonSymmetric(M) } else { Mass::Dense(M) };
            Ok(())
        })
    }
}

/// A full symmetric M that depends on t and q.
///
/// # Safety
///
/// `mass` may be called with `user` until the handle is released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_mass_function(
    ode: *mut TautOde,
    mass: Option<TautMass>,
    user: *mut c_void,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let (function, user, n) = (mass.ok_or(Failure::Null("mass"))?, User(user), ode.map.n());
            let setup = ode.setup()?;
            setup.mass = Mass::Dense(taut_constrain::nalgebra::DMatrix::identity(n, n));
            setup.mass_function = Some(Box::new(move |t, q, mass| {
                let Mass::Dense(M) = mass else { return Ok(()) };
                // M is symmetric: rows and columns are the same.
                match function(t, q.as_ptr(), M.as_mut_slice().as_mut_ptr(), user.pointer()) {
                    0 => Ok(()),
                    code => Err(ConstrainError::Function(code)),
                }
            }));
            Ok(())
        })
    }
}

/// Only a way to solve with a constant M.
///
/// # Safety
///
/// `solve` may be called with `user` until the handle is released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_mass_solve(
    ode: *mut TautOde,
    solve: Option<TautMassSolve>,
    user: *mut c_void,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let (solve, n) = (solve.ok_or(Failure::Null("solve"))?, ode.map.n());
            ode.setup()?.mass = Mass::Solve { n, solve: mass_solve(n, solve, User(user)) };
            Ok(())
        })
    }
}

/// A diagonal weight W of the corrections: n numbers; default: M.
///
/// # Safety
///
/// `diagonal` is null or valid for n numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_weight_diagonal(ode: *mut TautOde, diagonal: *const f64) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            ode.setup()?.weight = Some(Mass::Diagonal(input("diagonal", diagonal, ode.map.n())?.to_vec()));
            Ok(())
        })
    }
}

/// A full weight W of the corrections, n x n, symmetric and positive definite.
///
/// # Safety
///
/// `W` is null or valid for n * n numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_weight_dense(ode: *mut TautOde, W: *const f64) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let W = dense("W", W, ode.map.n(), ode.map.n())?;
            // Symmetry and finite numbers are checked now, not at the first evaluation.
            taut_constrain::Metric::new(Mass::Dense(W.clone()))?;
            ode.setup()?.weight = Some(Mass::Dense(W));
            Ok(())
        })
    }
}

/// Options: what an evaluation corrects (0 nothing, 1 velocities, the default, 2 positions and velocities), the weighting
/// of the rows (0 as written, 1 scaled), and the largest residual accepted after a projection (default: 1e-9).
///
/// # Safety
///
/// `ode` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_options(ode: *mut TautOde, stage: i32, weighting: i32, tolerance: f64) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let wrong = |what: &'static str, value: f64| Failure::Constrain(ConstrainError::Option { what, value });
            let options = &mut ode.setup()?.options;
            options.stage = match stage {
                0 => StageCorrection::None,
                1 => StageCorrection::Velocity,
                2 => StageCorrection::PositionAndVelocity,
                _ => return Err(wrong("the stage correction", stage.into())),
            };
            options.solver.weighting = match weighting {
                0 => RowWeighting::AsWritten,
                1 => RowWeighting::Scaled,
                _ => return Err(wrong("the weighting", weighting.into())),
            };
            if !(tolerance > 0.0 && tolerance.is_finite()) {
                return Err(wrong("the tolerance", tolerance));
            }
            options.tolerance = tolerance;
            Ok(())
        })
    }
}

/// Constraints that contradict each other in position or velocity: 0 stop with TAUT_CONTRADICTORY (default), 1 continue with the
/// least-squares solution; the quality reports its residual.
///
/// # Safety
///
/// `ode` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_inconsistent(ode: *mut TautOde, inconsistent: i32) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            ode.setup()?.options.inconsistent = match inconsistent {
                0 => Inconsistent::Stop,
                1 => Inconsistent::LeastSquares,
                value => {
                    let what = "the treatment of contradictory constraints";
                    return Err(Failure::Constrain(ConstrainError::Option { what, value: value.into() }));
                }
            };
            Ok(())
        })
    }
}

/// A function of t, q, v as the library needs it.
fn state_function(
    what: &'static str,
    function: Option<TautPsi>,
    user: *mut c_void,
) -> Result<taut_constrain::StateFunction, Failure> {
    let (function, user) = (function.ok_or(Failure::Null(what))?, User(user));
    Ok(Box::new(move |t: f64, q: &[f64], v: &[f64], out: &mut [f64]| {
        // SAFETY: the user's function is called as the header describes.
        match unsafe { function(t, q.as_ptr(), v.as_ptr(), out.as_mut_ptr(), user.pointer()) } {
            0 => Ok(()),
            code => Err(code),
        }
    }))
}
