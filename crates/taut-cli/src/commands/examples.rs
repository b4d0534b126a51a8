//! `taut examples`: the example models that are part of the program.

use crate::exit::{CliError, ExitStatus, print_stderr, print_stdout};
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
  taut examples                # list them
  taut examples show four_bar  # print one
  taut examples copy four_bar  # write four_bar.toml here
  taut examples copy four_bar mine.toml")]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<ExampleAction>,
}

/// What to do with the examples.
#[derive(Debug, Subcommand)]
enum ExampleAction {
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
fn all_examples() -> impl Iterator<Item = Example> {
    let named =
        |(path, text): &(&'static str, &'static str)| path.strip_suffix(".toml").map(|name| Example { name, text });
    FILES.iter().filter_map(named).filter(|e| !e.name.split('/').any(|folder| folder == "parts"))
}

impl Arguments {
    /// Lists, prints or copies examples.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        match self.what.unwrap_or(ExampleAction::List) {
            ExampleAction::List => {
                let rows: Vec<Vec<String>> =
                    all_examples().map(|e| vec![e.name.to_string(), e.description()]).collect();
                print_stdout(&table(&[Align::Left; 2], &rows, ""))?;
            }
            ExampleAction::Show { name } => print_stdout(find_example(&name)?.text)?,
            ExampleAction::Copy { name, to } => copy_example(find_example(&name)?, to)?,
        }
        Ok(ExitStatus::Success)
    }
}

/// Finds an example by its name, with or without folder and extension.
fn find_example(name: &str) -> Result<Example, CliError> {
    let stem = name.strip_suffix(".toml").unwrap_or(name);
    let found = all_examples()
        .find(|e| e.name == stem)
        .or_else(|| all_examples().find(|e| e.name.rsplit('/').next() == Some(stem)));
    found.ok_or_else(|| {
        let near = similar_examples(stem);
        let help = match near.is_empty() {
            true => "`taut examples` lists all".to_string(),
            false => format!("similar: {}; `taut examples` lists all", near.join(", ")),
        };
        CliError::with_help(format!("there is no example `{name}`"), help)
    })
}

/// Examples whose name, title or comments contain a word, and those with nearly the same name.
fn similar_examples(word: &str) -> Vec<&'static str> {
    let word = word.to_lowercase();
    let short = |e: &Example| e.name.rsplit('/').next().unwrap_or(e.name);
    let near = |e: &Example| {
        let mut about = e.text.lines().filter(|line| line.starts_with('#') || line.starts_with("title"));
        let spelling = 3 * taut::edit_distance(short(e), &word) <= word.chars().count();
        spelling || e.name.contains(&word) || about.any(|line| line.to_lowercase().contains(&word))
    };
    all_examples().filter(near).map(|e| e.name).take(10).collect()
}

impl Example {
    /// The title, and the first comment line if it differs.
    fn description(&self) -> String {
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
fn copy_example(example: Example, to: Option<PathBuf>) -> Result<(), CliError> {
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
        return Err(CliError::with_help(format!("{} already exists", path.display()), help));
    }
    for (path, text) in files {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| CliError::file_error("create", folder, &e))?;
        }
        std::fs::write(&path, text).map_err(|e| CliError::file_error("write", &path, &e))?;
        print_stderr(&format!("wrote {}", path.display()));
    }
    Ok(())
}
