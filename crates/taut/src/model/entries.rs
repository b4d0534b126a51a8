//! The elements of a model with their index ranges: in q, v and z, in M and A, among the rows and the markers.

use crate::bodies::BodyKind;
use crate::constraints::{Coincidence, ConstraintKind, UndrivenJoint};
use crate::forces::ForceKind;
use crate::laws::ConstraintLaw;
use crate::measures::Measure;
use crate::shapes::{Shape, Solid};
use std::ops::Range;

/// A body and its index ranges in q, v, z and M.
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
    /// Range of its values in M.
    pub mass: Range<usize>,
    /// Its markers; the first is its reference frame.
    pub markers: Range<usize>,
}

impl BodyEntry {
    /// The full name of one of its quantities in the model. Quantities of beam nodes already contain the node name.
    pub(crate) fn qualified_name(&self, quantity: &str) -> String {
        match self.kind {
            BodyKind::BeamNodes(_) => quantity.to_string(),
            _ => format!("{}.{quantity}", self.name),
        }
    }
}

/// One block of A: the rows of a constraint against the velocities of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JacobianBlock {
    /// The body.
    pub body: usize,
    /// Where its values start in A (row by row).
    pub start: usize,
}

/// A constraint and its index ranges.
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
    /// Range of its ends in the list of all constraint ends.
    pub(crate) ends: Range<usize>,
    /// Blocks of A, one per body.
    pub blocks: Vec<JacobianBlock>,
    /// Index of its first wrench in D.
    pub(crate) first_wrench: usize,
    /// Whether its first three rows make its two markers coincide in one point.
    pub(crate) coincidence: Coincidence,
    /// The joint, if no part of it is driven. The assembly reads this instead of the whole element.
    pub(crate) undriven_joint: Option<UndrivenJoint>,
    /// The law by which its rows become active and inactive.
    pub law: ConstraintLaw,
    /// The constraint whose reaction is the normal force of its friction.
    pub(crate) normal_force_constraint: Option<usize>,
    /// Range in z.
    pub z: Range<usize>,
}

impl ConstraintEntry {
    /// Whether it has rows with friction.
    pub(crate) fn has_friction_rows(&self) -> bool {
        self.law.first_friction_row().is_some_and(|from| from < self.rows.len())
    }

    /// Range of its wrenches in D: row by row, one per marker.
    pub(crate) fn wrench_range(&self) -> Range<usize> {
        self.first_wrench..self.first_wrench + self.rows.len() * self.markers.len()
    }
}

/// One item of the assembly order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssemblyItem {
    /// A body.
    Body(usize),
    /// A constraint, right after its last body.
    Constraint(usize),
}

/// One end of a constraint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstraintEnd {
    /// The marker.
    pub marker: usize,
    /// The block of A to which it contributes; none for the ground.
    pub block: Option<JacobianBlock>,
    /// Whether it sets the block or adds to it.
    pub update: BlockUpdate,
}

/// Whether a marker is the first of its constraint on its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockUpdate {
    /// It sets the block.
    Set,
    /// It adds to it.
    Add,
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

impl ForceEntry {
    /// The number of markers it acts on, which come first; a formula also reads others.
    pub fn acted_markers(&self) -> usize {
        match &self.kind {
            ForceKind::Formula(force) => force.along().marker_count(),
            ForceKind::Controller(controller) => controller.coordinate.marker_count(),
            ForceKind::Air(load) => load.carrier_count(),
            _ => self.markers.len(),
        }
    }
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
    /// No closed loop, and every constraint is independent by construction: A has full rank in every pose.
    Tree,
    /// Loops, or constraints whose independence is unknown.
    Loops,
}

/// A surface of a model.
#[derive(Clone, Debug)]
pub struct SurfaceEntry {
    /// Name.
    pub name: String,
    /// The marker to which it is attached.
    pub marker: usize,
    /// The body of that marker; none is the ground.
    pub body: Option<usize>,
    /// The shape as given.
    pub shape: Shape,
    /// The shape, prepared for distance computations.
    pub solid: Solid,
    /// Groups it belongs to.
    pub groups: Vec<String>,
}

/// The contact points of one pair of surfaces among the constraints.
#[derive(Clone, Debug)]
pub(crate) struct ContactSlots {
    /// Constraints of its contact points, which are bound to features as the bodies move.
    pub slots: Vec<usize>,
}
