//! Reads the folder of a sweep, finished or not.

use crate::design::{Parameter, Value};
use crate::folder::{MANIFEST, Manifest, Shard, shard_folders};
use crate::journal::{Index, JournalReader};
use crate::member::MemberResult;
use crate::plan::{ResultColumn, run_name};
use crate::request::Request;
use std::path::{Path, PathBuf};
use taut_io::diagnostic::Diagnostic;

/// The results of a sweep.
#[derive(Clone, Debug)]
pub struct StoredSweep {
    folder: PathBuf,
    manifest: Manifest,
    rows: Vec<MemberResult>,
}

impl StoredSweep {
    /// Whether a folder holds a sweep.
    pub fn is_sweep(folder: &Path) -> bool {
        folder.join(MANIFEST).exists() || !shard_folders(folder).is_empty()
    }

    /// The request of the sweep in a folder or in its first shard.
    ///
    /// # Errors
    /// A folder without a sweep.
    pub fn request(folder: &Path, shard: Option<Shard>) -> Result<Request, Diagnostic> {
        let own = match shard {
            Some(_) => shard_folders(folder).into_iter().next().unwrap_or_else(|| folder.to_path_buf()),
            None => folder.to_path_buf(),
        };
        Ok(Manifest::read(&own)?.request)
    }

    /// Reads all finished members.
    ///
    /// # Errors
    /// A folder without a sweep, or with shards that were not gathered.
    pub fn open(folder: &Path) -> Result<StoredSweep, Diagnostic> {
        let shown = folder.display();
        if !folder.join(MANIFEST).exists() && !shard_folders(folder).is_empty() {
            let message = format!("`{shown}` holds shards that were not gathered");
            return Err(Diagnostic::error(message).help(format!("join them with `taut gather {shown}`")));
        }
        let manifest = Manifest::read(folder)?;
        let index = Index::read(folder, manifest.members)?;
        let mut rows = Vec::with_capacity(index.done);
        if index.done > 0 {
            let mut reader = JournalReader::open(folder)?;
            for offset in index.offsets.iter().flatten() {
                rows.push(reader.row(*offset)?);
            }
        }
        Ok(StoredSweep { folder: folder.to_path_buf(), manifest, rows })
    }

    /// Title of the model.
    pub fn title(&self) -> &str {
        &self.manifest.title
    }

    /// Number of members of the whole sweep.
    pub fn members(&self) -> usize {
        self.manifest.members
    }

    /// Finished members, sorted.
    pub fn rows(&self) -> &[MemberResult] {
        &self.rows
    }

    /// The varied parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.manifest.parameters
    }

    /// The columns of results.
    pub fn columns(&self) -> &[ResultColumn] {
        &self.manifest.columns
    }

    /// The folder of the run of a member, if it was kept.
    pub fn run_folder(&self, member: usize) -> Option<PathBuf> {
        Some(self.folder.join("runs").join(run_name(member))).filter(|f| f.is_dir())
    }

    /// The model and the overrides of a member, to compute it again.
    pub fn model_of(&self, row: &MemberResult) -> (PathBuf, Vec<taut_io::model::Override>) {
        let set = self.manifest.request.set.iter();
        let set = set.map(|(path, value)| taut_io::model::Override { path: path.clone(), value: value.clone() });
        let own = self.manifest.parameters.iter().zip(&row.parameters).map(|(p, v)| v.as_override(p));
        (self.manifest.request.model.clone(), set.chain(own).collect())
    }

    /// The numbers of a parameter or a result, one per row, with unit; texts are NaN.
    ///
    /// # Errors
    /// An unknown name, with the known ones.
    pub fn numbers(&self, name: &str) -> Result<(String, Vec<f64>), Diagnostic> {
        if let Some(i) = self.manifest.parameters.iter().position(|p| p.name == name) {
            let number = |r: &MemberResult| match r.parameters.get(i) {
                Some(Value::Number(x)) => *x,
                _ => f64::NAN,
            };
            return Ok((self.manifest.parameters[i].unit.clone(), self.rows.iter().map(number).collect()));
        }
        if let Some(i) = self.manifest.columns.iter().position(|c| c.name == name) {
            let numbers = self.rows.iter().map(|r| r.values.get(i).copied().unwrap_or(f64::NAN)).collect();
            return Ok((self.manifest.columns[i].unit.clone(), numbers));
        }
        let parameters = self.manifest.parameters.iter().map(|p| p.name.as_str());
        let known: Vec<&str> = parameters.chain(self.manifest.columns.iter().map(|c| c.name.as_str())).collect();
        let nearest = known.iter().min_by_key(|k| taut::edit_distance(name, k));
        let hint = nearest.filter(|k| taut::edit_distance(name, k) <= 1 + name.len() / 4);
        let hint = hint.map_or_else(String::new, |k| format!(" (did you mean `{k}`?)"));
        let message = format!("the sweep has no column `{name}`{hint}");
        Err(Diagnostic::error(message).help(format!("its columns are {}", known.join(", "))))
    }
}
