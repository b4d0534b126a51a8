//! Model files and robots read, refused and written; results, killed and plotted.

#[path = "../common/mod.rs"]
mod common;

mod bad_robots;
mod beams;
mod broken;
mod dimensions;
mod formulas;
mod fuzz;
mod generalised;
mod killed;
mod models;
mod parts;
mod plot;
mod results;
mod robot_shapes;
mod robots;
mod round_trip;
mod tables;
mod upgrade;
