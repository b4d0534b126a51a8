//! Typed indices of the elements of a model, so that the index of a body cannot be taken for that of a marker.

use super::{BodyEntry, ConstraintEntry, ForceEntry, Model};
use crate::marker::Marker;
use std::ops::Index;

macro_rules! ids {
    ($($Id:ident, $Entry:ident, $field:ident, $find:ident, $what:literal;)*) => {
        $(
            #[doc = concat!("The index of a ", $what, " among those of its [`Model`].")]
            ///
            /// `usize::from` gives the plain number.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $Id(pub(crate) usize);

            impl From<$Id> for usize {
                fn from(id: $Id) -> usize {
                    id.0
                }
            }

            impl Index<$Id> for Model {
                type Output = $Entry;
                fn index(&self, id: $Id) -> &$Entry {
                    &self.$field[id.0]
                }
            }
        )*

        impl Model {
            $(
                #[doc = concat!("The ", $what, " of that name.")]
                pub fn $find(&self, name: &str) -> Option<$Id> {
                    self.$field.iter().position(|entry| entry.name == name).map($Id)
                }
            )*
        }
    };
}

ids! {
    BodyId, BodyEntry, bodies, find_body, "body";
    MarkerId, Marker, markers, find_marker, "marker";
    ConstraintId, ConstraintEntry, constraints, find_constraint, "constraint";
    ForceId, ForceEntry, forces, find_force, "force";
}

impl Model {
    /// The body that carries a marker; `None` is the ground.
    ///
    /// ```
    /// use taut::prelude::*;
    ///
    /// let mut spec = Spec::new();
    /// spec.body("rod", PlanarBody::rod(1.0, 1.0)).marker("rod.end", Frame::at([0.5, 0.0, 0.0]));
    /// let model = spec.build()?;
    /// let end = model.find_marker("rod.end").expect("the marker");
    /// let rod = model.body_of(end).expect("a body");
    /// assert_eq!(model[rod].name, "rod");
    /// assert_eq!(model[rod].q, 0..3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn body_of(&self, marker: MarkerId) -> Option<BodyId> {
        self[marker].body.map(BodyId)
    }

    /// The markers of a constraint, in the order in which it names them.
    pub fn markers_of_constraint(&self, constraint: ConstraintId) -> impl Iterator<Item = MarkerId> + '_ {
        self[constraint].markers.iter().map(|marker| MarkerId(*marker))
    }

    /// The markers of a force, in the order in which it names them.
    pub fn markers_of_force(&self, force: ForceId) -> impl Iterator<Item = MarkerId> + '_ {
        self[force].markers.iter().map(|marker| MarkerId(*marker))
    }
}
