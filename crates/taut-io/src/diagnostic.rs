//! Errors and warnings about a file: the element, `file:line:column`, the line itself, and the remedy.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use taut::edit_distance;

/// A file that was read, with its text.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// Where it came from, as the user named it.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// A span of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub source: Arc<Source>,
    /// Bytes of its text.
    pub span: Range<usize>,
}

impl Place {
    /// Line and column, both from 1; columns count characters.
    pub fn line_and_column(&self) -> (usize, usize) {
        let mut start = self.span.start.min(self.source.text.len());
        while !self.source.text.is_char_boundary(start) {
            start -= 1;
        }
        let before = &self.source.text[..start];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// Severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file is not a valid model.
    Error,
    /// The model is valid but may not be what was meant.
    Warning,
}

/// One diagnostic.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Severity.
    pub severity: Severity,
    /// What is wrong: one sentence that names the element.
    pub message: String,
    /// Where, if it has a place.
    pub place: Option<Place>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, message: message.into(), place: None, help: None }
    }

    /// A warning.
    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(message) }
    }

    /// The same with its place.
    pub fn at(mut self, place: &Place) -> Diagnostic {
        self.place = Some(place.clone());
        self
    }

    /// The same with another name for an option: in the message, in the help, and at the start of the text it points to.
    pub fn with_option_renamed(mut self, option: &str, name: &str) -> Diagnostic {
        self.message = self.message.replace(option, name);
        self.help = self.help.map(|help| help.replace(option, name));
        let text = self.place.as_ref().and_then(|p| p.source.text.strip_prefix(option));
        if let (Some(rest), Some(place)) = (text, &self.place) {
            let moved = |at: usize| (at + name.len()).saturating_sub(option.len());
            let source = Source { path: place.source.path.clone(), text: format!("{name}{rest}") };
            self.place = Some(Place { source: Arc::new(source), span: moved(place.span.start)..moved(place.span.end) });
        }
        self
    }

    /// The same with a remedy.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// Largest number of characters of a line that are shown.
const MAX_SHOWN_CHARACTERS: usize = 160;

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{word}: {}", self.message)?;
        if let Some(place) = &self.place {
            let (line, column) = place.line_and_column();
            write!(f, "\n  --> {}:{line}:{column}", place.source.path.display())?;
            let text = place.source.text.lines().nth(line - 1).unwrap_or("");
            // Of a very long line, only the part around the column is shown.
            let from = (column - 1).saturating_sub(MAX_SHOWN_CHARACTERS / 2);
            let shown: String = text
                .chars()
                .skip(from)
                .take(MAX_SHOWN_CHARACTERS)
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect();
            let width = shown.chars().count();
            let at = (column - 1 - from).min(width);
            let inside = place.source.text.get(place.span.clone()).unwrap_or("");
            let length = inside.lines().next().unwrap_or("").chars().count().clamp(1, (width - at).max(1));
            let margin = line.to_string().len();
            write!(f, "\n {:margin$} |\n {line} | {shown}\n {:margin$} | {:at$}{}", "", "", "", "^".repeat(length))?;
        }
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

/// ` (did you mean …?)` with the nearest of the known names, or nothing.
pub(crate) fn did_you_mean<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> String {
    // Long texts are not typos, and comparing them is slow.
    if found.chars().count() > 60 {
        return String::new();
    }
    let nearest =
        known.filter(|k| k.len() < 120).map(|k| (edit_distance(&found.to_lowercase(), &k.to_lowercase()), k)).min();
    match nearest {
        Some((d, k)) if d <= 1 + found.chars().count() / 4 && d < found.chars().count() => {
            format!(" (did you mean `{k}`?)")
        }
        _ => String::new(),
    }
}
