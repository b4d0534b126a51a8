//! How the command ends, and what it says when it fails.

use std::io::{self, Write};
use std::path::Path;
use taut::analyses::AnalysisError;
use taut_io::diagnostic::Diagnostic;
use taut_papers::WriteError;

/// How the command ended, as its exit code tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All went well.
    Done,
    /// The model or the usage is wrong, or a comparison found differences.
    Refused,
    /// The computation stopped before its end.
    Stopped,
    /// The run came to its end, and its audit finds the results wrong.
    Wrong,
    /// Ctrl-C.
    Interrupted,
}

impl Ending {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Ending::Done => 0,
            Ending::Refused => 1,
            Ending::Stopped => 2,
            Ending::Wrong => 3,
            Ending::Interrupted => 130,
        }
    }
}

/// Why a verb could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// What is wrong.
    Findings(Vec<Diagnostic>),
    /// Nobody reads stdout any more (`taut examples | head -1`).
    ReaderGone,
}

impl Failure {
    /// What went wrong, in one line.
    pub fn told(&self) -> String {
        match self {
            Failure::Findings(findings) => findings.iter().map(|f| f.message.as_str()).collect::<Vec<_>>().join("; "),
            _ => "the reader is gone".to_string(),
        }
    }

    /// A failure of one sentence.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure::Findings(vec![Diagnostic::error(message)])
    }

    /// A failure of one sentence and its remedy.
    pub fn with_help(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure::Findings(vec![Diagnostic::error(message).help(help)])
    }

    /// A file that cannot be read, written or made.
    pub fn file(verb: &str, path: &Path, error: &io::Error) -> Failure {
        Failure::new(format!("cannot {verb} {}: {error}", path.display()))
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(findings: Vec<Diagnostic>) -> Failure {
        Failure::Findings(findings)
    }
}

impl From<Diagnostic> for Failure {
    fn from(finding: Diagnostic) -> Failure {
        Failure::Findings(vec![finding])
    }
}

impl From<AnalysisError> for Failure {
    fn from(e: AnalysisError) -> Failure {
        Failure::new(e.to_string())
    }
}

impl From<WriteError> for Failure {
    fn from(e: WriteError) -> Failure {
        Failure::new(e.to_string())
    }
}

/// Writes results to stdout.
///
/// # Errors
/// A reader that went away; anything else that keeps stdout from being written.
pub fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(Failure::ReaderGone),
        Err(e) => Err(Failure::new(format!("stdout cannot be written: {e}"))),
    }
}

/// Writes a JSON value to stdout, with a line feed at its end.
///
/// # Errors
/// As [`say`].
pub fn say_json(value: &serde_json::Value) -> Result<(), Failure> {
    say(&format!("{value:#}\n"))
}

/// Writes a message to stderr; a stderr that is closed is no reason to stop.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Most lines about what an import leaves out.
const SHOWN: usize = 5;

/// Writes warnings to stderr; those about what an import leaves out in a line each, and not all of them.
pub fn report_briefly(warnings: &[Diagnostic]) {
    let (left_out, others): (Vec<_>, Vec<_>) = warnings.iter().partition(|w| w.message.starts_with("not carried over"));
    others.iter().for_each(|w| note(&w.to_string()));
    left_out.iter().take(SHOWN).for_each(|w| note(&format!("warning: {}", w.message)));
    if left_out.len() > SHOWN {
        note(&format!("… and {} more (taut convert lists them)", left_out.len() - SHOWN));
    }
}

/// Writes findings to stderr.
pub fn report(findings: &[Diagnostic]) {
    findings.iter().for_each(|f| note(&f.to_string()));
}
