//! A force and a torque given as signals of time.

use super::{ExtraStates, Force, ForceReport, NonSmooth};
use crate::breaks::BreakList;
use crate::constraints::{ElementInput, MarkerReference};
use crate::error::ParameterError;
use crate::motion::{Vec3, Wrench};
use crate::signals::{PassedEnd, Signal};
use serde::{Deserialize, Serialize};

/// The axes of an applied force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForceAxes {
    /// Those of the world: the force keeps its direction.
    #[default]
    World,
    /// Those of the marker it acts on: the force follows the body.
    Marker,
    /// The marker is a scalar coordinate, and `force[0]` acts along it.
    Coordinate,
}

/// A force and torque at the marker `marker`.
///
/// ```text
///  on `marker`        (R f(t), R m(t))                        R = I or R_WM
///  on `reaction_marker`   (−R f, −R m − (p_at − p_against)×R f)   the same wrench, reversed
/// ```
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A force of 6 N on 2 kg for 1 s, then none.
/// let push = [Signal::expression("if_pos(1 - t, 6, 0)")?, Signal::constant(0.0), Signal::constant(0.0)];
/// let mut spec = Spec::new();
/// spec.body("mass", PointMass::new(2.0, [0.0; 3])).force("push", Applied::force("mass", push));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(2.0))?;
/// assert!((run.last("mass.vx")? - 3.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Applied {
    /// The frame or coordinate it acts on.
    #[serde(rename = "marker")]
    pub marker: String,
    /// Force, N (along a coordinate: its generalised force, first entry only).
    #[serde(default)]
    pub force: [Signal; 3],
    /// Torque, N m.
    #[serde(default)]
    pub torque: [Signal; 3],
    /// Axes of both.
    #[serde(default)]
    pub axes: ForceAxes,
    /// A frame that receives the opposite wrench; default: none, the force is external.
    #[serde(rename = "reaction_marker", default, skip_serializing_if = "Option::is_none")]
    pub reaction_marker: Option<String>,
}

impl Applied {
    /// A force through the origin of a frame, world axes.
    pub fn force(at: &str, force: [Signal; 3]) -> Applied {
        Applied { marker: at.to_string(), force, ..Applied::default() }
    }

    /// A torque on a frame, world axes.
    pub fn torque(at: &str, torque: [Signal; 3]) -> Applied {
        Applied { marker: at.to_string(), torque, ..Applied::default() }
    }

    /// A generalised force on a scalar coordinate, `body.coordinate`.
    pub fn on_coordinate(at: &str, force: Signal) -> Applied {
        let force = [force, Signal::default(), Signal::default()];
        Applied { axes: ForceAxes::Coordinate, ..Applied::force(at, force) }
    }

    /// The same force, given along the axes of its marker.
    pub fn follower(mut self) -> Applied {
        self.axes = ForceAxes::Marker;
        self
    }

    /// The same force, with its reaction on another frame.
    pub fn against(mut self, marker: &str) -> Applied {
        self.reaction_marker = Some(marker.to_string());
        self
    }
}

fn signal_values(signals: &[Signal; 3], t: f64) -> Vec3 {
    Vec3::new(signals[0].at(t).f, signals[1].at(t).f, signals[2].at(t).f)
}

impl Force for Applied {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        let at = match self.axes {
            ForceAxes::Coordinate => MarkerReference::coordinate(&self.marker),
            ForceAxes::World | ForceAxes::Marker => MarkerReference::frame(&self.marker),
        };
        std::iter::once(at).chain(self.reaction_marker.iter().map(|m| MarkerReference::frame(m))).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        for (field, signals) in [("force", &self.force), ("torque", &self.torque)] {
            for s in signals {
                s.check().map_err(|e| ParameterError::invalid(field, e.to_string()))?;
            }
        }
        if self.axes == ForceAxes::Coordinate {
            if self.force[1..].iter().chain(&self.torque).any(|s| !s.is_zero()) {
                return Err(ParameterError::invalid("force", "a load on a coordinate is a scalar; give only force[0]"));
            }
            if self.reaction_marker.is_some() {
                return Err(ParameterError::invalid(
                    "reaction_marker",
                    "a coordinate has no reaction frame; leave it out",
                ));
            }
        }
        Ok(())
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        let mut w = Wrench { f: signal_values(&self.force, at.t), m: signal_values(&self.torque, at.t) };
        if self.axes == ForceAxes::Marker {
            w = Wrench { f: at[0].R * w.f, m: at[0].R * w.m };
        }
        on[0] = w;
        if self.reaction_marker.is_some() {
            let arm = at[0].p - at[1].p;
            on[1] = Wrench { f: -w.f, m: -w.m - arm.cross(&w.f) };
        }
    }
}

impl ExtraStates for Applied {}

impl ForceReport for Applied {}

impl NonSmooth for Applied {
    fn has_bounded_tables(&self) -> bool {
        self.force.iter().chain(&self.torque).any(Signal::has_ends)
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        self.force.iter().chain(&self.torque).find_map(|s| s.passed_end(at.t))
    }

    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.force.iter().chain(&self.torque).for_each(|s| s.breaks(from, to, list));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::conformance::{Rig, resultant};

    fn signals() -> [Signal; 3] {
        [Signal::constant(2.0), Signal::harmonic(1.0, 2.0, 0.3), Signal::polynomial([0.0, 1.0])]
    }

    fn applied(force: &Applied, t: f64) -> Vec<Wrench> {
        let motions = Rig::two_frames().motions(t);
        let mut on = vec![Wrench::ZERO; force.markers().len()];
        force.check().unwrap();
        force.apply(&ElementInput::new(t, &motions, &[0, 1], &[]), &mut on);
        on
    }

    #[test]
    fn a_follower_turns_with_its_marker() {
        let R = Rig::two_frames().motions(0.7)[0].R;
        let fixed = applied(&Applied::force("a", signals()), 0.7)[0];
        let follower = applied(&Applied::force("a", signals()).follower(), 0.7)[0];
        assert!((fixed.f - Vec3::new(2.0, (1.7_f64).sin(), 0.7)).norm() < 1e-15);
        assert!((follower.f - R * fixed.f).norm() < 1e-15);
        assert_eq!(applied(&Applied::torque("a", signals()), 0.7)[0].m, fixed.f);
    }

    #[test]
    fn action_equals_reaction() {
        let force = Applied { torque: signals(), ..Applied::force("a", signals()) }.follower().against("b");
        let sum = resultant(&Rig::two_frames().motions(0.7), &applied(&force, 0.7));
        assert!(sum.f.norm() + sum.m.norm() < 1e-14);
    }

    #[test]
    fn a_coordinate_has_one_direction() {
        let force = Applied::on_coordinate("blade.beta", Signal::constant(3.0));
        assert_eq!(applied(&force, 0.0), [Wrench::force(Vec3::new(3.0, 0.0, 0.0))]);
        assert_eq!(force.markers(), [MarkerReference::coordinate("blade.beta")]);
        assert!(Applied { torque: signals(), ..force.clone() }.check().is_err());
        assert!(force.against("b").check().is_err());
        assert!(Applied::force("a", [f64::NAN, 0.0, 0.0].map(Signal::constant)).check().is_err());
    }

    #[test]
    fn it_reads_from_a_model_file() {
        let force: Applied = serde_json::from_str(r#"{"marker": "arm.tip", "force": [0, 0, "2*t"]}"#).unwrap();
        assert_eq!(force.force[2].at(1.5).f, 3.0);
        assert!(serde_json::from_str::<Applied>(r#"{"marker": "arm.tip", "forces": [0, 0, 1]}"#).is_err());
    }
}
