//! Errors of periodic motions.

use crate::analyses::AnalysisError;
use crate::analyses::linear::LinearError;
use crate::events::EventKind;
use crate::formulations::SolveError;
use crate::solution::Outcome;
use thiserror::Error;

/// Why there is no periodic motion, or why its small motions cannot be computed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PeriodicError {
    /// A state of the wrong size, or invalid settings.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// The equations cannot be linearised along the motion.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// A period that is not a positive number.
    #[error("the period is {found} s; it must be finite and greater than zero")]
    Period {
        /// What was found.
        found: f64,
    },
    /// The run ends within the period.
    #[error("the run ends at {t:.6} s, within the period: {outcome}")]
    RunEnds {
        /// When.
        t: f64,
        /// Why.
        outcome: Box<Outcome>,
    },
    /// A jump within the period.
    #[error(
        "`{name}` {what} at {t:.6} s, within the period: the motion or its equations jump there, and the small motions \
         across a jump are not computed. Choose a motion without it, or a smooth law (a compliant contact, regularised friction)"
    )]
    Jump {
        /// The element or event.
        name: String,
        /// What happens.
        what: &'static str,
        /// When.
        t: f64,
    },
    /// Friction that slips.
    #[error("`{constraint}` slips, and slipping friction cannot be linearised; use regularised friction")]
    Slipping {
        /// The constraint.
        constraint: String,
    },
    /// A sampled controller.
    #[error("`{force}` is sampled: its output jumps at every sample; remove `sample_time` to use its continuous loop")]
    Sampled {
        /// The controller.
        force: String,
    },
    /// An element that does not have the period.
    #[error(
        "`{element}` does not repeat after {period} s: at {t:.6} s it differs from one period later by {fraction:.1e} of its \
         size; give the period of the model, or a multiple of it"
    )]
    NotPeriodic {
        /// The element.
        element: String,
        /// The period, s.
        period: f64,
        /// When.
        t: f64,
        /// Relative difference.
        fraction: f64,
    },
    /// An element that depends on time although the period is unknown.
    #[error("`{element}` depends on time, so the period is not free: give it with --period, not --free-period")]
    NotAutonomous {
        /// The element.
        element: String,
    },
    /// Inputs whose switching times are not known.
    #[error(
        "the times at which `{element}` changes abruptly are too many or too hard to find; the small motions across them are not \
         computed. Write it as a table or with `step`"
    )]
    UnknownSwitches {
        /// The element.
        element: String,
    },
    /// Too many switches.
    #[error(
        "the equations change their form {count} times within {period} s, too often for an analysis of small motions"
    )]
    TooManySwitches {
        /// How often.
        count: usize,
        /// The period or a segment of it, s.
        period: f64,
    },
    /// The number of free motions changes along the motion.
    #[error(
        "at {t:.6} s the constraints leave {found} small motions free, at the start {expected}: the motion passes a singular pose"
    )]
    SingularPose {
        /// When.
        t: f64,
        /// Number there.
        found: usize,
        /// Number at the start.
        expected: usize,
    },
    /// A driver that does not return.
    #[error(
        "`{constraint}` is {moved:.6} {unit} away from its start after {period} s; give the period of the model, or a multiple of it"
    )]
    DisplacedDriver {
        /// The driver or joint.
        constraint: String,
        /// How far, without whole turns.
        moved: f64,
        /// Its unit.
        unit: String,
        /// The period, s.
        period: f64,
    },
    /// A column that is not the same after one period.
    #[error("column `{column}` does not repeat: after one period it differs by {difference:.2e} {unit}")]
    ColumnDoesNotRepeat {
        /// The column.
        column: String,
        /// The difference.
        difference: f64,
        /// Its unit.
        unit: String,
    },
    /// Newton's method does not converge.
    #[error(
        "no periodic motion was found near the start: after {iterations} iterations `{coordinate}` still differs by \
         {difference:.2e} {unit} after one period; {remedy}"
    )]
    NoConvergence {
        /// Iterations.
        iterations: usize,
        /// The coordinate or velocity with the largest difference.
        coordinate: String,
        /// The difference.
        difference: f64,
        /// Its unit.
        unit: String,
        /// What to do.
        remedy: &'static str,
    },
}

impl From<SolveError> for PeriodicError {
    fn from(e: SolveError) -> PeriodicError {
        PeriodicError::Linear(e.into())
    }
}

/// What an event does, as a verb.
pub(super) fn verb(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Event | EventKind::Touches => "fires",
        EventKind::Impact => "has an impact",
        EventKind::Closes | EventKind::Rests => "closes",
        EventKind::Opens => "opens",
        EventKind::Sticks => "starts to stick",
        EventKind::Slips => "starts to slip",
        EventKind::StateReset => "resets its states",
        EventKind::VelocityJump => "prescribes a velocity that jumps",
    }
}
