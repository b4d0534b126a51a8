//! Bodies: N(q), M(q), and the motion of every marker.
//!
//! A body turns its coordinates into motions of its markers, and wrenches on its markers into generalised forces
//! (Jᵀ). Nothing outside this folder uses the coordinates of a body. A new kind of body is one file here, its `mod`
//! line, and one line of the table in `kind.rs`.
//!
//! ```text
//!  Body            required of every kind: initial state, poses, twists, q̇ = N v, M, f, and q displaced by δ
//!  Quantities      how many q, v and z there are, their names and units
//!  Jacobian        f += Jᵀ w, and the rows of A
//!  Energies        T, V, and the nonconservative power
//!  MassMatrix      what solvers may assume of M                                         optional
//!  Manifold        coordinates that are not a vector space: unit norms, charts          optional
//!  ReferenceFrame  how v relates to the twist of the body's own frame                   optional
//! ```
//!
//! [`Body`] has all others as supertraits, so that a `&dyn Body` provides everything.

mod beam_nodes;
mod body;
mod coordinate_markers;
mod energies;
mod euler_angles;
mod euler_parameters;
mod generalised;
mod jacobian;
mod kind;
mod manifold;
mod mass_matrix;
pub(crate) mod modal;
mod planar;
mod point_mass;
mod quantities;
mod reference_frame;
mod rigid;
mod ritz;
mod rodrigues;
mod rotation_parameters;
mod subsystem;
mod variable;

pub use beam_nodes::BeamNodes;
pub use body::Body;
pub use energies::Energies;
pub use euler_angles::{AxisSequence, SequenceSwitching};
pub use generalised::{CoordinateUnit, GeneralisedCoordinate, GeneralisedForce, GeneralisedState};
pub use jacobian::Jacobian;
pub(crate) use kind::each_body;
pub use kind::*;
pub use manifold::{ChartChange, Manifold, RateJacobian};
pub use mass_matrix::{Definiteness, MassMatrix, Symmetry, Variation};
pub use modal::{
    AddedMass, BeamSupport, Flexibility, ModalDamping, ModalNode, ModalNodes, ModeSelection, ReducedBeam, Stiffening,
};
pub use quantities::{DisplacementKind, ExtraColumn, Quantities, Quantity, Sizes};
pub use reference_frame::{BodyAxes, ReferenceFrame, SteadyRotation};
pub use subsystem::{Subsystem, SubsystemBody};
