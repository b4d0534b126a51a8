//! Warns of angles that start more than half a turn from zero and act on an element.

use crate::laws::ConstraintLaw;
use crate::model::Model;
use crate::solution::Warning;
use crate::state::State;
use std::f64::consts::PI;

/// Springs, controllers and stops whose angle starts on another turn than the one around zero.
///
/// The revolution follows from the given angles of the bodies: blades at `2*pi*i/n` up to i = n have a
/// last hinge that starts at 2π, and a spring there is wound by one turn. This may be intended, so it is only a warning.
pub(crate) fn warn_wound_angles(model: &Model, state: &State) -> Vec<Warning> {
    let forces = model.forces.iter().map(|f| (&f.name, "force", f.z.start, f.kind.force().angle_markers().len()));
    let stops = model.constraints.iter().filter(|c| matches!(c.law, ConstraintLaw::Unilateral(_)));
    let stops = stops.map(|c| (&c.name, "constraint", c.z.start, c.kind.constraint().angle_markers().len()));
    let mut found = Vec::new();
    for (name, family, first, count) in forces.chain(stops) {
        let angle = state.z[first..first + count].iter().copied().find(|angle| angle.abs() > PI * (1.0 + 1e-9));
        let Some(angle) = angle else { continue };
        let message = format!(
            "{family} `{name}` acts on an angle that starts at {:.1}°, more than half a turn from zero, because of the \
             initial angles of the two bodies; if that is not intended, let these differ by less than half a turn",
            angle.to_degrees()
        );
        found.push(Warning::notice(state.t, message).with_element(name.as_str()));
    }
    found
}
