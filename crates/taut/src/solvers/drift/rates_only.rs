//! Positions and velocities projected in every stage, but never the state of the integrator: [Masarati2010] eqs. (11) and
//! (17) as published. The projected state is recorded.

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
        EndOfStep::ProjectOutput
    }
}
