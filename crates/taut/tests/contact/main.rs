//! Freedoms that come and go: contact, friction, ropes, limits, events.

#[path = "../common/mod.rs"]
mod common;

mod ball_joint;
mod bowls;
mod comings_and_goings;
mod equilibrium;
mod held;
mod meeting;
mod odd_contacts;
mod passing;
mod prescribed;
mod stepped_impacts;
mod stepped_reports;
mod stepped_throws;
mod throws;
mod told;
mod triggers;
