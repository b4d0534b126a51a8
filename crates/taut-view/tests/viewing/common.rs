//! Runs of models in temporary folders.

use std::path::{Path, PathBuf};
use taut::analyses::{Limits, Run, Simulation, Transient, simulate};
use taut::{Model, Outcome};
use taut_io::model::{ModelFile, Override, read};
use taut_io::results::{ExistingResults, Format, NewRun, write_solution};
use taut_view::scene_graph::RunScene;

/// The folder `models`.
pub fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// A folder that is removed at the end of a test.
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    pub fn new(name: &str) -> TemporaryFolder {
        let path = std::env::temp_dir().join(format!("taut-view-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        TemporaryFolder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Reads a model of the folder, with changes as `--set` takes them.
pub fn load(name: &str, changes: &[(&str, &str)]) -> ModelFile {
    let changes: Vec<Override> =
        changes.iter().map(|(p, v)| Override { path: p.to_string(), value: v.to_string() }).collect();
    read(&models().join(name), &changes).unwrap_or_else(|all| panic!("{name}: {}", all[0]))
}

/// Runs a model into a folder.
pub fn run(file: &ModelFile, folder: &Path, format: Format) -> Outcome {
    let model: Model = file.build().unwrap();
    let solution = simulate(&model, &file.state(&model), &file.transient).unwrap();
    let about = about(file, format);
    write_solution(folder, &about, &solution).unwrap();
    solution.outcome
}

/// Writes the start of a model alone: enough to place everything.
pub fn start(file: &ModelFile, folder: &Path) -> Result<(), String> {
    let model: Model = file.build().map_err(|e| e.to_string())?;
    let limits = Limits { max_steps: Some(2), ..Limits::default() };
    let settings = Transient { limits, columns: taut::Columns::All, ..file.transient.clone() };
    let mut simulation = Simulation::new(&model, &file.state(&model), &settings).map_err(|e| e.to_string())?;
    simulation.steps(2);
    // Whatever columns the model wants: `taut view model.toml` takes all, too.
    let about = NewRun { only: Vec::new(), ..about(file, Format::Csv) };
    write_solution(folder, &about, &simulation.into_solution()).map_err(|e| e.to_string())?;
    Ok(())
}

fn about(file: &ModelFile, format: Format) -> NewRun {
    NewRun {
        title: file.title.clone(),
        model: file.write().unwrap(),
        settings: serde_json::to_value(&file.transient).unwrap(),
        time_step: None,
        format,
        only: file.column_patterns.clone(),
        existing: ExistingResults::Replace,
    }
}

/// A short run of a model, with its scene.
pub fn run_scene(scratch: &TemporaryFolder, name: &str, changes: &[(&str, &str)]) -> RunScene {
    let file = load(name, changes);
    let folder = scratch.join("run");
    run(&file, &folder, Format::Csv);
    RunScene::open(&folder).unwrap()
}
