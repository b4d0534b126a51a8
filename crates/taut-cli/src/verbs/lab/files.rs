//! The folder of a laboratory: table.csv, table.json, work_precision.svg.

use super::sheet::Sheet;
use crate::ending::Failure;
use std::fs;
use std::path::Path;
use taut_io::plot::Figure;

const TABLE: &str = "table.json";

/// Refuses a folder that holds something else; an earlier table may be replaced, it can be computed again.
///
/// # Errors
/// A file of that name, a folder without a table of this verb in it.
pub fn check(folder: &Path) -> Result<(), Failure> {
    let ours = || {
        let text = fs::read_to_string(folder.join(TABLE)).ok();
        text.and_then(|t| serde_json::from_str::<serde_json::Value>(&t).ok())
            .is_some_and(|v| v.get("taut_lab").is_some())
    };
    let occupied = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => folder.exists(),
    };
    if occupied && !ours() {
        let what = format!("{} is there already and holds no table of taut lab", folder.display());
        return Err(Failure::with_help(what, "choose another folder with -o"));
    }
    Ok(())
}

/// Writes all of it.
///
/// # Errors
/// Files that cannot be written.
pub fn write(folder: &Path, sheet: &Sheet, figure: Option<&Figure>) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|e| Failure::file("make", folder, &e))?;
    let put = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|e| Failure::file("write", &path, &e))
    };
    let names = sheet.rows.first().map(|r| r.cells.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(","));
    let lines = names.into_iter().chain(sheet.rows.iter().map(super::rows::Row::csv));
    put("table.csv", lines.map(|line| line + "\r\n").collect())?;
    put(TABLE, format!("{:#}\n", sheet.json()))?;
    let picture = folder.join("work_precision.svg");
    match figure {
        Some(figure) => put("work_precision.svg", figure.to_svg()),
        // One of an earlier table would not belong to this one.
        None if picture.exists() => fs::remove_file(&picture).map_err(|e| Failure::file("remove", &picture, &e)),
        None => Ok(()),
    }
}
