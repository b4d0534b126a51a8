//! What there is to see: figures (bodies, nodes of beams, the ground) and what is drawn between them.
//!
//! Everything sits on a figure by a [`Spot`] and moves with it; only figures have poses over time
//! ([`Film`](crate::film::Film)). Figure 0 is the ground and never moves. Lengths in metres, quaternions (w, x, y, z).
//! The types derive serde: they are what the page in the browser reads.

use serde::Serialize;

/// Position in axes of the figure.
pub type Point = [f64; 3];
/// Unit quaternion (w, x, y, z).
pub type Turn = [f64; 4];

/// Where the model lives: the camera's first look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// Everything moves in the xy plane: drawn flat.
    Planar,
    /// Drawn in perspective.
    Spatial,
}

/// A place on a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spot {
    /// Index of the figure that carries it.
    pub figure: usize,
    /// Where, in axes of the figure.
    pub p: Point,
    /// Axes, against those of the figure.
    pub q: Turn,
}

/// A form that can be drawn. Cylinder, cone and capsule lie along z, centred.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Form {
    /// Full edge lengths.
    Box {
        /// Along x, y, z.
        size: [f64; 3],
    },
    /// A ball, or in the plane a disc.
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
    /// Ellipsoid: the inertia of a body of which nothing else is known.
    Ellipsoid {
        /// Semi-axes.
        radii: [f64; 3],
    },
    /// A slender bar between two points of the figure: links drawn from joint to joint.
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
    /// A line in the plane: solid below y = 0.
    HalfPlane,
    /// Triangles; named files (STL, OBJ, glTF) end here, and convex hulls, height fields, terrain.
    Mesh {
        /// Vertices, three numbers each.
        vertices: Vec<f32>,
        /// Three indices a triangle.
        triangles: Vec<u32>,
    },
}

/// Where a form comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The model names it for drawing.
    Given,
    /// It is the surface of a contact.
    Contact,
    /// Made up from mass, inertia and the places of the joints.
    Default,
}

/// One form on its figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Visual {
    /// What.
    pub form: Form,
    /// Where on the figure.
    pub p: Point,
    /// Its axes against those of the figure.
    pub q: Turn,
    /// Where it comes from.
    pub origin: Origin,
    /// Colour asked for in the model, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
}

/// What a figure stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The world.
    Ground,
    /// A body.
    Body,
    /// A node of a beam; drawn by its beam.
    Node,
    /// A point of a body that deforms, moving on its own.
    Station,
}

/// A frame of the model, drawn as a small tripod when asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tripod {
    /// `body.frame`.
    pub name: String,
    /// Where.
    pub p: Point,
    /// Its axes.
    pub q: Turn,
}

/// Something that moves as one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The body's name; what is clicked.
    pub name: String,
    /// What it stands for.
    pub role: Role,
    /// How it looks.
    pub visuals: Vec<Visual>,
    /// Its frames.
    pub markers: Vec<Tripod>,
    /// Mass centre in axes of the figure, where known.
    pub centre: Point,
}

/// How a joint is drawn. The axis is z of its first spot, but for the slider, whose guide is x where `Prismatic` says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Glyph {
    /// Turns about z.
    Revolute,
    /// Slides along z.
    PrismaticZ,
    /// Slides along x (planar sliders).
    PrismaticX,
    /// Turns about and slides along z.
    Cylindrical,
    /// A ball in a socket.
    Spherical,
    /// A cross with two axes.
    Universal,
    /// Slides in the xy plane of its first spot.
    Plane,
    /// Nothing free.
    Fixed,
    /// Wheels that roll, knife edges.
    Rolling,
    /// Couples coordinates (gear, rack, screw): a small badge.
    Coupling,
    /// Any other set of rows.
    Other,
}

/// A joint between two spots (one, if it holds a single body by its coordinates).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointFigure {
    /// The constraint's name.
    pub name: String,
    /// How it is drawn.
    pub glyph: Glyph,
    /// Words for its kind, as in the model file.
    pub kind: String,
    /// Where it sits, first marker first.
    pub spots: Vec<Spot>,
}

/// How a line between spots is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// A coil.
    Spring,
    /// A pot with a piston.
    Damper,
    /// Coil and pot.
    SpringDamper,
    /// A rope through all its spots; sags when slack, if its length is known.
    Rope,
    /// Keeps its ends apart; a dashed line.
    Separator,
    /// A massless rigid rod.
    Rod,
    /// A structural cable.
    Cable,
    /// Bushing, elastic element between two frames.
    Bushing,
    /// Actuator along the line of its spots.
    Actuator,
}

/// A line through spots.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// The element's name.
    pub name: String,
    /// How it is drawn.
    pub line: Line,
    /// Its points in order.
    pub spots: Vec<Spot>,
    /// Length at which a rope is taut, where constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
}

/// Cross-section of a tube.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Outline {
    /// Round.
    Circle {
        /// Radius.
        radius: f64,
    },
    /// Upright rectangle: width along y, height along z of the section.
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
    pub q: Vec<Turn>,
    /// Its section.
    pub section: Outline,
}

/// What an arrow stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// Of a constraint on its last marker.
    Reaction,
    /// Of a contact.
    Contact,
    /// Of a force element.
    Applied,
    /// Velocity of a mass centre.
    Velocity,
}

/// An arrow whose components are columns of the table, in world axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arrow {
    /// The element's name.
    pub name: String,
    /// What it stands for.
    pub load: Load,
    /// Where it acts.
    pub spot: Spot,
    /// Names of the columns of its point of action in the world, where it moves on its own (contacts).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[String; 3]>,
    /// Names of the columns of its components (force or velocity); empty text for a component that is always zero.
    pub vector: [String; 3],
    /// Names of the columns of its moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moment: Option<[String; 3]>,
}

impl Arrow {
    /// Names of all columns that it is made of.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let more = self.at.iter().chain(&self.moment).flatten();
        self.vector.iter().chain(more).map(String::as_str).filter(|name| !name.is_empty())
    }
}

/// Everything there is to draw.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scene {
    /// The model's title.
    pub title: String,
    /// Flat or not.
    pub space: Space,
    /// Gravity, m/s²: which way is down.
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
