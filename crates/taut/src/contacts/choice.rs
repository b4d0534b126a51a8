//! Which contacts are better marched in time steps, though they are few.

use super::{ContactKind, SurfaceEntry};
use crate::laws::Friction;
use crate::model::Model;
use crate::shapes::Shape;

/// Ground of triangles.
fn faceted(s: &SurfaceEntry) -> bool {
    matches!(s.shape, Shape::Mesh { .. } | Shape::HeightField { .. })
}

/// A body with edges or an axis: it lies on several faces and edges at once, where a ball has one point on each.
fn long(s: &SurfaceEntry) -> bool {
    matches!(s.shape, Shape::Capsule { .. } | Shape::Box { .. } | Shape::Cylinder { .. } | Shape::Convex { .. })
}

impl Model {
    /// The first pair of surfaces, by their names, that can be marched from event to event but may need very many of
    /// them: a body with edges or an axis that rubs or rebounds on ground of triangles.
    pub fn toilsome_pair(&self) -> Option<(&str, &str)> {
        let n = self.surfaces.len();
        let mut pairs = (0..n).flat_map(|b| (0..b).map(move |a| (a, b)));
        let toils = |(a, b): &(usize, usize)| {
            let (x, y) = (&self.surfaces[*a], &self.surfaces[*b]);
            let kinds = (faceted(x) && long(y)) || (long(x) && faceted(y));
            kinds
                && self.contact_between(*a, *b).is_some_and(|rule| match &self.contacts[rule].item.kind {
                    ContactKind::Rigid(rigid) => rigid.friction != Friction::NONE || rigid.impact.restitution > 0.0,
                    ContactKind::Compliant(_) => false,
                })
        };
        let (a, b) = pairs.find(toils)?;
        Some((&self.surfaces[a].name, &self.surfaces[b].name))
    }
}
