//! Functions of time.

use super::{ANGLE, ANGULAR_VELOCITY, ANYTHING, Kind, TIME, What, may, must};

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
            must("coefficients", What::Numbers(ANYTHING), "From the constant one on."),
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
        doc: "The cubic spline through points.",
        fields: &[
            must("t", What::Numbers(TIME), "Times."),
            must("y", What::Numbers(ANYTHING), "Values."),
            may("ends", What::Section, "How the curve ends."),
            may("extrapolation", What::Choice(&["hold", "linear"]), "What it does beyond its points."),
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
