//! `taut examples`: the models that come along.

use crate::ending::{Ending, Failure, note, say};
use crate::text::{Align, table};
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

include!(concat!(env!("OUT_DIR"), "/examples.rs"));

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

impl Arguments {
    /// Lists, prints or copies.
    pub fn run(self) -> Result<Ending, Failure> {
        match self.what.unwrap_or(What::List) {
            What::List => {
                let one = |(name, text): &(&str, &str)| vec![(*name).to_string(), title(text), subtitle(text)];
                let rows: Vec<Vec<String>> = ALL.iter().map(one).collect();
                say(&table(&[Align::Left; 3], &rows, ""))?;
            }
            What::Show { name } => say(find(&name)?.1)?,
            What::Copy { name, to } => copy(&name, to)?,
        }
        Ok(Ending::Done)
    }
}

/// An example by its name, `.toml` or not.
fn find(name: &str) -> Result<(&'static str, &'static str), Failure> {
    let stem = name.strip_suffix(".toml").unwrap_or(name);
    match ALL.iter().find(|(n, _)| *n == stem) {
        Some(found) => Ok(*found),
        None => {
            let known: Vec<&str> = ALL.iter().map(|(n, _)| *n).collect();
            let help = format!("there are: {}", known.join(", "));
            Err(Failure::with_help(format!("there is no example `{name}`"), help))
        }
    }
}

fn title(text: &str) -> String {
    let table: Option<toml::Table> = text.parse().ok();
    let title = table.as_ref().and_then(|t| t.get("title")).and_then(|t| t.as_str());
    title.unwrap_or_default().to_string()
}

/// The first line of comment.
fn subtitle(text: &str) -> String {
    let mut comments = text.lines().filter_map(|l| l.strip_prefix('#')).map(|l| l.trim_start_matches('#').trim());
    comments.find(|l| !l.is_empty()).unwrap_or_default().to_string()
}

/// Writes an example and every example it names as a file.
fn copy(name: &str, to: Option<PathBuf>) -> Result<(), Failure> {
    let (name, text) = find(name)?;
    let mut folder = PathBuf::new();
    let mut path = PathBuf::from(format!("{name}.toml"));
    if let Some(to) = to {
        path = if to.is_dir() { to.join(path) } else { to };
        folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    }
    let mut files = BTreeMap::from([(path, text)]);
    let mut left = vec![text];
    while let Some(text) = left.pop() {
        for (other, part) in ALL {
            let file = folder.join(format!("{other}.toml"));
            if text.contains(&format!("\"{other}.toml\"")) && !files.contains_key(&file) {
                files.insert(file, part);
                left.push(part);
            }
        }
    }
    if let Some(path) = files.keys().find(|p| p.exists()) {
        let help = "give another name, or move it away";
        return Err(Failure::with_help(format!("{} is there already", path.display()), help));
    }
    for (path, text) in files {
        std::fs::write(&path, text).map_err(|e| Failure::file("write", &path, &e))?;
        note(&format!("{} is written", path.display()));
    }
    Ok(())
}
