//! Runs the audit after steps and at rows.

use super::{TransientProblem, split_state};
use crate::audit::RunTolerances;
use crate::audit::element_limits::torsional_bushings;
use crate::audit::elements::{ElementAudit, EnergyCreation};
use crate::audit::energy::{EnergyImbalance, EnergyLedger, permitted_step_error};
use crate::audit::momentum::{self, MomentumChange};
use crate::audit::steps::SmallSteps;
use crate::bodies::{BodyKind, Symmetry};
use crate::constraints::{ElementInput, RowLevel};
use crate::dynamics::Dynamics;
use crate::forces::{Conservation, ForceKind};
use crate::formulations::Exactness;
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::Topology;
use crate::motion::Wrench;
use crate::results::WorkTracking;
use crate::simulation::transient::diagnosis;
use crate::solution::{Cause, Severity};
use crate::state::{ConstraintMode, State};
use taut_ode::ErrorControl;

/// |φ| and |φ̇| that are doubtful, and wrong, relative to 1 + the size of coordinates and velocities; the first at least so many times
/// the relative tolerance.
const RESIDUAL_DOUBTFUL: f64 = 1e-4;
const RESIDUAL_TOLERANCE_FACTOR: f64 = 1e4;
const RESIDUAL_WRONG: f64 = 1e-2;

/// |A v̇ − b| worth a warning, relative to 1 + |b|; near a singular pose some 1e-5 are nothing unusual.
const ACCELERATION_RESIDUAL_TOLERANCE: f64 = 1e-3;

/// Which checks of the audit apply to a model; determined once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AuditScope {
    /// Whether the energy balance is known: not with an unsymmetric mass matrix.
    pub energy: bool,
    pub elements: bool,
    pub bushings: bool,
    pub air: bool,
    pub modal: bool,
    pub momentum: bool,
}

impl TransientProblem<'_> {
    /// Checks that the accelerations just found satisfy the constraints, which they do not where a singular pose is crossed badly.
    pub(super) fn audit_accelerations(&mut self, t: f64) {
        // Rows of trees are independent, and penalties leave residuals.
        if self.dynamics.model.topology != Topology::Loops || self.dynamics.claimed_exactness() != Exactness::Exact {
            return;
        }
        let (left, row) = self.dynamics.acceleration_residual();
        if left > ACCELERATION_RESIDUAL_TOLERANCE * (1.0 + largest_magnitude(&self.dynamics.eq.b).0) {
            let row = self.dynamics.model.row_name(row);
            self.log.warn_doubtful(t, "constraints contradict each other in their accelerations", &row, || {
                format!(": `{row}` keeps a residual of {left:.2e}; see the rank of the model for the rows concerned")
            });
        }
    }

    /// Begins the audit of a run.
    pub fn begin_audit(&mut self, promise: RunTolerances, state: &State, t_end: f64) {
        (self.tolerances, self.t_end) = (promise, t_end);
        let y = self.pack(state);
        let (q, v, _) = split_state(self.dynamics.model, &y);
        self.log.audit.energy.begin(permitted_step_error(
            self.dynamics.model,
            &self.dynamics.eq,
            q,
            v,
            &mut self.momentum,
            &promise,
        ));
        self.begin_range_audit();
        self.audit_scope = AuditScope {
            // Equations of the user may do work that they do not report.
            energy: self.dynamics.model.symmetry() == Symmetry::Symmetric
                && !self.dynamics.model.bodies.iter().any(|b| matches!(b.kind, BodyKind::Subsystem(_))),
            elements: ElementAudit::any_audited(&self.dynamics),
            modal: self.dynamics.model.bodies.iter().any(|b| matches!(b.kind, BodyKind::Modal(_))),
            momentum: momentum::is_isolated(self.dynamics.model),
            ..self.audit_scope
        };
    }

    /// Audits the last state of a run, after so many steps.
    pub fn end_audit(&mut self, t: f64, y: &[f64], steps: u64) {
        let (q, v, z) = split_state(self.dynamics.model, y);
        self.dynamics.assemble_positions(t, q, v, z);
        self.audit_state(t, y);
        if let Some(sum) = self.tolerances.accumulated_tolerances(steps) {
            let message = format!(
                ": a method of order {} cannot keep them to a smaller fraction of rtol = {:.0e}, and their sum may reach {sum:.0} \
                 tolerances; use dop853 or radau5, or a larger rtol",
                self.tolerances.order, self.tolerances.rtol
            );
            self.log.add_finding(Severity::Doubtful, t, "errors of many steps add up", None, message);
        }
        if self.audit_scope.energy && self.work != WorkTracking::Unknown {
            let books = self.energy_ledger(t, y);
            if let Some(found) = self.log.audit.energy.check_end(books, &self.tolerances) {
                self.warn_imbalance(t, y, found);
            }
        }
    }

    /// After a step, when everything of it has been delivered.
    pub(super) fn audit_step(&mut self, t: f64, y: &[f64]) {
        self.audit_error_growth(t, y);
        let due = self.log.audit.is_due();
        let elements = self.audit_scope.bushings || (self.audit_scope.elements && self.log.audit.elements_are_due());
        if !due && !elements {
            return;
        }
        let (q, v, z) = split_state(self.dynamics.model, y);
        self.dynamics.assemble_positions(t, q, v, z);
        match due {
            true => self.audit_state(t, y),
            false => self.audit_elements(t, z),
        }
    }

    /// Runs all checks; the dynamics are evaluated at y.
    fn audit_state(&mut self, t: f64, y: &[f64]) {
        let (q, v, z) = split_state(self.dynamics.model, y);
        let (promise, steps) = (self.tolerances, self.log.audit.take_steps_since_check());
        if self.audit_scope.energy && self.work != WorkTracking::Unknown {
            let books = self.energy_ledger(t, y);
            let Dynamics { model, eq, .. } = &self.dynamics;
            let of_step = permitted_step_error(model, eq, q, v, &mut self.momentum, &promise);
            if let Some(found) = self.log.audit.energy.check_step(books, steps, of_step, &promise) {
                self.warn_imbalance(t, y, found);
            }
        }
        self.audit_elements(t, z);
        if self.audit_scope.momentum
            && let Some(found) = self.log.audit.momentum.check(&self.dynamics, t, q, v, steps, &promise)
        {
            self.warn_momentum_change(t, found);
        }
        if self.audit_scope.modal {
            let found = self.log.audit.axial.check(&self.dynamics, t, q, v, z, &self.log.audit.energy);
            self.log.warnings.extend(found);
        }
        self.audit_residuals(t, q, v);
        if promise.steering == ErrorControl::Reliable || promise.rtol > 0.0 {
            let t_end = self.t_end;
            if let Some(found) = self.log.audit.steps.check(&self.dynamics, t, t_end, v, &promise, &mut self.momentum) {
                self.warn_small_steps(t, y, found);
            }
        }
    }

    /// Runs the checks of quantities that change within few steps; the dynamics are evaluated at the end of the step.
    fn audit_elements(&mut self, t: f64, z: &[f64]) {
        if self.audit_scope.elements {
            let at_work = self.log.audit.energy.at_work();
            if let Some(found) = self.log.audit.elements.check(&self.dynamics, t, z, at_work) {
                self.warn_creation(t, found);
            }
        }
        self.audit_ranges(t, z);
    }

    /// Begins the audit of a motion that is not integrated: only whether elements are used within their range.
    pub fn begin_range_audit(&mut self) {
        self.audit_scope = AuditScope {
            bushings: torsional_bushings(&self.dynamics).next().is_some(),
            air: self.dynamics.model.forces.iter().any(|f| matches!(f.kind, ForceKind::Air(_))),
            ..AuditScope::default()
        };
    }

    /// Checks whether elements are used within their range, at the pose evaluated last.
    pub fn audit_ranges(&mut self, t: f64, z: &[f64]) {
        if self.audit_scope.bushings {
            let found = self.log.audit.limits.check_bushings(&self.dynamics, t);
            self.log.warnings.extend(found);
        }
        if self.audit_scope.air {
            let found = self.log.audit.limits.check_theories(&self.dynamics, t, z);
            self.log.warnings.extend(found);
        }
    }

    /// At a row whose equations have just been solved.
    pub(super) fn audit_row(&mut self, t: f64) {
        if !self.audit_scope.energy || self.work == WorkTracking::Unknown {
            return;
        }
        let y = std::mem::take(&mut self.work_state);
        let books = self.energy_ledger(t, &y);
        if let Some(found) = self.log.audit.energy.check_row(books, self.work_of_step, &self.tolerances) {
            self.warn_imbalance(t, &y, found);
        }
        self.work_state = y;
    }

    /// The energy ledger at y, where the dynamics are evaluated.
    fn energy_ledger(&self, t: f64, y: &[f64]) -> EnergyLedger {
        let (q, v, z) = split_state(self.dynamics.model, y);
        let (kinetic, potential) = self.dynamics.energy(q, v, z, t);
        let lost =
            y[y.len() - self.friction_constraints.len()..].iter().sum::<f64>() + self.impact_losses.iter().sum::<f64>();
        let work = self.work_done(y);
        let balance = kinetic + potential + lost - work - self.log.energy_at_start;
        EnergyLedger { t, kinetic, potential, work, lost, balance }
    }

    fn warn_imbalance(&mut self, t: f64, y: &[f64], found: EnergyImbalance) {
        let element = self.largest_power(t, y);
        let suspect = element.as_ref().map_or_else(String::new, |e| format!(", most likely at `{e}`"));
        let hint = format!(
            "{suspect}; check energy.balance, try a smaller rtol or max_step, and look for jumps or dwells in the drivers"
        );
        self.log.report_imbalance(t, found, element, &hint);
    }

    fn warn_creation(&mut self, t: f64, found: EnergyCreation) {
        let message = format!(
            " that can only store or dissipate it: {:.2e} J, {:.1e} of the energy at work, most of it by `{}`; it bends too much for its \
             length: use more elements, or element_type = \"variational\"",
            found.created, found.fraction, found.element,
        );
        self.log.add_finding(found.severity, t, "energy is created by elements", Some(found.element), message);
    }

    fn warn_momentum_change(&mut self, t: f64, found: MomentumChange) {
        let MomentumChange { kind, axis, change, fraction, .. } = found;
        let message = format!(
            " although no external force acts: the {kind} momentum along {axis} changed by {change:.2e}, {fraction:.1e} of the \
             momentum at work; try a smaller rtol"
        );
        self.log.add_finding(found.severity, t, "momentum is not conserved", None, message);
    }

    fn warn_small_steps(&mut self, t: f64, y: &[f64], found: SmallSteps) {
        match found {
            SmallSteps::RoundOff { body, h, tolerance } => {
                let message = format!(
                    ": `{body}` is so light beside the forces on it that round-off of its acceleration exceeds the tolerance, \
                     and steps shrink to {h:.1e} s; round-off permits a tolerance of about {tolerance:.0e} (rtol and atol), or \
                     give it more mass"
                );
                self.log.add_finding(Severity::Doubtful, t, "round-off limits the steps", Some(body), message);
            }
            SmallSteps::RepeatedAttempts { h, attempts } => {
                let tolerance = (self.tolerances.rtol, self.tolerances.atol);
                let cause = diagnosis::fastest_element(self, t, y, h, tolerance);
                let element = match &cause {
                    Cause::Body(name) | Cause::Force(name) | Cause::ReactionForce(name) | Cause::Table { name, .. } => {
                        Some(name.clone())
                    }
                    Cause::MassMatrix { body, .. } | Cause::Massless { body, .. } => Some(body.clone()),
                    Cause::Constraint { row, .. } => Some(row.clone()),
                    Cause::Formulation(_) | Cause::Nobody => None,
                };
                let message = format!(
                    ": steps of {h:.1e} s, each tried {attempts:.1} times; {cause} changes fastest; look for a stiff or rough \
                     force there, or use another method or tolerance"
                );
                self.log.add_finding(Severity::Doubtful, t, "the run crawls", element, message);
            }
        }
    }

    fn audit_residuals(&mut self, t: f64, q: &[f64], v: &[f64]) {
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let eq = &self.dynamics.eq;
        let levels = [
            (&eq.phi[..], largest(q), self.initial_residual.max(self.contradictions[0]), "position"),
            (&eq.phidot[..], largest(v), self.contradictions[1], "velocity"),
        ];
        let mut worst: Option<(Severity, usize, f64, &str)> = None;
        for (left, size, given, level) in levels {
            let (found, row) = largest_magnitude(left);
            let doubtful = RESIDUAL_DOUBTFUL.max(RESIDUAL_TOLERANCE_FACTOR * self.tolerances.rtol);
            let severity = match (found - 2.0 * given) / (1.0 + size) {
                x if x > RESIDUAL_WRONG.max(doubtful) => Severity::Wrong,
                x if x > doubtful => Severity::Doubtful,
                _ => continue,
            };
            if worst.is_none_or(|w| severity > w.0) {
                worst = Some((severity, row, found, level));
            }
        }
        let kind = "constraints drift apart";
        let Some((severity, row, found, level)) = worst else { return };
        if self.log.warnings.iter().any(|w| w.message.starts_with(kind) && w.severity >= severity) {
            return;
        }
        let row = self.dynamics.model.row_name(row);
        let message = format!(
            ": `{row}` keeps a residual of {found:.1e} in its {level}; use drift = \"projection\", or a smaller rtol"
        );
        self.log.add_finding(severity, t, kind, Some(row), message);
    }

    /// The most likely source of an energy error: an active or recent contact, else the driver or force of the largest
    /// power, else the body with the largest kinetic energy.
    fn largest_power(&self, t: f64, y: &[f64]) -> Option<String> {
        let (d, model) = (&self.dynamics, self.dynamics.model);
        let (q, v, z) = split_state(model, y);
        let mut most: (f64, Option<String>) = (0.0, None);
        let mut raise = |power: f64, name: &String| {
            if power.abs() > most.0 {
                most = (power.abs(), Some(name.clone()));
            }
        };
        for c in &model.constraints {
            let rate = |(i, r): (usize, usize)| match model.rows[r].level {
                RowLevel::Acceleration => d.lambda[r] * d.eq.row_times(c, i, v),
                RowLevel::Position | RowLevel::Velocity => d.lambda[r] * d.eq.phi_t[r],
            };
            raise(c.rows.clone().enumerate().map(rate).sum(), &c.name);
        }
        for f in &model.forces {
            let view = ElementInput { t, motions: &d.kinematics.motions, markers: &f.markers, z: &z[f.z.clone()] };
            let mut on = vec![Wrench::ZERO; f.markers.len()];
            f.kind.force().apply(&view, &mut on);
            let open = f.kind.force().conservation() == Conservation::NonConservative
                || matches!(f.kind, ForceKind::Compliant(_));
            let power = || on.iter().enumerate().map(|(k, w)| view[k].power(w)).sum::<f64>();
            raise(if open { power() } else { 0.0 }, &f.name);
        }
        if most.1.is_some() {
            return most.1;
        }
        // Nothing does work at this moment: take what can.
        let drives = model.constraints.iter().find(|c| WorkTracking::is_driven(c)).map(|c| &c.name);
        let touches = || model.forces.iter().find(|f| matches!(f.kind, ForceKind::Compliant(_))).map(|f| &f.name);
        let pushes = || {
            model
                .forces
                .iter()
                .find(|f| f.kind.force().conservation() == Conservation::NonConservative)
                .map(|f| &f.name)
        };
        if let Some(name) = drives.or_else(touches).or_else(pushes) {
            return Some(name.clone());
        }
        let held = self.contact_switches.watched().iter().copied().find(|c| d.modes[*c] != ConstraintMode::Idle);
        let held = held.map(|c| model.constraints[c].name.clone());
        held.or_else(|| self.log.events.last().map(|o| o.name.clone())).or_else(|| {
            let energy = |b: &&crate::model::BodyEntry| {
                b.kind.body().kinetic(&q[b.q.clone()], &v[b.v.clone()], &d.kinematics.motions[b.markers.start])
            };
            let most = model.bodies.iter().max_by(|a, b| energy(a).total_cmp(&energy(b)));
            most.map(|b| b.name.clone())
        })
    }
}
