//! Folders of results: writing and reading in every format; resuming and comparing runs.

use crate::common;

use common::{Scratch, model, new_run, run_into, settings, simulation};
use std::time::Duration;
use taut::analyses::{Run as _, RunStatus, simulate};
use taut::{Outcome, Table};
use taut_io::results::{
    DriveOptions, DriveOutcome, ExistingResults, Format, Go, LOCK, NewRun, ResultsError, RunWriter, StoredRun,
    WriteIntervals, compare, drive, resume, write_solution,
};

/// All columns of a run.
fn whole(run: &StoredRun) -> Table {
    let names: Vec<&str> = run.columns().iter().map(|c| c.name.as_str()).collect();
    run.table(&names).unwrap()
}

#[track_caller]
fn same_bits(a: &Table, b: &Table) {
    assert_eq!(a.columns().len(), b.columns().len());
    for (x, y) in a.columns().iter().zip(b.columns()) {
        assert_eq!((&x.name, &x.unit, &x.meaning), (&y.name, &y.unit, &y.meaning));
        assert_eq!(x.data.len(), y.data.len(), "{}", x.name);
        let equal = |(x, y): (&f64, &f64)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(x.data.iter().zip(&y.data).all(equal), "{}", x.name);
    }
}

/// Many checkpoints even in a short run.
fn often() -> WriteIntervals {
    let [checkpoint, refresh] = [15, 5].map(Duration::from_millis);
    WriteIntervals { batch: Duration::ZERO, checkpoint, refresh, max_buffered_numbers: 500 }
}

#[test]
fn what_is_written_comes_back() {
    let (m, scratch) = (model(), Scratch::new("round"));
    let mut through = simulation(&m, &settings());
    through.run();
    let s = through.into_solution();
    for format in Format::ALL {
        let folder = scratch.join(format.name());
        assert_eq!(run_into(&folder, format, DriveOptions::default()), DriveOutcome::Run(Outcome::Finished));
        let run = StoredRun::open(&folder).unwrap();
        same_bits(&whole(&run), &s.table);
        let manifest = run.manifest();
        assert_eq!(manifest.outcome, Outcome::Finished);
        assert_eq!(manifest.statistics, s.statistics);
        assert_eq!(manifest.table.rows, s.len());
        assert!(manifest.table.files.iter().all(|f| folder.join(f).exists()));
        assert_eq!(manifest.model_sha256, "59db615505747e4375c40d5b1718c1ddb41308ee4ae80912b013e1335639475a");
        let events = run.events().unwrap();
        assert!(events.len() > 3 && events.len() == manifest.events);
        assert!(events.iter().all(|e| e.name == "elbow, low" && e.t > 0.0));
        // Some columns, in any order.
        let two = run.table(&["reach", "t"]).unwrap();
        assert_eq!(two.columns()[1].data, s.t());
        assert_eq!(two.columns()[0].unit, "m");
        let error = run.column("reahc").unwrap_err();
        assert!(error.to_string().contains("did you mean `reach`"), "{error}");
    }
}

#[test]
fn the_csv_is_what_other_programs_expect() {
    let (m, scratch) = (model(), Scratch::new("csv"));
    let s = simulate(&m, &m.initial_state(), &settings()).unwrap();
    let run = NewRun { only: vec!["reach".into(), "shoulder.f*".into()], ..new_run(Format::Csv) };
    write_solution(&scratch.join("only"), &run, &s).unwrap();
    let text = std::fs::read_to_string(scratch.join("only/table.csv")).unwrap();
    let mut lines = text.split("\r\n");
    assert_eq!(
        lines.next(),
        Some("t,reach,shoulder.fx,shoulder.fy,shoulder.fz,shoulder.fx_j,shoulder.fy_j,shoulder.fz_j")
    );
    assert!(lines.next().unwrap().starts_with("0.0,2.0,"));
    assert_eq!(text.matches("\r\n").count(), 1 + s.len());
    assert!(StoredRun::open(&scratch.join("only")).unwrap().column("upper.x").is_err());
}

#[test]
fn numbers_that_are_none_survive() {
    let scratch = Scratch::new("nan");
    let column = |name: &str, data: &[f64]| taut::Column {
        name: name.to_string(),
        unit: "1".to_string(),
        meaning: "odd, \"quoted\"".to_string(),
        data: data.to_vec(),
    };
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 5e-324, f64::MAX, 0.1 + 0.2];
    let t: Vec<f64> = (0..odd.len()).map(|i| i as f64).collect();
    let table: Table = [column("t", &t), column("a,\"b\"", &odd)].into_iter().collect();
    for format in Format::ALL {
        let folder = scratch.join(format.name());
        let mut writer = RunWriter::create(&folder, &new_run(format), &table).unwrap();
        writer.append(&table).unwrap();
        writer.finish(&Outcome::NotFinite { t: 1.0, cause: taut::Cause::Nobody }, &Default::default(), &[]).unwrap();
        let run = StoredRun::open(&folder).unwrap();
        same_bits(&whole(&run), &table);
        let alone = compare(&run, &run).unwrap();
        assert!(alone.is_equal());
    }
}

#[test]
fn a_run_taken_up_again_ends_like_one_that_went_through() {
    let scratch = Scratch::new("resume");
    let m = model();
    for format in Format::ALL {
        let (straight, broken) = (scratch.join("straight"), scratch.join("broken"));
        for folder in [&straight, &broken] {
            let _ = std::fs::remove_dir_all(folder);
        }
        run_into(&straight, format, DriveOptions::default());
        // Broken off twice: once in order, once with more on disk than the checkpoint knows.
        let mut steps = 0;
        let watch = Box::new(|_: &mut dyn taut::analyses::Run, _: &Table| {
            steps += 1;
            if steps == 40 { Go::Stop } else { Go::On }
        });
        assert_eq!(
            run_into(&broken, format, DriveOptions { intervals: often(), observer: watch, ..DriveOptions::default() }),
            DriveOutcome::Stopped
        );
        assert_eq!(StoredRun::open(&broken).unwrap().manifest().outcome, Outcome::Underway);
        let mut simulation = simulation(&m, &settings());
        let found = resume(&broken).unwrap();
        assert_eq!(found.model, "taut = 2\n");
        simulation.restore(&found.checkpoint).unwrap();
        let mut writer = found.writer(simulation.table()).unwrap();
        for _ in 0..30 {
            assert_eq!(simulation.step(), RunStatus::Underway);
        }
        writer.take(&mut simulation).unwrap();
        writer.checkpoint(simulation.checkpoint()).unwrap();
        for _ in 0..30 {
            simulation.step();
            writer.take(&mut simulation).unwrap();
        }
        writer.refresh(&simulation.statistics(), simulation.warnings()).unwrap();
        drop((writer, simulation));

        let mut simulation = common::simulation(&m, &settings());
        let found = resume(&broken).unwrap();
        simulation.restore(&found.checkpoint).unwrap();
        let writer = found.writer(simulation.table()).unwrap();
        let ended =
            drive(&mut simulation, writer, DriveOptions { intervals: often(), ..DriveOptions::default() }).unwrap();
        assert_eq!(ended, DriveOutcome::Run(Outcome::Finished));

        let (a, b) = (StoredRun::open(&straight).unwrap(), StoredRun::open(&broken).unwrap());
        same_bits(&whole(&a), &whole(&b));
        assert_eq!(a.events().unwrap(), b.events().unwrap());
        assert_eq!(a.manifest().statistics, b.manifest().statistics);
        assert_eq!(b.manifest().resumed, 2);
        let bytes = |folder: &std::path::Path, name: &str| std::fs::read(folder.join(name)).unwrap();
        assert_eq!(bytes(&straight, "events.csv"), bytes(&broken, "events.csv"));
        if format == Format::Csv {
            assert_eq!(bytes(&straight, "table.csv"), bytes(&broken, "table.csv"));
        }
        assert!(compare(&a, &b).unwrap().is_equal());
    }
}

#[test]
fn differences_are_reported_with_their_time() {
    let (m, scratch) = (model(), Scratch::new("compare"));
    let run = |name: &str, settings: taut::analyses::Transient, only: &[&str]| {
        let s = simulate(&m, &m.initial_state(), &settings).unwrap();
        let only = only.iter().map(|p| p.to_string()).collect();
        write_solution(&scratch.join(name), &NewRun { only, ..new_run(Format::Csv) }, &s).unwrap();
        StoredRun::open(&scratch.join(name)).unwrap()
    };
    let fine = run("fine", settings().tolerance(1e-11, 1e-11), &["upper.*", "reach"]);
    let rough = run("rough", settings().tolerance(1e-5, 1e-5).every(0.008), &["upper.*", "energy.*"]);
    let found = compare(&fine, &rough).unwrap();
    assert_eq!(found.rows.common, 1251);
    assert_eq!((found.rows.only_first, found.rows.only_second), (1250, 0));
    assert_eq!(found.only_first, ["reach"]);
    assert!(found.only_second.iter().all(|n| n.starts_with("energy.")));
    let x = found.differences.iter().find(|d| d.name == "upper.x").unwrap();
    assert!(x.absolute.size > 1e-7 && x.absolute.size < 1.0 && x.absolute.t > 0.0, "{x:?}");
    assert!(x.relative.size >= x.absolute.size && (0.4..0.6).contains(&x.scale), "{x:?}");
    assert!(!found.is_equal());
}

#[test]
fn misuse_is_answered() {
    let (m, scratch) = (model(), Scratch::new("misuse"));
    let folder = scratch.join("run");
    assert!(matches!(StoredRun::open(&folder), Err(ResultsError::Missing { .. })));
    assert!(matches!(resume(&folder), Err(ResultsError::Missing { .. })));
    std::fs::create_dir(&folder).unwrap();
    assert!(matches!(StoredRun::open(&folder), Err(ResultsError::NoResults { .. })));
    assert!(matches!(resume(&folder), Err(ResultsError::NoResults { .. })));
    let s = simulate(&m, &m.initial_state(), &settings()).unwrap();
    write_solution(&folder, &new_run(Format::Parquet), &s).unwrap();
    assert!(matches!(write_solution(&folder, &new_run(Format::Csv), &s), Err(ResultsError::AlreadyExists { .. })));
    assert!(matches!(resume(&folder), Err(ResultsError::NoCheckpoint { .. })));
    let again = NewRun { existing: ExistingResults::Replace, ..new_run(Format::Csv) };
    write_solution(&folder, &again, &s).unwrap();
    assert!(!folder.join("table.parquet").exists());

    // Other columns; rows that were not handed over.
    let mut writer = RunWriter::create(&folder, &again, &s.table).unwrap();
    let other: Table = s.table.columns().iter().rev().cloned().collect();
    assert!(matches!(writer.append(&other), Err(ResultsError::OtherColumns { .. })));
    let mut run = simulation(&m, &settings());
    (0..20).for_each(|_| _ = run.step());
    assert!(matches!(writer.checkpoint(run.checkpoint()), Err(ResultsError::RowsMissing { what: "rows", .. })));
    // A state without a value is not written; the checkpoint before it stays.
    writer.take(&mut run).unwrap();
    let mut checkpoint = run.checkpoint();
    writer.checkpoint(checkpoint.clone()).unwrap();
    checkpoint.state.v[0] = f64::NAN;
    let refused = writer.checkpoint(checkpoint.clone()).unwrap_err();
    assert!(refused.to_string().contains("not finite"), "{refused}");
    // One writer at a time.
    assert!(matches!(resume(&folder), Err(ResultsError::Locked { .. })));
    assert!(matches!(RunWriter::create(&folder, &again, &s.table), Err(ResultsError::Locked { .. })));
    drop(writer);
    assert_eq!(resume(&folder).unwrap().checkpoint, run.checkpoint());

    // A checkpoint of the format before this one.
    let checkpoint = folder.join("checkpoint.json");
    let text = std::fs::read_to_string(&checkpoint).unwrap();
    std::fs::write(&checkpoint, text.replace("\"format\": 2", "\"format\": 1")).unwrap();
    let refused = resume(&folder).unwrap_err();
    assert!(matches!(refused, ResultsError::CheckpointFormat { found: 1, known: 2, .. }), "{refused}");
    assert!(refused.to_string().contains("run the model again"), "{refused}");
    std::fs::write(&checkpoint, text).unwrap();

    // A model changed since; a table shorter than at the checkpoint; a later format; no JSON.
    std::fs::write(folder.join("model.toml"), "taut = 2 # changed\n").unwrap();
    assert!(matches!(resume(&folder), Err(ResultsError::Corrupt { .. })));
    std::fs::write(folder.join("model.toml"), "taut = 2\n").unwrap();
    std::fs::write(folder.join("table.csv"), "t\r\n").unwrap();
    let found = resume(&folder).unwrap();
    assert!(matches!(found.writer(&s.table), Err(ResultsError::Corrupt { .. })));
    let manifest = folder.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap().replace("\"format\": 1", "\"format\": 9");
    std::fs::write(&manifest, text).unwrap();
    assert!(matches!(StoredRun::open(&folder), Err(ResultsError::NewerFormat { found: 9, .. })));
    assert!(matches!(RunWriter::create(&folder, &again, &s.table), Err(ResultsError::NewerFormat { found: 9, .. })));
    for foreign in ["nothing", "{}", "{ \"format\": 1, \"name\": \"an extension\" }"] {
        std::fs::write(&manifest, foreign).unwrap();
        assert!(matches!(StoredRun::open(&folder), Err(ResultsError::Corrupt { .. })));
        assert!(matches!(RunWriter::create(&folder, &again, &s.table), Err(ResultsError::ForeignFiles { .. })));
        assert_eq!(std::fs::read_to_string(&manifest).unwrap(), foreign);
        assert!(folder.join("model.toml").exists() && !folder.join(LOCK).exists());
    }
}
