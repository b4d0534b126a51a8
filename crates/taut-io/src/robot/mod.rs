//! What URDF and MJCF have in common: a tree of links, and its conversion to a [`Spec`].
#![allow(non_snake_case)] // the theory's letter is the identifier

mod chain;
mod coordinates;
mod import_report;
mod inertia;
mod kinematics;
mod names;
mod pose;
mod rotor;
mod shapes;
mod start;
mod tree;
mod writer;
pub(crate) mod xml;

pub use inertia::Inertia;
pub use kinematics::{JointState, LinkMotion};
pub use pose::Pose;
pub(crate) use shapes::{COLLISION_GROUP, WORLD_GROUP, colour_code, scaled_mesh};
pub use shapes::{LinkShape, ShapePurpose};
pub use start::StartError;
pub use tree::{Articulation, FramePlacement, Freedom, Link, Tree};

pub(crate) use import_report::ImportReport;
pub(crate) use names::Names;
pub(crate) use pose::{direction, perpendicular, rotation_of_axis_angle, rotation_of_quaternion};
pub(crate) use writer::SpecWriter;

use crate::diagnostic::{Diagnostic, Place};
use crate::{mjcf, urdf};
use std::collections::BTreeMap;
use std::path::Path;
use taut::{Measure, Spec};

/// An element of the file that is not imported.
#[derive(Clone, Debug, PartialEq)]
pub struct NotImported {
    /// The element, or the kind of elements.
    pub element: String,
    /// What is not imported, and why.
    pub what: String,
    /// Its place in the file, or that of the first of several.
    pub place: Option<Place>,
}

/// A robot that was read.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Its name, if it has one.
    pub name: String,
    /// The mechanism: bodies, markers, constraints, forces, measures, gravity.
    pub spec: Spec,
    /// What is not imported.
    pub not_imported: Vec<NotImported>,
    /// Notes on how elements were imported.
    pub notes: Vec<String>,
    /// Its links and joints, after fixed links have become part of their parents. Link i is body i of the spec.
    pub tree: Tree,
    /// The measure of the coordinate of each hinge and slide.
    pub coordinates: BTreeMap<String, Measure>,
    /// The time step given in the file, s.
    pub timestep: Option<f64>,
    /// Shapes that are drawn, with the names of their bodies.
    pub visuals: Vec<(String, LinkShape)>,
    /// Named poses of the file: its keyframes.
    pub poses: Vec<(String, Vec<JointState>)>,
}

/// Reads a robot from a file, URDF or MJCF, with the options that either has by default.
///
/// # Errors
/// A file that cannot be read or is neither, and what [`urdf::read`] and [`mjcf::read`] find.
pub fn read(path: &Path) -> Result<Robot, Diagnostic> {
    let unreadable = |why: String| Diagnostic::error(format!("cannot read {}: {why}", path.display()));
    // A pipe or device might never end.
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(unreadable("it is not a file".to_string())),
        Err(e) => return Err(unreadable(e.to_string())),
    }
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(e.to_string()))?;
    parse(&text, path)
}

/// The same from a text; its root element tells which format it is.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Robot, Diagnostic> {
    let root = xml::parse(text, path)?;
    match root.name.as_str() {
        "robot" => urdf::read(text, path),
        "mujoco" => mjcf::read(text, path),
        other => {
            let what = format!("the root element is `{other}`; URDF has `robot`, MJCF has `mujoco`");
            Err(root.error(what))
        }
    }
}
