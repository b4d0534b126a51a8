//! Wings, polars and discs from model files, against closed forms and independent computations.

#![allow(non_snake_case)] // identifiers use the symbols of the theory

mod bad_input;
mod elastic;
mod flap_lag;
mod floquet;
mod hover;
mod inflow;
mod response;
mod small_angles;
mod stability;
mod stall;
mod trimmed;

use std::path::{Path, PathBuf};
use taut::analyses::linear::{LinearisedAt, ModeRequest, OperatingPoint, modes};
use taut::analyses::{Transient, simulate};
use taut::{Outcome, Solution, Verdict};
use taut_io::model::{ModelFile, Override, parse};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/air").join(name)
}

/// The text of a model of this folder.
fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

/// The text of a model that comes with the program, by its path in `models`.
fn shipped(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name).with_extension("toml");
    std::fs::read_to_string(path).unwrap()
}

/// A model with parameters replaced.
fn model(text: &str, set: &[(&str, &str)]) -> ModelFile {
    let over = |(path, value): &(&str, &str)| Override { path: path.to_string(), value: value.to_string() };
    let overrides: Vec<Override> = set.iter().map(over).collect();
    parse(text, &path("model.toml"), &overrides).unwrap_or_else(|all| panic!("{}", all[0]))
}

/// A sound run with the settings of the file.
fn run(file: &ModelFile) -> Solution {
    let model = file.build().unwrap_or_else(|d| panic!("{d}"));
    let found = simulate(&model, &model.initial_state(), &file.transient).unwrap();
    assert_eq!((&found.outcome, found.verdict), (&Outcome::Finished, Some(Verdict::Sound)), "{:?}", found.warnings);
    found
}

/// Eigenvalues with a frequency of zero or more, the least damped first; zeros are left out.
fn eigenvalues(file: &ModelFile, point: OperatingPoint) -> Vec<[f64; 2]> {
    requested_eigenvalues(file, point, ModeRequest::All)
}

/// The same for some of the modes.
fn requested_eigenvalues(file: &ModelFile, point: OperatingPoint, request: ModeRequest) -> Vec<[f64; 2]> {
    let model = file.build().unwrap_or_else(|d| panic!("{d}"));
    let lin = point.linearise(&model, &model.initial_state(), &Transient::default()).unwrap();
    let found = modes(&lin, request).unwrap();
    let mut list: Vec<[f64; 2]> = found.modes.iter().map(|m| [m.lambda.re, m.lambda.im.abs()]).collect();
    list.retain(|[re, im]| re.hypot(*im) > 1e-9);
    list.sort_by(|a, b| b[0].total_cmp(&a[0]));
    list
}

/// The steady rotation about z.
fn rotating() -> OperatingPoint {
    OperatingPoint { at: LinearisedAt::Equilibrium, rotating_about: Some([0.0, 0.0, 1.0]), ..OperatingPoint::default() }
}

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}, off by {}", found - expected);
}
