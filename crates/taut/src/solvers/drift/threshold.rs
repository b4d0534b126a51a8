//! Positions and velocities projected after a step whose residuals exceed a threshold: Yu and Chen, as described in
//! [Masarati2010] §3.3.

use super::{DriftAction, DriftParameters, EndOfStep, ProjectionWeight};
use serde::{Deserialize, Serialize};

/// The norm and the threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Threshold {
    /// The norm.
    pub weight: ProjectionWeight,
    /// Largest |φ| or |φ̇| that is not corrected.
    pub above: f64,
}

pub(super) struct Control;

impl DriftAction for Control {
    type Values = Threshold;

    fn values(weight: ProjectionWeight, given: DriftParameters) -> Threshold {
        Threshold { weight, above: given.above.unwrap_or(1e-6) }
    }
    fn weight(values: &Threshold) -> Option<&ProjectionWeight> {
        Some(&values.weight)
    }
    fn parameters(values: &Threshold) -> Vec<(&'static str, f64)> {
        vec![("above", values.above)]
    }
    fn end_of_step(values: &Threshold) -> EndOfStep {
        EndOfStep::ProjectAbove(values.above)
    }
}
