//! The model file: text → names, numbers and units → [`taut::Spec`], and back.

use crate::diagnostic::{Diagnostic, Place};
use std::path::{Path, PathBuf};
use taut::analyses::Transient;
use taut::{Model, Spec};

/// A model file that was read: the mechanism, how to run it, and where each element stands.
#[derive(Debug)]
pub struct ModelFile {
    /// Its path as the user named it.
    pub path: PathBuf,
    /// The title.
    pub title: String,
    /// The mechanism.
    pub spec: Spec,
    /// `[settings]` and `[outputs]` as a transient analysis.
    pub transient: Transient,
    /// `outputs.only`: patterns of column names to keep; empty keeps all.
    pub only: Vec<String>,
    /// What deserves a look.
    pub warnings: Vec<Diagnostic>,
}

/// A change from outside: `--set link2.mass=3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// `link2.mass`, `settings.rtol`, or the name of a parameter.
    pub path: String,
    /// As it would stand in the file; text needs no quotes.
    pub value: String,
}

/// Reads a model file and all it includes (TOML; also `.urdf`, and `.xml` for MJCF).
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(path: &Path, overrides: &[Override]) -> Result<ModelFile, Vec<Diagnostic>> {
    let _ = overrides;
    Err(vec![Diagnostic::error(format!("cannot read {}", path.display()))])
}

/// The same from a text; `path` is what messages call it, and where its includes are looked for.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path, overrides: &[Override]) -> Result<ModelFile, Vec<Diagnostic>> {
    let _ = text;
    read(path, overrides)
}

impl ModelFile {
    /// The model; what is wrong is said with its place in the file.
    ///
    /// # Errors
    /// What [`Spec::build`] finds.
    pub fn build(&self) -> Result<Model, Diagnostic> {
        self.spec.build().map_err(|e| Diagnostic::error(e.to_string()))
    }

    /// Where an element stands: `family` is `body`, `marker`, `constraint`, `force` or `measure`.
    pub fn place(&self, family: &str, name: &str) -> Option<&Place> {
        let _ = (family, name);
        None
    }

    /// The file resolved: no parameters, no includes, plain SI numbers; reading it back gives the same bits.
    ///
    /// # Errors
    /// Elements written in code (custom bodies, user functions), which no file can hold.
    pub fn write(&self) -> Result<String, Diagnostic> {
        Err(Diagnostic::error("not written"))
    }
}
