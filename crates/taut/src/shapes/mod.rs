//! Geometry of contact: shapes on markers, where they touch, and how wide the gap between them is.
//!
//! ```text
//!  Shape    what a model says                        shape.rs
//!    | prepared once: hulls, neighbours, trees
//!  Solid    shared, immutable                        solid.rs
//!    | candidates(): boxes that come near            broad.rs
//!    | touch(): two solids in two poses              touch.rs
//!  Touch    normal, points, gap, and the
//!  Pair     of features behind it, whose gap is a smooth function of the poses      feature.rs
//! ```
//!
//! Nothing here knows of bodies, velocities or forces. Spheres, capsules, boxes, hulls and polygons are
//! polytopes swept by a sphere (`hull.rs`) and meet in closed form: separating axes (`sat.rs`), nearest
//! features (`closest.rs`), cut faces (`clip.rs`). Cylinders (`cylinder.rs`, `cylinders.rs`) need a root on a circle
//! where a rim meets an edge, and Newton's method where it meets a rim.

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
