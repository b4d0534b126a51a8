//! Detects the contacts of surfaces: nearby pairs, contact points, and the memory of each contact.
//!
//! The bounding boxes of all surfaces are widened by a skin, so that the pairs stay valid until a surface has moved further than
//! its skin. A contact is matched to the previous contact of the same surfaces with the nearest point on the first surface.

use crate::contacts::{ContactKind, RigidContact};
use crate::model::Model;
use crate::motion::{Motion, Vec3};
use crate::shapes::{ContactGeometry, Dimension, Pose, Shape, Solid, candidates, contact_points};
use serde::{Deserialize, Serialize};

/// Gap up to which a contact is kept, relative to the size of its surface.
const DETECTION_MARGIN: f64 = 1e-4;

/// How far two surfaces may move past each other in a step near contact, and the distance to which conservative advancement brings
/// them, relative to the smaller one.
const MAX_TRAVEL: f64 = 0.1;
const APPROACH_DISTANCE: f64 = 0.01;

/// Permitted penetration by default, relative to the smaller of the two surfaces.
const PERMITTED_PENETRATION: f64 = 1e-7;

/// Whether a contact was sliding in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FrictionState {
    /// It did not exist.
    #[default]
    New,
    /// It was sticking.
    Sticking,
    /// It was sliding: friction was at its limit.
    Sliding,
}

/// Forces of a contact in the last step. Forces, not impulses, because steps may differ in length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ContactMemory {
    /// Normal force.
    pub normal: f64,
    /// Friction, world axes.
    pub friction: [f64; 3],
    /// Torque of spinning and rolling, world axes.
    pub torque: [f64; 3],
    pub friction_state: FrictionState,
    /// π of the displacement.
    #[serde(default)]
    pub push: f64,
}

/// One contact point.
#[derive(Clone, Debug)]
pub(super) struct DetectedContact {
    /// The two surfaces, the smaller index first.
    pub pair: [usize; 2],
    pub rule: RigidContact,
    pub touch: ContactGeometry,
    /// The point on the first surface, in its own axes.
    pub local_point: Vec3,
    pub memory: ContactMemory,
}

impl DetectedContact {
    /// The midpoint between both contact points, where action and reaction are applied.
    pub fn point(&self) -> Vec3 {
        (self.touch.point_a + self.touch.point_b) * 0.5
    }

    /// Mean force of the last step on the second surface, world axes.
    pub fn force(&self) -> Vec3 {
        self.touch.normal * self.memory.normal + Vec3::from(self.memory.friction)
    }
}

/// The contacts of the present pose.
#[derive(Clone, Debug)]
pub(super) struct ContactDetector<'m> {
    model: &'m Model,
    /// Penetration that the user permits, relative to the smaller surface.
    pub permitted: Option<f64>,
    pairs: Vec<([usize; 2], RigidContact)>,
    /// Poses and skins at the last search for pairs.
    reference_poses: Vec<(Pose, f64)>,
    pub contacts: Vec<DetectedContact>,
    previous_contacts: Vec<DetectedContact>,
    touches: Vec<ContactGeometry>,
    travel: Vec<f64>,
}

impl<'m> ContactDetector<'m> {
    /// Without any contact yet.
    pub fn new(model: &'m Model, permitted: Option<f64>) -> ContactDetector<'m> {
        ContactDetector {
            model,
            permitted,
            pairs: Vec::new(),
            reference_poses: Vec::new(),
            contacts: Vec::new(),
            previous_contacts: Vec::new(),
            touches: Vec::new(),
            travel: Vec::new(),
        }
    }

    fn solid(&self, surface: usize) -> &'m Solid {
        &self.model.surfaces[surface].solid
    }

    /// Radius of the smaller of two surfaces: the measure of their penetration.
    pub fn smaller_radius(&self, pair: [usize; 2]) -> f64 {
        let least = self.solid(pair[0]).radius_about_marker().min(self.solid(pair[1]).radius_about_marker());
        if least.is_finite() { least } else { 1.0 }
    }

    /// Permitted penetration of two surfaces.
    pub fn slack(&self, pair: [usize; 2]) -> f64 {
        self.permitted.unwrap_or(PERMITTED_PENETRATION) * self.smaller_radius(pair)
    }

    /// Whether surfaces live in the plane.
    pub fn dimension(&self, surface: usize) -> Dimension {
        self.solid(surface).dimension()
    }

    /// All contacts whose gap may close within a step of length h, in which speeds change by about `gain`.
    pub fn detect(&mut self, motions: &[Motion], h: f64, gain: f64) {
        if self.model.surfaces.is_empty() {
            return;
        }
        self.estimate_travel(motions, h, gain);
        if self.left_skin(motions) {
            self.find_pairs(motions);
        }
        std::mem::swap(&mut self.contacts, &mut self.previous_contacts);
        self.contacts.clear();
        let mut old = 0;
        for &(pair, rule) in &self.pairs {
            let [a, b] = pair;
            let (sa, sb) = (&self.model.surfaces[a], &self.model.surfaces[b]);
            let (A, B) = (&motions[sa.marker], &motions[sb.marker]);
            self.touches.clear();
            let margin = self.travel[a] + self.travel[b];
            contact_points(&sa.solid, &Pose::from(A), &sb.solid, &Pose::from(B), margin, &mut self.touches);
            // Pairs are sorted, and so are the contacts of before.
            while old < self.previous_contacts.len() && self.previous_contacts[old].pair < pair {
                old += 1;
            }
            let known = self.previous_contacts[old..].iter().take_while(|c| c.pair == pair).count();
            let known = &mut self.previous_contacts[old..old + known];
            for touch in &self.touches {
                let place = A.R.tr_mul(&(touch.point_a - A.p));
                let away = |c: &DetectedContact| (c.local_point - place).norm_squared();
                let nearest = known.iter_mut().min_by(|x, y| away(x).total_cmp(&away(y)));
                // Each previous contact is matched once.
                let memory = nearest.map(|c| std::mem::take(&mut c.memory)).unwrap_or_default();
                self.contacts.push(DetectedContact { pair, rule, touch: *touch, local_point: place, memory });
            }
        }
    }

    /// Memories of all contacts, in their order.
    pub fn memories(&self) -> Vec<ContactMemory> {
        self.contacts.iter().map(|c| c.memory).collect()
    }

    /// Detects the contacts of a restored state and restores their memories.
    pub fn restore(&mut self, motions: &[Motion], h: f64, gain: f64, memories: &[ContactMemory]) {
        self.reference_poses.clear();
        self.contacts.clear();
        self.detect(motions, h, gain);
        self.contacts.iter_mut().zip(memories).for_each(|(c, memory)| c.memory = *memory);
    }

    /// The longest step up to h in which the linearised gaps of approaching surfaces stay valid: up to contact by conservative
    /// advancement, then a fraction of the smaller surface.
    pub fn longest_safe_step(&self, motions: &[Motion], h: f64, gain: f64) -> f64 {
        // After a travel d past a surface of radius r the linearised gap is wrong by d²/(4 r) between equal spheres.
        let travel = self.permitted.map_or(MAX_TRAVEL, |permitted| (2.0 * permitted.sqrt()).max(MAX_TRAVEL));
        self.contacts.iter().fold(h, |least, contact| {
            let [a, b] = contact.pair.map(|s| &self.model.surfaces[s]);
            let (A, B) = (&motions[a.marker], &motions[b.marker]);
            let turning = |shape: &Shape, w: f64, reach: f64| match shape {
                Shape::Sphere { .. } | Shape::Circle { .. } => 0.0,
                _ if reach.is_finite() => w * reach,
                _ => 0.0,
            };
            let (ra, rb) = (a.solid.radius_about_marker(), b.solid.radius_about_marker());
            let turned = turning(&a.shape, A.w.norm(), ra) + turning(&b.shape, B.w.norm(), rb);
            // The normal of a plane is constant, however far a body moves along it.
            let slid = if ra.is_finite() && rb.is_finite() { (B.v - A.v).norm() + gain } else { 0.0 };
            let speed = slid + turned;
            let size = ra.min(rb);
            if speed * least <= travel * size || !size.is_finite() {
                return least;
            }
            least.min((contact.touch.gap - APPROACH_DISTANCE * size).max(travel * size) / speed)
        })
    }

    /// Estimates how far each surface may move in a step.
    fn estimate_travel(&mut self, motions: &[Motion], h: f64, gain: f64) {
        let ContactDetector { model, travel: ahead, .. } = self;
        ahead.clear();
        for s in &model.surfaces {
            let (m, solid) = (&motions[s.marker], &s.solid);
            let turning = m.w.norm();
            let mut reach = solid.radius_about_marker();
            if turning > 0.0 && !reach.is_finite() {
                let others = model.surfaces.iter().filter(|o| o.solid.radius_about_marker().is_finite());
                reach = others
                    .map(|o| (motions[o.marker].p - m.p).norm() + o.solid.radius_about_marker())
                    .fold(0.0, f64::max);
            }
            let speed = m.v.norm() + if turning > 0.0 { turning * reach } else { 0.0 };
            // Contacts at rest are kept although nothing moves.
            let sight = if solid.radius_about_marker().is_finite() {
                DETECTION_MARGIN * solid.radius_about_marker()
            } else {
                0.0
            };
            ahead.push(h * (speed + gain) + sight);
        }
    }

    /// Whether a surface has moved further than its skin.
    fn left_skin(&self, motions: &[Motion]) -> bool {
        if self.reference_poses.len() != self.model.surfaces.len() {
            return true;
        }
        let far = |i: usize| {
            let ((from, skin), now) = (&self.reference_poses[i], &motions[self.model.surfaces[i].marker]);
            let reach = self.solid(i).radius_about_marker();
            let turn = (now.R - from.R).norm();
            let moved = (now.p - from.p).norm() + if turn > 0.0 { turn * reach } else { 0.0 };
            moved + self.travel[i] > *skin || moved.is_nan()
        };
        (0..self.reference_poses.len()).any(far)
    }

    fn find_pairs(&mut self, motions: &[Motion]) {
        self.reference_poses.clear();
        let mut boxes = Vec::with_capacity(self.model.surfaces.len());
        for (s, ahead) in self.model.surfaces.iter().zip(&self.travel) {
            let pose = Pose::from(&motions[s.marker]);
            let reach = s.solid.radius_about_marker();
            let skin = 4.0 * ahead + if reach.is_finite() { 0.03 * reach } else { 0.0 };
            let mut around = s.solid.aabb(&pose);
            around.lo -= Vec3::repeat(skin);
            around.hi += Vec3::repeat(skin);
            boxes.push(around);
            self.reference_poses.push((pose, skin));
        }
        self.pairs.clear();
        for (a, b) in candidates(&boxes, 0.0) {
            let pair = [a.min(b), a.max(b)];
            // Compliant contacts are forces of the model.
            if let Some(rule) = self.model.contact_rule_between(pair[0], pair[1])
                && let ContactKind::Rigid(rule) = self.model.contacts[rule].item.kind
            {
                self.pairs.push((pair, rule));
            }
        }
        self.pairs.sort_unstable_by_key(|(pair, _)| *pair);
    }

    /// The largest penetration, and its contact.
    pub fn deepest(&self) -> (f64, Option<usize>) {
        let mut worst = (0.0, None);
        for (i, c) in self.contacts.iter().enumerate() {
            if -c.touch.gap > worst.0 {
                worst = (-c.touch.gap, Some(i));
            }
        }
        worst
    }

    /// The names of the two surfaces.
    pub fn surface_names(&self, contact: usize) -> String {
        let name = |s: usize| &self.model.surfaces[s].name;
        let [a, b] = self.contacts[contact].pair;
        format!("`{}` on `{}`", name(a), name(b))
    }
}
