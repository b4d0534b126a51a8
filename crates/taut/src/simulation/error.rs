//! Errors of an analysis.

use super::assembly::RowResidual;
use super::run::RunMethod;
use crate::constraints::RowLevel;
use crate::error::BuildError;
use crate::interruption;
use crate::solvers::UndeterminedMotion;
use crate::solvers::rank::{MAX_PART_SIZE, RankError, RankReport, RowConsistency};
use std::fmt;
use thiserror::Error;

/// Misuse of an analysis, or a mechanism that does not allow it.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum AnalysisError {
    /// A gap that is negative at the start.
    #[error(
        "`{constraint}` overlaps by {depth:.3e} at the start: a gap may be open or closed, not negative; move the bodies \
         apart, or correct the length"
    )]
    Overlap {
        /// The constraint.
        constraint: String,
        /// By how much.
        depth: f64,
    },
    /// A prescribed position that jumps.
    #[error(
        "`{constraint}` prescribes a position that jumps by {by:.4} at t = {t} s, which no finite force can follow; \
         prescribe a continuous motion (`smooth_step`, `step(t, t0, a, t1, b)` with t1 > t0, a table), or its velocity"
    )]
    PositionJump {
        /// The constraint.
        constraint: String,
        /// When.
        t: f64,
        /// By how much.
        by: f64,
    },
    /// More pairs of surfaces than events can be located for.
    #[error(
        "more than {most} pairs of surfaces can touch, too many to locate every event; use time stepping, or name the \
         pairs that matter in `contacts`"
    )]
    ManyPairs {
        /// The most.
        most: usize,
    },
    /// No contact modes obey the laws at the start.
    #[error(
        "Coulomb's law has no solution or several at `{contact}` at the start (Painlevé); lower the coefficient of \
         friction, or allow the impulsive solution"
    )]
    Paradox {
        /// The contact.
        contact: String,
    },
    /// Endless impacts at the start.
    #[error(
        "impacts of `{}` cause each other endlessly at the start; give a restitution below 1, another law of \
         impact, or use time stepping",
        names.join("`, `")
    )]
    Endless {
        /// The contacts.
        names: Vec<String>,
    },
    /// The state does not fit the model.
    #[error(transparent)]
    State(#[from] BuildError),
    /// NaN or infinity where a number is needed.
    #[error("{what} is not finite; give a finite number")]
    NotFinite {
        /// What.
        what: String,
    },
    /// The end is not after the start.
    #[error("the end t_end = {t_end} s must be a finite time after the start at t = {t} s")]
    EndTime {
        /// The requested end.
        t_end: f64,
        /// The start.
        t: f64,
    },
    /// An invalid output interval.
    #[error("the output interval is {found} s; it must be finite, greater than zero, and give at most {most} outputs")]
    Interval {
        /// What was found.
        found: f64,
        /// Most outputs.
        most: u64,
    },
    /// The output times are not sorted.
    #[error("output time {index} ({t} s) is not finite or precedes the time before it; sort the times")]
    Times {
        /// Which.
        index: usize,
        /// Its value.
        t: f64,
    },
    /// A setting that must be a positive number is none.
    #[error("the setting `{name}` is {found}; it must be finite and greater than zero")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What was found.
        found: f64,
    },
    /// A setting is too large.
    #[error("the setting `{name}` is {found}; it must be at most {most}")]
    SettingAbove {
        /// Its name.
        name: &'static str,
        /// What was found.
        found: f64,
        /// Its greatest value.
        most: f64,
    },
    /// The weights of a projection do not fit the model.
    #[error(
        "the weights of the projection are {found} numbers, the model has {needed} velocities; give one positive, \
         finite number each"
    )]
    Weights {
        /// Found.
        found: usize,
        /// Needed.
        needed: usize,
    },
    /// A body or coordinate that is to be held does not exist.
    #[error("cannot hold `{name}`: there is no such body or coordinate{hint}")]
    UnknownHeld {
        /// The name.
        name: String,
        /// ` (did you mean …?)` or nothing.
        hint: String,
    },
    /// The integrator refuses its settings.
    #[error("integrator: {0}; check rtol, atol and the step sizes")]
    Integrator(#[from] taut_ode::SetupError),
    /// A checkpoint of another model or method.
    #[error("the checkpoint does not fit: {0}; restore it with the model and the integrator it was made with")]
    Checkpoint(#[from] taut_ode::RestoreError),
    /// A checkpoint of a run with the other method.
    #[error("the checkpoint does not fit: its run used the method {found:?}; start the run with that method")]
    CheckpointMethod {
        /// The method of the checkpoint.
        found: RunMethod,
    },
    /// The model is too large for a decomposition.
    #[error(
        "{rows} rows and {velocities} velocities are too many, or too strongly coupled, for a rank (at most {limit})"
    )]
    TooLarge {
        /// Rows.
        rows: usize,
        /// Velocities.
        velocities: usize,
        /// The most.
        limit: usize,
    },
    /// The constraints cannot be met.
    #[error("{0}")]
    CannotAssemble(Box<AssemblyFailure>),
    /// Hard initial values that contradict each other or the constraints.
    #[error("the initial values of `{}` cannot be met: {why}", names.join("`, `"))]
    Targets {
        /// The targets.
        names: Vec<String>,
        /// The failure of the assembly.
        why: Box<AssemblyFailure>,
    },
    /// A kinematic analysis needs a motion prescribed in full.
    #[error(
        "the motion is not fully prescribed at t = {t} s: {freedoms} freedom(s) left, moving {}; add drivers, or use a \
         transient analysis",
        list_names(bodies)
    )]
    NotDriven {
        /// When.
        t: f64,
        /// Freedoms left.
        freedoms: usize,
        /// Bodies that move in them.
        bodies: Vec<String>,
    },
    /// An event that changes the mechanism, in a fully prescribed motion.
    #[error(
        "event `{event}` changes the mechanism or its state, which a fully prescribed motion cannot follow; use a transient \
         analysis, or leave the event out"
    )]
    EventInKinematics {
        /// The event.
        event: String,
    },
    /// A formulation or drift control that this model does not allow.
    #[error("`{method}` cannot be used here: {why}")]
    Inapplicable {
        /// Its name.
        method: &'static str,
        /// Why.
        why: String,
    },
    /// A body without mass whose motion no constraint determines.
    #[error("{0}")]
    Massless(UndeterminedMotion),
    /// The computation was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// A change of a run that has ended.
    #[error("the run has ended; nothing in it can be changed any more")]
    Ended,
    /// A body that only the motion changes.
    #[error("body `{body}` is not a variable; only variables (`type = \"variable\"`) can be set during a run")]
    NotAVariable {
        /// Its name.
        body: String,
    },
    /// A vector of the wrong length.
    #[error("{what} has {found} numbers, the model has {needed}")]
    Length {
        /// What.
        what: &'static str,
        /// Found.
        found: usize,
        /// Needed.
        needed: usize,
    },
}

/// An error if the computation on this thread should stop now.
pub(crate) fn check_interruption() -> Result<(), AnalysisError> {
    if interruption::is_requested() { Err(AnalysisError::Interrupted) } else { Ok(()) }
}

/// Details of constraints that cannot be met.
#[derive(Clone, Debug, PartialEq)]
pub struct AssemblyFailure {
    /// The level that cannot be met: positions or velocities.
    pub level: RowLevel,
    /// When.
    pub t: f64,
    /// The rows with the largest remaining residuals, largest first.
    pub worst: Vec<RowResidual>,
    /// Rank at the last pose, if the model is small enough.
    pub rank: Option<RankReport>,
}

impl fmt::Display for AssemblyFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, remedy) = match self.level {
            RowLevel::Position => {
                ("positions", "check lengths and marker positions, and start from a pose nearer to the assembled one")
            }
            _ => (
                "velocities",
                "check the drivers and the given velocities; redundant rows may prescribe different rates",
            ),
        };
        write!(f, "no {what} found that satisfy the constraints at t = {} s; largest residuals:", self.t)?;
        for (i, r) in self.worst.iter().take(4).enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma} `{}` {:.3e} {}", r.row, r.after, r.unit)?;
        }
        if let Some(rank) = &self.rank
            && rank.redundant > 0
        {
            // Rows that repeat others without contradiction are not the cause.
            match rank.verdict {
                RowConsistency::Contradictory { .. } => {
                    write!(f, "; these constraints contradict each other: {}", list_names(&rank.contradicting))?;
                }
                _ => write!(f, "; {} redundant row(s) among {}", rank.redundant, list_names(&rank.dependent))?,
            }
        }
        write!(f, "; {remedy}")
    }
}

/// The first few names of a list.
pub(crate) fn list_names(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut text = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    if text.is_empty() { "nothing".to_string() } else { text }
}

impl From<RankError> for AnalysisError {
    fn from(error: RankError) -> AnalysisError {
        match error {
            RankError::NotFinite => AnalysisError::NotFinite { what: "the constraint Jacobian".to_string() },
            RankError::TooLarge { rows, velocities } => {
                AnalysisError::TooLarge { rows, velocities, limit: MAX_PART_SIZE }
            }
        }
    }
}
