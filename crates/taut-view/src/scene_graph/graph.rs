//! The scene graph: the figure of each body, node and marker.

use crate::scene::{Figure, FrameTriad, Point, QuaternionWxyz, Role, Spot};
use taut::bodies::BodyKind;
use taut::marker::{MarkerAxes, MarkerPlacement};
use taut::motion::{Mat3, Motion, quaternion_of_rotation};
use taut::{Model, State};

/// A scene node: the body frame that a figure follows.
#[derive(Clone, Debug)]
pub(crate) struct SceneNode {
    /// The body.
    pub body: usize,
    /// Its own frame, or that of one of its members or nodes.
    pub part: BodyFrame,
}

/// A frame of a body.
#[derive(Clone, Debug)]
pub(crate) enum BodyFrame {
    /// The reference frame of the body.
    Whole,
    /// The frame of a member or node, with its place on the body.
    Member(usize, MarkerPlacement),
}

/// All figures, the ground first, and the places of markers on them.
#[derive(Clone, Debug)]
pub(crate) struct SceneGraph {
    /// One node per figure except the ground: `nodes[i]` belongs to figure `i + 1`.
    pub nodes: Vec<SceneNode>,
    /// Names, roles and markers; shapes are added later.
    pub figures: Vec<Figure>,
}

fn figure(name: &str, role: Role) -> Figure {
    Figure { name: name.to_string(), role, visuals: Vec::new(), markers: Vec::new(), centre: [0.0; 3] }
}

impl SceneGraph {
    /// The bodies and nodes of a model that have a pose. Variables, subsystems and the frames of reduced sets have none.
    pub fn of(model: &Model) -> SceneGraph {
        let mut graph = SceneGraph { nodes: Vec::new(), figures: vec![figure("ground", Role::Ground)] };
        let beam_nodes = beam_nodes(model);
        for (b, body) in model.bodies.iter().enumerate() {
            if body.kind.body().no_frame_reason().is_none() {
                let role = if beam_nodes.contains(&b) { Role::Node } else { Role::Body };
                let mut own = figure(&body.name, role);
                own.centre = mass_centre(&body.kind);
                graph.figures.push(own);
                graph.nodes.push(SceneNode { body: b, part: BodyFrame::Whole });
            }
            let role = match &body.kind {
                BodyKind::Ritz(_) => Role::Body,
                BodyKind::BeamNodes(_) => Role::Node,
                _ => Role::Station,
            };
            for marker in &model.markers[body.markers.clone()] {
                // Marker names contain a dot, body names do not.
                if let (MarkerPlacement::Frame(_, MarkerAxes::OfMember(at)), false) =
                    (&marker.placement, marker.name.contains('.'))
                {
                    graph.figures.push(figure(&marker.name, role));
                    graph.nodes.push(SceneNode { body: b, part: BodyFrame::Member(at.0, marker.placement.clone()) });
                }
            }
        }
        for i in 0..model.markers.len() {
            let marker = &model.markers[i];
            if let (Some(spot), true) = (graph.spot(model, i), marker.name.contains('.')) {
                let tripod = FrameTriad { name: marker.name.clone(), p: spot.p, q: spot.q };
                graph.figures[spot.figure].markers.push(tripod);
            }
        }
        graph
    }

    /// The spot of a marker; a coordinate is placed at the origin of its body. `None` if the body has no pose.
    pub fn spot(&self, model: &Model, marker: usize) -> Option<Spot> {
        let marker = &model.markers[marker];
        let (p, R, member) = match &marker.placement {
            MarkerPlacement::Frame(p, MarkerAxes::Aligned) => (*p, Mat3::identity(), None),
            MarkerPlacement::Frame(p, MarkerAxes::Rotated(R)) => (*p, **R, None),
            MarkerPlacement::Frame(p, MarkerAxes::OfMember(at)) => (*p, at.1, Some(at.0)),
            MarkerPlacement::Coordinate(_) => (Default::default(), Mat3::identity(), None),
        };
        let figure = match marker.body {
            None => 0,
            Some(body) => 1 + self.nodes.iter().position(|a| a.body == body && a.part.is_member(member))?,
        };
        Some(Spot { figure, p: p.into(), q: quaternion_of_rotation(&R) })
    }

    /// Index of the figure with this name.
    pub fn figure(&self, name: &str) -> Option<usize> {
        self.figures.iter().position(|f| f.name == name)
    }

    /// Poses of all figures for the coordinates q.
    pub fn poses(&self, model: &Model, q: &[f64]) -> Vec<(Point, Mat3)> {
        let mut poses = Vec::with_capacity(self.figures.len());
        poses.push(([0.0; 3], Mat3::identity()));
        let (mut last, mut own) = (usize::MAX, Motion::REST);
        for node in &self.nodes {
            let entry = &model.bodies[node.body];
            let (body, q) = (entry.kind.body(), &q[entry.q.clone()]);
            if last != node.body {
                own = Motion::REST;
                body.frame_pose(q, &mut own);
                last = node.body;
            }
            let seen = match &node.part {
                BodyFrame::Whole => own,
                BodyFrame::Member(_, place) => {
                    let mut seen = Motion::REST;
                    body.marker_pose(q, &own, place, &mut seen);
                    seen
                }
            };
            poses.push((seen.p.into(), seen.R));
        }
        poses
    }

    /// Velocity and angular velocity of every figure except the ground.
    pub fn twists(&self, model: &Model, q: &[f64], v: &[f64]) -> Vec<(Point, Point)> {
        let of = |node: &SceneNode| {
            let entry = &model.bodies[node.body];
            let (body, q, v) = (entry.kind.body(), &q[entry.q.clone()], &v[entry.v.clone()]);
            let mut own = Motion::REST;
            body.frame_pose(q, &mut own);
            body.frame_twist(q, v, &mut own);
            let mut seen = own;
            if let BodyFrame::Member(_, place) = &node.part {
                body.marker_pose(q, &own, place, &mut seen);
                body.marker_twist(q, v, &own, place, &mut seen);
            }
            (seen.v.into(), seen.w.into())
        };
        self.nodes.iter().map(of).collect()
    }

    /// Poses of all figures in the initial state of the model.
    pub fn start_poses(&self, model: &Model) -> Vec<(Point, Mat3)> {
        let State { q, .. } = model.initial_state();
        self.poses(model, &q)
    }
}

impl BodyFrame {
    fn is_member(&self, member: Option<usize>) -> bool {
        match (self, member) {
            (BodyFrame::Whole, None) => true,
            (BodyFrame::Member(k, _), Some(member)) => *k == member,
            _ => false,
        }
    }
}

/// Bodies that are beam nodes: beam elements act on them.
fn beam_nodes(model: &Model) -> Vec<usize> {
    let elements = model.forces.iter().filter(|f| matches!(f.kind, taut::forces::ForceKind::Beam(_)));
    elements.flat_map(|f| f.markers.iter().filter_map(|m| model.markers[*m].body)).collect()
}

fn mass_centre(kind: &BodyKind) -> Point {
    match kind {
        BodyKind::Planar(b) => [b.com[0], b.com[1], 0.0],
        other => other.rigid().map_or([0.0; 3], |b| b.com),
    }
}

/// The quaternion of a rotation with the sign closest to `before`, so that interpolation takes the short way.
pub(crate) fn continuous_quaternion(R: &Mat3, before: Option<&QuaternionWxyz>) -> QuaternionWxyz {
    let q = quaternion_of_rotation(R);
    match before {
        Some(b) if b.iter().zip(&q).map(|(a, b)| a * b).sum::<f64>() < 0.0 => q.map(|x| -x),
        _ => q,
    }
}
