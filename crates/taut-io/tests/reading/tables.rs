//! Tables from files beside the model.

use std::path::{Path, PathBuf};
use taut::Signal;
use taut::constraints::{ConstraintKind, Prescription};
use taut_io::model::{self, ModelFile};
use taut_io::results::{Format, NewRun, write_solution};

/// A folder of its own for a test, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("taut-tables-{}-{name}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        std::fs::write(folder.join(file), text).unwrap();
    }
    folder
}

/// A body driven along a signal of a file.
fn driven(signal: &str) -> String {
    format!(
        "taut = 2\n[bodies.m]\ntype = \"planar\"\nmass = 1\ninertia = 1\n[joints.hinge]\ntype = \"pin\"\na = \"ground\"\nb = \
         \"m\"\n[drivers.motor]\ncoordinate = \"hinge.angle\"\nposition = {signal}\n"
    )
}

fn read(folder: &Path, signal: &str) -> Result<ModelFile, String> {
    let found = model::parse(&driven(signal), &folder.join("model.toml"), &[]);
    found.map_err(|list| list.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn signal(file: &ModelFile) -> &Signal {
    let driver = file.spec.constraints.iter().find(|c| c.name == "motor").unwrap();
    let ConstraintKind::Relation(relation) = &driver.item else { panic!() };
    let Prescription::Position(signal) = &relation.follows else { panic!() };
    signal
}

const POINTS: &str = "time [ms],force,\"angle (deg)\"\r\n# measured\r\n0,1,0\r\n\r\n500, 2, 90\r\n1000,3,180\r\n";

#[test]
fn columns_come_with_their_units() {
    let folder = folder("units", &[("drive.csv", POINTS), ("plain.csv", "t,phi\n0,0\n1,2\n")]);
    let file =
        read(&folder, r#"{ type = "table", file = "drive.csv", t = "time", y = "angle", interpolation = "pchip" }"#);
    let file = file.unwrap();
    assert!((signal(&file).at(0.5).f - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    // Units of the model file, where the file has none.
    let with_unit = r#"{ type = "table", file = "plain.csv", t = "t", y = "phi", y_unit = "rev" }"#;
    let turned = read(&folder, with_unit).unwrap();
    assert!((signal(&turned).at(1.0).f - 4.0 * std::f64::consts::PI).abs() < 1e-14);
    // What is written down needs no file any more.
    let text = file.write().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let again = model::parse(&text, Path::new("elsewhere/model.toml"), &[]).unwrap();
    assert_eq!(signal(&again), signal(&file));
}

#[test]
fn columns_of_parquet_come_with_their_units() {
    use taut::analyses::{Transient, simulate};
    let folder = folder("parquet", &[("drive.csv", POINTS)]);
    let file = read(&folder, r#"{ type = "table", file = "drive.csv", t = "time", y = "angle" }"#).unwrap();
    let model = file.build().unwrap();
    let run = simulate(&model, &file.state(&model), &Transient::to(1.0).every(0.1)).unwrap();
    // A run of Taut, taken as the drive of another.
    let results = folder.join("run");
    let about =
        NewRun { title: "run".to_string(), model: file.write().unwrap(), format: Format::Parquet, ..NewRun::default() };
    write_solution(&results, &about, &run).unwrap();
    let again = r#"{ type = "table", file = "run/table.parquet", t = "t", y = "m.theta" }"#;
    let again = read(&folder, again).unwrap();
    assert!((signal(&again).at(0.35).f - 0.35 * std::f64::consts::PI).abs() < 1e-6);
    let wrong = r#"{ type = "table", file = "run/table.parquet", t = "t", y = "m.x" }"#;
    assert!(read(&folder, wrong).unwrap_err().contains("column `m.x`: expected an angle, found a quantity in m"));
    let wrong = r#"{ type = "table", file = "run/table.parquet", t = "m.theta", y = "m.x" }"#;
    assert!(read(&folder, wrong).unwrap_err().contains("expected a time"));
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line_and_column() {
    let files = [
        ("good.csv", "t,y\n0,0\n1,1\n"),
        ("word.csv", "t,y\n0,0\n1,one\n"),
        ("short.csv", "t,y\n0,0\n1\n"),
        ("back.csv", "t,y\n0,0\n2,1\n1,1\n"),
        ("twice.csv", "t,y\n0,0\n1,1\n1,2\n"),
        ("nan.csv", "t,y\n0,nan\n1,1\n"),
        ("unit.csv", "t [furlong],y\n0,0\n1,1\n"),
        ("mass.csv", "t,y [kg]\n0,0\n1,1\n"),
        ("one.csv", "t,y\n0,0\n"),
        ("empty.csv", ""),
        ("drive.xlsx", "PK"),
        ("no.parquet", "PAR1"),
    ];
    let folder = folder("faults", &files);
    let of = |file: &str, more: &str| {
        let signal = format!(r#"{{ type = "table", file = "{file}", t = "t", y = "y"{more} }}"#);
        read(&folder, &signal).map(|_| String::new()).unwrap_or_else(|e| e)
    };
    assert_eq!(of("good.csv", ""), "");
    for (file, expected) in [
        ("word.csv", &["`one` is not a number", "word.csv:3:3"][..]),
        ("short.csv", &["has 1 fields, no `y`", "short.csv:3:1"]),
        ("back.csv", &["the time 1 s is not later than the previous time, 2 s", "back.csv:4:1"]),
        ("twice.csv", &["the time 1 s is not later than the previous time, 1 s", "twice.csv:4:1"]),
        ("nan.csv", &["NaN is not finite", "nan.csv:2:3"]),
        ("unit.csv", &["unknown unit `furlong`", "unit.csv:1:1"]),
        ("mass.csv", &["column `y`: expected an angle, found a quantity in kg", "mass.csv:1:1"]),
        ("one.csv", &["1 point(s) are too few"]),
        ("empty.csv", &["is empty", "model.toml:12"]),
        ("missing.csv", &["cannot read", "missing.csv", "model.toml:12"]),
        ("drive.xlsx", &["ends in neither .csv nor .parquet", "model.toml:12"]),
        ("no.parquet", &["cannot read", "no.parquet", "model.toml:12"]),
    ] {
        let message = of(file, "");
        for part in expected {
            assert!(message.contains(part), "{file}: {part}\n{message}");
        }
    }
    assert!(of("unit.csv", r#", t_unit = "s""#).contains("is in furlong, but the model says s"));
    let missing = read(&folder, r#"{ type = "table", file = "good.csv", t = "t", y = "yy" }"#).unwrap_err();
    assert!(missing.contains("has no column `yy`") && missing.contains("its columns are t, y"), "{missing}");
    let no_file = read(&folder, r#"{ type = "table", t = "t", y = [0, 1] }"#).unwrap_err();
    assert!(no_file.contains("`t` names a column, `t`, but there is no `file`"), "{no_file}");
    let both = read(&folder, r#"{ type = "table", file = "good.csv", t = "t", y = [0, 1] }"#).unwrap_err();
    assert!(both.contains("`y` holds numbers although a `file` is named"), "{both}");
    std::fs::remove_dir_all(&folder).unwrap();
}
