//! Exit codes, errors, and output to stdout and stderr.

use std::io::{self, Write};
use std::path::Path;
use taut::analyses::AnalysisError;
use taut_io::diagnostic::Diagnostic;
use taut_papers::WriteError;

/// How the command ended; determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// Success.
    Success,
    /// The model or the usage is invalid, or a comparison found differences.
    Failed,
    /// The computation stopped before its end.
    Stopped,
    /// The run finished, but the audit finds its results wrong.
    AuditFailed,
    /// Interrupted with Ctrl-C.
    Interrupted,
}

impl ExitStatus {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            ExitStatus::Success => 0,
            ExitStatus::Failed => 1,
            ExitStatus::Stopped => 2,
            ExitStatus::AuditFailed => 3,
            ExitStatus::Interrupted => 130,
        }
    }
}

/// Why a subcommand failed.
#[derive(Debug)]
pub enum CliError {
    /// Errors, each with its place and remedy where known.
    Diagnostics(Vec<Diagnostic>),
    /// stdout was closed by its reader (`taut examples | head -1`).
    BrokenPipe,
}

impl CliError {
    /// The error messages in one line.
    pub fn one_line(&self) -> String {
        match self {
            CliError::Diagnostics(findings) => {
                findings.iter().map(|f| f.message.as_str()).collect::<Vec<_>>().join("; ")
            }
            _ => "stdout was closed".to_string(),
        }
    }

    /// An error message.
    pub fn new(message: impl Into<String>) -> CliError {
        CliError::Diagnostics(vec![Diagnostic::error(message)])
    }

    /// An error message with a remedy.
    pub fn with_help(message: impl Into<String>, help: impl Into<String>) -> CliError {
        CliError::Diagnostics(vec![Diagnostic::error(message).help(help)])
    }

    /// A file operation that failed; `verb` names it: read, write, create.
    pub fn file_error(verb: &str, path: &Path, error: &io::Error) -> CliError {
        CliError::new(format!("cannot {verb} {}: {error}", path.display()))
    }
}

impl From<Vec<Diagnostic>> for CliError {
    fn from(findings: Vec<Diagnostic>) -> CliError {
        CliError::Diagnostics(findings)
    }
}

impl From<Diagnostic> for CliError {
    fn from(finding: Diagnostic) -> CliError {
        CliError::Diagnostics(vec![finding])
    }
}

impl From<AnalysisError> for CliError {
    fn from(e: AnalysisError) -> CliError {
        CliError::new(e.to_string())
    }
}

impl From<WriteError> for CliError {
    fn from(e: WriteError) -> CliError {
        CliError::new(e.to_string())
    }
}

/// Writes results to stdout.
///
/// # Errors
/// stdout was closed or cannot be written.
pub fn print_stdout(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(CliError::BrokenPipe),
        Err(e) => Err(CliError::new(format!("cannot write to stdout: {e}"))),
    }
}

/// Writes a JSON value and a line feed to stdout.
///
/// # Errors
/// As [`print_stdout`].
pub fn print_json(value: &serde_json::Value) -> Result<(), CliError> {
    print_stdout(&format!("{value:#}\n"))
}

/// Writes a message to stderr; a closed stderr is ignored.
pub fn print_stderr(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Largest number of warnings printed about content that an import leaves out.
const MAX_IMPORT_WARNINGS: usize = 5;

/// Writes warnings to stderr. Warnings about content that an import leaves out are shortened to one line each, and only
/// the first few are shown.
pub fn print_warnings_briefly(warnings: &[Diagnostic]) {
    let (left_out, others): (Vec<_>, Vec<_>) = warnings.iter().partition(|w| w.message.starts_with("not carried over"));
    others.iter().for_each(|w| print_stderr(&w.to_string()));
    left_out.iter().take(MAX_IMPORT_WARNINGS).for_each(|w| print_stderr(&format!("warning: {}", w.message)));
    if left_out.len() > MAX_IMPORT_WARNINGS {
        print_stderr(&format!("… and {} more (`taut convert` lists all)", left_out.len() - MAX_IMPORT_WARNINGS));
    }
}

/// Writes diagnostics to stderr.
pub fn print_diagnostics(findings: &[Diagnostic]) {
    findings.iter().for_each(|f| print_stderr(&f.to_string()));
}
