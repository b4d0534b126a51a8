//! The gallery: pictures of chosen models and the page that shows them. `taut strobe --gallery docs` makes it anew.

use super::Arguments;
use crate::ending::{Ending, Failure, note};
use crate::options::stem;
use clap::Parser;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Model, options of its picture, and what one sees.
const PICTURES: [(&str, &str, &str); 1] =
    [("four_bar.toml", "--to 3.14", "A crank-rocker and the path of a point of its coupler.")];

/// Options of one picture as on the command line.
#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    arguments: Arguments,
}

/// Makes pictures and page in a folder that lies beside `models`.
///
/// # Errors
/// A model that is not there or does not run, options that are wrong, files that cannot be written.
pub fn make(folder: &Path) -> Result<Ending, Failure> {
    let models = folder.join("../models");
    let pictures = folder.join("gallery");
    fs::create_dir_all(&pictures).map_err(|e| Failure::file("make", &pictures, &e))?;
    let mut page = String::from(HEAD);
    for (model, options, words) in PICTURES {
        let source = models.join(model);
        let line = std::iter::once("strobe").chain([model]).chain(options.split_whitespace());
        let line = Line::try_parse_from(line).map_err(|e| Failure::new(format!("{model}: {e}")))?;
        let drawing = line.arguments.drawing(&source)?;
        let file = format!("{}.svg", stem(Path::new(model)));
        let path = pictures.join(&file);
        fs::write(&path, drawing.to_svg()).map_err(|e| Failure::file("write", &path, &e))?;
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "\n## {title}\n\n{words} [{model}](../models/{model})\n\n![{title}](gallery/{file})\n\n```sh\ntaut strobe models/{model}{space}{options}\n```\n",
            title = drawing.title,
            space = if options.is_empty() { "" } else { " " },
        );
        note(&format!("{} is written", path.display()));
    }
    let path = folder.join("gallery.md");
    fs::write(&path, page).map_err(|e| Failure::file("write", &path, &e))?;
    note(&format!("{} is written", path.display()));
    Ok(Ending::Done)
}

const HEAD: &str = "\
# Gallery

Models of [models/](../models/README.md) in motion: several instants in one picture, early ones faint, the last one solid. Each
was drawn by the command below it, without a browser; `taut strobe --gallery docs` makes them all anew.
";
