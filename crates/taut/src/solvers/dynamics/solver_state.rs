//! What a run has determined about its rows. Together with the state this is a checkpoint.

use super::{ActiveStageProjection, Dynamics};
use crate::kkt::{RankPolicy, RowRank};
use crate::singular_poses::SingularPosePredictor;
use serde::{Deserialize, Serialize};

/// What a run has determined about its rows, besides its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolverState {
    singular_poses: SingularPosePredictor,
    stage_projection: ActiveStageProjection,
    step: f64,
    dependent: Option<Vec<usize>>,
    rows: Option<(RowRank, RankPolicy)>,
}

impl Dynamics<'_> {
    /// What the run has determined about its rows so far.
    pub fn solver_state(&self) -> SolverState {
        SolverState {
            singular_poses: self.singular_poses,
            stage_projection: self.stage_projection,
            step: self.step,
            dependent: self.formulation.dependent_velocities().map(<[usize]>::to_vec),
            rows: self.formulation.row_treatment(),
        }
    }

    /// Restores what an earlier run has determined.
    pub fn restore(&mut self, standing: &SolverState) {
        self.singular_poses = standing.singular_poses;
        self.stage_projection = standing.stage_projection;
        self.step = standing.step;
        standing.dependent.iter().for_each(|set| self.formulation.restore_dependent_velocities(set));
        if let (Some(projector), Some((rank, policy))) = (self.formulation.projector(), standing.rows) {
            projector.set_policy(policy);
            projector.set_rank(rank);
        }
    }
}
