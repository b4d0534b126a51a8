//! Gaps and one-way couplings along a prescribed motion.
//!
//! Contacts, stops and ropes cannot change a fully prescribed motion. If a gap would become negative, drivers and gap contradict each
//! other, and the motion stops there. So do a motion and a coupling whose force against it has no bound, as that of a one-way clutch.

use super::continuation::move_to_time;
use crate::contacts::{GapState, SearchRange};
use crate::kinematics::ElementInput;
use crate::laws::ConstraintLaw;
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::{ConstraintEntry, Model};
use crate::motion::Vec3;
use crate::simulation::position_newton::PositionNewton;
use crate::solvers::contact_features::for_each_open_contact;
use crate::state::{ConstraintMode, State};

/// Gap that counts as closed, relative to the size of the coordinates.
const CLOSED_GAP_TOLERANCE: f64 = 1e-9;
/// Rate against a one-way coupling that counts as motion, relative to 1 + the largest velocity.
const OPPOSED_RATE: f64 = 1e-9;
/// Most bisections for the time at which a gap closes.
const MAX_BISECTIONS: usize = 60;

/// The gaps of a model.
#[derive(Debug)]
pub(super) struct Gaps {
    constraints: Vec<usize>,
    open: Vec<ConstraintMode>,
}

/// A gap that would become negative, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Obstruction {
    pub constraint: usize,
    pub t: f64,
}

impl Gaps {
    pub fn of(model: &Model) -> Gaps {
        let is_gap = |c: &usize| matches!(model.constraints[*c].law, ConstraintLaw::Unilateral(_));
        let constraints = (0..model.constraints.len()).filter(is_gap).collect();
        Gaps { constraints, open: vec![ConstraintMode::Idle; model.constraints.len()] }
    }

    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }

    /// All gaps and their rates at the pose evaluated last.
    pub fn sample(&self, newton: &PositionNewton, state: &State) -> Vec<GapState> {
        let (model, loose) = (newton.model, &newton.eq.inactive);
        let own = |c: &usize| {
            let first = model.constraints[*c].rows.start;
            GapState { gap: loose.phi[first], rate: loose.rate[first], normal: Vec3::zeros() }
        };
        let mut gaps: Vec<GapState> = self.constraints.iter().map(own).collect();
        for_each_open_contact(
            model,
            state.t,
            &newton.scene.motions,
            &self.open,
            &state.z,
            SearchRange::Near,
            |c, seen| {
                if let Ok(k) = self.constraints.binary_search(&c) {
                    gaps[k] = seen;
                }
            },
        );
        gaps
    }

    /// The most negative of these gaps, if any overlaps.
    fn deepest_overlap(&self, gaps: &[GapState], size: f64) -> Option<usize> {
        let k = (0..gaps.len()).min_by(|a, b| gaps[*a].gap.total_cmp(&gaps[*b].gap))?;
        (gaps[k].gap < -CLOSED_GAP_TOLERANCE * size).then_some(k)
    }

    /// The first gap that becomes negative between two poses. A local minimum in between shows as a rate that changes its sign.
    pub fn first_overlap(&self, newton: &mut PositionNewton, from: &State, to: &State) -> Option<Obstruction> {
        if self.is_empty() {
            return None;
        }
        let size = 1.0 + to.q.iter().fold(0.0_f64, |a, q| a.max(q.abs()));
        newton.evaluate(from);
        let before = self.sample(newton, from);
        newton.evaluate(to);
        let after = self.sample(newton, to);
        let mut bad = self.deepest_overlap(&after, size).map(|k| (k, to.clone()));
        if bad.is_none() {
            for k in (0..after.len()).filter(|k| before[*k].rate < 0.0 && after[*k].rate > 0.0) {
                let lowest = self.local_minimum(newton, from, to, k);
                newton.evaluate(&lowest);
                if self.sample(newton, &lowest)[k].gap < -CLOSED_GAP_TOLERANCE * size {
                    bad = Some((k, lowest));
                    break;
                }
            }
        }
        let (k, beyond) = bad?;
        let t = self.closing_time(newton, from, &beyond, k);
        Some(Obstruction { constraint: self.constraints[k], t })
    }

    /// A gap that is closed at a pose and would become negative at once.
    pub fn closing_gap(&self, newton: &mut PositionNewton, state: &State) -> Option<Obstruction> {
        if self.is_empty() {
            return None;
        }
        let placed = newton.evaluate(state);
        let gaps = self.sample(newton, state);
        let closing = |k: &usize| {
            gaps[*k].gap <= CLOSED_GAP_TOLERANCE * placed.size && gaps[*k].rate < -CLOSED_GAP_TOLERANCE * placed.speed
        };
        let k = (0..gaps.len()).find(closing)?;
        Some(Obstruction { constraint: self.constraints[k], t: state.t })
    }

    /// The pose between two others at which the rate of a gap vanishes.
    fn local_minimum(&self, newton: &mut PositionNewton, from: &State, to: &State, k: usize) -> State {
        last_pose(newton, from, to.t, |newton, at| self.sample(newton, at)[k].rate < 0.0).0
    }

    /// The time at which a gap closes on the way to a pose with overlap.
    fn closing_time(&self, newton: &mut PositionNewton, from: &State, beyond: &State, k: usize) -> f64 {
        last_pose(newton, from, beyond.t, |newton, at| self.sample(newton, at)[k].gap > 0.0).1
    }
}

/// The coupling that opposes the motion with a force without bound on the way to a pose, and from when on.
pub(super) fn first_opposed(newton: &mut PositionNewton, from: &State, to: &State) -> Option<Obstruction> {
    let frictional = |c: &ConstraintEntry| c.law == ConstraintLaw::Frictional;
    if !newton.model.constraints.iter().any(frictional) {
        return None;
    }
    newton.evaluate(to);
    let constraint = (0..newton.model.constraints.len()).find(|c| is_opposed(newton, to, *c))?;
    let (_, t) = last_pose(newton, from, to.t, |newton, at| !is_opposed(newton, at, constraint));
    Some(Obstruction { constraint, t })
}

/// Whether a coupling opposes the rate at the pose evaluated last with a force without bound.
fn is_opposed(newton: &PositionNewton, state: &State, constraint: usize) -> bool {
    let c = &newton.model.constraints[constraint];
    if c.law != ConstraintLaw::Frictional {
        return false;
    }
    let motions = &newton.scene.motions;
    let at = ElementInput { t: state.t, motions, markers: &c.markers, z: &state.z[c.z.clone()] };
    let [lower, upper] = c.kind.constraint().friction_bound(&at).sticking;
    let rate = newton.eq.inactive.rate[c.rows.start];
    let least = OPPOSED_RATE * (1.0 + largest_magnitude(&state.v).0);
    (upper == f64::INFINITY && rate < -least) || (lower == f64::NEG_INFINITY && rate > least)
}

/// The last pose from one pose to a time for which a condition holds, and the next time, for which it does not.
fn last_pose(
    newton: &mut PositionNewton,
    from: &State,
    end: f64,
    holds: impl Fn(&PositionNewton, &State) -> bool,
) -> (State, f64) {
    let (mut low, mut high) = (from.clone(), end);
    for _ in 0..MAX_BISECTIONS {
        let middle = 0.5 * (low.t + high);
        let mut at = low.clone();
        if middle <= low.t || middle >= high || move_to_time(newton, &mut at, middle).is_err() {
            break;
        }
        newton.evaluate(&at);
        if holds(newton, &at) { low = at } else { high = middle }
    }
    (low, high)
}
