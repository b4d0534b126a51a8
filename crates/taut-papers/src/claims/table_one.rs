//! The default compared with the rows of [Kamaraj2021] table 1: double four-bar, 10 s.

use super::{Claim, table};
use crate::reproduce::{PaperModel, ReproductionError, largest_absolute};
use taut::analyses::{Integrator, Output, Transient};
use taut::drift::{DriftControl, Gain};
use taut::dynamics::SolverSettings;
use taut::formulations::Method;
use taut::{ColumnFamily, Columns};

/// One row: name, printed drift, and the settings of our run, if there is one.
type TableOneRow = (&'static str, Option<f64>, Option<fn(&Transient) -> Transient>);

const ROWS: [TableOneRow; 9] = [
    (
        "minimal coordinates, ode45",
        Some(0.0015),
        Some(|t| with(t, Method::Partitioning, DriftControl::default(), 1e-6)),
    ),
    ("Udwadia-Kalaba, RK4 1 ms", Some(0.0072), Some(udwadia_kalaba)),
    ("augmented Lagrangian 1e15, trapezoidal", Some(0.029), None),
    ("augmented Lagrangian 8e8, trapezoidal", Some(0.0877), None),
    ("Lagrange multipliers, implicit (MBDyn)", Some(0.09), None),
    ("augmented Lagrangian 1e9, trapezoidal", Some(0.0917), None),
    ("default, dop853 at 1e-4", None, Some(|t| default(t, 1e-4))),
    ("default, dop853 at 1e-8", None, Some(|t| default(t, 1e-8))),
    ("default, dop853 at 1e-11", None, Some(|t| default(t, 1e-11))),
];

fn with(t: &Transient, method: Method, drift: DriftControl, tolerance: f64) -> Transient {
    Transient {
        integrator: Integrator::DormandPrince,
        rtol: tolerance,
        atol: tolerance,
        choice: SolverSettings { method, drift, ..SolverSettings::default() },
        ..t.clone()
    }
}

fn udwadia_kalaba(t: &Transient) -> Transient {
    let drift = DriftControl::BraunGoldfarb(Gain::PerStep);
    let method = Method::UdwadiaKalabaSpectral;
    Transient { integrator: Integrator::Rk4, h_first: Some(1e-3), ..with(t, method, drift, 1e-6) }
}

fn default(t: &Transient, tolerance: f64) -> Transient {
    Transient { integrator: Integrator::Dop853, ..with(t, Method::default(), DriftControl::default(), tolerance) }
}

/// Runs the methods that are available; the time is that of a run without output.
pub fn measure() -> Result<Claim, ReproductionError> {
    let case = PaperModel::open("kamaraj_double_four_bar", &[])?;
    let mut rows = Vec::new();
    for (name, printed, how) in ROWS {
        let printed = printed.map_or("-".to_string(), |p| format!("{p}"));
        let Some(how) = how else {
            rows.push(vec![name.to_string(), printed, "waits for implicit integrators".to_string(), "-".to_string()]);
            continue;
        };
        let watched = Transient {
            output: Output::Every(0.01),
            columns: Columns::Only(vec![ColumnFamily::Energy]),
            ..how(&case.settings)
        };
        let drift = largest_absolute(&case.run_with(&watched)?, "energy.balance")?;
        let bare = Transient { output: Output::Ends, columns: Columns::None, ..watched };
        let mut seconds = f64::INFINITY;
        for _ in 0..3 {
            seconds = seconds.min(case.run_with(&bare)?.elapsed.as_secs_f64());
        }
        rows.push(vec![name.to_string(), printed, format!("{drift:.1e}"), format!("{:.2}", seconds * 1e3)]);
    }
    Ok(Claim {
        title: "The default beside table 1 of Kamaraj 2021",
        statement: "Double four-bar, 10 s through ten singular poses: largest energy drift as printed and by our own \
            implementation of the method, and the time of our run.",
        table: table(&["method", "printed, J", "ours, J", "ms"], rows),
        figure: None,
    })
}
