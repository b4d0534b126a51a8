//! What loads along a modal beam would do to its stiffness, which its shapes do not know of.
//!
//! With N the normal force between two nodes, ℓ their distance and Δφ the difference of a shape across it, a beam under N gains
//!
//! ```text
//!  G_ii = Σ N |Δφᵢ⊥|² / ℓ
//! ```
//!
//! of stiffness, and loses as much under compression: at Euler's load all of it.

use super::{Flexibility, Modal};
use crate::marker::Axes;
use crate::motion::Vec3;

impl Modal {
    /// The node that a marker with these axes sits on, where the body is a beam.
    pub(crate) fn node_of(&self, axes: &Axes) -> Option<usize> {
        match (&self.flexibility, axes) {
            (Flexibility::Beam(_), Axes::OfMember(at)) => Some(at.0),
            _ => None,
        }
    }

    /// The largest share of the stiffness of a shape that forces on the nodes, axes of the frame, would add or take.
    pub(crate) fn axial_share(&self, forces: &[(usize, Vec3)]) -> f64 {
        let nodes = &self.inside.nodes;
        let mut gained = vec![0.0; self.shapes()];
        for (k, pair) in nodes.windows(2).enumerate() {
            let d = pair[1].r - pair[0].r;
            let length = d.norm();
            if length == 0.0 {
                continue;
            }
            let e = d / length;
            let normal: f64 = forces.iter().filter(|(node, _)| *node > k).map(|(_, f)| f.dot(&e)).sum();
            for (i, gained) in gained.iter_mut().enumerate() {
                let (Some(a), Some(b)) = (pair[0].phi.get(i), pair[1].phi.get(i)) else { continue };
                let along = b - a;
                let across = along - e * along.dot(&e);
                *gained += normal * across.norm_squared() / length;
            }
        }
        let share = |(i, gained): (usize, &f64)| gained.abs() / self.inside.K[(i, i)].max(f64::MIN_POSITIVE);
        gained.iter().enumerate().map(share).fold(0.0, f64::max)
    }
}
