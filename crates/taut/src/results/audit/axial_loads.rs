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

use super::AuditScratch;
use super::energy::EnergyAudit;
use crate::bodies::{BodyKind, Modal};
use crate::constraints::ElementInput;
use crate::dynamics::Dynamics;
use crate::marker::MarkerPlacement;
use crate::model::BodyEntry;
use crate::motion::Wrench;
use crate::solution::Warning;
use serde::{Deserialize, Serialize};

/// Significant fraction of the stiffness of a shape, and of the energy at work.
const SIGNIFICANT_FRACTION: f64 = 0.05;
/// ln of the growth of a disturbance at which a column counts as buckled.
const BUCKLING_LOG_GROWTH: f64 = std::f64::consts::LN_10;

/// Audit of the shapes of all modal bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct AxialLoadAudit {
    t: Option<f64>,
    /// ln of the growth of a disturbance of each shape since its load exceeded the Euler load.
    growth: Vec<f64>,
    /// Bodies already reported.
    reported: Vec<usize>,
    #[serde(skip)]
    scratch: AuditScratch<AxialLoadScratch>,
}

/// Scratch memory for the loads of one body.
#[derive(Clone, Debug, Default)]
struct AxialLoadScratch {
    geometric_stiffness: Vec<f64>,
    wrenches: Vec<Wrench>,
}

/// The most affected shape of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct WorstShape {
    /// G/K.
    stiffness_ratio: f64,
    /// Σ ½ |G| a², and Σ ½ K a², J.
    missing_energy: f64,
    stored_energy: f64,
}

impl AxialLoadAudit {
    /// Checks a step whose equations have been solved; the dynamics are evaluated at its end.
    pub fn check(
        &mut self,
        d: &Dynamics,
        t: f64,
        q: &[f64],
        v: &[f64],
        z: &[f64],
        energy: &EnergyAudit,
    ) -> Option<Warning> {
        let h = self.t.map_or(0.0, |before| t - before);
        self.t = Some(t);
        let (mut first, mut found) = (0, None);
        for (k, b, modal) in modal_bodies(d) {
            let n = modal.shape_count();
            self.growth.resize(self.growth.len().max(first + n), 0.0);
            let worst = self.scratch.0.evaluate(d, k, b, modal, t, q, v, z);
            let mut grown = 0.0_f64;
            for (i, growth) in self.growth[first..first + n].iter_mut().enumerate() {
                let shape = modal.shape_properties(i, &q[b.q.clone()]);
                let beyond = (-self.scratch.0.geometric_stiffness[i] - shape.stiffness) / shape.mass;
                *growth = if beyond > 0.0 { *growth + h * beyond.sqrt() } else { 0.0 };
                grown = grown.max(*growth);
            }
            first += n;
            let at_work = energy.at_work().max(worst.stored_energy);
            // Amplitudes below the tolerance are ignored.
            let least = (SIGNIFICANT_FRACTION * at_work).max(energy.step_error());
            let matters = worst.stiffness_ratio.abs() > SIGNIFICANT_FRACTION && worst.missing_energy > least;
            if (matters || grown > BUCKLING_LOG_GROWTH) && found.is_none() && !self.reported.contains(&k) {
                self.reported.push(k);
                found = Some(match grown > BUCKLING_LOG_GROWTH {
                    true => buckling_warning(b, t, worst.stiffness_ratio),
                    false => missing_stiffness_warning(b, t, worst.stiffness_ratio, worst.missing_energy / at_work),
                });
            }
        }
        found
    }
}

/// Warnings about modal bodies whose small vibrations depend on axial loads. The equations must have been solved.
pub(crate) fn axial_load_warnings(d: &Dynamics, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> Vec<Warning> {
    let mut space = AxialLoadScratch::default();
    let ratio = |(k, b, modal)| (b, space.evaluate(d, k, b, modal, t, q, v, z).stiffness_ratio);
    let found = modal_bodies(d).map(ratio).filter(|(_, ratio)| ratio.abs() > SIGNIFICANT_FRACTION);
    found.map(|(b, ratio)| axial_load_warning(b, t, ratio, "")).collect()
}

fn modal_bodies<'a>(d: &'a Dynamics) -> impl Iterator<Item = (usize, &'a BodyEntry, &'a Modal)> {
    d.model.bodies.iter().enumerate().filter_map(|(k, b)| match &b.kind {
        BodyKind::Modal(modal) => Some((k, b, modal)),
        _ => None,
    })
}

fn axial_load_warning(b: &BodyEntry, t: f64, ratio: f64, more: &str) -> Warning {
    let message = format!(
        "axial loads on modal body `{}` would change the stiffness of a shape by {:.0} %{more}, but modal bodies ignore this effect: \
         frequencies and buckling are those of the unloaded body; use a beam instead",
        b.name,
        100.0 * ratio.abs()
    );
    Warning::doubtful(t, message).with_element(&b.name)
}

fn missing_stiffness_warning(b: &BodyEntry, t: f64, ratio: f64, of_energy: f64) -> Warning {
    axial_load_warning(b, t, ratio, &format!(", which affects {:.0} % of the energy at work", 100.0 * of_energy))
}

fn buckling_warning(b: &BodyEntry, t: f64, ratio: f64) -> Warning {
    axial_load_warning(b, t, ratio, ", beyond the buckling load and for long enough to buckle")
}

impl AxialLoadScratch {
    /// Computes G of the shapes of a body, and returns the worst.
    #[allow(clippy::too_many_arguments)] // a state is four of them
    fn evaluate(
        &mut self,
        d: &Dynamics,
        k: usize,
        b: &BodyEntry,
        modal: &Modal,
        t: f64,
        q: &[f64],
        v: &[f64],
        z: &[f64],
    ) -> WorstShape {
        let AxialLoadScratch { geometric_stiffness: gained, wrenches: on } = self;
        gained.clear();
        gained.resize(modal.shape_count(), 0.0);
        let own = &d.kinematics.motions[b.markers.start];
        modal.stiffness_from_inertia(own, &d.model.gravity, &v[b.v.clone()], &d.vdot[b.v.clone()], gained);
        let node = |m: usize| match &d.model.markers[m] {
            marker if marker.body != Some(k) => None,
            marker => match &marker.placement {
                MarkerPlacement::Frame(_, axes) => modal.node_of(axes),
                MarkerPlacement::Coordinate(_) => None,
            },
        };
        for f in d.model.forces.iter().filter(|f| f.markers.iter().any(|m| node(*m).is_some())) {
            let view = ElementInput { t, motions: &d.kinematics.motions, markers: &f.markers, z: &z[f.z.clone()] };
            on.clear();
            on.resize(f.markers.len(), Wrench::ZERO);
            f.kind.force().apply(&view, on);
            for (m, w) in f.markers.iter().zip(on.iter()) {
                node(*m).into_iter().for_each(|node| modal.stiffness_from_force(node, &own.R.tr_mul(&w.f), gained));
            }
        }
        for c in &d.model.constraints {
            for (j, m) in c.markers.iter().enumerate() {
                let Some(node) = node(*m) else { continue };
                let mut on = Wrench::ZERO;
                d.lambda[c.rows.clone()]
                    .iter()
                    .zip(d.kinematics.wrenches(c, j))
                    .for_each(|(l, D)| on.add_scaled(*l, D));
                modal.stiffness_from_force(node, &own.R.tr_mul(&on.f), gained);
            }
        }
        let mut worst = WorstShape::default();
        for (i, G) in gained.iter().enumerate() {
            let shape = modal.shape_properties(i, &q[b.q.clone()]);
            let (ratio, squared) = (G / shape.stiffness, 0.5 * shape.amplitude * shape.amplitude);
            if ratio.abs() > worst.stiffness_ratio.abs() {
                worst.stiffness_ratio = ratio;
            }
            worst.missing_energy += G.abs() * squared;
            worst.stored_energy += shape.stiffness * squared;
        }
        if worst.stiffness_ratio.is_finite() && worst.missing_energy.is_finite() {
            worst
        } else {
            WorstShape::default()
        }
    }
}
