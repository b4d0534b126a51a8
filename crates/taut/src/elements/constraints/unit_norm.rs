//! The squares of these coordinates sum to one.

use super::{
    Constraint, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel, RowTerms,
};
use crate::error::ParameterError;
use crate::motion::{Vec3, Wrench};
use serde::{Deserialize, Serialize};

/// The squares of these coordinates sum to one: φ = Σ s² − 1.
///
/// \[Newhart2019\] eq. (31), the constraint of Euler parameters. Bodies add it as `body.norm`; A = 2 sᵀ, c = 2 Σ ṡ².
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitNorm {
    /// The coordinates, `body.coordinate`.
    pub of: Vec<String>,
}

impl UnitNorm {
    /// The constraint on these coordinates.
    pub fn of(coordinates: impl IntoIterator<Item = String>) -> UnitNorm {
        UnitNorm { of: coordinates.into_iter().collect() }
    }
}

impl Constraint for UnitNorm {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.of.iter().map(|c| MarkerReference::coordinate(c)).collect()
    }
    fn rows(&self) -> Vec<RowInfo> {
        vec![RowInfo { name: "norm", level: RowLevel::Position, unit: "1" }]
    }
    fn check(&self) -> Result<(), ParameterError> {
        if self.of.is_empty() {
            return Err(ParameterError::invalid("of", "name at least one coordinate"));
        }
        Ok(())
    }
    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let sum: f64 = (0..at.len()).map(|k| at[k].p.x * at[k].p.x).sum();
        (rows.phi[0], rows.phi_t[0]) = (sum - 1.0, 0.0);
        (0..at.len()).for_each(|k| rows.D[k] = Wrench::force(Vec3::new(2.0 * at[k].p.x, 0.0, 0.0)));
    }
    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        rows.c[0] = (0..at.len()).map(|k| 2.0 * at[k].v.x * at[k].v.x).sum();
    }
}

impl ExtraStates for UnitNorm {}
impl NonSmooth for UnitNorm {}
impl FrictionLaw for UnitNorm {}
