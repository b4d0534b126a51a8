//! The shape on a marker, as given in the model.

use crate::error::ParameterError;
use serde::{Deserialize, Serialize};

/// Dimension of a shape: in space, or in the xy plane of its marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// In the plane.
    Two,
    /// In space.
    Three,
}

/// A shape in the frame of the marker that carries it; lengths in m.
///
/// Planar shapes only touch planar shapes, and their markers must lie in one plane. Spatial shapes only touch spatial shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "shape", rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A sphere about the origin.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A cylinder about z with two half-spheres at its ends.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length between the centres of the half-spheres.
        length: f64,
    },
    /// A box about the origin.
    Box {
        /// Full lengths of the edges along x, y, z.
        size: [f64; 3],
    },
    /// A cylinder about z, centred at the origin.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Full length.
        length: f64,
    },
    /// An ellipsoid about the origin. It touches half-spaces, spheres and other ellipsoids.
    Ellipsoid {
        /// Semi-axes along x, y, z.
        radii: [f64; 3],
    },
    /// The half-space z ≤ 0.
    HalfSpace {},
    /// The convex hull of points.
    Convex {
        /// The points, in any order; interior points are ignored.
        points: Vec<[f64; 3]>,
    },
    /// A triangle mesh, solid behind its surface; for ground and walls. Two meshes do not touch each other.
    Mesh {
        /// Vertices of the triangles.
        points: Vec<[f64; 3]>,
        /// Three point indices each, counter-clockwise seen from outside. Triangles with a common edge must share its points.
        triangles: Vec<[usize; 3]>,
    },
    /// Ground with given heights over the xy plane, centred at the origin, solid at any depth below.
    HeightField {
        /// Extent along x and y.
        size: [f64; 2],
        /// Rows along x, in order of increasing y, evenly spaced.
        heights: Vec<Vec<f64>>,
    },
    /// In the plane: a disc about the origin.
    Circle {
        /// Radius.
        radius: f64,
    },
    /// In the plane: a rectangle about the origin.
    Rectangle {
        /// Full lengths of the sides along x and y.
        size: [f64; 2],
    },
    /// In the plane: a convex polygon.
    Polygon {
        /// Corners, in any order.
        points: Vec<[f64; 2]>,
    },
    /// In the plane: the half-plane y ≤ 0.
    #[serde(rename = "half_plane")]
    HalfPlane {},
}

impl Shape {
    /// In the plane or in space.
    pub fn dimension(&self) -> Dimension {
        match self {
            Shape::Circle { .. } | Shape::Rectangle { .. } | Shape::Polygon { .. } | Shape::HalfPlane {} => {
                Dimension::Two
            }
            _ => Dimension::Three,
        }
    }

    /// Checks the parameters. This builds the hulls and discards them; [`Solid::new`](super::Solid::new) keeps them.
    pub fn check(&self) -> Result<(), ParameterError> {
        super::Solid::new(self).map(|_| ())
    }

    /// Checks the numbers only, before anything is built.
    pub(super) fn check_numbers(&self) -> Result<(), ParameterError> {
        match self {
            Shape::Sphere { radius } | Shape::Circle { radius } => ParameterError::check_positive("radius", *radius),
            Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => {
                ParameterError::check_positive("radius", *radius)?;
                ParameterError::check_positive("length", *length)
            }
            Shape::Ellipsoid { radii } => radii.iter().try_for_each(|r| ParameterError::check_positive("radii", *r)),
            Shape::Box { size } => size.iter().try_for_each(|s| ParameterError::check_positive("size", *s)),
            Shape::Rectangle { size } => size.iter().try_for_each(|s| ParameterError::check_positive("size", *s)),
            Shape::HalfSpace {} | Shape::HalfPlane {} => Ok(()),
            Shape::Convex { points } => points.iter().try_for_each(|p| ParameterError::check_finite("points", p)),
            Shape::Polygon { points } => points.iter().try_for_each(|p| ParameterError::check_finite("points", p)),
            Shape::Mesh { points, triangles } => {
                points.iter().try_for_each(|p| ParameterError::check_finite("points", p))?;
                if triangles.is_empty() {
                    return Err(ParameterError::invalid(
                        "triangles",
                        "the list is empty; a mesh needs at least one triangle",
                    ));
                }
                for (i, t) in triangles.iter().enumerate() {
                    if let Some(missing) = t.iter().find(|k| **k >= points.len()) {
                        let what = format!(
                            "triangle {i} refers to point {missing}, but the last point is {}",
                            points.len().max(1) - 1
                        );
                        return Err(ParameterError::invalid("triangles", what));
                    }
                }
                Ok(())
            }
            Shape::HeightField { size, heights } => {
                size.iter().try_for_each(|s| ParameterError::check_positive("size", *s))?;
                heights.iter().try_for_each(|row| ParameterError::check_finite("heights", row))?;
                let columns = heights.first().map_or(0, Vec::len);
                if heights.len() < 2 || columns < 2 {
                    return Err(ParameterError::invalid("heights", "give at least two rows of two heights"));
                }
                match heights.iter().position(|row| row.len() != columns) {
                    Some(i) => {
                        let what = format!("row {i} has {} heights, the first has {columns}", heights[i].len());
                        Err(ParameterError::invalid("heights", what))
                    }
                    None => Ok(()),
                }
            }
        }
    }
}
