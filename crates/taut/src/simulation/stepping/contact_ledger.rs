//! Forces, modes, impulses and losses of contacts and friction, by constraint.
//!
//! Time stepping detects contacts between surfaces; the columns of a table belong to constraints. If
//! the pairs of surfaces are few enough to be constraints, each contact is reported by one of the constraint points of its
//! pair: the one with the same features, or the one that reported it before, or the next free one. Otherwise
//! only the sums of every surface are reported.

use super::block_assembly::{friction_state, is_surface_contact};
use super::contact_detection::{ContactDetector, FrictionState};
use super::law_blocks::{BlockRole, LawBlockSource, LawBlocks};
use crate::complementarity::ComplementarityLaw as Rule;
use crate::constraints::ConstraintKind;
use crate::contacts::{ContactScope, Features, RotationalFrictionKind};
use crate::equations::{Equations, MarkerKinematics};
use crate::laws::{ConstraintLaw, slip_direction};
use crate::model::Model;
use crate::motion::Vec3;
use crate::state::{ConstraintMode, State};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Force of a constraint with a law in the last step, and its losses since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ConstraintLedger {
    /// Force and torque of a contact of surfaces on its second marker, world axes.
    force: [f64; 3],
    torque: [f64; 3],
    friction_state: FrictionState,
    /// Its point on the first surface when it was last in contact.
    last_point: Option<[f64; 3]>,
    /// Energy lost by friction and by impacts.
    pub friction_loss: f64,
    pub impact_loss: f64,
}

/// Total load of a surface in all its contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SurfaceLoad {
    /// Mean force of the last step.
    pub force: [f64; 3],
    /// Sum of the impulses along the normals since the start.
    pub impulse: f64,
}

/// The constraints of two surfaces.
#[derive(Clone, Debug)]
struct PairConstraints {
    pair: [usize; 2],
    /// The contact points, each with its constraints of spinning and rolling friction.
    points: Vec<(usize, Vec<usize>)>,
    /// −1 if the constraints have the surfaces in reverse order.
    sign: f64,
}

/// The contact ledger of a run.
#[derive(Clone, Debug)]
pub(super) struct ContactLedger {
    points: Vec<PairConstraints>,
    /// Reporting constraint of every contact of the step.
    reporting_points: Vec<Option<(usize, usize)>>,
    pub entries: Vec<ConstraintLedger>,
    pub loads: Vec<SurfaceLoad>,
    /// Impulses of the gaps since the start.
    pub impulses: Vec<f64>,
    /// Which constraints had features or rows in the last step.
    pub bound: Vec<bool>,
    /// Modes after the last step.
    pub modes: Vec<ConstraintMode>,
}

/// The part of the ledger that a checkpoint keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ContactLedgerCheckpoint {
    entries: Vec<ConstraintLedger>,
    loads: Vec<SurfaceLoad>,
    impulses: Vec<f64>,
    bound: Vec<bool>,
}

impl ContactLedger {
    pub fn new(model: &Model) -> ContactLedger {
        let n = model.constraints.len();
        ContactLedger {
            points: pair_constraints(model),
            reporting_points: Vec::new(),
            entries: vec![ConstraintLedger::default(); n],
            loads: vec![SurfaceLoad::default(); model.surfaces.len()],
            impulses: vec![0.0; n],
            bound: vec![false; n],
            modes: vec![ConstraintMode::Idle; n],
        }
    }

    pub fn save(&self) -> ContactLedgerCheckpoint {
        let ContactLedger { entries, loads, impulses, bound, .. } = self.clone();
        ContactLedgerCheckpoint { entries, loads, impulses, bound }
    }

    pub fn restore(&mut self, booked: &ContactLedgerCheckpoint) {
        let ContactLedgerCheckpoint { entries, loads, impulses, bound } = booked.clone();
        (self.entries, self.loads, self.impulses, self.bound) = (entries, loads, impulses, bound);
    }

    /// Copies the forces and modes of another ledger, without its sums.
    pub fn copy_forces(&mut self, other: &ContactLedgerCheckpoint) {
        for (entry, other) in self.entries.iter_mut().zip(&other.entries) {
            *entry = ConstraintLedger { friction_loss: 0.0, impact_loss: 0.0, ..*other };
        }
        self.loads.iter_mut().zip(&other.loads).for_each(|(load, other)| load.force = other.force);
        self.bound.clone_from(&other.bound);
    }

    /// Whether contacts of surfaces are reported by constraints.
    pub fn has_pair_constraints(&self) -> bool {
        !self.points.is_empty()
    }

    /// Records a step that ended with the velocities v; the contacts are those of its start and have its forces.
    pub fn record_step(
        &mut self,
        model: &Model,
        h: f64,
        eq: &Equations,
        detector: &ContactDetector,
        blocks: &LawBlocks,
        v: &[f64],
        z: &mut [f64],
    ) {
        for entry in &mut self.entries {
            (entry.force, entry.torque, entry.friction_state) = ([0.0; 3], [0.0; 3], FrictionState::New);
        }
        self.bound.fill(false);
        self.loads.iter_mut().for_each(|load| load.force = [0.0; 3]);
        self.assign_points(model, detector);
        for (b, block) in blocks.list.iter().enumerate() {
            let p = &blocks.p[block.rows.clone()];
            let (work, _) = blocks.work_of(eq, block, v);
            let normal = if block.role == BlockRole::Active { p[0] } else { 0.0 };
            // A contact that rebounded is open again.
            let stays = normal > 0.0 && !blocks.rebounds(b);
            let grip = if stays || block.role == BlockRole::Friction {
                friction_state(&block.law, p)
            } else {
                FrictionState::New
            };
            match block.source {
                LawBlockSource::Constraint(c, _) => {
                    self.impulses[c] += normal;
                    self.bound[c] = true;
                    let entry = &mut self.entries[c];
                    entry.friction_state =
                        if entry.friction_state == FrictionState::Sliding { FrictionState::Sliding } else { grip };
                    (entry.impact_loss, entry.friction_loss) =
                        (entry.impact_loss - work[0], entry.friction_loss - work[1]);
                }
                LawBlockSource::Touch(i) => {
                    let contact = &detector.contacts[i];
                    let force = contact.force();
                    for (surface, sense) in contact.pair.into_iter().zip([-1.0, 1.0]) {
                        let load = &mut self.loads[surface];
                        load.force = add(load.force, force * sense);
                        load.impulse += h * contact.memory.normal;
                    }
                    let Some((k, point)) = self.reporting_points[i] else { continue };
                    let PairConstraints { points: list, sign: sense, .. } = &self.points[k];
                    let (c, turnings) = &list[point];
                    let entry = &mut self.entries[*c];
                    entry.force = add(entry.force, force * *sense);
                    entry.last_point = if normal > 0.0 { Some(contact.local_point.into()) } else { entry.last_point };
                    entry.friction_state =
                        if entry.friction_state == FrictionState::Sticking { FrictionState::Sticking } else { grip };
                    (entry.impact_loss, entry.friction_loss) =
                        (entry.impact_loss - work[0], entry.friction_loss - work[1]);
                    self.impulses[*c] += h * contact.memory.normal;
                    if !std::mem::replace(&mut self.bound[*c], true) {
                        let pair = if *sense < 0.0 { contact.touch.pair.swapped() } else { contact.touch.pair };
                        pair.encode(&mut z[model.constraints[*c].z.clone()]);
                    }
                    for &t in turnings {
                        let ConstraintKind::ContactRotationalFriction(turning) = &model.constraints[t].kind else {
                            continue;
                        };
                        let entry = &mut self.entries[t];
                        entry.torque = add(entry.torque, Vec3::from(contact.memory.torque) * *sense);
                        entry.friction_state = if stays {
                            turning_friction_state(&block.law, turning.kind, p)
                        } else {
                            FrictionState::New
                        };
                        self.bound[t] = true;
                    }
                }
            }
        }
    }

    /// Chooses the point that reports each contact.
    fn assign_points(&mut self, model: &Model, detector: &ContactDetector) {
        self.reporting_points.clear();
        self.reporting_points.resize(detector.contacts.len(), None);
        let mut first = 0;
        for (k, points) in self.points.iter().enumerate() {
            while first < detector.contacts.len() && detector.contacts[first].pair < points.pair {
                first += 1;
            }
            let own = detector.contacts[first..].iter().take_while(|c| c.pair == points.pair).count();
            let contacts = first..first + own;
            let mut free: Vec<usize> = (0..points.points.len()).collect();
            let mut left: Vec<usize> = contacts.collect();
            // Points with fixed features report these features.
            left.retain(|&i| {
                let contact = &detector.contacts[i];
                let pair = if points.sign < 0.0 { contact.touch.pair.swapped() } else { contact.touch.pair };
                let same = |point: &&usize| match &model.constraints[points.points[**point].0].kind {
                    ConstraintKind::Contact(c) => matches!(&c.features, Features::Fixed(own) if *own == pair),
                    _ => false,
                };
                let found = free.iter().find(same).copied();
                if let Some(point) = found {
                    self.reporting_points[i] = Some((k, point));
                    free.retain(|p| *p != point);
                }
                found.is_none()
            });
            // Contacts with a normal force come first and keep their points.
            left.sort_by(|a, b| {
                let key = |i: &usize| (detector.contacts[*i].memory.normal <= 0.0, detector.contacts[*i].touch.gap);
                let (x, y) = (key(a), key(b));
                x.0.cmp(&y.0).then(x.1.total_cmp(&y.1))
            });
            for &i in &left {
                let contact = &detector.contacts[i];
                let away = |point: &usize| {
                    let place = self.entries[points.points[*point].0].last_point;
                    place.map_or(f64::INFINITY, |p| (Vec3::from(p) - contact.local_point).norm_squared())
                };
                let nearest = |a: &usize, b: &usize| away(a).total_cmp(&away(b));
                let all: Vec<usize> = (0..points.points.len()).collect();
                let presses = contact.memory.normal > 0.0;
                let found = match free.iter().copied().min_by(nearest) {
                    Some(point) => Some(point),
                    // Forces of more contacts than points are added up.
                    None if presses => all.into_iter().min_by(nearest),
                    None => None,
                };
                if let Some(point) = found {
                    self.reporting_points[i] = Some((k, point));
                    free.retain(|p| *p != point);
                }
            }
        }
    }

    /// Writes multipliers and modes at the state at which the scene was evaluated.
    pub fn write_multipliers_and_modes(
        &mut self,
        model: &Model,
        state: &State,
        scene: &MarkerKinematics,
        eq: &Equations,
        lambda: &mut [f64],
    ) {
        for (c, entry) in model.constraints.iter().enumerate() {
            if entry.law == ConstraintLaw::Bilateral {
                self.modes[c] = state.modes[c];
                continue;
            }
            let own = &self.entries[c];
            if is_surface_contact(entry) {
                let (force, torque) = (Vec3::from(own.force), Vec3::from(own.torque));
                let last = entry.markers.len() - 1;
                for (l, D) in lambda[entry.rows.clone()].iter_mut().zip(scene.wrenches(entry, last)) {
                    *l = match (&entry.kind, self.bound[c]) {
                        (_, false) => 0.0,
                        (ConstraintKind::ContactRotationalFriction(_), _) => torque.dot(&D.m),
                        _ => force.dot(&D.f),
                    };
                }
            }
            let from = entry.law.first_friction_row().unwrap_or(0).min(entry.rows.len());
            let rates = &eq.inactive.rate[entry.rows.start + from..entry.rows.end];
            self.modes[c] = match own.friction_state {
                FrictionState::New => ConstraintMode::Idle,
                FrictionState::Sticking => ConstraintMode::Active,
                FrictionState::Sliding => match slip_direction(rates) {
                    (_, 0.0) => ConstraintMode::Active,
                    (along, _) => ConstraintMode::Sliding(along),
                },
            };
        }
    }
}

fn add(a: [f64; 3], b: Vec3) -> [f64; 3] {
    [a[0] + b.x, a[1] + b.y, a[2] + b.z]
}

/// Whether the torque of spinning or rolling is at its limit.
fn turning_friction_state(law: &Rule, turn: RotationalFrictionKind, p: &[f64]) -> FrictionState {
    const AT: f64 = 1.0 - 1e-6;
    let Rule::ConeWithTorques { spin, roll, .. } = *law else { return FrictionState::Sticking };
    let (torque, most) = match turn {
        RotationalFrictionKind::Spin => (p[3].abs(), spin * p[0]),
        RotationalFrictionKind::Roll => (p[4].hypot(p[5]), roll * p[0]),
    };
    if torque >= AT * most { FrictionState::Sliding } else { FrictionState::Sticking }
}

/// The constraints that stand for pairs of surfaces, in the order of the pairs.
fn pair_constraints(model: &Model) -> Vec<PairConstraints> {
    if !model.constraints.iter().any(|c| matches!(c.kind, ConstraintKind::Contact(_))) {
        return Vec::new();
    }
    let index: HashMap<&str, usize> = model.constraints.iter().enumerate().map(|(i, c)| (c.name.as_str(), i)).collect();
    let mut found = Vec::new();
    let n = model.surfaces.len();
    for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
        let Some(rule) = model.contact_rule_between(a, b) else { continue };
        let rule = &model.contacts[rule];
        let name = match &rule.item.between {
            ContactScope::Pair(..) => rule.name.clone(),
            _ => format!("{}.{}-{}", rule.name, model.surfaces[a].name, model.surfaces[b].name),
        };
        let is_point = |c: &usize| matches!(model.constraints[*c].kind, ConstraintKind::Contact(_));
        let at = |name: &str| index.get(name).copied().filter(is_point);
        let numbered = (1..).map(|i| format!("{name}.{i}"));
        let names = std::iter::once(name.clone()).chain(numbered);
        let names: Vec<String> = match at(&name) {
            Some(_) => vec![name.clone()],
            None => names.skip(1).take_while(|n| at(n).is_some()).collect(),
        };
        let turnings = |name: &str| {
            let of = |short: &str| index.get(format!("{name}.{short}").as_str()).copied();
            ["spin", "roll"].into_iter().filter_map(of).collect::<Vec<_>>()
        };
        let list: Vec<_> = names.iter().filter_map(|n| Some((at(n)?, turnings(n)))).collect();
        let Some((c, _)) = list.first() else { continue };
        let sense = if model.constraints[*c].markers[0] == model.surfaces[a].marker { 1.0 } else { -1.0 };
        found.push(PairConstraints { pair: [a, b], points: list, sign: sense });
    }
    found
}
