//! Events: conditions and actions.

use super::{DEFINITIONS_OF_T, ElementKind, Field, FieldType, IMPULSE, optional, required};

pub(crate) const EVENT: &[Field] = &[
    required(
        "when",
        FieldType::EventExpression,
        "An expression of t, coordinates, velocities, measures and signals; its zeros are the events.",
    ),
    optional(
        "direction",
        FieldType::Choice(&["rising", "falling", "either"]),
        "Direction of the zero crossings that count; default: either.",
    ),
    optional(
        "crossings",
        FieldType::Choice(&["all", "first"]),
        "Whether every crossing counts (default), or only the first.",
    ),
    optional("actions", FieldType::Actions, "Actions, executed in this order; by default the event is only recorded."),
    DEFINITIONS_OF_T,
];

/// Actions that are a single word.
pub(crate) const ACTION_WORDS: &[&str] = &["stop", "record"];

/// The other actions; each is identified by its first key.
pub(crate) const ACTIONS: &[ElementKind] = &[
    ElementKind {
        name: "lock",
        doc: "Activates a constraint; the velocities jump as in an impact without rebound.",
        fields: &[required("lock", FieldType::String, "The constraint.")],
    },
    ElementKind {
        name: "unlock",
        doc: "Deactivates a constraint.",
        fields: &[required("unlock", FieldType::String, "The constraint.")],
    },
    ElementKind {
        name: "set",
        doc: "Sets a variable.",
        fields: &[
            required("set", FieldType::String, "The variable."),
            required("to", FieldType::EventExpressionOrNumber, "Its new value, a number or an expression."),
        ],
    },
    ElementKind {
        name: "impulse_at_marker",
        doc: "Applies an impulse at a marker.",
        fields: &[
            required("impulse_at_marker", FieldType::Marker, "The marker."),
            optional("impulse", FieldType::Vector(&[3], IMPULSE), "Linear impulse through its origin, N s."),
            optional("angular_impulse", FieldType::Vector(&[3], IMPULSE), "Angular impulse, N m s."),
            optional("axes", FieldType::Choice(&["world", "marker"]), "Axes of the components; default: world."),
        ],
    },
    ElementKind {
        name: "impulse_on_coordinate",
        doc: "Applies a generalised impulse to a coordinate of a body.",
        fields: &[
            required("impulse_on_coordinate", FieldType::BodyCoordinate, "The coordinate, as in crank.theta."),
            required("impulse", FieldType::Number(IMPULSE), "N s, or N m s for an angle."),
        ],
    },
];
