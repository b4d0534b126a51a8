//! Events: conditions and actions.

use super::{Field, IMPULSE, Kind, What, may, must};

pub(crate) const EVENT: &[Field] = &[
    must("when", What::Sensed, "An expression of t, coordinates, velocities and measures; its zeros are the events."),
    may(
        "direction",
        What::Choice(&["rising", "falling", "either"]),
        "Direction of the zero crossings that count; default: either.",
    ),
    may("crossings", What::Choice(&["all", "first"]), "Whether every crossing counts (default), or only the first."),
    may("actions", What::Deeds, "Actions, executed in this order; by default the event is only recorded."),
];

/// Actions that are a single word.
pub(crate) const WORDS: &[&str] = &["stop", "record"];

/// The other actions; each is identified by its first key.
pub(crate) const DEEDS: &[Kind] = &[
    Kind {
        name: "lock",
        doc: "Activates a constraint; the velocities jump as in an impact without rebound.",
        fields: &[must("lock", What::Text, "The constraint.")],
    },
    Kind { name: "unlock", doc: "Deactivates a constraint.", fields: &[must("unlock", What::Text, "The constraint.")] },
    Kind {
        name: "set",
        doc: "Sets a variable.",
        fields: &[
            must("set", What::Text, "The variable."),
            must("to", What::SensedOrNumber, "Its new value, a number or an expression."),
        ],
    },
    Kind {
        name: "impulse_at_marker",
        doc: "Applies an impulse at a marker.",
        fields: &[
            must("impulse_at_marker", What::Marker, "The marker."),
            may("impulse", What::Vector(&[3], IMPULSE), "Linear impulse through its origin, N s."),
            may("angular_impulse", What::Vector(&[3], IMPULSE), "Angular impulse, N m s."),
            may("axes", What::Choice(&["world", "marker"]), "Axes of the components; default: world."),
        ],
    },
    Kind {
        name: "impulse_on_coordinate",
        doc: "Applies a generalised impulse to a coordinate of a body.",
        fields: &[
            must("impulse_on_coordinate", What::BodyCoordinate, "The coordinate, as in crank.theta."),
            must("impulse", What::Number(IMPULSE), "N s, or N m s for an angle."),
        ],
    },
];
