//! Extra first-order states of constraints and forces.

use crate::kinematics::View;

/// The extra states z of a constraint or force. All methods have defaults: there are none.
///
/// ```text
///  ż = s(t, q, v, z)        z jumps where an alarm falls through zero
/// ```
///
/// States that count turns come first.
pub trait ExtraStates {
    /// Number of extra states.
    fn states(&self) -> usize {
        0
    }
    /// Sets the extra states to the given pose.
    fn settle(&self, _at: &View, _z: &mut [f64]) {}
    /// Rates of the extra states.
    fn states_rate(&self, _at: &View, _zdot: &mut [f64]) {}
    /// For each extra state that counts turns, which two of its markers it follows.
    fn angles(&self) -> Vec<[usize; 2]> {
        Vec::new()
    }
    /// How many functions of the motion it watches, at whose falling through zero it changes its own states.
    fn alarms(&self) -> usize {
        0
    }
    /// One of these functions. One that is not positive where a run starts changes the states there.
    fn alarm(&self, _at: &View, _i: usize) -> f64 {
        1.0
    }
    /// Changes the states where that function has fallen through zero.
    fn ring(&self, _at: &View, _i: usize, _z: &mut [f64]) {}
}
