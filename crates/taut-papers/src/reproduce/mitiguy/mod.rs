//! Mitiguy and Banerjee's manuscript on constraint forces. [MitiguyBanerjee2000]

mod actuators;
mod contact;
mod figures;
mod friction;
mod pendulum;
mod pin;
mod rope;
mod separator;

use super::{Example, Misprint, Paper};

/// The manuscript.
pub const PAPER: Paper = Paper {
    key: "mitiguy-banerjee-2000",
    cite: "MitiguyBanerjee2000",
    title: "Mitiguy, Banerjee: A constraint force algorithm for formulating equations of motion (2000)",
    about: "The manuscript derives the algorithm for two bodies with one pin and lists further applications: \
        actuators of three kinds, friction, collisions, ropes and separators. It prints no numbers. Every case here \
        has numbers of our own and a solution in closed form or by an integration that is independent of Taut. F is \
        the force on body B, as in eqs. (5) and (6).",
    examples: &[
        Example { title: "Two bodies and one pin, eqs. (3) to (13)", compute: pin::compute },
        Example { title: "Cost of the constraint forces", compute: pin::cost },
        Example { title: "Double pendulum of two rods", compute: pendulum::compute },
        Example { title: "Actuators of length, velocity and acceleration", compute: actuators::compute },
        Example { title: "Dry friction", compute: friction::compute },
        Example { title: "Collisions", compute: contact::compute },
        Example { title: "Ropes", compute: rope::compute },
        Example { title: "Separators", compute: separator::compute },
    ],
    figures: figures::ALL,
    misprints: MISPRINTS,
};

/// No wrong equation was found; these are readings that mislead.
const MISPRINTS: &[Misprint] = &[
    Misprint {
        place: "Abstract",
        printed: "programs that solve for forces alone run nearly 8 times faster",
        correct: "(2n)^3/n^3 = 8 holds for as many constraints as accelerations; the pin has 2 against 8 unknowns, which \
                would be 64 by the same law",
    },
    Misprint {
        place: "Abstract",
        printed: "T = I alpha + omega x I omega without a point of reference",
        correct: "about the mass centre, or a point at rest",
    },
];
