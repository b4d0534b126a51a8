//! Bodies with generalised coordinates.

use super::{ANY_QUANTITY, ElementKind, Field, FieldType, optional, required};

pub(super) const GENERALISED: ElementKind = ElementKind {
    name: "generalised",
    doc: "A body with coordinates of your choice; Lagrange's equations follow from its energies.",
    fields: &[
        required("coordinates", FieldType::GeneralisedCoordinates, "Its coordinates; the velocity of `x` is `x'`."),
        optional("kinetic_energy", FieldType::BodyFormula, "T(q, v), a quadratic polynomial of the velocities."),
        optional("mass_matrix", FieldType::FormulaMatrix, "M(q), instead of `kinetic_energy`: M v' = forces - dV/dq."),
        optional("potential_energy", FieldType::BodyFormula, "V(q), including the weight."),
        optional(
            "forces",
            FieldType::NamedFormulas,
            "Generalised forces by coordinate; they may use names of other elements.",
        ),
        optional("states", FieldType::GeneralisedStates, "Extra states by name."),
        optional("definitions", FieldType::NamedFormulas, "Names for formulas; they may use each other."),
    ],
};

/// A coordinate of a generalised body.
pub(crate) const GENERALISED_COORDINATE: &[Field] = &[
    required("unit", FieldType::Choice(COORDINATE_UNITS), "Its unit: a length, an angle or a number."),
    optional("initial", FieldType::Number(ANY_QUANTITY), "Initial value; default: 0."),
    optional("velocity", FieldType::Number(ANY_QUANTITY), "Initial velocity; default: 0."),
];

/// An extra state of a generalised body.
pub(crate) const GENERALISED_STATE: &[Field] = &[
    required("rate", FieldType::BodyFormula, "Its rate."),
    optional("initial", FieldType::Number(ANY_QUANTITY), "Initial value; default: 0."),
];

/// Units of coordinates.
pub(crate) const COORDINATE_UNITS: &[&str] = &["m", "rad", "1"];
