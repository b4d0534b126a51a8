//! Cylinders.

use super::feature::{Feature, Pair};
use super::hull::{Polytope, View};
use super::sat::Rel;
use crate::motion::Vec3;

/// How far a cylinder about z reaches along n.
pub(super) fn reach(radius: f64, half: f64, n: &Vec3) -> f64 {
    radius * n.x.hypot(n.y) + half * n.z.abs()
}
pub(super) fn on_plane(_n: &Vec3, _radius: f64, _half: f64, _rel: &Rel, _put: &mut dyn FnMut(Pair)) {
    let _ = Feature::Face { n: *_n, d: 0.0 };
}
pub(super) fn meet(_radius: f64, _half: f64, _b: &Polytope, _rel: &Rel, _margin: f64, _put: &mut dyn FnMut(Pair)) {}
pub(super) fn meet_view(_radius: f64, _half: f64, _b: &View, _rel: &Rel, _margin: f64, _put: &mut dyn FnMut(Pair)) {}
pub(super) fn meet_cylinder(_a: [f64; 2], _b: [f64; 2], _rel: &Rel, _margin: f64, _put: &mut dyn FnMut(Pair)) {}
