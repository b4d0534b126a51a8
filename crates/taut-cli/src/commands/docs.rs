//! `taut docs`: shows the documentation in the browser, without a network.

use super::browser::open_browser;
use crate::Cli;
use crate::exit::{CliError, ExitStatus, print_stdout};
use clap::Args;
use std::path::PathBuf;
use taut_docs::{Page, Site};

/// Arguments of `taut docs`.
#[derive(Debug, Args)]
#[command(after_help = "\
The pages are part of the program; nothing is downloaded. Without --write they go to a temporary folder.

Examples:
  taut docs
  taut docs --write site  # write the whole site to the folder site
  taut docs --man man     # write manual pages to the folder man")]
pub struct Arguments {
    /// Write the site to this folder instead of opening it
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Write manual pages (taut.1, taut-run.1 …) to this folder
    #[arg(long, value_name = "DIR")]
    man: Option<PathBuf>,
    /// Do not open a browser; only print the path
    #[arg(long)]
    no_open: bool,
}

impl Arguments {
    /// Writes the pages and opens them.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        if let Some(folder) = &self.man {
            std::fs::create_dir_all(folder).map_err(|e| CliError::file_error("write", folder, &e))?;
            clap_mangen::generate_to(Cli::command_tree(), folder)
                .map_err(|e| CliError::file_error("write", folder, &e))?;
            print_stdout(&format!("{}\n", folder.display()))?;
            if self.write.is_none() {
                return Ok(ExitStatus::Success);
            }
        }
        let opens = self.write.is_none() && !self.no_open;
        let folder =
            self.write.unwrap_or_else(|| std::env::temp_dir().join(concat!("taut-docs-", env!("CARGO_PKG_VERSION"))));
        site().write(&folder).map_err(|e| CliError::file_error("write", &folder, &e))?;
        let first = folder.join("index.html");
        print_stdout(&format!("{}\n", first.display()))?;
        if opens {
            open_browser(&first.display().to_string());
        }
        Ok(ExitStatus::Success)
    }
}

/// All pages, including the generated ones.
pub(crate) fn site() -> Site {
    let fields = Page::new("reference/fields", taut_io::model::reference());
    Site::new(vec![fields, Page::new("reference/commands", commands())])
}

/// The page of commands and options, generated from the definition of the command line.
fn commands() -> String {
    let mut page = "# Commands\n\nThis page is generated from the definition of the command line. `taut COMMAND --help` prints the \
                    same.\n"
        .to_string();
    let mut root = Cli::command_tree();
    root.build();
    for command in root.get_subcommands().filter(|c| c.get_name() != "help") {
        let help = command.clone().term_width(100).render_long_help().to_string();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let body: String = help.trim_start_matches(about.as_str()).trim().to_string();
        page += &format!("\n## taut {}\n\n{about}.\n\n```text\n{body}\n```\n", command.get_name());
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_site_is_complete_and_every_link_leads_somewhere() {
        let site = site();
        assert_eq!(site.missing(), Vec::<String>::new());
        let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let broken: Vec<String> =
            site.broken_links(|file| project.join(file).exists()).iter().map(ToString::to_string).collect();
        assert!(broken.is_empty(), "{}", broken.join("\n"));
        assert_eq!(site.formula_errors(), Vec::<String>::new());
    }

    #[test]
    fn the_generated_pages_name_every_command_and_section() {
        let commands = commands();
        for command in Cli::command_tree().get_subcommands() {
            assert!(commands.contains(&format!("## taut {}", command.get_name())), "{}", command.get_name());
        }
        let fields = taut_io::model::reference();
        for word in ["## settings", "### type = \"rigid\"", "| `rtol` |", "`\"dop853\"`"] {
            assert!(fields.contains(word), "{word}");
        }
    }
}
