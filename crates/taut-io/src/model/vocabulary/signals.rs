//! Functions of time.

use super::{ANGLE, ANGULAR_VELOCITY, ANYTHING, Field, Kind, PER_TIMES, TIME, What, may, must};

pub(super) const INTERPOLATION: Field = may(
    "interpolation",
    What::Choice(&["linear", "pchip", "akima", "spline"]),
    "Interpolation between the points; default: linear.",
);
pub(super) const END_CONDITIONS: Field =
    may("end_conditions", What::Section, "Of a spline: natural (default), periodic or { clamped = { start, end } }.");
/// Value of a curve beyond its points.
pub(super) const BEYOND: What = What::Choice(&["hold", "linear", "periodic", "error"]);

pub(crate) const SIGNALS: &[Kind] = &[
    Kind { name: "constant", doc: "A constant value.", fields: &[must("value", What::Number(ANYTHING), "The value.")] },
    Kind {
        name: "polynomial",
        doc: "c0 + c1 (t − t0) + …",
        fields: &[
            must("coefficients", What::Powers(ANYTHING, PER_TIMES), "Coefficients, from the constant one upwards."),
            may("t0", What::Number(TIME), "Time about which it is expanded."),
        ],
    },
    Kind {
        name: "harmonic",
        doc: "offset + amplitude · sin(omega t + phase).",
        fields: &[
            must("amplitude", What::Number(ANYTHING), "Amplitude."),
            must("omega", What::Number(ANGULAR_VELOCITY), "Angular frequency."),
            may("phase", What::Number(ANGLE), "Phase."),
            may("offset", What::Number(ANYTHING), "Mean value."),
        ],
    },
    Kind {
        name: "table",
        doc: "A curve through points.",
        fields: &[
            must("t", What::NumbersOrColumn(TIME), "Times, or the column of `file` with the times."),
            must("y", What::NumbersOrColumn(ANYTHING), "Values, or the column of `file` with the values."),
            may(
                "file",
                What::Text,
                "A CSV or Parquet file with the points; its path is relative to the folder of the model file.",
            ),
            may("t_unit", What::Text, "Unit of the column of times, if its name does not include it."),
            may("y_unit", What::Text, "Unit of the column of values, if its name does not include it."),
            INTERPOLATION,
            END_CONDITIONS,
            may("extrapolation", BEYOND, "Value beyond its points; default: hold."),
        ],
    },
    Kind {
        name: "smooth_step",
        doc: "A step from y0 to y1 with continuous acceleration.",
        fields: &[
            must("t0", What::Number(TIME), "Begin of the step."),
            must("t1", What::Number(TIME), "End of the step."),
            must("y0", What::Number(ANYTHING), "Value before."),
            must("y1", What::Number(ANYTHING), "Value after."),
        ],
    },
    Kind { name: "expression", doc: "A formula in t.", fields: &[must("formula", What::Text, "The formula.")] },
];
