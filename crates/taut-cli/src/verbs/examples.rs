//! `taut examples`: the example models that are part of the program.

use crate::ending::{Ending, Failure, note, say};
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use taut_papers::models::FILES;
use taut_papers::text::{Align, table};

/// Arguments of `taut examples`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Examples:
  taut examples                        list them
  taut examples show four_bar          print one
  taut examples copy four_bar          write four_bar.toml here
  taut examples copy four_bar mine.toml")]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
}

/// What to do with the examples.
#[derive(Debug, Subcommand)]
enum What {
    /// List all examples
    List,
    /// Print an example
    Show {
        /// Name of the example
        name: String,
    },
    /// Write an example to a file, together with the files it includes
    Copy {
        /// Name of the example
        name: String,
        /// File or folder to write to [default: NAME.toml in the current directory]
        to: Option<PathBuf>,
    },
}

/// An example model.
#[derive(Clone, Copy, Debug)]
struct Example {
    /// Path within the folder of models, without extension.
    name: &'static str,
    text: &'static str,
}

/// All examples; included parts of models are not examples.
fn all() -> impl Iterator<Item = Example> {
    let named =
        |(path, text): &(&'static str, &'static str)| path.strip_suffix(".toml").map(|name| Example { name, text });
    FILES.iter().filter_map(named).filter(|e| !e.name.split('/').any(|folder| folder == "parts"))
}

impl Arguments {
    /// Lists, prints or copies examples.
    pub fn run(self) -> Result<Ending, Failure> {
        match self.what.unwrap_or(What::List) {
            What::List => {
                let rows: Vec<Vec<String>> = all().map(|e| vec![e.name.to_string(), e.words()]).collect();
                say(&table(&[Align::Left; 2], &rows, ""))?;
            }
            What::Show { name } => say(find(&name)?.text)?,
            What::Copy { name, to } => copy(find(&name)?, to)?,
        }
        Ok(Ending::Done)
    }
}

/// Finds an example by its name, with or without folder and extension.
fn find(name: &str) -> Result<Example, Failure> {
    let stem = name.strip_suffix(".toml").unwrap_or(name);
    let found = all().find(|e| e.name == stem).or_else(|| all().find(|e| e.name.rsplit('/').next() == Some(stem)));
    found.ok_or_else(|| {
        let known: Vec<&str> = all().map(|e| e.name).collect();
        let help = format!("the examples are: {}", known.join(", "));
        Failure::with_help(format!("there is no example `{name}`"), help)
    })
}

impl Example {
    /// The title, and the first comment line if it differs.
    fn words(&self) -> String {
        let table: Option<toml::Table> = self.text.parse().ok();
        let title = table.as_ref().and_then(|t| t.get("title")).and_then(|t| t.as_str()).unwrap_or_default();
        let mut comments =
            self.text.lines().filter_map(|l| l.strip_prefix('#')).map(|l| l.trim_matches(['#', ' ', ':']));
        let comment = comments.find(|l| !l.is_empty()).unwrap_or_default();
        match (title, comment) {
            ("", comment) => comment.to_string(),
            (title, comment) if comment.is_empty() || comment.starts_with(title) => title.to_string(),
            (title, comment) => format!("{title}: {comment}"),
        }
    }

    /// The folder of the example.
    fn folder(&self) -> &'static str {
        self.name.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// Writes an example and every file it includes.
fn copy(example: Example, to: Option<PathBuf>) -> Result<(), Failure> {
    let short = example.name.rsplit('/').next().unwrap_or(example.name);
    let mut path = PathBuf::from(format!("{short}.toml"));
    if let Some(to) = to {
        path = if to.is_dir() { to.join(path) } else { to };
    }
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut files = BTreeMap::from([(path, example.text)]);
    let mut left = vec![example.text];
    while let Some(text) = left.pop() {
        for (other, part) in FILES {
            let within = other.strip_prefix(example.folder()).map(|p| p.trim_start_matches('/'));
            let Some(within) = within.filter(|p| text.contains(&format!("\"{p}\""))) else { continue };
            if files.insert(folder.join(within), part).is_none() {
                left.push(part);
            }
        }
    }
    if let Some(path) = files.keys().find(|p| p.exists()) {
        let help = "choose another name, or move the existing file";
        return Err(Failure::with_help(format!("{} already exists", path.display()), help));
    }
    for (path, text) in files {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| Failure::file("create", folder, &e))?;
        }
        std::fs::write(&path, text).map_err(|e| Failure::file("write", &path, &e))?;
        note(&format!("wrote {}", path.display()));
    }
    Ok(())
}
