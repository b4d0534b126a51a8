//! Code level for fully implicit codes: a user's g(t, y, ydot) = 0 with the multipliers appended.

use crate::memory::{input, output};
use crate::ode::{TautOde, with};
use crate::status::{Failure, TAUT_UNSUPPORTED};
use std::ffi::c_void;
use taut_constrain::{ConstrainError, ConstrainedResidual, ImplicitForm, NumericalConstraints, ResidualRows};

/// The user's residual: writes g (states) from t, y and ydot. Returns 0, or a code for failure.
pub type TautResidual =
    unsafe extern "C" fn(t: f64, y: *const f64, ydot: *const f64, g: *mut f64, user: *mut c_void) -> i32;

/// Rows of g and the level of the appended rows, set before the first evaluation.
pub(crate) type ImplicitSetup = (ResidualRows, ImplicitForm);

impl TautOde {
    /// The residual with multipliers, made from the set-up at its first use.
    fn implicit(&mut self) -> Result<&mut ConstrainedResidual<NumericalConstraints>, Failure> {
        if let Some((rows, form)) = self.take_implicit_setup() {
            let setup = self.take_setup()?;
            self.residual = Some(ConstrainedResidual::new(self.map.clone(), rows, setup.constraints, form)?);
        }
        let unset = "call taut_ode_set_implicit first; a handle serves either rates or residuals".to_string();
        self.residual.as_mut().ok_or(Failure::Text(TAUT_UNSUPPORTED, unset))
    }
}

/// Makes the handle serve a fully implicit code g(t, y, ydot) = 0. For each coordinate k, `kinematic[k]` is the row q' - v = 0 of
/// g and `motion[k]` the row M v' - f = 0. `form` is 1 (A v' = b and A q' = -phi_t; project after each step with another handle)
/// or 2 (phi = 0 and its rate: for BDF and Radau IIA; nothing drifts).
///
/// # Safety
///
/// `kinematic` and `motion` are null or valid for n numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_set_implicit(
    ode: *mut TautOde,
    kinematic: *const usize,
    motion: *const usize,
    form: i32,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let n = ode.map.n();
            let (kinematic, motion) = (input("kinematic", kinematic, n)?, input("motion", motion, n)?);
            let form = match form {
                1 => ImplicitForm::Index1,
                2 => ImplicitForm::Index2,
                _ => return Err(ConstrainError::Option { what: "the form", value: form.into() }.into()),
            };
            let rows = ResidualRows { kinematic: kinematic.to_vec(), motion: motion.to_vec() };
            // Sizes and indices are checked now, not at the first evaluation.
            let probe = NumericalConstraints::new(n, 0, Box::new(|_, _, _| Ok(())));
            ConstrainedResidual::new(ode.map.clone(), rows.clone(), probe, form)?;
            ode.setup()?.implicit = Some((rows, form));
            Ok(())
        })
    }
}

/// The number of entries of Y = (y, lambda, mu): lambda for all rows, mu for those of phi.
///
/// # Safety
///
/// `size` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_residual_size(ode: *mut TautOde, size: *mut usize) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            output("size", size, 1)?[0] = ode.implicit()?.size();
            Ok(())
        })
    }
}

/// G(t, Y, Ydot) from the user's g. Y, Ydot and G have the size that taut_ode_residual_size gives.
///
/// # Safety
///
/// The pointers are null or valid for that size; `g` is called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_ode_residual(
    ode: *mut TautOde,
    t: f64,
    Y: *const f64,
    Ydot: *const f64,
    G: *mut f64,
    g: Option<TautResidual>,
    user: *mut c_void,
) -> i32 {
    // SAFETY: as required of the caller.
    unsafe {
        with(ode, |ode| {
            let g = g.ok_or(Failure::Null("g"))?;
            let implicit = ode.implicit()?;
            let size = implicit.size();
            let (Y, Ydot, G) = (input("Y", Y, size)?, input("Ydot", Ydot, size)?, output("G", G, size)?);
            let mut failed = 0;
            implicit.residual(t, Y, Ydot, G, |t, y, ydot, of_g| {
                failed = g(t, y.as_ptr(), ydot.as_ptr(), of_g.as_mut_ptr(), user);
            })?;
            if failed == 0 { Ok(()) } else { Err(ConstrainError::Function(failed).into()) }
        })
    }
}
