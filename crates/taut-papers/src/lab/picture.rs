//! Work-precision diagram: error over time, one curve per combination, one point per tolerance.

use std::collections::BTreeMap;
use taut::analyses::Transient;
use taut::analyses::laboratory::{LaboratoryReport, ReferenceSolution, TrialOutcome};
use taut::drift::DriftControl;
use taut::formulations::{Exactness, Method};
use taut_io::plot::{Figure, Marks, Panel, Scale, Series};

/// Largest number of curves in one panel.
const MAX_CURVES: usize = 12;

/// Group of curves that share a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CurveGroup {
    /// Formulations that satisfy A v̇ = b, with projection.
    Exact,
    /// Penalties.
    Penalties,
    /// Drift controls with the default formulation.
    Controls,
    /// All others.
    Mixed,
}

impl CurveGroup {
    fn label(self) -> &'static str {
        match self {
            CurveGroup::Exact => "error, formulations",
            CurveGroup::Penalties => "error, penalties",
            CurveGroup::Controls => "error, drift controls",
            CurveGroup::Mixed => "error, combinations",
        }
    }

    /// The groups of a combination; the default belongs to two.
    fn of(method: Method, drift: &DriftControl, settings: &Transient) -> Vec<CurveGroup> {
        let exact = method.dense(&settings.choice.setup).is_none_or(|d| d.exactness() == Exactness::Exact);
        let projected = matches!(drift, DriftControl::Projection(_));
        match (exact, projected, method == Method::default()) {
            (false, ..) => vec![CurveGroup::Penalties],
            (true, true, true) => vec![CurveGroup::Exact, CurveGroup::Controls],
            (true, true, false) => vec![CurveGroup::Exact],
            (true, false, true) => vec![CurveGroup::Controls],
            (true, false, false) => vec![CurveGroup::Mixed],
        }
    }
}

/// The diagram, if there is anything to draw, and the curves left out for lack of space.
pub fn draw(report: &LaboratoryReport, settings: &Transient, title: &str) -> (Option<Figure>, Vec<String>) {
    let findings = &report.results;
    let integrators = findings.iter().any(|f| f.trial.integrator != findings[0].trial.integrator);
    let mut groups: BTreeMap<CurveGroup, Vec<Series>> = BTreeMap::new();
    for f in findings.iter().filter(|f| f.outcome == TrialOutcome::Finished) {
        let Some((x, y)) = f.metrics.as_ref().and_then(|g| g.error.map(|e| (g.seconds, e.largest))) else { continue };
        // Zero and NaN cannot be drawn on logarithmic scales.
        if !(x > 0.0 && y > 0.0 && x.is_finite() && y.is_finite()) {
            continue;
        }
        for group in CurveGroup::of(f.trial.method, &f.trial.drift, settings) {
            let mut label = match group {
                CurveGroup::Exact => f.trial.method.name().to_string(),
                CurveGroup::Controls => f.trial.drift_label(),
                CurveGroup::Penalties | CurveGroup::Mixed => format!("{}, {}", f.trial.method, f.trial.drift_label()),
            };
            if integrators {
                label += &format!(", {}", f.trial.integrator);
            }
            let curves = groups.entry(group).or_default();
            match curves.iter_mut().find(|s| s.label == label) {
                Some(curve) => {
                    curve.x.push(1e3 * x);
                    curve.y.push(y);
                }
                None => curves.push(Series { label, x: vec![1e3 * x], y: vec![y] }),
            }
        }
    }
    let x = groups.values().flatten().flat_map(|s| &s.x);
    let ends = x.fold([f64::INFINITY, 0.0], |[a, b]: [f64; 2], x| [a.min(*x), b.max(*x)]);
    let (mut panels, mut left_out) = (Vec::new(), Vec::new());
    for (group, mut series) in groups {
        let rest = series.split_off(series.len().min(MAX_CURVES));
        left_out.extend(rest.into_iter().map(|s| s.label));
        // Errors below the accuracy of the reference are meaningless; a line marks it.
        if let ReferenceSolution::Known { accuracy, .. } = report.reference
            && series.iter().flat_map(|s| &s.y).any(|y| *y < accuracy)
        {
            let label = "accuracy of the reference".to_string();
            series.push(Series { label, x: ends.to_vec(), y: vec![accuracy; 2] });
        }
        // A panel with the default alone adds no information.
        if series.len() > 1 || panels.is_empty() {
            panels.push(Panel { label: group.label().to_string(), unit: "1".to_string(), series });
        }
    }
    if panels.is_empty() {
        return (None, left_out);
    }
    let height = if panels.len() == 1 { 340.0 } else { 230.0 };
    let figure = Figure::new("time of the run", "ms", panels)
        .titled(&format!("{title}: work and precision"))
        .sized(820.0, height)
        .scaled(Scale::Logarithmic, Scale::Logarithmic)
        .marked(Marks::Points);
    (Some(figure), left_out)
}
