//! `taut examples`: the models that come along.

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

/// What is done with them.
#[derive(Debug, Subcommand)]
enum What {
    /// List them
    List,
    /// Print one
    Show {
        /// Its name
        name: String,
    },
    /// Write one to a file, with the files it takes in
    Copy {
        /// Its name
        name: String,
        /// Where to; NAME.toml here if left out
        to: Option<PathBuf>,
    },
}

/// A model that comes along.
#[derive(Clone, Copy, Debug)]
struct Example {
    /// Path within the folder of models, without its ending.
    name: &'static str,
    text: &'static str,
}

/// All of them; parts of models are none.
fn all() -> impl Iterator<Item = Example> {
    let named =
        |(path, text): &(&'static str, &'static str)| path.strip_suffix(".toml").map(|name| Example { name, text });
    FILES.iter().filter_map(named).filter(|e| !e.name.split('/').any(|folder| folder == "parts"))
}

impl Arguments {
    /// Lists, prints or copies.
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

/// An example by its name, with folder and ending or without.
fn find(name: &str) -> Result<Example, Failure> {
    let stem = name.strip_suffix(".toml").unwrap_or(name);
    let found = all().find(|e| e.name == stem).or_else(|| all().find(|e| e.name.rsplit('/').next() == Some(stem)));
    found.ok_or_else(|| {
        let known: Vec<&str> = all().map(|e| e.name).collect();
        let help = format!("there are: {}", known.join(", "));
        Failure::with_help(format!("there is no example `{name}`"), help)
    })
}

impl Example {
    /// Its title, and its first line of comment where that says something else.
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

    /// The folder it lies in.
    fn folder(&self) -> &'static str {
        self.name.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// Writes an example and every file it names.
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
        let help = "give another name, or move it away";
        return Err(Failure::with_help(format!("{} is there already", path.display()), help));
    }
    for (path, text) in files {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| Failure::file("create", folder, &e))?;
        }
        std::fs::write(&path, text).map_err(|e| Failure::file("write", &path, &e))?;
        note(&format!("{} is written", path.display()));
    }
    Ok(())
}
