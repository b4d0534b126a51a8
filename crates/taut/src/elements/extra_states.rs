//! Extra first-order states of constraints and forces.

use crate::kinematics::ElementInput;

/// The extra states z of a constraint or force. All methods have defaults: there are none.
///
/// ```text
///  ż = s(t, q, v, z)        z jumps where a reset guard falls through zero
/// ```
///
/// A reset guard is a function of the motion. Where it falls through zero, the element changes its own extra states (the
/// reset map of a hybrid system). States that count turns come first.
pub trait ExtraStates {
    /// Number of extra states.
    fn state_count(&self) -> usize {
        0
    }
    /// Sets the extra states that belong to the given pose.
    fn initialise_states(&self, _at: &ElementInput, _z: &mut [f64]) {}
    /// Rates of the extra states.
    fn state_rates(&self, _at: &ElementInput, _zdot: &mut [f64]) {}
    /// For each extra state that counts turns: the two markers whose angle it counts.
    fn angle_markers(&self) -> Vec<[usize; 2]> {
        Vec::new()
    }
    /// Number of reset guards.
    fn reset_guard_count(&self) -> usize {
        0
    }
    /// Value of reset guard `i`. A guard that is not positive at the start of a run fires immediately.
    fn reset_guard(&self, _at: &ElementInput, _i: usize) -> f64 {
        1.0
    }
    /// Changes the states after reset guard `i` has fallen through zero.
    fn reset_states(&self, _at: &ElementInput, _i: usize, _z: &mut [f64]) {}
}
