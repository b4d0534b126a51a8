//! The equations of motion of one state, and the computation of v̇ and λ.

pub(crate) mod contact_features;
pub mod crossing;
pub mod drift;
pub mod dynamics;
pub mod equations;
pub mod formulations;
pub mod kkt;
mod numbers;
pub(crate) mod position_jumps;
pub(crate) mod rank;
pub mod tangent;

pub use numbers::StateError;
pub use position_jumps::PositionJump;
