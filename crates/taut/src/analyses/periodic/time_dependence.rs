//! Whether the elements repeat after a period: their equations at one state, now and one period later.

use super::error::PeriodicError;
use crate::constraints::ElementInput;
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates};
use crate::model::Model;
use crate::motion::Wrench;
use crate::state::State;

/// Relative difference that counts as zero.
const TOLERANCE: f64 = 1e-8;
/// Round-off of values relative to the largest of all elements.
const ROUND_OFF: f64 = 1e-12;
/// Distance from a switch, in periods, within which a time is not examined.
const BESIDE_SWITCH: f64 = 1e-9;
/// Times at which a state is examined, in periods after its own. No small multiple is whole: an element that repeats many times within
/// the period would vanish at all of them, or at none.
const EXAMINED: [f64; 6] = [0.0, 0.131_408_721, 0.287_131_943, 0.452_718_283, 0.671_828_181, 0.883_141_593];

/// An element that differs.
struct Difference {
    element: String,
    t: f64,
    fraction: f64,
}

/// The equations of one state at two times.
struct Examined<'s> {
    state: &'s State,
    times: [f64; 2],
    scene: MarkerKinematics,
    equations: [Equations; 2],
}

/// Values of an element at both times, for every examined state.
struct Compared(Vec<(f64, [Vec<f64>; 2])>);

impl Compared {
    /// The largest value.
    fn size(&self) -> f64 {
        let all = self.0.iter().flat_map(|(_, [a, b])| a.iter().chain(b));
        all.fold(0.0_f64, |m, x| m.max(x.abs()))
    }

    /// The largest difference relative to the largest value, if it counts beside values of other elements of size `others`.
    fn difference(&self, element: &str, others: f64) -> Option<Difference> {
        let size = self.size();
        let apart = |[a, b]: &[Vec<f64>; 2]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        let (t, most) = self.0.iter().map(|(t, pair)| (*t, apart(pair))).max_by(|a, b| a.1.total_cmp(&b.1))?;
        let counts = most > TOLERANCE * size + ROUND_OFF * others;
        counts.then(|| Difference { element: element.to_string(), t, fraction: most / size })
    }
}

/// The first element whose equations at these states differ after the time `shift`.
fn first_difference(model: &Model, states: &[&State], period: f64, shift: f64) -> Option<Difference> {
    // One state is examined at several times: its equations only serve to show how elements depend on time.
    // At an instant at which an input switches, round-off decides which side counts.
    let beside = BESIDE_SWITCH * period;
    let is_smooth = |t: f64| [t, t + shift].iter().all(|t| model.next_break(t - beside, t + beside).is_none());
    let examined = |state: &State| -> Vec<f64> {
        let all = EXAMINED.iter().map(|fraction| state.t + fraction * period);
        all.filter(|t| is_smooth(*t)).collect()
    };
    let at = |state: &State, t: f64| {
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        let view = StateView { t, ..StateView::from(state) };
        assemble_positions(model, view, &mut scene, &mut eq);
        assemble_rates(model, view, &mut scene, &mut eq);
        (scene, eq)
    };
    let mut all: Vec<Examined> = Vec::new();
    for state in states {
        for t in examined(state) {
            let ((scene, now), (_, later)) = (at(state, t), at(state, t + shift));
            all.push(Examined { state, times: [t, t + shift], scene, equations: [now, later] });
        }
    }
    let compared = |of: &dyn Fn(&Examined, usize) -> Vec<f64>| {
        Compared(all.iter().map(|e| (e.times[0], [of(e, 0), of(e, 1)])).collect())
    };
    for f in &model.forces {
        let wrenches = compared(&|e, k| {
            let mut on = vec![Wrench::ZERO; f.markers.len()];
            let (t, z) = (e.times[k], &e.state.z[f.z.clone()]);
            let view = ElementInput { t, motions: &e.scene.motions, markers: &f.markers, z };
            f.kind.force().apply(&view, &mut on);
            on.iter().flat_map(|w| [w.f.x, w.f.y, w.f.z, w.m.x, w.m.y, w.m.z]).collect()
        });
        let rates = compared(&|e, k| e.equations[k].zdot[f.z.clone()].to_vec());
        if let Some(found) = wrenches.difference(&f.name, 0.0).or_else(|| rates.difference(&f.name, 0.0)) {
            return Some(found);
        }
    }
    // The terms of b may cancel: what they leave in one constraint is round-off of those in others.
    let largest_b = compared(&|e, k| e.equations[k].b.clone()).size();
    for c in &model.constraints {
        let rates = compared(&|e, k| e.equations[k].phi_t[c.rows.clone()].to_vec());
        let accelerations = compared(&|e, k| e.equations[k].b[c.rows.clone()].to_vec());
        if let Some(found) = rates.difference(&c.name, 0.0).or_else(|| accelerations.difference(&c.name, largest_b)) {
            return Some(found);
        }
    }
    None
}

/// The error for elements that do not have the period.
pub(super) fn check_period(model: &Model, states: &[&State], period: f64) -> Result<(), PeriodicError> {
    match first_difference(model, states, period, period) {
        Some(Difference { element, t, fraction }) => Err(PeriodicError::NotPeriodic { element, period, t, fraction }),
        None => Ok(()),
    }
}

/// The error for elements that depend on time.
pub(super) fn check_autonomous(model: &Model, states: &[&State], period: f64) -> Result<(), PeriodicError> {
    for fraction in [0.381_966, 1.237_11] {
        if let Some(Difference { element, .. }) = first_difference(model, states, period, fraction * period) {
            return Err(PeriodicError::NotAutonomous { element });
        }
    }
    Ok(())
}
