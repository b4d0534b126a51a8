//! Every broken model gets a message with place, error and remedy; the messages are stored next to the files.
//!
//! After a deliberate change, `TAUT_BLESS=1 cargo test -p taut-io --test reading broken` rewrites them: check the difference.

use std::fs;
use std::path::{Path, PathBuf};
use taut::analyses::{AssemblySettings, assemble, start_run};
use taut_io::diagnostic::Severity;
use taut_io::model::{ModelFile, parse, read};

/// Everything that is found wrong: in reading, in building, in closing the pose, in starting a run.
fn findings(file: Result<ModelFile, Vec<taut_io::diagnostic::Diagnostic>>) -> String {
    let said = |list: &[taut_io::diagnostic::Diagnostic]| list.iter().map(|d| format!("{d}\n")).collect::<String>();
    let file = match file {
        Ok(file) => file,
        Err(found) => {
            assert!(found.iter().any(|d| d.severity == Severity::Error), "refused without an error");
            return said(&found);
        }
    };
    let model = match file.build() {
        Ok(model) => model,
        Err(found) => return said(&[found]),
    };
    match assemble(&model, &file.state(&model), &AssemblySettings::default()) {
        Ok(_) => match start_run(&model, &file.state(&model), &file.transient, file.contact_method) {
            Ok(_) => String::new(),
            Err(e) => said(&[file.diagnose(&e)]),
        },
        Err(e) => said(&[file.diagnose(&e)]),
    }
}

#[test]
fn every_broken_model_has_its_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    files.sort();
    assert!(files.len() >= 50, "the table of broken models has shrunk to {}", files.len());
    let bless = std::env::var_os("TAUT_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let found = findings(read(&path, &[])).replace(&path.display().to_string(), &name);
        assert!(!found.is_empty(), "{name} is not refused");
        let expected = path.with_extension("txt");
        if bless {
            fs::write(&expected, &found).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != found {
            wrong.push(format!("--- {name}\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "messages differ from the stored ones:\n{}", wrong.join("\n"));
}

fn text(text: &str) -> String {
    findings(parse(text, Path::new("model.toml"), &[]))
}

#[test]
fn megabytes_of_garbage_are_refused_in_a_few_lines() {
    let mut seed = 1u64;
    let mut noise = String::new();
    while noise.len() < 10_000_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        noise.push(char::from(32 + (seed >> 33) as u8 % 95));
    }
    let said = text(&noise);
    assert!(said.contains("this is not TOML") && said.len() < 3000, "{said}");
    let many = "a\n".repeat(5_000_000);
    assert!(text(&many).len() < 3000);
}

#[test]
fn deep_nesting_is_refused() {
    let lists = format!("taut = 2\ntitle = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(text(&lists).contains("this is not TOML"));
    let parentheses = format!("taut = 2\n[params]\nx = \"{}1{}\"\n", "(".repeat(1500), ")".repeat(1500));
    assert!(text(&parentheses).contains("nests deeper"), "{}", text(&parentheses));
    let keys = format!("taut = 2\n[{}a]\nx = 1\n", "a.".repeat(50_000));
    assert!(text(&keys).contains("error"));
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let folder = std::env::temp_dir().join(format!("taut-broken-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("binary.toml");
    fs::write(&path, [0x7f, b'E', b'L', b'F', 0xff, 0xfe, 0]).unwrap();
    assert!(findings(read(&path, &[])).contains("is not UTF-8 text"));
    assert!(findings(read(&folder, &[])).contains("cannot read"));
    assert!(findings(read(&folder.join("nothing.toml"), &[])).contains("cannot read"));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn all_findings_are_reported_at_once() {
    let said = text(
        "taut = 2\n[bodies.a]\ntype = \"planar\"\nmas = 1\ninertia = \"1 mm\"\n[bodies.b]\ntype = \"plane\"\n[joints.c]\ntype = \"pin\"\na = 1\nb = \"a\"\n",
    );
    for part in ["unknown key `mas`", "expected a moment of inertia", "unknown type `plane`", "expected a string"] {
        assert!(said.contains(part), "{part} is not among\n{said}");
    }
}

#[test]
fn settings_that_a_method_does_not_know_are_reported() {
    let model =
        |settings: &str| format!("taut = 2\n[bodies.a]\ntype = \"point_mass\"\nmass = 1\n[settings]\n{settings}\n");
    let warned = |settings: &str| {
        let file = parse(&model(settings), Path::new("model.toml"), &[]).unwrap();
        file.warnings.iter().map(|d| format!("{d}\n")).collect::<String>()
    };
    let found = warned("increment_axes = \"body\"\nspectral_radius = 0.9");
    for said in [
        "model.toml:6",
        "method = \"dop853\" ignores `increment_axes`",
        "only generalised_alpha and trapezoidal_index3 use it",
        "model.toml:7",
    ] {
        assert!(found.contains(said), "{found}");
    }
    assert_eq!(warned("method = \"generalised_alpha\"\nincrement_axes = \"body\"\nspectral_radius = 0.9"), "");
    assert_eq!(warned("method = \"two_step\"\nspectral_radius = 0.9"), "");
    let found = warned("contact_method = \"event_driven\"\ncontact_sweeps = 8");
    assert!(found.contains("model.toml:7") && found.contains("ignores `contact_sweeps`"), "{found}");
    assert_eq!(warned("contact_method = \"time_stepping\"\ncontact_sweeps = 8\ncontact_penetration = 1e-3"), "");
    assert_eq!(warned("on_stiffness = \"switch\"\nspectral_radius = 0.9"), "");
}
