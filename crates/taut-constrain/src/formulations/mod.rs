//! The published formulations: how v̇ and λ follow from M, f, A and b as dense matrices.
//!
//! Each file is one method, written to be read next to its paper. [`Published`] lists them by name. They allocate and cost
//! O(n³); use [`ConstraintSolver`](crate::ConstraintSolver) for regular work and these to compare and to check.
//!
//! ```
//! use nalgebra::{DMatrix, DVector};
//! use taut_constrain::formulations::{DenseEquations, FormulationParameters, Published};
//!
//! // Two unit masses tied together, pulled by 3 N and 1 N.
//! let (M, A) = (DMatrix::identity(2, 2), DMatrix::from_row_slice(1, 2, &[1.0, -1.0]));
//! let full = DenseEquations::symmetric(M, DVector::from_vec(vec![3.0, 1.0]), A, DVector::zeros(1));
//! for method in Published::ALL.iter().filter(|m| m.is_exact()) {
//!     let found = method.create(&FormulationParameters::default()).solve(&full)?;
//!     assert!((found.vdot[0] - 2.0).abs() < 1e-12 && (found.lambda[0] + 1.0).abs() < 1e-12, "{method}");
//! }
//! # Ok::<(), taut_constrain::formulations::SolveError>(())
//! ```

pub mod augmented_lagrangian;
pub mod cholesky;
pub mod dense;
pub mod dense_constraint_force;
pub mod goicolea_orden;
pub mod heaney_hou;
pub mod index2;
pub mod index2_static;
pub mod lagrange;
pub mod null_space;
pub mod orthogonal_decomposition;
pub mod partitioning;
pub mod penalty;
pub mod pseudo_inverse;
pub mod regularised;
#[cfg(test)]
mod small_cases;
pub mod square_root;
pub mod static_penalty;
pub mod udwadia_kalaba;
pub mod udwadia_kalaba_denman_beavers;
pub mod udwadia_kalaba_schur;
pub mod udwadia_kalaba_spectral;

pub use dense::{
    DenseEquations, DenseFormulation, DenseSolution, FormulationParameters, RANK_TOLERANCE, Stiffness,
    StiffnessCharacter,
};
pub use orthogonal_decomposition::CompleteOrthogonalDecomposition;

use std::fmt::{self, Debug};

/// Why the reactions could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// The accelerations are not finite.
    NotFinite,
    /// The matrix of the method is singular in this pose.
    Singular,
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SolveError::NotFinite => {
                "the accelerations are not finite: a mass matrix is singular, or the state is outside the domain of a force"
            }
            SolveError::Singular => {
                "the matrix of the formulation is singular in this pose: it cannot handle dependent rows"
            }
        })
    }
}

impl std::error::Error for SolveError {}

/// Whether a formulation satisfies A v̇ = b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Exactly, as far as the rows allow.
    Exact,
    /// Approximately, by a penalty.
    Penalised,
}

/// The velocity w that moves the coordinates, q̇ = N w.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateVelocity {
    /// v itself.
    Given,
    /// A corrected velocity.
    Corrected,
}

/// The published methods: the variant and its file.
macro_rules! published {
    ($($Name:ident in $file:ident;)*) => {
        $(pub use $file::$Name;)*

        /// The published formulations by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Published {
            $(#[doc = concat!("[`", stringify!($file), "`].")] $Name,)*
        }

        impl Published {
            /// All of them.
            pub const ALL: &[Published] = &[$(Published::$Name,)*];

            /// The name, as in Taut's model files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Published::$Name => stringify!($file),)*
                }
            }

            /// The method with its parameters.
            pub fn create(self, setup: &FormulationParameters) -> Box<dyn DenseFormulation> {
                match self {
                    $(Published::$Name => Box::new($file::$Name::new(setup)),)*
                }
            }
        }
    };
}

published! {
    Lagrange in lagrange;
    DenseConstraintForce in dense_constraint_force;
    UdwadiaKalabaSpectral in udwadia_kalaba_spectral;
    UdwadiaKalabaDenmanBeavers in udwadia_kalaba_denman_beavers;
    UdwadiaKalabaSchur in udwadia_kalaba_schur;
    Cholesky in cholesky;
    Regularised in regularised;
    NullSpace in null_space;
    Partitioning in partitioning;
    HeaneyHou in heaney_hou;
    StaticPenalty in static_penalty;
    GoicoleaOrden in goicolea_orden;
    Index2 in index2;
    Index2Static in index2_static;
    AugmentedLagrangian in augmented_lagrangian;
}

impl Published {
    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Published> {
        Published::ALL.iter().copied().find(|m| m.name() == name)
    }

    /// Whether it satisfies A v̇ = b exactly, as far as the rows allow.
    pub fn is_exact(self) -> bool {
        self.create(&FormulationParameters::default()).exactness() == Exactness::Exact
    }
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
