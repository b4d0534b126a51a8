//! `taut strobe`: several instants of a run in one picture.

mod gallery;

use crate::commands::{report, run};
use crate::exit::{CliError, ExitStatus, print_stderr, print_stdout};
use crate::file_format::PictureFormat;
use crate::options::{ModelOverrides, stem};
use crate::overwrite::check_overwrite;
use clap::{Args, ValueEnum};
use std::fs;
use std::path::{Path, PathBuf};
use taut::Column;
use taut_io::model::Override;
use taut_io::plot::drawing::Drawing;
use taut_io::plot::gif;
use taut_io::results::MODEL;
use taut_view::film::Film;
use taut_view::scene::ArrowKind;
use taut_view::scene_graph::{FilmRows, RunScene};
use taut_view::strobe::{self, InstantSelection, StrobeError, StrobeOptions, Theme, TrailSelection, View};

/// Largest number of instants in one picture.
const MAX_INSTANTS: usize = 200;
/// Largest number of frames of an animation.
const MAX_FRAMES: usize = 1200;

/// Arguments of `taut strobe`.
#[derive(Debug, Args)]
#[command(after_help = "\
Early instants are faded; the last one (or the one of --at) is solid. Planar models are drawn in their plane, others from the \
front, the right and above. Default of --to: the time at which a body hinged to the ground has completed one revolution or one \
full swing, or at which a body has crossed the picture twice. Default of --trail: markers that no element uses, else the body with the \
longest path.

Examples:
  taut strobe four_bar.run                        # write four_bar.svg
  # run the model first; two pixels per unit of --size
  taut strobe four_bar.toml -o four_bar.png
  taut strobe crank.run --times 0,0.1,0.2 --trail piston --forces
  taut strobe robot.run --view top --instants 12 --theme dark
  taut strobe robot.run --view -40,15 --from 1 --to 2
  taut strobe robot.run -o robot.gif --speed 0.5  # an animation at half speed")]
pub struct Arguments {
    /// Folder of results, or a model file, which is run first (its results are not kept)
    #[arg(required_unless_present = "gallery")]
    run: Option<PathBuf>,
    /// Picture file (.svg or .png), animation (.gif), or `-` for SVG on stdout [default: RUN.svg]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Animation: speed, 1 for real time
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0)]
    speed: f64,
    /// Animation: frames per second
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=50))]
    frames_per_second: u16,
    /// Number of instants, evenly spaced
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 9, value_parser = parse_count)]
    instants: usize,
    /// The times of the instants, s, separated by commas
    #[arg(long, value_name = "TIMES", value_delimiter = ',', allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["instants", "from", "to"])]
    times: Vec<f64>,
    /// First instant, s [default: the start]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    from: Option<f64>,
    /// Last instant, s
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    to: Option<f64>,
    /// The instant drawn solid, s [default: the last]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    at: Option<f64>,
    /// Draw the path of this body, node or body.marker; may be repeated; `none` for no path
    #[arg(long, value_name = "NAME")]
    trail: Vec<String>,
    /// View: front, side, top, iso, or AZIMUTH,ELEVATION in degrees
    #[arg(long, value_parser = parse_view, allow_hyphen_values = true)]
    view: Option<View>,
    /// Width and height, for example 800x600 [default: width 800, height to fit the motion]
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(f64, f64)>,
    /// Colour theme
    #[arg(long, value_enum, default_value_t)]
    theme: Colours,
    /// Draw reactions, contact forces and applied loads at the solid instant
    #[arg(long)]
    forces: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Title [default: title of the model]
    #[arg(long)]
    title: Option<String>,
    /// Output interval if a model is run, for example 0.01 or "10 ms"
    #[arg(long, value_name = "TIME")]
    every: Option<String>,
    #[command(flatten)]
    changes: ModelOverrides,
    /// Write the gallery to this folder, from the models next to it
    #[arg(long, value_name = "FOLDER", hide = true)]
    gallery: Option<PathBuf>,
}

/// Colours of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Colours {
    // The names say it; doc comments here would make the help twice as long.
    #[default]
    Light,
    Dark,
}

impl From<StrobeError> for CliError {
    fn from(e: StrobeError) -> CliError {
        match &e {
            StrobeError::UnknownTrail { known, .. } => {
                let some: Vec<&str> = known.iter().take(12).map(String::as_str).collect();
                let more = if known.len() > some.len() { ", …" } else { "" };
                CliError::with_help(e.to_string(), format!("known names: {}{more}", some.join(", ")))
            }
            _ => CliError::new(e.to_string()),
        }
    }
}

impl Arguments {
    /// Draws.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        if let Some(folder) = &self.gallery {
            return gallery::write_gallery(folder);
        }
        let Some(source) = self.run.clone() else { return Err(CliError::new("no run given")) };
        let path = self.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.svg", stem(&source))));
        let plain = path.as_os_str() == "-";
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gif")) {
            return self.animation(&source, &path);
        }
        let format = if plain { PictureFormat::Svg } else { PictureFormat::of(&path)? };
        report::require_exists(&source)?;
        if !plain {
            let model = if source.is_file() { source.clone() } else { source.join(MODEL) };
            check_overwrite(&path, &model, self.force.into())?;
            report::require_parent_folder(&path)?;
        }
        let drawing = self.drawing(&source)?;
        let bytes = match format {
            PictureFormat::Svg => drawing.to_svg().into_bytes(),
            PictureFormat::Png => drawing.to_png(2.0)?,
        };
        if plain {
            print_stdout(&String::from_utf8_lossy(&bytes))?;
            return Ok(ExitStatus::Success);
        }
        fs::write(&path, bytes).map_err(|e| CliError::file_error("write", &path, &e))?;
        print_stderr(&format!("wrote {}", path.display()));
        Ok(ExitStatus::Success)
    }

    /// Writes an animation.
    fn animation(&self, source: &Path, path: &Path) -> Result<ExitStatus, CliError> {
        report::require_exists(source)?;
        let model = if source.is_file() { source.to_path_buf() } else { source.join(MODEL) };
        check_overwrite(path, &model, self.force.into())?;
        report::require_parent_folder(path)?;
        if !(self.speed > 0.0 && self.speed.is_finite()) {
            return Err(CliError::new(format!("--speed must be above 0, not {}", self.speed)));
        }
        let frames = self.with_run(source, |folder| {
            let stage = RunScene::open(folder)?;
            let film = stage.film(FilmRows::All);
            let times = self.frame_times(&film)?;
            Ok(strobe::frames(&stage.scene, &film, &times, &self.strobe_options())?)
        })?;
        let hundredths = (100 / self.frames_per_second).max(2);
        let bytes = gif::animation(&frames, 1.0, hundredths)?;
        fs::write(path, &bytes).map_err(|e| CliError::file_error("write", path, &e))?;
        let size = bytes.len() as f64 / 1e6;
        print_stderr(&format!("wrote {} ({} frames, {size:.1} MB)", path.display(), frames.len()));
        Ok(ExitStatus::Success)
    }

    /// The times of the frames.
    fn frame_times(&self, film: &Film) -> Result<Vec<f64>, CliError> {
        let (Some(first), Some(last)) = (film.t.first(), film.t.last()) else { return Err(StrobeError::Empty.into()) };
        let (from, to) = (self.from.unwrap_or(*first).max(*first), self.to.unwrap_or(*last).min(*last));
        if to < from {
            return Err(StrobeError::Backwards { from, to }.into());
        }
        let step = self.speed / f64::from(self.frames_per_second);
        let count = ((to - from) / step).floor() as usize + 1;
        if count > MAX_FRAMES {
            let help = "choose a part with --from and --to, a higher --speed or fewer --frames-per-second";
            return Err(CliError::with_help(format!("{count} frames are too many; at most {MAX_FRAMES}"), help));
        }
        Ok((0..count).map(|i| from + step * i as f64).collect())
    }

    fn drawing(&self, source: &Path) -> Result<Drawing, CliError> {
        self.with_run(source, |folder| self.draw_run(folder))
    }

    /// Draws from a folder of results; a model is run first.
    fn with_run<T>(&self, source: &Path, draw: impl FnOnce(&Path) -> Result<T, CliError>) -> Result<T, CliError> {
        if !source.is_file() {
            return draw(source);
        }
        // A model is run into a temporary folder, which is removed afterwards.
        let folder = std::env::temp_dir().join(format!("taut-strobe-{}-{}.run", std::process::id(), stem(source)));
        let every = self.every.iter().map(|e| Override { path: "outputs.every".to_string(), value: e.clone() });
        let changes = ModelOverrides { set: self.changes.set.iter().cloned().chain(every).collect() };
        let ran = run::Arguments::for_display(source, &changes, &folder, run::RowDensity::AsInModel).run();
        let drawn = match ran {
            Ok(ExitStatus::Interrupted) => {
                Err(CliError::new("interrupted before the end of the run; no picture was drawn"))
            }
            // A run that stopped early or missed an expectation is worth looking at.
            Ok(_) => draw(&folder),
            Err(e) => Err(e),
        };
        // A folder that cannot be removed is left in the temporary directory.
        let _ = fs::remove_dir_all(&folder);
        drawn
    }

    fn draw_run(&self, folder: &Path) -> Result<Drawing, CliError> {
        let stage = RunScene::open(folder)?;
        let forces = if self.forces { Some(force_columns(&stage)?) } else { None };
        Ok(strobe::draw(&stage.scene, &stage.film(FilmRows::All), forces.as_deref(), &self.strobe_options())?)
    }

    fn strobe_options(&self) -> StrobeOptions {
        StrobeOptions {
            instants: if self.times.is_empty() {
                InstantSelection::Count(self.instants)
            } else {
                InstantSelection::Times(self.times.clone())
            },
            from: self.from,
            to: self.to,
            at: self.at,
            trails: match self.trail.as_slice() {
                [] => TrailSelection::Automatic,
                [one] if one == "none" => TrailSelection::None,
                names => TrailSelection::Named(names.to_vec()),
            },
            view: self.view,
            size: self.size,
            theme: match self.theme {
                Colours::Light => Theme::Light,
                Colours::Dark => Theme::Dark,
            },
            title: self.title.clone(),
        }
    }
}

/// The columns of the arrows, with the contact points, which a run does not record.
fn force_columns(stage: &RunScene) -> Result<Vec<Column>, CliError> {
    let arrows = stage.scene.arrows.iter().filter(|a| a.load != ArrowKind::Velocity);
    let mut names: Vec<&str> = vec!["t"];
    names.extend(arrows.flat_map(|a| &a.vector).map(String::as_str).filter(|n| !n.is_empty()));
    names.sort_unstable();
    names.dedup();
    let mut columns = stage.run.table(&names)?.columns().to_vec();
    columns.extend(stage.contact_points()?);
    Ok(columns)
}

fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (1..=MAX_INSTANTS).contains(&n) => Ok(n),
        _ => Err(format!("expected a whole number from 1 to {MAX_INSTANTS}")),
    }
}

fn parse_view(text: &str) -> Result<View, String> {
    match text {
        "front" => Ok(View::Front),
        "side" => Ok(View::Side),
        "top" => Ok(View::Top),
        "iso" => Ok(View::Iso),
        _ => {
            let angles = text.split_once(',').and_then(|(a, e)| Some((a.trim().parse().ok()?, e.trim().parse().ok()?)));
            match angles {
                Some((azimuth, elevation)) if f64::is_finite(azimuth) && f64::is_finite(elevation) => {
                    Ok(View::Angles { azimuth, elevation })
                }
                _ => Err("expected front, side, top, iso, or two angles in degrees such as 30,20".to_string()),
            }
        }
    }
}

fn parse_size(text: &str) -> Result<(f64, f64), String> {
    let sizes = text.split_once('x').and_then(|(w, h)| Some((w.trim().parse().ok()?, h.trim().parse().ok()?)));
    match sizes {
        Some((w, h)) if (160.0..=8000.0).contains(&w) && (120.0..=8000.0).contains(&h) => Ok((w, h)),
        _ => Err("expected width and height from 160x120 to 8000x8000, for example 800x600".to_string()),
    }
}
