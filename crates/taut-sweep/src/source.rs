//! The model of a sweep: a file that is parsed once, and what a program adds to it.

use std::fmt;
use std::sync::Arc;
use taut_io::diagnostic::Diagnostic;
use taut_io::model::{ModelFile, ModelTemplate, Override};

/// Adds elements that no file can contain, such as functions of Python, to the model of a member.
pub type Addition = Arc<dyn Fn(&mut ModelFile) -> Result<(), Diagnostic> + Send + Sync>;

/// What a program adds to a sweep.
#[derive(Clone, Default)]
pub struct Extensions {
    /// Elements of every member.
    pub addition: Option<Addition>,
    /// Whether the motion of every member is handed over, for measures of the program.
    pub keep_solutions: bool,
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Extensions { addition, keep_solutions } = self;
        f.debug_struct("Extensions")
            .field("addition", &addition.is_some())
            .field("keep_solutions", keep_solutions)
            .finish()
    }
}

/// A template with an addition.
pub(crate) struct ModelSource {
    pub template: ModelTemplate,
    pub addition: Option<Addition>,
}

impl fmt::Debug for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelSource")
            .field("template", &self.template)
            .field("addition", &self.addition.is_some())
            .finish()
    }
}

impl ModelSource {
    /// The model with overrides.
    pub fn model(&self, overrides: &[Override]) -> Result<ModelFile, Vec<Diagnostic>> {
        let mut file = self.template.model(overrides)?;
        if let Some(add) = &self.addition {
            add(&mut file).map_err(|found| vec![found])?;
        }
        Ok(file)
    }
}
