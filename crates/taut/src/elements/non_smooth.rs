//! Where the equations of a constraint or force are not smooth.

use crate::breaks::{BreakList, GuardKind};
use crate::kinematics::ElementInput;
use crate::signals::PassedEnd;

/// Where the equations of an element, or a derivative of them, change their form. All methods have defaults: nowhere.
///
/// ```text
///  t = tₖ: breaks, known in advance        g(t, q, v, z) = 0: guards, found along the motion
/// ```
///
/// The integration restarts there, and no state changes. Reset guards, which change states, are in
/// [`ExtraStates`](super::ExtraStates).
pub trait NonSmooth {
    /// Adds the times between `from` and `to` at which its equations, or a derivative of them, are known in advance not to be
    /// smooth.
    fn breaks(&self, _from: f64, _to: f64, _list: &mut BreakList) {}
    /// Number of guards g.
    fn guard_count(&self) -> usize {
        0
    }
    /// What guard `i` stands for. If it marks a possible narrow peak, the step is checked, without a restart.
    fn guard_kind(&self, _i: usize) -> GuardKind {
        GuardKind::Switch
    }
    /// Value of guard `i`.
    fn guard(&self, _at: &ElementInput, _i: usize) -> f64 {
        f64::INFINITY
    }
    /// Whether it reads tables of limited range.
    fn has_bounded_tables(&self) -> bool {
        false
    }
    /// The table whose range the motion has left, if any.
    fn exceeded_table(&self, _at: &ElementInput) -> Option<PassedEnd> {
        None
    }
}
