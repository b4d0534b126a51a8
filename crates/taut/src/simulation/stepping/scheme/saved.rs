//! The state of the scheme between two steps, to continue bit by bit.

use super::{Scheme, Stop, Tally};
use crate::dynamics::Standing;
use crate::state::State;
use crate::stepping::account::Booked;
use crate::stepping::detect::Memory;
use crate::stepping::rows::{Known, of_surfaces};
use crate::stepping::sleep::Sleep;
use serde::{Deserialize, Serialize};

/// A scheme between two steps, without its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::stepping) struct Saved {
    pub tally: Tally,
    worst: Option<(f64, String)>,
    known: Vec<Known>,
    sleep: Sleep,
    /// Memories of the contacts, in their order.
    memories: Vec<Memory>,
    booked: Booked,
    gain: f64,
    waiting: usize,
    #[serde(default)]
    stubborn: usize,
    lambda: Vec<f64>,
    vdot: Vec<f64>,
    standing: Standing,
}

impl Scheme<'_> {
    /// Everything that the next steps depend on.
    pub fn save(&self) -> Saved {
        Saved {
            tally: self.tally,
            worst: self.worst.clone(),
            known: self.known.clone(),
            sleep: self.sleep.clone(),
            memories: self.detector.memories(),
            booked: self.account.save(),
            gain: self.gain,
            waiting: self.impulses.waiting,
            stubborn: self.impulses.stubborn,
            lambda: self.dynamics.lambda.clone(),
            vdot: self.dynamics.vdot.clone(),
            standing: self.dynamics.standing(),
        }
    }

    /// Restores a state between two steps.
    pub fn restore(&mut self, state: &State, saved: &Saved) {
        self.state.clone_from(state);
        self.tally = saved.tally;
        self.worst.clone_from(&saved.worst);
        self.known.clone_from(&saved.known);
        self.sleep.clone_from(&saved.sleep);
        self.account.restore(&saved.booked);
        self.gain = saved.gain;
        self.impulses.waiting = saved.waiting;
        self.impulses.stubborn = saved.stubborn;
        self.dynamics.lambda.clone_from(&saved.lambda);
        self.dynamics.vdot.clone_from(&saved.vdot);
        self.dynamics.resume(&saved.standing);
        self.place_here();
        self.detector.restore(&self.scene.motions, self.full, self.gain, &saved.memories);
    }

    /// Estimates forces and accelerations at the start by those of a trial first step, unless it has an impact.
    pub fn foretell(&mut self, h: f64) {
        let (start, saved) = (self.state.clone(), self.save());
        let went: Result<(), Stop> = self.step(h, self.state.t + h);
        let told = (went.is_ok() && !self.blocks.any_impact()).then(|| (self.state.clone(), self.save()));
        self.restore(&start, &saved);
        let Some((state, told)) = told else { return };
        self.account.foretell(&told.booked);
        for c in self.model.constraints.iter().filter(|c| of_surfaces(c)) {
            self.state.z[c.z.clone()].copy_from_slice(&state.z[c.z.clone()]);
        }
        self.dynamics.lambda.clone_from(&told.lambda);
        self.dynamics.vdot.clone_from(&told.vdot);
    }
}
