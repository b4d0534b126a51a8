//! Where the equations of a constraint or force are not smooth.

use crate::breaks::{BreakList, GuardKind};
use crate::kinematics::View;
use crate::signals::Beyond;

/// Where the equations of an element, or a derivative of them, change their form. All methods have defaults: nowhere.
///
/// ```text
///  t = tₖ: breaks, known in advance        g(t, q, v, z) = 0: guards, found along the motion
/// ```
///
/// The integration restarts there. No state changes; that is what the alarms of [`ExtraStates`](super::ExtraStates) do.
pub trait NonSmooth {
    /// Adds the times between `from` and `to` at which its equations, or a derivative of them, are not smooth, as far as
    /// they are known in advance.
    fn breaks(&self, _from: f64, _to: f64, _list: &mut BreakList) {}
    /// How many guards g it has.
    fn guards(&self) -> usize {
        0
    }
    /// What one of these functions stands for. Where a narrow peak may stand, the step is checked; there is no restart.
    fn guard_kind(&self, _i: usize) -> GuardKind {
        GuardKind::Switch
    }
    /// The value of one of these functions.
    fn guard(&self, _at: &View, _i: usize) -> f64 {
        f64::INFINITY
    }
    /// Whether it has tables that end.
    fn has_ends(&self) -> bool {
        false
    }
    /// A table that the motion has left.
    fn beyond(&self, _at: &View) -> Option<Beyond> {
        None
    }
}
