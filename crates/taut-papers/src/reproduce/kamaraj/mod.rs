//! Kamaraj, Rezgui and Titurus: the Udwadia–Kalaba equation for rotorcraft. [Kamaraj2021]

mod blade;
mod figures;
mod four_bar;
pub mod table;
mod udwadia_kalaba;

use super::{Example, Misprint, Paper};

/// The paper.
pub const PAPER: Paper = Paper {
    key: "kamaraj-2021",
    cite: "Kamaraj2021",
    title: "Kamaraj, Rezgui, Titurus: Application of Udwadia-Kalaba method for rotorcraft analysis (2021)",
    about: "There are two mechanisms: a double four-bar, whose energy drift is compared between formulations (Table \
        1), and a flapping blade. The drift is the largest |E - E(0)| over the run, not that at equal phases. The \
        0.0072 J of the paper is not a limit of the method: with the law of Braun and Goldfarb as published, the \
        same step gives 3.1e-5 J. The blade as printed points inwards and lacks the moment by which a spinning rod \
        resists flapping. This gives three frequencies, of which one is correct.",
    examples: &[
        Example { title: "4.1 Double four-bar: motion", compute: four_bar::compute },
        Example { title: "4.1 Double four-bar: Table 1, the methods of others", compute: table::compute },
        Example { title: "4.1 Double four-bar: Table 1, the paper's method", compute: table::udwadia_kalaba },
        Example {
            title: "4.1 Double four-bar: Table 1, the paper's method, half the step",
            compute: table::udwadia_kalaba_finer,
        },
        Example { title: "4.1 Double four-bar: equation (15) as printed", compute: udwadia_kalaba::compute },
        Example { title: "4.2 Flapping blade", compute: blade::compute },
    ],
    figures: figures::ALL,
    misprints: MISPRINTS,
};

const MISPRINTS: &[Misprint] = &[
    Misprint { place: "after (15)", printed: "b_q = +dPhi_q/dt", correct: "-dPhi_q/dt" },
    Misprint {
        place: "(15), row 2",
        printed: "h^-1 [Phi_q; Phi_v]",
        correct: "h^-1 [dPhi_q/dt; Phi_v]: the printed form has the wrong unit, and diverges",
    },
    Misprint { place: "below (15)", printed: "Equation (14) has been used", correct: "(15)" },
    Misprint { place: "(16), (19), (20)", printed: "x", correct: "the second derivative of x" },
    Misprint {
        place: "(17)",
        printed: "all three cranks hinged at the origin; 15 zeros on the right",
        correct: "x3 - l and x5 - 2l, x2 - 2 x3 + l + .., x4 - 2 x3 + l - .., x4 - 2 x5 + 2 l + ..; 14 zeros",
    },
    Misprint {
        place: "3.1",
        printed: "singular in the vertical upright position",
        correct: "in the horizontal one, where 14 rows have rank 12; upright they have rank 14",
    },
    Misprint {
        place: "(19)",
        printed: "no force on the flap angle",
        correct: "-k beta - I_cm theta'^2 sin(beta) cos(beta), with I_B about the mass centre",
    },
    Misprint {
        place: "(21), rows 1 and 2",
        printed: "x_B - 2 x_L + 0.5 l_B cos(beta) cos(theta)",
        correct: "a minus sign before 0.5: as printed the blade points inwards",
    },
    Misprint {
        place: "(24)",
        printed: "3 e_F/(2 (1 - 3 e_F))",
        correct: "3 e_F/(2 (1 - e_F)), with the inertia about the hinge",
    },
    Misprint { place: "4.2", printed: "Phi_v = Omega - 2 beta'", correct: "Omega - 22" },
    Misprint { place: "4", printed: "double slider mechanism", correct: "double four-bar mechanism" },
    Misprint { place: "Table 1", printed: "0.0072 J", correct: "3.1e-5 J with the law of Braun and Goldfarb" },
];
