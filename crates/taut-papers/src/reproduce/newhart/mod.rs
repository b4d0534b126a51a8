//! Newhart's thesis: penalty methods for constrained motion, compared with projection. [Newhart2019]

mod difference;
mod errata;
mod figures;
mod mechanism_figures;
mod pendulum;
mod scotch;
mod slider;
mod statics;
mod sweep;

use super::{Example, Misprint, Paper};
use taut::analyses::{ErrorNorm, ErrorPer, InitialConditions, Integrator, Output, Transient};

/// The thesis.
pub const PAPER: Paper = Paper {
    key: "newhart-2019",
    cite: "Newhart2019",
    title: "Newhart: Extension of a penalty method for constrained multibody dynamic problems (2019)",
    about: "Penalties on accelerations, velocities and positions are compared with projection, on a pendulum, a \
        Scotch mechanism and a slider-crank. With tight tolerances all methods without penalty agree with the exact \
        motion, and the error of the penalty methods is proportional to 1/mu. The differences shown in the thesis \
        are integration errors of ode23 at its default tolerances. The listings never correct the hidden constraints \
        (a `while` over a vector is true only if all its entries are), the sign of the stabilising terms is wrong in \
        text and listing, and the mass matrix of the slider-crank lacks its coupling terms.",
    examples: &[
        Example { title: "1.2 Equations that are wrong as printed", compute: errata::compute },
        Example { title: "1.2.6 Static multipoint constraint", compute: statics::compute },
        Example { title: "2.3 Effects of the penalty factor", compute: sweep::compute },
        Example { title: "2.4.1 Pendulum", compute: pendulum::compute },
        Example { title: "2.4.2 Scotch mechanism", compute: scotch::compute },
        Example { title: "2.4.3 Slider-crank", compute: slider::compute },
    ],
    figures: figures::ALL,
    misprints: MISPRINTS,
};

const MISPRINTS: &[Misprint] = &[
    Misprint { place: "1.2.2", printed: "derivative with respect to one dependent variable", correct: "independent" },
    Misprint {
        place: "(4)",
        printed: "M12 = (-m A R~c)^T, M21 = -m A R~c",
        correct: "M12 = -m A R~c, M21 its transpose",
    },
    Misprint {
        place: "(5)",
        printed: "R~c^T f_b",
        correct: "R~c A^T f_b; as printed the accelerations of the case above are off by 23",
    },
    Misprint {
        place: "(21)",
        printed: "called index 3",
        correct: "with the constraint at acceleration level it is index 1",
    },
    Misprint { place: "(25)", printed: "-gamma - 2 alpha C' - zeta^2 C", correct: "+gamma - .., with gamma of (22)" },
    Misprint { place: "(27)", printed: "rotation about +y", correct: "it is one about -y" },
    Misprint {
        place: "(29)",
        printed: "= A1 A2 A3, element (2,1) with cos(psi)",
        correct: "Rz(phi) Rx(theta) Rz(psi), with sin(psi) there",
    },
    Misprint {
        place: "after (29)",
        printed: "singular at sin(theta) = 0",
        correct: "true of that matrix; A1 A2 A3 is singular at cos(phi) = 0",
    },
    Misprint {
        place: "(32)",
        printed: "4 G^T J G p' = 2 G^T n + 8 G'^T J G' p",
        correct: "p'' on the left, and + 2 p lambda: the matrix has rank 3",
    },
    Misprint { place: "(44), (47)", printed: ".. + gamma", correct: "- gamma" },
    Misprint { place: "(48), last line", printed: "- C_q^T (..)^-1 gamma", correct: "+" },
    Misprint { place: "(54), (55)", printed: "-gamma", correct: "+gamma, with (22)" },
    Misprint { place: "(58)", printed: "C_q q' + C_,q", correct: "C_,t" },
    Misprint { place: "(64), (67)", printed: "C in both", correct: "once, as in the listing" },
    Misprint {
        place: "(69) to (71)",
        printed: "C_q q'' + gamma = 0",
        correct: "the sign of gamma is opposite to that of (22), which the listings use",
    },
    Misprint {
        place: "(72)",
        printed: "-mu C_q^T (-gamma - 2 alpha C' - zeta C)",
        correct: "F + mu C_q^T (gamma - 2 alpha C' - zeta^2 C)",
    },
    Misprint { place: "A.2.b", printed: "argument qb, body uses q; gamma + B", correct: "it cannot run; - B" },
    Misprint {
        place: "A.2.a, c, f",
        printed: "while abs(C) > tol with a vector",
        correct: "any or max; besides, only the argument of the right-hand side is corrected, not the state",
    },
    Misprint {
        place: "A.2.f",
        printed: "q' of the second block computed, not returned",
        correct: "what runs is the static penalty",
    },
    Misprint {
        place: "2.4.1",
        printed: "beta = 4.4721",
        correct: "20 in the listing, squared there; 4.4721 is the root of 20",
    },
    Misprint {
        place: "2.3",
        printed: "solutions are more accurate as penalty factors increase",
        correct: "up to some 1e7; beyond that the round-off of M + mu C_q^T C_q dominates",
    },
    Misprint { place: "2.4.1", printed: "equation (72) for the direct solution", correct: "(73)" },
    Misprint { place: "Tables 2 to 4", printed: "tolerance 1^-10", correct: "1e-10" },
    Misprint { place: "2.4.1, gamma", printed: "a matrix of 2 by 3", correct: "[-2 x'^2 - 2 y'^2; 0]" },
    Misprint {
        place: "2.4.2",
        printed: "masses in lbf, mu = 1e7, b = 2, \"104\"",
        correct: "the listing has m = W/g (slinches, not slugs), mu = 1e5, b = 0.05; 104 comes of weights taken for masses",
    },
    Misprint {
        place: "2.4.3, M",
        printed: "diagonal",
        correct: "M11 = m1 L1^2/3 + m2 (L1^2 + L2^2/3 + L1 L2 cos(theta2)), M12 = m2 (L2^2/3 + L1 L2 cos(theta2)/2), M22 = m2 L2^2/3",
    },
    Misprint { place: "2.4.3, gamma", printed: "a minus before it", correct: "plus, as in the listing" },
    Misprint { place: "2.4.3, F and gamma", printed: "2 in place of lengths", correct: "L1, L2" },
    Misprint {
        place: "Ch. 2",
        printed: "projection from (47) to (58), alternate penalty from (51)",
        correct: "(48) and (49), (52)",
    },
];

/// The settings of ode23 in the thesis: Bogacki–Shampine 2(3), 1e-3, 1e-6, the largest error of a step, at most a tenth of the time in
/// one step; every step is recorded.
fn ode23(settings: &Transient) -> Transient {
    let settings = settings.clone().integrator(Integrator::BogackiShampine).tolerance(1e-3, 1e-6);
    let settings = settings.error(ErrorNorm::Max, ErrorPer::Step);
    settings.largest_step(0.5).first_step(1e-4).start(InitialConditions::AsGiven).output(Output::Steps)
}
