//! The right-hand side of the differential equation.

use serde::{Deserialize, Serialize};

use crate::{Break, JacobianSolver, SecondOrder};

/// An explicit first-order system `y' = F(t, y)`.
pub trait System {
    /// Number of components of `y`; constant while one stepper works on the system.
    fn dimension(&self) -> usize;

    /// Called before the stages of each attempt at a step of size `h` from `t`. The derivative at `t` itself may have been
    /// evaluated earlier.
    fn attempt(&mut self, t: f64, h: f64) {
        let _ = (t, h);
    }

    /// Writes `F(t, y)` to `dydt`. Both slices have length [`dimension`](Self::dimension).
    ///
    /// `&mut self` so that the system may keep its workspace and warm starts; the result should
    /// nevertheless depend on `t` and `y` alone, since steps are rejected and repeated.
    ///
    /// # Errors
    /// A [`Refusal`] when `F` has no value at `(t, y)`. The step in progress is then tried again
    /// with a smaller size.
    fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal>;

    /// The next break on the way from `t` to `t_end`: forward the first whose `before` is not below `t`, backward the last
    /// whose `after` is not above it. No step crosses it.
    fn next_break(&mut self, t: f64, t_end: f64) -> Option<Break> {
        let _ = (t, t_end);
        None
    }

    /// Number of guards: functions of time and state at whose zeros `F`, or a derivative of it, changes its form. A step that
    /// crosses such a zero is repeated so that it ends there, and the integration restarts.
    fn guard_count(&self) -> usize {
        0
    }

    /// The kind of a guard.
    fn guard_kind(&self, i: usize) -> GuardKind {
        let _ = i;
        GuardKind::Switch
    }

    /// Writes the values of all guards at `(t, y)` to `g`. A NaN has no sign and counts as unknown.
    fn guard_values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        let _ = (t, y, g);
    }

    /// The search for zeros of guard `i` reached its bound between two times: zeros there may have been missed, or a step crosses one.
    fn guard_search_exhausted(&mut self, i: usize, from: f64, to: f64) {
        let _ = (i, from, to);
    }

    /// A solver for linear systems with the Jacobian of F; `None` for finite differences and a dense factorisation.
    fn jacobian_solver(&mut self) -> Option<&mut dyn JacobianSolver> {
        None
    }

    /// The same equations in second-order form, if they have one.
    fn second_order(&mut self) -> Option<&mut dyn SecondOrder> {
        None
    }
}

/// The kind of a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GuardKind {
    /// `F` changes its form where the guard crosses zero. The integration restarts there.
    Switch,
    /// `F` may have a narrow peak where the guard crosses zero or comes nearest to it. The step is checked there, and
    /// repeated with a smaller size if it missed the peak.
    Peak,
}

/// Why the right-hand side, or a projection, has no value at a state.
///
/// A refusal is not yet a failure: it rejects the step, which is repeated with a smaller size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// A result is infinite or not a number.
    #[error("the result is not finite")]
    NotFinite,
    /// The state lies outside the domain of the function.
    #[error("the state is outside the domain")]
    OutsideDomain,
    /// An inner iteration did not converge.
    #[error("an inner iteration did not converge")]
    NotConverged,
    /// The method needs second-order equations, and the system provides none.
    #[error("the method needs second-order equations")]
    NotSecondOrder,
    /// A reason specific to the system, identified by its code.
    #[error("refused by the system (code {0})")]
    Other(u32),
}
