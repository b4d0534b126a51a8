//! The rows of a time-stepping run: the columns of the recorder, followed by those of contact.

use super::TimeSteppingSimulation;
use crate::simulation::run::Run;
use crate::simulation::stepping::scheme::MoreauScheme;
use crate::simulation::transient::Output;
use crate::solution::Column;

/// Columns of contact: name, unit, meaning.
pub(super) const CONTACT_COLUMNS: [(&str, &str, &str); 5] = [
    ("contact.count", "1", "number of contacts that press"),
    ("contact.penetration", "m", "largest penetration"),
    ("contact.lost", "J", "energy lost in contacts, friction, brakes and clutches since the start"),
    ("contact.lifted", "J", "energy that corrections of penetration have put in since the start"),
    ("contact.sweeps", "1", "sweeps of the last step"),
];

/// Columns of a surface whose contacts are not constraints: suffix of the name, unit, meaning.
const SURFACE_COLUMNS: [(&str, &str, &str); 4] = [
    ("contact_fx", "N", "x force of all contacts on surface"),
    ("contact_fy", "N", "y force of all contacts on surface"),
    ("contact_fz", "N", "z force of all contacts on surface"),
    ("contact_impulse", "N s", "impulse along the normals since the start of all contacts of surface"),
];

/// The columns of one surface.
pub(super) fn surface_columns(name: &str) -> impl Iterator<Item = Column> {
    SURFACE_COLUMNS.iter().map(move |(short, unit, meaning)| Column {
        name: format!("{name}.{short}"),
        unit: unit.to_string(),
        meaning: format!("{meaning} `{name}`"),
        data: Vec::new(),
    })
}

impl TimeSteppingSimulation<'_> {
    /// Records the present state if output is due.
    pub(super) fn output(&mut self) {
        let t = self.t();
        let mut due = self.settings.output == Output::Steps;
        while self.times[self.next_output..].first().is_some_and(|x| *x <= t) {
            due |= self.times[self.next_output] == t;
            self.next_output += 1;
        }
        if due && self.last_recorded != Some(t) {
            self.record();
        }
    }

    /// Writes one row for the present state.
    pub(super) fn record(&mut self) {
        self.last_recorded = Some(self.t());
        self.scheme.evaluate_for_recorder();
        self.losses.update(&self.scheme.counts, &self.scheme.contact_ledger.entries);
        let MoreauScheme { state, contact_ledger: account, .. } = &self.scheme;
        let moment = self.losses.moment(state, account, self.log.energy_at_start, self.last_step);
        self.log.recorder.record(&self.scheme.dynamics, moment);
        let tally = &self.scheme.counts;
        let found =
            [tally.pressing as f64, tally.penetration, tally.contact_loss, tally.correction_work, tally.sweeps as f64];
        let loads = self.surfaces.iter().map(|s| &self.scheme.contact_ledger.loads[*s]);
        let sums = loads.flat_map(|load| load.force.into_iter().chain([load.impulse]));
        let columns = self.log.recorder.table.columns_mut();
        let first = columns.len() - CONTACT_COLUMNS.len() - SURFACE_COLUMNS.len() * self.surfaces.len();
        columns[first..].iter_mut().zip(sums.chain(found)).for_each(|(column, x)| column.data.push(x));
    }
}
