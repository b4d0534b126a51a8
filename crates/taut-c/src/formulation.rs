//! The published formulations by name.

use crate::memory::{dense, input, output};
use crate::status::{Failure, Message, TAUT_FORMULATION};
use std::ffi::{CStr, c_char};
use taut_constrain::formulations::{DenseEquations, FormulationParameters, Published};
use taut_constrain::nalgebra::DVector;
use taut_constrain::{ConstrainError, Symmetry};

/// Accelerations and multipliers of M v' = f + B^T lambda, A v' = b by a published formulation: "lagrange", "cholesky",
/// "regularised", "udwadia_kalaba_spectral", "null_space" and others, as in Taut's model files. B may be null if it equals A;
/// `symmetric` is 0 or 1. M is n x n, A and B are m x n, row by row.
///
/// # Safety
///
/// The pointers are null or valid for their sizes; `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_formulation(
    name: *const c_char,
    n: usize,
    m: usize,
    M: *const f64,
    symmetric: i32,
    f: *const f64,
    A: *const f64,
    B: *const f64,
    b: *const f64,
    vdot: *mut f64,
    lambda: *mut f64,
) -> i32 {
    Message::default().guard(|| {
        if name.is_null() {
            return Err(Failure::Null("name"));
        }
        // SAFETY: as required of the caller.
        let (name, M, A, f, b, vdot, lambda) = unsafe {
            (
                CStr::from_ptr(name).to_string_lossy(),
                dense("M", M, n, n)?,
                dense("A", A, m, n)?,
                DVector::from_column_slice(input("f", f, n)?),
                DVector::from_column_slice(input("b", b, m)?),
                output("vdot", vdot, n)?,
                output("lambda", lambda, m)?,
            )
        };
        let unknown = || Failure::Text(TAUT_FORMULATION, format!("there is no formulation `{name}`"));
        let method = Published::from_name(&name).ok_or_else(unknown)?;
        let mut full = DenseEquations::symmetric(M, f, A, b);
        if !B.is_null() {
            // SAFETY: as required of the caller.
            full.B = unsafe { dense("B", B, m, n)? };
        }
        if symmetric == 0 || full.B != full.A {
            full.symmetry = Symmetry::NonSymmetric;
        }
        let mut method = method.create(&FormulationParameters::default());
        if let Some(reason) = method.unsupported_reason(&full) {
            return Err(Failure::Text(TAUT_FORMULATION, reason));
        }
        let found = method.solve(&full).map_err(ConstrainError::from)?;
        vdot.copy_from_slice(found.vdot.as_slice());
        lambda.copy_from_slice(found.lambda.as_slice());
        Ok(())
    })
}
