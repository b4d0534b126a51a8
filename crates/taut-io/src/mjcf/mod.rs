//! MJCF, the format of MuJoCo: bodies, joints, equalities, tendons and actuators → [`taut::Spec`].
//!
//! | MJCF | here |
//! |---|---|
//! | body | body, reference point in the body's origin; mass from `inertial` or geoms of simple shape |
//! | body without joints | part of its parent; its frame stays as the marker `parent.body` |
//! | hinge, slide, ball, free joint | revolute, prismatic, spherical, none; coordinates count from the file's `ref` |
//! | several joints on one body | one constraint with their combined degrees of freedom |
//! | stiffness, damping | spring and damper on the coordinate |
//! | armature | a flywheel on the ground that rotates with the joint: exactly I q̇²/2 |
//! | equality connect, weld, joint, tendon | joints and relations that hold exactly |
//! | actuator motor, position, velocity, general | force along the coordinate with a constant control |
//! | site | marker |
//! | geom | a visual of the body, and a surface in the group `collision` (of the world: `world`) |
//! | gravcomp | force on the mass centre |
//!
//! Contact rules, dry friction, muscles, sensors and everything else are listed in [`Robot::not_imported`].
#![allow(non_snake_case)] // the theory's letter is the identifier

mod actuators;
mod bodies;
mod compiler;
mod defaults;
mod equality;
mod geoms;
mod include;
mod joints;
mod keyframes;
mod shapes;
mod tendons;

use crate::diagnostic::Diagnostic;
use crate::robot::xml::{self, Element};
use crate::robot::{FramePlacement, ImportReport, Inertia, LinkMotion, Names, Pose, Robot, SpecWriter, Tree};
use bodies::BodyElement;
use compiler::Compiler;
use defaults::Defaults;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use taut::Signal;
use taut::forces::Applied;
use tendons::Tendon;

/// Initial pose of a robot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The pose in which the bodies are given, joints at their `ref`.
    #[default]
    AsGiven,
    /// The first keyframe.
    FirstKey,
    /// The keyframe with this name.
    Key(String),
}

/// Options of the import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MjcfOptions {
    /// Initial pose and controls.
    pub start: Start,
}

/// Reads a robot in the pose in which it is given; included files are relative to `path`.
///
/// # Errors
/// Errors in the file, or elements that cannot be imported without changing the motion.
pub fn read(text: &str, path: &Path) -> Result<Robot, Diagnostic> {
    read_with(text, path, &MjcfOptions::default())
}

/// The same with options.
///
/// # Errors
/// As [`read`].
pub fn read_with(text: &str, path: &Path, options: &MjcfOptions) -> Result<Robot, Diagnostic> {
    let mut root = xml::parse(text, path)?;
    if root.name != "mujoco" {
        let what = format!("the root element of an MJCF file is `mujoco`, not `{}`", root.name);
        return Err(root.error(what));
    }
    include::expand(&mut root, path)?;
    let mut ledger = ImportReport::default();
    let compiler = Compiler::read(&root, &mut ledger)?;
    let (defaults, timestep) = (Defaults::read(&root)?, compiler.timestep);
    let mut reader = MjcfReader::new(&compiler, &defaults, ledger);
    reader.list_sections(&root);
    let BodyElement { mut tree, bodies, joints, sites, buoyant, masses, .. } =
        reader.bodies(&root, &shapes::GeomAssets::read(&root, &defaults, path)?)?;
    let seats = tree.lump_and_report(&mut reader.ledger)?;
    reader.observe(&tree);
    reader.joints = joints;
    reader.bodies = bodies.into_iter().map(|(name, i)| (name, seats[i].clone())).collect();
    reader.read_tendons(&root)?;
    let keys = reader.keys(&root, &tree)?;
    let start = match &options.start {
        Start::AsGiven => None,
        Start::FirstKey => keys.first(),
        Start::Key(name) => match keys.iter().find(|k| k.name == *name) {
            Some(key) => Some(key),
            None => return Err(root.error(format!("there is no key `{name}`"))),
        },
    };
    let mut writer = SpecWriter::new(&tree, compiler.gravity, &mut reader.ledger)?;
    reader.sites(&sites, &seats, &mut writer);
    reader.equality(&root, &mut writer)?;
    reader.tendon_forces(&root, &mut writer)?;
    reader.actuators(&root, start.map_or(&[][..], |k| &k.controls), &mut writer)?;
    reader.attach_to_ground(&buoyant, &masses, &seats, &mut writer);
    let (spec, coordinates, visuals) = (writer.spec, writer.coordinates, writer.visuals);
    let within = tree.reference_within_limits(&mut reader.ledger);
    let (not_carried, notes) = reader.ledger.into_lists();
    let start = start.map(|k| k.joints.clone());
    let poses = keys.into_iter().map(|k| (k.name, k.joints)).collect();
    let name = root.get("model").unwrap_or("").to_string();
    let timestep = Some(timestep);
    let mut imported =
        Robot { name, spec, not_imported: not_carried, notes, tree, coordinates, timestep, visuals, poses };
    if let Some(joints) = start.or(within) {
        imported.start(&joints).map_err(|e| root.error(e.to_string()))?;
    }
    Ok(imported)
}

/// Data that the sections of a file share.
struct MjcfReader<'a> {
    compiler: &'a Compiler,
    defaults: &'a Defaults,
    ledger: ImportReport,
    body_names: Names,
    joint_names: Names,
    site_names: Names,
    /// Names of the file → placement; massless bodies have none.
    bodies: BTreeMap<String, Option<FramePlacement>>,
    sites: HashMap<String, Option<FramePlacement>>,
    site_markers: HashMap<String, String>,
    joints: HashMap<String, String>,
    tendons: HashMap<String, Tendon>,
    /// Links in the pose of the file.
    motions: Vec<LinkMotion>,
    /// Links with the springs of all joints at their free values.
    motions_at_rest: Vec<LinkMotion>,
    /// Joint (name here) → its coordinate in the pose of the file, and the free value of its spring.
    references: HashMap<String, (f64, f64)>,
}

impl<'a> MjcfReader<'a> {
    fn new(compiler: &'a Compiler, defaults: &'a Defaults, ledger: ImportReport) -> MjcfReader<'a> {
        MjcfReader {
            compiler,
            defaults,
            ledger,
            body_names: Names::default(),
            joint_names: Names::default(),
            site_names: Names::default(),
            bodies: BTreeMap::new(),
            sites: HashMap::new(),
            site_markers: HashMap::new(),
            joints: HashMap::new(),
            tendons: HashMap::new(),
            motions: Vec::new(),
            motions_at_rest: Vec::new(),
            references: HashMap::new(),
        }
    }

    /// Reports sections that are not imported.
    fn list_sections(&mut self, root: &Element) {
        let read =
            ["compiler", "option", "default", "asset", "worldbody", "equality", "tendon", "actuator", "keyframe"];
        // These only set memory sizes, visualisation or comments.
        let silent = ["size", "statistic"];
        let known = |s: &&Element| read.contains(&s.name.as_str()) || silent.contains(&s.name.as_str());
        let mut counts: BTreeMap<&str, (&Element, usize)> = BTreeMap::new();
        for section in root.children.iter().filter(|s| !known(s)) {
            counts.entry(&section.name).or_insert((section, 0)).1 += section.children.len();
        }
        for (name, (section, count)) in counts {
            self.ledger.not_imported(name, format!("{count} elements"), Some(&section.place));
        }
        let seen = count(root, "camera") + count(root, "light");
        if seen > 0 {
            self.ledger.not_imported("camera, light", seen.to_string(), None);
        }
    }

    /// Records the poses of all links in the pose of the file, and with all springs at their free values.
    fn observe(&mut self, tree: &Tree) {
        let mut joints = tree.reference();
        self.motions = tree.motions(&joints);
        for ((_, joint), state) in tree.joints().zip(&mut joints) {
            self.references.insert(joint.name.clone(), (joint.reference, joint.rest));
            if let [q] = &mut state.q[..] {
                *q = joint.rest;
            }
        }
        self.motions_at_rest = tree.motions(&joints);
    }

    /// Sites become markers.
    fn sites(&mut self, sites: &[bodies::Site], seats: &[Option<FramePlacement>], writer: &mut SpecWriter) {
        for site in sites {
            let ground = Some(FramePlacement { link: None, pose: Pose::IDENTITY });
            let on = site.link.map_or(ground, |i| seats[i].clone());
            let seat = on.map(|on| FramePlacement { pose: on.pose.compose(&site.pose), ..on });
            match &seat {
                Some(seat) => {
                    let marker = writer.marker_at(seat, &site.name, &Pose::IDENTITY);
                    self.site_markers.insert(site.given.clone(), marker);
                }
                None => self.ledger.not_imported_kind("sites on massless bodies", &site.given, None),
            }
            self.sites.insert(site.given.clone(), seat);
        }
    }

    /// Forces that compensate gravity.
    fn attach_to_ground(
        &mut self,
        buoyant: &[(usize, f64)],
        masses: &[Inertia],
        seats: &[Option<FramePlacement>],
        writer: &mut SpecWriter,
    ) {
        for &(i, fraction) in buoyant {
            let Some(seat @ FramePlacement { link: Some(link), .. }) = &seats[i] else { continue };
            let name = format!("{}-gravcomp", writer.tree.links[*link].name);
            let name = writer.force_name(&name);
            let at = writer.marker_at(seat, &name, &Pose::at(masses[i].com));
            let lift = self.compiler.gravity.map(|g| Signal::constant(-fraction * masses[i].mass * g));
            writer.spec.force(&name, Applied::force(&at, lift));
        }
    }

    /// The placement of a body.
    fn body_seat(&self, name: &str, e: &Element) -> Result<FramePlacement, Diagnostic> {
        if name == "world" {
            return Ok(FramePlacement { link: None, pose: Pose::IDENTITY });
        }
        seated(self.bodies.get(name), "body", name, e)
    }

    /// The placement of a site.
    fn site_seat(&self, name: &str, e: &Element) -> Result<FramePlacement, Diagnostic> {
        seated(self.sites.get(name), "site", name, e)
    }

    /// The name a joint of the file has here.
    fn joint_name(&self, joint: &str, e: &Element) -> Result<&str, Diagnostic> {
        let missing = || e.error(format!("{} refers to the joint `{joint}`, but there is no such joint", e.label()));
        self.joints.get(joint).map(String::as_str).ok_or_else(missing)
    }

    /// The world pose of a placement, in the pose of the file.
    fn world(&self, seat: &FramePlacement) -> Pose {
        seat.link.map_or(seat.pose, |i| self.motions[i].pose.compose(&seat.pose))
    }
}

fn seated(
    found: Option<&Option<FramePlacement>>,
    family: &str,
    name: &str,
    e: &Element,
) -> Result<FramePlacement, Diagnostic> {
    match found {
        Some(Some(seat)) => Ok(seat.clone()),
        Some(None) => Err(e.error(format!("{} acts on the {family} `{name}`, which has no mass", e.label()))),
        None => Err(e.error(format!("{} refers to the {family} `{name}`, but there is no such {family}", e.label()))),
    }
}

/// How many elements of a name there are below the world.
fn count(root: &Element, name: &str) -> usize {
    let mut sum = 0;
    let mut waiting: Vec<&Element> = root.all("worldbody").collect();
    while let Some(e) = waiting.pop() {
        sum += usize::from(e.name == name);
        waiting.extend(&e.children);
    }
    sum
}

/// A name without characters that are not permitted.
fn plain(name: &str) -> String {
    Names::default().assign(name, &mut ImportReport::default())
}
