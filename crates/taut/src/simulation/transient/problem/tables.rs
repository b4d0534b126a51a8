//! Warns of tables that the motion has left.

use super::{Problem, parts};
use crate::signals::{Beyond, Extrapolation};
use crate::solution::Warning;

impl Problem<'_> {
    /// Warns, once for each element, of a table that is evaluated outside its range.
    pub(super) fn watch_tables(&mut self, t: f64, y: &[f64]) {
        if self.tabled.is_empty() {
            return;
        }
        self.place_for_events(t, y);
        let model = self.dynamics.model;
        let (_, _, z) = parts(model, y);
        let (motions, warnings) = (&self.scene.motions, &mut self.log.warnings);
        self.tabled.retain(|element| {
            let Some((name, Beyond { end, extrapolation })) = model.left_table(*element, t, motions, z) else {
                return true;
            };
            let what = match extrapolation {
                Extrapolation::Hold => "its end value is held",
                Extrapolation::Linear => "its end tangent is continued",
                Extrapolation::Periodic | Extrapolation::Refuse => return true,
            };
            let message = format!(
                "`{name}` is read beyond the end of its table at {end}: {what}; add points, or choose `extrapolation` = \
                 periodic or refuse"
            );
            warnings.push(Warning { element: Some(name.to_string()), ..Warning::notice(t, message) });
            false
        });
    }
}
