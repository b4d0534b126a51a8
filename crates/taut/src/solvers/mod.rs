//! The equations of motion of one state, and the computation of v̇ and λ.

pub(crate) mod contact_features;
pub(crate) mod determinacy;
pub mod drift;
pub mod dynamics;
pub mod equations;
pub mod formulations;
pub mod kkt;
pub(crate) mod massless;
mod named_values;
pub(crate) mod position_jumps;
pub(crate) mod rank;
pub mod singular_poses;
pub mod tangent;

pub use massless::UndeterminedMotion;
pub use named_values::StateError;
pub use position_jumps::PositionJump;
