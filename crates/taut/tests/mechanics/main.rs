//! Rigid bodies and their constraints: every element, formulation, drift control and analysis.

#[path = "../common/mod.rs"]
mod common;

mod assembly;
mod bad_input;
mod conformance;
mod determinism;
mod dice;
mod doctor;
mod drift;
mod formula_names;
mod formulations_agree;
mod functions_of_any_size;
mod hinged_trees;
mod inconsistent;
mod inverse;
mod kinematic;
mod laboratory;
mod massless;
mod massless_springs;
mod random_determinacy;
mod reaction_forces;
mod references;
mod rotations;
mod signal_breaks;
mod solution;
mod transient;
mod turns;
