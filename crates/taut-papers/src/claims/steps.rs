//! Steps with a constraint against those with a stiff spring ([Masarati2010] §4.3: 200 against about 700).

use super::{Claim, Outline};
use crate::reproduce::ReproductionError;
use crate::reproduce::control::{RATIOS, link_controls, link_run, penalty_run};
use taut::Statistics;

pub fn outline() -> Outline {
    let links = link_controls().into_iter().map(|(_, words, _)| format!("rigid link, {words}"));
    let controls = RATIOS.iter().map(|(name, _)| format!("control of {name} Omega"));
    Outline {
        title: "Steps with a constraint against a stiff control",
        statement: "Masarati 2010, section 4.3: about 200 steps with the rigid link, nearly 700 with a control of 10.5 \
            Omega, no convergence with a stiffer one. Here the stiffer control does converge; its steps grow with \
            its frequency. These are the runs of `taut reproduce`.",
        head: ["pitch control", "steps", "rejected", "tried / rigid"].map(str::to_string).to_vec(),
        row_names: links.chain(controls).collect(),
    }
}

/// The runs of `taut reproduce`: the pitch link as a rigid constraint, and as a control with three stiffnesses.
pub fn measure() -> Result<Claim, ReproductionError> {
    let mut work = Vec::new();
    for (_, _, drift) in link_controls() {
        work.push(link_run(drift)?.statistics);
    }
    for (_, ratio) in RATIOS {
        work.push(penalty_run(ratio)?.statistics);
    }
    let unit = (work[0].steps + work[0].rejected) as f64;
    let line = |work: &Statistics| {
        let tried = (work.steps + work.rejected) as f64;
        vec![work.steps.to_string(), work.rejected.to_string(), format!("{:.2}", tried / unit)]
    };
    Ok(Claim { outline: outline(), cells: work.iter().map(line).collect(), figure: None })
}
