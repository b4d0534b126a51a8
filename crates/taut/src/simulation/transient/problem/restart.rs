//! Where the equations change their form: at known times (breaks), and at zeros of functions of the motion (guards).
//!
//! ```text
//!  A v⁻ + φ_t⁺ ≠ 0    a prescribed velocity has jumped:  M (v⁺ − v⁻) = Aᵀ Λ,  A v⁺ = −φ_t⁺
//!  T⁺ − T⁻ = ½ Λᵀ A (v⁺ + v⁻)                           the work of the drivers, found from their impulses
//! ```
//!
//! Contact modes are decided again on the other side, as after any other jump. A stop or rope whose prescribed place jumps into
//! a body is refused like any other position that jumps.

use super::manifold::StateOrigin;
use super::{TransientProblem, split_state};
use crate::GuardedElement;
use crate::audit::switching::{IntervalEnd, RestartProgress};
use crate::breaks::GuardKind;
use crate::constraints::ElementInput;
use crate::equations::MarkerKinematics;
use crate::events::{EventKind, EventRecord};
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::Model;
use crate::simulation::transient::diagnosis;
use crate::solution::{Cause, Outcome};
use crate::state::ConstraintMode;
use taut_ode::{Break, EventResponse, StateEdit};

/// Jump of |φ| at a break, relative to 1 + the size of the coordinates, above which a prescribed position has jumped.
pub(super) const POSITION_JUMP_TOLERANCE: f64 = 1e-8;
/// Jump of |φ̇| at a break, relative to 1 + the largest velocity, above which a prescribed velocity has jumped.
const VELOCITY_JUMP_TOLERANCE: f64 = 1e-10;

/// The guards of a model during a run.
#[derive(Debug)]
pub(super) struct ModelGuards {
    owners: Vec<(GuardedElement, usize)>,
}

impl ModelGuards {
    pub fn new(model: &Model) -> ModelGuards {
        let each = |(owner, count): (GuardedElement, usize)| (0..count).map(move |i| (owner, i));
        ModelGuards { owners: model.guarded_elements().into_iter().flat_map(each).collect() }
    }

    pub fn count(&self) -> usize {
        self.owners.len()
    }

    pub fn kind(&self, model: &Model, index: usize) -> GuardKind {
        let (owner, i) = self.owners[index];
        match owner {
            GuardedElement::Force(f) => model.forces[f].kind.force().guard_kind(i),
            GuardedElement::Constraint(c) => model.constraints[c].kind.constraint().guard_kind(i),
        }
    }

    /// All guards at the state of the scene.
    pub fn values(&self, model: &Model, scene: &MarkerKinematics, t: f64, z: &[f64], g: &mut [f64]) {
        let motions = &scene.motions;
        for ((owner, i), g) in self.owners.iter().zip(g) {
            *g = match *owner {
                GuardedElement::Force(f) => {
                    let entry = &model.forces[f];
                    let view = ElementInput { t, motions, markers: &entry.markers, z: &z[entry.z.clone()] };
                    entry.kind.force().guard(&view, *i)
                }
                GuardedElement::Constraint(c) => {
                    let entry = &model.constraints[c];
                    let view = ElementInput { t, motions, markers: &entry.markers, z: &z[entry.z.clone()] };
                    entry.kind.constraint().guard(&view, *i)
                }
            };
        }
    }

    /// Index and constraint of each guard that switches a constraint.
    pub fn switches_of_constraints(&self, model: &Model) -> impl Iterator<Item = (usize, usize)> {
        self.owners.iter().enumerate().filter_map(move |(index, (owner, i))| match *owner {
            GuardedElement::Constraint(c) => {
                let kind = model.constraints[c].kind.constraint().guard_kind(*i);
                (kind == GuardKind::Switch).then_some((index, c))
            }
            GuardedElement::Force(_) => None,
        })
    }

    pub fn owner<'m>(&self, model: &'m Model, index: usize) -> &'m str {
        match self.owners[index].0 {
            GuardedElement::Force(f) => &model.forces[f].name,
            GuardedElement::Constraint(c) => &model.constraints[c].name,
        }
    }
}

impl TransientProblem<'_> {
    /// The first break at `t` or later.
    pub(crate) fn find_break(&mut self, t: f64) -> Option<Break> {
        let search = self.breaks.as_mut()?;
        let next = search.next(self.dynamics.model, t);
        if !search.incomplete().is_empty() {
            let names = search.incomplete().join("`, `");
            self.log.warn_once(t, "some times at which inputs change abruptly are not known", || {
                format!(": those of `{names}` are too many or too hard to find; limit the step (`max_step`) below the time between them")
            });
        }
        next
    }

    /// Crosses a break, at which the time and prescribed motions may jump.
    pub(super) fn cross_break(&mut self, from: f64, to: f64, y: &mut [f64]) -> StateEdit {
        if self.log.audit.switching.followed.since.is_some() {
            self.follow_errors(from, to, y, IntervalEnd::Smooth);
        }
        let model = self.dynamics.model;
        let before = self.evaluate_bilateral(from, y);
        let gaps = self.eq.inactive.phi.clone();
        let stored = self.potential_energy(from, y);
        let after = self.evaluate_bilateral(to, y);
        let mut jump: Vec<f64> = after.iter().zip(&before).map(|(after, before)| after - before).collect();
        for c in (0..model.constraints.len()).filter(|c| model.constraints[*c].law.has_gap()) {
            let entry = &model.constraints[c];
            let (row, gap) = (entry.rows.start, self.eq.inactive.phi[entry.rows.start]);
            let change = gap - gaps[row];
            if change > POSITION_JUMP_TOLERANCE && self.dynamics.modes[c] != ConstraintMode::Idle {
                self.dynamics.modes[c] = ConstraintMode::Idle;
                self.log.events.push(EventRecord::new(&entry.name, c, to, EventKind::Opens));
            } else if change < 0.0 && gap < -model.contact_scale.missed_overlap() {
                jump[row] = change;
            }
        }
        let size = 1.0 + largest_magnitude(&y[..model.sizes.q]).0;
        let (residual, row) = largest_magnitude(&jump);
        if residual.is_nan() {
            self.own_outcome =
                Some(Outcome::NotFinite { t: from, cause: diagnosis::not_finite(&self.dynamics, to, y) });
            return StateEdit::Stop;
        }
        if residual > POSITION_JUMP_TOLERANCE * size {
            let cause = Cause::Constraint { row: model.row_name(row), residual };
            self.own_outcome = Some(Outcome::PositionJump { t: from, cause });
            return StateEdit::Stop;
        }
        let speed = 1.0 + largest_magnitude(&y[model.sizes.q..model.sizes.q + model.sizes.v]).0;
        let jolted = largest_magnitude(&self.eq.phidot).0 > VELOCITY_JUMP_TOLERANCE * speed;
        if jolted {
            self.apply_driver_impulses(to, y, VELOCITY_JUMP_TOLERANCE * speed);
        }
        self.jump_work += self.potential_energy(to, y) - stored;
        self.start_step_at(to, y);
        if !self.contact_switches.watched().is_empty() {
            return edit_after(self.restart_behind_break(to, y));
        }
        if !jolted {
            return StateEdit::Unchanged;
        }
        // If the projection fails, the next step is rejected.
        _ = self.return_to_manifold(to, y, StateOrigin::Elsewhere);
        self.jumped_at = Some(to);
        StateEdit::Jumped
    }

    /// Continues after the zero of a guard.
    pub(super) fn cross_guard(&mut self, index: usize, t: f64, y: &mut [f64]) -> StateEdit {
        self.start_step_at(t, y);
        let slides = self.slides_on_guard(index, t, y);
        if self.log.audit.switching.count_restart(t, slides) == RestartProgress::Stuck {
            let name = self.guarding.owner(self.dynamics.model, index).to_string();
            self.own_outcome = Some(Outcome::Switching { t, name });
            return StateEdit::Stop;
        }
        self.audit_switch(index, t, y);
        if self.contact_switches.watched().is_empty() {
            return StateEdit::Unchanged;
        }
        edit_after(self.restart_with_new_modes(t, y))
    }

    /// Applies the velocity jump that the drivers prescribe, with its work and an event for each driver.
    pub(super) fn apply_driver_impulses(&mut self, t: f64, y: &mut [f64], least: f64) {
        let model = self.dynamics.model;
        let v = model.sizes.q..model.sizes.q + model.sizes.v;
        let (mut before, mut after) = (vec![0.0; model.rows.len()], vec![0.0; model.rows.len()]);
        self.eq.jacobian_times(&y[v.clone()], &mut before);
        let jolt = self.apply_velocity_jump(t, y, None);
        self.eq.jacobian_times(&y[v], &mut after);
        let rates = before.iter().zip(&after).map(|(before, after)| 0.5 * (before + after));
        self.jump_work += jolt.impulse.iter().zip(rates).map(|(impulse, rate)| impulse * rate).sum::<f64>();
        for (c, entry) in model.constraints.iter().enumerate() {
            if largest_magnitude(&jolt.rate[entry.rows.clone()]).0 > least {
                let impulse = jolt.impulse[entry.rows.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
                let reported = EventRecord::new(&entry.name, c, t, EventKind::VelocityJump);
                self.log.events.push(EventRecord { impulse, ..reported });
            }
        }
    }

    /// Potential energy of y.
    fn potential_energy(&mut self, t: f64, y: &[f64]) -> f64 {
        let (q, v, z) = split_state(self.dynamics.model, y);
        self.dynamics.assemble_positions(t, q, v, z);
        self.dynamics.energy(q, v, z, t).1
    }
}

/// What a decision about contact modes does to the state.
fn edit_after(decided: EventResponse) -> StateEdit {
    match decided {
        EventResponse::Stop | EventResponse::JumpAndStop => StateEdit::Stop,
        EventResponse::Jump | EventResponse::Continue => StateEdit::Jumped,
    }
}
