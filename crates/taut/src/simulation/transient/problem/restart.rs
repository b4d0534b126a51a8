//! Where the equations change their form: at known times (breaks), and at zeros of functions of the motion (guards).
//!
//! ```text
//!  A v⁻ + φ_t⁺ ≠ 0    a prescribed velocity has jumped:  M (v⁺ − v⁻) = Aᵀ Λ,  A v⁺ = −φ_t⁺
//!  T⁺ − T⁻ = ½ Λᵀ A (v⁺ + v⁻)                           the work of the drivers, found from their impulses
//! ```
//!
//! Contact modes are decided again on the other side, as after any other jump.

use super::manifold::From;
use super::{Problem, parts};
use crate::Guarded;
use crate::audit::switching::Progress;
use crate::breaks::GuardKind;
use crate::constraints::View;
use crate::equations::Scene;
use crate::events::{Happening, Occurrence};
use crate::model::Model;
use crate::simulation::transient::diagnosis;
use crate::solution::{Blame, Outcome, worst};
use taut_ode::{Action, Break, Edit};

/// Jump of |φ| at a break, relative to 1 + the size of the coordinates, above which a prescribed position has jumped.
const APART: f64 = 1e-8;
/// Jump of |φ̇| at a break, relative to 1 + the largest velocity, above which a prescribed velocity has jumped.
const JOLTED: f64 = 1e-10;

/// The guards of a model during a run.
#[derive(Debug)]
pub(super) struct Guarding {
    owners: Vec<(Guarded, usize)>,
}

impl Guarding {
    pub fn new(model: &Model) -> Guarding {
        let each = |(owner, count): (Guarded, usize)| (0..count).map(move |i| (owner, i));
        Guarding { owners: model.guarded().into_iter().flat_map(each).collect() }
    }

    pub fn count(&self) -> usize {
        self.owners.len()
    }

    pub fn kind(&self, model: &Model, index: usize) -> GuardKind {
        let (owner, i) = self.owners[index];
        match owner {
            Guarded::Force(f) => model.forces[f].kind.force().guard_kind(i),
            Guarded::Constraint(c) => model.constraints[c].kind.constraint().guard_kind(i),
        }
    }

    /// All guards at the state of the scene.
    pub fn values(&self, model: &Model, scene: &Scene, t: f64, z: &[f64], g: &mut [f64]) {
        let motions = &scene.motions;
        for ((owner, i), g) in self.owners.iter().zip(g) {
            *g = match *owner {
                Guarded::Force(f) => {
                    let entry = &model.forces[f];
                    let view = View { t, motions, ids: &entry.markers, z: &z[entry.z.clone()] };
                    entry.kind.force().guard(&view, *i)
                }
                Guarded::Constraint(c) => {
                    let entry = &model.constraints[c];
                    let view = View { t, motions, ids: &entry.markers, z: &z[entry.z.clone()] };
                    entry.kind.constraint().guard(&view, *i)
                }
            };
        }
    }

    pub fn owner<'m>(&self, model: &'m Model, index: usize) -> &'m str {
        match self.owners[index].0 {
            Guarded::Force(f) => &model.forces[f].name,
            Guarded::Constraint(c) => &model.constraints[c].name,
        }
    }
}

impl Problem<'_> {
    /// The first break at `t` or later.
    pub(super) fn find_break(&mut self, t: f64) -> Option<Break> {
        let search = self.breaks.as_mut()?;
        let next = search.next(self.dynamics.model, t);
        if !search.incomplete().is_empty() {
            let names = search.incomplete().join("`, `");
            self.log.warn_once(t, "not all times are known at which inputs change abruptly", || {
                format!(": those of `{names}` are too many or too hard to find; limit the step (`max_step`) below the time between them")
            });
        }
        next
    }

    /// Crosses a break, at which the time and prescribed motions may jump.
    pub(super) fn pass_break(&mut self, from: f64, to: f64, y: &mut [f64]) -> Edit {
        let model = self.dynamics.model;
        (self.t_step, self.t_begin) = (to, to);
        let before = self.place_bare(from, y);
        let stored = self.potential_of(from, y);
        let after = self.place_bare(to, y);
        let jump: Vec<f64> = after.iter().zip(&before).map(|(after, before)| after - before).collect();
        let size = 1.0 + worst(&y[..model.sizes.q]).0;
        let (residual, row) = worst(&jump);
        if residual.is_nan() {
            self.ending = Some(Outcome::NotFinite { t: from, blame: diagnosis::not_finite(&self.dynamics, to, y) });
            return Edit::Stop;
        }
        if residual > APART * size {
            let blame = Blame::Constraint { row: model.row_name(row), residual };
            self.ending = Some(Outcome::PositionJump { t: from, blame });
            return Edit::Stop;
        }
        let speed = 1.0 + worst(&y[model.sizes.q..model.sizes.q + model.sizes.v]).0;
        let jolted = worst(&self.eq.phidot).0 > JOLTED * speed;
        if jolted {
            self.jolt_drivers(to, y, JOLTED * speed);
        }
        self.jump_work += self.potential_of(to, y) - stored;
        self.settle_after(to, y, if jolted { Edit::Jumped } else { Edit::Kept })
    }

    /// Continues after the zero of a guard.
    pub(super) fn pass_guard(&mut self, index: usize, t: f64, y: &mut [f64]) -> Edit {
        (self.t_step, self.t_begin) = (t, t);
        let slides = self.slides(index, t, y);
        if self.log.audit.switching.restart(t, slides) == Progress::Stuck {
            let name = self.guarding.owner(self.dynamics.model, index).to_string();
            self.ending = Some(Outcome::Switching { t, name });
            return Edit::Stop;
        }
        self.audit_switch(index, t, y);
        self.settle_after(t, y, Edit::Kept)
    }

    /// Decides the contact modes again, if there are any.
    fn settle_after(&mut self, t: f64, y: &mut [f64], edit: Edit) -> Edit {
        if !self.switches.watched().is_empty() {
            return match self.jump(t, y) {
                Action::Stop | Action::JumpAndStop => Edit::Stop,
                Action::Jump | Action::Continue => Edit::Jumped,
            };
        }
        if edit == Edit::Jumped {
            // If the projection fails, the next step is rejected.
            _ = self.return_to_manifold(t, y, From::Elsewhere);
            self.jumped_at = Some(t);
        }
        edit
    }

    /// Applies the velocity jump that the drivers prescribe, with its work and an event for each driver.
    fn jolt_drivers(&mut self, t: f64, y: &mut [f64], least: f64) {
        let model = self.dynamics.model;
        let v = model.sizes.q..model.sizes.q + model.sizes.v;
        let (mut before, mut after) = (vec![0.0; model.rows.len()], vec![0.0; model.rows.len()]);
        self.eq.times(&y[v.clone()], &mut before);
        let jolt = self.jolt(t, y, None);
        self.eq.times(&y[v], &mut after);
        let rates = before.iter().zip(&after).map(|(before, after)| 0.5 * (before + after));
        self.jump_work += jolt.impulse.iter().zip(rates).map(|(impulse, rate)| impulse * rate).sum::<f64>();
        for (c, entry) in model.constraints.iter().enumerate() {
            if worst(&jolt.rate[entry.rows.clone()]).0 > least {
                let impulse = jolt.impulse[entry.rows.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
                let told = Occurrence::new(&entry.name, c, t, Happening::VelocityJump);
                self.log.events.push(Occurrence { impulse, ..told });
            }
        }
    }

    /// Potential energy of y.
    fn potential_of(&mut self, t: f64, y: &[f64]) -> f64 {
        let (q, v, z) = parts(self.dynamics.model, y);
        self.dynamics.place(t, q, v, z);
        self.dynamics.energy(q, v, z, t).1
    }
}
