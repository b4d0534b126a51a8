//! Describes the free motions: a basis of the null space of A with one leading coordinate per motion.
//!
//! As many independent joint coordinates and body velocities are chosen as there are freedoms, joints at the ground first. Motion i
//! then moves coordinate i by one and leaves the other chosen ones at rest, as one would move the mechanism by hand.

use super::display::{describe_axis, describe_followers, describe_velocity};
use super::{FreeMotion, LeadingCoordinate};
use crate::bodies::BodyKind;
use crate::constraints::{ConstraintKind, ElementInput, Joint, Prescription, RotationMask};
use crate::equations::MarkerKinematics;
use crate::measures::Measure;
use crate::model::{ConstraintEntry, Model};
use crate::motion::{Vec3, Wrench};
use crate::solvers::rank::{ConnectedPart, ScaledJacobian, SparseRow};
use crate::state::State;
use nalgebra::{DMatrix, DVector};

/// A velocity smaller than this, relative to the largest, counts as rest.
const REST_TOLERANCE: f64 = 1e-7;
/// Fraction of its own rate that a coordinate must keep with the chosen ones at rest: first pass, second pass.
const INDEPENDENCE_THRESHOLDS: [f64; 2] = [0.2, 1e-4];

/// A coordinate that may lead a motion: its rate is `jacobian_row`·v.
struct LeadCandidate {
    lead: LeadingCoordinate,
    body: usize,
    row: SparseRow,
}

/// Finds and describes free motions at a state.
pub(super) struct FreeMotionFinder<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub scene: &'a MarkerKinematics,
}

impl FreeMotionFinder<'_> {
    /// The free motions of a part from its null space in velocities of unit mass.
    pub fn motions(&self, part: &ConnectedPart, scaled: &ScaledJacobian, mut null: Vec<Vec<f64>>) -> Vec<FreeMotion> {
        if let ([body], true) = (&part.bodies[..], part.rows.is_empty()) {
            return vec![self.unconstrained_body(*body)];
        }
        orthonormalise(&mut null);
        let basis: Vec<Vec<f64>> = null.iter().map(|w| scaled.velocities(part, w)).collect();
        let candidates = self.candidates(part);
        let rates = |c: &LeadCandidate| {
            DVector::from_iterator(basis.len(), basis.iter().map(|v| c.row.iter().map(|(k, x)| x * v[*k]).sum()))
        };
        let rates: Vec<DVector<f64>> = candidates.iter().map(rates).collect();
        let chosen = choose_independent(&candidates, &rates, basis.len());
        if chosen.len() != basis.len() {
            return Vec::new();
        }
        let G = DMatrix::from_fn(chosen.len(), basis.len(), |i, j| rates[chosen[i]][j]);
        let Some(C) = G.try_inverse() else { return Vec::new() };
        let mut reported = Vec::new();
        for (i, &k) in chosen.iter().enumerate() {
            let mut v = vec![0.0; part.velocities.len()];
            for (j, own) in basis.iter().enumerate() {
                v.iter_mut().zip(own).for_each(|(v, x)| *v += C[(j, i)] * x);
            }
            reported.push(self.describe(part, &candidates[k], &v));
        }
        reported
    }

    /// The free motion of an unconstrained body.
    fn unconstrained_body(&self, body: usize) -> FreeMotion {
        let b = &self.model.bodies[body];
        let freedoms = b.v.len();
        let words = match freedoms {
            1 => format!("`{}` moves freely", b.name),
            n => format!("`{}` moves freely in all {n} directions", b.name),
        };
        let lead = LeadingCoordinate::Body { body: b.name.clone() };
        FreeMotion { lead, followers: Vec::new(), freedoms, words, rates: Vec::new() }
    }

    fn describe(&self, part: &ConnectedPart, lead: &LeadCandidate, v: &[f64]) -> FreeMotion {
        let most = v.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        let mut moving = Vec::new();
        let mut first = 0;
        for &b in &part.bodies {
            let n = self.model.bodies[b].v.len();
            if v[first..first + n].iter().any(|x| x.abs() > REST_TOLERANCE * most) {
                moving.push((b, first));
            }
            first += n;
        }
        let names = moving.iter().filter(|(b, _)| *b != lead.body).map(|(b, _)| self.model.bodies[*b].name.clone());
        let followers: Vec<String> = names.collect();
        let name = &self.model.bodies[lead.body].name;
        let mut words = match &lead.lead {
            LeadingCoordinate::Turn { joint, axis, against: None, .. } => {
                format!("`{name}` turns about `{joint}` ({})", describe_axis(axis))
            }
            LeadingCoordinate::Turn { joint, axis, against: Some(other), .. } => {
                format!("`{name}` turns against `{other}` about `{joint}` ({})", describe_axis(axis))
            }
            LeadingCoordinate::Slide { joint, axis, against: None, .. } => {
                format!("`{name}` slides along `{joint}` ({})", describe_axis(axis))
            }
            LeadingCoordinate::Slide { joint, axis, against: Some(other), .. } => {
                format!("`{name}` slides against `{other}` along `{joint}` ({})", describe_axis(axis))
            }
            LeadingCoordinate::Velocity { velocity, .. } => format!("`{name}` {}", describe_velocity(velocity)),
            LeadingCoordinate::Body { .. } => format!("`{name}` moves freely"),
        };
        if let (LeadingCoordinate::Velocity { .. }, [(b, first)]) = (&lead.lead, &moving[..])
            && let Some(through) = self.spin_axis(*b, &v[*first..])
        {
            words = format!("`{name}` spins about its own axis through {through}");
        }
        words += &describe_followers(&followers);
        let mut rates = vec![0.0; self.model.sizes.v];
        part.velocities.iter().zip(v).for_each(|(i, v)| rates[*i] = *v);
        FreeMotion { lead: lead.lead.clone(), followers, freedoms: 1, words, rates }
    }

    /// Two markers at rest on a turning rigid body: they define its axis.
    fn spin_axis(&self, body: usize, v: &[f64]) -> Option<String> {
        let b = &self.model.bodies[body];
        if !matches!(b.kind, BodyKind::Rigid(_)) {
            return None;
        }
        let (linear, w) = (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]));
        let own = self.scene.motions[b.markers.start].p;
        let used = |m: &usize| self.model.constraints.iter().any(|c| c.markers.contains(m));
        let rests = |m: &usize| {
            let r = self.scene.motions[*m].p - own;
            (linear + w.cross(&r)).norm() <= REST_TOLERANCE * (linear.norm() + w.norm() * (1.0 + r.norm()))
        };
        let ends: Vec<usize> = b.markers.clone().filter(|m| used(m) && rests(m)).collect();
        let one = *ends.first()?;
        let far = |m: &&usize| (self.scene.motions[**m].p - self.scene.motions[one].p).norm() > 1e-9;
        let two = *ends.iter().find(far)?;
        let name = |m: usize| &self.model.markers[m].name;
        Some(format!("`{}` and `{}`", name(one), name(two)))
    }

    /// Joint coordinates, those at the ground first, then the velocities of the bodies, rotations first.
    fn candidates(&self, part: &ConnectedPart) -> Vec<LeadCandidate> {
        let mut of_joints = Vec::new();
        let mut last = usize::MAX;
        for &r in &part.rows {
            let c = self.model.constraint_of_row(r);
            if let (ConstraintKind::Joint(joint), false) = (&c.kind, c.rows.start == last) {
                self.add_joint_candidates(part, c, joint, &mut of_joints);
            }
            last = c.rows.start;
        }
        let grounded = |c: &LeadCandidate| match &c.lead {
            LeadingCoordinate::Turn { against, .. } | LeadingCoordinate::Slide { against, .. } => against.is_none(),
            _ => false,
        };
        let (mut list, others): (Vec<LeadCandidate>, Vec<LeadCandidate>) = of_joints.into_iter().partition(grounded);
        list.extend(others);
        let mut first = 0;
        let (mut turns, mut moves) = (Vec::new(), Vec::new());
        for &body in &part.bodies {
            let b = &self.model.bodies[body];
            for (i, v) in b.kind.body().velocities().into_iter().enumerate() {
                let row = vec![(first + i, 1.0)];
                let family = if v.unit == "rad/s" { &mut turns } else { &mut moves };
                family.push(LeadCandidate {
                    lead: LeadingCoordinate::Velocity { body: b.name.clone(), velocity: v.name },
                    body,
                    row,
                });
            }
            first += b.v.len();
        }
        list.extend(turns);
        list.extend(moves);
        list
    }

    /// Adds the free coordinates of a joint: rotation about its z axis, translation along its free axes.
    fn add_joint_candidates(
        &self,
        part: &ConnectedPart,
        c: &ConstraintEntry,
        joint: &Joint,
        list: &mut Vec<LeadCandidate>,
    ) {
        let body_of = |k: usize| self.model.markers[c.markers[k]].body;
        let planar =
            |k: usize| self.model.body_of_marker(c.markers[k]).is_none_or(|b| matches!(b, BodyKind::Planar(_)));
        let in_plane = planar(0) && planar(1);
        let (moving, other) = match (body_of(0), body_of(1)) {
            (a, Some(b)) => (b, a),
            (Some(a), None) => (a, None),
            (None, None) => return,
        };
        let against = other.map(|b| self.model.bodies[b].name.clone());
        let (A, B) = (&self.scene.motions[c.markers[0]], &self.scene.motions[c.markers[1]]);
        let name = || self.model.bodies[moving].name.clone();
        let turns = match &joint.rotation {
            RotationMask::Parallel => true,
            RotationMask::Free => in_plane,
            RotationMask::About(hold) | RotationMask::Locked(hold) => *hold == Prescription::Free,
            RotationMask::Perpendicular | RotationMask::ConstantVelocity => false,
        };
        if turns {
            let view = ElementInput::new(self.state.t, &self.scene.motions, &c.markers, &[]);
            let row = self.jacobian_row(part, c, &Measure::angle(&joint.a, &joint.b).position_terms(&view).D);
            let axis = A.axis(2).into();
            let lead = LeadingCoordinate::Turn { body: name(), joint: c.name.clone(), axis, against: against.clone() };
            list.push(LeadCandidate { lead, body: moving, row });
        }
        let held = joint.translation.iter().filter(|h| **h != Prescription::Free).count();
        let axes = if in_plane { 0..2 } else { 0..3 };
        for i in axes.filter(|i| held > 0 && joint.translation[*i] == Prescription::Free) {
            let (e, d) = (A.axis(i), B.p - A.p);
            let row = self.jacobian_row(part, c, &[Wrench { f: -e, m: e.cross(&d) }, Wrench::force(e)]);
            let lead = LeadingCoordinate::Slide {
                body: name(),
                joint: c.name.clone(),
                axis: e.into(),
                against: against.clone(),
            };
            list.push(LeadCandidate { lead, body: moving, row });
        }
    }

    /// Σ D J over the velocities of a part.
    fn jacobian_row(&self, part: &ConnectedPart, c: &ConstraintEntry, D: &[Wrench; 2]) -> SparseRow {
        let mut row = SparseRow::new();
        for (&m, on) in c.markers.iter().zip(D) {
            let Some(b) = self.model.markers[m].body.map(|b| &self.model.bodies[b]) else { continue };
            let Ok(first) = part.velocities.binary_search(&b.v.start) else { continue };
            let mut f = vec![0.0; b.v.len()];
            self.scene.apply_transpose(self.model, &self.state.q, m, on, &mut f);
            row.extend(f.into_iter().enumerate().map(|(i, f)| (first + i, f)));
        }
        row
    }
}

/// Chooses as many independent candidates as there are freedoms, earlier ones first.
fn choose_independent(candidates: &[LeadCandidate], rates: &[DVector<f64>], freedoms: usize) -> Vec<usize> {
    let turns = |c: &LeadCandidate| match &c.lead {
        LeadingCoordinate::Turn { .. } => true,
        LeadingCoordinate::Velocity { velocity, .. } => describe_velocity(velocity).starts_with("turns"),
        _ => false,
    };
    // A coordinate that hardly moves compared with others of its kind does not lead, such as a crank at dead centre.
    let most = |turning: bool| {
        let kin = candidates.iter().zip(rates).filter(|(c, _)| turns(c) == turning);
        kin.fold(0.0, |a: f64, (_, r)| a.max(r.norm()))
    };
    let most = [most(false), most(true)];
    let mut left: Vec<DVector<f64>> = rates.to_vec();
    let mut chosen = Vec::new();
    let take = |k: usize, left: &mut Vec<DVector<f64>>| {
        let u = left[k].normalize();
        for r in left {
            let part = r.dot(&u);
            r.axpy(-part, &u, 1.0);
        }
    };
    for fraction in INDEPENDENCE_THRESHOLDS {
        for k in 0..candidates.len() {
            if chosen.len() == freedoms {
                return chosen;
            }
            let size = left[k].norm();
            let moves = size > 1e-4 * fraction * most[usize::from(turns(&candidates[k]))];
            if chosen.contains(&k) || !moves || size <= fraction * rates[k].norm() {
                continue;
            }
            chosen.push(k);
            take(k, &mut left);
        }
    }
    // For the remainder, take the one that moves most.
    while chosen.len() < freedoms {
        let most = |a: &usize, b: &usize| left[*a].norm().total_cmp(&left[*b].norm());
        let Some(k) = (0..left.len()).filter(|k| !chosen.contains(k)).max_by(most) else { break };
        if left[k].norm() == 0.0 {
            break;
        }
        chosen.push(k);
        take(k, &mut left);
    }
    chosen
}

/// Gram–Schmidt orthogonalisation, applied twice.
fn orthonormalise(list: &mut [Vec<f64>]) {
    for i in 0..list.len() {
        let (done, rest) = list.split_at_mut(i);
        let x = &mut rest[0];
        for _ in 0..2 {
            for u in done.iter() {
                let part = dot(u, x);
                x.iter_mut().zip(u).for_each(|(x, u)| *x -= part * u);
            }
            let norm = dot(x, x).sqrt().max(f64::MIN_POSITIVE);
            x.iter_mut().for_each(|x| *x /= norm);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
