//! A writer killed at any moment leaves a folder that can be read, and resumed to the same end.

use crate::common;

use common::{Scratch, model, run_into, settings, simulation};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use taut::Outcome;
use taut::analyses::Run as _;
use taut_io::results::{DriveOptions, DriveOutcome, Format, Go, StoredRun, WriteIntervals, drive, resume};

const FOLDER: &str = "TAUT_TEST_FOLDER";
const FORMAT: &str = "TAUT_TEST_FORMAT";

fn intervals() -> WriteIntervals {
    WriteIntervals {
        batch: Duration::ZERO,
        refresh: Duration::from_millis(3),
        checkpoint: Duration::from_millis(10),
        max_buffered_numbers: 2000,
    }
}

/// What the other process does: a run that is slow enough to be killed. Does nothing in a run of the tests.
#[test]
fn the_run_that_is_killed() {
    let (Ok(folder), Ok(format)) = (std::env::var(FOLDER), std::env::var(FORMAT)) else { return };
    let format = Format::ALL.into_iter().find(|f| f.name() == format).unwrap();
    let watch = Box::new(|_: &mut dyn taut::analyses::Run, _: &taut::Table| {
        std::thread::sleep(Duration::from_micros(500));
        Go::On
    });
    run_into(
        Path::new(&folder),
        format,
        DriveOptions { intervals: intervals(), observer: watch, ..DriveOptions::default() },
    );
}

#[test]
fn a_killed_run_can_be_read_and_resumed() {
    let (m, scratch) = (model(), Scratch::new("killed"));
    for format in Format::ALL {
        let straight = scratch.join(&format!("straight-{}", format.name()));
        run_into(&straight, format, DriveOptions::default());
        let straight = StoredRun::open(&straight).unwrap();
        for (round, pause) in [31, 67, 113, 170].into_iter().enumerate() {
            let folder = scratch.join(&format!("{round}-{}", format.name()));
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["killed::the_run_that_is_killed", "--exact"])
                .envs([(FOLDER, folder.to_str().unwrap()), (FORMAT, format.name())])
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            // From the moment there is a manifest, everything is there.
            while !folder.join("manifest.json").exists() {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(pause));
            child.kill().unwrap();
            child.wait().unwrap();

            for text in ["table.csv", "events.csv"].iter().map(|name| folder.join(name)).filter(|path| path.exists()) {
                assert!(std::fs::read(text).unwrap().ends_with(b"\r\n"), "a torn line");
            }
            let run = StoredRun::open(&folder).unwrap();
            let (t, reach) = (run.column("t").unwrap(), run.column("reach").unwrap());
            assert!(run.manifest().table.rows <= t.len());
            assert!(t.len() < straight.manifest().table.rows, "it was killed too late");
            assert_eq!(t[..], straight.column("t").unwrap()[..t.len()]);
            assert_eq!(reach[..], straight.column("reach").unwrap()[..reach.len()]);
            assert_eq!(run.manifest().outcome, Outcome::Underway);
            run.events().unwrap();

            let Ok(found) = resume(&folder) else {
                assert!(!folder.join("checkpoint.json").exists(), "a checkpoint that cannot be read");
                continue;
            };
            let mut simulation = simulation(&m, &settings());
            simulation.restore(&found.checkpoint).unwrap();
            let writer = found.writer(simulation.table()).unwrap();
            let ended = drive(&mut simulation, writer, DriveOptions::default()).unwrap();
            assert_eq!(ended, DriveOutcome::Run(Outcome::Finished));
            let run = StoredRun::open(&folder).unwrap();
            assert_eq!(run.events().unwrap(), straight.events().unwrap());
            let names: Vec<&str> = run.columns().iter().map(|c| c.name.as_str()).collect();
            let (all, expected) = (run.table(&names).unwrap(), straight.table(&names).unwrap());
            for (a, b) in all.columns().iter().zip(expected.columns()) {
                let equal = a.data.iter().zip(&b.data).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(equal && a.data.len() == b.data.len(), "{}", a.name);
            }
            if format == Format::Csv {
                let bytes = |run: &StoredRun| std::fs::read(run.folder().join("table.csv")).unwrap();
                assert_eq!(bytes(&run), bytes(&straight));
            }
        }
    }
}
