//! The audit of a march in time steps: whether it holds its energy.
//!
//! What impacts and friction take is booked, and so is what drivers and returns to the surfaces put in. What is left is the error of the
//! method, which no tolerance steers: see [`energy`](crate::audit::energy), `Steering::Loose`.

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

    /// At the end of a run, whatever ends it.
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
        let hint = format!("{suspect}; take a shorter step, or march from event to event");
        self.log.report_imbalance(self.t(), found, element, &hint);
    }
}
