//! Analyses of a model: assembly of a consistent start, transient simulation, kinematics, inverse dynamics, statics, small motions.

mod accounts;
mod contact_problem;
mod determinacy;
mod determinate_changes;
mod doctor;
mod driver_rows;
mod extremes;
mod floquet;
mod friction_bounds;
mod harmonics;
mod inverse;
mod kinematic;
pub mod laboratory;
pub mod linear;
mod multiblade;
mod periodic;
mod rank;
mod samples;
mod statics;
mod trim;
mod validity;
mod verification;

pub use accounts::{ElementAccount, EquationCondition, element_accounts, equation_condition};
pub use determinacy::{
    ComponentDeterminacy, DeterminacyReport, JointDeterminacy, JointReport, LoadTradingSet, UniqueCombination,
    determinacy, joint_determinacy, multipliers, share_reactions,
};
pub use determinate_changes::{JointChange, determinate_changes};
pub use doctor::{
    ConstraintResidual, DependentSet, Determinacy, DoctorReport, ExaminedPose, FreeMotion, GivenVelocities,
    LeadingCoordinate, MobilityCount, NearDependence, Persistence, RowReaction, Unreferenced, doctor,
};
pub use driver_rows::{DriverRow, driver_rows};
pub use extremes::{ContactPeak, Coverage, DriverEffort, Extremes, Peak, ReactionPeak, ResidualLevel, VectorPeak};
pub use floquet::{
    FloquetBranch, FloquetKind, FloquetMode, FloquetModes, HarmonicShare, PassageModes, floquet, passage_modes,
    track_floquet_modes,
};
pub use friction_bounds::{OverloadedConstraint, overloaded_constraints};
pub use harmonics::{ColumnHarmonics, HarmonicStatistic};
pub use inverse::{BodyEffort, Inverse, JointEffort, Reaction, inverse};
pub use kinematic::kinematic;
pub use multiblade::{Multiblade, MultibladeError, MultibladeMode, multiblade};
pub use periodic::{
    Continuation, ContinuationEnd, ContinuationError, CurvePoint, ModelAtValue, Period, PeriodicError, PeriodicMotion,
    PeriodicSettings, ShootingMatrix, SmallMotions, continue_periodic, periodic, periodic_with,
};
pub use rank::rank;
pub use statics::{
    ArcLength, BranchSwitching, ConstraintEnforcement, ContactReport, ContactStatus, CriticalPoint, CriticalPointKind,
    Equilibrium, EquilibriumMethod, Fallback, LoadPath, Loading, PathEnd, PathPoint, PenaltyComparison, Stability,
    StabilityAssessment, StaticResult, Statics, StaticsError, UniformRotation, compare_with_penalty, load_path,
    statics, with_load_factor,
};
pub use taut_ode::{Direction, ErrorNorm, Limits, Method as Integrator, StepControl};
pub use trim::{TrimError, TrimParameter, TrimTarget, Trimmed, trim};
pub use validity::axial_load_warnings;
pub use verification::{
    CheckPlan, CheckRun, CheckedExtreme, Disagreement, KeepRows, check_plans, checked_extremes, describes_motion,
    digits_that_hold, first_disagreement, run_check, with_digits,
};

pub use crate::model::events::EventDependence;
pub use crate::simulation::events::{Event, EventFunction, EventInput, RunAction, StateChange};
pub use crate::simulation::run::{Checkpoint, Run, RunLog, RunMethod, RunStatus, StartedRun, start_run};
pub use crate::simulation::transient::{
    ErrorPer, InitialConditions, Output, Simulation, StiffnessAction, Transient, simulate, simulate_with,
};
pub use crate::simulation::{
    AnalysisError, Assembled, AssemblyFailure, AssemblyReport, AssemblySettings, BodyDisplacement, Branch,
    BranchReport, BranchSearch, Completeness, Contradiction, GivenPose, LengthChange, MotionThrough, NearestApproach,
    RowResidual, SingularKind, SingularPose, StartTarget, StartWay, TargetPriority, TargetQuantity, TargetedStart,
    WayEnd, assemble, body_displacements, branches, meet_targets, nearest_approach, way_to_targets,
};
pub(crate) use crate::simulation::{check_positive, check_state};
pub use crate::solvers::rank::{RankReport, RowConsistency};

/// Rejects forces that read reactions, in analyses that do not solve for them in every evaluation.
fn refuse_reaction_forces(model: &crate::model::Model, method: &'static str) -> Result<(), AnalysisError> {
    let refusal = model.reaction_force_refusal();
    refusal.map_or(Ok(()), |why| Err(AnalysisError::Inapplicable { method, why }))
}
