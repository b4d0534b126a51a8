//! Functions of time.

use super::{ANGLE, ANGULAR_VELOCITY, ANYTHING, Field, Kind, PER_TIMES, TIME, What, may, must};

pub(super) const INTERPOLATION: Field = may(
    "interpolation",
    What::Choice(&["linear", "pchip", "akima", "spline"]),
    "How it goes from point to point: linear if left out.",
);
pub(super) const ENDS: Field =
    may("ends", What::Section, "How a spline ends: natural, periodic or { clamped = { start, end } }.");
/// What a curve does beyond its points.
pub(super) const BEYOND: What = What::Choice(&["hold", "linear", "periodic", "refuse"]);

pub(crate) const SIGNALS: &[Kind] = &[
    Kind {
        name: "constant",
        doc: "The same value at all times.",
        fields: &[must("value", What::Number(ANYTHING), "The value.")],
    },
    Kind {
        name: "polynomial",
        doc: "c0 + c1 (t − t0) + …",
        fields: &[
            must("coefficients", What::Powers(ANYTHING, PER_TIMES), "From the constant one on."),
            may("t0", What::Number(TIME), "Where it is expanded."),
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
            may("file", What::Text, "A CSV or Parquet file with the points; its path counts from the model file."),
            may("t_unit", What::Text, "Unit of the column of times, if its name in the file does not say it."),
            may("y_unit", What::Text, "Unit of the column of values, if its name in the file does not say it."),
            INTERPOLATION,
            ENDS,
            may("extrapolation", BEYOND, "What it does beyond its points: hold if left out."),
        ],
    },
    Kind {
        name: "smooth_step",
        doc: "From y0 to y1 with continuous acceleration.",
        fields: &[
            must("t0", What::Number(TIME), "Begin."),
            must("t1", What::Number(TIME), "End."),
            must("y0", What::Number(ANYTHING), "Before."),
            must("y1", What::Number(ANYTHING), "After."),
        ],
    },
    Kind { name: "expression", doc: "A formula in t.", fields: &[must("formula", What::Text, "The formula.")] },
];
