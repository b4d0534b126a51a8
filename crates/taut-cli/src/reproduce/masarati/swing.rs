//! The swing, a beam between two links: rows with their right values, waiting for beams and modal bodies.
//! [Masarati2010] section 4.2, tables 1 and 2

use crate::reproduce::Findings;
use crate::reproduce::known::Known;
use crate::reproduce::row::Row;
use crate::reproduce::trouble::Trouble;

const WHY: &str = "flexible bodies";

/// Names of the frequencies, in words, as printed.
const FREQUENCIES: [(&str, &str, &str); 4] = [
    ("sym1", "first symmetric bending", "0.443"),
    ("anti1", "first antisymmetric bending", "18.17"),
    ("sym2", "second symmetric bending", "28.46"),
    ("axial1", "first antisymmetric axial", "319.5"),
];

/// Runs of table 2: in words, last time and steps as printed.
const RUNS: [(&str, &str, &str); 6] = [
    ("(1a) beam elements, baseline", "0.69", "69,033"),
    ("(1b) beam elements, present", "0.69", "69,033"),
    ("(2a) modal, baseline", "1.00", "23,075"),
    ("(2b) modal, present", "1.00", "28,103"),
    ("(3a) modal, baseline (no axial mode)", "1.00", "1,103"),
    ("(3b) modal, present (no axial mode)", "1.00", "1,103"),
];

/// Every number of both tables.
pub fn compute(found: &mut Findings) -> Result<(), Trouble> {
    let known = Known::of("masarati-2010/swing_frequencies_Hz")?;
    for (name, words, printed) in FREQUENCIES {
        let row = Row::new("Table 1", words, "Hz").printed(printed).pending(WHY);
        let remark = "E = 73 GPa, not MPa, bending over the thickness of 1 mm, and the inertia of rigid finite volumes \
                      reproduce the table to every digit.";
        found.push(Row { reference: Some(known.relative(&format!("truth/{name}"), 1e-4)?), ..row.remark(remark) });
    }
    for (words, last, steps) in RUNS {
        found.push(Row::new("Table 2", format!("last time, {words}"), "s").printed(last).pending(WHY));
        let row = Row::new("Table 2", format!("steps, {words}"), "").printed(steps).pending(WHY);
        found.push(row.remark("The tolerances of these runs are not given: the counts will be for information."));
    }
    Ok(())
}
