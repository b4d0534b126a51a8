//! Exit codes, errors, and output to stdout and stderr.

use std::io::{self, Write};
use std::path::Path;
use taut::analyses::AnalysisError;
use taut_io::diagnostic::Diagnostic;
use taut_papers::WriteError;

/// How the command ended; determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Success.
    Done,
    /// The model or the usage is invalid, or a comparison found differences.
    Refused,
    /// The computation stopped before its end.
    Stopped,
    /// The run finished, but the audit finds its results wrong.
    Wrong,
    /// Interrupted with Ctrl-C.
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

/// Why a subcommand failed.
#[derive(Debug)]
pub enum Failure {
    /// Errors, each with its place and remedy where known.
    Findings(Vec<Diagnostic>),
    /// stdout was closed by its reader (`taut examples | head -1`).
    ReaderGone,
}

impl Failure {
    /// The error messages in one line.
    pub fn told(&self) -> String {
        match self {
            Failure::Findings(findings) => findings.iter().map(|f| f.message.as_str()).collect::<Vec<_>>().join("; "),
            _ => "stdout was closed".to_string(),
        }
    }

    /// An error message.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure::Findings(vec![Diagnostic::error(message)])
    }

    /// An error message with a remedy.
    pub fn with_help(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure::Findings(vec![Diagnostic::error(message).help(help)])
    }

    /// A file operation that failed; `verb` names it: read, write, create.
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
/// stdout was closed or cannot be written.
pub fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(Failure::ReaderGone),
        Err(e) => Err(Failure::new(format!("cannot write to stdout: {e}"))),
    }
}

/// Writes a JSON value and a line feed to stdout.
///
/// # Errors
/// As [`say`].
pub fn say_json(value: &serde_json::Value) -> Result<(), Failure> {
    say(&format!("{value:#}\n"))
}

/// Writes a message to stderr; a closed stderr is ignored.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Largest number of warnings printed about content that an import leaves out.
const SHOWN: usize = 5;

/// Writes warnings to stderr. Warnings about content that an import leaves out are shortened to one line each, and only
/// the first few are shown.
pub fn report_briefly(warnings: &[Diagnostic]) {
    let (left_out, others): (Vec<_>, Vec<_>) = warnings.iter().partition(|w| w.message.starts_with("not carried over"));
    others.iter().for_each(|w| note(&w.to_string()));
    left_out.iter().take(SHOWN).for_each(|w| note(&format!("warning: {}", w.message)));
    if left_out.len() > SHOWN {
        note(&format!("… and {} more (`taut convert` lists all)", left_out.len() - SHOWN));
    }
}

/// Writes diagnostics to stderr.
pub fn report(findings: &[Diagnostic]) {
    findings.iter().for_each(|f| note(&f.to_string()));
}
