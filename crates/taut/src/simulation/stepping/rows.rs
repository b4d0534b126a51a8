//! Assembles the blocks of surface contacts, of gap constraints, and of friction constraints.

use super::blocks::{Blocks, Role, Source};
use super::detect::{Contact, Detector, Grip, Memory};
use crate::bodies::{Jacobian, each_body};
use crate::complementarity::Law;
use crate::constraints::{ConstraintKind, View};
use crate::equations::{At, Equations, Scene};
use crate::laws::{Friction, Law as ElementLaw};
use crate::model::{ConstraintEntry, Model};
use crate::motion::{Vec3, Wrench};
use crate::shapes::Dimension;
use crate::state::Mode;
use serde::{Deserialize, Serialize};

/// Permitted penetration, relative to the smaller of the two surfaces.
const SLACK: f64 = 1e-7;
/// Permitted penetration of a gap constraint, whose size is unknown, m or rad.
const CONSTRAINT_SLACK: f64 = 1e-10;

/// Whether a constraint represents surface contacts in event-driven simulation; time stepping detects these contacts itself.
pub(super) fn of_surfaces(c: &ConstraintEntry) -> bool {
    matches!(c.kind, ConstraintKind::Contact(_) | ConstraintKind::ContactTurning(_))
}

/// Which rows of a contact are assembled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// All rows of its contact rule.
    All,
    /// Its gap alone.
    Gap,
}

/// Normal, first and second tangent.
fn axes(contact: &Contact, dimension: Dimension) -> [Vec3; 3] {
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

fn coefficient(friction: Friction, grip: Grip) -> f64 {
    match grip {
        Grip::Slid => friction.slip,
        Grip::Held | Grip::New => friction.stick,
    }
}

/// Adds a block for every detected contact. Impulses start with those of the last step.
pub(super) fn contacts(
    model: &Model,
    detector: &Detector,
    at: At,
    scene: &Scene,
    which: Which,
    h: f64,
    blocks: &mut Blocks,
) {
    for (index, contact) in detector.contacts.iter().enumerate() {
        let dimension = detector.dimension(contact.pair[0]);
        let mu = coefficient(contact.rule.friction, contact.memory.grip);
        let turning = contact.rule.spin > 0.0 || contact.rule.roll > 0.0;
        let law = match (which, dimension) {
            (Which::Gap, _) => Law::NonNegative,
            (_, Dimension::Three) if turning => Law::Cone6 { mu, spin: contact.rule.spin, roll: contact.rule.roll },
            _ if mu == 0.0 => Law::NonNegative,
            (_, Dimension::Two) => Law::Wedge { mu },
            (_, Dimension::Three) => Law::Cone { mu },
        };
        let [n, t1, t2] = axes(contact, dimension);
        let (x, rows) = (contact.point(), law.rows());
        let block = blocks.open(law, Role::Presses, Source::Touch(index));
        block.gap = contact.touch.gap;
        block.slack = SLACK * detector.size(contact.pair);
        block.restitution = contact.rule.impact.restitution;
        let first = block.rows.start;
        for (surface, sense) in contact.pair.into_iter().zip([-1.0, 1.0]) {
            let m = model.surfaces[surface].marker;
            let Some(b) = model.markers[m].body else { continue };
            let entry = &model.bodies[b];
            let (own, seen, width) = (&scene.motions[entry.markers.start], &scene.motions[m], entry.v.len());
            let out = blocks.tie(b, width);
            let arm = x - seen.p;
            for (i, row) in out.chunks_exact_mut(width).enumerate().take(rows) {
                let on = match i {
                    0..3 => {
                        let e = [n, t1, t2][i] * sense;
                        Wrench { f: e, m: arm.cross(&e) }
                    }
                    _ => Wrench::moment([n, t1, t2][i - 3] * sense),
                };
                let (q, place) = (&at.q[entry.q.clone()], &model.places[m]);
                each_body!(&entry.kind, body => body.spread(q, own, place, seen, &on, row));
            }
        }
        if which == Which::All {
            let Memory { normal, friction, torque, .. } = contact.memory;
            let (friction, torque) = (Vec3::from(friction), Vec3::from(torque));
            let start =
                [normal, friction.dot(&t1), friction.dot(&t2), torque.dot(&n), torque.dot(&t1), torque.dot(&t2)];
            blocks.p[first..first + rows].iter_mut().zip(start).for_each(|(p, f)| *p = h * f);
        }
    }
}

/// Stores the forces of the step in the contacts.
pub(super) fn remember(detector: &mut Detector, h: f64, blocks: &Blocks) {
    for block in &blocks.list {
        let Source::Touch(index) = block.source else { continue };
        let dimension = detector.dimension(detector.contacts[index].pair[0]);
        let contact = &mut detector.contacts[index];
        if block.role == Role::Watched {
            contact.memory = Memory::default();
            continue;
        }
        let [n, t1, t2] = axes(contact, dimension);
        let mut f = [0.0; 6];
        f.iter_mut().zip(&blocks.p[block.rows.clone()]).for_each(|(f, p)| *f = p / h);
        contact.memory = Memory {
            normal: f[0],
            friction: (t1 * f[1] + t2 * f[2]).into(),
            torque: (n * f[3] + t1 * f[4] + t2 * f[5]).into(),
            grip: limit(&block.law, &f),
        };
    }
}

/// Whether friction is at its limit.
pub(super) fn limit(law: &Law, p: &[f64]) -> Grip {
    const AT: f64 = 1.0 - 1e-6;
    match *law {
        Law::Wedge { mu } if p[1].abs() >= AT * mu * p[0] => Grip::Slid,
        Law::Cone { mu } | Law::Cone6 { mu, .. } if p[1].hypot(p[2]) >= AT * mu * p[0] => Grip::Slid,
        Law::Interval { lower, upper } if p[0] >= AT * upper || p[0] <= AT * lower => Grip::Slid,
        Law::Disc { radius } if p[0].hypot(p[1]) >= AT * radius => Grip::Slid,
        Law::Ball { radius } if p[0].hypot(p[1]).hypot(p[2]) >= AT * radius => Grip::Slid,
        _ => Grip::Held,
    }
}

/// Forces and friction state of a constraint with a law, from the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Known {
    /// Forces of its first three rows.
    pub force: [f64; 3],
    pub grip: Grip,
}

/// Adds a block for the gap of every unilateral constraint, with its friction.
pub(super) fn gaps(model: &Model, at: At, known: &[Known], scene: &Scene, eq: &Equations, h: f64, blocks: &mut Blocks) {
    for (index, c) in model.constraints.iter().enumerate() {
        let (ElementLaw::Unilateral(impact), false) = (c.law, of_surfaces(c)) else { continue };
        let grip = c.kind.constraint().grip(&view(at, scene, c));
        let mu = coefficient(grip.friction, known[index].grip);
        let law = match c.rows.len() {
            _ if mu == 0.0 => Law::NonNegative,
            1 => Law::NonNegative,
            2 => Law::Wedge { mu },
            _ => Law::Cone { mu },
        };
        let block = blocks.open(law, Role::Presses, Source::Constraint(index, 0));
        block.gap = eq.loose.phi[c.rows.start];
        block.slack = CONSTRAINT_SLACK;
        block.restitution = impact.restitution;
        copy_rows(model, c, 0, h, &known[index], eq, blocks);
    }
}

/// Adds a block for every friction constraint; `reactions` are the joint forces that determine its normal force.
pub(super) fn grips(
    model: &Model,
    at: At,
    given: &[Mode],
    known: &[Known],
    scene: &Scene,
    eq: &Equations,
    reactions: &[f64],
    h: f64,
    blocks: &mut Blocks,
) {
    for (index, c) in model.constraints.iter().enumerate() {
        if c.law != ElementLaw::Gripping || of_surfaces(c) || given[index] == Mode::Idle {
            continue;
        }
        // Two or three rows slip together, others separately.
        let mut first = 0;
        while first < c.rows.len() {
            let law = grip_law(model, at, c, first, known[index].grip, scene, reactions, h);
            blocks.open(law, Role::Grips, Source::Constraint(index, first));
            copy_rows(model, c, first, h, &known[index], eq, blocks);
            first += law.rows();
        }
    }
}

/// Updates the bounds of friction constraints for new reactions.
pub(super) fn press_again(
    model: &Model,
    at: At,
    known: &[Known],
    scene: &Scene,
    reactions: &[f64],
    h: f64,
    blocks: &mut Blocks,
) {
    for block in &mut blocks.list {
        let (Source::Constraint(index, first), Role::Grips) = (block.source, block.role) else { continue };
        let c = &model.constraints[index];
        if c.pressed_by.is_some() {
            block.law = grip_law(model, at, c, first, known[index].grip, scene, reactions, h);
        }
    }
}

/// The law of a friction constraint from one of its rows on: a disc for two rows, a ball for the first three, an interval for others.
fn grip_law(
    model: &Model,
    at: At,
    c: &ConstraintEntry,
    first: usize,
    grip: Grip,
    scene: &Scene,
    reactions: &[f64],
    h: f64,
) -> Law {
    let element = c.kind.constraint();
    let seen = view(at, scene, c);
    let bounds = element.grip(&seen);
    let pressed = c.pressed_by.map_or(0.0, |by| {
        let by = &model.constraints[by];
        let mut on = Wrench::ZERO;
        let last = by.markers.len().saturating_sub(1);
        reactions[by.rows.clone()].iter().zip(scene.wrenches(by, last)).for_each(|(l, D)| on.add(*l, D));
        element.pressed(&seen, &on).0
    });
    let [lower, upper] = if grip == Grip::Slid { bounds.slipping } else { bounds.holding };
    let more = coefficient(bounds.friction, grip) * pressed;
    match (first, c.rows.len()) {
        (0, 2) => Law::Disc { radius: h * (upper + more).max(0.0) },
        (0, 3..) => Law::Ball { radius: h * (upper + more).max(0.0) },
        _ => Law::Interval { lower: h * (lower - more), upper: h * (upper + more) },
    }
}

fn view<'a>(at: At<'a>, scene: &'a Scene, c: &'a ConstraintEntry) -> View<'a> {
    View { t: at.t, motions: &scene.motions, ids: &c.markers, z: &at.z[c.z.clone()] }
}

/// Fills the rows of the last block from the inactive rows of a constraint, from its row `first` on.
fn copy_rows(
    model: &Model,
    c: &ConstraintEntry,
    first: usize,
    h: f64,
    known: &Known,
    eq: &Equations,
    blocks: &mut Blocks,
) {
    let Some(rows) = blocks.list.last().map(|b| b.rows.clone()) else { return };
    for block in &c.blocks {
        let width = model.bodies[block.body].v.len();
        let from = block.start + first * width;
        let out = blocks.tie(block.body, width);
        out.copy_from_slice(&eq.loose.A[from..from + out.len()]);
    }
    for (i, row) in rows.enumerate() {
        blocks.rate[row] = eq.loose.phi_t[c.rows.start + first + i];
        blocks.p[row] = h * known.force.get(first + i).copied().unwrap_or(0.0);
    }
}

/// Stores the forces of the step in the constraint memories and in the multipliers.
pub(super) fn recall(model: &Model, h: f64, blocks: &Blocks, known: &mut [Known], lambda: &mut [f64]) {
    for block in &blocks.list {
        let Source::Constraint(index, first) = block.source else { continue };
        let p = &blocks.p[block.rows.clone()];
        let known = &mut known[index];
        known.grip = limit(&block.law, p);
        for (i, p) in p.iter().enumerate() {
            let force = if block.role == Role::Watched { 0.0 } else { p / h };
            lambda[model.constraints[index].rows.start + first + i] = force;
            if let Some(known) = known.force.get_mut(first + i) {
                *known = force;
            }
        }
    }
}
