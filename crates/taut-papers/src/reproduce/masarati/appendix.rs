//! The orientation between the nodes of a beam, in numbers. [Masarati2010] appendix, eqs. (36), (37)
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::reproduce::ExampleResults;
use crate::reproduce::decade::next_power_of_ten;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use nalgebra::{Rotation3, Vector3};

/// Orientation halfway between two nodes, from either of them.
pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("masarati-2010/interpolation")?;
    let (R1, R2) = (Rotation3::new(Vector3::new(0.15, -0.25, 0.35)), Rotation3::new(Vector3::new(0.05, -0.4, 0.5)));
    // Eq. (37), and half of it.
    let half = (R1.inverse() * R2).scaled_axis() * 0.5;
    let from_first = (R1 * Rotation3::new(half)).into_inner();
    let apart = |turn: Vector3<f64>| (from_first - (R2 * Rotation3::new(turn)).into_inner()).amax();
    let row = ComparisonRow::new("eq. (36)", "R₁ exp(θ×/2) against R₂ exp(−θ×/2)", "");
    found.push(
        row.compared_with(
            next_power_of_ten(apart(-half)),
            Reference::at_most(1e-14, "two ways to the same orientation"),
        ),
    );
    let row = ComparisonRow::new("eq. (36)", "R₁ exp(θ×/2) against R₂ exp(+θ×/2), as printed", "");
    found.push(row.by_formula().compared_with(apart(half), known.absolute("printed_sign", 1e-12)?));
    Ok(())
}
