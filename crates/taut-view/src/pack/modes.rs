//! Motions that the page can animate: eigenmodes stored with the run, and free motions at its start.

use crate::scene_graph::{RunScene, Twist};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use taut::analyses::doctor;

/// File of the eigenmodes in a folder of results, written by `taut modes -o`.
pub const MODES_FILE: &str = "modes.json";
/// Largest number of free motions shown.
const MAX_FREE_MOTIONS: usize = 24;
/// Number of velocities above which free motions are not computed.
const MAX_VELOCITIES: usize = 1500;

/// Complex displacement of one figure (real and imaginary part), world axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeShape {
    /// The figure.
    pub figure: usize,
    /// Displacement, m.
    pub translation: [[f64; 2]; 3],
    /// Rotation vector, rad.
    pub rotation: [[f64; 2]; 3],
}

/// A mode that the page can animate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnimatedMode {
    /// Name shown.
    pub label: String,
    /// Hz; zero of free motions.
    pub frequency: f64,
    /// Damping ratio.
    pub damping: Option<f64>,
    /// `swings`, `decays`, `grows`, `free`.
    pub kind: &'static str,
    /// Re λ, 1/s.
    pub growth: f64,
    /// Displacements of the figures.
    pub shapes: Vec<NodeShape>,
}

/// Eigenmodes stored with the run, then free motions.
pub fn modes(stage: &RunScene) -> Vec<AnimatedMode> {
    let mut found = eigenmodes(stage, &stage.run.folder().join(MODES_FILE));
    found.extend(free_motions(stage));
    found
}

/// The modes in `modes.json`; none if the file cannot be read.
fn eigenmodes(stage: &RunScene, path: &Path) -> Vec<AnimatedMode> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let all: Value = serde_json::from_str(&text).unwrap_or_default();
    let list = all["modes"].as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().enumerate().filter_map(|(i, mode)| eigenmode(stage, i, mode)).collect()
}

fn eigenmode(stage: &RunScene, i: usize, mode: &Value) -> Option<AnimatedMode> {
    let frequency = mode["frequency_hz"].as_f64()?;
    let growth = mode["eigenvalue"][0].as_f64().unwrap_or(0.0);
    let kind = match mode["kind"].as_str()? {
        "vibration" => "swings",
        "aperiodic" if growth > 0.0 => "grows",
        "aperiodic" => "decays",
        _ => "free",
    };
    let vector = |v: &Value| [0, 1, 2].map(|k| [0, 1].map(|part| v[k][part].as_f64().unwrap_or(0.0)));
    let given = mode["shapes"].as_object()?;
    let figures = stage.scene.figures.iter().enumerate().skip(1);
    let shapes = figures.filter_map(|(figure, f)| {
        let shape = given.get(&f.name)?;
        Some(NodeShape { figure, translation: vector(&shape["translation"]), rotation: vector(&shape["rotation"]) })
    });
    let shapes: Vec<NodeShape> = shapes.collect();
    let label = format!("mode {}", i + 1);
    (!shapes.is_empty()).then(|| AnimatedMode {
        label,
        frequency,
        damping: mode["damping_ratio"].as_f64(),
        kind,
        growth,
        shapes,
    })
}

/// The free motions in the first row, each scaled to a largest displacement of one.
fn free_motions(stage: &RunScene) -> Vec<AnimatedMode> {
    let state = stage.state(0);
    if stage.model.sizes.v > MAX_VELOCITIES || state.q.iter().any(|x| !x.is_finite()) {
        return Vec::new();
    }
    let Ok(found) = doctor(&stage.model, &state) else { return Vec::new() };
    let reported = found.motions.iter().filter(|m| !m.rates.is_empty()).take(MAX_FREE_MOTIONS);
    reported
        .map(|motion| {
            let twists = stage.twists(0, &motion.rates);
            let largest =
                |part: fn(&Twist) -> [f64; 3]| twists.iter().flat_map(part).fold(0.0, |a: f64, x| a.max(x.abs()));
            let (far, turned) = (largest(|t| t.0), largest(|t| t.1));
            let by = if far > 1e-9 * turned { far } else { turned };
            let scaled = |x: [f64; 3]| x.map(|x| [if by > 0.0 { x / by } else { 0.0 }, 0.0]);
            let of = |(i, (v, w)): (usize, &Twist)| NodeShape {
                figure: i + 1,
                translation: scaled(*v),
                rotation: scaled(*w),
            };
            let shapes = twists.iter().enumerate().map(of).collect();
            AnimatedMode {
                label: motion.words.clone(),
                frequency: 0.0,
                damping: None,
                kind: "free",
                growth: 0.0,
                shapes,
            }
        })
        .collect()
}
