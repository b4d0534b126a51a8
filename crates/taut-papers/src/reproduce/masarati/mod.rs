//! Masarati's article on constraints added to differential equations. [Masarati2010]

mod appendix;
pub mod control;
mod figures;
mod pendulum;
mod pitch;
mod swing;
mod swing_figures;

use super::{Example, Misprint, Paper};

/// The article.
pub const PAPER: Paper = Paper {
    key: "masarati-2010",
    cite: "Masarati2010",
    title: "Masarati: Adding kinematic constraints to purely differential dynamics (2010)",
    about: "The article adds constraints to equations that an explicit integrator solves, by correcting velocity and \
        position in the right-hand side. It has three examples: a pendulum with six drift controls, a swing with a \
        beam, and the pitch link of a helicopter blade. The motions are compared with closed forms and converged \
        integrations. Step counts, drift and energy of the pendulum are compared with an independent program of our \
        own with the same step control, because the counts in the paper cannot be obtained with a correct one: they \
        result from a control that compares errors with their sign. W = I, the choice of the paper, stands beside W = M, \
        the default of Taut; for the pendulum of 1 kg both are the same. Errors of the order of round-off are rounded \
        up to the next power of ten.",
    examples: &[
        Example { title: "4.1 Pendulum: the exact motion", compute: pendulum::exact },
        Example { title: "4.1 Pendulum: six drift controls, rtol 1e-3 and atol 1e-6", compute: pendulum::loose },
        Example { title: "4.1 Pendulum: six drift controls, rtol = atol = 1e-9", compute: pendulum::tight },
        Example { title: "2 Sign of eq. (8)", compute: pendulum::sign },
        Example { title: "4.2 Swing: frequencies of the beam", compute: swing::frequencies },
        Example { title: "4.2 Swing: motion", compute: swing::motion },
        Example { title: "4.2 Swing: steps", compute: swing::steps },
        Example { title: "4.3 Pitch link of a helicopter blade: motion and force", compute: pitch::link },
        Example { title: "4.3 Pitch link: table 3 as printed", compute: pitch::wrong_ratio },
        Example { title: "4.3 Pitch link: steps with the constraint", compute: control::constraint },
        Example { title: "4.3 Pitch link: a stiff control instead", compute: control::penalty },
        Example { title: "Appendix: orientation between the nodes of a beam", compute: appendix::compute },
    ],
    figures: figures::ALL,
    misprints: MISPRINTS,
};

const MISPRINTS: &[Misprint] = &[
    Misprint { place: "eq. (1b)", printed: "φ_/x λ", correct: "φ_/xᵀ λ" },
    Misprint {
        place: "eq. (8)",
        printed: "ẍ = a − M⁻¹Aᵀ(…)⁺ (b″ − A a)",
        correct: "+, as in eq. (11b); as printed the rod of the pendulum is 6.6 m too long after 1 s",
    },
    Misprint {
        place: "2 and 3.1",
        printed: "f_c = +φ_/xᵀ λ, later f_c = −Aᵀ λ",
        correct: "the minus sign, as in eqs. (10b) and (14b)",
    },
    Misprint {
        place: "below eq. (8)",
        printed: "multipliers of least norm weighted by the mass",
        correct: "of least Euclidean norm: that is what the pseudo-inverse gives",
    },
    Misprint {
        place: "eqs. (16), (25)",
        printed: "the multiplier of the positions is called v",
        correct: "a letter of its own; it is not the velocity",
    },
    Misprint { place: "3.4.2", printed: "M̃, W̃ = Xᵀ M X", correct: "M̂, Ŵ: the tilde is taken by eq. (20)" },
    Misprint {
        place: "4.1",
        printed: "Dormand and Prince's method in Octave's ode45 [35]",
        correct: "[35] is ODEPACK; the step counts fit no correct control of that pair",
    },
    Misprint {
        place: "4.1",
        printed: "the energy of baseline and Baumgarte is not significantly affected by the tolerance",
        correct: "with a correct step control, its error falls by five decades or more",
    },
    Misprint {
        place: "4.1",
        printed: "energy is lost with the proposed method, below 0.01 % per period",
        correct: "the sign depends on the steps: with projection in the rates alone it grows by 0.15 J at the loose tolerance",
    },
    Misprint {
        place: "4.1",
        printed: "Braun and Goldfarb's method needs nearly twice the steps at the tight tolerance",
        correct: "1.5 times with a gain of 1/h_max; some 58 times with 1/h, where the steps collapse",
    },
    Misprint { place: "4.2", printed: "E = 73 MPa", correct: "73 GPa: then table 1 comes out to every digit" },
    Misprint {
        place: "4.2",
        printed: "axis of the section, direction of the force, gravity, tolerances are not given",
        correct: "bending over 1 mm, force along +x at C and no gravity reproduce the table and the time of alignment",
    },
    Misprint {
        place: "Table 3",
        printed: "flap frequency ratio 1.0625",
        correct: "1.0308 by the table's own footnote; 1.0625 is its square",
    },
    Misprint {
        place: "4.3",
        printed: "pitch frequency of 10.5 Ω",
        correct: "of the control alone; with the centrifugal stiffness 10.55 Ω",
    },
    Misprint {
        place: "4.3",
        printed: "a small second harmonic in the force of the link",
        correct: "the third, 3.4 mN; the second is 0.01 mN",
    },
    Misprint {
        place: "4.3",
        printed: "a stiffer control does not converge",
        correct: "it does; the steps grow in proportion to the frequency",
    },
    Misprint {
        place: "eq. (35)",
        printed: "dη/dξ from the current configuration",
        correct: "from the reference one; else the axial strain is always zero",
    },
    Misprint { place: "eq. (36)", printed: "R₂ exp(+N₁ θ×)", correct: "R₂ exp(−N₁ θ×)" },
    Misprint {
        place: "eq. (31)",
        printed: "forces and moments at the nodes",
        correct: "of the left-hand side; the force on node 1 is +f_I",
    },
    Misprint {
        place: "Appendix",
        printed: "a correction of the shear stiffness, without a formula",
        correct: "1/GA′ = 1/GA + L²/(12 EI)",
    },
];
