//! Functions of time.

use super::{
    ANGLE, ANGULAR_VELOCITY, ANY_QUANTITY, ElementKind, Field, FieldType, PER_TIME_POWERS, TIME, optional, required,
};

pub(super) const INTERPOLATION: Field = optional(
    "interpolation",
    FieldType::Choice(&["linear", "pchip", "akima", "spline"]),
    "Interpolation between the points; default: linear.",
);
pub(super) const END_CONDITIONS: Field = optional(
    "end_conditions",
    FieldType::Section,
    "Of a spline: natural (default), periodic or { clamped = { start, end } }.",
);
/// Value of a curve beyond its points.
pub(super) const EXTRAPOLATIONS: FieldType = FieldType::Choice(&["hold", "linear", "periodic", "error"]);

pub(crate) const SIGNALS: &[ElementKind] = &[
    ElementKind {
        name: "constant",
        doc: "A constant value.",
        fields: &[required("value", FieldType::Number(ANY_QUANTITY), "The value.")],
    },
    ElementKind {
        name: "polynomial",
        doc: "c0 + c1 (t − t0) + …",
        fields: &[
            required(
                "coefficients",
                FieldType::Powers(ANY_QUANTITY, PER_TIME_POWERS),
                "Coefficients, from the constant one upwards.",
            ),
            optional("t0", FieldType::Number(TIME), "Time about which it is expanded."),
        ],
    },
    ElementKind {
        name: "harmonic",
        doc: "offset + amplitude · sin(omega t + phase).",
        fields: &[
            required("amplitude", FieldType::Number(ANY_QUANTITY), "Amplitude."),
            required("omega", FieldType::Number(ANGULAR_VELOCITY), "Angular frequency."),
            optional("phase", FieldType::Number(ANGLE), "Phase."),
            optional("offset", FieldType::Number(ANY_QUANTITY), "Mean value."),
        ],
    },
    ElementKind {
        name: "table",
        doc: "A curve through points.",
        fields: &[
            required("t", FieldType::NumbersOrColumn(TIME), "Times, or the column of `file` with the times."),
            required("y", FieldType::NumbersOrColumn(ANY_QUANTITY), "Values, or the column of `file` with the values."),
            optional(
                "file",
                FieldType::String,
                "A CSV or Parquet file with the points; its path is relative to the folder of the model file.",
            ),
            optional("t_unit", FieldType::String, "Unit of the column of times, if its name does not include it."),
            optional("y_unit", FieldType::String, "Unit of the column of values, if its name does not include it."),
            INTERPOLATION,
            END_CONDITIONS,
            optional("extrapolation", EXTRAPOLATIONS, "Value beyond its points; default: hold."),
        ],
    },
    ElementKind {
        name: "smooth_step",
        doc: "A step from y0 to y1 with continuous acceleration.",
        fields: &[
            required("t0", FieldType::Number(TIME), "Start of the step."),
            required("t1", FieldType::Number(TIME), "End of the step."),
            required("y0", FieldType::Number(ANY_QUANTITY), "Value before."),
            required("y1", FieldType::Number(ANY_QUANTITY), "Value after."),
        ],
    },
    ElementKind {
        name: "expression",
        doc: "A formula in t.",
        fields: &[required("formula", FieldType::String, "The formula.")],
    },
];
