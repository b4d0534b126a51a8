//! The program `taut`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(taut_cli::run_command(std::env::args_os()))
}
