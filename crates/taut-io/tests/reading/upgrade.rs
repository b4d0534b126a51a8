//! Files of format 1: what the reader says about them, and what they become.
//!
//! `tests/format_1` has the models as they were in format 1.

use std::path::{Path, PathBuf};
use taut_io::diagnostic::Diagnostic;
use taut_io::model::{ModelFile, format_of, parse, read, upgrade};

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn files(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            files(&entry, list);
        } else if entry.extension().is_some_and(|e| e == "toml") {
            list.push(entry);
        }
    }
}

fn said(all: Vec<Diagnostic>) -> String {
    all.iter().map(|d| format!("{d}\n")).collect()
}

/// Everything that a file says, in a form that shows every bit.
fn resolved(file: &ModelFile) -> String {
    let spec = serde_json::to_string_pretty(&file.spec).unwrap();
    let run =
        format!("{:?} {:?} {:?} {:?}", file.transient, file.contact_method, file.start_time, file.column_patterns);
    let looks: Vec<String> = file.visuals.iter().map(|l| format!("{} {:?}", l.name, l.item)).collect();
    format!("{}\n{spec}\n{run}\n{:?}\n{looks:?}", file.title, file.expect)
}

#[test]
fn every_model_of_format_1_becomes_the_model_of_today() {
    // Models that were rewritten since are kept as they were.
    let (old, kept, models) = (here("tests/format_1"), here("tests/format_2"), here("../../models"));
    let mut list = Vec::new();
    files(&old, &mut list);
    assert!(list.len() > 120, "{} models of format 1", list.len());
    for path in list {
        let name = path.strip_prefix(&old).unwrap().display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(format_of(&text), Some(1), "{name}");
        let today = Some(kept.join(&name)).filter(|path| path.exists()).unwrap_or_else(|| models.join(&name));
        let new = upgrade(&text, &path).unwrap_or_else(|e| panic!("{name}: {}", said(e)));
        assert_eq!(format_of(&new.text), Some(2), "{name}");
        assert_eq!(text.lines().count(), new.text.lines().count(), "{name}: lines were added or removed");
        let converted = parse(&new.text, &today, &[]).unwrap_or_else(|e| panic!("{name}: {}", said(e)));
        let shipped = read(&today, &[]).unwrap_or_else(|e| panic!("{name}: {}", said(e)));
        assert!(resolved(&converted) == resolved(&shipped), "{name} differs from the model of today");
        let again = upgrade(&new.text, &path).unwrap_or_else(|e| panic!("{name}: {}", said(e)));
        assert_eq!(again.text, new.text, "{name} is upgraded twice");
    }
}

#[test]
fn a_file_of_format_1_is_refused_with_the_new_names() {
    let text =
        "taut = 1\n[bodies.a]\ntype = \"point_mass\"\nmass = 1\n[settings]\npace = \"fixed\"\n  march = \"events\"\n";
    let found = said(parse(text, Path::new("old.toml"), &[]).unwrap_err());
    for part in [
        "this file has format 1; this program reads format 2\n  --> old.toml:1:8",
        "`pace` is now called `step_control`\n  --> old.toml:6:1",
        "`march` is now called `contact_method`\n  --> old.toml:7:3",
        "`events` is now called `event_driven`\n  --> old.toml:7:11",
        "`taut convert old.toml -o NEW.toml` upgrades the file",
    ] {
        assert!(found.contains(part), "{part} is not in\n{found}");
    }
    assert!(!found.contains("unknown"), "{found}");
}

#[test]
fn an_old_keyword_in_a_new_file_or_on_the_command_line_gives_the_new_name() {
    let text = "taut = 2\n[bodies.a]\ntype = \"point_mass\"\nmass = 1\nlook = { type = \"sphere\", radius = 1 }\n";
    let found = said(parse(text, Path::new("m.toml"), &[]).unwrap_err());
    assert!(found.contains("`look` is now called `visual`\n  --> m.toml:5:1"), "{found}");
    let text = "taut = 2\n[bodies.a]\ntype = \"point_mass\"\nmass = 1\n";
    for (path, value, part) in [
        ("settings.pace", "fixed", "`pace` is now called `step_control`"),
        ("settings.step_control", "varying", "`varying` is now called `adaptive`"),
        ("a.look", "1", "`look` is now called `visual`"),
    ] {
        let change = taut_io::model::Override { path: path.to_string(), value: value.to_string() };
        let found = said(parse(text, Path::new("m.toml"), &[change]).unwrap_err());
        assert!(found.contains(part), "{part} is not in\n{found}");
    }
}

/// One list per choice: every word that the schema offers for a setting or an output is read, and documented.
#[test]
fn every_word_of_every_choice_is_read_and_documented() {
    let schema = taut_io::model::schema();
    let page = std::fs::read_to_string(here("../../docs/model-file.md")).unwrap();
    let lab = std::fs::read_to_string(here("../../docs/laboratory.md")).unwrap();
    let words = |field: &serde_json::Value| -> Vec<String> {
        let list = field.get("enum").or_else(|| field["anyOf"].get(0).and_then(|f| f.get("enum")));
        list.and_then(|l| serde_json::from_value(l.clone()).ok()).unwrap_or_default()
    };
    let mut count = 0;
    for section in ["settings", "outputs"] {
        let fields = schema["$defs"][section]["properties"].as_object().unwrap();
        for (key, field) in fields {
            assert!(
                page.contains(&format!("`{key}`")) || page.contains(&format!("`{key} = ")),
                "`{key}` is not documented"
            );
            for word in words(field) {
                count += 1;
                let text =
                    format!("taut = 2\n[bodies.a]\ntype = \"point_mass\"\nmass = 1\n[{section}]\n{key} = \"{word}\"\n");
                parse(&text, Path::new("m.toml"), &[]).unwrap_or_else(|e| panic!("{key} = {word}: {}", said(e)));
                let documented = ["`{}`", "`\"{}\"`", "\"{}\""].iter().any(|f| page.contains(&f.replace("{}", &word)));
                let others = ["on_stiffness", "increment_axes", "step_control", "formulation"].contains(&key.as_str());
                assert!(documented || others || lab.contains(&word), "`{key} = {word}` is not documented");
            }
        }
    }
    assert!(count > 50, "only {count} words");
}

#[test]
fn the_family_of_contacts_can_be_selected() {
    let text = "taut = 2\n[bodies.a]\ntype = \"point_mass\"\nmass = 1\n[outputs]\ncolumns = [\"contacts\"]\n";
    let file = parse(text, Path::new("m.toml"), &[]).unwrap_or_else(|e| panic!("{}", said(e)));
    assert_eq!(file.transient.columns, taut::Columns::Only(vec![taut::ColumnFamily::Contacts]));
}

#[test]
fn the_reference_page_and_the_schema_have_the_same_tables() {
    let (page, schema) = (taut_io::model::reference(), taut_io::model::schema());
    let mut fields = Vec::new();
    fn collect(value: &serde_json::Value, fields: &mut Vec<String>) {
        if let Some(properties) = value.get("properties").and_then(|p| p.as_object()) {
            fields.extend(properties.keys().cloned());
        }
        match value {
            serde_json::Value::Object(map) => map.values().for_each(|v| collect(v, fields)),
            serde_json::Value::Array(list) => list.iter().for_each(|v| collect(v, fields)),
            _ => {}
        }
    }
    collect(&schema, &mut fields);
    // Coordinates, motions and orientations are explained in docs/model-file.md.
    let explained =
        ["distance", "elevation", "slide", "angle", "axes", "rotation_vector", "quaternion", "rotations", "signal"];
    let kinds = ["sphere", "disc", "torus", "ellipsoid", "circle", "shape", "type"];
    for field in fields {
        let known = explained.contains(&field.as_str()) || kinds.contains(&field.as_str());
        assert!(known || page.contains(&format!("| `{field}`")), "`{field}` is not on the reference page");
    }
}
