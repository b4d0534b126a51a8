//! The order of the printed table.

use std::cmp::Ordering;
use taut::analyses::laboratory::TrialResult;

/// Sort key of the printed table, smallest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The error, then the time.
    #[default]
    Error,
    /// The time of the run.
    Time,
    /// The residuals of the constraints, then the error.
    Drift,
    /// The names of formulation, drift control and integrator.
    Name,
}

impl Sort {
    /// Their names; the first one is the default.
    pub const NAMES: [&str; 4] = ["error", "time", "drift", "name"];

    /// By its name.
    pub fn named(name: &str) -> Option<Sort> {
        let all = [Sort::Error, Sort::Time, Sort::Drift, Sort::Name];
        Sort::NAMES.iter().position(|n| *n == name).map(|i| all[i])
    }

    /// Order of two trials; names break ties.
    pub(super) fn compare(self, a: &TrialResult, b: &TrialResult) -> Ordering {
        // Errors that print alike compare equal, so that the faster trial comes first.
        let rounded = |x: f64| format!("{x:.1e}").parse().unwrap_or(x);
        let key = |f: &TrialResult| {
            let Some(x) = &f.metrics else { return [f64::INFINITY; 2] };
            let error = x.error.map_or(f64::INFINITY, |e| rounded(e.largest));
            match self {
                Sort::Error => [error, x.seconds],
                Sort::Time => [x.seconds, error],
                Sort::Drift => [rounded(x.phi.max(x.phidot)), error],
                Sort::Name => [0.0; 2],
            }
        };
        let (p, q) = (key(a), key(b));
        let name = |f: &TrialResult| (f.trial.method.name(), f.trial.drift_label(), f.trial.integrator.name());
        p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then_with(|| name(a).cmp(&name(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::Sort;

    #[test]
    fn orders_by_their_names() {
        assert_eq!(Sort::named(Sort::NAMES[0]), Some(Sort::default()));
        assert_eq!((Sort::named("drift"), Sort::named("speed")), (Some(Sort::Drift), None));
    }
}
