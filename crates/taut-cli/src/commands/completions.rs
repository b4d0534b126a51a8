//! `taut completions`: a script with which a shell completes subcommands, options and files.

use crate::Cli;
use crate::exit::{CliError, ExitStatus, print_stdout};
use clap::Args;
use clap_complete::Shell;

/// Arguments of `taut completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taut completions bash > ~/.local/share/bash-completion/completions/taut
  taut completions zsh > \"${fpath[1]}/_taut\"
  taut completions fish > ~/.config/fish/completions/taut.fish")]
pub struct Arguments {
    /// Shell for which the script is printed
    shell: Shell,
}

impl Arguments {
    /// Prints the script.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command_tree(), "taut", &mut script);
        print_stdout(&String::from_utf8_lossy(&script))?;
        Ok(ExitStatus::Success)
    }
}
