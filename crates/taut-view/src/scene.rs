//! The scene: figures (bodies, nodes of beams, the ground) and what is drawn between them.
//!
//! A figure is a frame that moves rigidly. Everything else is attached to figures by a [`Spot`] and moves with them; only
//! figures have poses over time ([`Film`](crate::film::Film)). Figure 0 is the ground and never moves. Lengths are in metres,
//! quaternions are (w, x, y, z). The types derive serde, because the page in the browser reads them.

use serde::Serialize;

/// Position in axes of the figure.
pub type Point = [f64; 3];
/// Unit quaternion (w, x, y, z).
pub type QuaternionWxyz = [f64; 4];

/// Planar or spatial model; selects the first view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// Everything moves in the xy plane and is drawn in it.
    Planar,
    /// Drawn in perspective.
    Spatial,
}

/// A frame fixed to a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spot {
    /// Index of the figure.
    pub figure: usize,
    /// Position in axes of the figure.
    pub p: Point,
    /// Orientation relative to the figure.
    pub q: QuaternionWxyz,
}

/// A shape to be drawn. Cylinder, cone and capsule are centred, with their axis along z.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Form {
    /// Full edge lengths.
    Box {
        /// Along x, y, z.
        size: [f64; 3],
    },
    /// A sphere; in the plane a disc.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Solid of revolution about z.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length along z.
        length: f64,
    },
    /// Cylinder with round ends; the length is that between the centres of the ends.
    Capsule {
        /// Radius.
        radius: f64,
        /// Between the centres of the round ends, along z.
        length: f64,
    },
    /// Ellipsoid of inertia, for a body of which nothing else is known.
    Ellipsoid {
        /// Semi-axes.
        radii: [f64; 3],
    },
    /// A slender bar between two points of the figure, for links drawn from joint to joint.
    Rod {
        /// One end.
        from: Point,
        /// The other.
        to: Point,
        /// Radius.
        radius: f64,
    },
    /// A flat polygon in the xy plane, counter-clockwise.
    Polygon {
        /// Corners.
        points: Vec<[f64; 2]>,
    },
    /// Half-space below z = 0.
    HalfSpace,
    /// Half-plane below y = 0, for planar models.
    HalfPlane,
    /// Triangles: from files (STL, OBJ, glTF), convex hulls, height fields and terrain.
    Mesh {
        /// Vertices, three numbers each.
        vertices: Vec<f32>,
        /// Three vertex indices per triangle.
        triangles: Vec<u32>,
    },
}

/// Source of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Given in the model for drawing.
    Given,
    /// Contact surface.
    Contact,
    /// Default, derived from mass, inertia and joint positions.
    Default,
}

/// A shape attached to a figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Visual {
    /// The shape.
    pub form: Form,
    /// Position in axes of the figure.
    pub p: Point,
    /// Orientation relative to the figure.
    pub q: QuaternionWxyz,
    /// Its source.
    pub origin: Origin,
    /// Colour given in the model, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
}

/// What a figure represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The world.
    Ground,
    /// A body.
    Body,
    /// A node of a beam; drawn by its beam.
    Node,
    /// A point of a deformable body, with its own motion.
    Station,
}

/// A marker of the model, drawn as a small coordinate triad if switched on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrameTriad {
    /// `body.frame`.
    pub name: String,
    /// Position in axes of the figure.
    pub p: Point,
    /// Orientation relative to the figure.
    pub q: QuaternionWxyz,
}

/// A frame that moves rigidly, with everything drawn on it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Name of the body, used for selection.
    pub name: String,
    /// What it represents.
    pub role: Role,
    /// Its shapes.
    pub visuals: Vec<Visual>,
    /// Its markers.
    pub markers: Vec<FrameTriad>,
    /// Mass centre in axes of the figure, if known.
    pub centre: Point,
}

/// Symbol of a joint. Its axis is z of the first spot, except for `PrismaticX`, where it is x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Glyph {
    /// Rotates about z.
    Revolute,
    /// Slides along z.
    PrismaticZ,
    /// Slides along x (planar sliders).
    PrismaticX,
    /// Rotates about and slides along z.
    Cylindrical,
    /// A ball in a socket.
    Spherical,
    /// A cross with two axes.
    Universal,
    /// Slides in the xy plane of its first spot.
    Plane,
    /// No relative motion.
    Fixed,
    /// Wheels that roll, knife edges.
    Rolling,
    /// Couples coordinates (gear, rack, screw): a small badge.
    Coupling,
    /// Any other set of rows.
    Other,
}

/// A joint between two spots (one spot, if it constrains coordinates of a single body).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointFigure {
    /// The constraint's name.
    pub name: String,
    /// How it is drawn.
    pub glyph: Glyph,
    /// Its type, as in the model file.
    pub kind: String,
    /// Its spots, in the order of its markers.
    pub spots: Vec<Spot>,
}

/// Symbol of a line element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineStyle {
    /// A coil.
    Spring,
    /// A dashpot.
    Damper,
    /// Coil and dashpot.
    SpringDamper,
    /// A rope through all its spots; drawn sagging when slack, if its length is known.
    Rope,
    /// A separator: a dashed line.
    Separator,
    /// A massless rigid rod.
    Rod,
    /// A structural cable.
    Cable,
    /// Bushing: elastic element between two frames.
    Bushing,
    /// Actuator along the line of its spots.
    Actuator,
}

/// A line element through spots.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// The element's name.
    pub name: String,
    /// How it is drawn.
    pub line: LineStyle,
    /// Its points in order.
    pub spots: Vec<Spot>,
    /// Length of the taut rope, if constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
}

/// Cross-section of a tube.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SectionOutline {
    /// Round.
    Circle {
        /// Radius.
        radius: f64,
    },
    /// Rectangle: width along y, height along z of the section.
    Rectangle {
        /// Along y.
        width: f64,
        /// Along z.
        height: f64,
    },
}

/// A beam: a deforming tube through its nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BeamFigure {
    /// The beam's name.
    pub name: String,
    /// Figures of its nodes in order; x of each runs along the beam once turned by `q`.
    pub nodes: Vec<usize>,
    /// Axes of the section (x along the beam) against those of each node.
    pub q: Vec<QuaternionWxyz>,
    /// Its section.
    pub section: SectionOutline,
}

/// Quantity that an arrow shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrowKind {
    /// Reaction of a constraint on its last marker.
    Reaction,
    /// Contact force.
    Contact,
    /// Force of a force element.
    Applied,
    /// Velocity of a mass centre.
    Velocity,
}

/// An arrow whose components are columns of the table, in world axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arrow {
    /// The element's name.
    pub name: String,
    /// The quantity.
    pub load: ArrowKind,
    /// Point of action.
    pub spot: Spot,
    /// Names of the columns of its point of action in world axes, if that moves independently of figures (contacts).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[String; 3]>,
    /// Names of the columns of its components (force or velocity); an empty name for a component that is always zero.
    pub vector: [String; 3],
    /// Names of the columns of its moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moment: Option<[String; 3]>,
    /// `partly` or `not_unique` for a reaction that the equations do not determine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub determinacy: Option<&'static str>,
    /// The sets within which the reaction trades load, by index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trades: Vec<usize>,
}

impl Arrow {
    /// Names of all its columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let more = self.at.iter().chain(&self.moment).flatten();
        self.vector.iter().chain(more).map(String::as_str).filter(|name| !name.is_empty())
    }
}

/// Everything that is drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scene {
    /// The model's title.
    pub title: String,
    /// Planar or spatial.
    pub space: Space,
    /// Gravity, m/s²; defines the downward direction.
    pub gravity: [f64; 3],
    /// The ground first, then every body and node in the model's order.
    pub figures: Vec<Figure>,
    /// Joints.
    pub joints: Vec<JointFigure>,
    /// Springs, ropes, rods …
    pub links: Vec<Link>,
    /// Beams.
    pub beams: Vec<BeamFigure>,
    /// Arrows.
    pub arrows: Vec<Arrow>,
}
