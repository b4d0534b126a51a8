//! The folder of `taut lab`: table.csv, table.json, work_precision.svg.

use super::picture;
use super::rows::Row;
use super::sheet::Sheet;
use crate::writing::{WriteError, make, put, remove};
use std::fs;
use std::path::Path;

const LINES: &str = "table.csv";
const TABLE: &str = "table.json";
const PICTURE: &str = "work_precision.svg";

/// The files that were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Their names.
    pub files: Vec<&'static str>,
    /// Curves left out of the diagram for lack of space.
    pub left_out: Vec<String>,
}

/// Whether a folder may be written to: it is new, empty, or contains an earlier table, which can be computed again.
pub fn is_free(folder: &Path) -> bool {
    let ours = || {
        let text = fs::read_to_string(folder.join(TABLE)).ok();
        text.and_then(|t| serde_json::from_str::<serde_json::Value>(&t).ok())
            .is_some_and(|v| v.get("taut_lab").is_some())
    };
    let occupied = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => folder.exists(),
    };
    !occupied || ours()
}

impl Sheet<'_> {
    /// Writes all files to a folder; the work-precision diagram only if there is something to draw.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Written, WriteError> {
        let (figure, left_out) = picture::draw(self.report, self.settings, &self.heading());
        make(folder)?;
        let rows = self.rows();
        let names = rows.first().map(|r| r.cells.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(","));
        let lines = names.into_iter().chain(rows.iter().map(Row::csv));
        put(&folder.join(LINES), &lines.map(|line| line + "\r\n").collect::<String>())?;
        put(&folder.join(TABLE), &format!("{:#}\n", self.json()))?;
        let mut files = vec![LINES, TABLE];
        let picture = folder.join(PICTURE);
        match figure {
            Some(figure) => {
                put(&picture, &figure.to_svg())?;
                files.push(PICTURE);
            }
            // A diagram of an earlier table would not match.
            None => remove(&picture)?,
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
        assert!(is_free(&folder));
        fs::create_dir(&folder)?;
        assert!(is_free(&folder));
        fs::write(folder.join(TABLE), "{}")?;
        assert!(!is_free(&folder) && !is_free(&folder.join(TABLE)));
        fs::write(folder.join(TABLE), "{\"taut_lab\": 1}")?;
        assert!(is_free(&folder));
        fs::remove_dir_all(&folder)
    }
}
