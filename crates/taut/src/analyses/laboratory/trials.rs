//! Trials: formulation, drift control, integrator and step control, and sets of these.

use crate::analyses::Transient;
use crate::analyses::{Integrator, check_positive};
use crate::drift::{DriftControl, ProjectionWeight};
use crate::formulations::{Exactness, Method};

/// Tightest and loosest tolerance that is chosen automatically.
const TOLERANCE_RANGE: (f64, f64) = (1e-13, 1e-2);

/// Step control of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrialStepping {
    /// By tolerances.
    Tolerance {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance.
        atol: f64,
    },
    /// Fixed step, s; `None` if the settings give no step.
    Fixed(Option<f64>),
}

/// One combination of methods to run a model with.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The formulation.
    pub method: Method,
    /// The drift control.
    pub drift: DriftControl,
    /// The integrator.
    pub integrator: Integrator,
    /// Its step control.
    pub stepping: TrialStepping,
}

impl Trial {
    /// The settings of its run; everything else is taken from `common`.
    pub fn settings(&self, common: &Transient) -> Transient {
        let mut settings = common.clone().integrator(self.integrator);
        settings.choice.method = self.method;
        settings.choice.drift = self.drift.clone();
        match self.stepping {
            TrialStepping::Tolerance { rtol, atol } => (settings.rtol, settings.atol) = (rtol, atol),
            TrialStepping::Fixed(h) => settings.h_first = h,
        }
        settings
    }

    /// The drift control with its parameters: `baumgarte (alpha 5, beta 5)`.
    pub fn drift_label(&self) -> String {
        let short = |x: f64| if x != 0.0 && x < 1e-3 { format!("{x:e}") } else { x.to_string() };
        let mut words: Vec<String> =
            self.drift.parameters().iter().map(|(name, x)| format!("{name} {}", short(*x))).collect();
        match self.drift.weight() {
            Some(ProjectionWeight::Identity) => words.push("identity".to_string()),
            Some(ProjectionWeight::Diagonal(_)) => words.push("diagonal".to_string()),
            Some(ProjectionWeight::Mass) | None => {}
        }
        let name = self.drift.name();
        if words.is_empty() { name.to_string() } else { format!("{name} ({})", words.join(", ")) }
    }

    /// Why this trial cannot start, if so. The run itself reports incompatible methods and what the model does not allow.
    pub fn invalid_reason(&self) -> Option<String> {
        match self.stepping {
            TrialStepping::Fixed(h) if h.is_none_or(|h| check_positive("step", h).is_err()) => {
                Some(format!("the step of {} is fixed, but the settings give none", self.integrator))
            }
            _ => None,
        }
    }
}

/// Which combinations are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrialSet {
    /// Every formulation with its suitable drift controls, and every drift control with the default formulation.
    #[default]
    Recommended,
    /// Every formulation with every drift control and every integrator.
    Full,
}

/// What to try; fields that are `None` are chosen by `set`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialSelection {
    /// Formulations.
    pub formulations: Option<Vec<Method>>,
    /// Drift controls.
    pub drifts: Option<Vec<DriftControl>>,
    /// Integrators.
    pub integrators: Option<Vec<Integrator>>,
    /// Relative tolerances.
    pub tolerances: Option<Vec<f64>>,
    /// Which combinations.
    pub set: TrialSet,
}

impl TrialSelection {
    /// The trials for a model with these settings; the choice of the settings comes first.
    pub fn trials(&self, settings: &Transient) -> Vec<Trial> {
        let integrators = match (&self.integrators, self.set) {
            (Some(given), _) => given.clone(),
            (None, TrialSet::Recommended) => vec![settings.integrator],
            (None, TrialSet::Full) => {
                let others = Integrator::ALL.into_iter().filter(|i| *i != settings.integrator);
                std::iter::once(settings.integrator).chain(others).collect()
            }
        };
        let tolerances = self.tolerances(settings);
        let mut trials = Vec::new();
        for integrator in integrators {
            for (method, drift) in self.method_drift_pairs(settings) {
                for (i, rtol) in tolerances.iter().enumerate() {
                    let trial_stepping = stepping(settings, integrator, *rtol, (i, tolerances.len()));
                    let trial = Trial { method, drift: drift.clone(), integrator, stepping: trial_stepping };
                    if !trials.contains(&trial) {
                        trials.push(trial);
                    }
                }
            }
        }
        trials
    }

    /// Tolerances from loose to tight: those given, or the model's own between two others.
    fn tolerances(&self, settings: &Transient) -> Vec<f64> {
        let (tightest, loosest) = TOLERANCE_RANGE;
        let own = settings.rtol;
        let mut list = match (&self.tolerances, self.set) {
            (Some(given), _) => given.clone(),
            (None, TrialSet::Full) => vec![own],
            (None, TrialSet::Recommended) => {
                let around = [1e2 * own, 1e-2 * own].map(|x| x.clamp(tightest, loosest));
                vec![around[0].max(own), own, around[1].min(own)]
            }
        };
        list.sort_by(|a, b| b.total_cmp(a));
        list.dedup();
        list
    }

    fn method_drift_pairs(&self, settings: &Transient) -> Vec<(Method, DriftControl)> {
        let own = &settings.choice;
        let every_method = || self.formulations.clone().unwrap_or_else(|| Method::ALL.to_vec());
        let every_drift = || self.drifts.clone().unwrap_or_else(|| all_drifts(settings));
        let product = |methods: Vec<Method>, drifts: Vec<DriftControl>| {
            methods.into_iter().flat_map(|m| drifts.iter().map(move |d| (m, d.clone())).collect::<Vec<_>>()).collect()
        };
        let natural = |methods: Vec<Method>| {
            methods.into_iter().flat_map(|m| compatible_drifts(m, settings).into_iter().map(move |d| (m, d))).collect()
        };
        match (self.set, &self.formulations, &self.drifts) {
            (TrialSet::Full, ..) | (_, Some(_), Some(_)) => product(every_method(), every_drift()),
            (TrialSet::Recommended, Some(methods), None) => natural(methods.clone()),
            (TrialSet::Recommended, None, Some(drifts)) => product(vec![own.method], drifts.clone()),
            (TrialSet::Recommended, None, None) => {
                let mut pairs = vec![(own.method, own.drift.clone())];
                pairs.extend::<Vec<_>>(natural(Method::ALL.to_vec()));
                pairs.extend::<Vec<_>>(product(vec![Method::default()], all_drifts(settings)));
                pairs
            }
        }
    }
}

/// The drift control of that name: the model's own if the names agree, otherwise with the given or default parameters.
fn drift_by_name(name: &str, settings: &Transient) -> Option<DriftControl> {
    let own = &settings.choice.drift;
    let weight = own.weight().cloned().unwrap_or_default();
    if own.name() == name { Some(own.clone()) } else { DriftControl::from_name(name, weight, settings.choice.numbers) }
}

/// All drift controls.
fn all_drifts(settings: &Transient) -> Vec<DriftControl> {
    DriftControl::NAMES.iter().filter_map(|name| drift_by_name(name, settings)).collect()
}

/// Drift controls that suit a formulation: projection, and for a penalty also none, as in its publication.
fn compatible_drifts(method: Method, settings: &Transient) -> Vec<DriftControl> {
    let exact = method.dense(&settings.choice.setup).is_none_or(|d| d.exactness() == Exactness::Exact);
    let names: &[&str] = if exact { &["projection"] } else { &["none", "projection"] };
    names.iter().filter_map(|name| drift_by_name(name, settings)).collect()
}

/// Step control of the i-th of several tolerances. Fixed steps are halved from one to the next, centred on the model's own step.
fn stepping(settings: &Transient, integrator: Integrator, rtol: f64, (i, of): (usize, usize)) -> TrialStepping {
    match integrator {
        Integrator::Rk4 => TrialStepping::Fixed(settings.h_first.map(|h| h * 2f64.powi((of / 2) as i32 - i as i32))),
        // The absolute tolerance is scaled with the relative one.
        _ => TrialStepping::Tolerance { rtol, atol: settings.atol * (rtol / settings.rtol) },
    }
}

#[cfg(test)]
mod tests {
    use super::{TrialSelection, TrialSet, TrialStepping};
    use crate::analyses::{Integrator, Transient};
    use crate::drift::DriftControl;
    use crate::formulations::Method;

    #[test]
    fn the_recommended_set_has_every_formulation_and_every_control() {
        let settings = Transient::to(1.0).tolerance(1e-8, 1e-10);
        let trials = TrialSelection::default().trials(&settings);
        assert_eq!((trials[0].method, &trials[0].drift), (Method::default(), &DriftControl::default()));
        assert!(Method::ALL.iter().all(|m| trials.iter().any(|t| t.method == *m)));
        assert!(DriftControl::NAMES.iter().all(|d| trials.iter().any(|t| t.drift.name() == *d)));
        let steppings: Vec<TrialStepping> = trials[..3].iter().map(|t| t.stepping).collect();
        let expected = [(1e-6, 1e-8), (1e-8, 1e-10), (1e-10, 1e-12)];
        for (trial_stepping, (rtol, atol)) in steppings.iter().zip(expected) {
            let TrialStepping::Tolerance { rtol: r, atol: a } = trial_stepping else { panic!("{trial_stepping:?}") };
            assert!((r / rtol - 1.0).abs() < 1e-12 && (a / atol - 1.0).abs() < 1e-12, "{trial_stepping:?}");
        }
        let repeated = (0..trials.len()).any(|i| trials[..i].contains(&trials[i]));
        assert!(!repeated);
    }

    #[test]
    fn the_full_set_is_the_product() {
        let menu = TrialSelection { set: TrialSet::Full, ..TrialSelection::default() };
        let all = Method::ALL.len() * DriftControl::NAMES.len() * Integrator::ALL.len();
        assert_eq!(menu.trials(&Transient::to(1.0)).len(), all);
        let some = TrialSelection {
            integrators: Some(vec![Integrator::Rk4]),
            tolerances: Some(vec![1e-3, 1e-5, 1e-7]),
            ..menu
        };
        let trials = some.trials(&Transient::to(1.0).first_step(1e-3));
        assert_eq!(trials.len(), 3 * Method::ALL.len() * DriftControl::NAMES.len());
        assert_eq!(
            [trials[0].stepping, trials[2].stepping],
            [TrialStepping::Fixed(Some(2e-3)), TrialStepping::Fixed(Some(5e-4))]
        );
    }

    #[test]
    fn a_fixed_step_must_be_given() {
        let settings = Transient::to(1.0).integrator(Integrator::Rk4);
        let trials = TrialSelection::default().trials(&settings);
        let why = trials[0].invalid_reason().unwrap();
        assert!(why.contains("rk4") && trials.iter().all(|t| t.invalid_reason().is_some()), "{why}");
    }
}
