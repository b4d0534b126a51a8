//! How fast a million rows go to disk, and with how much memory.
//!
//! ```text
//! cargo bench -p taut-io --bench writing
//! ```

use cpu_time::ProcessTime;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use taut::{Column, Outcome, Statistics, Table};
use taut_io::results::{Format, NewRun, ResultsError, RunWriter};

const ROWS: usize = 1_000_000;
const COLUMNS: usize = 20;
const AT_ONCE: usize = 5_000;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let wanted = std::env::args().skip(1).find_map(|a| Format::ALL.into_iter().find(|f| f.name() == a));
    let Some(format) = wanted else {
        // A process for each, because the peak of memory is that of a process.
        for format in Format::ALL {
            Command::new(std::env::current_exe()?).arg(format.name()).status()?;
        }
        return Ok(());
    };
    let folder = std::env::temp_dir().join(format!("taut-writing-{}", std::process::id()));
    let measured = write(&folder, format);
    std::fs::remove_dir_all(&folder)?;
    let Measured { wall, processor, size } = measured?;
    let rate = |time: Duration| size as f64 / time.as_secs_f64() / 1e6;
    println!(
        "{:<14} {ROWS} rows of {COLUMNS}: {:4.0} MB in {:.2} s ({:.0} MB/s), of the processor {:.2} s ({:.0} MB/s), peak \
         memory {} MB",
        format.name(),
        size as f64 / 1e6,
        wall.as_secs_f64(),
        rate(wall),
        processor.as_secs_f64(),
        rate(processor),
        peak()?
    );
    Ok(())
}

/// What the writer took, wall-clock and processor time, and bytes on disk.
struct Measured {
    wall: Duration,
    processor: Duration,
    size: u64,
}

fn write(folder: &Path, format: Format) -> Result<Measured, Failure> {
    let (mut wall, mut processor) = (Duration::ZERO, Duration::ZERO);
    let mut clocks = |work: &mut dyn FnMut() -> Result<(), ResultsError>| -> Result<(), ResultsError> {
        let (start, used) = (Instant::now(), ProcessTime::now());
        let done = work();
        (wall, processor) = (wall + start.elapsed(), processor + used.elapsed());
        done
    };
    let run = NewRun { format, ..NewRun::default() };
    let mut writer = RunWriter::create(folder, &run, &batch(0))?;
    for i in 0..ROWS / AT_ONCE {
        let rows = batch(i * AT_ONCE);
        clocks(&mut || writer.append(&rows))?;
    }
    let (mut last, mut manifest) = (Some(writer), None);
    clocks(&mut || {
        manifest = last.take().map(|w| w.finish(&Outcome::Finished, &Statistics::default(), &[])).transpose()?;
        Ok(())
    })?;
    let files = manifest.map(|m| m.table.files).unwrap_or_default();
    let sizes = files.iter().map(|f| std::fs::metadata(folder.join(f)).map(|m| m.len()));
    Ok(Measured { wall, processor, size: sizes.sum::<Result<u64, _>>()? })
}

/// Rows as a simulation makes them: all digits in use.
fn batch(first: usize) -> Table {
    let column = |c: usize| {
        let value = |i: usize| match c {
            0 => (first + i) as f64 * 1e-3,
            _ => ((first + i) as f64 * 1.3e-3 * c as f64).sin() * 10f64.powi(c as i32 % 7 - 3),
        };
        let data = (0..AT_ONCE).map(value).collect();
        Column { name: format!("body{c}.x"), unit: "m".to_string(), meaning: "a coordinate".to_string(), data }
    };
    (0..COLUMNS).map(column).collect()
}

/// Peak of resident memory in MB, where the system tells.
fn peak() -> Result<String, Failure> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or("");
    let kilobytes = line.trim().trim_end_matches(" kB").parse::<f64>();
    Ok(kilobytes.map_or("?".to_string(), |k| format!("{:.0}", k / 1e3)))
}
