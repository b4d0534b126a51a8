//! The table of a sweep: one row per member, sorted, as CSV and Parquet. Wall-clock times have a file of their own, so that the
//! table is the same for any number of threads.

#[cfg(feature = "parquet")]
mod parquet;

use crate::csv::field;
use crate::design::{Parameter, Value};
use crate::folder::{Manifest, io_error};
use crate::journal::{Index, JournalReader};
use crate::member::MemberResult;
use crate::plan::ResultColumn;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use taut_io::diagnostic::Diagnostic;

/// The table as text.
pub(crate) const CSV: &str = "table.csv";
/// The table as Parquet.
pub(crate) const PARQUET: &str = "table.parquet";
/// Wall-clock times of the members.
pub(crate) const TIMES: &str = "times.csv";

/// Rows that are in memory at once.
const ROWS_AT_ONCE: usize = 1 << 14;

/// Writes the tables of all members in the journal of a folder.
pub(crate) fn write(folder: &Path, manifest: &Manifest) -> Result<(), Diagnostic> {
    let index = Index::read(folder, manifest.members)?;
    let create = |name: &str| -> Result<BufWriter<File>, Diagnostic> {
        let path = folder.join(format!(".{name}.draft"));
        Ok(BufWriter::new(File::create(&path).map_err(|e| io_error("create", &path, &e))?))
    };
    let (mut csv, mut times) = (create(CSV)?, create(TIMES)?);
    #[cfg(feature = "parquet")]
    let mut columns = parquet::TableWriter::create(&folder.join(format!(".{PARQUET}.draft")), manifest)?;
    let wrong = |name: &str, e: &std::io::Error| io_error("write", &folder.join(name), e);
    csv.write_all(header(&manifest.parameters, &manifest.columns).as_bytes()).map_err(|e| wrong(CSV, &e))?;
    times.write_all(b"member,seconds\n").map_err(|e| wrong(TIMES, &e))?;
    if index.done > 0 {
        let mut reader = JournalReader::open(folder)?;
        let offsets: Vec<u64> = index.offsets.iter().flatten().copied().collect();
        for part in offsets.chunks(ROWS_AT_ONCE) {
            let rows = part.iter().map(|offset| reader.row(*offset)).collect::<Result<Vec<_>, _>>()?;
            for row in &rows {
                csv.write_all(line(row).as_bytes()).map_err(|e| wrong(CSV, &e))?;
                writeln!(times, "{},{}", row.member, row.seconds).map_err(|e| wrong(TIMES, &e))?;
            }
            #[cfg(feature = "parquet")]
            columns.append(&rows)?;
        }
    }
    csv.flush().map_err(|e| wrong(CSV, &e))?;
    times.flush().map_err(|e| wrong(TIMES, &e))?;
    #[cfg(feature = "parquet")]
    columns.finish()?;
    let names = [CSV, TIMES].into_iter().chain(cfg!(feature = "parquet").then_some(PARQUET));
    for name in names {
        fs::rename(folder.join(format!(".{name}.draft")), folder.join(name)).map_err(|e| wrong(name, &e))?;
    }
    Ok(())
}

/// The table of these members as CSV: the text that `table.csv` of a folder has.
pub fn csv_table(parameters: &[Parameter], columns: &[ResultColumn], rows: &[MemberResult]) -> String {
    rows.iter().fold(header(parameters, columns), |text, row| text + &line(row))
}

fn header(parameters: &[Parameter], columns: &[ResultColumn]) -> String {
    let parameters = parameters.iter().map(|p| field(&p.name));
    let results = columns.iter().map(|c| field(&c.name));
    let words = ["status", "verdict", "steps", "message"].map(str::to_string);
    let all: Vec<String> =
        std::iter::once("member".to_string()).chain(parameters).chain(results).chain(words).collect();
    all.join(",") + "\n"
}

/// The shortest text that gives the same number.
fn number(x: f64, out: &mut String) {
    if x.is_finite() {
        out.push_str(zmij::Buffer::new().format(x));
    } else if !x.is_nan() {
        out.push_str(if x > 0.0 { "inf" } else { "-inf" });
    }
}

fn line(row: &MemberResult) -> String {
    let mut text = row.member.to_string();
    for value in &row.parameters {
        text.push(',');
        match value {
            Value::Number(x) => number(*x, &mut text),
            Value::Text(t) => text.push_str(&field(t)),
        }
    }
    for x in &row.values {
        text.push(',');
        number(*x, &mut text);
    }
    let verdict = row.verdict.as_deref().unwrap_or("");
    // Writing to a string cannot fail.
    let _ =
        writeln!(text, ",{},{verdict},{},{}", row.status.label(), row.steps, field(&row.message.replace('\n', " ")));
    text
}
