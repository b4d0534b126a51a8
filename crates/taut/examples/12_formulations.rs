//! The same pendulum by all formulations: the accelerations agree, the penalties are approximate.
//!
//! Half a period from the horizontal takes 2 K(sin 45°)/ω₀, as in `01_pendulum.rs`.

use taut::analyses::AnalysisError;
use taut::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let g = 9.81;
    let mut spec = Spec::new();
    spec.gravity([0.0, -g, 0.0])
        .body("rod", PlanarBody::rod(2.0, 1.0).at([0.5, 0.0], 0.0))
        .marker("rod.end", Frame::at([-0.5, 0.0, 0.0]))
        .constraint("hinge", Joint::pin("ground", "rod.end"));
    let model = spec.build()?;
    let half = 2.0 * 1.854_074_677_301_372 / (1.5 * g).sqrt();

    for method in Method::ALL {
        // These penalties act on the residuals, which a drift control would remove.
        let residuals = matches!(method.name(), "goicolea_orden" | "index2" | "index2_static");
        let penalty = residuals || *method == Method::StaticPenalty;
        let drift = if residuals { DriftControl::None } else { DriftControl::default() };
        let solver = SolverSettings { method: *method, drift, ..SolverSettings::default() };
        let settings = Transient::to(half).choice(solver).tolerance(1e-10, 1e-10);
        let run = match simulate(&model, &model.initial_state(), &settings) {
            // A penalty on the residuals cannot act where projection removes them.
            Err(AnalysisError::Inapplicable { why, .. }) => {
                println!("{:<30} {why}", method.name());
                continue;
            }
            run => run?,
        };
        let error = (run.final_state().q[2] + std::f64::consts::PI).abs();
        println!("{:<30} {error:8.1e} rad {:6} steps  {}", method.name(), run.statistics.steps, method.what());
        assert!(penalty || error < 1e-7, "{method}");
        assert!(error < 0.1, "{method}");
    }
    Ok(())
}
