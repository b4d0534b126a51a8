//! What the tests of results share: a mechanism, its settings, a folder of their own.
#![allow(dead_code)] // every test binary takes what it needs

use std::path::{Path, PathBuf};
use taut::analyses::{EventFunction, Run as _, Simulation, Transient};
use taut::{Frame, Joint, Measure, Model, PlanarBody, Spec};
use taut_io::results::{DriveOptions, Format, NewRun, RunWriter, drive};

/// A double pendulum in the plane.
pub fn model() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("upper", PlanarBody::new(1.0, 0.1).at([0.5, 0.0], 0.0))
        .body("lower", PlanarBody::new(0.7, 0.05).at([1.5, 0.0], 0.0))
        .marker("upper.root", Frame::at([-0.5, 0.0, 0.0]))
        .marker("upper.tip", Frame::at([0.5, 0.0, 0.0]))
        .marker("lower.root", Frame::at([-0.5, 0.0, 0.0]))
        .marker("lower.tip", Frame::at([0.5, 0.0, 0.0]))
        .constraint("shoulder", Joint::pin("ground", "upper.root"))
        .constraint("elbow", Joint::pin("upper.tip", "lower.root"))
        .measure("reach", Measure::distance("ground", "lower.tip"));
    spec.build().unwrap()
}

/// A run of some thousand rows.
pub fn settings() -> Transient {
    Transient::to(10.0).every(0.004)
}

/// A simulation that notes when the elbow passes below the shoulder.
pub fn simulation<'m>(model: &'m Model, settings: &Transient) -> Simulation<'m> {
    let mut simulation = Simulation::new(model, &model.initial_state(), settings).unwrap();
    simulation.add_event(Box::new(EventFunction::new("elbow, low", |seen| seen.q[0])));
    simulation
}

/// What the folder tells besides numbers.
pub fn new_run(format: Format) -> NewRun {
    NewRun {
        title: "double pendulum".to_string(),
        model: "taut = 2\n".to_string(),
        settings: serde_json::to_value(settings()).unwrap(),
        format,
        ..NewRun::default()
    }
}

/// Runs into a folder from the start.
pub fn run_into(folder: &Path, format: Format, how: DriveOptions) -> taut_io::results::DriveOutcome {
    let model = model();
    let mut simulation = simulation(&model, &settings());
    let writer = RunWriter::create(folder, &new_run(format), simulation.table()).unwrap();
    drive(&mut simulation, writer, how).unwrap()
}

/// A folder that is removed at the end of a test.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("taut-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
