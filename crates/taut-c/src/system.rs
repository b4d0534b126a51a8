//! Matrix level: M, A, f, b in, accelerations, multipliers and corrections out.

pub use crate::memory::TautMassSolve;
use crate::memory::{User, dense, input, mass_solve, output};
use crate::status::{Failure, Message, TAUT_NULL, TAUT_OPTION};
use std::ffi::{c_char, c_void};
use taut_constrain::{ConstraintSolver, Mass, Metric, Quality, RowWeighting, SolverOptions, SparseRows};

/// A system of equations M v' = f + A^T lambda, A v' = b. Opaque.
pub struct TautSystem {
    n: usize,
    m: usize,
    metric: Metric,
    A: SparseRows,
    B: Option<SparseRows>,
    options: SolverOptions,
    solver: Option<ConstraintSolver>,
    factored: bool,
    message: Message,
}

/// What a solution satisfies.
#[repr(C)]
pub struct TautQuality {
    /// Number of independent rows.
    pub rank: usize,
    /// The row with the largest residual.
    pub row: usize,
    /// The largest |A v' - b|.
    pub residual: f64,
    /// Gauss' function (v' - a)^T M (v' - a)/2; NaN if M is singular or not symmetric.
    pub gaussian: f64,
}

impl TautQuality {
    pub(crate) fn write(quality: &Quality, to: *mut TautQuality) {
        if !to.is_null() {
            let Quality { rank, row, residual, gaussian } = *quality;
            // SAFETY: the caller gives null or a valid structure.
            unsafe { to.write(TautQuality { rank, row, residual, gaussian: gaussian.unwrap_or(f64::NAN) }) };
        }
    }
}

impl TautSystem {
    /// Factorises if M or A changed.
    fn prepare(&mut self) -> Result<(), Failure> {
        let solver = match &mut self.solver {
            Some(solver) => solver,
            none => none.insert(ConstraintSolver::new(&self.metric, &self.A, self.options)?),
        };
        if !self.factored {
            solver.factor_with_reactions(&mut self.metric, &self.A, self.B.as_ref())?;
            self.factored = true;
        }
        Ok(())
    }

    fn set_mass(&mut self, mass: Mass) -> Result<(), Failure> {
        self.metric = Metric::new(mass)?;
        (self.solver, self.factored) = (None, false);
        Ok(())
    }
}

/// Runs on a handle that may be null.
unsafe fn with(system: *mut TautSystem, run: impl FnOnce(&mut TautSystem) -> Result<(), Failure>) -> i32 {
    // SAFETY: a handle is null or was made by `taut_system_new`.
    let Some(system) = (unsafe { system.as_mut() }) else { return TAUT_NULL };
    let mut message = std::mem::take(&mut system.message);
    let status = message.guard(|| run(system));
    system.message = message;
    status
}

/// A system with n coordinates and m rows; M is the identity and A is zero until they are set.
///
/// # Safety
///
/// `system` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_new(n: usize, m: usize, system: *mut *mut TautSystem) -> i32 {
    if system.is_null() {
        return TAUT_NULL;
    }
    Message::default().guard(|| {
        crate::memory::entries(m, n)?;
        crate::memory::entries(n, 1)?;
        let new = TautSystem {
            n,
            m,
            metric: Metric::new(Mass::Identity(n))?,
            A: SparseRows::full(m, n),
            B: None,
            options: SolverOptions::default(),
            solver: None,
            factored: false,
            message: Message::default(),
        };
        // SAFETY: checked above.
        unsafe { *system = Box::into_raw(Box::new(new)) };
        Ok(())
    })
}

/// Releases a system; null is allowed.
///
/// # Safety
///
/// `system` comes from `taut_system_new` and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_free(system: *mut TautSystem) {
    if !system.is_null() {
        // SAFETY: as required of the caller.
        drop(unsafe { Box::from_raw(system) });
    }
}

/// The last message of this system; valid until its next call.
///
/// # Safety
///
/// `system` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_message(system: *const TautSystem) -> *const c_char {
    // SAFETY: as required of the caller.
    unsafe { system.as_ref() }.map_or(c"the handle is null".as_ptr(), |system| system.message.pointer())
}

/// Weighting of contradictory and redundant rows: 0 as written (default), 1 scaled to unit length in the norm of M^-1.
///
/// # Safety
///
/// `system` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_set_weighting(system: *mut TautSystem, weighting: i32) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(system, |s| {
            s.options.weighting = match weighting {
                0 => RowWeighting::AsWritten,
                1 => RowWeighting::Scaled,
                _ => return Err(Failure::Text(TAUT_OPTION, format!("the weighting must be 0 or 1, not {weighting}"))),
            };
            (s.solver, s.factored) = (None, false);
            Ok(())
        })
    }
}

/// A diagonal M: n numbers.
///
/// # Safety
///
/// `diagonal` is null or valid for n numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_set_mass_diagonal(system: *mut TautSystem, diagonal: *const f64) -> i32 {
    // SAFETY: as required of the caller.
    unsafe { with(system, |s| s.set_mass(Mass::Diagonal(input("diagonal", diagonal, s.n)?.to_vec()))) }
}

/// A full M, n x n; `symmetric` is 0 or 1.
///
/// # Safety
///
/// `M` is null or valid for n * n numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_set_mass_dense(system: *mut TautSystem, M: *const f64, symmetric: i32) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(system, |s| {
            let M = dense("M", M, s.n, s.n)?;
            s.set_mass(if symmetric == 0 { Mass::NonSymmetric(M) } else { Mass::Dense(M) })
        })
    }
}

/// Symmetric blocks along the diagonal: their sizes, and the entries of all blocks one after the other.
///
/// # Safety
///
/// `sizes` is null or valid for `count` numbers, `values` for the sum of their squares.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_set_mass_blocks(
    system: *mut TautSystem,
    count: usize,
    sizes: *const usize,
    values: *const f64,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(system, |s| {
            let sizes = input("sizes", sizes, count)?.to_vec();
            let total = sizes.iter().try_fold(0_usize, |a, n| a.checked_add(*n)).unwrap_or(usize::MAX);
            taut_size("the blocks of M", s.n, total)?;
            let squares = sizes.iter().try_fold(0_usize, |a, n| a.checked_add(n.checked_mul(*n)?));
            let values = input("values", values, crate::memory::entries(squares.unwrap_or(usize::MAX), 1)?)?.to_vec();
            s.set_mass(Mass::Blocks { sizes, values })
        })
    }
}

/// A sparse symmetric M with both triangles, as CSR (or CSC): n + 1 offsets, columns and values.
///
/// # Safety
///
/// `offsets` is null or valid for n + 1 numbers, `columns` and `values` for as many as its last entry says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_set_mass_sparse(
    system: *mut TautSystem,
    offsets: *const usize,
    columns: *const usize,
    values: *const f64,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(system, |s| {
            let M = sparse(s.n, s.n, offsets, columns, values)?;
            s.set_mass(Mass::Sparse(M))
        })
    }
}

/// Only a way to solve with M, which must be symmetric and positive definite.
///
/// # Safety
///
/// `solve` may be called with `user` until the system is released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_set_mass_solve(
    system: *mut TautSystem,
    solve: Option<TautMassSolve>,
    user: *mut c_void,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(system, |s| {
            let solve = solve.ok_or(Failure::Null("solve"))?;
            s.set_mass(Mass::Solve { n: s.n, solve: mass_solve(s.n, solve, User(user)) })
        })
    }
}

/// A, m x n, row by row.
///
/// # Safety
///
/// `A` is null or valid for m * n numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_set_jacobian(system: *mut TautSystem, A: *const f64) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(system, |s| {
            let values = input("A", A, s.m * s.n)?;
            if s.A.values().len() != values.len() {
                (s.A, s.solver) = (SparseRows::full(s.m, s.n), None);
            }
            s.A.values_mut().copy_from_slice(values);
            s.factored = false;
            Ok(())
        })
    }
}

/// A sparse A as CSR: m + 1 offsets, columns and values.
///
/// # Safety
///
/// `offsets` is null or valid for m + 1 numbers, `columns` and `values` for as many as its last entry says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_set_jacobian_sparse(
    system: *mut TautSystem,
    offsets: *const usize,
    columns: *const usize,
    values: *const f64,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(system, |s| {
            let A = sparse(s.m, s.n, offsets, columns, values)?;
            if !A.same_pattern(&s.A) {
                s.solver = None;
            }
            (s.A, s.factored) = (A, false);
            Ok(())
        })
    }
}

/// Reactions B^T lambda in place of A^T lambda: B is m x n, row by row; null restores A.
///
/// # Safety
///
/// `B` is null or valid for m * n numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_set_reactions(system: *mut TautSystem, B: *const f64) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(system, |s| {
            s.B = if B.is_null() { None } else { Some(SparseRows::from_dense(&dense("B", B, s.m, s.n)?)) };
            s.factored = false;
            Ok(())
        })
    }
}

/// Accelerations (n) and multipliers (m) for forces f (n) and right-hand sides b (m). `quality` may be null.
///
/// # Safety
///
/// The pointers are null or valid for their sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_accelerations(
    system: *mut TautSystem,
    f: *const f64,
    b: *const f64,
    vdot: *mut f64,
    lambda: *mut f64,
    quality: *mut TautQuality,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(system, |s| {
            let (f, b) = (input("f", f, s.n)?, input("b", b, s.m)?);
            let (vdot, lambda) = (output("vdot", vdot, s.n)?, output("lambda", lambda, s.m)?);
            s.prepare()?;
            if let Some(solver) = s.solver.as_mut() {
                let found = solver.accelerations(&mut s.metric, &s.A, f, b, vdot, lambda)?;
                TautQuality::write(&found, quality);
            }
            Ok(())
        })
    }
}

/// The least correction delta (n), in the norm of M, with A delta = -residual (m), and its multipliers mu (m):
/// delta = M^-1 A^T mu. For another weight W, set W in place of M.
///
/// # Safety
///
/// The pointers are null or valid for their sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_system_correction(
    system: *mut TautSystem,
    residual: *const f64,
    delta: *mut f64,
    mu: *mut f64,
    quality: *mut TautQuality,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(system, |s| {
            let residual = input("residual", residual, s.m)?;
            let (delta, mu) = (output("delta", delta, s.n)?, output("mu", mu, s.m)?);
            s.prepare()?;
            if let Some(solver) = s.solver.as_mut() {
                let found = solver.correction(&mut s.metric, &s.A, residual, delta, mu)?;
                TautQuality::write(&found, quality);
            }
            Ok(())
        })
    }
}

/// Refuses a wrong size.
fn taut_size(what: &'static str, expected: usize, found: usize) -> Result<(), Failure> {
    let error = taut_constrain::ConstrainError::Size { what, expected, found };
    if expected == found { Ok(()) } else { Err(Failure::Constrain(error)) }
}

/// A matrix from the three arrays of CSR.
unsafe fn sparse(
    rows: usize,
    cols: usize,
    offsets: *const usize,
    columns: *const usize,
    values: *const f64,
) -> Result<SparseRows, Failure> {
    // SAFETY: as required of the caller.
    unsafe {
        let offsets = input("offsets", offsets, rows + 1)?;
        let count = offsets.last().copied().unwrap_or(0);
        taut_size("a sparse matrix", count.min(rows.saturating_mul(cols)), count)?;
        let (columns, values) = (input("columns", columns, count)?, input("values", values, count)?);
        Ok(SparseRows::new(rows, cols, offsets.to_vec(), columns.to_vec(), values.to_vec())?)
    }
}
