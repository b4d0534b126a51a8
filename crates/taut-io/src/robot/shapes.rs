//! Shapes of links: how they look, and with what they touch.

use super::pose::Pose;
use super::writer::axes_of;
use crate::mesh::{self, Mesh};
use std::path::Path;
use taut::Orientation;
use taut::shapes::Shape;

/// The group of the imported surfaces of links, for contact rules.
pub(crate) const COLLISION_GROUP: &str = "collision";
/// The group of the imported surfaces that are part of no link: floors and walls.
pub(crate) const WORLD_GROUP: &str = "world";

/// What a shape is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapePurpose {
    /// It is drawn.
    Visual,
    /// It touches other shapes.
    Collision,
}

/// A shape of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkShape {
    /// The link of the file that it belongs to, also after that has become part of another.
    pub link: String,
    /// What it is for.
    pub purpose: ShapePurpose,
    /// The shape.
    pub shape: Shape,
    /// Its pose in the link, or in the body that the link has become part of.
    pub pose: Pose,
    /// `#rrggbb`.
    pub colour: Option<String>,
    /// If it touches other shapes: the group of its surface.
    pub group: &'static str,
}

/// `#rrggbb` of parts from 0 to 1.
pub(crate) fn colour_code(rgba: &[f64]) -> String {
    let part = |i: usize| (255.0 * rgba.get(i).copied().unwrap_or(0.0).clamp(0.0, 1.0)).round() as u8;
    format!("#{:02x}{:02x}{:02x}", part(0), part(1), part(2))
}

/// The triangles of a file, stretched along x, y, z.
pub(crate) fn scaled_mesh(path: &Path, scale: [f64; 3]) -> Result<Mesh, String> {
    let mut mesh = mesh::read(path)?;
    mesh.points.iter_mut().flat_map(|p| p.iter_mut().zip(scale)).for_each(|(x, factor)| *x *= factor);
    // A mirrored mesh has its faces reversed.
    if scale.iter().product::<f64>() < 0.0 {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    Ok(mesh)
}

impl LinkShape {
    /// The same in the frame in which its link has the pose `pose`.
    pub(super) fn in_frame(mut self, pose: &Pose) -> LinkShape {
        self.pose = pose.compose(&self.pose);
        self
    }

    /// Its axes in the form of the model file.
    pub(crate) fn orientation(&self) -> Orientation {
        axes_of(&self.pose.R)
    }
}
