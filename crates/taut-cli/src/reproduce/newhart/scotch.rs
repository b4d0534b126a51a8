//! The Scotch mechanism in the three sets of numbers that the thesis has for it. [Newhart2019] section 2.4.2

use crate::reproduce::Findings;
use crate::reproduce::case::{Case, at};
use crate::reproduce::known::Known;
use crate::reproduce::row::Row;
use crate::reproduce::trouble::Trouble;

/// Sets of numbers: source, name in words, entry of the right values, changes to the model.
const SETS: [(&str, &str, &str, &[(&str, &str)]); 3] = [
    ("A.3", "program (m = W/g, b = 0.05 in)", "newhart-2019/scotch", &[]),
    ("Table 3", "table (m = W/g, b = 2 in)", "newhart-2019/scotch_table", &[("b", "2 in")]),
    (
        "2.4.2",
        "text (weights as masses, b = 2 in)",
        "newhart-2019/scotch_literal",
        &[("b", "2 in"), ("per", "1 in/s^2")],
    ),
];

pub fn compute(found: &mut Findings) -> Result<(), Trouble> {
    for (source, set, name, changes) in SETS {
        let (case, known) = (Case::open("newhart_scotch", changes)?, Known::of(name)?);
        let motion = case.run()?;
        for t in known.list("t")? {
            let row = Row::new(source, format!("theta at {t} s, {set}"), "rad");
            found.push(row.against(at(&motion, "rod.theta", t)?, known.absolute_at("theta", t, 1e-9)?));
        }
    }
    Ok(())
}
