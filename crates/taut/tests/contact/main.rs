//! Freedoms that come and go: contact, friction, ropes, limits, events.

#[path = "../common/mod.rs"]
mod common;

mod ball_joint;
mod capstan;
mod contact_benchmarks;
mod contact_edge_cases;
mod contact_warnings;
mod ellipsoids;
mod equilibrium;
mod faceted_bowls;
mod fixed_modes;
mod length_scale;
mod prescribed;
mod throws;
mod time_stepping_accuracy;
mod time_stepping_impacts;
mod time_stepping_results;
mod time_stepping_throws;
mod triggers;
mod tunnelling;
mod unilateral_elements;
