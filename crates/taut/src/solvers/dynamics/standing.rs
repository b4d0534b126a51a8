//! What a run has determined about its rows. Together with the state this is a checkpoint.

use super::{Dynamics, Stages};
use crate::crossing::Crossing;
use crate::kkt::{Policy, RowRank};
use serde::{Deserialize, Serialize};

/// What a run has determined about its rows, besides its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    crossing: Crossing,
    stages: Stages,
    step: f64,
    dependent: Option<Vec<usize>>,
    rows: Option<(RowRank, Policy)>,
}

impl Dynamics<'_> {
    /// What the run has determined about its rows so far.
    pub fn standing(&self) -> Standing {
        Standing {
            crossing: self.crossing,
            stages: self.stages,
            step: self.step,
            dependent: self.formulation.dependent().map(<[usize]>::to_vec),
            rows: self.formulation.rows(),
        }
    }

    /// Restores what an earlier run has determined.
    pub fn resume(&mut self, standing: &Standing) {
        self.crossing = standing.crossing;
        self.stages = standing.stages;
        self.step = standing.step;
        standing.dependent.iter().for_each(|set| self.formulation.recall(set));
        if let (Some(projector), Some((rank, policy))) = (self.formulation.projector(), standing.rows) {
            projector.follow(policy);
            projector.assume(rank);
        }
    }
}
