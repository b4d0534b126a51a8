//! Newhart's thesis: penalties for constrained motion, beside projection. [Newhart2019]

mod scotch;

use super::{Example, Misprint, Paper};

/// The thesis.
pub const PAPER: Paper = Paper {
    key: "newhart-2019",
    cite: "Newhart2019",
    title: "Newhart: Extension of a penalty method for constrained multibody dynamic problems (2019)",
    about: "",
    examples: &[Example { title: "2.4.2 Scotch mechanism", compute: scotch::compute }],
    misprints: MISPRINTS,
};

const MISPRINTS: &[Misprint] = &[];
