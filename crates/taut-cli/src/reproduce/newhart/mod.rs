//! Newhart's thesis: penalties for constrained motion, beside projection. [Newhart2019]

mod errata;
mod scotch;
mod slider;

use super::{Example, Misprint, Paper};

/// The thesis.
pub const PAPER: Paper = Paper {
    key: "newhart-2019",
    cite: "Newhart2019",
    title: "Newhart: Extension of a penalty method for constrained multibody dynamic problems (2019)",
    about: "",
    examples: &[
        Example { title: "1.2 Equations that are wrong as printed", compute: errata::compute },
        Example { title: "2.4.2 Scotch mechanism", compute: scotch::compute },
        Example { title: "2.4.3 Slider-crank", compute: slider::compute },
    ],
    misprints: MISPRINTS,
};

const MISPRINTS: &[Misprint] = &[];
