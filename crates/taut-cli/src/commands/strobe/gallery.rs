//! The gallery: pictures of selected models and the page that shows them. `taut strobe --gallery docs` rewrites it.

use super::Arguments;
use crate::exit::{CliError, ExitStatus, print_stderr};
use crate::options::stem;
use clap::Parser;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Model, options of its picture, and description.
const PICTURES: [(&str, &str, &str); 26] = [
    (
        "four_bar.toml",
        "--to 3.14 --every 0.02",
        "A crank-rocker, and the path of a coupler point over one turn of the crank.",
    ),
    (
        "slider_crank.toml",
        "-n 8 --to 0.19",
        "The midpoint of the rod traces an oval while the piston moves back and forth.",
    ),
    (
        "jansen_leg.toml",
        "-n 8 --to 1 --every 0.01",
        "The foot of a walking machine: level on the ground, raised on the return stroke.",
    ),
    (
        "peaucellier.toml",
        "--to 2 --every 0.05 --trail far1.tip",
        "Seven bars and ten pins move the pen along an exact straight line.",
    ),
    ("pantograph.toml", "--to 3.5 --every 0.02", "The pen draws the traced figure at twice its size."),
    ("trammel.toml", "--every 0.02", "A bar slides in two crossed guides; its pen traces an ellipse."),
    ("quick_return.toml", "-n 7 --to 0.85 --trail rocker.head", "The ram moves out slowly and returns quickly."),
    (
        "iftomm_a04_bricard.toml",
        "--to 4 -n 6",
        "Five bars in space, closed by revolute joints. By Grübler's count it could not move.",
    ),
    ("robot_arm.toml", "--every 0.02", "Six axes, with the trail of the tool."),
    ("delta_robot.toml", "-n 6 --trail platform", "Three arms and six light rods guide a platform that never rotates."),
    (
        "stewart_platform.toml",
        "-n 6 --trail platform",
        "Six legs of variable length control all six degrees of freedom of a platform.",
    ),
    (
        "pendulum_wave.toml",
        "-n 6 --to 0.9 --every 0.02 --trail none",
        "Pendulums of different lengths, released together.",
    ),
    ("adams_spring.toml", "-n 7 --to 1.5 --every 0.02", "A body held only by a spring and a damper."),
    ("watt_governor.toml", "-n 7 --every 0.01", "The faster it rotates, the higher the balls."),
    ("rotor.toml", "-n 5 --to 0.12 --every 0.005", "Four blades on a hub."),
    ("planetary_gear.toml", "-n 6 --every 0.02", "Three planets on their carrier."),
    ("bicycle.toml", "--view 40,18 --every 0.02", "Rolling wheels, a frame and a fork: it stabilises itself."),
    ("rolling_disc.toml", "--every 0.01", "A disc rolls on a plane without slipping."),
    ("chain.toml", "--every 0.02", "Five rods, released from the horizontal."),
    ("crane.toml", "--view front --to 2.2 --every 0.02", "The trolley stops; the load keeps swinging."),
    ("contact/pulley.toml", "--every 0.02", "Atwood's machine."),
    (
        "contact/incline.toml",
        "--forces",
        "A block comes to rest on a ramp. The arrows are the contact forces at the end.",
    ),
    (
        "contact/cradle.toml",
        "-n 6",
        "The impact passes through the row: the last ball leaves with the speed of the first.",
    ),
    ("beams/flying_rod.toml", "-n 8", "A very flexible rod in free flight, modelled with beam elements."),
    ("beams/elbow.toml", "-n 8", "Two beams joined at a right angle, loaded out of their plane."),
    (
        "papers/masarati_swing_8.toml",
        "-n 8",
        "A flexible beam of eight elements on two links, with a mass at its middle.",
    ),
];

/// Options of one picture as on the command line.
#[derive(Debug, Parser)]
struct PictureOptions {
    #[command(flatten)]
    arguments: Arguments,
}

/// Writes the pictures and the page to a folder next to `models`.
///
/// # Errors
/// A model is missing or does not run, options are invalid, or a file cannot be written.
pub fn write_gallery(folder: &Path) -> Result<ExitStatus, CliError> {
    let models = folder.join("../models");
    let pictures = folder.join("gallery");
    fs::create_dir_all(&pictures).map_err(|e| CliError::file_error("create", &pictures, &e))?;
    let mut page = String::from(PAGE_HEADER);
    for (model, options, words) in PICTURES {
        let source = models.join(model);
        let line = std::iter::once("strobe").chain([model]).chain(options.split_whitespace());
        let line = PictureOptions::try_parse_from(line).map_err(|e| CliError::new(format!("{model}: {e}")))?;
        let drawing = line.arguments.drawing(&source)?;
        let file = format!("{}.svg", stem(Path::new(model)));
        let path = pictures.join(&file);
        fs::write(&path, drawing.to_svg()).map_err(|e| CliError::file_error("write", &path, &e))?;
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "\n## {title}\n\n{words} [{model}](../models/{model})\n\n![{title}](gallery/{file})\n\n```sh\ntaut strobe models/{model}{space}{options}\n```\n",
            title = drawing.title,
            space = if options.is_empty() { "" } else { " " },
        );
        print_stderr(&format!("wrote {}", path.display()));
    }
    let path = folder.join("gallery.md");
    fs::write(&path, page).map_err(|e| CliError::file_error("write", &path, &e))?;
    print_stderr(&format!("wrote {}", path.display()));
    Ok(ExitStatus::Success)
}

const PAGE_HEADER: &str = "\
# Gallery

Models of [models/](../models/README.md) in motion. Each picture shows several instants: early ones faint, the last one solid. The command
below a picture draws it, without a browser; `taut strobe --gallery docs` redraws them all.
";
