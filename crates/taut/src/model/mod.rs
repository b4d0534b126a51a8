//! The model: elements, names and index ranges. Immutable and shared by threads.

pub(crate) mod break_search;
pub(crate) mod contact_rules;
pub(crate) mod elimination;
mod entries;
pub(crate) mod events;
mod formula_measure;
pub(crate) mod ids;
mod layout;
mod sharing;
pub(crate) mod spec;
pub(crate) mod state;

pub(crate) use entries::{AssemblyItem, BlockUpdate, ConstraintEnd, ContactSlots};
pub use entries::{BodyEntry, ConstraintEntry, ForceEntry, JacobianBlock, MeasureEntry, SurfaceEntry, Topology};
pub use formula_measure::FormulaMeasure;
pub(crate) use formula_measure::FormulaMeasureEntry;
pub use layout::{ConstraintBlocks, Layout, MassBlock};
pub use sharing::{ReactionSharing, SharingStiffness};

use crate::bodies::{BodyKind, Definiteness, Quantity, Sizes, Symmetry};
use crate::common::Named;
use crate::constraints::{ConstraintKind, RowInfo, RowLevel};
use crate::contacts::{ContactRule, ContactScale};
use crate::error::BuildError;
use crate::forces::Conservation;
use crate::laws::ConstraintLaw;
use crate::marker::{Marker, MarkerAxes, MarkerPlacement};
use crate::motion::{Motion, Vec3};
use events::EventEntry;
use state::{ConstraintMode, State};
use std::sync::Arc;

/// A mechanism, ready for analysis.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("cart", PlanarBody::new(1.0, 0.1)).constraint("rail", Joint::slider("ground", "cart"));
/// let model = spec.build()?;
/// assert_eq!(model.bodies[0].name, "cart");
/// assert_eq!(model.constraints[0].rows, 0..2); // across the rail, and the rotation
/// assert_eq!(model.row_name(0), "rail.y");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    /// Uniform gravity.
    pub gravity: Vec3,
    /// Bodies.
    pub bodies: Vec<BodyEntry>,
    /// Markers; those of the ground come first, then those of each body.
    pub markers: Vec<Marker>,
    /// Constraints.
    pub constraints: Vec<ConstraintEntry>,
    /// Forces.
    pub forces: Vec<ForceEntry>,
    /// Measures by formula.
    pub(crate) formula_measures: Vec<FormulaMeasureEntry>,
    /// Markers that hold reactions, with the constraints.
    pub(crate) reactions: Vec<(usize, usize)>,
    /// The forces that read reactions.
    pub(crate) reaction_forces: Vec<usize>,
    /// Bodies without mass whose forces could not become a balance, and why.
    pub(crate) balance_obstacles: Vec<(usize, String)>,
    /// Constraints with a stiffness for load sharing.
    pub(crate) sharing: Vec<(usize, SharingStiffness)>,
    /// Measured coordinates of the solution.
    pub measures: Vec<MeasureEntry>,
    /// Shapes on markers.
    pub surfaces: Vec<SurfaceEntry>,
    /// Rules for surfaces that touch.
    pub contacts: Vec<Named<ContactRule>>,
    /// Pairs of bodies connected by joints; none is the ground.
    pub(crate) jointed_bodies: Vec<(Option<usize>, Option<usize>)>,
    /// Contact points whose features change with the pose.
    pub(crate) contact_slots: Vec<ContactSlots>,
    /// Events, monitored in every run.
    pub events: Vec<EventEntry>,
    /// Names, levels and units of all rows.
    pub rows: Vec<RowInfo>,
    /// Numbers of coordinates, velocities and extra states.
    pub sizes: Sizes,
    pub(crate) mass_values: usize,
    pub(crate) jacobian_values: usize,
    pub(crate) wrench_values: usize,
    /// Poses of the markers on the ground, which never move.
    pub(crate) ground_motions: Vec<Motion>,
    /// Positions of the blocks of M and A.
    pub(crate) layout: Arc<Layout>,
    pub(crate) assembly_order: Vec<AssemblyItem>,
    /// Ends of all constraints, and their markers, in assembly order: contiguous in memory.
    pub(crate) constraint_ends: Vec<ConstraintEnd>,
    pub(crate) end_markers: Vec<usize>,
    /// The placement of each marker on its body, without its name; also contiguous in memory.
    pub(crate) marker_placements: Vec<MarkerPlacement>,
    /// Scale of the tolerances of rigid contacts.
    pub(crate) contact_scale: ContactScale,
    /// Tree or loops.
    pub topology: Topology,
    pub(crate) initial: State,
}

impl Model {
    /// The body that owns a velocity, and which of its velocities it is.
    pub(crate) fn body_of_velocity(&self, v: usize) -> (usize, usize) {
        let body = self.bodies.partition_point(|b| b.v.end <= v);
        (body, v - self.bodies[body].v.start)
    }

    /// The modes with every constraint that has a law inactive: all gaps open, all friction released.
    pub(crate) fn bilateral_modes<'a>(
        &'a self,
        modes: &'a [ConstraintMode],
    ) -> impl Iterator<Item = ConstraintMode> + 'a {
        let bare = |(c, mode): (&ConstraintEntry, &ConstraintMode)| match c.law {
            ConstraintLaw::Bilateral => *mode,
            _ => ConstraintMode::Idle,
        };
        self.constraints.iter().zip(modes).map(bare)
    }

    /// The same without the balances of bodies without mass: at rest all forces balance.
    pub(crate) fn static_modes(&self, modes: &[ConstraintMode]) -> Vec<ConstraintMode> {
        let without = |(c, mode): (&ConstraintEntry, ConstraintMode)| match c.kind {
            ConstraintKind::ForceBalance(_) => ConstraintMode::Idle,
            _ => mode,
        };
        self.constraints.iter().zip(self.bilateral_modes(modes)).map(without).collect()
    }

    /// The state given in the model: positions and velocities as written, not yet assembled.
    pub fn initial_state(&self) -> State {
        self.initial.clone()
    }

    /// Replaces the initial state.
    ///
    /// # Errors
    /// A state of the wrong size.
    pub fn set_initial_state(&mut self, state: State) -> Result<(), BuildError> {
        self.check_state(&state)?;
        self.initial = state;
        Ok(())
    }

    /// Refuses a state of the wrong size.
    pub fn check_state(&self, s: &State) -> Result<(), BuildError> {
        let pairs = [
            ("coordinates", s.q.len(), self.sizes.q),
            ("velocities", s.v.len(), self.sizes.v),
            ("extra states", s.z.len(), self.sizes.z),
            ("modes", s.modes.len(), self.constraints.len()),
        ];
        match pairs.into_iter().find(|(_, found, needed)| found != needed) {
            Some((what, found, needed)) => Err(BuildError::WrongSize { what, found, needed }),
            None => Ok(()),
        }
    }

    /// The body of that name.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }

    /// The marker of that name.
    pub fn marker(&self, name: &str) -> Option<usize> {
        self.markers.iter().position(|m| m.name == name)
    }

    /// The constraint of that name.
    pub fn constraint(&self, name: &str) -> Option<usize> {
        self.constraints.iter().position(|c| c.name == name)
    }

    /// The constraint that owns a row.
    pub fn constraint_of_row(&self, row: usize) -> &ConstraintEntry {
        let i = self.constraints.partition_point(|c| c.rows.end <= row);
        &self.constraints[i]
    }

    /// `constraint.row`, the name of a row.
    pub fn row_name(&self, row: usize) -> String {
        format!("{}.{}", self.constraint_of_row(row).name, self.rows[row].name)
    }

    /// Name and unit of every coordinate, then of every velocity.
    pub fn state_names(&self) -> (Vec<Quantity>, Vec<Quantity>) {
        let full = |b: &BodyEntry, x: Vec<Quantity>| -> Vec<Quantity> {
            x.into_iter().map(|x| Quantity { name: b.qualified_name(&x.name), unit: x.unit }).collect()
        };
        let q = self.bodies.iter().flat_map(|b| full(b, b.kind.body().coordinates())).collect();
        let v = self.bodies.iter().flat_map(|b| full(b, b.kind.body().velocities())).collect();
        (q, v)
    }

    /// Unit of the coordinate that a marker represents; metres if it is a frame.
    pub(crate) fn coordinate_unit(&self, marker: usize) -> &'static str {
        let Marker { body: Some(body), placement: MarkerPlacement::Coordinate(_), name } = &self.markers[marker] else {
            return "m";
        };
        let kind = &self.bodies[*body].kind;
        let (owner, short) = name.rsplit_once('.').unwrap_or_default();
        let own = kind.body().coordinates();
        if let Some(own) = own.iter().find(|c| owner == self.bodies[*body].name && c.name == short) {
            return own.unit;
        }
        // A coordinate of a member, under its own name.
        let member = kind.members().iter().find(|m| m.name == owner);
        let named = |m: &BodyKind| m.body().coordinates().into_iter().find(|c| c.name == short).map(|c| c.unit);
        member.and_then(|m| named(&m.kind)).unwrap_or("1")
    }

    /// The body of a marker, or the member of a reduced set; none is the ground.
    pub(crate) fn body_of_marker(&self, marker: usize) -> Option<&BodyKind> {
        let Marker { body: Some(body), placement: place, .. } = &self.markers[marker] else { return None };
        let kind = &self.bodies[*body].kind;
        match place {
            MarkerPlacement::Frame(_, MarkerAxes::OfMember(at)) => kind.members().get(at.0).map(|m| &m.kind),
            _ => Some(kind),
        }
    }

    /// The first force that reads reactions, if there is one.
    pub(crate) fn force_reading_reactions(&self) -> Option<&str> {
        Some(&self.forces[*self.reaction_forces.first()?].name)
    }

    /// Why an analysis that does not solve for the reactions cannot treat this model: a force that reads them.
    pub(crate) fn reaction_force_refusal(&self) -> Option<String> {
        let force = self.force_reading_reactions()?;
        Some(format!("the force `{force}` reads reactions, which only a run can solve for"))
    }

    /// Whether any body has a non-symmetric mass matrix.
    pub fn symmetry(&self) -> Symmetry {
        self.layout.symmetry
    }

    /// The first body without mass, if there is one.
    pub fn massless_body(&self) -> Option<&str> {
        let massless = |b: &&BodyEntry| b.kind.body().definiteness() == Definiteness::Semidefinite;
        self.bodies.iter().find(massless).map(|b| b.name.as_str())
    }

    /// Whether any force can add or remove energy.
    pub(crate) fn force_conservation(&self) -> Conservation {
        let open = |f: &ForceEntry| f.kind.force().conservation() == Conservation::NonConservative;
        if self.forces.iter().any(open) { Conservation::NonConservative } else { Conservation::Conservative }
    }

    /// Whether a row is enforced at this level.
    #[inline(always)]
    pub(crate) fn row_holds_at_level(&self, row: usize, level: RowLevel) -> bool {
        match level {
            RowLevel::Position => self.rows[row].level == RowLevel::Position,
            RowLevel::Velocity => self.rows[row].level != RowLevel::Acceleration,
            RowLevel::Acceleration => true,
        }
    }
}
