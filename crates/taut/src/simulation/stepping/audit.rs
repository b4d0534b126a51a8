//! The energy audit of time stepping.
//!
//! The balance includes the losses by impacts and friction, and the work of drivers and penetration corrections. The remainder is the
//! error of the method, which no tolerance controls: see [`energy`](crate::audit::energy), steps that no tolerance controls.

use super::TimeSteppingSimulation;
use crate::audit::energy::EnergyImbalance;
use crate::simulation::run::Run;

impl TimeSteppingSimulation<'_> {
    /// After a step.
    pub(super) fn audit_step(&mut self) {
        self.log.audit.count_step();
        let ends = self.t() >= self.settings.t_end;
        if self.losses.knows_work() && (self.log.audit.is_due() || ends) {
            let steps = self.log.audit.take_steps_since_check();
            let promise = self.scheme.tolerances(self.settings.t_end - self.t_start);
            let of_step = self.scheme.permitted_energy_error(&promise);
            let books = self.scheme.energy_ledger(self.log.energy_at_start);
            if let Some(found) = self.log.audit.energy.check_step(books, steps, of_step, &promise) {
                self.warn_imbalance(found);
            }
        }
    }

    /// At the end of a run, whatever the outcome.
    pub(super) fn end_audit(&mut self) {
        if self.losses.knows_work() {
            let promise = self.scheme.tolerances(self.settings.t_end - self.t_start);
            let books = self.scheme.energy_ledger(self.log.energy_at_start);
            if let Some(found) = self.log.audit.energy.check_end(books, &promise) {
                self.warn_imbalance(found);
            }
        }
    }

    fn warn_imbalance(&mut self, found: EnergyImbalance) {
        let element = self.scheme.fastest_body().map(str::to_string);
        let suspect = element.as_ref().map_or_else(String::new, |e| format!("; `{e}` moves most"));
        let hint = format!("{suspect}; use a shorter step, or event-driven simulation");
        self.log.report_imbalance(self.t(), found, element, &hint);
    }
}
