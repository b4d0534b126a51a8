//! The state of the scheme between two steps, to continue bit by bit.

use super::{MoreauScheme, StepCounts, StepFailure};
use crate::dynamics::SolverState;
use crate::state::State;
use crate::stepping::block_assembly::{ConstraintMemory, is_surface_contact};
use crate::stepping::contact_detection::ContactMemory;
use crate::stepping::contact_ledger::ContactLedgerCheckpoint;
use crate::stepping::sleep::SleepState;
use serde::{Deserialize, Serialize};

/// A scheme between two steps, without its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::stepping) struct SchemeCheckpoint {
    pub tally: StepCounts,
    worst: Option<(f64, String)>,
    known: Vec<ConstraintMemory>,
    sleep: SleepState,
    /// Memories of the contacts, in their order.
    memories: Vec<ContactMemory>,
    contact_ledger: ContactLedgerCheckpoint,
    gain: f64,
    plain_solves_left: usize,
    #[serde(default)]
    direct_solves_left: usize,
    lambda: Vec<f64>,
    vdot: Vec<f64>,
    standing: SolverState,
}

impl MoreauScheme<'_> {
    /// Everything that the next steps depend on.
    pub fn save(&self) -> SchemeCheckpoint {
        SchemeCheckpoint {
            tally: self.counts,
            worst: self.worst.clone(),
            known: self.constraint_memories.clone(),
            sleep: self.sleep.clone(),
            memories: self.detector.memories(),
            contact_ledger: self.contact_ledger.save(),
            gain: self.free_speed_change,
            plain_solves_left: self.impulses.plain_solves_left,
            direct_solves_left: self.impulses.direct_solves_left,
            lambda: self.dynamics.lambda.clone(),
            vdot: self.dynamics.vdot.clone(),
            standing: self.dynamics.solver_state(),
        }
    }

    /// Restores a state between two steps.
    pub fn restore(&mut self, state: &State, saved: &SchemeCheckpoint) {
        self.state.clone_from(state);
        self.counts = saved.tally;
        self.worst.clone_from(&saved.worst);
        self.constraint_memories.clone_from(&saved.known);
        self.sleep.clone_from(&saved.sleep);
        self.contact_ledger.restore(&saved.contact_ledger);
        self.free_speed_change = saved.gain;
        self.impulses.plain_solves_left = saved.plain_solves_left;
        self.impulses.direct_solves_left = saved.direct_solves_left;
        self.dynamics.lambda.clone_from(&saved.lambda);
        self.dynamics.vdot.clone_from(&saved.vdot);
        self.dynamics.restore(&saved.standing);
        self.evaluate_start();
        self.detector.restore(&self.scene.motions, self.full_step, self.free_speed_change, &saved.memories);
    }

    /// Estimates forces and accelerations at the start by those of a trial first step, unless it has an impact.
    pub fn predict_start_forces(&mut self, h: f64) {
        let (start, saved) = (self.state.clone(), self.save());
        let went: Result<(), StepFailure> = self.step(h, self.state.t + h);
        let reported = (went.is_ok() && !self.blocks.any_impact()).then(|| (self.state.clone(), self.save()));
        self.restore(&start, &saved);
        let Some((state, reported)) = reported else { return };
        self.contact_ledger.copy_forces(&reported.contact_ledger);
        for c in self.model.constraints.iter().filter(|c| is_surface_contact(c)) {
            self.state.z[c.z.clone()].copy_from_slice(&state.z[c.z.clone()]);
        }
        self.dynamics.lambda.clone_from(&reported.lambda);
        self.dynamics.vdot.clone_from(&reported.vdot);
    }
}
