//! `taut claims`: what the papers say about cost, measured on this machine.

use crate::claims::measure;
use crate::ending::{Ending, Failure, note, say, say_json};
use crate::options::{AsJson, Style};
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;

/// Arguments of `taut claims`.
#[derive(Debug, Args)]
#[command(after_help = "\
All times are of one run on one core, the least of repeats: read the ratios. It takes about half a minute on an idle \
machine.

Examples:
  taut claims
  taut claims --write docs/papers      write claims.md and its picture")]
pub struct Arguments {
    /// Also write claims.md and its pictures into this folder
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
    #[command(flatten)]
    printing: AsJson,
}

impl Arguments {
    /// Measures and tells.
    pub fn run(self) -> Result<Ending, Failure> {
        let claims = measure().map_err(|trouble| Failure::new(trouble.why))?;
        if let Some(folder) = &self.write {
            std::fs::create_dir_all(folder).map_err(|e| Failure::file("make", folder, &e))?;
            let mut page =
                "# What the papers claim about cost, measured\n\nWritten by `taut claims --write`; all figures of \
                            one run on one core, so that the ratios can be compared.\n"
                    .to_string();
            for claim in &claims {
                page += &format!("\n{}", claim.as_markdown());
                if let Some((name, figure)) = &claim.figure {
                    let path = folder.join(name);
                    std::fs::write(&path, figure.to_svg()).map_err(|e| Failure::file("write", &path, &e))?;
                }
            }
            let path = folder.join("claims.md");
            std::fs::write(&path, page).map_err(|e| Failure::file("write", &path, &e))?;
            note(&format!("{} is written", path.display()));
        }
        match self.printing.style() {
            Style::Json => say_json(&claims.iter().map(|c| c.as_json()).collect::<Value>())?,
            _ => say(&claims.iter().map(|c| c.as_text()).collect::<Vec<_>>().join("\n"))?,
        }
        Ok(Ending::Done)
    }
}
