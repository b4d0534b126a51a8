//! Two bodies and one pin: the force from two equations, then the accelerations. [MitiguyBanerjee2000] eqs. (3)–(13)

use crate::reproduce::Findings;
use crate::reproduce::case::{Case, at};
use crate::reproduce::known::Known;
use crate::reproduce::row::Row;
use crate::reproduce::trouble::Trouble;

/// Paths of the values, columns, what they are, units.
const COLUMNS: [(&str, &str, &str, &str); 8] = [
    ("F/0", "pin.fx", "x of the force on B", "N"),
    ("F/1", "pin.fy", "y of the force on B", "N"),
    ("Udot_A/0", "a.ax", "x acceleration of A", "m/s²"),
    ("Udot_A/1", "a.ay", "y acceleration of A", "m/s²"),
    ("Udot_A/2", "a.alpha", "angular acceleration of A", "rad/s²"),
    ("Udot_B/0", "b.ax", "x acceleration of B", "m/s²"),
    ("Udot_B/1", "b.ay", "y acceleration of B", "m/s²"),
    ("Udot_B/2", "b.alpha", "angular acceleration of B", "rad/s²"),
];

/// Force and accelerations at the start.
pub fn compute(found: &mut Findings) -> Result<(), Trouble> {
    let (case, known) = (Case::open("mitiguy_pin", &[])?, Known::of("mitiguy-banerjee-2000/pin_joint")?);
    let motion = case.run()?;
    for (path, column, words, unit) in COLUMNS {
        let source = if path.starts_with('F') { "eq. (13)" } else { "eqs. (11), (12)" };
        found.push(Row::new(source, words, unit).against(at(&motion, column, 0.0)?, known.absolute(path, 1e-11)?));
    }
    Ok(())
}
