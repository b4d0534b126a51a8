//! The branches of a mechanism beside each other in one picture.

use crate::exit::{CliError, print_stderr};
use crate::file_format::PictureFormat;
use crate::options::{TableFormat, stem};
use crate::run_folder;
use std::path::Path;
use taut::analyses::BranchReport;
use taut::{Column, Model, Outcome, Table};
use taut_io::model::{BranchName, ModelFile};
use taut_io::plot::in_rows;
use taut_io::results::{NewRun, RunWriter};
use taut_view::scene_graph::{FilmRows, RunScene};
use taut_view::strobe::{self, StrobeOptions};

/// Size of the picture of one branch.
const SIZE: (f64, f64) = (320.0, 320.0);
/// Most branches in a row.
const MAX_COLUMNS: usize = 8;

/// Draws the branches, each with its number and its signs.
pub fn write(
    file: &ModelFile,
    model: &Model,
    found: &BranchReport,
    names: &[BranchName],
    path: &Path,
    format: PictureFormat,
) -> Result<(), CliError> {
    // The viewer draws what is in a folder of results: a run whose rows are the branches.
    let folder = std::env::temp_dir().join(format!("taut-branches-{}-{}.run", std::process::id(), stem(&file.path)));
    let drawn = draw(file, model, found, names, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    let drawing = drawn?;
    let bytes = match format {
        PictureFormat::Svg => drawing.to_svg().into_bytes(),
        PictureFormat::Png => drawing.to_png(2.0)?,
    };
    std::fs::write(path, bytes).map_err(|e| CliError::file_error("write", path, &e))?;
    print_stderr(&format!("wrote {}", path.display()));
    Ok(())
}

fn draw(
    file: &ModelFile,
    model: &Model,
    found: &BranchReport,
    names: &[BranchName],
    folder: &Path,
) -> Result<taut_io::plot::drawing::Drawing, CliError> {
    let (q, _) = model.state_names();
    let column = |name: &str, unit: &str, data: Vec<f64>| Column {
        name: name.to_string(),
        unit: unit.to_string(),
        meaning: String::new(),
        data,
    };
    let numbers = (0..found.branches.len()).map(|i| i as f64).collect();
    let positions = q
        .iter()
        .enumerate()
        .map(|(k, n)| column(&n.name, n.unit, found.branches.iter().map(|b| b.state.q[k]).collect()));
    let table: Table = std::iter::once(column("t", "s", numbers)).chain(positions).collect();
    let run = NewRun { only: Vec::new(), ..run_folder::new_run(file, &file.title, TableFormat::Csv)? };
    let mut writer = RunWriter::create(folder, &run, &table)?;
    writer.append(&table)?;
    writer.finish(&Outcome::Finished, &taut::Statistics::default(), &[])?;
    let stage = RunScene::open(folder)?;
    let caption = |(i, name): (usize, &BranchName)| {
        let signs: Vec<String> = name.signs.iter().map(|(n, s)| format!("{n} {s}")).collect();
        format!("{}  {}", i + 1, signs.join(", ")).trim_end().to_string()
    };
    let captions: Vec<String> = names.iter().enumerate().map(caption).collect();
    let wish = StrobeOptions { size: Some(SIZE), ..StrobeOptions::default() };
    let poses = strobe::poses(&stage.scene, &stage.film(FilmRows::All), &captions, &wish)?;
    let columns = ((poses.len() as f64).sqrt().ceil() as usize).clamp(1, MAX_COLUMNS);
    Ok(in_rows(poses, columns))
}
