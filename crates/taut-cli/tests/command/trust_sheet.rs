//! The trust sheet: digits that hold, determinacy, and where two runs first disagree.

use crate::common;

use common::{Folder, PENDULUM};
use serde_json::Value;

/// The sheet of a model, as JSON and as a page.
fn sheet(name: &str, model: &str, options: &[&str]) -> (Value, String) {
    let folder = Folder::new(&format!("trust-sheet-{name}"));
    folder.write("m.toml", model);
    folder.done(&[&["run", "m.toml", "--trust"], options].concat());
    let data = serde_json::from_slice(&folder.read("m.trust.json")).unwrap();
    (data, String::from_utf8(folder.read("m.trust.html")).unwrap())
}

fn extreme<'a>(sheet: &'a Value, name: &str, quantity: &str) -> &'a Value {
    let all = sheet["extremes"].as_array().unwrap();
    all.iter().find(|e| e["name"] == name && e["quantity"] == quantity).unwrap_or_else(|| panic!("{name} in {all:?}"))
}

fn not_checked(sheet: &Value) -> String {
    sheet["not_checked"].as_array().unwrap().iter().map(|n| n.as_str().unwrap().to_string() + "\n").collect()
}

/// A rod that falls from the horizontal: at the bottom the hinge carries 5/2 of its weight, 49.05 N.
#[test]
fn the_digits_of_a_pendulum_hold() {
    let (sheet, page) = sheet("pendulum", PENDULUM, &[]);
    assert_eq!(sheet["verdict"], "sound");
    for check in sheet["checks"].as_array().unwrap() {
        assert!(check["complete"] == true, "{check}");
        assert!(check["first_disagreement"].is_null(), "{check}");
    }
    let compared: Vec<bool> = sheet["checks"].as_array().unwrap().iter().map(|c| c["rows_compared"] == true).collect();
    assert_eq!(compared, [true, false]);
    let force = extreme(&sheet, "hinge", "force");
    let (value, error) = (force["value"].as_f64().unwrap(), force["error"].as_f64().unwrap());
    let digits = force["digits"].as_u64().unwrap() as i32;
    // The digits that are claimed hold: the error is below one unit of the last.
    assert!(digits >= 3, "{force}");
    let printed: f64 = force["text"].as_str().unwrap().parse().unwrap();
    assert!((printed - 49.05).abs() <= 10.0_f64.powi(2 - digits), "{force}");
    assert!((value - 49.05).abs() < 2.0 * error, "{force}");
    assert_eq!(force["determinacy"], "unique");
    // ½ m g l = 9.81 J go from potential to kinetic energy and back.
    let account = &sheet["accounts"][0];
    let sum = |k: usize| account["kinetic"][k].as_f64().unwrap() + account["potential"][k].as_f64().unwrap();
    assert!((sum(1) - sum(0)).abs() < 1e-5, "{account}");
    assert_eq!(sheet["model_sha256"].as_str().unwrap().len(), 64);
    for words in ["Trust sheet: Pendulum", "sound", "All reactions are unique", "Not checked", "SHA-256"] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("NaN"), "self-contained");
}

#[test]
fn reactions_that_are_not_unique_are_marked() {
    let model =
        format!("{}[settings]\nduration = 0.2\n[outputs]\nevery = 0.02\n", include_str!("determinacy/beam.toml"));
    let (sheet, page) = sheet("beam", &model, &[]);
    assert_eq!(extreme(&sheet, "middle", "force")["determinacy"], "not unique");
    assert_eq!(extreme(&sheet, "left", "force")["determinacy"], "partly unique");
    assert_eq!(extreme(&sheet, "hook", "force")["determinacy"], "unique");
    assert_eq!(sheet["determinacy"]["sets"][0]["components"].as_array().unwrap().len(), 3);
    assert!(page.contains("not unique") && page.contains("middle.fy"), "{page}");
}

/// A block on a slope by time stepping: half the step is run too, and the events instead of the steps.
#[test]
fn contacts_are_checked_with_another_step() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/contact/block_drops.toml");
    let model = std::fs::read_to_string(path).unwrap();
    let model = model
        .split("[[expect]]")
        .next()
        .unwrap()
        .replace("rtol = 1e-10", "rtol = 1e-10\ncontact_method = \"time_stepping\"\nstep = \"1 ms\"");
    let (sheet, page) = sheet("block", &model, &[]);
    let checks = sheet["checks"].as_array().unwrap();
    assert!(checks[0]["what"].as_str().unwrap().starts_with("half the time step"), "{checks:?}");
    assert_eq!(checks[0]["complete"], true);
    assert!(sheet["time_step"] == 1e-3 && not_checked(&sheet).contains("between output rows"), "{sheet}");
    // What is lost balances the account.
    let energy = |name: &str, k: usize| {
        sheet["energy"][name][k].as_f64().unwrap_or_else(|| panic!("{name} in {}", sheet["energy"]))
    };
    let sum = |k: usize| ["kinetic", "potential", "friction", "impacts"].iter().map(|n| energy(n, k)).sum::<f64>();
    let lost = energy("friction", 1) + energy("impacts", 1);
    assert!(lost > 0.0 && (sum(1) - energy("work", 1) - sum(0)).abs() < 1e-2 * lost, "{}", sheet["energy"]);
    assert!(page.contains("lost in impacts"), "{page}");
    // The block stands at the end: the impulse is m v + m g t to the order of the step.
    let impulses = sheet["extremes"].as_array().unwrap().iter().filter(|e| e["quantity"] == "impulse");
    assert_eq!(extreme(&sheet, "floor.1", "force")["determinacy"], "not examined");
    assert!(impulses.clone().count() > 0 && impulses.clone().all(|e| e["error"].as_f64().is_some()), "{sheet}");
}

/// Two rods released from the horizontal: chaotic. Runs with other tolerances part, and the sheet says when and in which column.
#[test]
fn chaotic_motions_say_where_the_runs_part() {
    let model = r#"taut = 2
title = "Double pendulum"
gravity = [0, -9.81, 0]
[bodies]
upper = { type = "planar", mass = 1, shape = { type = "rod", length = 1 }, position = [0.5, 0], markers = { near = [-0.5, 0], far = [0.5, 0] } }
lower = { type = "planar", mass = 1, shape = { type = "rod", length = 1 }, position = [1, 0.5], angle = "90 deg", markers = { near = [-0.5, 0] } }
[joints]
shoulder = { type = "pin", a = "ground", b = "upper.near" }
elbow = { type = "pin", a = "upper.far", b = "lower.near" }
[settings]
duration = "20 s"
rtol = 1e-5
atol = 1e-5
[outputs]
every = "20 ms"
"#;
    let (sheet, page) = sheet("chaos", model, &[]);
    let first = &sheet["checks"][0]["first_disagreement"];
    let t = first["t"].as_f64().unwrap_or_else(|| panic!("{}", sheet["checks"]));
    assert!(t > 0.5 && t < 15.0 && !first["column"].as_str().unwrap().is_empty(), "{first}");
    let force = extreme(&sheet, "shoulder", "force");
    assert!(force["digits"].as_u64().unwrap() <= 3, "{force}");
    assert!(page.contains("at t = "), "{page}");
}

#[test]
fn beams_are_checked_with_another_mesh() {
    let beam = |elements: &str| {
        format!(
            "taut = 2\ngravity = [0, 0, -9.81]\n[params]\nn = 4\n[beams.arm]\nfrom = [0, 0, 0]\nto = [1, 0, 0]\nelements = {elements}\n\
             inertia_model = \"lumped\"\nsection = {{ shape = \"general\", stiffness = [1e5, 1e5, 1e5, 50, 50, 50], mass = 1, inertia = [0.01, 0.01, 0.01] }}\n\
             [joints]\nroot = {{ type = \"fixed\", a = \"ground\", b = \"arm_0\" }}\n[forces]\ntip = {{ type = \"applied\", marker = \"arm_4\", force = [0, 0, -20] }}\n[settings]\nduration = 0.05\nmethod = \"radau5\"\nrtol = 1e-6\natol = 1e-6\n[outputs]\nevery = 0.01\n"
        )
    };
    for (name, elements) in [("mesh", "\"n\""), ("mesh-number", "4")] {
        let (finer, _) = sheet(name, &beam(elements), &[]);
        let checks = finer["checks"].as_array().unwrap();
        let check = checks.iter().find(|c| c["what"] == "twice as many elements, 8 per beam");
        assert!(check.is_some_and(|c| c["complete"] == true), "{checks:?}");
        // One line for the beam, none per node.
        let accounts: Vec<&str> =
            finer["accounts"].as_array().unwrap().iter().map(|a| a["name"].as_str().unwrap()).collect();
        assert_eq!(accounts, ["arm", "tip"]);
        // The force stays at the tip, the node of which has another number. At half the arm it would need half the moment.
        let moment = extreme(&finer, "root", "moment");
        let (value, error) = (moment["value"].as_f64().unwrap(), moment["error"].as_f64().unwrap());
        assert!(error > 1e-4 * value && error < 0.25 * value, "{moment}");
    }
    let states = "node_states = [[0,0,0,1,0,0,0,0,0,0,0,0,0],[0.25,0,0,1,0,0,0,0,0,0,0,0,0],[0.5,0,0,1,0,0,0,0,0,0,0,0,0],\
                  [0.75,0,0,1,0,0,0,0,0,0,0,0,0],[1,0,0,1,0,0,0,0,0,0,0,0,0]]\nelements = 4";
    let (same, _) = sheet("mesh-states", &beam("4").replace("elements = 4", states), &[]);
    assert!(not_checked(&same).contains("the mesh of beams"), "{}", not_checked(&same));
}

#[test]
fn a_sheet_replaces_only_a_sheet() {
    let folder = Folder::new("trust-sheet-files");
    folder.write("m.toml", PENDULUM);
    folder.write("notes.html", "mine");
    let refused = folder.taut(&["run", "m.toml", "--trust=notes.html"]);
    assert!(refused.code == 1 && refused.err.contains("notes.html"), "{refused:?}");
    assert_eq!(folder.read("notes.html"), b"mine");
    folder.done(&["run", "m.toml", "--trust=sheet.html"]);
    folder.done(&["run", "m.toml", "--trust=sheet.html"]);
    assert_eq!(folder.taut(&["run", "m.toml", "--trust", "--method", "all"]).code, 1);
    let unknown = folder.taut(&["run", "m.toml", "--trust=sheet.pdf"]);
    assert!(unknown.code == 1 && unknown.err.contains("sheet.pdf") && unknown.err.contains(".svg"), "{unknown:?}");
}

/// The picture says what the page says.
#[test]
fn a_sheet_as_svg() {
    let folder = Folder::new("trust-sheet-svg");
    folder.write("m.toml", PENDULUM);
    folder.done(&["run", "m.toml", "--trust=sheet.svg"]);
    folder.done(&["run", "m.toml", "--trust=sheet.svg"]);
    let picture = String::from_utf8(folder.read("sheet.svg")).unwrap();
    let sheet: Value = serde_json::from_slice(&folder.read("sheet.json")).unwrap();
    assert!(picture.starts_with("<svg") || picture.starts_with("<?xml"), "{}", &picture[..200.min(picture.len())]);
    for words in ["Trust sheet: ", "sound", "Largest residuals", "All reactions are unique.", "Not checked"] {
        assert!(picture.contains(words), "{words}");
    }
    for e in sheet["extremes"].as_array().unwrap() {
        let text = e["text"].as_str().unwrap();
        assert!(picture.contains(&format!(">{text}</text>")), "{text}");
    }
}

/// A driver that is at rest at every row, every period of its oscillation: 12 digits of a kinetic energy of nearly nothing held.
#[test]
fn peaks_between_the_rows_of_all_runs_were_checked_by_the_same_rows() {
    let model = "taut = 2\n[bodies.m]\ntype = \"point_mass\"\nmass = 1\n[joints.g]\ntype = \"joint\"\na = \"ground\"\nb = \"m\"\n\
                 translation = [\"free\", \"fixed\", \"fixed\"]\nrotation = \"free\"\n[drivers.d]\ncoordinate = \"m.x\"\n\
                 position = \"1e-3*cos(200*pi*t)\"\n[settings]\nduration = 0.2\n[outputs]\nevery = 0.01\n";
    let (sheet, _) = sheet("same-rows", model, &[]);
    let kinetic = extreme(&sheet, "kinetic energy", "largest");
    // ½ m (2 π f A)² = 0.197 J, of which the rows show nothing.
    assert!(kinetic["digits"] == 0 && kinetic["error"].as_f64().unwrap() > 0.1, "{kinetic}");
}
