//! The tree as a [`Spec`]: bodies, markers, joints, springs, dampers and rotors.

use super::chain::{Chain, ChainConstraint, ConstraintPart, JointMarker, MarkerBody, chain};
use super::coordinates::Coordinate;
use super::import_report::ImportReport;
use super::names::Names;
use super::pose::Pose;
use super::shapes::{LinkShape, ShapePurpose};
use super::tree::{Articulation, FramePlacement, Freedom, Link, Tree};
use super::{rotor, start};
use crate::diagnostic::Diagnostic;
use std::collections::BTreeMap;
use taut::contacts::Surface;
use taut::forces::{Bushing, Spring};
use taut::laws::Impact;
use taut::motion::Mat3;
use taut::signals::ForceLaw;
use taut::{Frame, Joint, Measure, Orientation, ParameterError, Relation, RigidBody, Spec};

/// A spec under construction.
pub(crate) struct SpecWriter<'a> {
    pub spec: Spec,
    pub tree: &'a Tree,
    /// The measure of each hinge and slide.
    pub coordinates: BTreeMap<String, Measure>,
    /// Shapes that are drawn, with the names of their bodies.
    pub visuals: Vec<(String, LinkShape)>,
    /// Why other joints have no measure.
    unmeasured: BTreeMap<String, &'static str>,
    markers: Names,
    constraints: Names,
    forces: Names,
    surfaces: Names,
}

impl<'a> SpecWriter<'a> {
    /// Bodies, joints, springs and rotors of a tree in the pose of its file.
    pub fn new(tree: &'a Tree, gravity: [f64; 3], ledger: &mut ImportReport) -> Result<SpecWriter<'a>, Diagnostic> {
        let mut writer = SpecWriter {
            spec: Spec { gravity, ..Spec::default() },
            tree,
            coordinates: BTreeMap::new(),
            unmeasured: BTreeMap::new(),
            markers: Names::default(),
            constraints: Names::default(),
            forces: Names::default(),
            surfaces: Names::default(),
            visuals: Vec::new(),
        };
        tree.links.iter().try_for_each(|link| writer.body(link))?;
        for (i, link) in tree.links.iter().enumerate() {
            writer.add_constraints(i, link, ledger)?;
        }
        for (name, pose) in &tree.ground {
            writer.marker(None, name, pose);
        }
        for (i, link) in tree.links.iter().enumerate() {
            link.frames.iter().for_each(|(name, pose)| {
                writer.marker(Some(i), name, pose);
            });
            link.joints.iter().for_each(|joint| writer.load(i, link, joint, ledger));
        }
        writer.shapes(None, &tree.ground_shapes);
        for (i, link) in tree.links.iter().enumerate() {
            writer.shapes(Some(i), &link.shapes);
        }
        start::place(&mut writer.spec, tree, &tree.reference());
        Ok(writer)
    }

    /// Surfaces and visuals of a link or of the ground.
    fn shapes(&mut self, link: Option<usize>, shapes: &[LinkShape]) {
        for shape in shapes {
            match shape.purpose {
                ShapePurpose::Visual => self.visuals.push((self.tree.name(link).to_string(), shape.clone())),
                ShapePurpose::Collision => {
                    let name = self.surfaces.unused_name(&format!("{}-collision", shape.link));
                    let marker = self.marker(link, &name, &shape.pose);
                    self.spec.surface(&name, Surface::new(&marker, shape.shape.clone()).group(shape.group));
                }
            }
        }
    }

    fn body(&mut self, link: &Link) -> Result<(), Diagnostic> {
        let Link { name, inertia, place, .. } = link;
        let body =
            RigidBody { mass: inertia.mass, inertia: inertia.entries(), com: inertia.com.into(), ..Default::default() };
        let sound = ParameterError::check_positive("mass", body.mass)
            .and_then(|()| ParameterError::check_finite("com", &body.com));
        sound.and_then(|()| ParameterError::check_inertia("inertia", &body.inertia)).map_err(|fault| {
            let error = Diagnostic::error(format!("link `{name}`: {fault}"));
            let error = error.help("links fixed to it count as part of it; correct the inertia in the file");
            Diagnostic { place: place.clone(), ..error }
        })?;
        self.spec.body(name, body);
        Ok(())
    }

    fn add_constraints(&mut self, i: usize, link: &Link, ledger: &mut ImportReport) -> Result<(), Diagnostic> {
        let Chain { constraints: held, rods, coordinates } = chain(&link.joints).map_err(|why| {
            let joints: Vec<&str> = link.joints.iter().map(|j| j.name.as_str()).collect();
            let what = format!("the joints of `{}` ({}) cannot be carried over: {why}", link.name, joints.join(", "));
            let error = Diagnostic::error(what).help(
                "without a body of mass in between, hinges must meet in one point, two must be perpendicular, and slides \
                 must come all before or all after them; give the links in between a mass",
            );
            Diagnostic { place: link.place.clone(), ..error }
        })?;
        for (joint, coordinate) in link.joints.iter().zip(&coordinates) {
            if let Coordinate::Unmeasured(why) = coordinate {
                self.unmeasured.insert(joint.name.clone(), why);
            }
        }
        if let ([joint], [held], [coordinate]) = (&link.joints[..], &held[..], &coordinates[..]) {
            return self.single(i, link, joint, held, coordinate);
        }
        let name = link.joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>().join("-");
        if link.joints.len() > 1 {
            let free = if held.is_empty() { "nothing remains to be constrained" } else { "they act as one constraint" };
            ledger.note(format!("the joints {name} lie between the same bodies: {free}"));
        }
        for h in &held {
            let name = self.constraints.unused_name(&match h.part {
                ConstraintPart::Joint => name.clone(),
                ConstraintPart::Path => format!("{name}-path"),
            });
            let (a, b) = (self.end(i, link, &name, &h.a), self.end(i, link, &name, &h.b));
            self.spec
                .constraint(&name, Joint { a, b, translation: h.translation.clone(), rotation: h.rotation.clone() });
        }
        for (a, b, length) in &rods {
            let rod = self.constraints.unused_name(&format!("{name}-rod"));
            let (a, b) = (self.end(i, link, &rod, a), self.end(i, link, &rod, b));
            self.spec.constraint(&rod, Relation::rod(&a, &b, *length));
        }
        for (joint, coordinate) in link.joints.iter().zip(&coordinates) {
            if let Some(measure) = self.measure(i, link, joint, coordinate) {
                let unit = if matches!(joint.freedom, Freedom::Slide { .. }) { "slide" } else { "angle" };
                self.spec.measure(&format!("{}.{unit}", joint.name), measure.clone());
                self.coordinates.insert(joint.name.clone(), measure);
            }
        }
        Ok(())
    }

    /// One joint alone: its markers also measure its coordinate, and the engine shows it as `joint.angle`.
    fn single(
        &mut self,
        i: usize,
        link: &Link,
        joint: &Articulation,
        held: &ChainConstraint,
        c: &Coordinate,
    ) -> Result<(), Diagnostic> {
        let name = self.constraints.unused_name(&joint.name);
        let (a, b) = match c {
            Coordinate::Angle { a, b } | Coordinate::Slide { a, b } | Coordinate::Elevation { a, b } => (a, b),
            Coordinate::Unmeasured(_) => (&held.a, &held.b),
        };
        let (a, b) = (self.end(i, link, &joint.name, a), self.end(i, link, &joint.name, b));
        match c {
            Coordinate::Angle { .. } => self.coordinates.insert(joint.name.clone(), Measure::angle(&a, &b)),
            Coordinate::Slide { .. } => self.coordinates.insert(joint.name.clone(), Measure::slide(&a, &b)),
            Coordinate::Elevation { .. } | Coordinate::Unmeasured(_) => None,
        };
        self.spec
            .constraint(&name, Joint { a, b, translation: held.translation.clone(), rotation: held.rotation.clone() });
        Ok(())
    }

    fn measure(&mut self, i: usize, link: &Link, joint: &Articulation, coordinate: &Coordinate) -> Option<Measure> {
        let (make, a, b): (fn(&str, &str) -> Measure, _, _) = match coordinate {
            Coordinate::Angle { a, b } => (Measure::angle, a, b),
            Coordinate::Elevation { a, b } => (Measure::elevation, a, b),
            Coordinate::Slide { a, b } => (Measure::slide, a, b),
            Coordinate::Unmeasured(_) => return None,
        };
        let (a, b) = (self.end(i, link, &joint.name, a), self.end(i, link, &joint.name, b));
        Some(make(&a, &b))
    }

    /// The marker of one end of a joint.
    fn end(&mut self, i: usize, link: &Link, name: &str, end: &JointMarker) -> String {
        match end.on {
            MarkerBody::Link => self.marker(Some(i), name, &end.pose),
            MarkerBody::Parent => self.marker(link.parent, name, &link.offset.compose(&end.pose)),
        }
    }

    /// A marker with a name close to `body.name`; the body itself if they coincide and no name is requested.
    pub fn marker(&mut self, link: Option<usize>, name: &str, pose: &Pose) -> String {
        let body = self.tree.name(link);
        let name = self.markers.unused_name(&format!("{body}.{name}"));
        self.spec.marker(&name, Frame { at: pose.p.into(), orientation: axes_of(&pose.R), ..Frame::default() });
        name
    }

    /// A marker at the placement of a link or frame.
    pub fn marker_at(&mut self, seat: &FramePlacement, name: &str, inner: &Pose) -> String {
        self.marker(seat.link, name, &seat.pose.compose(inner))
    }

    /// A name for a constraint.
    pub fn constraint_name(&mut self, wanted: &str) -> String {
        self.constraints.unused_name(wanted)
    }

    /// A name for a force.
    pub fn force_name(&mut self, wanted: &str) -> String {
        self.forces.unused_name(wanted)
    }

    /// Spring, damper and rotor of a joint.
    fn load(&mut self, i: usize, link: &Link, joint: &Articulation, ledger: &mut ImportReport) {
        let Articulation { name, stiffness, damping, armature, rest, .. } = joint;
        let place = joint.place.as_ref();
        let spring = self.forces.unused_name(&format!("{name}-spring"));
        if let Some(measure) = self.coordinates.get(name).cloned() {
            if *stiffness != 0.0 || *damping != 0.0 {
                self.spec.force(&spring, Spring::new(measure.clone(), ForceLaw::linear(*stiffness, *damping, *rest)));
            }
            if let Some([lower, upper]) = joint.limits {
                let stops = self.constraints.unused_name(&format!("{name}-limit"));
                self.spec.limits(&stops, measure.clone(), Some(lower), Some(upper), Impact::PLASTIC);
            }
            if *armature > 0.0 {
                rotor::add(&mut self.spec, name, &measure, *armature);
                self.constraints.unused_name(&format!("{name}-rotor-bearing"));
                self.constraints.unused_name(&format!("{name}-rotor-gear"));
            }
            return;
        }
        let why = self.unmeasured.get(name).copied().unwrap_or("it has no measurable coordinate");
        let mut list = |what: &str| ledger.not_imported(format!("joint `{name}`"), format!("{what}: {why}"), place);
        if joint.limits.is_some() {
            list("limits");
        }
        if *damping != 0.0 {
            list("damping");
        }
        if *armature != 0.0 {
            list("ARMATURE, so that the inertia of its rotor is missing from the motion");
        }
        if let (Freedom::Ball { at }, true) = (joint.freedom, *stiffness != 0.0) {
            let ends = [MarkerBody::Parent, MarkerBody::Link].map(|on| JointMarker { on, pose: Pose::at(at) });
            let [a, b] = ends.map(|end| self.end(i, link, &spring, &end));
            let k = [0.0, 0.0, 0.0, *stiffness, *stiffness, *stiffness];
            self.spec.force(&spring, Bushing::diagonal(&a, &b, k, [0.0; 6]));
        } else if *stiffness != 0.0 {
            list("stiffness");
        }
    }
}

/// Axes in the form of the model file.
pub(super) fn axes_of(R: &Mat3) -> Orientation {
    if *R == Mat3::identity() {
        return Orientation::Aligned;
    }
    let column = |i: usize| [R[(0, i)], R[(1, i)], R[(2, i)]];
    Orientation::Axes { z: column(2), x: Some(column(0)) }
}

/// An orientation in the form of the model file.
pub(crate) fn orientation(q: [f64; 4]) -> Orientation {
    if q == [1.0, 0.0, 0.0, 0.0] { Orientation::Aligned } else { Orientation::Quaternion(q) }
}
