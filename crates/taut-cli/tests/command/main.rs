//! End-to-end tests of the command.

#[path = "../common/mod.rs"]
mod common;

mod between_rows;
mod blades;
mod branch_families;
mod branches;
mod continuation;
mod contradictions;
mod determinacy;
mod determinacy_columns;
mod determinacy_reference;
mod disc_maps;
mod discontinuities;
mod doctor;
mod first_mistakes;
mod flexible_sharing;
mod lab;
mod linear;
mod load_sharing;
mod many_supports;
mod models;
mod moving_friction;
mod moving_stops;
mod multiblade;
mod one_sided_sharing;
mod parts_at_rest;
mod period_switches;
mod periodic;
mod places;
mod prescribed_jumps;
mod reproduce;
mod runs;
mod scenes;
mod start_targets;
mod start_way;
mod statics;
mod strobe;
mod sweeps;
mod time_steps;
mod trust;
mod trust_sheet;
mod tutorial;
mod unseen;
mod usage;
mod viewing;
