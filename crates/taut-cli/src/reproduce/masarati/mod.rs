//! Masarati's article on constraints added to differential equations. [Masarati2010]

mod control;
mod pitch;
mod swing;

use super::{Example, Misprint, Paper};

/// The article.
pub const PAPER: Paper = Paper {
    key: "masarati-2010",
    cite: "Masarati2010",
    title: "Masarati: Adding kinematic constraints to purely differential dynamics (2010)",
    about: "",
    examples: &[
        Example { title: "4.2 Swing", compute: swing::compute },
        Example { title: "4.3 Pitch link of a helicopter blade: motion and force", compute: pitch::link },
        Example { title: "4.3 Pitch link: table 3 as printed", compute: pitch::wrong_ratio },
        Example { title: "4.3 Pitch link: steps with the constraint", compute: control::constraint },
        Example { title: "4.3 Pitch link: a stiff control instead", compute: control::penalty },
    ],
    misprints: MISPRINTS,
};

const MISPRINTS: &[Misprint] = &[];
