//! Fumagalli and Masarati's article on Gauss' principle without a square root. [FumagalliMasarati2009]

mod beam;
pub mod cost;
mod random;
mod roots;
mod rotation;
mod small;

use super::{Example, Misprint, Paper};

/// The article.
pub const PAPER: Paper = Paper {
    key: "fumagalli-masarati-2009",
    cite: "FumagalliMasarati2009",
    title: "Fumagalli, Masarati: Efficient application of Gauss' principle to generic mechanical systems (2009)",
    about: "The article proves that three formulas for the constrained accelerations are equivalent: eq. (6) with the \
        square root of the mass matrix (Udwadia and Kalaba), eq. (23) with the Cholesky factor, eq. (46) with \
        multipliers. It prints no numbers except operation counts. The small systems here are our own, with rational \
        solutions; some have redundant or contradictory rows. Multipliers have the sign of the article, M v̇ + Aᵀλ = \
        f, which is opposite to that of this engine. Errors of the order of round-off are rounded up to the next \
        power of ten.",
    examples: &[
        Example { title: "2 to 5 Small systems under eqs. (6), (23) and (46)", compute: small::compute },
        Example { title: "5 Norm of the constrained accelerations, eqs. (47) and (48)", compute: small::norm },
        Example { title: "4.2 The three formulas on random systems", compute: random::compute },
        Example { title: "3.1 Square roots of a mass matrix", compute: roots::compute },
        Example { title: "6 Counts of operations", compute: cost::compute },
        Example { title: "Appendix 2: Newton–Euler equations with rotation parameters", compute: rotation::compute },
        Example { title: "Appendix 2: inertia of a finite-volume beam", compute: beam::compute },
    ],
    figures: &[],
    misprints: MISPRINTS,
};

const MISPRINTS: &[Misprint] = &[
    Misprint {
        place: "eq. (4c)",
        printed: "b = −(φ_/x ẋ + φ_/t)",
        correct: "b = −(φ̇_/x ẋ + φ̇_/t): the rate is differentiated once more",
    },
    Misprint { place: "eq. (5b)", printed: "b stands below ψ_/x ẋ alone", correct: "b = −ψ_/x ẋ − ψ_/t" },
    Misprint {
        place: "3.1",
        printed: "the Schur form is quasi-triangular when M cannot be diagonalised",
        correct: "when it has pairs of complex eigenvalues",
    },
    Misprint {
        place: "4.1",
        printed: "the rows of V are normalised",
        correct: "its columns: they are the eigenvectors",
    },
    Misprint {
        place: "eq. (36)",
        printed: "follows from (A B)⁺ = B⁺ A⁺",
        correct: "that does not hold in general; the result does, since U y lies in the null space of A U⁻¹",
    },
    Misprint {
        place: "eqs. (45), (46)",
        printed: "the pseudo-inverse gives multipliers of least norm weighted by M⁻¹",
        correct: "of least Euclidean norm: with a doubled row (4/15, 8/15)",
    },
    Misprint {
        place: "eqs. (47), (48)",
        printed: "for b = 0 the constrained accelerations are always shorter than the free ones",
        correct: "only in the norm of M; for M = diag(1, 25), A = (1 1), a = (0, 1) they measure 1.36 against 1",
    },
    Misprint {
        place: "end of section 5",
        printed: "eq. (46) does not need the symmetry of M",
        correct: "true only if the reaction stays Aᵀλ of the test space while the constraint takes A* = A X; with A*ᵀ the \
                accelerations of the example below are off by 0.67",
    },
    Misprint {
        place: "eqs. (57), (59b), (60)",
        printed: "A* ẍ* = b",
        correct: "A* ẍ* = b + A* c with c = (x*_/x ẋ)_/x ẋ, unless b is written for x* from the start",
    },
    Misprint { place: "eq. (68)", printed: "ω_/ξᵀ", correct: "ω_/ġᵀ = Γᵀ" },
    Misprint {
        place: "eqs. (69), (70) with (72)",
        printed: "f_/ξ = τ with τ = −m p̈",
        correct: "f_/ξ = −τ, and per length of arc",
    },
    Misprint {
        place: "eq. (72)",
        printed: "linear in the accelerations",
        correct: "ω × J ω and ω × (ω × s) are left out",
    },
];
