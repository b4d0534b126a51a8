//! Choices for which the engine has a type: one list each of the words of the file and the values of the engine.
//!
//! The reader, the writer, the schema and the reference page all use these lists. The first entry is the default.

use crate::model::settings::ExpectedAt;
use taut::analyses::RunMethod;
use taut::analyses::{ErrorNorm, ErrorPer, InitialConditions, Integrator, StepControl, StiffnessAction};
use taut::dynamics::{Inconsistent, RowWeighting, UpdateAxes};
use taut::events::ParadoxResponse;
use taut::{ColumnFamily, ReactionSharing};

/// Words of the file with the values they stand for.
pub(crate) type Choices<T, const N: usize> = [(&'static str, T); N];

pub(crate) const STEP_CONTROLS: Choices<StepControl, 2> =
    [("adaptive", StepControl::Varying), ("fixed", StepControl::Fixed)];

pub(crate) const ERROR_NORMS: Choices<ErrorNorm, 2> = [("rms", ErrorNorm::Rms), ("max", ErrorNorm::Max)];

pub(crate) const ERROR_PER: Choices<ErrorPer, 2> = [("automatic", ErrorPer::Automatic), ("step", ErrorPer::Step)];

pub(crate) const INCONSISTENT: Choices<Inconsistent, 2> =
    [("stop", Inconsistent::Stop), ("least_squares", Inconsistent::LeastSquares)];

pub(crate) const ROW_WEIGHTINGS: Choices<RowWeighting, 2> =
    [("as_written", RowWeighting::AsWritten), ("scaled", RowWeighting::Scaled)];

pub(crate) const CONTACT_METHODS: Choices<RunMethod, 3> = [
    ("automatic", RunMethod::Automatic),
    ("event_driven", RunMethod::Events),
    ("time_stepping", RunMethod::TimeStepping),
];

pub(crate) const INCREMENT_AXES: Choices<UpdateAxes, 2> =
    [("world", UpdateAxes::Spatial), ("body", UpdateAxes::Convected)];

pub(crate) const STIFFNESS_RESPONSES: Choices<StiffnessAction, 3> =
    [("warn", StiffnessAction::Warn), ("switch", StiffnessAction::Switch), ("ignore", StiffnessAction::Ignore)];

pub(crate) const PARADOX_RESPONSES: Choices<ParadoxResponse, 2> =
    [("stop", ParadoxResponse::Stop), ("impulse", ParadoxResponse::Impulse)];

pub(crate) const REACTION_SHARINGS: Choices<ReactionSharing, 3> = [
    ("solver", ReactionSharing::Solver),
    ("minimum_norm", ReactionSharing::MinimumNorm),
    ("stiffness", ReactionSharing::Stiffness),
];

pub(crate) const INITIAL_CONDITIONS: Choices<InitialConditions, 2> =
    [("assemble", InitialConditions::Assemble), ("as_given", InitialConditions::AsGiven)];

pub(crate) const STATISTICS: Choices<ExpectedAt, 3> =
    [("max", ExpectedAt::Max), ("min", ExpectedAt::Min), ("final", ExpectedAt::Final)];

/// The integrators.
pub(crate) const METHODS: [&str; Integrator::ALL.len()] = {
    let mut names = [""; Integrator::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Integrator::ALL[i].name();
        i += 1;
    }
    names
};

/// The word for all families of columns, and each family.
pub(crate) const FAMILIES: [&str; ColumnFamily::ALL.len() + 1] = {
    let mut names = ["all"; ColumnFamily::ALL.len() + 1];
    let mut i = 0;
    while i < ColumnFamily::ALL.len() {
        names[i + 1] = ColumnFamily::ALL[i].name();
        i += 1;
    }
    names
};

/// The words of a list.
pub(super) const fn names<T: Copy, const N: usize>(list: &Choices<T, N>) -> [&'static str; N] {
    let mut names = [""; N];
    let mut i = 0;
    while i < N {
        names[i] = list[i].0;
        i += 1;
    }
    names
}

/// The value of a word; the default if there is none.
pub(crate) fn value_of<T: Copy, const N: usize>(list: &Choices<T, N>, word: Option<&str>) -> T {
    list.iter().find(|(w, _)| Some(*w) == word).unwrap_or(&list[0]).1
}

/// The word of a value; none for the default, which a file need not say.
pub(crate) fn word_of<T: Copy + PartialEq, const N: usize>(list: &Choices<T, N>, value: T) -> Option<&'static str> {
    list.iter().skip(1).find(|(_, v)| *v == value).map(|(word, _)| *word)
}
