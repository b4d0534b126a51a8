//! Air, polars, wings and discs.

use super::{
    ANGLE, DENSITY, DIMENSIONLESS, ElementKind, Field, FieldType, LENGTH, RATIO, TIME, VELOCITY, optional, required,
};

pub(crate) const AIR: &[Field] = &[
    optional("density", FieldType::Number(DENSITY), "Density; default: 1.225 kg/m^3."),
    optional("sound", FieldType::Number(VELOCITY), "Speed of sound; default: 340 m/s."),
    optional(
        "wind",
        FieldType::ThreeNumbersOrFormulas(VELOCITY, &["x", "y", "z", "t"]),
        "Velocity of the air in world axes, each a number or a formula of x, y, z, t and signals; default: none.",
    ),
];

const SLOPE: Field = required("slope", FieldType::Number(DIMENSIONLESS), "Slope of the lift at small angles, per rad.");
const DRAG: Field = optional("drag", FieldType::Number(DIMENSIONLESS), "Drag coefficient; default: 0.");
const POLAR_VARIABLES: &[&str] = &["alpha", "mach"];

pub(crate) const POLAR_GRID: &[Field] = &[
    required("alpha", FieldType::Numbers(ANGLE), "Angles of attack, increasing."),
    optional("mach", FieldType::Numbers(DIMENSIONLESS), "Mach numbers, increasing; default: no influence."),
    required(
        "values",
        FieldType::NumbersOrLists(DIMENSIONLESS),
        "One value per angle, or with `mach` one list per angle with one value per Mach number.",
    ),
];

pub(crate) const POLARS: &[ElementKind] = &[
    ElementKind {
        name: "linear",
        doc: "Lift proportional to the angle of attack.",
        fields: &[
            SLOPE,
            optional("zero_lift_angle", FieldType::Number(ANGLE), "Angle without lift; default: 0."),
            DRAG,
            optional(
                "moment",
                FieldType::Number(DIMENSIONLESS),
                "Moment coefficient about the quarter-chord point, nose up; default: 0.",
            ),
        ],
    },
    ElementKind {
        name: "sine",
        doc: "cl = slope sin(alpha): the classical rotor equations, exactly, without reversed flow.",
        fields: &[SLOPE, DRAG],
    },
    ElementKind {
        name: "plate",
        doc: "cl = slope sin(alpha) cos(alpha): correct sign in reversed flow.",
        fields: &[SLOPE, DRAG],
    },
    ElementKind {
        name: "formula",
        doc: "Formulas of alpha (rad, from -pi to pi) and mach.",
        fields: &[
            required("cl", FieldType::NumberOrFormula(DIMENSIONLESS, POLAR_VARIABLES), "Lift coefficient."),
            optional("cd", FieldType::NumberOrFormula(DIMENSIONLESS, POLAR_VARIABLES), "Drag coefficient; default: 0."),
            optional(
                "cm",
                FieldType::NumberOrFormula(DIMENSIONLESS, POLAR_VARIABLES),
                "Moment coefficient about the quarter-chord point, nose up; default: 0.",
            ),
        ],
    },
    ElementKind {
        name: "table",
        doc: "Measured curves, linear in between; beyond them the value at the edge is used and reported.",
        fields: &[
            required("cl", FieldType::Table(POLAR_GRID), "Lift coefficient."),
            optional("cd", FieldType::Table(POLAR_GRID), "Drag coefficient; default: 0."),
            optional("cm", FieldType::Table(POLAR_GRID), "Moment coefficient about the quarter chord; default: 0."),
        ],
    },
    ElementKind {
        name: "c81",
        doc: "A table in the c81 format: cl, cd and cm over angle (deg) and Mach number.",
        fields: &[required("file", FieldType::String, "The file, relative to this one.")],
    },
];

pub(crate) const WING: &[Field] = &[
    optional("on", FieldType::Marker, "The marker or body that carries the wing."),
    optional("from", FieldType::Vector(&[3], LENGTH), "First point of the quarter-chord line, in the axes of `on`."),
    optional("to", FieldType::Vector(&[3], LENGTH), "Its last point."),
    optional(
        "leading_edge",
        FieldType::Vector(&[3], RATIO),
        "Direction of the leading edge in the axes of `on`; default: y. Up is the span times this direction (right hand).",
    ),
    optional(
        "beam",
        FieldType::ElementName,
        "The beam that carries the wing, instead of `on`, `from` and `to`; y of its section points to the leading edge.",
    ),
    required("chord", FieldType::Distribution(LENGTH), "Chord."),
    optional("twist", FieldType::Distribution(ANGLE), "Pitch angle of the sections, nose up; default: 0."),
    optional(
        "offset",
        FieldType::Distribution(LENGTH),
        "Distance of the quarter-chord point from the line towards the leading edge; default: 0.",
    ),
    required("polar", FieldType::ElementNames, "Its polar, or several along the wing."),
    optional("polar_starts", FieldType::Numbers(LENGTH), "Where the polars after the first begin, along the wing."),
    optional("stations", FieldType::Integer, "Gauss points per panel; default: 16."),
    optional("panels", FieldType::Integer, "Equal panels; default: 1."),
    optional(
        "panel_ends",
        FieldType::Numbers(LENGTH),
        "Distances along the wing where panels end, instead of `panels`.",
    ),
    optional(
        "unsteady",
        FieldType::Choice(&["none", "quasi_steady", "wagner", "stall"]),
        "Response to unsteady motion: with the velocity at a quarter of the chord (default), at three quarters, with Wagner's lag, or with dynamic stall after Oye.",
    ),
    optional("control", FieldType::NumberOrFormula(ANGLE, &["t"]), "An angle added to all sections, nose up."),
    optional("disc", FieldType::ElementName, "The disc it belongs to; default: none, no induced velocity."),
    optional(
        "columns",
        FieldType::Choice(&["none", "stations", "vectors"]),
        "Whether the results have columns for each station; default: none.",
    ),
];

macro_rules! disc {
    ($name:literal, $doc:literal, [$($more:expr),*]) => {
        ElementKind { name: $name, doc: $doc, fields: &[
            required("at", FieldType::Marker, "The marker of the hub; its z axis is the shaft, along the thrust."),
            required("radius", FieldType::Number(LENGTH), "Radius."),
            optional("blades", FieldType::Integer, "Number of blades; default: the number of its wings."),
            $($more,)*
        ] }
    };
}

pub(crate) const DISCS: &[ElementKind] = &[
    disc!("none", "No induced velocity.", []),
    disc!(
        "prescribed",
        "A given induced velocity.",
        [required(
            "inflow",
            FieldType::NumberOrFormula(VELOCITY, &["r", "psi", "t"]),
            "Against the z axis: a number, or a formula of r (radius by that of the disc), psi (azimuth from downwind), t and the model."
        )]
    ),
    disc!(
        "uniform",
        "The same over the disc, by momentum theory.",
        [optional(
            "time_constant",
            FieldType::Number(TIME),
            "Lag behind the thrust; default: none, momentum theory holds at every instant."
        )]
    ),
    disc!(
        "linear",
        "A mean by momentum theory and a gradient over the disc.",
        [required(
            "law",
            FieldType::Choice(&["coleman", "drees", "pitt_peters", "white_blake", "howlett"]),
            "The gradient."
        )]
    ),
    disc!(
        "pitt_peters",
        "Dynamic inflow with three states.",
        [optional(
            "initial",
            FieldType::Vector(&[3], VELOCITY),
            "Mean, sine and cosine parts at the start; default: the mean of momentum theory."
        )]
    ),
    disc!(
        "annular",
        "Blade-element momentum theory: each annulus on its own.",
        [optional("tip_loss", FieldType::Choice(&["none", "prandtl"]), "Loss of lift at the tip; default: none.")]
    ),
];
