//! Code level: constraints around a user's ydot = f(t, y).

use crate::memory::{User, input, output};
use crate::residual::ImplicitSetup;
use crate::status::{Failure, Message, TAUT_NULL, TAUT_UNSUPPORTED};
use crate::system::TautQuality;
use std::ffi::{c_char, c_void};
use taut_constrain::{
    ConstrainedOde, ConstrainedResidual, Mass, MassFunction, NumericalConstraints, OdeOptions, Projection, StateMap,
};

/// The user's right-hand side: writes ydot (states). Returns 0, or a code for failure.
pub type TautRates = unsafe extern "C" fn(t: f64, y: *const f64, ydot: *mut f64, user: *mut c_void) -> i32;
/// Writes phi(t, q).
pub type TautPhi = unsafe extern "C" fn(t: f64, q: *const f64, phi: *mut f64, user: *mut c_void) -> i32;
/// Writes psi(t, q, v); also the form of the functions for A (row by row) and b.
pub type TautPsi = unsafe extern "C" fn(t: f64, q: *const f64, v: *const f64, psi: *mut f64, user: *mut c_void) -> i32;
/// Writes phi for complex t, q: all as pairs (real, imaginary), like `double complex` of C and `complex` of Fortran.
pub type TautComplexPhi = unsafe extern "C" fn(t: *const f64, q: *const f64, phi: *mut f64, user: *mut c_void) -> i32;
/// Writes M(t, q), n x n.
pub type TautMass = unsafe extern "C" fn(t: f64, q: *const f64, M: *mut f64, user: *mut c_void) -> i32;

/// An ODE with constraints. Opaque. Set everything before the first evaluation.
pub struct TautOde {
    pub(crate) map: StateMap,
    pub(crate) rows: usize,
    setup: Option<Setup>,
    ode: Option<ConstrainedOde<NumericalConstraints>>,
    pub(crate) residual: Option<ConstrainedResidual<NumericalConstraints>>,
    message: Message,
}

/// What is set before the first evaluation.
pub(crate) struct Setup {
    pub(crate) constraints: NumericalConstraints,
    pub(crate) mass: Mass,
    pub(crate) mass_function: Option<MassFunction>,
    pub(crate) weight: Option<Mass>,
    pub(crate) options: OdeOptions,
    pub(crate) implicit: Option<ImplicitSetup>,
}

/// What a projection did.
#[repr(C)]
pub struct TautProjection {
    /// Iterations of Newton's method.
    pub iterations: usize,
    /// Number of independent rows.
    pub rank: usize,
    /// The largest |phi| left.
    pub position_residual: f64,
    /// The largest rate of phi, or psi, left.
    pub velocity_residual: f64,
    /// The largest change of a coordinate.
    pub position_change: f64,
    /// The largest change of a velocity.
    pub velocity_change: f64,
}

/// Runs on a handle that may be null.
pub(crate) unsafe fn with(ode: *mut TautOde, run: impl FnOnce(&mut TautOde) -> Result<(), Failure>) -> i32 {
    // SAFETY: a handle is null or was made by `taut_ode_new`.
    let Some(ode) = (unsafe { ode.as_mut() }) else { return TAUT_NULL };
    let mut message = std::mem::take(&mut ode.message);
    let status = message.guard(|| run(ode));
    ode.message = message;
    status
}

impl TautOde {
    pub(crate) fn setup(&mut self) -> Result<&mut Setup, Failure> {
        let late = "set this before the first evaluation or projection".to_string();
        self.setup.as_mut().ok_or(Failure::Text(TAUT_UNSUPPORTED, late))
    }

    pub(crate) fn take_setup(&mut self) -> Result<Setup, Failure> {
        self.setup()?;
        self.setup.take().ok_or(Failure::Null("ode"))
    }

    pub(crate) fn take_implicit_setup(&mut self) -> Option<ImplicitSetup> {
        self.setup.as_mut()?.implicit.take()
    }

    fn ready(&mut self) -> Result<&mut ConstrainedOde<NumericalConstraints>, Failure> {
        if self.residual.is_some() || self.setup.as_ref().is_some_and(|setup| setup.implicit.is_some()) {
            let other = "this handle serves residuals; make another one for rates and projections".to_string();
            return Err(Failure::Text(TAUT_UNSUPPORTED, other));
        }
        if let Some(setup) = self.setup.take() {
            let mut ode = ConstrainedOde::with_options(self.map.clone(), setup.constraints, setup.mass, setup.options)?;
            if let Some(function) = setup.mass_function {
                ode.set_mass_function(function);
            }
            if let Some(weight) = setup.weight {
                ode.set_weight(weight)?;
            }
            self.ode = Some(ode);
        }
        let broken = "the set-up failed; make a new handle".to_string();
        self.ode.as_mut().ok_or(Failure::Text(TAUT_UNSUPPORTED, broken))
    }
}

/// Constraints for a state of `states` entries, of which `positions[k]` is a coordinate and `rates[k]` its rate, k < n.
/// phi has `rows` rows. M is the identity until it is set: the constraints then hold, but the motion is that of equal masses.
///
/// # Safety
///
/// The pointers are null or valid for their sizes; `phi` may be called with `user` until the handle is released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_new(
    states: usize,
    n: usize,
    positions: *const usize,
    rates: *const usize,
    rows: usize,
    phi: Option<TautPhi>,
    user: *mut c_void,
    ode: *mut *mut TautOde,
) -> i32 {
    if ode.is_null() {
        return TAUT_NULL;
    }
    Message::default().guard(|| {
        crate::memory::entries(rows, n)?;
        crate::memory::entries(states, 1)?;
        // SAFETY: as required of the caller.
        let (positions, rates) = unsafe { (input("positions", positions, n)?, input("rates", rates, n)?) };
        let map = StateMap { states, positions: positions.to_vec(), rates: rates.to_vec() };
        let user = User(user);
        let phi = if rows == 0 { phi } else { Some(phi.ok_or(Failure::Null("phi"))?) };
        let function = move |t: f64, q: &[f64], out: &mut [f64]| {
            // SAFETY: the user's function is called as the header describes.
            let code = phi.map_or(0, |phi| unsafe { phi(t, q.as_ptr(), out.as_mut_ptr(), user.pointer()) });
            if code == 0 { Ok(()) } else { Err(code) }
        };
        let constraints = NumericalConstraints::new(n, rows, Box::new(function));
        let setup = Setup {
            constraints,
            mass: Mass::Identity(n),
            mass_function: None,
            weight: None,
            options: OdeOptions::default(),
            implicit: None,
        };
        // Sizes and indices are checked now, not at the first evaluation.
        let probe = NumericalConstraints::new(n, 0, Box::new(|_, _, _| Ok(())));
        ConstrainedOde::new(map.clone(), probe, Mass::Identity(n))?;
        let new = TautOde { map, rows, setup: Some(setup), ode: None, residual: None, message: Message::default() };
        // SAFETY: checked above.
        unsafe { *ode = Box::into_raw(Box::new(new)) };
        Ok(())
    })
}

/// Releases a handle; null is allowed.
///
/// # Safety
///
/// `ode` comes from `taut_ode_new` and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_free(ode: *mut TautOde) {
    if !ode.is_null() {
        // SAFETY: as required of the caller.
        drop(unsafe { Box::from_raw(ode) });
    }
}

/// The last message of this handle; valid until its next call.
///
/// # Safety
///
/// `ode` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_message(ode: *const TautOde) -> *const c_char {
    // SAFETY: as required of the caller.
    unsafe { ode.as_ref() }.map_or(c"the handle is null".as_ptr(), |ode| ode.message.pointer())
}

/// The right-hand side with constraints: calls `f` at the corrected state and writes ydot. `quality` may be null.
///
/// # Safety
///
/// `y` and `ydot` are null or valid for all states.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_rates(
    ode: *mut TautOde,
    t: f64,
    y: *const f64,
    ydot: *mut f64,
    f: Option<TautRates>,
    user: *mut c_void,
    quality: *mut TautQuality,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let f = f.ok_or(Failure::Null("f"))?;
            let y = input("y", y, ode.map.states)?;
            let ydot = output("ydot", ydot, ode.map.states)?;
            let function = |t: f64, y: &[f64], ydot: &mut [f64]| match f(t, y.as_ptr(), ydot.as_mut_ptr(), user) {
                0 => Ok(()),
                code => Err(code),
            };
            let found = ode.ready()?.try_rates(t, y, ydot, function)?;
            TautQuality::write(&found, quality);
            Ok(())
        })
    }
}

/// Moves positions and velocities of y onto the constraints. Call it after each step. `projection` may be null.
///
/// # Safety
///
/// `y` is null or valid for all states.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_project(
    ode: *mut TautOde,
    t: f64,
    y: *mut f64,
    projection: *mut TautProjection,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let y = output("y", y, ode.map.states)?;
            let found = ode.ready()?.project(t, y)?;
            let Projection { iterations, position_residual, velocity_residual, position_change, velocity_change, rank } =
                found;
            if !projection.is_null() {
                projection.write(TautProjection {
                    iterations,
                    rank,
                    position_residual,
                    velocity_residual,
                    position_change,
                    velocity_change,
                });
            }
            Ok(())
        })
    }
}

/// Copies the multipliers of the last calls: lambda of the accelerations, mu of the velocities, nu of the positions, one per
/// row (rows of phi, then of psi). Each pointer may be null.
///
/// # Safety
///
/// Each pointer is null or valid for all rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_multipliers(ode: *mut TautOde, lambda: *mut f64, mu: *mut f64, nu: *mut f64) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let rows = ode.rows;
            let ready = ode.ready()?;
            for (to, from) in [(lambda, ready.lambda()), (mu, ready.mu()), (nu, ready.nu())] {
                if !to.is_null() {
                    output("multipliers", to, rows)?.copy_from_slice(from);
                }
            }
            Ok(())
        })
    }
}

/// The largest |phi|, and the largest rate of phi or psi, at a state.
///
/// # Safety
///
/// `y` is null or valid for all states; the others are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_residuals(
    ode: *mut TautOde,
    t: f64,
    y: *const f64,
    position: *mut f64,
    velocity: *mut f64,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let y = input("y", y, ode.map.states)?;
            let (phi, rate) = ode.ready()?.residuals(t, y)?;
            (output("position", position, 1)?[0], output("velocity", velocity, 1)?[0]) = (phi, rate);
            Ok(())
        })
    }
}
