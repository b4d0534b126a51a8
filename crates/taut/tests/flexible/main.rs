//! Beams, modal bodies, implicit integration, equilibrium and modes.

#[path = "../common/mod.rs"]
mod common;

mod beams;
mod consistent_beams;
mod convected;
mod implicit;
mod linear_modes;
mod linear_response;
mod modal;
mod repeated_modes;
mod ritz;
mod slow_modes;
mod spinning_frames;
mod statics;
mod statics_beams;
mod statics_mechanisms;
mod whirl;
