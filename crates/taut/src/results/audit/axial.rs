//! Loads along modal bodies, which these do not feel.
//!
//! With G the stiffness that the loads would add to a shape of stiffness K and mass M, amplitude a:
//!
//! ```text
//!  small motions    |G| > 0.05 K                                        the frequency errs by half of it
//!  a run            |G| > 0.05 K  and  Σ ½ |G| a² > 0.05 of the energy at work
//!                   ∫ √((−G − K)/M) dt > ln 10                          beyond Euler's load, for so long that a beam buckles
//! ```
//!
//! (and more than a step may err by). In a run it is the energy that counts: a soft shape that hardly bends may miss all of its stiffness, and the motion is right to many
//! digits. And it is time that counts: a column that is pressed beyond Euler's load for a moment stays straight, and one
//! that is pressed until a disturbance would have grown tenfold does not.

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

/// Share of the stiffness of a shape, and of the energy at work.
const SHARE: f64 = 0.05;
/// ln of the growth of a disturbance that makes a column buckle.
const GROWTH: f64 = std::f64::consts::LN_10;

/// What was seen of the shapes of all modal bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Axial {
    t: Option<f64>,
    /// ln of the growth of a disturbance of each shape since its load went beyond Euler's.
    growth: Vec<f64>,
    /// Bodies that were told of.
    told: Vec<usize>,
    #[serde(skip)]
    scratch: Scratch<Space>,
}

/// Space for the loads of one body.
#[derive(Clone, Debug, Default)]
struct Space {
    gained: Vec<f64>,
    on: Vec<Wrench>,
}

/// The shape of a body that suffers most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Worst {
    /// G/K.
    share: f64,
    /// Σ ½ |G| a², and Σ ½ K a², J.
    missing: f64,
    stored: f64,
}

impl Axial {
    /// After a step whose equations have been solved; the dynamics are placed at its end.
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
            // Amplitudes that the tolerances leave open tell nothing.
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

/// Modal bodies whose small motions loads along them change; the equations have been solved.
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
        "loads along modal body `{}` would change the stiffness of a shape by {:.0} %{more}, and modal bodies do not feel them: \
         frequencies and buckling are those without load; take a beam in its place",
        b.name,
        100.0 * share.abs()
    );
    Warning::doubtful(t, message).about(&b.name)
}

fn misses(b: &BodyEntry, t: f64, share: f64, of_energy: f64) -> Warning {
    tell(b, t, share, &format!(", in which {:.0} % of the energy at work are at stake", 100.0 * of_energy))
}

fn buckles(b: &BodyEntry, t: f64, share: f64) -> Warning {
    tell(b, t, share, ", beyond the load at which it buckles, for so long that it would have")
}

impl Space {
    /// Fills G of the shapes of a body, and tells the worst.
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
