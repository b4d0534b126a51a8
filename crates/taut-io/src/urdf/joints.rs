//! The joints of a URDF file.

use crate::diagnostic::{Diagnostic, Place};
use crate::robot::xml::Element;
use crate::robot::{Articulation, Freedom, ImportReport, Pose, direction, perpendicular, rotation_of_axis_angle};
use std::collections::HashSet;
use taut::motion::Vec3;

/// A joint as the file gives it.
#[derive(Clone, Debug)]
pub(super) struct UrdfJoint {
    pub name: String,
    pub kind: UrdfJointKind,
    pub parent: String,
    pub child: String,
    pub origin: Pose,
    pub axis: Vec3,
    pub damping: f64,
    pub limits: Option<[f64; 2]>,
    pub mimic: Option<Mimic>,
    pub place: Place,
}

/// The type of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UrdfJointKind {
    Fixed,
    Hinge,
    Slide,
    Planar,
    Floating,
}

/// q = multiplier · q of another joint + offset.
#[derive(Clone, Debug)]
pub(super) struct Mimic {
    pub joint: String,
    pub multiplier: f64,
    pub offset: f64,
    pub place: Place,
}

/// All joints of a robot.
pub(super) fn read(robot: &Element, ledger: &mut ImportReport) -> Result<Vec<UrdfJoint>, Diagnostic> {
    let mut names = HashSet::new();
    let mut joints = Vec::new();
    for element in robot.all("joint") {
        let joint = one(element, ledger)?;
        if !names.insert(joint.name.clone()) {
            return Err(element.error(format!("there are two joints named `{}`", joint.name)));
        }
        joints.push(joint);
    }
    Ok(joints)
}

fn one(joint: &Element, ledger: &mut ImportReport) -> Result<UrdfJoint, Diagnostic> {
    let name = joint.require("name")?.to_string();
    let kind = match joint.require("type")? {
        "fixed" => UrdfJointKind::Fixed,
        "revolute" | "continuous" => UrdfJointKind::Hinge,
        "prismatic" => UrdfJointKind::Slide,
        "planar" => UrdfJointKind::Planar,
        "floating" => UrdfJointKind::Floating,
        other => {
            let what = format!("joint `{name}` has the unknown type `{other}`");
            let known = "the known types are fixed, revolute, continuous, prismatic, planar and floating";
            return Err(joint.attribute("type").map_or(joint.error(&what), |a| a.error(&what)).help(known));
        }
    };
    let end = |side: &str| -> Result<String, Diagnostic> {
        let element = joint.child(side).ok_or_else(|| joint.error(format!("joint `{name}` has no {side} link")))?;
        Ok(element.require("link")?.to_string())
    };
    let axis = match joint.child("axis") {
        Some(axis) => axis.numbers::<3>("xyz")?.unwrap_or([1.0, 0.0, 0.0]),
        None => [1.0, 0.0, 0.0],
    };
    let axis = match (direction(axis), kind) {
        (Some(axis), _) => axis,
        (None, UrdfJointKind::Fixed | UrdfJointKind::Floating) => Vec3::x(),
        (None, _) => return Err(joint.error(format!("the axis of joint `{name}` is zero"))),
    };
    let mut damping = 0.0;
    if let Some(dynamics) = joint.child("dynamics") {
        damping = dynamics.number_or_zero("damping")?;
        if dynamics.number_or_zero("friction")? != 0.0 {
            ledger.not_imported_kind("friction of joints", &name, Some(&dynamics.place));
        }
    }
    if damping != 0.0 && matches!(kind, UrdfJointKind::Fixed | UrdfJointKind::Planar | UrdfJointKind::Floating) {
        if kind != UrdfJointKind::Fixed {
            ledger.not_imported_kind("damping of planar and floating joints", &name, Some(&joint.place));
        }
        damping = 0.0;
    }
    let limits = limits(joint, &name, kind, ledger)?;
    let known = ["parent", "child", "origin", "axis", "dynamics", "limit", "mimic"];
    for other in joint.children.iter().filter(|c| !known.contains(&c.name.as_str())) {
        ledger.not_imported_kind(&format!("{} of joints", other.name), &name, Some(&other.place));
    }
    let mimic = match joint.child("mimic") {
        Some(m) => Some(Mimic {
            joint: m.require("joint")?.to_string(),
            multiplier: m.number("multiplier")?.unwrap_or(1.0),
            offset: m.number_or_zero("offset")?,
            place: m.place.clone(),
        }),
        None => None,
    };
    let (parent, child) = (end("parent")?, end("child")?);
    Ok(UrdfJoint {
        kind,
        parent,
        child,
        origin: origin(joint)?,
        axis,
        damping,
        limits,
        mimic,
        place: joint.place.clone(),
        name,
    })
}

/// Limits of the coordinate; what is not imported of `limit` is listed.
fn limits(
    joint: &Element,
    name: &str,
    kind: UrdfJointKind,
    ledger: &mut ImportReport,
) -> Result<Option<[f64; 2]>, Diagnostic> {
    let Some(limit) = joint.child("limit") else { return Ok(None) };
    if limit.has("velocity") || limit.has("effort") {
        ledger.not_imported_kind("limits of velocity and effort of joints", name, Some(&limit.place));
    }
    let measured = matches!(kind, UrdfJointKind::Hinge | UrdfJointKind::Slide);
    if !measured || joint.get("type") == Some("continuous") || !(limit.has("lower") || limit.has("upper")) {
        return Ok(None);
    }
    let [lower, upper] = [limit.number_or_zero("lower")?, limit.number_or_zero("upper")?];
    if lower > upper {
        let what = format!("joint `{name}`: its lower limit {lower} is above its upper limit {upper}");
        return Err(limit.error(what));
    }
    if lower == upper {
        ledger.not_imported_kind("limits of joints that leave no range", name, Some(&limit.place));
        return Ok(None);
    }
    if joint.child("mimic").is_some() {
        ledger.not_imported_kind("limits of joints that mimic others", name, Some(&limit.place));
        return Ok(None);
    }
    Ok(Some([lower, upper]))
}

/// The `origin` of an element: xyz, and rpy about the fixed axes x, y, z in turn.
pub(super) fn origin(element: &Element) -> Result<Pose, Diagnostic> {
    let Some(origin) = element.child("origin") else { return Ok(Pose::IDENTITY) };
    let p = origin.numbers::<3>("xyz")?.unwrap_or([0.0; 3]);
    let [roll, pitch, yaw] = origin.numbers::<3>("rpy")?.unwrap_or([0.0; 3]);
    let R = rotation_of_axis_angle(&Vec3::z(), yaw)
        * rotation_of_axis_angle(&Vec3::y(), pitch)
        * rotation_of_axis_angle(&Vec3::x(), roll);
    Ok(Pose { R, p: Vec3::from(p) })
}

impl UrdfJoint {
    /// Its joints in the tree; a planar joint is two slides and a hinge.
    pub fn articulations(&self) -> Vec<Articulation> {
        let (axis, at) = (self.axis, Vec3::zeros());
        let one = |name: String, freedom| Articulation {
            damping: self.damping,
            limits: self.limits,
            place: Some(self.place.clone()),
            ..Articulation::new(name, freedom)
        };
        let name = || self.name.clone();
        match self.kind {
            UrdfJointKind::Fixed => Vec::new(),
            UrdfJointKind::Hinge => vec![one(name(), Freedom::Hinge { axis, at })],
            UrdfJointKind::Slide => vec![one(name(), Freedom::Slide { axis })],
            UrdfJointKind::Floating => vec![one(name(), Freedom::Free)],
            UrdfJointKind::Planar => {
                let x = perpendicular(&axis);
                vec![
                    one(format!("{}_x", self.name), Freedom::Slide { axis: x }),
                    one(format!("{}_y", self.name), Freedom::Slide { axis: axis.cross(&x) }),
                    one(format!("{}_turn", self.name), Freedom::Hinge { axis, at }),
                ]
            }
        }
    }
}
