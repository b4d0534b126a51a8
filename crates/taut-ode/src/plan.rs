//! The plan of an integration and its outcome.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{EventSearch, Refusal, Statistics};

/// Which states are output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputMode {
    /// Those at the times of [`Plan::times`].
    #[default]
    Times,
    /// In addition the start, the end of every step, every event, and both sides of every jump.
    EveryStep,
}

/// Bounds on the work. (The smallest step size is among the stepper's
/// [`Settings`](crate::Settings).)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Most steps, including those undone.
    pub max_steps: Option<u64>,
    /// Wall-clock limit, checked before every step.
    pub wall_clock: Option<Duration>,
}

/// What an integration is to do, from the present time of a stepper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// End time; earlier than the present time for backward integration.
    pub t_end: f64,
    /// Output times, sorted in the direction of integration. Those outside the integration are ignored.
    pub times: Vec<f64>,
    /// Which states are output.
    pub record: OutputMode,
    /// Bounds on the work.
    pub limits: Limits,
    /// How events are searched for.
    pub search: EventSearch,
}

impl Plan {
    /// To integrate to `t_end`, without output.
    #[must_use]
    pub fn to(t_end: f64) -> Self {
        Self {
            t_end,
            times: Vec::new(),
            record: OutputMode::default(),
            limits: Limits::default(),
            search: EventSearch::default(),
        }
    }

    /// With output at these times.
    #[must_use]
    pub fn at(mut self, times: Vec<f64>) -> Self {
        self.times = times;
        self
    }

    /// With output at every step.
    #[must_use]
    pub fn every_step(mut self) -> Self {
        self.record = OutputMode::EveryStep;
        self
    }

    /// With these limits.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    pub(crate) fn check(&self, t: f64) -> Result<(), PlanError> {
        if !self.t_end.is_finite() || !self.times.iter().all(|t| t.is_finite()) {
            return Err(PlanError::NotFinite);
        }
        let direction = self.t_end - t;
        for (index, pair) in self.times.windows(2).enumerate() {
            if (pair[1] - pair[0]) * direction < 0.0 {
                return Err(PlanError::NotSorted { index: index + 1 });
            }
        }
        let EventSearch { parts, resolution, .. } = self.search;
        if parts == 0 || !(resolution.is_finite() && resolution >= 0.0) {
            return Err(PlanError::Search);
        }
        Ok(())
    }
}

/// Why a plan is invalid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The end or a time of output is infinite or not a number.
    #[error("the end time or an output time is not finite")]
    NotFinite,
    /// The times of output are not sorted in the direction of integration.
    #[error("output time {index} is out of order")]
    NotSorted {
        /// Index of the first time out of order.
        index: usize,
    },
    /// The search for events needs at least one part and a resolution that is not negative.
    #[error("the event search needs at least one part and a resolution that is not negative")]
    Search,
    /// The system has another dimension than the stepper's state.
    #[error("system of dimension {found} for a state of dimension {expected}")]
    Dimension {
        /// Dimension of the state.
        expected: usize,
        /// Dimension of the system.
        found: usize,
    },
}

/// How an integration ended. In every case the stepper holds the last state reached, and all output up to it was
/// delivered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntegrationOutcome {
    /// It reached the end time.
    Finished,
    /// An event stopped it.
    Event {
        /// The event; that of smallest index if several stopped it at once.
        index: usize,
        /// The time of the event.
        t: f64,
    },
    /// The hook stopped it.
    Stopped {
        /// The time of the last step.
        t: f64,
    },
    /// The limit on the number of steps was reached.
    MaxSteps,
    /// The tolerance would need steps below the smallest size.
    StepTooSmall {
        /// Time of the last step.
        t: f64,
        /// Size that would have been tried next.
        h: f64,
    },
    /// The wall-clock limit was reached.
    WallClock,
    /// The system or the hook refused, and smaller steps did not help.
    Refused {
        /// Time of the last step.
        t: f64,
        /// The last reason given.
        refusal: Refusal,
    },
}

/// What an integration did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct IntegrationReport {
    /// How it ended.
    pub outcome: IntegrationOutcome,
    /// The time reached.
    pub t: f64,
    /// Work of the stepper since it was made.
    pub statistics: Statistics,
}
