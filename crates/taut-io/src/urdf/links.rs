//! The links of a URDF file, and the tree they form.

use super::joints::{UrdfJoint, origin};
use super::shapes::ShapeReader;
use crate::diagnostic::Diagnostic;
use crate::robot::xml::Element;
use crate::robot::{ImportReport, Inertia, Link, Pose, Tree};
use std::collections::HashMap;
use taut::motion::Mat3;

/// All links of a robot, each for itself.
pub(super) fn read(robot: &Element, reader: &ShapeReader, ledger: &mut ImportReport) -> Result<Vec<Link>, Diagnostic> {
    let mut links: Vec<Link> = Vec::new();
    let mut names = HashMap::new();
    for element in robot.all("link") {
        let name = element.require("name")?.to_string();
        if names.insert(name.clone(), ()).is_some() {
            return Err(element.error(format!("there are two links named `{name}`")));
        }
        for other in &element.children {
            if !["inertial", "visual", "collision"].contains(&other.name.as_str()) {
                ledger.not_imported_kind(&format!("{} of links", other.name), &name, Some(&other.place));
            }
        }
        let inertia = inertia(element, &name)?;
        let place = Some(element.place.clone());
        let shapes = reader.shapes(element, &name, ledger)?;
        let (offset, joints, frames) = (Pose::IDENTITY, Vec::new(), Vec::new());
        links.push(Link { name, parent: None, offset, joints, inertia, frames, shapes, place });
    }
    if links.is_empty() {
        return Err(robot.error("the robot has no links"));
    }
    Ok(links)
}

fn inertia(link: &Element, name: &str) -> Result<Inertia, Diagnostic> {
    let Some(inertial) = link.child("inertial") else { return Ok(Inertia::NONE) };
    let mass = match inertial.child("mass") {
        Some(m) => m.number("value")?.ok_or_else(|| m.error(format!("the mass of link `{name}` needs a `value`")))?,
        None => return Err(inertial.error(format!("the inertial of link `{name}` has no mass"))),
    };
    if mass < 0.0 {
        return Err(inertial.error(format!("the mass of link `{name}` is {mass}; it must not be negative")));
    }
    let entry = |e: &Element, n: &str| {
        e.number(n)?.ok_or_else(|| e.error(format!("the inertia of link `{name}` needs the attribute `{n}`")))
    };
    let mut tensor = Mat3::zeros();
    if let Some(e) = inertial.child("inertia") {
        let [xx, xy, xz] = [entry(e, "ixx")?, entry(e, "ixy")?, entry(e, "ixz")?];
        let [yy, yz, zz] = [entry(e, "iyy")?, entry(e, "iyz")?, entry(e, "izz")?];
        // A link that is fixed to another one is accepted despite rounding errors of its inertia.
        let rounding = -1e-15 - 1e-9 * xx.max(yy).max(zz);
        if let Some(least) = [xx, yy, zz].into_iter().find(|i| *i < rounding) {
            return Err(e.error(format!("link `{name}` has the moment of inertia {least}; it must not be negative")));
        }
        tensor = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    }
    let at = origin(inertial)?;
    Ok(Inertia { mass, com: at.p, tensor: at.R * tensor * at.R.transpose() })
}

/// Builds the tree of links, the root first.
pub(super) fn grow(robot: &Element, links: Vec<Link>, joints: &[UrdfJoint]) -> Result<Tree, Diagnostic> {
    let index: HashMap<&str, usize> = links.iter().enumerate().map(|(i, l)| (l.name.as_str(), i)).collect();
    let mut carried: Vec<Option<&UrdfJoint>> = vec![None; links.len()];
    let mut children: Vec<Vec<(usize, &UrdfJoint)>> = vec![Vec::new(); links.len()];
    for joint in joints {
        let find = |link: &str| {
            let missing = || format!("joint `{}` refers to the link `{link}`, but there is no such link", joint.name);
            index.get(link).copied().ok_or_else(|| Diagnostic::error(missing()).at(&joint.place))
        };
        let (parent, child) = (find(&joint.parent)?, find(&joint.child)?);
        if let Some(other) = carried[child].replace(joint) {
            let what = format!(
                "link `{}` is the child of the joints `{}` and `{}`; in a tree it has one",
                joint.child, other.name, joint.name
            );
            let help = "URDF describes trees: close the loop in a model file that includes this one";
            return Err(Diagnostic::error(what).at(&joint.place).help(help));
        }
        children[parent].push((child, joint));
    }
    let roots: Vec<usize> = (0..links.len()).filter(|&i| carried[i].is_none()).collect();
    let root = match roots[..] {
        [root] => root,
        [] => return Err(robot.error("every link is the child of a joint: the joints form a loop")),
        [a, b, ..] => {
            let what = format!("`{}` and `{}` are both roots; a robot has one root", links[a].name, links[b].name);
            return Err(Diagnostic { place: links[b].place.clone(), ..Diagnostic::error(what) });
        }
    };
    let mut tree = Tree::default();
    let mut place = vec![None; links.len()];
    let mut waiting = vec![(root, None)];
    while let Some((i, joint)) = waiting.pop() {
        let mut link = links[i].clone();
        if let Some(given) = joint {
            let given: &UrdfJoint = given;
            link.parent = place[index[given.parent.as_str()]];
            link.offset = given.origin;
            link.joints = given.articulations();
        }
        place[i] = Some(tree.links.len());
        tree.links.push(link);
        waiting.extend(children[i].iter().rev().map(|&(child, joint)| (child, Some(joint))));
    }
    match place.iter().position(Option::is_none) {
        Some(lost) => {
            let what = format!("link `{}` is in a loop of joints that does not reach the root", links[lost].name);
            Err(Diagnostic { place: links[lost].place.clone(), ..Diagnostic::error(what) })
        }
        None => Ok(tree),
    }
}
