//! In place of the subcommands that this build leaves out: they accept any arguments and name the missing feature.

use crate::exit::CliError;

/// The message about a missing feature.
pub(super) fn missing(what: &str, feature: &str) -> CliError {
    let help = format!("build taut-cli with its feature `{feature}`");
    CliError::with_help(format!("this build has no `{what}`"), &help)
}

macro_rules! left_out {
    ($($feature:tt: $($command:ident)*;)*) => {$($(
        #[cfg(not(feature = $feature))]
        pub mod $command {
            use crate::exit::{CliError, ExitStatus};
            use clap::Args;

            /// Any arguments.
            #[derive(Debug, Args)]
            #[command(disable_help_flag = true)]
            pub struct Arguments {
                #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
                arguments: Vec<String>,
            }

            impl Arguments {
                /// Says which feature is missing.
                pub fn run(self) -> Result<ExitStatus, CliError> {
                    Err(super::missing(concat!("taut ", stringify!($command)), $feature))
                }
            }
        }
    )*)*};
}

left_out! {
    "docs": docs;
    "view": report strobe view;
}
