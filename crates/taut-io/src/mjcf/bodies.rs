//! `<worldbody>`: bodies, their masses, joints and sites.

use super::MjcfReader;
use super::compiler::{Compiler, FromGeoms};
use super::geoms::{GeomMass, weigh};
use super::shapes::GeomAssets;
use crate::diagnostic::Diagnostic;
use crate::robot::xml::Element;
use crate::robot::{Inertia, Link, LinkShape, Pose, Tree};
use std::collections::HashMap;
use taut::motion::{Mat3, Vec3};

/// An element of a body, with its enclosing frame and class.
pub(super) struct BodyPlacement<'e> {
    pub element: &'e Element,
    pub frame: Pose,
    pub class: Option<&'e str>,
}

/// A site.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// Its name in the file.
    pub given: String,
    /// Its name here.
    pub name: String,
    /// The body it is on; none is the world.
    pub link: Option<usize>,
    pub pose: Pose,
}

/// Further data of the tree.
#[derive(Debug, Default)]
pub(super) struct BodyElement {
    pub tree: Tree,
    /// Names of the file: body → link.
    pub bodies: HashMap<String, usize>,
    /// Names of the file: joint → name here.
    pub joints: HashMap<String, String>,
    /// Sites with a name.
    pub sites: Vec<Site>,
    /// Bodies with gravity compensation: link, fraction.
    pub buoyant: Vec<(usize, f64)>,
    /// Mass of each body by itself.
    pub masses: Vec<Inertia>,
    unknown: Vec<(usize, Diagnostic)>,
}

impl MjcfReader<'_> {
    /// All bodies of the world, depth first as MuJoCo numbers them.
    pub fn bodies(&mut self, root: &Element, assets: &GeomAssets) -> Result<BodyElement, Diagnostic> {
        let mut found = BodyElement::default();
        let mut waiting = Vec::new();
        for world in root.all("worldbody") {
            let mut inside = Vec::new();
            flatten(world, self.compiler, Pose::IDENTITY, world.get("childclass"), &mut inside)?;
            self.find_sites(&inside, None, &mut found)?;
            found.tree.ground_shapes.extend(self.shapes(&inside, None, assets)?);
            waiting.extend(inside.into_iter().filter(|s| s.element.name == "body").map(|s| (s, None)));
        }
        waiting.reverse();
        while let Some((standing, parent)) = waiting.pop() {
            let mut inside = Vec::new();
            let class = standing.element.get("childclass").or(standing.class);
            flatten(standing.element, self.compiler, Pose::IDENTITY, class, &mut inside)?;
            let link = self.body(&standing, parent, &inside, &mut found)?;
            let name = found.tree.links[link].name.clone();
            found.tree.links[link].shapes = self.shapes(&inside, Some(&name), assets)?;
            waiting.extend(inside.into_iter().filter(|s| s.element.name == "body").map(|s| (s, Some(link))).rev());
        }
        self.mass(&mut found)?;
        Ok(found)
    }

    fn body(
        &mut self,
        standing: &BodyPlacement,
        parent: Option<usize>,
        inside: &[BodyPlacement],
        found: &mut BodyElement,
    ) -> Result<usize, Diagnostic> {
        let element = standing.element;
        let link = found.tree.links.len();
        let given = element.get("name").map_or_else(|| format!("body{}", link + 1), str::to_string);
        let name = self.body_names.assign(&given, &mut self.ledger);
        if found.bodies.insert(given.clone(), link).is_some() {
            return Err(element.error(format!("there are two bodies named `{given}`")));
        }
        let offset = standing.frame.compose(&self.compiler.pose(element)?);
        let mut joints = Vec::new();
        for s in inside.iter().filter(|s| s.element.name == "joint" || s.element.name == "freejoint") {
            joints.push(self.joint(s, &name, parent, found)?);
        }
        if element.get("mocap") == Some("true") {
            self.ledger.not_imported_kind(
                "bodies moved by motion capture (they stand still here)",
                &name,
                Some(&element.place),
            );
        }
        let fraction = element.number_or_zero("gravcomp")?;
        if fraction != 0.0 {
            found.buoyant.push((link, fraction));
        }
        let inertia = self.inertia(inside, link, found)?;
        found.masses.push(inertia);
        let (frames, place) = (Vec::new(), Some(element.place.clone()));
        found.tree.links.push(Link { name, parent, offset, joints, inertia, frames, shapes: Vec::new(), place });
        self.find_sites(inside, Some(link), found)?;
        Ok(link)
    }

    /// The inertial of a body, or the sum of its geoms.
    fn inertia(
        &mut self,
        inside: &[BodyPlacement],
        link: usize,
        found: &mut BodyElement,
    ) -> Result<Inertia, Diagnostic> {
        let inertial = inside.iter().find(|s| s.element.name == "inertial").map(|s| s.element);
        let inertia = match (inertial, self.compiler.from_geoms) {
            (Some(e), FromGeoms::WhereMissing | FromGeoms::Never) => self.inertial(e)?,
            (None, FromGeoms::Never) => Inertia::NONE,
            _ => {
                let mut sum = Inertia::NONE;
                for s in inside.iter().filter(|s| s.element.name == "geom") {
                    let geom = self.defaults.apply(s.element, s.class)?;
                    match weigh(&geom, self.compiler)? {
                        GeomMass::Known(one) => sum = sum.sum(&one.rotated(&s.frame)),
                        GeomMass::Unknown(why) => found.unknown.push((link, why)),
                    }
                }
                sum
            }
        };
        Ok(self.compiler.bound(inertia))
    }

    fn inertial(&self, e: &Element) -> Result<Inertia, Diagnostic> {
        let pose = self.compiler.pose(e)?;
        let mass = e.number("mass")?.ok_or_else(|| e.error("an inertial needs a mass"))?;
        if mass < 0.0 {
            return Err(e.error(format!("the mass is {mass}; it must not be negative")));
        }
        if let Some([xx, yy, zz, xy, xz, yz]) = e.numbers("fullinertia")? {
            let tensor = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            return Ok(Inertia { mass, com: pose.p, tensor });
        }
        let moments = e.numbers::<3>("diaginertia")?.unwrap_or([0.0; 3]);
        if let Some(least) = moments.iter().find(|m| **m < 0.0) {
            return Err(e.error(format!("diaginertia contains {least}; it must not be negative")));
        }
        Ok(Inertia::principal(mass, moments, &pose))
    }

    /// Surfaces and pictures of the geoms of a body, or of the world.
    fn shapes(
        &mut self,
        inside: &[BodyPlacement],
        link: Option<&str>,
        assets: &GeomAssets,
    ) -> Result<Vec<LinkShape>, Diagnostic> {
        let mut found = Vec::new();
        for s in inside.iter().filter(|s| s.element.name == "geom") {
            let geom = self.defaults.apply(s.element, s.class)?;
            found.extend(assets.shapes(&geom, &s.frame, link, self.compiler, &mut self.ledger)?);
        }
        Ok(found)
    }

    fn find_sites(
        &mut self,
        inside: &[BodyPlacement],
        link: Option<usize>,
        found: &mut BodyElement,
    ) -> Result<(), Diagnostic> {
        for s in inside.iter().filter(|s| s.element.name == "site") {
            let Some(given) = s.element.get("name") else { continue };
            let site = self.defaults.apply(s.element, s.class)?;
            let mut pose = self.compiler.pose(&site)?;
            if let Some([a, b, c, d, e, f]) = site.numbers::<6>("fromto")? {
                pose.p = 0.5 * (Vec3::new(a, b, c) + Vec3::new(d, e, f));
            }
            let pose = s.frame.compose(&pose);
            let name = self.site_names.assign(given, &mut self.ledger);
            found.sites.push(Site { given: given.to_string(), name, link, pose });
        }
        Ok(())
    }

    /// Reports meshes whose mass is needed; distributes a given total mass.
    fn mass(&mut self, found: &mut BodyElement) -> Result<(), Diagnostic> {
        let mut moves = vec![false; found.tree.links.len()];
        for (i, link) in found.tree.links.iter().enumerate() {
            moves[i] = !link.joints.is_empty() || link.parent.is_some_and(|p| moves[p]);
        }
        if let Some((link, why)) = found.unknown.iter().find(|(i, _)| moves[*i]) {
            let message =
                format!("the mass of body `{}` cannot be determined: {}", found.tree.links[*link].name, why.message);
            return Err(Diagnostic { message, ..why.clone() });
        }
        if let Some(total) = self.compiler.total_mass {
            let sum: f64 = found.tree.links.iter().map(|l| l.inertia.mass).sum();
            if sum > 0.0 {
                for (link, mass) in found.tree.links.iter_mut().zip(&mut found.masses) {
                    link.inertia = link.inertia.scaled(total / sum);
                    *mass = link.inertia;
                }
            }
        }
        Ok(())
    }
}

/// The elements of a body, with nested `frame` elements resolved.
fn flatten<'e>(
    body: &'e Element,
    compiler: &Compiler,
    frame: Pose,
    class: Option<&'e str>,
    list: &mut Vec<BodyPlacement<'e>>,
) -> Result<(), Diagnostic> {
    for element in &body.children {
        match element.name.as_str() {
            "frame" => {
                let inner = frame.compose(&compiler.pose(element)?);
                flatten(element, compiler, inner, element.get("childclass").or(class), list)?;
            }
            "composite" | "flexcomp" | "replicate" | "attach" => {
                let what = format!("`{}` creates bodies in a way that is not supported", element.name);
                let help = "let MuJoCo expand it: mujoco.mj_saveLastXML writes the model without it";
                return Err(element.error(what).help(help));
            }
            _ => list.push(BodyPlacement { element, frame, class }),
        }
    }
    Ok(())
}
