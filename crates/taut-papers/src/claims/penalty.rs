//! Penalty against projection ([Newhart2019] §2.4.1 and table 1).

use super::{Claim, Outline};
use crate::reproduce::{PaperModel, ReproductionError, at, exact_pendulum};
use std::time::Duration;
use taut::Columns;
use taut::analyses::{Integrator, Limits, Output, Transient};
use taut::drift::{DriftControl, ProjectionWeight};
use taut::dynamics::SolverSettings;
use taut::formulations::{FormulationParameters, Method};

fn methods() -> Vec<(&'static str, Method, DriftControl, Option<f64>)> {
    let stable = DriftControl::baumgarte(20.0, 20.0);
    vec![
        ("projection of forces, eq. (48)", Method::HeaneyHou, DriftControl::Projection(ProjectionWeight::Mass), None),
        ("projection of forces, Baumgarte", Method::HeaneyHou, stable.clone(), None),
        (
            "static penalty, eq. (71)",
            Method::StaticPenalty,
            DriftControl::Projection(ProjectionWeight::Mass),
            Some(1e5),
        ),
        ("static penalty, eq. (72)", Method::StaticPenalty, stable, Some(1e5)),
        ("penalty on phi, eq. (52)", Method::GoicoleaOrden, DriftControl::None, Some(1e5)),
        ("index 2, eq. (58)", Method::Index2, DriftControl::None, Some(1e3)),
        ("index 2, both blocks of eq. (55)", Method::Index2Static, DriftControl::None, Some(1e5)),
        ("default", Method::ConstraintForce, DriftControl::default(), None),
    ]
}

pub fn outline() -> Outline {
    Outline {
        title: "Penalty against projection",
        statement: "Newhart 2019, table 1: the static penalty (71) runs as fast as the projection (48); the penalty on \
            positions (52) becomes slower with its factor. Pendulum, 5 s, Dormand-Prince at 1e-7, factors 1e5 (1e3 \
            for eq. (58)). The error is that of x at 5 s; no tolerance removes the part that is due to the penalty.",
        head: ["method", "steps", "rhs", "ms", "/ projection", "error, m"].map(str::to_string).to_vec(),
        row_names: methods().iter().map(|(name, ..)| name.to_string()).collect(),
    }
}

/// Runs the pendulum with all methods.
pub fn measure() -> Result<Claim, ReproductionError> {
    let case = PaperModel::open("newhart_pendulum", &[])?;
    let mut rows: Vec<(u64, u64, f64, f64)> = Vec::new();
    for (_, method, drift, penalty) in methods() {
        let settings = Transient {
            integrator: Integrator::DormandPrince,
            rtol: 1e-7,
            atol: 1e-9,
            output: Output::Times(vec![5.0]),
            columns: Columns::State,
            limits: Limits { wall_clock: Some(Duration::from_secs(20)), ..Limits::default() },
            choice: SolverSettings {
                method,
                drift,
                setup: FormulationParameters { penalty, ..FormulationParameters::default() },
                ..SolverSettings::default()
            },
            ..case.settings.clone()
        };
        let mut solution = case.run_with(&settings)?;
        let mut seconds = solution.elapsed.as_secs_f64();
        for _ in 0..4 {
            solution = case.run_with(&settings)?;
            seconds = seconds.min(solution.elapsed.as_secs_f64());
        }
        let error = (at(&solution, "mass.x", 5.0)? - exact_pendulum(9.81, 5.0).0).abs();
        let work = solution.statistics;
        rows.push((work.steps, work.evaluations, seconds, error));
    }
    let unit = rows[0].2;
    let line = |(steps, rhs, seconds, error): &(u64, u64, f64, f64)| {
        vec![
            steps.to_string(),
            rhs.to_string(),
            format!("{:.2}", seconds * 1e3),
            format!("{:.2}", seconds / unit),
            format!("{error:.1e}"),
        ]
    };
    Ok(Claim { outline: outline(), cells: rows.iter().map(line).collect(), figure: None })
}
