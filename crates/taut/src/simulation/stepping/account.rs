//! Forces, modes, impulses and losses of contacts and friction, by constraint.
//!
//! Time stepping detects contacts between surfaces; the columns of a table belong to constraints. If
//! the pairs of surfaces are few enough to be constraints, each contact is reported by one of the constraint points of its
//! pair: the one with the same features, or the one that reported it before, or the next free one. Otherwise
//! only the sums of every surface are reported.

use super::blocks::{Blocks, Role, Source};
use super::detect::{Detector, Grip};
use super::rows::{limit, of_surfaces};
use crate::complementarity::Law as Rule;
use crate::constraints::ConstraintKind;
use crate::contacts::{Between, Features, Turn};
use crate::equations::{Equations, Scene};
use crate::laws::{Law, direction};
use crate::model::Model;
use crate::motion::Vec3;
use crate::state::{Mode, State};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Force of a constraint with a law in the last step, and its losses since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Force and torque of a contact of surfaces on its second marker, world axes.
    force: [f64; 3],
    torque: [f64; 3],
    grip: Grip,
    /// Its point on the first surface when it was last in contact.
    place: Option<[f64; 3]>,
    /// Energy lost by friction and by impacts.
    pub rubbed: f64,
    pub struck: f64,
}

/// Total load of a surface in all its contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Load {
    /// Mean force of the last step.
    pub force: [f64; 3],
    /// Sum of the impulses along the normals since the start.
    pub impulse: f64,
}

/// The constraints of two surfaces.
#[derive(Clone, Debug)]
struct Points {
    pair: [usize; 2],
    /// The contact points, each with its constraints of spinning and rolling friction.
    list: Vec<(usize, Vec<usize>)>,
    /// −1 if the constraints have the surfaces in reverse order.
    sense: f64,
}

/// The contact ledger of a run.
#[derive(Clone, Debug)]
pub(super) struct Account {
    points: Vec<Points>,
    /// Reporting constraint of every contact of the step.
    reports: Vec<Option<(usize, usize)>>,
    pub entries: Vec<Entry>,
    pub loads: Vec<Load>,
    /// Impulses of the gaps since the start.
    pub impulses: Vec<f64>,
    /// Which constraints had features or rows in the last step.
    pub bound: Vec<bool>,
    /// Modes after the last step.
    pub modes: Vec<Mode>,
}

/// The part of the ledger that a checkpoint keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Booked {
    entries: Vec<Entry>,
    loads: Vec<Load>,
    impulses: Vec<f64>,
    bound: Vec<bool>,
}

impl Account {
    pub fn new(model: &Model) -> Account {
        let n = model.constraints.len();
        Account {
            points: points(model),
            reports: Vec::new(),
            entries: vec![Entry::default(); n],
            loads: vec![Load::default(); model.surfaces.len()],
            impulses: vec![0.0; n],
            bound: vec![false; n],
            modes: vec![Mode::Idle; n],
        }
    }

    pub fn save(&self) -> Booked {
        let Account { entries, loads, impulses, bound, .. } = self.clone();
        Booked { entries, loads, impulses, bound }
    }

    pub fn restore(&mut self, booked: &Booked) {
        let Booked { entries, loads, impulses, bound } = booked.clone();
        (self.entries, self.loads, self.impulses, self.bound) = (entries, loads, impulses, bound);
    }

    /// Copies the forces and modes of another ledger, without its sums.
    pub fn foretell(&mut self, told: &Booked) {
        for (entry, told) in self.entries.iter_mut().zip(&told.entries) {
            *entry = Entry { rubbed: 0.0, struck: 0.0, ..*told };
        }
        self.loads.iter_mut().zip(&told.loads).for_each(|(load, told)| load.force = told.force);
        self.bound.clone_from(&told.bound);
    }

    /// Whether contacts of surfaces are reported by constraints.
    pub fn lists_pairs(&self) -> bool {
        !self.points.is_empty()
    }

    /// Records a step that ended with the velocities v; the contacts are those of its start and have its forces.
    pub fn book(
        &mut self,
        model: &Model,
        h: f64,
        eq: &Equations,
        detector: &Detector,
        blocks: &Blocks,
        v: &[f64],
        z: &mut [f64],
    ) {
        for entry in &mut self.entries {
            (entry.force, entry.torque, entry.grip) = ([0.0; 3], [0.0; 3], Grip::New);
        }
        self.bound.fill(false);
        self.loads.iter_mut().for_each(|load| load.force = [0.0; 3]);
        self.assign(model, detector);
        for (b, block) in blocks.list.iter().enumerate() {
            let p = &blocks.p[block.rows.clone()];
            let (work, _) = blocks.work_of(eq, block, v);
            let normal = if block.role == Role::Presses { p[0] } else { 0.0 };
            // A contact that rebounded is open again.
            let stays = normal > 0.0 && !blocks.rebounds(b);
            let grip = if stays || block.role == Role::Grips { limit(&block.law, p) } else { Grip::New };
            match block.source {
                Source::Constraint(c, _) => {
                    self.impulses[c] += normal;
                    self.bound[c] = true;
                    let entry = &mut self.entries[c];
                    entry.grip = if entry.grip == Grip::Slid { Grip::Slid } else { grip };
                    (entry.struck, entry.rubbed) = (entry.struck - work[0], entry.rubbed - work[1]);
                }
                Source::Touch(i) => {
                    let contact = &detector.contacts[i];
                    let force = contact.force();
                    for (surface, sense) in contact.pair.into_iter().zip([-1.0, 1.0]) {
                        let load = &mut self.loads[surface];
                        load.force = add(load.force, force * sense);
                        load.impulse += h * contact.memory.normal;
                    }
                    let Some((k, point)) = self.reports[i] else { continue };
                    let Points { list, sense, .. } = &self.points[k];
                    let (c, turnings) = &list[point];
                    let entry = &mut self.entries[*c];
                    entry.force = add(entry.force, force * *sense);
                    entry.place = if normal > 0.0 { Some(contact.place.into()) } else { entry.place };
                    entry.grip = if entry.grip == Grip::Held { Grip::Held } else { grip };
                    (entry.struck, entry.rubbed) = (entry.struck - work[0], entry.rubbed - work[1]);
                    self.impulses[*c] += h * contact.memory.normal;
                    if !std::mem::replace(&mut self.bound[*c], true) {
                        let pair = if *sense < 0.0 { contact.touch.pair.swapped() } else { contact.touch.pair };
                        pair.encode(&mut z[model.constraints[*c].z.clone()]);
                    }
                    for &t in turnings {
                        let ConstraintKind::ContactTurning(turning) = &model.constraints[t].kind else { continue };
                        let entry = &mut self.entries[t];
                        entry.torque = add(entry.torque, Vec3::from(contact.memory.torque) * *sense);
                        entry.grip = if stays { turned(&block.law, turning.turn, p) } else { Grip::New };
                        self.bound[t] = true;
                    }
                }
            }
        }
    }

    /// Chooses the point that reports each contact.
    fn assign(&mut self, model: &Model, detector: &Detector) {
        self.reports.clear();
        self.reports.resize(detector.contacts.len(), None);
        let mut first = 0;
        for (k, points) in self.points.iter().enumerate() {
            while first < detector.contacts.len() && detector.contacts[first].pair < points.pair {
                first += 1;
            }
            let own = detector.contacts[first..].iter().take_while(|c| c.pair == points.pair).count();
            let contacts = first..first + own;
            let mut free: Vec<usize> = (0..points.list.len()).collect();
            let mut left: Vec<usize> = contacts.collect();
            // Points with fixed features report these features.
            left.retain(|&i| {
                let contact = &detector.contacts[i];
                let pair = if points.sense < 0.0 { contact.touch.pair.swapped() } else { contact.touch.pair };
                let same = |point: &&usize| match &model.constraints[points.list[**point].0].kind {
                    ConstraintKind::Contact(c) => matches!(&c.features, Features::Fixed(own) if *own == pair),
                    _ => false,
                };
                let found = free.iter().find(same).copied();
                if let Some(point) = found {
                    self.reports[i] = Some((k, point));
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
                    let place = self.entries[points.list[*point].0].place;
                    place.map_or(f64::INFINITY, |p| (Vec3::from(p) - contact.place).norm_squared())
                };
                let nearest = |a: &usize, b: &usize| away(a).total_cmp(&away(b));
                let all: Vec<usize> = (0..points.list.len()).collect();
                let presses = contact.memory.normal > 0.0;
                let found = match free.iter().copied().min_by(nearest) {
                    Some(point) => Some(point),
                    // Forces of more contacts than points are added up.
                    None if presses => all.into_iter().min_by(nearest),
                    None => None,
                };
                if let Some(point) = found {
                    self.reports[i] = Some((k, point));
                    free.retain(|p| *p != point);
                }
            }
        }
    }

    /// Writes multipliers and modes at the state at which the scene was evaluated.
    pub fn show(&mut self, model: &Model, state: &State, scene: &Scene, eq: &Equations, lambda: &mut [f64]) {
        for (c, entry) in model.constraints.iter().enumerate() {
            if entry.law == Law::Bilateral {
                self.modes[c] = state.modes[c];
                continue;
            }
            let own = &self.entries[c];
            if of_surfaces(entry) {
                let (force, torque) = (Vec3::from(own.force), Vec3::from(own.torque));
                let last = entry.markers.len() - 1;
                for (l, D) in lambda[entry.rows.clone()].iter_mut().zip(scene.wrenches(entry, last)) {
                    *l = match (&entry.kind, self.bound[c]) {
                        (_, false) => 0.0,
                        (ConstraintKind::ContactTurning(_), _) => torque.dot(&D.m),
                        _ => force.dot(&D.f),
                    };
                }
            }
            let from = entry.law.gripping_from().unwrap_or(0).min(entry.rows.len());
            let rates = &eq.loose.rate[entry.rows.start + from..entry.rows.end];
            self.modes[c] = match own.grip {
                Grip::New => Mode::Idle,
                Grip::Held => Mode::Active,
                Grip::Slid => match direction(rates) {
                    (_, 0.0) => Mode::Active,
                    (along, _) => Mode::Sliding(along),
                },
            };
        }
    }
}

fn add(a: [f64; 3], b: Vec3) -> [f64; 3] {
    [a[0] + b.x, a[1] + b.y, a[2] + b.z]
}

/// Whether the torque of spinning or rolling is at its limit.
fn turned(law: &Rule, turn: Turn, p: &[f64]) -> Grip {
    const AT: f64 = 1.0 - 1e-6;
    let Rule::Cone6 { spin, roll, .. } = *law else { return Grip::Held };
    let (torque, most) = match turn {
        Turn::Spin => (p[3].abs(), spin * p[0]),
        Turn::Roll => (p[4].hypot(p[5]), roll * p[0]),
    };
    if torque >= AT * most { Grip::Slid } else { Grip::Held }
}

/// The constraints that stand for pairs of surfaces, in the order of the pairs.
fn points(model: &Model) -> Vec<Points> {
    if !model.constraints.iter().any(|c| matches!(c.kind, ConstraintKind::Contact(_))) {
        return Vec::new();
    }
    let index: HashMap<&str, usize> = model.constraints.iter().enumerate().map(|(i, c)| (c.name.as_str(), i)).collect();
    let mut found = Vec::new();
    let n = model.surfaces.len();
    for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
        let Some(rule) = model.contact_between(a, b) else { continue };
        let rule = &model.contacts[rule];
        let name = match &rule.item.between {
            Between::Pair(..) => rule.name.clone(),
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
        found.push(Points { pair: [a, b], list, sense });
    }
    found
}
