//! Elements beyond what they are made for: modal bodies under loads along them, bushings past half a turn.

use crate::bodies::BodyKind;
use crate::constraints::View;
use crate::dynamics::Dynamics;
use crate::forces::{Bushing, ForceKind};
use crate::marker::Place;
use crate::model::BodyEntry;
use crate::motion::{Vec3, Wrench};
use crate::solution::Warning;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Share of the stiffness of a shape that loads along a modal body may amount to: half of it of a frequency.
const AXIAL: f64 = 1.5;

/// What was seen of the bushings, one rotation vector and its rate for each, and what was told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Limits {
    t: Option<f64>,
    bent: Vec<[[f64; 3]; 2]>,
    told: Vec<String>,
}

/// Bushings that resist a turn.
pub(crate) fn bushings<'a>(d: &'a Dynamics) -> impl Iterator<Item = (&'a str, &'a Bushing, &'a [usize])> {
    d.model.forces.iter().filter_map(|f| match &f.kind {
        ForceKind::Bushing(bushing) if bushing.resists_turning() => Some((&f.name[..], bushing, &f.markers[..])),
        _ => None,
    })
}

impl Limits {
    /// After a step; the dynamics are placed at its end.
    pub fn look_at_bushings(&mut self, d: &Dynamics, t: f64) -> Option<Warning> {
        let h = self.t.map_or(0.0, |before| t - before);
        self.t = Some(t);
        let mut found = None;
        for (k, (name, bushing, markers)) in bushings(d).enumerate() {
            let now = bushing.turn(&View { t, motions: &d.scene.motions, ids: markers, z: &[] });
            let before = self.bent.get(k).map_or(now, |old| old.map(Vec3::from));
            if is_past(before, now, h) && !self.told.iter().any(|n| n == name) && found.is_none() {
                self.told.push(name.to_string());
                let message = format!(
                    "bushing `{name}` turns past half a turn, where its torque jumps to the other side; take a torsional spring \
                     along the angle of the joint, which counts turns"
                );
                found = Some(Warning::doubtful(t, message).about(name));
            }
            match self.bent.get_mut(k) {
                Some(old) => *old = now.map(Into::into),
                None => self.bent.push(now.map(Into::into)),
            }
        }
        found
    }

    /// Loads along modal bodies at a state whose equations have been solved.
    pub fn look_at_modal_bodies(&mut self, d: &Dynamics, t: f64, z: &[f64]) -> Option<Warning> {
        let (name, warning) = axial_loads(d, t, z).find(|(name, _)| !self.told.contains(name))?;
        self.told.push(name);
        Some(warning)
    }
}

/// Whether a rotation vector has passed π between two looks.
fn is_past(before: [Vec3; 2], now: [Vec3; 2], h: f64) -> bool {
    // Where it would be if it were counted on.
    let counted = before[0] + 0.5 * h * (before[1] + now[1]);
    counted.norm() > PI
}

/// Modal bodies whose loads along them matter.
pub(crate) fn axial_loads<'a>(d: &'a Dynamics, t: f64, z: &'a [f64]) -> impl Iterator<Item = (String, Warning)> + 'a {
    d.model.bodies.iter().enumerate().filter_map(move |(k, b)| {
        let BodyKind::Modal(modal) = &b.kind else { return None };
        let share = modal.axial_share(&forces_on(d, k, b, t, z));
        let message = format!(
            "loads along modal body `{}` would change the stiffness of a shape by {:.0} %, and modal bodies do not feel them: \
             frequencies and buckling are those without load; take a beam in its place",
            b.name,
            100.0 * share
        );
        (share > AXIAL).then(|| (b.name.clone(), Warning::doubtful(t, message).about(&b.name)))
    })
}

/// Forces on the nodes of a modal beam, axes of its frame.
fn forces_on(d: &Dynamics, body: usize, b: &BodyEntry, t: f64, z: &[f64]) -> Vec<(usize, Vec3)> {
    let BodyKind::Modal(modal) = &b.kind else { return Vec::new() };
    let R_WF = d.scene.motions[b.markers.start].R;
    let node = |m: usize| match &d.model.markers[m] {
        marker if marker.body != Some(body) => None,
        marker => match &marker.place {
            Place::Frame(_, axes) => modal.node_of(axes),
            Place::Coordinate(_) => None,
        },
    };
    let mut list = Vec::new();
    for f in d.model.forces.iter().filter(|f| f.markers.iter().any(|m| node(*m).is_some())) {
        let view = View { t, motions: &d.scene.motions, ids: &f.markers, z: &z[f.z.clone()] };
        let mut on = vec![Wrench::ZERO; f.markers.len()];
        f.kind.force().apply(&view, &mut on);
        let here = f.markers.iter().zip(&on).filter_map(|(m, w)| Some((node(*m)?, R_WF.tr_mul(&w.f))));
        list.extend(here);
    }
    for c in &d.model.constraints {
        for (j, m) in c.markers.iter().enumerate() {
            let Some(node) = node(*m) else { continue };
            let mut on = Wrench::ZERO;
            d.lambda[c.rows.clone()].iter().zip(d.scene.wrenches(c, j)).for_each(|(l, D)| on.add(*l, D));
            list.push((node, R_WF.tr_mul(&on.f)));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_counted_past_half_a_turn() {
        let about = |angle: f64, rate: f64| [Vec3::new(0.0, 0.0, angle), Vec3::new(0.0, 0.0, rate)];
        assert!(!is_past(about(3.0, 1.0), about(3.1, 1.0), 0.1));
        // From 3.1 rad on to 3.3 rad, which reads −2.98 rad.
        assert!(is_past(about(3.1, 2.0), about(-2.98, 2.0), 0.1));
        // Back before it gets there.
        assert!(!is_past(about(3.1, 0.2), about(3.09, -0.4), 0.1));
    }
}
