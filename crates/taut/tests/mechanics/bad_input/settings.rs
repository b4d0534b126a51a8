//! States that do not fit the model, and invalid settings of analyses.

use super::{INF, NAN, pendulum, says};
use taut::BuildError;
use taut::analyses::{AnalysisError, AssemblySettings, Transient, assemble, inverse, kinematic, rank, simulate};
use taut::drift::{DriftControl, ProjectionWeight};
use taut::dynamics::SolverSettings;

#[test]
fn states_that_do_not_fit() {
    let model = pendulum().build().unwrap();
    let good = model.initial_state();
    type Spoil = fn(&mut taut::State);
    let sizes: [(Spoil, &str); 4] = [
        (|s| s.q.push(0.0), "coordinates"),
        (|s| s.v.clear(), "velocities"),
        (|s| s.z.push(0.0), "extra states"),
        (|s| s.modes.clear(), "modes"),
    ];
    for (spoil, what) in sizes {
        let mut state = good.clone();
        spoil(&mut state);
        let errors = [
            simulate(&model, &state, &Transient::to(1.0)).unwrap_err(),
            assemble(&model, &state, &AssemblySettings::default()).unwrap_err(),
            rank(&model, &state).unwrap_err(),
            kinematic(&model, &state, &[0.0]).unwrap_err(),
            inverse(&model, &state, &[0.0; 3]).unwrap_err(),
        ];
        for error in errors {
            says(&error, &[what, "the model has"]);
            assert!(matches!(error, AnalysisError::State(BuildError::WrongSize { .. })));
        }
    }
    let lost: [(Spoil, &str); 3] =
        [(|s| s.t = NAN, "time"), (|s| s.q[1] = INF, "`rod.y`"), (|s| s.v[2] = NAN, "`rod.omega`")];
    for (spoil, what) in lost {
        let mut state = good.clone();
        spoil(&mut state);
        for error in [
            simulate(&model, &state, &Transient::to(1.0)).unwrap_err(),
            assemble(&model, &state, &AssemblySettings::default()).unwrap_err(),
        ] {
            says(&error, &[what, "not finite", "give a finite number"]);
            assert!(matches!(error, AnalysisError::NotFinite { .. }));
        }
    }
    let error = inverse(&model, &good, &[0.0; 2]).unwrap_err();
    says(&error, &["the acceleration has 2", "the model has 3"]);
    says(&inverse(&model, &good, &[NAN; 3]).unwrap_err(), &["the acceleration", "not finite"]);
}

#[test]
fn invalid_settings() {
    let model = pendulum().build().unwrap();
    let start = model.initial_state();
    let refuse = |settings: Transient, words: &[&str]| {
        let error = simulate(&model, &start, &settings).unwrap_err();
        says(&error, words);
        error
    };
    for t_end in [NAN, INF, -1.0] {
        let error = refuse(Transient::to(t_end), &["t_end", "finite time after the start"]);
        assert!(matches!(error, AnalysisError::EndTime { .. }));
    }
    for interval in [0.0, -0.1, NAN, INF, 1e-12] {
        let error = refuse(Transient::to(1.0).every(interval), &["output interval", "greater than zero"]);
        assert!(matches!(error, AnalysisError::Interval { .. }));
    }
    let error = refuse(Transient::to(1.0).at(vec![0.0, 0.5, 0.4]), &["output time 2", "0.4 s", "sort the times"]);
    assert!(matches!(error, AnalysisError::Times { index: 2, .. }));
    refuse(Transient::to(1.0).at(vec![0.0, NAN]), &["output time 1", "not finite"]);
    for (rtol, atol) in [(-1e-8, 1e-8), (1e-8, -1.0), (NAN, 1e-8), (0.0, 0.0)] {
        let error = refuse(Transient::to(1.0).tolerance(rtol, atol), &["integrator", "tolerances", "rtol"]);
        assert!(matches!(error, AnalysisError::Integrator(_)));
    }
    refuse(Transient::to(1.0).largest_step(-1.0), &["h_max = -1", "positive step size"]);
    refuse(Transient::to(1.0).first_step(NAN), &["h_first = NaN"]);
    let fixed = Transient::to(1.0).integrator(taut::analyses::Integrator::Rk4);
    refuse(fixed, &["needs the size of its steps"]);
    for weights in [vec![1.0; 2], vec![1.0, -1.0, 1.0], vec![1.0, NAN, 1.0]] {
        let drift = DriftControl::Projection(ProjectionWeight::Diagonal(weights.clone()));
        let choice = SolverSettings { drift, ..SolverSettings::default() };
        let error =
            refuse(Transient::to(1.0).choice(choice), &["weights of the projection", "3 velocities", "positive"]);
        assert!(matches!(error, AnalysisError::Weights { .. }));
        let settings = AssemblySettings::default().weight(ProjectionWeight::Diagonal(weights));
        assert!(matches!(assemble(&model, &start, &settings), Err(AnalysisError::Weights { .. })));
    }
    let error = kinematic(&model, &start, &[0.0, 1.0]).unwrap_err();
    says(&error, &["not fully prescribed", "1 freedom(s)", "`rod`", "add drivers"]);
    says(&kinematic(&model, &start, &[1.0, 0.0]).unwrap_err(), &["output time 1", "sort the times"]);
}
