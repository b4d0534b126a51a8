//! Lays out a model: every element gets its index ranges in q, v and z, in M and A, among the rows and the markers.

use super::contact_scale::set_contact_scale;
use super::events::lockable_constraint;
use super::marker_registry::MarkerRegistry;
use super::sharing::sharing;
use super::topology::{assembly_order, contact_slots, jointed_bodies, symmetry, topology};
use crate::bodies::{BodyKind, Sizes};
use crate::common::Named;
use crate::common::spelling::did_you_mean;
use crate::constraints::{Coincidence, ConstraintKind, MarkerReference, RowInfo};
use crate::contacts::ContactScale;
use crate::error::{BuildError, ParameterError, check_body_name, check_unique_names, element_error};
use crate::forces::ForceKind;
use crate::laws::{ConstraintLaw, NormalForceSource};
use crate::marker::MarkerPlacement;
use crate::model::elimination::SymbolicFactor;
use crate::model::events::EventEntry;
use crate::model::{
    BlockUpdate, BodyEntry, ConstraintBlocks, ConstraintEnd, ConstraintEntry, ForceEntry, FormulaMeasureEntry,
    JacobianBlock, Layout, MassBlock, MeasureEntry, Model, SurfaceEntry, Topology,
};
use crate::motion::Vec3;
use crate::shapes::Solid;
use crate::signals::SignalError;
use crate::spec::Spec;
use crate::state::{ConstraintMode, State};
use std::sync::Arc;

/// Builds the model of an expanded specification whose formulas are bound.
pub(super) fn lay_out_model(
    spec: &Spec,
    mut events: Vec<EventEntry>,
    mut formula_measures: Vec<FormulaMeasureEntry>,
) -> Result<Model, BuildError> {
    check(spec)?;
    let mut bodies = BodyLayout::lay_out(spec)?;
    let mut initial = bodies.initial_state();
    let mut names = MarkerRegistry::new(spec, (&events, &formula_measures), &mut bodies.entries, &initial)?;
    let mut sizes = bodies.sizes;
    let mut held = ConstraintLayout::default();
    for given in &spec.constraints {
        held.add(given, &mut names, &bodies.entries, &mut sizes)?;
    }
    resolve_normal_forces(&mut held.entries)?;
    let forces = lay_out_forces(spec, &mut names, &bodies.entries, &mut sizes)?;
    let reactions = names.reactions(&held.entries);
    let reaction_forces = reaction_forces(&forces, &held.entries)?;
    let measures = lay_out_measures(spec, &mut names, &bodies.entries)?;
    let surfaces = lay_out_surfaces(spec, &mut names, &bodies.entries)?;
    for m in &mut formula_measures {
        m.expression.resolve(("measure", &m.name), &mut names, &bodies.entries)?;
    }
    events.iter_mut().try_for_each(|e| e.resolve(&mut names, &bodies.entries, &held.entries))?;
    initial.z.resize(sizes.z, 0.0);
    initial.modes = initial_modes(spec, &held.entries)?;

    let topology = topology(&bodies.entries, &held.entries, &names.markers);
    let mut model = Model {
        gravity: Vec3::from(spec.gravity),
        layout: Arc::new(layout(&bodies, &held, topology)),
        assembly_order: assembly_order(bodies.entries.len(), &held.entries),
        jointed_bodies: jointed_bodies(&held.entries, &names.markers),
        contact_slots: contact_slots(&held.entries),
        bodies: bodies.entries,
        ground_motions: names.ground,
        marker_placements: names.markers.iter().map(|m| m.placement.clone()).collect(),
        markers: names.markers,
        constraints: held.entries,
        forces,
        formula_measures,
        reactions,
        reaction_forces,
        balance_obstacles: Vec::new(),
        sharing: Vec::new(),
        measures,
        surfaces,
        contacts: spec.contacts.clone(),
        events,
        rows: held.rows,
        sizes,
        mass_values: bodies.mass_values,
        jacobian_values: held.jacobian_values,
        wrench_values: held.wrench_values,
        end_markers: held.ends.iter().map(|e| e.marker).collect(),
        constraint_ends: held.ends,
        contact_scale: ContactScale::default(),
        topology,
        initial: State::default(),
    };
    model.initial = initial;
    model.sharing = sharing(spec, &model)?;
    set_contact_scale(&mut model);
    crate::equations::initialise_turn_counters(&model.clone(), &mut model.initial);
    Ok(model)
}

fn check(spec: &Spec) -> Result<(), BuildError> {
    if spec.gravity.iter().any(|g| !g.is_finite()) {
        return Err(BuildError::Gravity);
    }
    check_unique_names("bodies", spec.bodies.iter().map(|b| b.name.as_str()))?;
    check_unique_names("markers", spec.markers.iter().map(|b| b.name.as_str()))?;
    check_unique_names("constraints", spec.constraints.iter().map(|b| b.name.as_str()))?;
    check_unique_names("forces", spec.forces.iter().map(|b| b.name.as_str()))?;
    let measures = spec.measures.iter().map(|m| m.name.as_str());
    check_unique_names("measures", measures.chain(spec.formula_measures.iter().map(|m| m.name.as_str())))?;
    check_unique_names("signals", spec.signals.iter().map(|b| b.name.as_str()))?;
    for Named { name, item } in &spec.signals {
        let wrong = |e: SignalError| element_error("signal", name, ParameterError::invalid("signal", e.to_string()));
        item.check().map_err(wrong)?;
    }
    check_unique_names("events", spec.events.iter().map(|b| b.name.as_str()))
}

/// The bodies with their index ranges in q, v, z and M.
struct BodyLayout {
    entries: Vec<BodyEntry>,
    sizes: Sizes,
    mass_values: usize,
}

impl BodyLayout {
    fn lay_out(spec: &Spec) -> Result<BodyLayout, BuildError> {
        let mut sizes = Sizes::default();
        let mut mass_values = 0;
        let mut entries = Vec::with_capacity(spec.bodies.len());
        for Named { name, item } in &spec.bodies {
            check_body_name(name)?;
            item.body().check().map_err(|f| element_error("body", name, f))?;
            let s = item.body().sizes();
            entries.push(BodyEntry {
                name: name.clone(),
                kind: item.clone(),
                q: sizes.q..sizes.q + s.q,
                v: sizes.v..sizes.v + s.v,
                z: sizes.z..sizes.z + s.z,
                mass: mass_values..mass_values + s.v * s.v,
                markers: 0..0,
            });
            mass_values += s.v * s.v;
            sizes = Sizes { q: sizes.q + s.q, v: sizes.v + s.v, z: sizes.z + s.z };
        }
        Ok(BodyLayout { entries, sizes, mass_values })
    }

    /// Positions and velocities as written.
    fn initial_state(&self) -> State {
        let zeros = |n: usize| vec![0.0; n];
        let Sizes { q, v, z } = self.sizes;
        let mut initial = State { t: 0.0, q: zeros(q), v: zeros(v), z: zeros(z), ..State::default() };
        for b in &self.entries {
            let z = &mut initial.z[b.z.clone()];
            b.kind.body().initial_state(&mut initial.q[b.q.clone()], &mut initial.v[b.v.clone()], z);
        }
        initial
    }
}

/// The constraints with their index ranges among the rows, in A and in D.
#[derive(Default)]
struct ConstraintLayout {
    entries: Vec<ConstraintEntry>,
    rows: Vec<RowInfo>,
    ends: Vec<ConstraintEnd>,
    jacobian_values: usize,
    wrench_values: usize,
}

impl ConstraintLayout {
    fn add(
        &mut self,
        Named { name, item }: &Named<ConstraintKind>,
        names: &mut MarkerRegistry,
        bodies: &[BodyEntry],
        sizes: &mut Sizes,
    ) -> Result<(), BuildError> {
        let c = item.constraint();
        c.check().map_err(|f| element_error("constraint", name, f))?;
        let markers = names.resolve("constraint", name, &c.markers(), bodies)?;
        let own = c.rows();
        let (mut blocks, mut block_of): (Vec<JacobianBlock>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
        for &m in &markers {
            // A body without velocities has no block: its values are read but do not move.
            let moves = names.markers[m].body.filter(|b| !bodies[*b].v.is_empty());
            block_of.push(moves.map(|body| {
                blocks.iter().position(|b| b.body == body).unwrap_or_else(|| {
                    blocks.push(JacobianBlock { body, start: self.jacobian_values });
                    self.jacobian_values += own.len() * bodies[body].v.len();
                    blocks.len() - 1
                })
            }));
        }
        // Coordinates of one body may be related to each other. Its frames cannot move relative to each other, but a
        // formula may constrain them relative to the world.
        let formula = matches!(item, ConstraintKind::Formula(_) | ConstraintKind::ForceBalance(_));
        let frames =
            !formula && markers.iter().all(|m| matches!(names.markers[*m].placement, MarkerPlacement::Frame(..)));
        let set = blocks.iter().any(|b| !bodies[b.body].kind.members().is_empty());
        let alone = markers.len() > 1 && frames && !set && block_of.iter().all(|b| *b == block_of[0]);
        if markers.is_empty() {
            let fault = ParameterError::invalid("markers", "the constraint refers to no marker; give at least one");
            return Err(element_error("constraint", name, fault));
        }
        if blocks.is_empty() || alone {
            let body = names.markers[markers[0]].body.map_or("ground", |b| &bodies[b].name).to_string();
            return Err(BuildError::SelfJoint { name: name.clone(), body });
        }
        let end = |k: usize| ConstraintEnd {
            marker: markers[k],
            block: block_of[k].map(|b| blocks[b]),
            update: if block_of[..k].contains(&block_of[k]) { BlockUpdate::Add } else { BlockUpdate::Set },
        };
        let first_end = self.ends.len();
        self.ends.extend((0..markers.len()).map(end));
        let z = sizes.z..sizes.z + c.state_count();
        sizes.z = z.end;
        let first_row = self.rows.len();
        self.rows.extend(own);
        let rows = first_row..self.rows.len();
        let wrenches = self.wrench_values;
        self.wrench_values += rows.len() * markers.len();
        let meeting = match c.coincidence() {
            Coincidence::Origins if frames && markers.len() == 2 => Coincidence::Origins,
            _ => Coincidence::None,
        };
        self.entries.push(ConstraintEntry {
            name: name.clone(),
            kind: item.clone(),
            rows,
            markers,
            ends: first_end..self.ends.len(),
            blocks,
            first_wrench: wrenches,
            coincidence: meeting,
            undriven_joint: item.undriven_joint(),
            law: c.law(),
            normal_force_constraint: None,
            z,
        });
        Ok(())
    }
}

fn lay_out_forces(
    spec: &Spec,
    names: &mut MarkerRegistry,
    bodies: &[BodyEntry],
    sizes: &mut Sizes,
) -> Result<Vec<ForceEntry>, BuildError> {
    let mut forces = Vec::with_capacity(spec.forces.len());
    for Named { name, item } in &spec.forces {
        let f = item.force();
        f.check().map_err(|e| element_error("force", name, e))?;
        let markers = names.resolve("force", name, &f.markers(), bodies)?;
        let z = sizes.z..sizes.z + f.state_count();
        sizes.z = z.end;
        forces.push(ForceEntry { name: name.clone(), kind: item.clone(), markers, z });
    }
    Ok(forces)
}

/// The forces that read reactions. Switching constraints decide on their modes without such forces, so both cannot be combined.
fn reaction_forces(forces: &[ForceEntry], constraints: &[ConstraintEntry]) -> Result<Vec<usize>, BuildError> {
    let reads = |f: &ForceEntry| matches!(&f.kind, ForceKind::Formula(formula) if formula.reads_reactions());
    let found: Vec<usize> = (0..forces.len()).filter(|i| reads(&forces[*i])).collect();
    let switching = constraints.iter().find(|c| c.law != ConstraintLaw::Bilateral);
    if let (Some(first), Some(other)) = (found.first(), switching) {
        let what = format!(
            "it reads reactions, which cannot be combined with constraints that switch, such as `{}`; use the `friction` of joints \
             and contacts instead",
            other.name
        );
        return Err(element_error("force", &forces[*first].name, ParameterError::invalid("force", what)));
    }
    Ok(found)
}

fn lay_out_measures(
    spec: &Spec,
    names: &mut MarkerRegistry,
    bodies: &[BodyEntry],
) -> Result<Vec<MeasureEntry>, BuildError> {
    let place = |Named { name, item }: &Named<crate::Measure>| {
        let markers = names.resolve("measure", name, &item.markers(), bodies)?;
        Ok(MeasureEntry { name: name.clone(), measure: item.clone(), markers })
    };
    spec.measures.iter().map(place).collect()
}

fn lay_out_surfaces(
    spec: &Spec,
    names: &mut MarkerRegistry,
    bodies: &[BodyEntry],
) -> Result<Vec<SurfaceEntry>, BuildError> {
    let mut surfaces = Vec::with_capacity(spec.surfaces.len());
    for Named { name, item } in &spec.surfaces {
        let marker = names.resolve("surface", name, &[MarkerReference::frame(&item.marker)], bodies)?[0];
        surfaces.push(SurfaceEntry {
            name: name.clone(),
            marker,
            body: names.markers[marker].body,
            solid: Solid::new(&item.shape).map_err(|f| element_error("surface", name, f))?,
            shape: item.shape.clone(),
            groups: item.groups.clone(),
        });
    }
    Ok(surfaces)
}

/// Gaps start open; all other constraints are active unless they are unlocked.
fn initial_modes(spec: &Spec, constraints: &[ConstraintEntry]) -> Result<Vec<ConstraintMode>, BuildError> {
    let start = |c: &ConstraintEntry| {
        if let ConstraintLaw::Unilateral(_) = c.law { ConstraintMode::Idle } else { ConstraintMode::Active }
    };
    let mut modes: Vec<ConstraintMode> = constraints.iter().map(start).collect();
    for name in &spec.unlocked {
        let c = lockable_constraint(name, constraints).map_err(|fault| element_error("constraint", name, fault))?;
        modes[c] = ConstraintMode::Idle;
    }
    Ok(modes)
}

fn mass_block(b: &BodyEntry) -> MassBlock {
    MassBlock { v: b.v.clone(), mass: b.mass.clone(), definiteness: b.kind.body().definiteness() }
}

/// Bodies from which on hinges are eliminated together with their bodies. Results of smaller models keep their last digits.
const LEAST_HINGED_BODIES: usize = 16;

/// Positions of the blocks of M and A, and their elimination order.
fn layout(bodies: &BodyLayout, held: &ConstraintLayout, topology: Topology) -> Layout {
    let body_sizes: Vec<usize> = bodies.entries.iter().map(|b| b.v.len()).collect();
    let edge = |c: &ConstraintEntry| {
        let grounded = held.ends[c.ends.clone()].iter().any(|e| e.block.is_none()) || c.blocks.len() < 2;
        (c.rows.len(), c.blocks.clone(), grounded)
    };
    let edges: Vec<(usize, Vec<JacobianBlock>, bool)> = held.entries.iter().map(edge).collect();
    // Two points that stay together and two directions about which nothing turns.
    let is_hinge = |c: usize| {
        let entry = &held.entries[c];
        // v = (ṗ, ω): Euler parameters and Gibbs–Rodrigues parameters have other velocities.
        let rigid = |b: &JacobianBlock| matches!(bodies.entries[b.body].kind, BodyKind::Rigid(_));
        topology == Topology::Tree
            && bodies.entries.len() >= LEAST_HINGED_BODIES
            && entry.coincidence == Coincidence::Origins
            && entry.rows.len() == 5
            && entry.blocks.iter().all(rigid)
    };
    Layout {
        bodies: bodies.entries.iter().map(mass_block).collect(),
        constraints: held
            .entries
            .iter()
            .map(|c| ConstraintBlocks { rows: c.rows.clone(), blocks: c.blocks.clone() })
            .collect(),
        velocities: bodies.sizes.v,
        levels: held.rows.iter().map(|r| r.level).collect(),
        symmetry: symmetry(&bodies.entries),
        topology,
        symbolic: Arc::new(SymbolicFactor::new(&body_sizes, &edges, &is_hinge)),
    }
}

/// Finds the constraints whose reactions are the normal forces of friction.
fn resolve_normal_forces(constraints: &mut [ConstraintEntry]) -> Result<(), BuildError> {
    for i in 0..constraints.len() {
        let (NormalForceSource::Reaction(by) | NormalForceSource::GapOf(by)) =
            constraints[i].kind.constraint().normal_force_source()
        else {
            continue;
        };
        let Some(found) = constraints.iter().position(|c| c.name == by) else {
            let hint = did_you_mean(by, constraints.iter().map(|c| c.name.as_str()));
            let fault = ParameterError::invalid("joint", format!("there is no constraint `{by}`{hint}"));
            return Err(element_error("constraint", &constraints[i].name, fault));
        };
        let reaction = matches!(constraints[i].kind.constraint().normal_force_source(), NormalForceSource::Reaction(_));
        if reaction && constraints[found].law != ConstraintLaw::Bilateral {
            let what = format!(
                "`{by}` can become inactive; only the reaction of a permanent constraint can be the normal force"
            );
            return Err(element_error("constraint", &constraints[i].name, ParameterError::invalid("joint", what)));
        }
        constraints[i].normal_force_constraint = Some(found);
    }
    Ok(())
}
