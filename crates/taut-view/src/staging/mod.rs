//! Builds the scene graph and the film from a folder of results.
//!
//! ```text
//! model.toml ─▶ Model ─▶ scene nodes (bodies, members, nodes) ─▶ shapes, joints, links, beams, arrows ─▶ Scene
//! state columns ───────▶ poses of the nodes, computed by the bodies ──────────────────────────────────▶ Film
//! ```
//!
//! The bodies themselves compute the poses, so all rotation coordinates, reduced sets, modal bodies and beams are shown as in
//! the run.

pub(crate) mod arms;
mod arrows;
mod beams;
mod cast;
mod defaults;
mod dress;
mod forms;
mod hull;
mod joints;
mod links;
mod measure;
mod size;
mod touching;

use crate::error::ViewError;
use crate::film::{Film, Track};
use crate::scene::Scene;
use cast::{Cast, turn};
use size::Size;
use std::path::Path;
use taut::Model;
use taut_io::model::ModelFile;
use taut_io::results::{MODEL, Run};

/// Velocity and angular velocity, world axes.
pub type Twist = ([f64; 3], [f64; 3]);

/// Which rows of a run a film contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows<'a> {
    /// All rows.
    All,
    /// These rows, in this order.
    Chosen(&'a [usize]),
}

/// A run with its model and scene, ready to be shown.
#[derive(Debug)]
pub struct Stage {
    /// The scene.
    pub scene: Scene,
    /// The run.
    pub run: Run,
    /// The model file in the folder of the run.
    pub file: ModelFile,
    /// The model built from it.
    pub model: Model,
    /// Times of all rows, s.
    pub t: Vec<f64>,
    cast: Cast,
    /// Columns of q, all rows.
    q: Vec<Vec<f64>>,
}

impl Stage {
    /// Opens a folder of results.
    ///
    /// # Errors
    /// The folder or model cannot be read, the run has no rows, or its positions were not recorded.
    pub fn open(folder: &Path) -> Result<Stage, ViewError> {
        let run = Run::open(folder)?;
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
        let cast = Cast::of(&model);
        let scene = Scene {
            title: run.manifest().title.clone(),
            space: crate::scene::Space::Spatial,
            gravity: model.gravity.into(),
            figures: cast.figures.clone(),
            joints: Vec::new(),
            links: Vec::new(),
            beams: Vec::new(),
            arrows: Vec::new(),
        };
        let mut stage = Stage { scene, run, file, model, t, cast, q };
        stage.dress();
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
    pub fn film(&self, rows: Rows) -> Film {
        let all: Vec<usize>;
        let rows = match rows {
            Rows::Chosen(rows) => rows,
            Rows::All => {
                all = (0..self.rows()).collect();
                &all
            }
        };
        let mut film =
            Film { t: Vec::with_capacity(rows.len()), tracks: vec![Track::default(); self.cast.figures.len()] };
        for &row in rows.iter().filter(|row| **row < self.rows()) {
            film.t.push(self.t[row]);
            let poses = self.cast.poses(&self.model, &self.coordinates(row));
            for (track, (p, R)) in film.tracks.iter_mut().zip(poses) {
                let q = turn(&R, track.q.last());
                track.p.push(p);
                track.q.push(q);
            }
        }
        film
    }

    /// Adds shapes, joints, links, beams and arrows to the scene.
    fn dress(&mut self) {
        let poses = self.cast.poses(&self.model, &self.coordinates(0));
        self.scene.space = size::space(&self.model, &self.cast, &self.q);
        let size = Size::of(self, &poses);
        self.scene.beams = beams::beams(self);
        self.scene.joints = joints::joints(self);
        self.scene.links = links::links(self);
        self.scene.arrows = arrows::arrows(self);
        let visuals = forms::given(self, &size);
        for (figure, visual) in visuals {
            self.scene.figures[figure].visuals.push(visual);
        }
        let visuals = defaults::made_up(self, &size);
        for (figure, visual) in visuals {
            self.scene.figures[figure].visuals.push(visual);
        }
        dress::dress(self, &size, &poses);
    }
}

/// Opens a folder of results: see [`Stage::open`].
///
/// # Errors
/// As there.
pub fn open(folder: &Path) -> Result<Stage, ViewError> {
    Stage::open(folder)
}

impl Stage {
    /// The state in one row as far as it is recorded: velocities and modes are those of the model's start.
    pub fn state(&self, row: usize) -> taut::State {
        let mut state = self.file.state(&self.model);
        state.t = self.t.get(row).copied().unwrap_or(state.t);
        state.q = self.coordinates(row);
        state
    }

    /// Velocity and angular velocity of every figure except the ground, in a row, for the given generalised velocities.
    pub fn twists(&self, row: usize, v: &[f64]) -> Vec<Twist> {
        self.cast.twists(&self.model, &self.coordinates(row), v)
    }
}
