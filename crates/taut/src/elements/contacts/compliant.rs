//! Compliant contact: the law of Hunt and Crossley with regularised friction.
//!
//! ```text
//!  N = K δᵖ (1 + d δ̇)  ≥ 0            δ = −gap, the depth of each point of contact
//!  F_t = −μ(|u|) N u/|u|               μ rises up to the transition speed, then falls from static to kinetic
//! ```
//!
//! [HuntCrossley1975]: the damping grows with the depth, so that the force has no jump when the surfaces touch; for small
//! speeds e ≈ 1 − ⅔ d v. Friction that is a function of the slip velocity cannot stick: a body that should stick creeps at a
//! fraction of the transition speed. A rigid contact does stick.
//!
//! During a run the pair is open, without force, until an event locates the closing of its gap. No step therefore contains the
//! onset of the force.
//!
//! If contact points appear and disappear under load, as at the edges of two boxes, the sum of K δᵖ⁺¹/(p + 1) jumps: the
//! force has no potential. Such a pair keeps an energy ledger E, Ė = Σ K δᵖ δ̇, and never returns more energy than it received:
//! when E reaches zero, the force is zero until the surfaces approach again; E is then the energy of the depths. Energy left
//! when the pair opens is lost.

mod tangent;

use super::Ahead;
use crate::constraints::{Reference, View};
use crate::error::Fault;
use crate::forces::{Conservation, ExtraStates, Force, Known, NonSmooth};
use crate::laws::Friction;
use crate::motion::{Vec3, Wrench};
use crate::shapes::{Pose, Shape, Solid, Touch, touch, touch_nearest};
use nalgebra::Matrix6;
use serde::{Deserialize, Serialize};

/// Parameters of a compliant contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HuntCrossley {
    /// K of each point of contact, N/mᵖ.
    pub stiffness: f64,
    /// p: 1.5 for round surfaces after Hertz, 1 for flat ones.
    #[serde(default = "hertz")]
    pub exponent: f64,
    /// d, s/m.
    #[serde(default)]
    pub dissipation: f64,
    /// Coulomb's coefficients.
    #[serde(default = "frictionless")]
    pub friction: Friction,
    /// Slip velocity at which friction reaches its static value, m/s.
    #[serde(rename = "transition_velocity", default = "transition")]
    pub transition: f64,
}

fn hertz() -> f64 {
    1.5
}

fn frictionless() -> Friction {
    Friction::NONE
}

fn transition() -> f64 {
    1e-3
}

impl HuntCrossley {
    /// Elastic, after Hertz, without friction.
    pub fn new(stiffness: f64) -> HuntCrossley {
        HuntCrossley {
            stiffness,
            exponent: hertz(),
            dissipation: 0.0,
            friction: Friction::NONE,
            transition: transition(),
        }
    }

    /// The same with a dissipation, s/m.
    pub fn dissipation(mut self, d: f64) -> HuntCrossley {
        self.dissipation = d;
        self
    }

    /// The same with another exponent.
    pub fn exponent(mut self, p: f64) -> HuntCrossley {
        self.exponent = p;
        self
    }

    /// The same with friction.
    pub fn friction(mut self, friction: Friction) -> HuntCrossley {
        self.friction = friction;
        self
    }

    pub(crate) fn check(&self) -> Result<(), Fault> {
        Fault::positive("stiffness", self.stiffness)?;
        Fault::positive("transition_velocity", self.transition)?;
        Fault::finite("exponent", &[self.exponent])?;
        Fault::finite("dissipation", &[self.dissipation])?;
        if self.exponent < 1.0 {
            let what = format!("is {}, it must be at least 1: 1.5 for round surfaces, 1 for flat ones", self.exponent);
            return Err(Fault::value("exponent", what));
        }
        if self.dissipation < 0.0 {
            return Err(Fault::value("dissipation", format!("is {} s/m, it must not be negative", self.dissipation)));
        }
        self.friction.check()
    }

    /// Energy stored at a depth.
    fn energy(&self, depth: f64) -> f64 {
        self.stiffness * depth.powf(self.exponent + 1.0) / (self.exponent + 1.0)
    }

    /// Elastic and total normal force at a depth and its rate.
    fn normal(&self, depth: f64, rate: f64) -> (f64, f64) {
        let elastic = self.stiffness * depth.powf(self.exponent);
        (elastic, (elastic * (1.0 + self.dissipation * rate)).max(0.0))
    }

    /// μ at a slip velocity: smooth, static at the transition speed, kinetic far above it.
    fn coefficient(&self, speed: f64) -> f64 {
        let s = speed / self.transition;
        let Friction { stick, slip } = self.friction;
        let rise = if s < 1.0 { s * (2.0 - s) } else { 1.0 };
        let fall = if s < 1.0 { 0.0 } else { 1.0 - (-(s - 1.0).powi(2) / 4.0).exp() };
        rise * (stick - (stick - slip) * fall)
    }
}

/// The force between two compliant surfaces.
#[derive(Clone, Debug)]
pub struct CompliantPair {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) solids: [Solid; 2],
    pub(crate) law: HuntCrossley,
    pub(crate) stored: Stored,
}

/// How the energy stored in a pair is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// As a function of the poses.
    ByDepth,
    /// By an energy ledger, which is an extra state.
    ByAccount,
}

impl Stored {
    /// Only a few pairs of shapes have contact points that never appear or disappear under load.
    pub fn between(a: &Shape, b: &Shape) -> Stored {
        let ball = |s: &Shape| matches!(s, Shape::Sphere { .. } | Shape::Circle { .. });
        let rough = |s: &Shape| matches!(s, Shape::Mesh { .. } | Shape::HeightField { .. });
        let flat = |s: &Shape| matches!(s, Shape::HalfSpace {} | Shape::Line {});
        let few = |s: &Shape| matches!(s, Shape::Capsule { .. } | Shape::Box { .. } | Shape::Rectangle { .. });
        let one_point = (ball(a) || ball(b)) && !rough(a) && !rough(b);
        let on_a_plane = (flat(a) && few(b)) || (flat(b) && few(a));
        if one_point || on_a_plane { Stored::ByDepth } else { Stored::ByAccount }
    }
}

/// Forces and velocities at one contact point.
struct Pressed {
    elastic: f64,
    normal: f64,
    rate: f64,
    friction: Vec3,
    slip: Vec3,
    at: Vec3,
    n: Vec3,
}

/// Values of the first state of a pair: history unknown, open, touching, touching with all stored energy returned.
const ANEW: f64 = 0.0;
const OPEN: f64 = 1.0;
const TOUCHING: f64 = -1.0;
const SPENT: f64 = -2.0;

/// Indices of the reset guards: the gap, and the energy in the ledger. The second state is that energy.
pub(crate) const GAP: usize = 0;
const ACCOUNT: usize = 1;

/// Largest increase of the depth in one step, relative to the thickness of the thinner body.
const DEPTH_OF_A_STEP: f64 = 0.1;

/// Depth, relative to the smaller body, below which the remaining force is negligible for step-size control.
const NEARLY_APART: f64 = 1e-6;

/// Gap, relative to the smaller body, at which a touching pair opens.
const LETS_GO: f64 = 1e-12;

impl CompliantPair {
    /// Gap and gap rate at the nearest points, at any distance.
    pub(crate) fn ahead(&self, at: &View) -> Ahead {
        let mut found = Vec::new();
        let [a, b] = &self.solids;
        touch_nearest(a, &Pose::from(&at[0]), b, &Pose::from(&at[1]), &mut found);
        let nearest = found.iter().min_by(|x, y| x.gap.total_cmp(&y.gap));
        nearest.map_or(Ahead::NOTHING, |touch| Ahead::of(touch, &at[0], &at[1]))
    }

    /// Reset guard of the gap: it falls through zero when the pair opens or closes.
    pub(crate) fn alarm_of(&self, ahead: &Ahead, z: &[f64]) -> f64 {
        match z.first() {
            // Round-off in the gap must not close a pair that has just separated. At a larger depth it is in contact: a brief
            // contact may be detected only after its closing phase.
            Some(&OPEN) if ahead.rate > 0.0 && ahead.gap > -LETS_GO * self.smaller() => {
                ahead.gap.max(f64::MIN_POSITIVE)
            }
            Some(&OPEN) => ahead.gap,
            Some(&TOUCHING | &SPENT) => LETS_GO * self.smaller() - ahead.gap,
            _ => -1.0,
        }
    }

    /// Reset guard of the energy: it falls through zero when the ledger is empty, or when it starts to fill again.
    fn account_alarm(&self, at: &View) -> f64 {
        match *at.z {
            // The tolerance prevents an early release by round-off in the ledger when the surfaces separate.
            [TOUCHING, energy] => energy + self.negligible(),
            [SPENT, ..] => -self.power(at),
            _ => 1.0,
        }
    }

    /// Energy of a depth that is negligible for step-size control.
    fn negligible(&self) -> f64 {
        self.law.energy(NEARLY_APART * self.thinner()).max(f64::MIN_POSITIVE)
    }

    /// Whether a change of the state closes the contact (`true`) or opens it.
    pub(crate) fn closes(before: &[f64], after: &[f64]) -> Option<bool> {
        match (before.first(), after.first()) {
            (Some(&OPEN), Some(&TOUCHING)) => Some(true),
            (Some(&TOUCHING | &SPENT), Some(&OPEN)) => Some(false),
            _ => None,
        }
    }

    /// The longest step, s, that resolves the depth of a touching pair; none if it does not touch.
    pub(crate) fn longest(&self, at: &View) -> Option<f64> {
        if at.z.first() != Some(&TOUCHING) {
            return None;
        }
        let [a, b] = &self.solids;
        let turning = |s: &Solid, k: usize| if s.core().is_finite() { s.whole() * at[k].w.norm() } else { 0.0 };
        let speed = (at[1].v - at[0].v).norm() + turning(a, 0) + turning(b, 1);
        let through = DEPTH_OF_A_STEP * self.thinner() / speed;
        // The force is not smooth where the surfaces separate: a step must end there.
        let ahead = self.ahead(at);
        let parts = ahead.gap < -NEARLY_APART * self.smaller() && ahead.rate > 0.0;
        let parting = if parts { -ahead.gap / ahead.rate } else { f64::INFINITY };
        // A brief contact ends when the closing velocity changes sign: the first step must not go beyond.
        let glances = ahead.gap.abs() <= NEARLY_APART * self.smaller() && -ahead.rate > NEARLY_APART.sqrt() * speed;
        let glance = if glances { -ahead.rate * self.smaller() / (4.0 * speed * speed) } else { f64::INFINITY };
        Some(through.min(parting).min(glance)).filter(|h| h.is_finite())
    }

    fn thinner(&self) -> f64 {
        let [a, b] = &self.solids;
        a.thickness().min(b.thickness())
    }

    fn smaller(&self) -> f64 {
        let [a, b] = &self.solids;
        a.reach().min(b.reach())
    }

    fn touches(&self, at: &View) -> Vec<Touch> {
        let mut found = Vec::new();
        if at.z.first().is_some_and(|z| [OPEN, SPENT].contains(z)) {
            return found;
        }
        self.overlaps(at, &mut found);
        found
    }

    fn overlaps(&self, at: &View, found: &mut Vec<Touch>) {
        let [a, b] = &self.solids;
        touch(a, &Pose::from(&at[0]), b, &Pose::from(&at[1]), 0.0, found);
    }

    /// Energy of the present depths, whether or not forces act there.
    fn by_depth(&self, at: &View) -> f64 {
        let mut found = Vec::new();
        self.overlaps(at, &mut found);
        found.iter().map(|t| self.law.energy(-t.gap)).sum()
    }

    /// Power that elastic forces would store at the present depths, whether or not they act.
    fn power(&self, at: &View) -> f64 {
        let mut found = Vec::new();
        self.overlaps(at, &mut found);
        found.iter().map(|touch| self.press(at, touch)).map(|p| p.elastic * p.rate).sum()
    }

    fn press(&self, at: &View, touch: &Touch) -> Pressed {
        let (p, n) = ((touch.point_a + touch.point_b) * 0.5, touch.normal);
        let carried = |k: usize| at[k].v + at[k].w.cross(&(p - at[k].p));
        let u = carried(1) - carried(0);
        let rate = -n.dot(&u);
        let slip = u + n * rate;
        let (elastic, normal) = self.law.normal(-touch.gap, rate);
        let speed = slip.norm();
        let friction = if speed > 0.0 { slip * (-self.law.coefficient(speed) * normal / speed) } else { Vec3::zeros() };
        Pressed { elastic, normal, rate, friction, slip, at: p, n }
    }
}

impl Force for CompliantPair {
    fn markers(&self) -> Vec<Reference<'_>> {
        vec![Reference::frame(&self.a), Reference::frame(&self.b)]
    }

    fn check(&self) -> Result<(), Fault> {
        self.law.check()
    }

    fn apply(&self, at: &View, on: &mut [Wrench]) {
        on.fill(Wrench::ZERO);
        for touch in self.touches(at) {
            let pressed = self.press(at, &touch);
            let f = pressed.n * pressed.normal + pressed.friction;
            for (k, sense) in [(0, -1.0), (1, 1.0)] {
                let f = f * sense;
                on[k].add(1.0, &Wrench { f, m: (pressed.at - at[k].p).cross(&f) });
            }
        }
    }

    fn tangent(&self, at: &View, pose: &mut [Matrix6<f64>], twist: &mut [Matrix6<f64>]) -> Known {
        self.slopes(at, pose, twist)
    }

    fn potential(&self, at: &View) -> f64 {
        match *at.z {
            [OPEN | SPENT, ..] => 0.0,
            [TOUCHING, energy] => energy,
            _ => self.by_depth(at),
        }
    }

    fn work_rate(&self, at: &View, _: &[Wrench]) -> f64 {
        let lost = |touch: &Touch| {
            let p = self.press(at, touch);
            -(p.normal - p.elastic) * p.rate + p.friction.dot(&p.slip)
        };
        self.touches(at).iter().map(lost).sum()
    }

    fn conserves(&self) -> Conservation {
        if self.law.dissipation == 0.0 && self.law.friction == Friction::NONE {
            Conservation::Conservative
        } else {
            Conservation::Open
        }
    }
}

impl ExtraStates for CompliantPair {
    fn states(&self) -> usize {
        match self.stored {
            Stored::ByDepth => 1,
            Stored::ByAccount => 2,
        }
    }

    fn settle(&self, _: &View, z: &mut [f64]) {
        z.fill(ANEW);
    }
    fn states_rate(&self, at: &View, zdot: &mut [f64]) {
        zdot.fill(0.0);
        if let (Some(rate), Some(&TOUCHING)) = (zdot.get_mut(ACCOUNT), at.z.first()) {
            *rate = self.power(at);
        }
    }

    fn alarms(&self) -> usize {
        self.states()
    }
    fn alarm(&self, at: &View, i: usize) -> f64 {
        if i == GAP { self.alarm_of(&self.ahead(at), at.z) } else { self.account_alarm(at) }
    }

    fn ring(&self, at: &View, i: usize, z: &mut [f64]) {
        let now = match (i, at.z.first()) {
            (ACCOUNT, Some(&TOUCHING)) => [SPENT, 0.0],
            // Loaded again, it takes the energy of the depths, so that a body at rest does not switch on and off forever.
            (ACCOUNT, _) => [TOUCHING, self.by_depth(at)],
            (_, Some(&OPEN)) => [TOUCHING, 0.0],
            (_, Some(&TOUCHING | &SPENT)) => [OPEN, 0.0],
            _ if self.ahead(at).gap > 0.0 => [OPEN, 0.0],
            _ => [TOUCHING, self.by_depth(at)],
        };
        z.iter_mut().zip(now).for_each(|(z, new)| *z = new);
    }
}

impl NonSmooth for CompliantPair {}
