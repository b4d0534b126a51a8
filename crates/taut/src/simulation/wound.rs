//! Angles that start more than half a turn from zero, where something acts on them.

use crate::laws::Law;
use crate::model::Model;
use crate::solution::Warning;
use crate::state::State;
use std::f64::consts::PI;

/// Springs, controllers and stops whose angle starts on another turn than the one around zero.
///
/// The turn is the one that the angles of the bodies were given with: blades laid out at `2*pi*i/n` up to i = n have a
/// last hinge that starts at 2π, and a spring there is wound by a turn. That may be meant, so it is only told.
pub(crate) fn wound(model: &Model, state: &State) -> Vec<Warning> {
    let forces = model.forces.iter().map(|f| (&f.name, "force", f.z.start, f.kind.force().angles().len()));
    let stops = model.constraints.iter().filter(|c| matches!(c.law, Law::Unilateral(_)));
    let stops = stops.map(|c| (&c.name, "constraint", c.z.start, c.kind.constraint().angles().len()));
    let mut found = Vec::new();
    for (name, family, first, count) in forces.chain(stops) {
        let angle = state.z[first..first + count].iter().copied().find(|angle| angle.abs() > PI * (1.0 + 1e-9));
        let Some(angle) = angle else { continue };
        let message = format!(
            "{family} `{name}` acts on an angle that starts at {:.1}°, more than half a turn from zero: the angles of the \
             two bodies were given so; give them less than half a turn apart if that is not meant",
            angle.to_degrees()
        );
        found.push(Warning::notice(state.t, message).about(name.as_str()));
    }
    found
}
