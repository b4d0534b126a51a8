//! The audit of a march in time steps: whether it holds its energy.
//!
//! What impacts and friction take is booked, and so is what drivers and returns to the surfaces put in. What is left is the error of the
//! method, which no tolerance steers: see [`energy`](crate::audit::energy), `Steering::Loose`.

use super::March;
use crate::audit::energy::Imbalance;
use crate::solution::Warning;

impl March<'_> {
    /// After a step.
    pub(super) fn audit_step(&mut self) {
        self.audit.stepped();
        let ends = self.t() >= self.settings.t_end;
        if self.losses.knows_work() && (self.audit.is_due() || ends) {
            let steps = self.audit.take_steps();
            let promise = self.scheme.promise(self.settings.t_end - self.t_start);
            let of_step = self.scheme.permitted(&promise);
            let books = self.scheme.books(self.energy_at_start);
            if let Some(found) = self.audit.energy.look(books, steps, of_step, &promise) {
                self.tell_imbalance(found);
            }
        }
    }

    /// At the end of a run, whatever ends it.
    pub(super) fn end_audit(&mut self) {
        if self.losses.knows_work() {
            let promise = self.scheme.promise(self.settings.t_end - self.t_start);
            let books = self.scheme.books(self.energy_at_start);
            if let Some(found) = self.audit.energy.close(books, &promise) {
                self.tell_imbalance(found);
            }
        }
    }

    /// One that got worse replaces what was told before.
    fn tell_imbalance(&mut self, found: Imbalance) {
        let kind = "energy that nothing accounts for";
        self.warnings.retain(|w| !(w.message.starts_with(kind) && w.severity < found.severity));
        let element = self.scheme.liveliest().map(str::to_string);
        let who = element.as_ref().map_or_else(String::new, |e| format!("; `{e}` moves most"));
        let way = if found.balance < 0.0 { "lost" } else { "gained" };
        let message = format!(
            "{kind} was {way}: {:.2e} J, {:.1e} of the energy at work, where {:.1e} J are permitted{who}; take a shorter step, or march from \
             event to event",
            found.balance.abs(),
            found.share,
            found.permitted,
        );
        self.warnings.push(Warning { t: self.t(), message, severity: found.severity, element });
    }
}
