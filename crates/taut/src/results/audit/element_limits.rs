//! Audit of elements used beyond their range: bushings past half a turn, forces whose theory does not hold.

use crate::constraints::ElementInput;
use crate::dynamics::Dynamics;
use crate::forces::{Bushing, ForceKind};
use crate::motion::Vec3;
use crate::solution::Warning;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Rotation vector and its rate for each bushing, and the bushings already reported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ElementLimitAudit {
    t: Option<f64>,
    rotations: Vec<[[f64; 3]; 2]>,
    reported: Vec<String>,
}

/// Bushings with torsional stiffness or damping.
pub(crate) fn torsional_bushings<'a>(d: &'a Dynamics) -> impl Iterator<Item = (&'a str, &'a Bushing, &'a [usize])> {
    d.model.forces.iter().filter_map(|f| match &f.kind {
        ForceKind::Bushing(bushing) if bushing.resists_rotation() => Some((&f.name[..], bushing, &f.markers[..])),
        _ => None,
    })
}

impl ElementLimitAudit {
    /// Checks a step; the dynamics are evaluated at its end.
    pub fn check_bushings(&mut self, d: &Dynamics, t: f64) -> Option<Warning> {
        let h = self.t.map_or(0.0, |before| t - before);
        self.t = Some(t);
        let mut found = None;
        for (k, (name, bushing, markers)) in torsional_bushings(d).enumerate() {
            let now = bushing.relative_rotation(&ElementInput { t, motions: &d.kinematics.motions, markers, z: &[] });
            let before = self.rotations.get(k).map_or(now, |old| old.map(Vec3::from));
            if passes_half_turn(before, now, h) && !self.reported.iter().any(|n| n == name) && found.is_none() {
                self.reported.push(name.to_string());
                let message = format!(
                    "bushing `{name}` rotates by more than half a turn, where its torque jumps to the other side; use a torsional spring \
                     on the joint angle, which counts full turns"
                );
                found = Some(Warning::doubtful(t, message).with_element(name));
            }
            match self.rotations.get_mut(k) {
                Some(old) => *old = now.map(Into::into),
                None => self.rotations.push(now.map(Into::into)),
            }
        }
        found
    }

    /// Checks at the end of a step whether the theory of every force holds.
    pub fn check_theories(&mut self, d: &Dynamics, t: f64, z: &[f64]) -> Option<Warning> {
        for f in &d.model.forces {
            if self.reported.contains(&f.name) {
                continue;
            }
            let motions = &d.kinematics.motions;
            let view = ElementInput { t, motions, markers: &f.markers, z: &z[f.z.clone()] };
            if let Some(why) = f.kind.force().doubt(&view) {
                self.reported.push(f.name.clone());
                return Some(Warning::doubtful(t, format!("`{}`: {why}", f.name)).with_element(&f.name));
            }
        }
        None
    }
}

/// Whether a rotation vector has passed π between two checks.
fn passes_half_turn(before: [Vec3; 2], now: [Vec3; 2], h: f64) -> bool {
    // The rotation vector extrapolated without wrapping.
    let counted = before[0] + 0.5 * h * (before[1] + now[1]);
    counted.norm() > PI
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_counted_past_half_a_turn() {
        let about = |angle: f64, rate: f64| [Vec3::new(0.0, 0.0, angle), Vec3::new(0.0, 0.0, rate)];
        assert!(!passes_half_turn(about(3.0, 1.0), about(3.1, 1.0), 0.1));
        // From 3.1 rad on to 3.3 rad, which reads −2.98 rad.
        assert!(passes_half_turn(about(3.1, 2.0), about(-2.98, 2.0), 0.1));
        // Back before it gets there.
        assert!(!passes_half_turn(about(3.1, 0.2), about(3.09, -0.4), 0.1));
    }
}
