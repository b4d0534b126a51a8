//! The energy audit of time stepping.
//!
//! The balance includes the losses by impacts and friction, and the work of drivers and penetration corrections. The remainder is the
//! error of the method, which no tolerance controls: see [`energy`](crate::audit::energy), `Steering::Loose`.

use super::March;
use crate::audit::energy::Imbalance;
use crate::simulation::run::Run;

impl March<'_> {
    /// After a step.
    pub(super) fn audit_step(&mut self) {
        self.log.audit.stepped();
        let ends = self.t() >= self.settings.t_end;
        if self.losses.knows_work() && (self.log.audit.is_due() || ends) {
            let steps = self.log.audit.take_steps();
            let promise = self.scheme.promise(self.settings.t_end - self.t_start);
            let of_step = self.scheme.permitted(&promise);
            let books = self.scheme.books(self.log.energy_at_start);
            if let Some(found) = self.log.audit.energy.look(books, steps, of_step, &promise) {
                self.tell_imbalance(found);
            }
        }
    }

    /// At the end of a run, whatever the outcome.
    pub(super) fn end_audit(&mut self) {
        if self.losses.knows_work() {
            let promise = self.scheme.promise(self.settings.t_end - self.t_start);
            let books = self.scheme.books(self.log.energy_at_start);
            if let Some(found) = self.log.audit.energy.close(books, &promise) {
                self.tell_imbalance(found);
            }
        }
    }

    fn tell_imbalance(&mut self, found: Imbalance) {
        let element = self.scheme.liveliest().map(str::to_string);
        let suspect = element.as_ref().map_or_else(String::new, |e| format!("; `{e}` moves most"));
        let hint = format!("{suspect}; use a shorter step, or event-driven simulation");
        self.log.report_imbalance(self.t(), found, element, &hint);
    }
}
