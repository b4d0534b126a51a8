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
//! polytopes swept by a sphere (`hull.rs`). Their contacts are computed in closed form: separating axes (`sat.rs`), nearest
//! features (`closest.rs`), clipped faces (`clip.rs`). Cylinders (`cylinder.rs`, `cylinders.rs`) need a root search on a circle
//! for a rim against an edge, and Newton's method for two rims.

mod broad;
mod clip;
mod closest;
mod cylinder;
mod cylinders;
mod feature;
mod fixed;
mod hull;
mod meet;
mod sat;
mod shape;
mod solid;
mod spread;
mod terrain;
mod touch;
mod tree;

#[cfg(test)]
mod tests;

pub use broad::{Broad, candidates};
pub use feature::{Feature, Gap, Pair};
pub use fixed::fixed_pairs;
pub use shape::{Dimension, Shape};
pub use solid::{Aabb, Pose, Solid};
pub(crate) use spread::spread;
pub use touch::{Touch, touch};
pub(crate) use touch::{most_of, touch_all, touch_nearest};
