//! Gaps along a prescribed motion.
//!
//! Contacts, stops and ropes cannot change a fully prescribed motion. If a gap would become negative, drivers and gap contradict each
//! other, and the motion stops there.

use super::follow::stand;
use crate::contacts::{Ahead, Range};
use crate::laws::Law;
use crate::model::Model;
use crate::motion::Vec3;
use crate::simulation::newton::Newton;
use crate::solvers::contact_features::ahead;
use crate::state::{Mode, State};

/// Gap that counts as closed, relative to the size of the coordinates.
const CLOSED: f64 = 1e-9;
/// Most bisections for the time at which a gap closes.
const HALVINGS: usize = 60;

/// The gaps of a model.
#[derive(Debug)]
pub(super) struct Gaps {
    constraints: Vec<usize>,
    open: Vec<Mode>,
}

/// A gap that would become negative, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contradiction {
    pub constraint: usize,
    pub t: f64,
}

impl Gaps {
    pub fn of(model: &Model) -> Gaps {
        let is_gap = |c: &usize| matches!(model.constraints[*c].law, Law::Unilateral(_));
        let constraints = (0..model.constraints.len()).filter(is_gap).collect();
        Gaps { constraints, open: vec![Mode::Idle; model.constraints.len()] }
    }

    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }

    /// All gaps and their rates at the pose evaluated last.
    pub fn look(&self, newton: &Newton, state: &State) -> Vec<Ahead> {
        let (model, loose) = (newton.model, &newton.eq.loose);
        let own = |c: &usize| {
            let first = model.constraints[*c].rows.start;
            Ahead { gap: loose.phi[first], rate: loose.rate[first], normal: Vec3::zeros() }
        };
        let mut gaps: Vec<Ahead> = self.constraints.iter().map(own).collect();
        ahead(model, state.t, &newton.scene.motions, &self.open, &state.z, Range::Near, |c, seen| {
            if let Ok(k) = self.constraints.binary_search(&c) {
                gaps[k] = seen;
            }
        });
        gaps
    }

    /// The most negative of these gaps, if any overlaps.
    fn deepest(&self, gaps: &[Ahead], size: f64) -> Option<usize> {
        let k = (0..gaps.len()).min_by(|a, b| gaps[*a].gap.total_cmp(&gaps[*b].gap))?;
        (gaps[k].gap < -CLOSED * size).then_some(k)
    }

    /// The first gap that becomes negative between two poses. A local minimum in between shows as a rate that changes its sign.
    pub fn check(&self, newton: &mut Newton, from: &State, to: &State) -> Option<Contradiction> {
        if self.is_empty() {
            return None;
        }
        let size = 1.0 + to.q.iter().fold(0.0_f64, |a, q| a.max(q.abs()));
        newton.place(from);
        let before = self.look(newton, from);
        newton.place(to);
        let after = self.look(newton, to);
        let mut bad = self.deepest(&after, size).map(|k| (k, to.clone()));
        if bad.is_none() {
            for k in (0..after.len()).filter(|k| before[*k].rate < 0.0 && after[*k].rate > 0.0) {
                let lowest = self.lowest(newton, from, to, k);
                newton.place(&lowest);
                if self.look(newton, &lowest)[k].gap < -CLOSED * size {
                    bad = Some((k, lowest));
                    break;
                }
            }
        }
        let (k, beyond) = bad?;
        let t = self.closing(newton, from, &beyond, k);
        Some(Contradiction { constraint: self.constraints[k], t })
    }

    /// A gap that is closed at a pose and would become negative at once.
    pub fn about_to_close(&self, newton: &mut Newton, state: &State) -> Option<Contradiction> {
        if self.is_empty() {
            return None;
        }
        let placed = newton.place(state);
        let gaps = self.look(newton, state);
        let closing = |k: &usize| gaps[*k].gap <= CLOSED * placed.size && gaps[*k].rate < -CLOSED * placed.speed;
        let k = (0..gaps.len()).find(closing)?;
        Some(Contradiction { constraint: self.constraints[k], t: state.t })
    }

    /// The pose between two others at which the rate of a gap vanishes.
    fn lowest(&self, newton: &mut Newton, from: &State, to: &State, k: usize) -> State {
        let (mut low, mut high) = (from.clone(), to.t);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low.t + high);
            let mut at = low.clone();
            if middle <= low.t || middle >= high || stand(newton, &mut at, middle).is_err() {
                break;
            }
            newton.place(&at);
            if self.look(newton, &at)[k].rate < 0.0 { low = at } else { high = middle }
        }
        low
    }

    /// The time at which a gap closes on the way to a pose with overlap.
    fn closing(&self, newton: &mut Newton, from: &State, beyond: &State, k: usize) -> f64 {
        let (mut low, mut high) = (from.clone(), beyond.t);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low.t + high);
            let mut at = low.clone();
            if middle <= low.t || middle >= high || stand(newton, &mut at, middle).is_err() {
                break;
            }
            newton.place(&at);
            if self.look(newton, &at)[k].gap > 0.0 { low = at } else { high = middle }
        }
        high
    }
}
