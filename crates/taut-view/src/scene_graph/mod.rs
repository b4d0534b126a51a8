//! Builds the scene graph and the film from a folder of results.
//!
//! ```text
//! model.toml ─▶ Model ─▶ scene nodes (bodies, members, nodes) ─▶ shapes, joints, links, beams, arrows ─▶ Scene
//! state columns ───────▶ poses of the nodes, computed by the bodies ──────────────────────────────────▶ Film
//! ```
//!
//! The bodies themselves compute the poses, so all rotation coordinates, reduced sets, modal bodies and beams are shown as in
//! the run.

mod appearance;
mod arrows;
mod beams;
mod contact_points;
mod defaults;
mod forms;
mod graph;
mod hull;
mod joints;
mod links;
pub(crate) mod marker_bars;
mod measure;
mod size;

use crate::error::ViewError;
use crate::film::{Film, Track};
use crate::scene::Scene;
use graph::{SceneGraph, continuous_quaternion};
use size::ModelSize;
use std::path::Path;
use taut::Model;
use taut_io::model::ModelFile;
use taut_io::results::{MODEL, StoredRun};

/// Velocity and angular velocity, world axes.
pub type Twist = ([f64; 3], [f64; 3]);

/// Which rows of a run a film contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmRows<'a> {
    /// All rows.
    All,
    /// These rows, in this order.
    Chosen(&'a [usize]),
}

/// A run with its model and scene, ready to be shown.
#[derive(Debug)]
pub struct RunScene {
    /// The scene.
    pub scene: Scene,
    /// The run.
    pub run: StoredRun,
    /// The model file in the folder of the run.
    pub file: ModelFile,
    /// The model built from it.
    pub model: Model,
    /// Times of all rows, s.
    pub t: Vec<f64>,
    graph: SceneGraph,
    /// Columns of q, all rows.
    q: Vec<Vec<f64>>,
}

impl RunScene {
    /// Opens a folder of results.
    ///
    /// # Errors
    /// The folder or model cannot be read, the run has no rows, or its positions were not recorded.
    pub fn open(folder: &Path) -> Result<RunScene, ViewError> {
        let run = StoredRun::open(folder)?;
        let text = run.model()?;
        let refuse = |what: String| ViewError::Model { folder: folder.to_path_buf(), what };
        let file = taut_io::model::parse(&text, &folder.join(MODEL), &[])
            .map_err(|all| refuse(all.first().map_or(String::new(), |d| d.message.clone())))?;
        let model = file.build().map_err(|d| refuse(d.message))?;
        let (names, _) = model.state_names();
        let has = |name: &str| run.columns().iter().any(|c| c.name == name);
        if let Some(missing) = names.iter().find(|n| !has(&n.name)) {
            return Err(ViewError::NoState { folder: folder.to_path_buf(), column: missing.name.clone() });
        }
        let wanted: Vec<&str> = std::iter::once("t").chain(names.iter().map(|n| n.name.as_str())).collect();
        let table = run.table(&wanted)?;
        let mut columns = table.columns().iter().map(|c| c.data.clone());
        let t = columns.next().unwrap_or_default();
        if t.is_empty() {
            return Err(ViewError::NoRows { folder: folder.to_path_buf() });
        }
        let q: Vec<Vec<f64>> = columns.collect();
        let graph = SceneGraph::of(&model);
        let scene = Scene {
            title: run.manifest().title.clone(),
            space: crate::scene::Space::Spatial,
            gravity: model.gravity.into(),
            figures: graph.figures.clone(),
            joints: Vec::new(),
            links: Vec::new(),
            beams: Vec::new(),
            arrows: Vec::new(),
        };
        let mut stage = RunScene { scene, run, file, model, t, graph, q };
        stage.add_elements();
        Ok(stage)
    }

    /// Number of rows of the run.
    pub fn rows(&self) -> usize {
        self.t.len()
    }

    /// The coordinates of one row.
    fn coordinates(&self, row: usize) -> Vec<f64> {
        self.q.iter().map(|column| column.get(row).copied().unwrap_or(f64::NAN)).collect()
    }

    /// Poses of all figures in these rows.
    pub fn film(&self, rows: FilmRows) -> Film {
        let all: Vec<usize>;
        let rows = match rows {
            FilmRows::Chosen(rows) => rows,
            FilmRows::All => {
                all = (0..self.rows()).collect();
                &all
            }
        };
        let mut film =
            Film { t: Vec::with_capacity(rows.len()), tracks: vec![Track::default(); self.graph.figures.len()] };
        for &row in rows.iter().filter(|row| **row < self.rows()) {
            film.t.push(self.t[row]);
            let poses = self.graph.poses(&self.model, &self.coordinates(row));
            for (track, (p, R)) in film.tracks.iter_mut().zip(poses) {
                let q = continuous_quaternion(&R, track.q.last());
                track.p.push(p);
                track.q.push(q);
            }
        }
        film
    }

    /// Adds shapes, joints, links, beams and arrows to the scene.
    fn add_elements(&mut self) {
        let poses = self.graph.poses(&self.model, &self.coordinates(0));
        self.scene.space = size::detect_space(&self.model, &self.graph, &self.q);
        let size = ModelSize::of(self, &poses);
        self.scene.beams = beams::beams(self);
        self.scene.joints = joints::joints(self);
        self.scene.links = links::links(self);
        self.scene.arrows = arrows::arrows(self);
        let visuals = forms::model_visuals(self, &size);
        for (figure, visual) in visuals {
            self.scene.figures[figure].visuals.push(visual);
        }
        let visuals = defaults::default_visuals(self, &size);
        for (figure, visual) in visuals {
            self.scene.figures[figure].visuals.push(visual);
        }
        appearance::adjust_defaults(self, &size, &poses);
    }
}

/// Opens a folder of results: see [`RunScene::open`].
///
/// # Errors
/// As there.
pub fn open(folder: &Path) -> Result<RunScene, ViewError> {
    RunScene::open(folder)
}

impl RunScene {
    /// The state in one row as far as it is recorded: velocities and modes are those of the model's start.
    pub fn state(&self, row: usize) -> taut::State {
        let mut state = self.file.state(&self.model);
        state.t = self.t.get(row).copied().unwrap_or(state.t);
        state.q = self.coordinates(row);
        state
    }

    /// Velocity and angular velocity of every figure except the ground, in a row, for the given generalised velocities.
    pub fn twists(&self, row: usize, v: &[f64]) -> Vec<Twist> {
        self.graph.twists(&self.model, &self.coordinates(row), v)
    }
}
