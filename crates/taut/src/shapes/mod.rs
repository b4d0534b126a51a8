//! Contact geometry: shapes on markers, their contact points and gaps.
//!
//! ```text
//!  Shape    as given in the model                              shape.rs
//!    | prepared once: hulls, neighbours, trees
//!  Solid    shared, immutable                                  solid.rs
//!    | candidates(): broad phase on bounding boxes             broad.rs
//!    | touch(): narrow phase for two solids in two poses       touch.rs
//!  Touch    normal, points, gap, and the pair of features
//!  Pair     two features; their gap is a smooth function of the poses      feature.rs
//! ```
//!
//! This module is independent of bodies, velocities and forces. Spheres, capsules, boxes, hulls and polygons are
//! polytopes swept by a sphere (`polytope.rs`). Their contacts are computed in closed form: separating axes (`separating_axes.rs`), nearest
//! features (`nearest_features.rs`), clipped faces (`clip.rs`). Cylinders (`cylinder.rs`, `cylinder_pair.rs`) need a root search on a circle
//! for a rim against an edge, and Newton's method for two rims. Ellipsoids (`ellipsoid.rs`) touch half-spaces, spheres and each other.

mod bounding_tree;
mod broad_phase;
mod clip;
mod contact_points;
mod contact_reduction;
mod cylinder;
mod cylinder_pair;
mod ellipsoid;
mod feature;
mod fixed_pairs;
mod nearest_features;
mod polytope;
mod polytope_contact;
mod separating_axes;
mod shape;
mod solid;
mod terrain;

#[cfg(test)]
mod tests;

pub use broad_phase::{BroadPhase, candidates};
pub use contact_points::{ContactGeometry, contact_points};
pub(crate) use contact_points::{all_contact_points, max_contact_points, nearest_contact_points};
pub(crate) use contact_reduction::reduce_contact_points;
pub use feature::{Feature, FeaturePair, Gap};
pub use fixed_pairs::fixed_pairs;
pub use shape::{Dimension, Shape};
pub use solid::{Aabb, Pose, Solid};
