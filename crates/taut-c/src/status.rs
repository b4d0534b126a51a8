//! Status codes, and the guard around every function.

use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use taut_constrain::ConstrainError;

/// Success.
pub const TAUT_OK: i32 = 0;
/// A pointer is null.
pub const TAUT_NULL: i32 = 1;
/// A size is wrong.
pub const TAUT_SIZE: i32 = 2;
/// A number is NaN or infinite.
pub const TAUT_NOT_FINITE: i32 = 3;
/// An index is out of range or occurs twice.
pub const TAUT_INDEX: i32 = 4;
/// M is not positive along a motion that the constraints leave free.
pub const TAUT_MASS: i32 = 5;
/// The constraints contradict each other.
pub const TAUT_CONTRADICTORY: i32 = 6;
/// Newton's method did not reach the constraints.
pub const TAUT_NOT_CONVERGED: i32 = 7;
/// An entry declared a rate is not the derivative of its position.
pub const TAUT_NOT_A_RATE: i32 = 8;
/// An option is invalid.
pub const TAUT_OPTION: i32 = 9;
/// The operation does not exist in this state or for this matrix.
pub const TAUT_UNSUPPORTED: i32 = 10;
/// A user function returned an error.
pub const TAUT_FUNCTION: i32 = 11;
/// A published formulation failed, or its name is unknown.
pub const TAUT_FORMULATION: i32 = 12;
/// An error inside the library; please report it.
pub const TAUT_INTERNAL: i32 = 13;

/// An error of the boundary or of the library.
pub(crate) enum Failure {
    Null(&'static str),
    Constrain(ConstrainError),
    Text(i32, String),
}

impl From<ConstrainError> for Failure {
    fn from(error: ConstrainError) -> Failure {
        Failure::Constrain(error)
    }
}

impl Failure {
    pub(crate) fn status(&self) -> i32 {
        match self {
            Failure::Null(_) => TAUT_NULL,
            Failure::Text(status, _) => *status,
            Failure::Constrain(error) => match error {
                ConstrainError::Size { .. } => TAUT_SIZE,
                ConstrainError::NotFinite { .. } => TAUT_NOT_FINITE,
                ConstrainError::Index { .. } => TAUT_INDEX,
                ConstrainError::Mass { .. } => TAUT_MASS,
                ConstrainError::Contradictory { .. } => TAUT_CONTRADICTORY,
                ConstrainError::NotConverged { .. } => TAUT_NOT_CONVERGED,
                ConstrainError::NotARate { .. } => TAUT_NOT_A_RATE,
                ConstrainError::Option { .. } => TAUT_OPTION,
                ConstrainError::Unsupported(_) => TAUT_UNSUPPORTED,
                ConstrainError::Function(_) => TAUT_FUNCTION,
                ConstrainError::Formulation(_) => TAUT_FORMULATION,
                _ => TAUT_INTERNAL,
            },
        }
    }

    fn message(&self) -> String {
        match self {
            Failure::Null(what) => format!("the pointer `{what}` is null"),
            Failure::Constrain(error) => error.to_string(),
            Failure::Text(_, text) => text.clone(),
        }
    }
}

/// The last message of a handle.
#[derive(Default)]
pub(crate) struct Message(CString);

impl Message {
    pub(crate) fn pointer(&self) -> *const c_char {
        self.0.as_ptr()
    }

    /// Runs a function; stores the message of its failure and returns the status. Panics end here.
    pub(crate) fn guard(&mut self, run: impl FnOnce() -> Result<(), Failure>) -> i32 {
        let failure = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(())) => return TAUT_OK,
            Ok(Err(failure)) => failure,
            Err(_) => Failure::Text(TAUT_INTERNAL, "an error inside the library; please report it".to_string()),
        };
        self.0 = CString::new(failure.message().replace('\0', " ")).unwrap_or_default();
        failure.status()
    }
}

/// What a status means; the text lives as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn taut_status_text(status: i32) -> *const c_char {
    let text = match status {
        TAUT_OK => c"success",
        TAUT_NULL => c"a pointer is null",
        TAUT_SIZE => c"a size is wrong",
        TAUT_NOT_FINITE => c"a number is NaN or infinite",
        TAUT_INDEX => c"an index is out of range or occurs twice",
        TAUT_MASS => c"M is not positive along a motion that the constraints leave free",
        TAUT_CONTRADICTORY => c"the constraints contradict each other",
        TAUT_NOT_CONVERGED => c"Newton's method did not reach the constraints",
        TAUT_NOT_A_RATE => c"an entry declared a rate is not the derivative of its position",
        TAUT_OPTION => c"an option is invalid",
        TAUT_UNSUPPORTED => c"the operation does not exist in this state or for this matrix",
        TAUT_FUNCTION => c"a user function returned an error",
        TAUT_FORMULATION => c"a published formulation failed, or its name is unknown",
        TAUT_INTERNAL => c"an error inside the library",
        _ => c"unknown status",
    };
    text.as_ptr()
}
