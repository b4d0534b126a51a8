//! The equilibrium of a member.

use super::{Builder, Failure, Found, Needs, motion};
use taut::analyses::{Equilibrium, LoadPath, Loading, PathEnd, PathPoint, Statics, load_path, statics};

/// Wraps one equilibrium as a path of one point.
fn single_point(found: &Equilibrium) -> LoadPath {
    let point = PathPoint {
        load_factor: 1.0,
        state: found.state.clone(),
        vdot: found.vdot.clone(),
        lambda: found.lambda.clone(),
        iterations: found.iterations,
        min_stiffness: f64::NAN,
    };
    LoadPath { points: vec![point], branched: None, critical: Vec::new(), end: PathEnd::Whole }
}

/// The equilibrium near the start, or the path of equilibria under a load that grows in steps.
pub(super) fn equilibrium(build: &Builder, load_steps: Option<usize>, needs: &Needs) -> Result<Found, Failure> {
    let file = build(&[])?;
    let model = file.build()?;
    let start = file.state(&model);
    let loading = load_steps.map_or(Loading::AtOnce, Loading::Steps);
    let settings = Statics { loading, ..Statics::default() };
    let path = match loading {
        Loading::AtOnce => statics(&model, &start, &settings).map(|found| single_point(&found)),
        _ => load_path(&model, &start, &settings),
    };
    let path = path.map_err(|e| Failure::Invalid(e.to_string()))?;
    let iterations = path.points.iter().map(|p| p.iterations as u64).sum();
    Ok(Found { steps: iterations, stopped: None, ..motion::from_solution(path.solution(&model), needs) })
}
