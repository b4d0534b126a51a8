//! Warns of tables that the motion has left.

use super::{TransientProblem, split_state};
use crate::signals::{Extrapolation, PassedEnd};
use crate::solution::Warning;

impl TransientProblem<'_> {
    /// Warns, once for each element, of a table that is evaluated outside its range.
    pub(crate) fn warn_of_left_tables(&mut self, t: f64, y: &[f64]) {
        if self.watched_tables.is_empty() {
            return;
        }
        self.evaluate_for_events(t, y);
        let model = self.dynamics.model;
        let (_, _, z) = split_state(model, y);
        let (motions, warnings) = (&self.scene.motions, &mut self.log.warnings);
        self.watched_tables.retain(|element| {
            let Some((name, PassedEnd { end, extrapolation })) = model.exceeded_table(*element, t, motions, z) else {
                return true;
            };
            let what = match extrapolation {
                Extrapolation::Hold => "its end value is held",
                Extrapolation::Linear => "its end tangent is continued",
                Extrapolation::Periodic | Extrapolation::Error => return true,
            };
            let message = format!(
                "`{name}` is read beyond the end of its table at {end}: {what}; add points, or set \
                 extrapolation = \"periodic\" or \"error\""
            );
            warnings.push(Warning { element: Some(name.to_string()), ..Warning::notice(t, message) });
            false
        });
    }
}
