//! A robot as both formats describe it: links in a tree, each carried by the joints between it and its parent.
//!
//! ```text
//!  T_link = T_parent · offset · J₁(q₁) · J₂(q₂) · …        axes and anchors of all joints in the link's own frame
//! ```
//!
//! A link on no joint is part of its parent; a link of no mass passes its joints on to its only child.

use super::import_report::ImportReport;
use super::inertia::Inertia;
use super::kinematics::JointState;
use super::pose::Pose;
use super::shapes::LinkShape;
use crate::diagnostic::{Diagnostic, Place};
use taut::motion::Vec3;

/// A link has six degrees of freedom.
const MAX_JOINTS_PER_LINK: usize = 6;

/// The degrees of freedom of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Freedom {
    /// Rotation about an axis through a point.
    Hinge {
        /// Unit vector.
        axis: Vec3,
        /// A point of the axis.
        at: Vec3,
    },
    /// Translation along an axis.
    Slide {
        /// Unit vector.
        axis: Vec3,
    },
    /// Rotation about a point.
    Ball {
        /// The point.
        at: Vec3,
    },
    /// Everything. Its coordinates are the pose in the parent; the link's offset is their value in the given pose.
    Free,
}

impl Freedom {
    /// How many coordinates it has: a ball is a quaternion, a free joint a point and a quaternion.
    pub fn coordinates(&self) -> usize {
        match self {
            Freedom::Hinge { .. } | Freedom::Slide { .. } => 1,
            Freedom::Ball { .. } => 4,
            Freedom::Free => 7,
        }
    }

    /// How many velocities it has.
    pub fn velocities(&self) -> usize {
        match self {
            Freedom::Hinge { .. } | Freedom::Slide { .. } => 1,
            Freedom::Ball { .. } => 3,
            Freedom::Free => 6,
        }
    }

    /// The same with axes and anchors in the frame in which the link has the pose `pose`.
    fn in_frame(&self, pose: &Pose) -> Freedom {
        match *self {
            Freedom::Hinge { axis, at } => Freedom::Hinge { axis: pose.R * axis, at: pose.point(&at) },
            Freedom::Slide { axis } => Freedom::Slide { axis: pose.R * axis },
            Freedom::Ball { at } => Freedom::Ball { at: pose.point(&at) },
            Freedom::Free => Freedom::Free,
        }
    }
}

/// One joint and the spring, damper and rotor on it.
#[derive(Clone, Debug)]
pub struct Articulation {
    /// Its name.
    pub name: String,
    /// Its degrees of freedom.
    pub freedom: Freedom,
    /// Its coordinate in the pose of the file.
    pub reference: f64,
    /// Stiffness of its spring.
    pub stiffness: f64,
    /// Free value of its spring.
    pub rest: f64,
    /// Damping.
    pub damping: f64,
    /// Inertia of a rotor that rotates with the joint.
    pub armature: f64,
    /// Lower and upper limit of its coordinate.
    pub limits: Option<[f64; 2]>,
    /// Its place in the file.
    pub place: Option<Place>,
}

impl Articulation {
    /// A joint without spring, damper and rotor.
    pub fn new(name: impl Into<String>, freedom: Freedom) -> Articulation {
        Articulation {
            name: name.into(),
            freedom,
            reference: 0.0,
            stiffness: 0.0,
            rest: 0.0,
            damping: 0.0,
            armature: 0.0,
            limits: None,
            place: None,
        }
    }
}

/// A link.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// The link that carries it; `None` is the ground.
    pub parent: Option<usize>,
    /// Its pose in the parent, as the file gives it.
    pub offset: Pose,
    /// The joints in between, from the parent outwards.
    pub joints: Vec<Articulation>,
    /// Its mass.
    pub inertia: Inertia,
    /// Frames on it.
    pub frames: Vec<(String, Pose)>,
    /// Its shapes.
    pub shapes: Vec<LinkShape>,
    /// Its place in the file.
    pub place: Option<Place>,
}

/// The new link and pose of a named link or frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FramePlacement {
    /// The link; `None` is the ground.
    pub link: Option<usize>,
    /// Its pose there.
    pub pose: Pose,
}

/// The links, parents before children.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The links.
    pub links: Vec<Link>,
    /// Frames of the ground.
    pub ground: Vec<(String, Pose)>,
    /// Shapes of the ground.
    pub ground_shapes: Vec<LinkShape>,
}

impl Tree {
    /// The name of a link, or `ground`.
    pub fn name(&self, link: Option<usize>) -> &str {
        link.map_or("ground", |i| &self.links[i].name)
    }

    /// All joints with the index of their link.
    pub fn joints(&self) -> impl Iterator<Item = (usize, &Articulation)> {
        self.links.iter().enumerate().flat_map(|(i, l)| l.joints.iter().map(move |j| (i, j)))
    }

    /// The pose of the file with the joints whose limits exclude it moved to these; none if there are no such joints.
    pub(crate) fn reference_within_limits(&self, ledger: &mut ImportReport) -> Option<Vec<JointState>> {
        let (mut states, mut moved) = (self.reference(), false);
        for ((_, joint), state) in self.joints().zip(&mut states) {
            if let (Some([lower, upper]), [q]) = (joint.limits, &mut state.q[..])
                && !(lower..=upper).contains(q)
            {
                ledger.note(format!(
                    "joint `{}` starts at {}, because its limits exclude {q}",
                    joint.name,
                    q.clamp(lower, upper)
                ));
                (*q, moved) = (q.clamp(lower, upper), true);
            }
        }
        moved.then_some(states)
    }

    /// The same as [`Tree::lump`], with a note about it.
    pub(crate) fn lump_and_report(
        &mut self,
        ledger: &mut ImportReport,
    ) -> Result<Vec<Option<FramePlacement>>, Diagnostic> {
        let fixed = self.links.iter().filter(|l| l.joints.is_empty()).count();
        if fixed > 0 {
            let what = "links on no joint are part of the body that carries them; their frames stay as markers";
            ledger.note(format!("{what} `body.link` ({fixed} links)"));
        }
        self.lump(ledger)
    }

    /// Merges links without joints into their parents, and passes the joints of massless links to their children. Returns the
    /// placement of each link; a massless one has none.
    fn lump(&mut self, ledger: &mut ImportReport) -> Result<Vec<Option<FramePlacement>>, Diagnostic> {
        let n = self.links.len();
        let mut removed = vec![false; n];
        // What each link has become part of, and its pose there.
        let mut seats: Vec<FramePlacement> = Vec::with_capacity(n);
        for i in 0..n {
            let ground = FramePlacement { link: None, pose: Pose::IDENTITY };
            let on = self.links[i].parent.map_or(ground, |p| seats[p].clone());
            let offset = on.pose.compose(&self.links[i].offset);
            if !self.links[i].joints.is_empty() {
                self.links[i].parent = on.link;
                self.links[i].offset = offset;
                seats.push(FramePlacement { link: Some(i), pose: Pose::IDENTITY });
                continue;
            }
            removed[i] = true;
            let frames = std::mem::take(&mut self.links[i].frames);
            let own = std::iter::once((self.links[i].name.clone(), Pose::IDENTITY));
            let moved = own.chain(frames).map(|(n, p)| (n, offset.compose(&p)));
            let shapes = std::mem::take(&mut self.links[i].shapes).into_iter().map(|s| s.in_frame(&offset));
            match on.link {
                Some(p) => {
                    self.links[p].shapes.extend(shapes);
                    self.links[p].inertia = self.links[p].inertia.sum(&self.links[i].inertia.rotated(&offset));
                    self.links[p].frames.extend(moved);
                }
                None => {
                    self.ground_shapes.extend(shapes);
                    self.ground.extend(moved);
                }
            }
            seats.push(FramePlacement { link: on.link, pose: offset });
        }
        let mut children = vec![Vec::new(); n];
        for i in (0..n).filter(|&i| !removed[i]) {
            if let Some(p) = self.links[i].parent {
                children[p].push(i);
            }
        }
        for i in 0..n {
            if !removed[i] && self.links[i].inertia.is_none() {
                self.pass_joints_to_child(i, &children[i], ledger)?;
                removed[i] = true;
            }
        }
        let places = self.retain(&removed);
        let sits = |seat: FramePlacement| match seat.link {
            Some(i) => places[i].map(|link| FramePlacement { link: Some(link), ..seat }),
            None => Some(seat),
        };
        Ok(seats.into_iter().map(sits).collect())
    }

    /// Gives the joints of a massless link to its only child.
    fn pass_joints_to_child(
        &mut self,
        i: usize,
        children: &[usize],
        ledger: &mut ImportReport,
    ) -> Result<(), Diagnostic> {
        let name = self.links[i].name.clone();
        let &[child] = children else {
            let why = match children.len() {
                0 => "nothing with mass is fixed to it, so its motion is undetermined".to_string(),
                k => format!("{k} moving links are attached to it; a massless link can carry only one"),
            };
            let error = Diagnostic::error(format!("link `{name}` moves but has no mass: {why}"));
            let error = error.help("give it a mass and inertia, or fix it to its parent");
            return Err(match &self.links[i].place {
                Some(place) => error.at(place),
                None => error,
            });
        };
        for (frame, _) in &self.links[i].frames {
            ledger.not_imported_kind(
                "frames on massless links",
                &format!("{name}.{frame}"),
                self.links[i].place.as_ref(),
            );
        }
        if !self.links[i].shapes.is_empty() {
            ledger.not_imported_kind("shapes of massless links", &name, self.links[i].place.as_ref());
        }
        let inward = self.links[child].offset.inverse();
        let mut joints = std::mem::take(&mut self.links[i].joints);
        if joints.iter().chain(&self.links[child].joints).any(|j| j.freedom == Freedom::Free) {
            let what = format!("link `{name}` floats freely but has no mass");
            return Err(Diagnostic { place: self.links[i].place.clone(), ..Diagnostic::error(what) });
        }
        if joints.len() + self.links[child].joints.len() > MAX_JOINTS_PER_LINK {
            let what = format!(
                "more than {MAX_JOINTS_PER_LINK} joints without mass in between end at `{}`",
                self.links[child].name
            );
            return Err(Diagnostic { place: self.links[i].place.clone(), ..Diagnostic::error(what) });
        }
        joints.iter_mut().for_each(|j| j.freedom = j.freedom.in_frame(&inward));
        joints.append(&mut self.links[child].joints);
        let (parent, offset) = (self.links[i].parent, self.links[i].offset);
        let link = &mut self.links[child];
        link.joints = joints;
        link.parent = parent;
        link.offset = offset.compose(&link.offset);
        ledger.note(format!(
            "link `{name}` has no mass: its joints act between `{}` and `{}`",
            self.name(parent),
            self.links[child].name
        ));
        Ok(())
    }

    /// Removes the links that are `removed` and returns the new indices of the others.
    fn retain(&mut self, removed: &[bool]) -> Vec<Option<usize>> {
        let mut count = 0;
        let next = |removed: &bool| {
            count += usize::from(!removed);
            (!removed).then(|| count - 1)
        };
        let places: Vec<Option<usize>> = removed.iter().map(next).collect();
        let links = std::mem::take(&mut self.links);
        self.links = links.into_iter().zip(removed).filter(|(_, removed)| !**removed).map(|(l, _)| l).collect();
        self.links.iter_mut().for_each(|l| l.parent = l.parent.and_then(|p| places[p]));
        places
    }
}
