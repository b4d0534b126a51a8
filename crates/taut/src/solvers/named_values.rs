//! Access to the values of a state by column name.

use crate::common::spelling::did_you_mean;
use crate::equations::initialise_turn_counters;
use crate::error::BuildError;
use crate::model::Model;
use crate::state::State;
use thiserror::Error;

/// Why a value of a state cannot be read or set.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StateError {
    /// The state does not fit the model.
    #[error(transparent)]
    Size(#[from] BuildError),
    /// No coordinate and no velocity has that name.
    #[error("there is no coordinate and no velocity `{name}`{hint}")]
    Unknown {
        /// The name.
        name: String,
        /// ` (did you mean …?)` or nothing.
        hint: String,
    },
    /// NaN or infinity.
    #[error("`{name}` cannot be set to {value}; give a finite number")]
    NotFinite {
        /// The name.
        name: String,
        /// The value.
        value: f64,
    },
}

/// The position of a named value.
enum NamedValue {
    Time,
    Coordinate(usize),
    Velocity(usize),
}

impl Model {
    /// One value of a state by column name: `crank.theta`, `crank.omega`, or `t`.
    ///
    /// # Errors
    /// An unknown name, or a state of another model.
    pub fn get(&self, state: &State, name: &str) -> Result<f64, StateError> {
        Ok(match self.locate(state, name)? {
            NamedValue::Time => state.t,
            NamedValue::Coordinate(i) => state.q[i],
            NamedValue::Velocity(i) => state.v[i],
        })
    }

    /// Sets one value of a state by column name. Nothing else changes with it; assemble the state afterwards. Turn
    /// counters change by the change of the angle.
    ///
    /// # Errors
    /// An unknown name, a value that is not finite, or a state of another model.
    pub fn set(&self, state: &mut State, name: &str, value: f64) -> Result<(), StateError> {
        let slot = self.locate(state, name)?;
        if !value.is_finite() {
            return Err(StateError::NotFinite { name: name.to_string(), value });
        }
        match slot {
            NamedValue::Time => state.t = value,
            NamedValue::Velocity(i) => state.v[i] = value,
            NamedValue::Coordinate(i) => {
                let (mut before, mut after) = (state.clone(), state.clone());
                after.q[i] = value;
                state.q[i] = value;
                initialise_turn_counters(self, &mut before);
                initialise_turn_counters(self, &mut after);
                let change = after.z.iter().zip(&before.z).map(|(a, b)| a - b);
                state.z.iter_mut().zip(change).for_each(|(z, change)| *z += change);
            }
        }
        Ok(())
    }

    fn locate(&self, state: &State, name: &str) -> Result<NamedValue, StateError> {
        self.check_state(state)?;
        if name == "t" {
            return Ok(NamedValue::Time);
        }
        let (q, v) = self.state_names();
        if let Some(i) = q.iter().position(|q| q.name == name) {
            return Ok(NamedValue::Coordinate(i));
        }
        if let Some(i) = v.iter().position(|v| v.name == name) {
            return Ok(NamedValue::Velocity(i));
        }
        let hint = did_you_mean(name, q.iter().chain(&v).map(|x| x.name.as_str()));
        Err(StateError::Unknown { name: name.to_string(), hint })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Measure, PlanarBody, Prescription, Relation, Signal, Spec};

    #[test]
    fn numbers_by_name() {
        let mut spec = Spec::new();
        let crank = Measure::angle("ground", "crank");
        spec.body("crank", PlanarBody::rod(1.0, 0.4))
            .constraint("pivot", Joint::pin("ground", "crank"))
            .constraint("motor", Relation::driver(crank, Prescription::Position(Signal::constant(7.0))));
        let model = spec.build().unwrap();
        let mut state = model.initial_state();
        model.set(&mut state, "crank.omega", 3.0).unwrap();
        model.set(&mut state, "crank.theta", 2.0).unwrap();
        model.set(&mut state, "t", 0.5).unwrap();
        assert_eq!((state.t, state.q[2], state.v[2]), (0.5, 2.0, 3.0));
        assert_eq!(model.get(&state, "crank.omega").unwrap(), 3.0);
        // The counter of the driven angle changed with it, and keeps its turns.
        assert!((state.z[0] - 2.0).abs() < 1e-15);
        state.z[0] += 10.0 * std::f64::consts::TAU;
        model.set(&mut state, "crank.theta", 2.5).unwrap();
        assert!((state.z[0] - 2.5 - 10.0 * std::f64::consts::TAU).abs() < 1e-13);

        let error = model.set(&mut state, "crank.omga", 1.0).unwrap_err().to_string();
        assert!(error.ends_with("(did you mean `crank.omega`?)"), "{error}");
        assert!(matches!(model.set(&mut state, "crank.x", f64::NAN), Err(StateError::NotFinite { .. })));
        assert!(matches!(model.get(&State::default(), "crank.x"), Err(StateError::Size(_))));
    }
}
