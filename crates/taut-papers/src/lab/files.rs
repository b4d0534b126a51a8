//! The folder of `taut lab`: table.csv, table.json, work_precision.svg.

use super::picture;
use super::report::LabReport;
use super::rows::TrialRow;
use crate::files::{WriteError, create_folder, remove_file, write_file};
use std::fs;
use std::path::Path;

const CSV_FILE: &str = "table.csv";
const JSON_FILE: &str = "table.json";
const PICTURE_FILE: &str = "work_precision.svg";

/// The files that were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Their names.
    pub files: Vec<&'static str>,
    /// Curves left out of the diagram for lack of space.
    pub left_out: Vec<String>,
}

/// Whether a folder may be written to: it is new, empty, or contains an earlier table, which can be computed again.
pub fn is_replaceable(folder: &Path) -> bool {
    let ours = || {
        let text = fs::read_to_string(folder.join(JSON_FILE)).ok();
        text.and_then(|t| serde_json::from_str::<serde_json::Value>(&t).ok())
            .is_some_and(|v| v.get("taut_lab").is_some())
    };
    let occupied = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => folder.exists(),
    };
    !occupied || ours()
}

impl LabReport<'_> {
    /// Writes all files to a folder; the work-precision diagram only if there is something to draw.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Written, WriteError> {
        let (figure, left_out) = picture::draw(self.report, self.settings, &self.heading());
        create_folder(folder)?;
        let rows = self.rows();
        let names = rows.first().map(|r| r.cells.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(","));
        let lines = names.into_iter().chain(rows.iter().map(TrialRow::csv));
        write_file(&folder.join(CSV_FILE), &lines.map(|line| line + "\r\n").collect::<String>())?;
        write_file(&folder.join(JSON_FILE), &format!("{:#}\n", self.json()))?;
        let mut files = vec![CSV_FILE, JSON_FILE];
        let picture = folder.join(PICTURE_FILE);
        match figure {
            Some(figure) => {
                write_file(&picture, &figure.to_svg())?;
                files.push(PICTURE_FILE);
            }
            // A diagram of an earlier table would not match.
            None => remove_file(&picture)?,
        }
        Ok(Written { files, left_out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_tables_are_replaced() -> std::io::Result<()> {
        let folder = std::env::temp_dir().join(format!("taut-papers-lab-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        assert!(is_replaceable(&folder));
        fs::create_dir(&folder)?;
        assert!(is_replaceable(&folder));
        fs::write(folder.join(JSON_FILE), "{}")?;
        assert!(!is_replaceable(&folder) && !is_replaceable(&folder.join(JSON_FILE)));
        fs::write(folder.join(JSON_FILE), "{\"taut_lab\": 1}")?;
        assert!(is_replaceable(&folder));
        fs::remove_dir_all(&folder)
    }
}
