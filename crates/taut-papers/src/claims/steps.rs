//! Steps with a constraint against those with a stiff spring ([Masarati2010] §4.3: 200 against about 700).

use super::{Claim, table};
use crate::reproduce::ReproductionError;
use crate::reproduce::control::{RATIOS, link_controls, link_run, penalty_run};

/// The runs of `taut reproduce`: the pitch link as a rigid constraint, and as a control with three stiffnesses.
pub fn measure() -> Result<Claim, ReproductionError> {
    let mut rows: Vec<(String, u64, u64)> = Vec::new();
    for (_, words, drift) in link_controls() {
        let work = link_run(drift)?.statistics;
        rows.push((format!("rigid link, {words}"), work.steps, work.rejected));
    }
    for (name, ratio) in RATIOS {
        let work = penalty_run(ratio)?.statistics;
        rows.push((format!("control of {name} Omega"), work.steps, work.rejected));
    }
    let unit = (rows[0].1 + rows[0].2) as f64;
    let line = |(name, steps, rejected): &(String, u64, u64)| {
        let tried = steps + rejected;
        vec![name.clone(), steps.to_string(), rejected.to_string(), format!("{:.2}", tried as f64 / unit)]
    };
    Ok(Claim {
        title: "Steps with a constraint against a stiff control",
        statement: "Masarati 2010, section 4.3: about 200 steps with the rigid link, nearly 700 with a control of 10.5 \
            Omega, no convergence with a stiffer one. Here the stiffer control does converge; its steps grow with \
            its frequency. These are the runs of `taut reproduce`.",
        table: table(&["pitch control", "steps", "rejected", "tried / rigid"], rows.iter().map(line).collect()),
        figure: None,
    })
}
