//! The static example: a rigid bar on two rods, by penalties and exactly. [Newhart2019] section 1.2.6

use crate::reproduce::Findings;
use crate::reproduce::case::Case;
use crate::reproduce::known::Known;
use crate::reproduce::row::Row;
use crate::reproduce::trouble::Trouble;

/// Displacements that the thesis prints, mm.
const PRINTED: [&str; 5] = ["0.4876", "1.2191", "0", "0", "1.4629"];

pub fn compute(found: &mut Findings) -> Result<(), Trouble> {
    let known = Known::of("newhart-2019/static")?;
    let settled = "found by letting a damped motion settle.";
    let mut ends = Vec::new();
    for (file, words, key) in
        [("newhart_static_penalty", "penalty", "penalty_mm"), ("newhart_static", "rigid bar", "exact_mm")]
    {
        let motion = Case::open(file, &[])?.run()?;
        for (i, printed) in PRINTED.iter().enumerate() {
            // The exact model has no coordinates for the two points that stand still.
            let Ok(ours) = motion.last(&format!("q{}.x", i + 1)) else { continue };
            let row = Row::new("1.2.6", format!("Q{}, {words}", i + 1), "mm").printed(*printed).remark(settled);
            found.push(row.against(ours, known.absolute(&format!("{key}/{i}"), 1e-9)?));
            if i == 4 {
                ends.push(ours);
            }
        }
    }
    if let [penalty, exact] = ends[..] {
        let row = Row::new("1.2.6", "relative error of the penalty, Q5", "");
        found.push(row.against((penalty - exact) / exact, known.absolute("relative_penalty_error", 1e-7)?));
    }
    Ok(())
}
