//! Checked access to the memory of the caller.

use crate::status::{Failure, TAUT_SIZE};
use std::ffi::c_void;
use taut_constrain::MassSolve;
use taut_constrain::nalgebra::DMatrix;

/// A user's pointer, which is only handed back to the user's functions.
#[derive(Clone, Copy)]
pub(crate) struct User(pub *mut c_void);

// SAFETY: the pointer is never read here; a handle is used by one thread at a time, as the header requires.
unsafe impl Send for User {}

impl User {
    pub(crate) fn pointer(self) -> *mut c_void {
        self.0
    }
}

/// Numbers to read. Length 0 may be null.
///
/// # Safety
///
/// `pointer` is null or valid for `length` elements.
pub(crate) unsafe fn input<'a, T>(what: &'static str, pointer: *const T, length: usize) -> Result<&'a [T], Failure> {
    match (pointer.is_null(), length) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Failure::Null(what)),
        // SAFETY: as required of the caller.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(pointer, length) }),
    }
}

/// Numbers to write.
///
/// # Safety
///
/// `pointer` is null or valid for `length` elements, and nothing else refers to them.
pub(crate) unsafe fn output<'a, T>(what: &'static str, pointer: *mut T, length: usize) -> Result<&'a mut [T], Failure> {
    match (pointer.is_null(), length) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(Failure::Null(what)),
        // SAFETY: as required of the caller.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts_mut(pointer, length) }),
    }
}

/// Number of entries of a matrix, if it fits into memory. The library allocates without such a check, and a failed allocation
/// would end the process of the caller.
pub(crate) fn entries(rows: usize, cols: usize) -> Result<usize, Failure> {
    let fits = |n: &usize| Vec::<f64>::new().try_reserve_exact(*n).is_ok();
    rows.checked_mul(cols).filter(fits).ok_or_else(|| {
        Failure::Text(TAUT_SIZE, format!("a matrix of {rows} times {cols} numbers does not fit into memory"))
    })
}

/// A matrix given row by row.
///
/// # Safety
///
/// `pointer` is null or valid for rows · cols numbers.
pub(crate) unsafe fn dense(
    what: &'static str,
    pointer: *const f64,
    rows: usize,
    cols: usize,
) -> Result<DMatrix<f64>, Failure> {
    // SAFETY: as required of the caller.
    let values = unsafe { input(what, pointer, entries(rows, cols)?)? };
    Ok(DMatrix::from_row_slice(rows, cols, values))
}

/// Replaces r by M⁻¹ r, n numbers. Returns 0, or a code for failure.
pub type TautMassSolve = unsafe extern "C" fn(n: usize, r: *mut f64, user: *mut c_void) -> i32;

/// The user's function as the library needs it; a failure gives NaN, which the solver reports.
pub(crate) fn mass_solve(n: usize, solve: TautMassSolve, user: User) -> MassSolve {
    Box::new(move |r: &mut [f64]| {
        // SAFETY: the user's function is called as the header describes.
        if unsafe { solve(n, r.as_mut_ptr(), user.pointer()) } != 0 {
            r.fill(f64::NAN);
        }
    })
}
