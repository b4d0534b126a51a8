//! The elements of a model with their places: in q, v and z, in M and A, among the rows and the markers.

use crate::bodies::BodyKind;
use crate::constraints::{ConstraintKind, Meeting, Still};
use crate::forces::ForceKind;
use crate::laws::Law;
use crate::measures::Measure;
use crate::shapes::{Shape, Solid};
use std::ops::Range;

/// A body and its place in q, v, z and M.
#[derive(Clone, Debug)]
pub struct BodyEntry {
    /// Name.
    pub name: String,
    /// The body.
    pub kind: BodyKind,
    /// Range in q.
    pub q: Range<usize>,
    /// Range in v.
    pub v: Range<usize>,
    /// Range in z.
    pub z: Range<usize>,
    /// Range in the values of M.
    pub mass: Range<usize>,
    /// Its markers; the first is its reference frame.
    pub markers: Range<usize>,
}

impl BodyEntry {
    /// The name of one of its quantities in the whole model; those of beam nodes bear the names of their nodes already.
    pub(crate) fn full(&self, quantity: &str) -> String {
        match self.kind {
            BodyKind::BeamNodes(_) => quantity.to_string(),
            _ => format!("{}.{quantity}", self.name),
        }
    }
}

/// One block of A: the rows of a constraint against the velocities of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The body.
    pub body: usize,
    /// Where its values start in A (row by row).
    pub start: usize,
}

/// A constraint and its place among the rows.
#[derive(Clone, Debug)]
pub struct ConstraintEntry {
    /// Name.
    pub name: String,
    /// The constraint.
    pub kind: ConstraintKind,
    /// Range of its rows.
    pub rows: Range<usize>,
    /// Its markers.
    pub markers: Vec<usize>,
    /// Range of its ends among those of all constraints.
    pub(crate) ends: Range<usize>,
    /// Blocks of A, one per body.
    pub blocks: Vec<Block>,
    /// Where its wrenches start in D.
    pub(crate) wrenches: usize,
    /// Whether its first rows hold its two markers together in one point.
    pub(crate) meeting: Meeting,
    /// The joint it is, if nothing of it is driven: what the assembly reads in place of the whole element.
    pub(crate) still: Option<Still>,
    /// How its rows come and go.
    pub law: Law,
    /// The constraint whose reaction presses its rows together.
    pub(crate) pressed_by: Option<usize>,
    /// Range in z.
    pub z: Range<usize>,
}

impl ConstraintEntry {
    /// Whether it has rows that may slip against friction.
    pub(crate) fn rubs(&self) -> bool {
        self.law.gripping_from().is_some_and(|from| from < self.rows.len())
    }

    /// Where its wrenches lie in D: row by row, one per marker.
    pub(crate) fn wrench_range(&self) -> Range<usize> {
        self.wrenches..self.wrenches + self.rows.len() * self.markers.len()
    }
}

/// One element of the assembly's sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// A body.
    Body(usize),
    /// A constraint, right after its last body.
    Constraint(usize),
}

/// One end of a constraint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// The marker.
    pub marker: usize,
    /// The block of A it enters; none for the ground.
    pub block: Option<Block>,
    /// How it enters it.
    pub entry: Entry,
}

/// Whether a marker is the first of a constraint on its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// It sets the block.
    First,
    /// It adds to it.
    Further,
}

/// A force and its markers.
#[derive(Clone, Debug)]
pub struct ForceEntry {
    /// Name.
    pub name: String,
    /// The force.
    pub kind: ForceKind,
    /// Its markers.
    pub markers: Vec<usize>,
    /// Range in z.
    pub z: Range<usize>,
}

/// A measured coordinate of the solution.
#[derive(Clone, Debug)]
pub struct MeasureEntry {
    /// Name.
    pub name: String,
    /// What is measured.
    pub measure: Measure,
    /// Its markers.
    pub markers: Vec<usize>,
}

/// Whether the graph of bodies and constraints is a forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// No closed loop, every constraint independent by construction: A has full rank in every pose.
    Tree,
    /// Loops, or constraints nobody can vouch for.
    Loops,
}

/// A surface of a model.
#[derive(Clone, Debug)]
pub struct SurfaceEntry {
    /// Name.
    pub name: String,
    /// The marker that carries it.
    pub marker: usize,
    /// The body of that marker; none is the ground.
    pub body: Option<usize>,
    /// The shape as given.
    pub shape: Shape,
    /// The shape made ready.
    pub solid: Solid,
    /// Groups it belongs to.
    pub groups: Vec<String>,
}

/// The points of one pair of surfaces among the constraints.
#[derive(Clone, Debug)]
pub(crate) struct ContactSlots {
    /// Constraints of its points, which are to be bound to features as the bodies move.
    pub slots: Vec<usize>,
}
