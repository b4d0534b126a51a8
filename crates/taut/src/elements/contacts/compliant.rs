//! Compliant contact: the law of Hunt and Crossley with regularised friction.

mod hunt_crossley;
mod tangent;

pub use hunt_crossley::HuntCrossley;

use super::GapState;
use crate::constraints::{ElementInput, MarkerReference};
use crate::error::ParameterError;
use crate::forces::{Conservation, ExtraStates, Force, ForceReport, NonSmooth, TangentAvailability};
use crate::laws::Friction;
use crate::motion::{Vec3, Wrench};
use crate::shapes::{ContactGeometry, Pose, Shape, Solid, contact_points, nearest_contact_points};
use nalgebra::Matrix6;

/// The force between two compliant surfaces.
#[derive(Clone, Debug)]
pub struct CompliantPair {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) solids: [Solid; 2],
    pub(crate) law: HuntCrossley,
    pub(crate) energy_tracking: EnergyTracking,
}

/// How the energy stored in a pair is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EnergyTracking {
    /// As a function of the poses.
    ByDepth,
    /// By an energy ledger, which is an extra state.
    ByLedger,
}

impl EnergyTracking {
    /// Only a few pairs of shapes have contact points that never appear or disappear under load.
    pub fn for_shapes(a: &Shape, b: &Shape) -> EnergyTracking {
        let ball = |s: &Shape| matches!(s, Shape::Sphere { .. } | Shape::Circle { .. } | Shape::Ellipsoid { .. });
        let rough = |s: &Shape| matches!(s, Shape::Mesh { .. } | Shape::HeightField { .. });
        let flat = |s: &Shape| matches!(s, Shape::HalfSpace {} | Shape::HalfPlane {});
        let few = |s: &Shape| matches!(s, Shape::Capsule { .. } | Shape::Box { .. } | Shape::Rectangle { .. });
        let one_point = (ball(a) || ball(b)) && !rough(a) && !rough(b);
        let on_a_plane = (flat(a) && few(b)) || (flat(b) && few(a));
        if one_point || on_a_plane { EnergyTracking::ByDepth } else { EnergyTracking::ByLedger }
    }
}

/// Forces and velocities at one contact point.
struct PointForce {
    elastic: f64,
    normal: f64,
    rate: f64,
    friction: Vec3,
    slip: Vec3,
    at: Vec3,
    n: Vec3,
}

/// Values of the first state of a pair: history unknown, open, touching, touching with all stored energy returned.
const STATE_UNKNOWN: f64 = 0.0;
const STATE_OPEN: f64 = 1.0;
const STATE_TOUCHING: f64 = -1.0;
const STATE_ENERGY_SPENT: f64 = -2.0;

/// Indices of the reset guards: the gap, and the energy in the ledger. The second state is that energy.
pub(crate) const GAP_GUARD: usize = 0;
const ENERGY_GUARD: usize = 1;

/// Largest increase of the depth in one step, relative to the thickness of the thinner body.
const MAX_STEP_DEPTH_RATIO: f64 = 0.1;

/// Depth, relative to the smaller body, below which the remaining force is negligible for step-size control.
const NEGLIGIBLE_DEPTH_RATIO: f64 = 1e-6;

/// Gap, relative to the smaller body, at which a touching pair opens.
const SEPARATION_GAP_RATIO: f64 = 1e-12;

impl CompliantPair {
    /// Gap and gap rate at the nearest points, at any distance.
    pub(crate) fn gap_state(&self, at: &ElementInput) -> GapState {
        let mut found = Vec::new();
        let [a, b] = &self.solids;
        nearest_contact_points(a, &Pose::from(&at[0]), b, &Pose::from(&at[1]), &mut found);
        let nearest = found.iter().min_by(|x, y| x.gap.total_cmp(&y.gap));
        nearest.map_or(GapState::NONE_NEAR, |touch| GapState::at_touch(touch, &at[0], &at[1]))
    }

    /// Reset guard of the gap: it falls through zero when the pair opens or closes.
    pub(crate) fn gap_guard(&self, ahead: &GapState, z: &[f64]) -> f64 {
        match z.first() {
            // Round-off in the gap must not close a pair that has just separated. At a larger depth it is in contact: a brief
            // contact may be detected only after its closing phase.
            Some(&STATE_OPEN) if ahead.rate > 0.0 && ahead.gap > -SEPARATION_GAP_RATIO * self.smaller_size() => {
                ahead.gap.max(f64::MIN_POSITIVE)
            }
            Some(&STATE_OPEN) => ahead.gap,
            Some(&STATE_TOUCHING | &STATE_ENERGY_SPENT) => SEPARATION_GAP_RATIO * self.smaller_size() - ahead.gap,
            _ => -1.0,
        }
    }

    /// Reset guard of the energy: it falls through zero when the ledger is empty, or when it starts to fill again.
    fn energy_guard(&self, at: &ElementInput) -> f64 {
        match *at.z {
            // The tolerance prevents an early release by round-off in the ledger when the surfaces separate.
            [STATE_TOUCHING, energy] => energy + self.negligible_energy(),
            [STATE_ENERGY_SPENT, ..] => -self.elastic_power(at),
            _ => 1.0,
        }
    }

    /// Energy of a depth that is negligible for step-size control.
    fn negligible_energy(&self) -> f64 {
        self.law.stored_energy(NEGLIGIBLE_DEPTH_RATIO * self.smaller_thickness()).max(f64::MIN_POSITIVE)
    }

    /// Whether a change of the state closes the contact (`true`) or opens it.
    pub(crate) fn closing_transition(before: &[f64], after: &[f64]) -> Option<bool> {
        match (before.first(), after.first()) {
            (Some(&STATE_OPEN), Some(&STATE_TOUCHING)) => Some(true),
            (Some(&STATE_TOUCHING | &STATE_ENERGY_SPENT), Some(&STATE_OPEN)) => Some(false),
            _ => None,
        }
    }

    /// The longest step, s, that resolves the depth of a touching pair; none if it does not touch.
    pub(crate) fn max_step(&self, at: &ElementInput) -> Option<f64> {
        if at.z.first() != Some(&STATE_TOUCHING) {
            return None;
        }
        let [a, b] = &self.solids;
        let turning =
            |s: &Solid, k: usize| if s.core_radius().is_finite() { s.bounding_radius() * at[k].w.norm() } else { 0.0 };
        let speed = (at[1].v - at[0].v).norm() + turning(a, 0) + turning(b, 1);
        let through = MAX_STEP_DEPTH_RATIO * self.smaller_thickness() / speed;
        // The force is not smooth where the surfaces separate: a step must end there.
        let ahead = self.gap_state(at);
        let parts = ahead.gap < -NEGLIGIBLE_DEPTH_RATIO * self.smaller_size() && ahead.rate > 0.0;
        let parting = if parts { -ahead.gap / ahead.rate } else { f64::INFINITY };
        // A brief contact ends when the closing velocity changes sign: the first step must not go beyond.
        let grazes = ahead.gap.abs() <= NEGLIGIBLE_DEPTH_RATIO * self.smaller_size()
            && -ahead.rate > NEGLIGIBLE_DEPTH_RATIO.sqrt() * speed;
        let graze = if grazes { -ahead.rate * self.smaller_size() / (4.0 * speed * speed) } else { f64::INFINITY };
        Some(through.min(parting).min(graze)).filter(|h| h.is_finite())
    }

    fn smaller_thickness(&self) -> f64 {
        let [a, b] = &self.solids;
        a.thickness().min(b.thickness())
    }

    fn smaller_size(&self) -> f64 {
        let [a, b] = &self.solids;
        a.radius_about_marker().min(b.radius_about_marker())
    }

    fn touch_points(&self, at: &ElementInput) -> Vec<ContactGeometry> {
        let mut found = Vec::new();
        if at.z.first().is_some_and(|z| [STATE_OPEN, STATE_ENERGY_SPENT].contains(z)) {
            return found;
        }
        self.find_overlaps(at, &mut found);
        found
    }

    fn find_overlaps(&self, at: &ElementInput, found: &mut Vec<ContactGeometry>) {
        let [a, b] = &self.solids;
        contact_points(a, &Pose::from(&at[0]), b, &Pose::from(&at[1]), 0.0, found);
    }

    /// Energy of the present depths, whether or not forces act there.
    fn energy_of_depths(&self, at: &ElementInput) -> f64 {
        let mut found = Vec::new();
        self.find_overlaps(at, &mut found);
        found.iter().map(|t| self.law.stored_energy(-t.gap)).sum()
    }

    /// Power that elastic forces would store at the present depths, whether or not they act.
    fn elastic_power(&self, at: &ElementInput) -> f64 {
        let mut found = Vec::new();
        self.find_overlaps(at, &mut found);
        found.iter().map(|touch| self.point_force(at, touch)).map(|p| p.elastic * p.rate).sum()
    }

    fn point_force(&self, at: &ElementInput, touch: &ContactGeometry) -> PointForce {
        let (p, n) = ((touch.point_a + touch.point_b) * 0.5, touch.normal);
        let carried = |k: usize| at[k].v + at[k].w.cross(&(p - at[k].p));
        let u = carried(1) - carried(0);
        let rate = -n.dot(&u);
        let slip = u + n * rate;
        let (elastic, normal) = self.law.normal_forces(-touch.gap, rate);
        let speed = slip.norm();
        let friction =
            if speed > 0.0 { slip * (-self.law.friction_coefficient(speed) * normal / speed) } else { Vec3::zeros() };
        PointForce { elastic, normal, rate, friction, slip, at: p, n }
    }
}

impl Force for CompliantPair {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(&self.a), MarkerReference::frame(&self.b)]
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.law.check()
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        on.fill(Wrench::ZERO);
        for touch in self.touch_points(at) {
            let pressed = self.point_force(at, &touch);
            let f = pressed.n * pressed.normal + pressed.friction;
            for (k, sense) in [(0, -1.0), (1, 1.0)] {
                let f = f * sense;
                on[k].add_scaled(1.0, &Wrench { f, m: (pressed.at - at[k].p).cross(&f) });
            }
        }
    }

    fn tangent(&self, at: &ElementInput, pose: &mut [Matrix6<f64>], twist: &mut [Matrix6<f64>]) -> TangentAvailability {
        self.force_derivatives(at, pose, twist)
    }

    fn potential(&self, at: &ElementInput) -> f64 {
        match *at.z {
            [STATE_OPEN | STATE_ENERGY_SPENT, ..] => 0.0,
            [STATE_TOUCHING, energy] => energy,
            _ => self.energy_of_depths(at),
        }
    }

    fn nonconservative_power(&self, at: &ElementInput, _: &[Wrench]) -> f64 {
        let lost = |touch: &ContactGeometry| {
            let p = self.point_force(at, touch);
            -(p.normal - p.elastic) * p.rate + p.friction.dot(&p.slip)
        };
        self.touch_points(at).iter().map(lost).sum()
    }

    fn conservation(&self) -> Conservation {
        if self.law.dissipation == 0.0 && self.law.friction == Friction::NONE {
            Conservation::Conservative
        } else {
            Conservation::NonConservative
        }
    }
}

impl ExtraStates for CompliantPair {
    fn state_count(&self) -> usize {
        match self.energy_tracking {
            EnergyTracking::ByDepth => 1,
            EnergyTracking::ByLedger => 2,
        }
    }

    fn initialise_states(&self, _: &ElementInput, z: &mut [f64]) {
        z.fill(STATE_UNKNOWN);
    }
    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        zdot.fill(0.0);
        if let (Some(rate), Some(&STATE_TOUCHING)) = (zdot.get_mut(ENERGY_GUARD), at.z.first()) {
            *rate = self.elastic_power(at);
        }
    }

    fn reset_guard_count(&self) -> usize {
        self.state_count()
    }
    fn reset_guard(&self, at: &ElementInput, i: usize) -> f64 {
        if i == GAP_GUARD { self.gap_guard(&self.gap_state(at), at.z) } else { self.energy_guard(at) }
    }

    fn reset_states(&self, at: &ElementInput, i: usize, z: &mut [f64]) {
        let now = match (i, at.z.first()) {
            (ENERGY_GUARD, Some(&STATE_TOUCHING)) => [STATE_ENERGY_SPENT, 0.0],
            // Loaded again, it takes the energy of the depths, so that a body at rest does not switch on and off forever.
            (ENERGY_GUARD, _) => [STATE_TOUCHING, self.energy_of_depths(at)],
            (_, Some(&STATE_OPEN)) => [STATE_TOUCHING, 0.0],
            (_, Some(&STATE_TOUCHING | &STATE_ENERGY_SPENT)) => [STATE_OPEN, 0.0],
            _ if self.gap_state(at).gap > 0.0 => [STATE_OPEN, 0.0],
            _ => [STATE_TOUCHING, self.energy_of_depths(at)],
        };
        z.iter_mut().zip(now).for_each(|(z, new)| *z = new);
    }
}

impl ForceReport for CompliantPair {}
impl NonSmooth for CompliantPair {}
