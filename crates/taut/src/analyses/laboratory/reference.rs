//! The reference solution for errors: the default formulation with projection, at the tightest tolerance that finishes.

use super::parallel::in_parallel;
use super::{ContinueCheck, Laboratory, MaxAndFinal};
use crate::analyses::Transient;
use crate::analyses::{Integrator, Limits};
use crate::bodies::ExtraColumn;
use crate::drift::DriftControl;
use crate::formulations::Method;
use crate::model::{BodyEntry, Model};
use crate::solution::{Outcome, Solution};
use taut_ode::StepControl;

/// Tolerances, tried in turn until two runs have finished.
const REFERENCE_TOLERANCES: [f64; 6] = [1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8];
/// Wall-clock limit of the reference, relative to that of a trial.
const REFERENCE_TIME_FACTOR: u32 = 3;

/// The reference solution, if there is one.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferenceSolution {
    /// Two reference runs finished.
    Known {
        /// Its tolerance, relative and absolute.
        rtol: f64,
        /// Tolerance of the second run.
        second_rtol: f64,
        /// Largest difference of a coordinate between the two runs; smaller errors are meaningless.
        accuracy: f64,
    },
    /// There is no reference.
    Unknown {
        /// The reason.
        reason: String,
    },
}

/// Coordinates over time: one row per output, its time first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CoordinateHistory(Vec<Vec<f64>>);

impl CoordinateHistory {
    /// Largest difference of a coordinate at common times, and the one at the last of them.
    pub fn distance(&self, other: &CoordinateHistory) -> MaxAndFinal {
        let (mut largest, mut end) = (0.0_f64, 0.0_f64);
        for (mine, theirs) in self.0.iter().zip(&other.0) {
            // Equal settings give equal times, until one of the runs stops.
            if mine.first() != theirs.first() {
                break;
            }
            let apart = mine.iter().zip(theirs).map(|(a, b)| (a - b).abs());
            end = apart.fold(0.0, |most: f64, x| if x.is_nan() || x > most { x } else { most });
            // NaN remains the largest.
            largest = if largest.is_nan() || end.is_nan() { f64::NAN } else { largest.max(end) };
        }
        MaxAndFinal { largest, end }
    }
}

/// Times and coordinates of a solution. If a body may change its chart of orientation, the unit quaternion is used instead, because
/// two runs need not change charts at the same time.
pub(super) fn coordinate_history(model: &Model, found: &Solution) -> CoordinateHistory {
    let own = |b: &BodyEntry| -> Vec<String> {
        let body = b.kind.body();
        let attitude = body.extra_columns().contains(&ExtraColumn::Attitude);
        let all = body.coordinates().into_iter().map(|q| q.name);
        let kept = if attitude { ["x", "y", "z"].map(str::to_string).to_vec() } else { all.collect() };
        let turned: &[&str] = if attitude { &["qw", "qx", "qy", "qz"] } else { &[] };
        let names = kept.into_iter().chain(turned.iter().map(ToString::to_string));
        names.map(|name| b.qualified_name(&name)).collect()
    };
    let names: Vec<String> = model.bodies.iter().flat_map(own).collect();
    let columns: Vec<&[f64]> = names.iter().filter_map(|q| found.column(q).ok()).collect();
    let row = |(i, t): (usize, &f64)| std::iter::once(*t).chain(columns.iter().map(|c| c[i])).collect();
    CoordinateHistory(found.t().iter().enumerate().map(row).collect())
}

/// Tries the tolerances in turn. Of the two tightest runs that finish, the tighter one is the reference.
pub(super) fn compute_reference(
    lab: &Laboratory,
    look: ContinueCheck,
) -> (ReferenceSolution, Option<CoordinateHistory>) {
    let mut good: Vec<(f64, CoordinateHistory)> = Vec::new();
    let mut why = "no run at a tight tolerance finished".to_string();
    for pair in REFERENCE_TOLERANCES.chunks(2) {
        let run = |i: usize| lab.integrate(&reference_settings(&lab.settings, pair[i]), look);
        for (rtol, found) in pair.iter().zip(in_parallel(lab.jobs, pair.len(), run)) {
            match found {
                Ok(s) if s.outcome.is_success() => good.push((*rtol, coordinate_history(lab.model, &s))),
                Ok(s) if s.outcome == Outcome::Underway => {
                    return (ReferenceSolution::Unknown { reason: "interrupted".to_string() }, None);
                }
                Ok(s) => why = format!("the run at rtol = {rtol:.0e} {}", s.outcome),
                Err(e) => why = e.to_string(),
            }
        }
        if let [(rtol, best), (second, other), ..] = &good[..] {
            let accuracy = best.distance(other).largest;
            return (ReferenceSolution::Known { rtol: *rtol, second_rtol: *second, accuracy }, Some(best.clone()));
        }
    }
    (ReferenceSolution::Unknown { reason: why }, None)
}

fn reference_settings(settings: &Transient, rtol: f64) -> Transient {
    let mut settings = settings.clone().integrator(Integrator::Dop853).tolerance(rtol, rtol);
    settings.choice.method = Method::default();
    settings.choice.drift = DriftControl::default();
    // A step chosen for another method or tolerance does not apply.
    settings.h_first = None;
    settings.step_control = StepControl::Varying;
    let wall_clock = settings.limits.wall_clock.map(|limit| limit * REFERENCE_TIME_FACTOR);
    settings.limits = Limits { wall_clock, max_steps: None };
    settings
}

#[cfg(test)]
mod tests {
    use super::CoordinateHistory;

    #[test]
    fn distances_use_common_times_only() {
        let a = CoordinateHistory(vec![vec![0.0, 1.0], vec![0.1, 3.0], vec![0.2, 5.0]]);
        let b = CoordinateHistory(vec![vec![0.0, 1.5], vec![0.1, 3.25], vec![0.15, 9.0]]);
        let d = a.distance(&b);
        assert_eq!((d.largest, d.end), (0.5, 0.25));
        let none = CoordinateHistory(vec![vec![0.0, f64::NAN], vec![0.1, 3.0], vec![0.2, 5.0]]);
        assert!(a.distance(&none).largest.is_nan());
    }
}
