//! Assembles the blocks of surface contacts, of gap constraints, and of friction constraints.

use super::contact_detection::{ContactDetector, ContactMemory, DetectedContact, FrictionState};
use super::law_blocks::{BlockRole, LawBlock, LawBlockSource, LawBlocks};
use crate::bodies::{BodyKind, Jacobian, each_body};
use crate::complementarity::ComplementarityLaw;
use crate::constraints::{ConstraintKind, ElementInput};
use crate::equations::{Equations, MarkerKinematics, StateView};
use crate::laws::{ConstraintLaw as ElementLaw, Friction};
use crate::marker::MarkerPlacement;
use crate::model::{ConstraintEntry, Model};
use crate::motion::{Vec3, Wrench};
use crate::shapes::Dimension;
use crate::state::ConstraintMode;
use serde::{Deserialize, Serialize};

/// Whether a constraint represents surface contacts in event-driven simulation; time stepping detects these contacts itself.
pub(super) fn is_surface_contact(c: &ConstraintEntry) -> bool {
    matches!(c.kind, ConstraintKind::Contact(_) | ConstraintKind::ContactRotationalFriction(_))
}

/// Which rows of a contact are assembled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContactRows {
    /// All rows of its contact rule.
    All,
    /// Its gap alone.
    Gap,
}

/// Normal, first and second tangent.
fn contact_axes(contact: &DetectedContact, dimension: Dimension) -> [Vec3; 3] {
    let n = contact.touch.normal;
    match dimension {
        Dimension::Two => [n, Vec3::new(-n.y, n.x, 0.0), Vec3::z()],
        Dimension::Three => {
            let other = if n.x.abs() < 0.7 { Vec3::x() } else { Vec3::y() };
            let t = (other - n * n.dot(&other)).normalize();
            [n, t, n.cross(&t)]
        }
    }
}

fn friction_coefficient(friction: Friction, grip: FrictionState) -> f64 {
    match grip {
        FrictionState::Sliding => friction.slip,
        FrictionState::Sticking | FrictionState::New => friction.stick,
    }
}

/// Adds a block for every detected contact. Impulses start with those of the last step.
pub(super) fn add_surface_contacts(
    model: &Model,
    detector: &ContactDetector,
    at: StateView,
    scene: &MarkerKinematics,
    which: ContactRows,
    h: f64,
    blocks: &mut LawBlocks,
) {
    for (index, contact) in detector.contacts.iter().enumerate() {
        let dimension = detector.dimension(contact.pair[0]);
        let mu = friction_coefficient(contact.rule.friction, contact.memory.friction_state);
        let turning = contact.rule.torsional_friction > 0.0 || contact.rule.rolling_friction > 0.0;
        let law = match (which, dimension) {
            (ContactRows::Gap, _) => ComplementarityLaw::NonNegative,
            (_, Dimension::Three) if turning => ComplementarityLaw::ConeWithTorques {
                mu,
                spin: contact.rule.torsional_friction,
                roll: contact.rule.rolling_friction,
            },
            _ if mu == 0.0 => ComplementarityLaw::NonNegative,
            (_, Dimension::Two) => ComplementarityLaw::PlanarCone { mu },
            (_, Dimension::Three) => ComplementarityLaw::Cone { mu },
        };
        let [n, t1, t2] = contact_axes(contact, dimension);
        let (x, rows) = (contact.point(), law.rows());
        let block = blocks.add_block(law, BlockRole::Active, LawBlockSource::Touch(index));
        block.gap = contact.touch.gap;
        block.slack = detector.slack(contact.pair);
        block.restitution = contact.rule.impact.restitution;
        let first = block.rows.start;
        blocks.axes.push([n, t1, t2]);
        for (surface, sense) in contact.pair.into_iter().zip([-1.0, 1.0]) {
            let m = model.surfaces[surface].marker;
            let Some(b) = model.markers[m].body else { continue };
            let entry = &model.bodies[b];
            let (own, seen, width) = (&scene.motions[entry.markers.start], &scene.motions[m], entry.v.len());
            if let (BodyKind::Rigid(_), MarkerPlacement::Frame(..)) = (&entry.kind, &model.marker_placements[m]) {
                blocks.add_rigid_body(b, sense, x - own.p);
                continue;
            }
            let out = blocks.add_body(b, width);
            let arm = x - seen.p;
            for (i, row) in out.chunks_exact_mut(width).enumerate().take(rows) {
                let on = match i {
                    0..3 => {
                        let e = [n, t1, t2][i] * sense;
                        Wrench { f: e, m: arm.cross(&e) }
                    }
                    _ => Wrench::moment([n, t1, t2][i - 3] * sense),
                };
                let (q, place) = (&at.q[entry.q.clone()], &model.marker_placements[m]);
                each_body!(&entry.kind, body => body.constraint_row(q, own, place, seen, &on, row));
            }
        }
        if which == ContactRows::All {
            let ContactMemory { normal, friction, torque, .. } = contact.memory;
            let (friction, torque) = (Vec3::from(friction), Vec3::from(torque));
            let start =
                [normal, friction.dot(&t1), friction.dot(&t2), torque.dot(&n), torque.dot(&t1), torque.dot(&t2)];
            blocks.p[first..first + rows].iter_mut().zip(start).for_each(|(p, f)| *p = h * f);
        }
    }
}

/// Stores the forces of the step in the contacts.
pub(super) fn store_contact_forces(detector: &mut ContactDetector, h: f64, blocks: &LawBlocks) {
    for block in &blocks.list {
        let LawBlockSource::Touch(index) = block.source else { continue };
        let dimension = detector.dimension(detector.contacts[index].pair[0]);
        let contact = &mut detector.contacts[index];
        if block.role == BlockRole::Inactive {
            contact.memory = ContactMemory { push: contact.memory.push, ..ContactMemory::default() };
            continue;
        }
        let [n, t1, t2] = contact_axes(contact, dimension);
        let mut f = [0.0; 6];
        f.iter_mut().zip(&blocks.p[block.rows.clone()]).for_each(|(f, p)| *f = p / h);
        contact.memory = ContactMemory {
            normal: f[0],
            friction: (t1 * f[1] + t2 * f[2]).into(),
            torque: (n * f[3] + t1 * f[4] + t2 * f[5]).into(),
            friction_state: friction_state(&block.law, &f),
            push: contact.memory.push,
        };
    }
}

/// π of a contact in the last step, the start of the next solution for the displacements.
pub(super) fn push_of_last_step(detector: &ContactDetector, block: &LawBlock) -> f64 {
    match block.source {
        LawBlockSource::Touch(index) => detector.contacts[index].memory.push,
        LawBlockSource::Constraint(..) => 0.0,
    }
}

/// Stores π of the step in the contacts.
pub(super) fn store_pushes(detector: &mut ContactDetector, blocks: &LawBlocks, pi: &[f64]) {
    for (block, push) in blocks.list.iter().zip(pi) {
        if let LawBlockSource::Touch(index) = block.source {
            detector.contacts[index].memory.push = *push;
        }
    }
}

/// Whether friction is at its limit.
pub(super) fn friction_state(law: &ComplementarityLaw, p: &[f64]) -> FrictionState {
    const AT: f64 = 1.0 - 1e-6;
    match *law {
        ComplementarityLaw::PlanarCone { mu } if p[1].abs() >= AT * mu * p[0] => FrictionState::Sliding,
        ComplementarityLaw::Cone { mu } | ComplementarityLaw::ConeWithTorques { mu, .. }
            if p[1].hypot(p[2]) >= AT * mu * p[0] =>
        {
            FrictionState::Sliding
        }
        ComplementarityLaw::Interval { lower, upper } if p[0] >= AT * upper || p[0] <= AT * lower => {
            FrictionState::Sliding
        }
        ComplementarityLaw::Disc { radius } if p[0].hypot(p[1]) >= AT * radius => FrictionState::Sliding,
        ComplementarityLaw::Ball { radius } if p[0].hypot(p[1]).hypot(p[2]) >= AT * radius => FrictionState::Sliding,
        _ => FrictionState::Sticking,
    }
}

/// Forces and friction state of a constraint with a law, from the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ConstraintMemory {
    /// Forces of its first three rows.
    pub force: [f64; 3],
    pub friction_state: FrictionState,
}

/// Adds a block for the gap of every unilateral constraint, with its friction.
pub(super) fn add_gap_constraints(
    model: &Model,
    at: StateView,
    known: &[ConstraintMemory],
    scene: &MarkerKinematics,
    eq: &Equations,
    h: f64,
    blocks: &mut LawBlocks,
) {
    for (index, c) in model.constraints.iter().enumerate() {
        let (ElementLaw::Unilateral(impact), false) = (c.law, is_surface_contact(c)) else { continue };
        let grip = c.kind.constraint().friction_bound(&view(at, scene, c));
        let mu = friction_coefficient(grip.friction, known[index].friction_state);
        let law = match c.rows.len() {
            _ if mu == 0.0 => ComplementarityLaw::NonNegative,
            1 => ComplementarityLaw::NonNegative,
            2 => ComplementarityLaw::PlanarCone { mu },
            _ => ComplementarityLaw::Cone { mu },
        };
        let block = blocks.add_block(law, BlockRole::Active, LawBlockSource::Constraint(index, 0));
        block.gap = eq.inactive.phi[c.rows.start];
        block.slack = model.contact_scale.permitted_penetration();
        block.restitution = impact.restitution;
        copy_rows(model, c, 0, h, &known[index], eq, blocks);
    }
}

/// Adds a block for every friction constraint; `reactions` are the joint forces that determine its normal force.
pub(super) fn add_friction_constraints(
    model: &Model,
    at: StateView,
    given: &[ConstraintMode],
    known: &[ConstraintMemory],
    scene: &MarkerKinematics,
    eq: &Equations,
    reactions: &[f64],
    h: f64,
    blocks: &mut LawBlocks,
) {
    for (index, c) in model.constraints.iter().enumerate() {
        if c.law != ElementLaw::Frictional || is_surface_contact(c) || given[index] == ConstraintMode::Idle {
            continue;
        }
        // Two or three rows slip together, others separately.
        let mut first = 0;
        while first < c.rows.len() {
            let law = friction_law(model, at, c, first, known[index].friction_state, scene, reactions, h);
            blocks.add_block(law, BlockRole::Friction, LawBlockSource::Constraint(index, first));
            copy_rows(model, c, first, h, &known[index], eq, blocks);
            first += law.rows();
        }
    }
}

/// Updates the bounds of friction constraints for new reactions.
pub(super) fn update_friction_bounds(
    model: &Model,
    at: StateView,
    known: &[ConstraintMemory],
    scene: &MarkerKinematics,
    reactions: &[f64],
    h: f64,
    blocks: &mut LawBlocks,
) {
    for block in &mut blocks.list {
        let (LawBlockSource::Constraint(index, first), BlockRole::Friction) = (block.source, block.role) else {
            continue;
        };
        let c = &model.constraints[index];
        if c.normal_force_constraint.is_some() {
            block.law = friction_law(model, at, c, first, known[index].friction_state, scene, reactions, h);
        }
    }
}

/// The law of a friction constraint from one of its rows on: a disc for two rows, a ball for the first three, an interval for others.
fn friction_law(
    model: &Model,
    at: StateView,
    c: &ConstraintEntry,
    first: usize,
    grip: FrictionState,
    scene: &MarkerKinematics,
    reactions: &[f64],
    h: f64,
) -> ComplementarityLaw {
    let element = c.kind.constraint();
    let seen = view(at, scene, c);
    let bounds = element.friction_bound(&seen);
    let pressed = c.normal_force_constraint.map_or(0.0, |by| {
        let by = &model.constraints[by];
        let mut on = Wrench::ZERO;
        let last = by.markers.len().saturating_sub(1);
        reactions[by.rows.clone()].iter().zip(scene.wrenches(by, last)).for_each(|(l, D)| on.add_scaled(*l, D));
        element.normal_force(&seen, &on).0
    });
    let [lower, upper] = if grip == FrictionState::Sliding { bounds.slipping } else { bounds.sticking };
    let more = friction_coefficient(bounds.friction, grip) * pressed;
    match (first, c.rows.len()) {
        (0, 2) => ComplementarityLaw::Disc { radius: h * (upper + more).max(0.0) },
        (0, 3..) => ComplementarityLaw::Ball { radius: h * (upper + more).max(0.0) },
        _ => ComplementarityLaw::Interval { lower: h * (lower - more), upper: h * (upper + more) },
    }
}

fn view<'a>(at: StateView<'a>, scene: &'a MarkerKinematics, c: &'a ConstraintEntry) -> ElementInput<'a> {
    ElementInput { t: at.t, motions: &scene.motions, markers: &c.markers, z: &at.z[c.z.clone()] }
}

/// Fills the rows of the last block from the inactive rows of a constraint, from its row `first` on.
fn copy_rows(
    model: &Model,
    c: &ConstraintEntry,
    first: usize,
    h: f64,
    known: &ConstraintMemory,
    eq: &Equations,
    blocks: &mut LawBlocks,
) {
    let Some(rows) = blocks.list.last().map(|b| b.rows.clone()) else { return };
    for block in &c.blocks {
        let width = model.bodies[block.body].v.len();
        let from = block.start + first * width;
        let out = blocks.add_body(block.body, width);
        out.copy_from_slice(&eq.inactive.A[from..from + out.len()]);
    }
    for (i, row) in rows.enumerate() {
        blocks.rate[row] = eq.inactive.phi_t[c.rows.start + first + i];
        blocks.p[row] = h * known.force.get(first + i).copied().unwrap_or(0.0);
    }
}

/// Stores the forces of the step in the constraint memories and in the multipliers.
pub(super) fn store_constraint_forces(
    model: &Model,
    h: f64,
    blocks: &LawBlocks,
    known: &mut [ConstraintMemory],
    lambda: &mut [f64],
) {
    for block in &blocks.list {
        let LawBlockSource::Constraint(index, first) = block.source else { continue };
        let p = &blocks.p[block.rows.clone()];
        let known = &mut known[index];
        known.friction_state = friction_state(&block.law, p);
        for (i, p) in p.iter().enumerate() {
            let force = if block.role == BlockRole::Inactive { 0.0 } else { p / h };
            lambda[model.constraints[index].rows.start + first + i] = force;
            if let Some(known) = known.force.get_mut(first + i) {
                *known = force;
            }
        }
    }
}
