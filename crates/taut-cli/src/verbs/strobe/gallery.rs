//! The gallery: pictures of chosen models and the page that shows them. `taut strobe --gallery docs` makes it anew.

use super::Arguments;
use crate::ending::{Ending, Failure, note};
use crate::options::stem;
use clap::Parser;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Model, options of its picture, and what one sees.
const PICTURES: [(&str, &str, &str); 26] = [
    (
        "four_bar.toml",
        "--to 3.14 --every 0.02",
        "A crank-rocker, and the path of a point of its coupler over one turn of the crank.",
    ),
    ("slider_crank.toml", "-n 8 --to 0.19", "The middle of the rod draws an oval while the piston goes to and fro."),
    (
        "jansen_leg.toml",
        "-n 8 --to 1 --every 0.01",
        "The foot of a walking machine: level on the ground, high on its way back.",
    ),
    (
        "peaucellier.toml",
        "--to 2 --every 0.05 --trail far1.tip",
        "Eight bars whose pen moves on a straight line, exactly.",
    ),
    ("pantograph.toml", "--to 3.5 --every 0.02", "The pen draws twice as large what the tracer follows."),
    ("trammel.toml", "--every 0.02", "Two blocks in crossed guides, and an ellipse."),
    (
        "quick_return.toml",
        "-n 7 --to 0.85 --trail rocker.head",
        "A ram that is slow on its way out and quick on its way back.",
    ),
    (
        "iftomm_a04_bricard.toml",
        "--to 4 -n 6",
        "Five bars in space, closed by revolute joints: by Grübler's count it could not move.",
    ),
    ("robot_arm.toml", "--every 0.02", "Six axes; the trail is that of the tool."),
    ("delta_robot.toml", "-n 6 --trail platform", "Three arms and six light rods lead a platform that never turns."),
    (
        "stewart_platform.toml",
        "-n 6 --trail platform",
        "Six legs of changing length hold a platform in all its freedoms.",
    ),
    (
        "pendulum_wave.toml",
        "-n 6 --to 0.9 --every 0.02 --trail none",
        "Pendulums of different lengths, let go together.",
    ),
    ("adams_spring.toml", "-n 7 --to 1.5 --every 0.02", "A body that only a spring and a damper hold."),
    ("watt_governor.toml", "-n 7 --every 0.01", "The faster it turns, the higher the balls."),
    ("rotor.toml", "-n 5 --to 0.12 --every 0.005", "Four blades on a hub."),
    ("planetary_gear.toml", "-n 6 --every 0.02", "Three planets on their carrier."),
    ("bicycle.toml", "--view 40,18 --every 0.02", "Wheels that roll, a frame, a fork: it rights itself."),
    ("rolling_disc.toml", "--every 0.01", "A disc rolls on a plane without slip."),
    ("chain.toml", "--every 0.02", "Five rods, let go along the horizontal."),
    ("crane.toml", "--view front --to 2.2 --every 0.02", "The trolley stops, the load swings on."),
    ("contact/pulley.toml", "--every 0.02", "Atwood's machine."),
    (
        "contact/incline.toml",
        "--forces",
        "A block comes to rest on a ramp; the arrows are the forces of the contact at the end.",
    ),
    ("contact/cradle.toml", "-n 6", "The blow runs through the row: the last ball leaves with the speed of the first."),
    ("beams/flying_rod.toml", "-n 8", "A very flexible rod in free flight, beam elements and all."),
    ("beams/elbow.toml", "-n 8", "Two beams joined at a right angle, struck out of their plane."),
    (
        "papers/masarati_swing_8.toml",
        "-n 8",
        "A flexible beam that hangs on two links, with a mass on its middle: eight beam elements.",
    ),
];

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
