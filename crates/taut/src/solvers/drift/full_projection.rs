//! As projection, with positions and velocities also projected in every stage.
//!
//! Rows that are dependent only on the manifold are then never evaluated off it, where they would conflict. One more
//! factorisation per stage.

use super::{DriftAction, DriftParameters, EndOfStep, ProjectionWeight, StageProjection};

pub(super) struct Control;

impl DriftAction for Control {
    type Values = ProjectionWeight;

    fn values(weight: ProjectionWeight, _given: DriftParameters) -> ProjectionWeight {
        weight
    }
    fn weight(weight: &ProjectionWeight) -> Option<&ProjectionWeight> {
        Some(weight)
    }
    const STAGE: StageProjection = StageProjection::Full;
    fn end_of_step(_weight: &ProjectionWeight) -> EndOfStep {
        EndOfStep::Project
    }
}
