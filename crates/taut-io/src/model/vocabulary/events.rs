//! Events: when they happen, and what they do.

use super::{Field, IMPULSE, Kind, What, may, must};

pub(crate) const EVENT: &[Field] = &[
    must("when", What::Sensed, "An expression whose zeros count, over t, coordinates, velocities and measures."),
    may(
        "direction",
        What::Choice(&["rising", "falling", "either"]),
        "Which crossings of zero count; either if left out.",
    ),
    may("times", What::Choice(&["always", "once"]), "How often; always if left out."),
    may("do", What::Deeds, "What is done, in this order; it is only noted if left out."),
];

/// Deeds that need no more than their word.
pub(crate) const WORDS: &[&str] = &["stop", "record"];

/// The others, by the key that tells which it is.
pub(crate) const DEEDS: &[Kind] = &[
    Kind {
        name: "lock",
        doc: "Makes a constraint hold; velocities jump as in an impact without rebound.",
        fields: &[must("lock", What::Text, "The constraint.")],
    },
    Kind { name: "unlock", doc: "Takes a constraint out.", fields: &[must("unlock", What::Text, "The constraint.")] },
    Kind {
        name: "set",
        doc: "Gives a variable another value.",
        fields: &[
            must("set", What::Text, "The variable."),
            must("to", What::SensedOrNumber, "Its new value, a number or an expression."),
        ],
    },
    Kind {
        name: "hit",
        doc: "Hits a marker with an impulse.",
        fields: &[
            must("hit", What::Marker, "The marker."),
            may("impulse", What::Vector(&[3], IMPULSE), "Through its origin, N s."),
            may("moment", What::Vector(&[3], IMPULSE), "About it, N m s."),
            may("axes", What::Choice(&["world", "marker"]), "Axes of the components; world if left out."),
        ],
    },
    Kind {
        name: "push",
        doc: "Hits a coordinate of a body.",
        fields: &[
            must("push", What::BodyCoordinate, "The coordinate, as in crank.theta."),
            must("impulse", What::Number(IMPULSE), "N s, or N m s on an angle."),
        ],
    },
];
