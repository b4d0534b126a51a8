//! Steps with a constraint against those with a stiff spring ([Masarati2010] §4.3: 200 against about 700).

use super::{Claim, table};
use crate::reproduce::{PaperModel, ReproductionError};
use taut::analyses::{Integrator, Transient};
use taut::drift::DriftControl;
use taut::dynamics::SolverSettings;

/// Runs the pitch link as a rigid constraint, and as a control with three stiffnesses.
pub fn measure() -> Result<Claim, ReproductionError> {
    let paper = |settings: &Transient, drift: DriftControl| Transient {
        integrator: Integrator::DormandPrince,
        rtol: 1e-2,
        atol: 1e-4,
        h_max: Some(0.01),
        choice: SolverSettings { drift, ..SolverSettings::default() },
        ..settings.clone()
    };
    let mut rows: Vec<(String, u64, u64)> = Vec::new();
    let link = PaperModel::open("masarati_pitch_link", &[])?;
    for (name, drift) in
        [("rigid link, no drift control", DriftControl::None), ("rigid link, projection", DriftControl::default())]
    {
        let work = link.run_with(&paper(&link.settings, drift))?.statistics;
        rows.push((name.to_string(), work.steps, work.rejected));
    }
    for ratio in ["5.5", "10.5", "21"] {
        let case = PaperModel::open("masarati_pitch_penalty", &[("ratio", ratio)])?;
        let work = case.run_with(&paper(&case.settings, DriftControl::default()))?.statistics;
        rows.push((format!("control of {ratio} Omega"), work.steps, work.rejected));
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
            its frequency.",
        table: table(&["pitch control", "steps", "rejected", "tried / rigid"], rows.iter().map(line).collect()),
        figure: None,
    })
}
