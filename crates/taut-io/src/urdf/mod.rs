//! URDF: links and joints of a robot → [`taut::Spec`].
//!
//! | URDF | here |
//! |---|---|
//! | link with inertial | body, reference point in the link's origin |
//! | link on a fixed joint | part of its parent; its frame stays as the marker `parent.link` |
//! | link without mass on a moving joint | its joint and the next act as one, where the engine has such a joint |
//! | `revolute`, `continuous`, `prismatic`, `planar`, `floating` | joint of the same name, z along `axis`; `floating`: none |
//! | `mimic` | relation of the two coordinates |
//! | `dynamics damping` | damper on the coordinate |
//! | `limit lower upper` | stops of the coordinate |
//! | `visual` | a visual of the body |
//! | `collision` | a surface in the group `collision`, for contact rules of a model file |
//!
//! Limits of velocity and effort, friction and everything else are listed in [`Robot::not_imported`].
#![allow(non_snake_case)] // the theory's letter is the identifier

mod joints;
mod links;
mod shapes;

use crate::diagnostic::Diagnostic;
use crate::robot::{Articulation, Freedom, ImportReport, JointState, Names, Robot, SpecWriter, Tree, xml};
use joints::{UrdfJoint, UrdfJointKind};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use taut::{Prescription, Relation, Signal};

/// The base of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// The root link is part of the ground.
    #[default]
    Fixed,
    /// The root link floats, starting with its frame in that of the world.
    Free,
}

/// Options of the import that a URDF file does not contain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UrdfOptions {
    /// Its base.
    pub base: Base,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
}

impl Default for UrdfOptions {
    fn default() -> UrdfOptions {
        UrdfOptions { base: Base::Fixed, gravity: [0.0, 0.0, -9.81] }
    }
}

/// The joint of a floating root link.
const FLOATING_BASE: &str = "floating_base";

/// Reads a robot whose base is fixed; `path` is used in messages.
///
/// # Errors
/// Errors in the file, or elements that cannot be imported without changing the motion.
///
/// # Examples
///
/// ```
/// use std::path::Path;
///
/// let text = r#"<robot name="arm"><link name="base"/>
///   <link name="upper"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
///   <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
/// </robot>"#;
/// let arm = taut_io::urdf::read(text, Path::new("arm.urdf")).map_err(|found| found.to_string())?;
/// let model = arm.spec.build().map_err(|found| found.to_string())?;
/// assert_eq!((model.bodies[0].name.as_str(), model.constraints[0].name.as_str()), ("upper", "shoulder"));
/// # Ok::<(), String>(())
/// ```
pub fn read(text: &str, path: &Path) -> Result<Robot, Diagnostic> {
    read_with(text, path, &UrdfOptions::default())
}

/// The same with a choice of base and gravity.
///
/// # Errors
/// As [`read`].
pub fn read_with(text: &str, path: &Path, options: &UrdfOptions) -> Result<Robot, Diagnostic> {
    let robot = xml::parse(text, path)?;
    if robot.name != "robot" {
        let what = format!("the root element of a URDF file is `robot`, not `{}`", robot.name);
        return Err(robot.error(what));
    }
    let mut ledger = ImportReport::default();
    let shapes = shapes::ShapeReader::new(&robot, path)?;
    let links = links::read(&robot, &shapes, &mut ledger)?;
    let joints = joints::read(&robot, &mut ledger)?;
    let mut tree = links::grow(&robot, links, &joints)?;
    if options.base == Base::Free {
        tree.links[0].joints.push(Articulation::new(FLOATING_BASE, Freedom::Free));
    }
    let names = rename(&mut tree, &mut ledger);
    list_rest(&robot, &mut ledger);
    tree.lump_and_report(&mut ledger)?;
    let mut writer = SpecWriter::new(&tree, options.gravity, &mut ledger)?;
    couple(&mut writer, &joints, &names, &mut ledger)?;
    let (spec, coordinates) = (writer.spec, writer.coordinates);
    let visuals = writer.visuals;
    let start = mimicking(&tree, &joints, &names, &mut ledger);
    let (not_carried, notes) = ledger.into_lists();
    let name = robot.get("name").unwrap_or("").to_string();
    let mut imported = Robot {
        name,
        spec,
        not_imported: not_carried,
        notes,
        tree,
        coordinates,
        timestep: None,
        visuals,
        poses: Vec::new(),
    };
    imported.start(&start).map_err(|e| robot.error(e.to_string()))?;
    Ok(imported)
}

/// Gives links and joints names that are valid in model files; returns a map from the joint names of the file.
fn rename(tree: &mut Tree, ledger: &mut ImportReport) -> HashMap<String, String> {
    let (mut links, mut joints) = (Names::default(), Names::default());
    let mut map = HashMap::new();
    for link in &mut tree.links {
        link.name = links.assign(&link.name, ledger);
        for joint in &mut link.joints {
            let given = joints.assign(&joint.name, ledger);
            map.insert(std::mem::replace(&mut joint.name, given.clone()), given);
        }
    }
    map
}

/// Everything that is neither link nor joint.
fn list_rest(robot: &xml::Element, ledger: &mut ImportReport) {
    for other in robot.children.iter().filter(|c| !["link", "joint", "material"].contains(&c.name.as_str())) {
        ledger.not_imported_kind(
            &other.name,
            other.get("name").or(other.get("reference")).unwrap_or(""),
            Some(&other.place),
        );
    }
}

/// Mimic joints as relations.
fn couple(
    writer: &mut SpecWriter,
    joints: &[UrdfJoint],
    names: &HashMap<String, String>,
    ledger: &mut ImportReport,
) -> Result<(), Diagnostic> {
    let known: HashSet<&str> = joints.iter().map(|j| j.name.as_str()).collect();
    for joint in joints {
        let Some(mimic) = &joint.mimic else { continue };
        let measured = |name: &str| names.get(name).and_then(|n| writer.coordinates.get(n)).cloned();
        if !known.contains(mimic.joint.as_str()) {
            let what = format!("joint `{}` mimics `{}`, but there is no such joint", joint.name, mimic.joint);
            return Err(Diagnostic::error(what).at(&mimic.place));
        }
        let (Some(own), Some(other)) = (measured(&joint.name), measured(&mimic.joint)) else {
            let what = "mimic: one of the joints has no single measurable coordinate";
            ledger.not_imported(format!("joint `{}`", joint.name), what, Some(&mimic.place));
            continue;
        };
        let name = writer.constraint_name(&format!("{}-mimic", names[&joint.name]));
        let terms = vec![(1.0, own), (-mimic.multiplier, other)];
        let offset = Prescription::Position(Signal::constant(mimic.offset));
        let held = if mimic.offset == 0.0 { Prescription::Fixed } else { offset };
        writer.spec.constraint(&name, Relation::new(terms).follows(held));
    }
    Ok(())
}

/// All joints at zero, but for those whose limits exclude it and those that mimic others.
fn mimicking(
    tree: &Tree,
    joints: &[UrdfJoint],
    names: &HashMap<String, String>,
    ledger: &mut ImportReport,
) -> Vec<JointState> {
    let mut states = tree.reference_within_limits(ledger).unwrap_or_else(|| tree.reference());
    let index: HashMap<&str, usize> = tree.joints().enumerate().map(|(i, (_, j))| (j.name.as_str(), i)).collect();
    let find = |name: &str| names.get(name).and_then(|n| index.get(n.as_str())).copied();
    // A joint may mimic one that mimics another: a few passes resolve any reasonable chain.
    for _ in 0..4 {
        for joint in joints.iter().filter(|j| matches!(j.kind, UrdfJointKind::Hinge | UrdfJointKind::Slide)) {
            let Some(mimic) = &joint.mimic else { continue };
            if let (Some(own), Some(other)) = (find(&joint.name), find(&mimic.joint))
                && states[other].q.len() == 1
            {
                states[own].q[0] = mimic.multiplier * states[other].q[0] + mimic.offset;
            }
        }
    }
    states
}
