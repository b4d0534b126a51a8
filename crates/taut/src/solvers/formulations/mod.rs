//! Formulations: how v̇ and λ follow from the equations.
//!
//! A formulation knows M, f, A, b and nothing of bodies or joints. The default works on the blocks; the published
//! methods use dense matrices ([`DenseEquations`]) and are provided for comparison. They are in the crate `taut-constrain`,
//! which users of other ODE code share. A new method is one file that implements [`DenseFormulation`], its `mod` line and
//! its line in the table below.

mod constraint_force;
mod dense_adapter;
mod saddle_point;

pub use constraint_force::ConstraintForce;
pub use dense_adapter::DenseAdapter;
pub use saddle_point::SaddlePoint;
pub(crate) use taut_constrain::formulations::penalty::default_penalty as usual_penalty;
pub use taut_constrain::formulations::{
    CompleteOrthogonalDecomposition, CoordinateVelocity, DenseEquations, DenseFormulation, DenseSolution, Exactness,
    FormulationParameters, RANK_TOLERANCE, SolveError, Stiffness, StiffnessCharacter, orthogonal_decomposition,
    pseudo_inverse, square_root, udwadia_kalaba,
};
use taut_constrain::formulations::{
    augmented_lagrangian, cholesky, dense_constraint_force, goicolea_orden, heaney_hou, index2, index2_static,
    lagrange, null_space, partitioning, regularised, static_penalty, udwadia_kalaba_denman_beavers,
    udwadia_kalaba_schur, udwadia_kalaba_spectral,
};

use crate::equations::{Equations, Layout};
use crate::kkt::{Projector, RankPolicy, RowRank};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Debug};
use taut_constrain::RowWeighting;

/// A method to compute v̇ and λ from M v̇ = f + Aᵀλ, A v̇ = b.
pub trait Formulation: Debug + Send {
    /// Prepares for the M and A of a state: factorises, or does other work that needs no right-hand side.
    fn prepare(&mut self, eq: &Equations);
    /// Computes v̇ and λ for f and b of the same state.
    fn solve(&mut self, eq: &Equations, vdot: &mut [f64], lambda: &mut [f64]) -> Result<(), SolveError>;
    /// Removes from λ the part by which dependent rows only act on each other, for the state last solved.
    fn remove_internal_multipliers(&mut self, _eq: &Equations, _lambda: &mut [f64]) {}
    /// [`prepare`](Formulation::prepare) and [`solve`](Formulation::solve) at once.
    fn prepare_and_solve(&mut self, eq: &Equations, vdot: &mut [f64], lambda: &mut [f64]) -> Result<(), SolveError> {
        self.prepare(eq);
        self.solve(eq, vdot, lambda)
    }
    /// How it treats its rows, if it distinguishes.
    fn row_treatment(&self) -> Option<(RowRank, RankPolicy)> {
        None
    }
    /// The factor of [M Aᵀ; A −E], if it has one, for projections with W = M.
    fn projector(&mut self) -> Option<&mut Projector> {
        None
    }
    /// Why it cannot handle these equations, if so.
    fn unsupported_reason(&mut self, _eq: &Equations) -> Option<String> {
        None
    }
    /// Whether it satisfies A v̇ = b.
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }
    /// Whether [`correct_coordinate_velocity`](Formulation::correct_coordinate_velocity) does anything.
    fn coordinate_velocity(&self) -> CoordinateVelocity {
        CoordinateVelocity::Given
    }
    /// Corrects the velocity that moves the coordinates, for the state last prepared.
    fn correct_coordinate_velocity(&mut self, _eq: &Equations, _w: &mut [f64]) {}
    /// The velocities that follow from the others; a projection onto the manifold changes only these.
    fn dependent_velocities(&self) -> Option<&[usize]> {
        None
    }
    /// Restores the dependent velocities of an earlier run, as they were after a step.
    fn restore_dependent_velocities(&mut self, _dependent: &[usize]) {}
    /// Called after each step, the best time for discontinuous changes.
    fn step_ended(&mut self) {}
    /// The fastest rate that it adds to the equations.
    fn stiffness(&mut self, _eq: &Equations) -> Option<Stiffness> {
        None
    }
}

/// The formulations by name: the variant, its file, its description.
macro_rules! formulations {
    ($($Name:ident in $file:ident: $what:literal;)*) => {
        $(pub use $file::$Name;)*

        /// The formulations by name.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum Method {
            /// Sparse constraint-force algorithm, the default.
            #[default]
            ConstraintForce,
            $(#[doc = $what] $Name,)*
        }

        impl Method {
            /// All of them, the default first.
            pub const ALL: &[Method] = &[Method::ConstraintForce, $(Method::$Name,)*];

            /// Their names, in the same order.
            pub const NAMES: &[&str] = &["constraint_force", $(stringify!($file),)*];

            /// Name in model files and tables.
            pub fn name(self) -> &'static str {
                match self {
                    Method::ConstraintForce => "constraint_force",
                    $(Method::$Name => stringify!($file),)*
                }
            }

            /// A one-line description.
            pub fn what(self) -> &'static str {
                match self {
                    Method::ConstraintForce => "sparse constraint-force algorithm, the default",
                    $(Method::$Name => $what,)*
                }
            }

            /// The published method for dense matrices; none for the default.
            pub fn dense(self, setup: &FormulationParameters) -> Option<Box<dyn DenseFormulation>> {
                match self {
                    Method::ConstraintForce => None,
                    $(Method::$Name => Some(Box::new($file::$Name::new(setup))),)*
                }
            }
        }
    };
}

formulations! {
    Lagrange in lagrange: "all accelerations and multipliers as one system, by LU";
    DenseConstraintForce in dense_constraint_force: "constraint forces first, then accelerations, by Cholesky";
    UdwadiaKalabaSpectral in udwadia_kalaba_spectral: "Gauss' principle with M^(1/2) by its eigenvectors";
    UdwadiaKalabaDenmanBeavers in udwadia_kalaba_denman_beavers: "Gauss' principle with M^(1/2) by iteration";
    UdwadiaKalabaSchur in udwadia_kalaba_schur: "Gauss' principle with M^(1/2) by its Schur form";
    Cholesky in cholesky: "Gauss' principle with the Cholesky factor of M instead of a root";
    Regularised in regularised: "the multipliers by the pseudo-inverse of A M⁻¹ Aᵀ";
    NullSpace in null_space: "Maggi and Kane: the free directions only, in an orthonormal basis";
    Partitioning in partitioning: "coordinate partitioning: independent velocities chosen by pivots";
    HeaneyHou in heaney_hou: "forces projected before the accelerations are computed";
    StaticPenalty in static_penalty: "penalty on the accelerations";
    GoicoleaOrden in goicolea_orden: "penalty on the positions: stiff springs";
    Index2 in index2: "penalty on velocities and positions: dampers, and a corrected velocity of the coordinates";
    Index2Static in index2_static: "penalty on accelerations and on the velocity of the coordinates";
    AugmentedLagrangian in augmented_lagrangian: "a penalty on the accelerations, and multipliers that remove its error";
}

impl Method {
    /// The formulation for a model; with the default method, mass matrices that are no norm use a separate one.
    pub fn formulation(
        self,
        layout: &Layout,
        scale: &[f64],
        policy: &RankPolicy,
        setup: &FormulationParameters,
        weighting: RowWeighting,
    ) -> Box<dyn Formulation> {
        match (self.dense(setup), layout.mass_is_norm()) {
            (Some(dense), _) => Box::new(DenseAdapter::new(dense, scale, weighting)),
            (None, true) => Box::new(ConstraintForce::new(layout, scale, policy, weighting)),
            (None, false) => Box::new(SaddlePoint::new(scale, weighting)),
        }
    }

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Method> {
        Method::ALL.iter().copied().find(|m| m.name() == name)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
