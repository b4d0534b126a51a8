//! Axial loads on modal bodies. Modal bodies ignore their effect on stiffness; the audit estimates whether it matters.
//!
//! With G the stiffness that the loads would add to a shape of stiffness K and mass M, at amplitude a:
//!
//! ```text
//!  small motions    |G| > 0.05 K                                        the frequency error is half of it
//!  a run            |G| > 0.05 K  and  Σ ½ |G| a² > 0.05 of the energy at work
//!                   ∫ √((−G − K)/M) dt > ln 10                          above the Euler load for long enough to buckle
//! ```
//!
//! (and above the permitted error of a step). In a run the energy decides: if a soft shape hardly bends, it may miss
//! all of its stiffness and the motion is still right to many digits. Time decides too: a column loaded beyond the
//! Euler load for a moment stays straight, but one loaded until a disturbance would have grown tenfold does not.

use super::Scratch;
use super::energy::Energy;
use crate::bodies::{BodyKind, Modal};
use crate::constraints::View;
use crate::dynamics::Dynamics;
use crate::marker::Place;
use crate::model::BodyEntry;
use crate::motion::Wrench;
use crate::solution::Warning;
use serde::{Deserialize, Serialize};

/// Significant fraction of the stiffness of a shape, and of the energy at work.
const SHARE: f64 = 0.05;
/// ln of the growth of a disturbance at which a column counts as buckled.
const GROWTH: f64 = std::f64::consts::LN_10;

/// Audit of the shapes of all modal bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Axial {
    t: Option<f64>,
    /// ln of the growth of a disturbance of each shape since its load exceeded the Euler load.
    growth: Vec<f64>,
    /// Bodies already reported.
    told: Vec<usize>,
    #[serde(skip)]
    scratch: Scratch<Space>,
}

/// Scratch memory for the loads of one body.
#[derive(Clone, Debug, Default)]
struct Space {
    gained: Vec<f64>,
    on: Vec<Wrench>,
}

/// The most affected shape of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Worst {
    /// G/K.
    share: f64,
    /// Σ ½ |G| a², and Σ ½ K a², J.
    missing: f64,
    stored: f64,
}

impl Axial {
    /// Checks a step whose equations have been solved; the dynamics are evaluated at its end.
    pub fn look(&mut self, d: &Dynamics, t: f64, q: &[f64], v: &[f64], z: &[f64], energy: &Energy) -> Option<Warning> {
        let h = self.t.map_or(0.0, |before| t - before);
        self.t = Some(t);
        let (mut first, mut found) = (0, None);
        for (k, b, modal) in modal_bodies(d) {
            let n = modal.shapes();
            self.growth.resize(self.growth.len().max(first + n), 0.0);
            let worst = self.scratch.0.load(d, k, b, modal, t, q, v, z);
            let mut grown = 0.0_f64;
            for (i, growth) in self.growth[first..first + n].iter_mut().enumerate() {
                let shape = modal.shape(i, &q[b.q.clone()]);
                let beyond = (-self.scratch.0.gained[i] - shape.stiffness) / shape.mass;
                *growth = if beyond > 0.0 { *growth + h * beyond.sqrt() } else { 0.0 };
                grown = grown.max(*growth);
            }
            first += n;
            let at_work = energy.at_work().max(worst.stored);
            // Amplitudes within the tolerances mean nothing.
            let least = (SHARE * at_work).max(energy.of_step());
            let matters = worst.share.abs() > SHARE && worst.missing > least;
            if (matters || grown > GROWTH) && found.is_none() && !self.told.contains(&k) {
                self.told.push(k);
                found = Some(match grown > GROWTH {
                    true => buckles(b, t, worst.share),
                    false => misses(b, t, worst.share, worst.missing / at_work),
                });
            }
        }
        found
    }
}

/// Warnings about modal bodies whose small vibrations depend on axial loads. The equations must have been solved.
pub(crate) fn axial_loads(d: &Dynamics, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> Vec<Warning> {
    let mut space = Space::default();
    let share = |(k, b, modal)| (b, space.load(d, k, b, modal, t, q, v, z).share);
    let found = modal_bodies(d).map(share).filter(|(_, share)| share.abs() > SHARE);
    found.map(|(b, share)| tell(b, t, share, "")).collect()
}

fn modal_bodies<'a>(d: &'a Dynamics) -> impl Iterator<Item = (usize, &'a BodyEntry, &'a Modal)> {
    d.model.bodies.iter().enumerate().filter_map(|(k, b)| match &b.kind {
        BodyKind::Modal(modal) => Some((k, b, modal)),
        _ => None,
    })
}

fn tell(b: &BodyEntry, t: f64, share: f64, more: &str) -> Warning {
    let message = format!(
        "axial loads on modal body `{}` would change the stiffness of a shape by {:.0} %{more}, but modal bodies ignore this effect: \
         frequencies and buckling are those of the unloaded body; use a beam instead",
        b.name,
        100.0 * share.abs()
    );
    Warning::doubtful(t, message).about(&b.name)
}

fn misses(b: &BodyEntry, t: f64, share: f64, of_energy: f64) -> Warning {
    tell(b, t, share, &format!(", which affects {:.0} % of the energy at work", 100.0 * of_energy))
}

fn buckles(b: &BodyEntry, t: f64, share: f64) -> Warning {
    tell(b, t, share, ", beyond the buckling load and for long enough to buckle")
}

impl Space {
    /// Computes G of the shapes of a body, and returns the worst.
    #[allow(clippy::too_many_arguments)] // a state is four of them
    fn load(
        &mut self,
        d: &Dynamics,
        k: usize,
        b: &BodyEntry,
        modal: &Modal,
        t: f64,
        q: &[f64],
        v: &[f64],
        z: &[f64],
    ) -> Worst {
        let Space { gained, on } = self;
        gained.clear();
        gained.resize(modal.shapes(), 0.0);
        let own = &d.scene.motions[b.markers.start];
        modal.gained_by_inertia(own, &d.model.gravity, &v[b.v.clone()], &d.vdot[b.v.clone()], gained);
        let node = |m: usize| match &d.model.markers[m] {
            marker if marker.body != Some(k) => None,
            marker => match &marker.place {
                Place::Frame(_, axes) => modal.node_of(axes),
                Place::Coordinate(_) => None,
            },
        };
        for f in d.model.forces.iter().filter(|f| f.markers.iter().any(|m| node(*m).is_some())) {
            let view = View { t, motions: &d.scene.motions, ids: &f.markers, z: &z[f.z.clone()] };
            on.clear();
            on.resize(f.markers.len(), Wrench::ZERO);
            f.kind.force().apply(&view, on);
            for (m, w) in f.markers.iter().zip(on.iter()) {
                node(*m).into_iter().for_each(|node| modal.gained_by_force(node, &own.R.tr_mul(&w.f), gained));
            }
        }
        for c in &d.model.constraints {
            for (j, m) in c.markers.iter().enumerate() {
                let Some(node) = node(*m) else { continue };
                let mut on = Wrench::ZERO;
                d.lambda[c.rows.clone()].iter().zip(d.scene.wrenches(c, j)).for_each(|(l, D)| on.add(*l, D));
                modal.gained_by_force(node, &own.R.tr_mul(&on.f), gained);
            }
        }
        let mut worst = Worst::default();
        for (i, G) in gained.iter().enumerate() {
            let shape = modal.shape(i, &q[b.q.clone()]);
            let (share, squared) = (G / shape.stiffness, 0.5 * shape.amplitude * shape.amplitude);
            if share.abs() > worst.share.abs() {
                worst.share = share;
            }
            worst.missing += G.abs() * squared;
            worst.stored += shape.stiffness * squared;
        }
        if worst.share.is_finite() && worst.missing.is_finite() { worst } else { Worst::default() }
    }
}
