//! Beams in model files: they equal beams defined in code, move with their parts, and mistakes are reported.

use std::path::Path;
use taut::beams::{Beam, Curve, InertiaModel, Material, Section, SectionShape};
use taut_io::model::{ModelFile, parse};

fn read(text: &str) -> Result<ModelFile, String> {
    let text = format!("taut = 2\n{text}");
    parse(&text, Path::new("model.toml"), &[])
        .map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

const STEEL: &str = r#"E = "210 GPa", nu = 0.3, density = "7850 kg/m^3""#;

fn beam(fields: &str) -> String {
    format!("[beams.b]\nelements = 2\nsection = {{ shape = \"circle\", radius = \"1 cm\", {STEEL} }}\n{fields}\n")
}

#[test]
fn a_file_says_what_code_says() {
    let file = read(&beam("from = [0, 0]\nto = [\"20 cm\", 0, 1]\ntwist = \"90 deg\"\nelement_type = \"three_node\""))
        .unwrap();
    let steel = Material { E: 210e9, nu: 0.3, density: 7850.0 };
    let section = Section::new(&steel, &SectionShape::Circle { radius: 0.01 }, None).unwrap();
    let own = Beam::straight([0.0; 3], [0.2, 0.0, 1.0], section, 2).three_node();
    assert_eq!(file.spec.beams[0].item, Beam { twist: std::f64::consts::FRAC_PI_2, ..own });
    let model = file.build().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((model.bodies.len(), model.forces.len()), (5, 2));
}

/// All nodes are one body then, and are still named one by one.
#[test]
fn consistent_inertia() {
    let line = "from = [0, 0, 0]\nto = [1, 0, 0]\ninertia_model = \"consistent\"";
    let hinge = "[joints.hinge]\ntype = \"pin\"\na = \"ground\"\nb = \"b_0\"\n";
    let file = read(&format!("{}{hinge}", beam(line))).unwrap();
    assert_eq!(file.spec.beams[0].item.inertia_model, InertiaModel::Consistent);
    let model = file.build().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((model.bodies.len(), model.sizes.v, model.forces.len()), (1, 18, 2));
    assert!(model.marker("b_2").is_some());
}

/// G says what ν would say, and a section off the line has all its centres there.
#[test]
fn other_ways_to_give_a_section() {
    let tube = r#"section = { shape = "tube", radius = 0.02, wall_thickness = 0.005, E = 2.6e11, "#;
    let rest = "from = [0, 0, 0]\nto = [1, 0, 0]\nelements = 1";
    let one = read(&format!("[beams.b]\n{tube} nu = 0.3, density = 1000, centre = [0.1, 0] }}\n{rest}")).unwrap();
    let two = read(&format!("[beams.b]\n{tube} G = 1e11, density = 1000, centre = [0.1, 0] }}\n{rest}")).unwrap();
    let [one, two] = [one, two].map(|f| f.spec.beams[0].item.section.clone());
    assert_eq!((one.elastic_centre, one.shear_centre, one.mass_centre), ([0.1, 0.0], [0.1, 0.0], [0.1, 0.0]));
    assert!((one.inertia[1] / two.inertia[1] - 1.0).abs() < 1e-14);
    let [a, b] = [one, two].map(|s| serde_json::to_value(s.stiffness).unwrap()["diagonal"][1].as_f64().unwrap());
    assert!((a / b - 1.0).abs() < 1e-12);
}

#[test]
fn beams_move_with_their_parts() {
    let folder = std::env::temp_dir().join(format!("taut-beams-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let whole = |part: &str| {
        let text = format!("taut = 2\n[parts.p]\nfile = \"part.toml\"\nposition = [0, 0, 5]\n{part}");
        parse(&text, &folder.join("whole.toml"), &[])
            .map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    };
    std::fs::write(folder.join("part.toml"), format!("taut = 2\n{}", beam("from = [1, 0, 0]\nto = [2, 0, 0]")))
        .unwrap();
    let turned = whole("orientation = { rotation_vector = [0, 0, \"90 deg\"] }").unwrap();
    let Curve::Straight { from, to } = turned.spec.beams[0].item.curve else { panic!() };
    let near = |p: [f64; 3], q: [f64; 3]| (0..3).all(|i| (p[i] - q[i]).abs() < 1e-14);
    assert!(near(from, [0.0, 1.0, 5.0]) && near(to, [0.0, 2.0, 5.0]), "{from:?} {to:?}");
    assert_eq!(turned.spec.beams[0].name, "p_b");
    assert!(turned.build().unwrap().body("p_b_2").is_some());
    let tilted = whole("orientation = { rotation_vector = [\"90 deg\", 0, 0] }").unwrap_err();
    assert!(tilted.contains("horizontal"), "{tilted}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn slips_are_reported() {
    let said = |text: &str, words: &[&str]| {
        let found = match read(text) {
            Ok(file) => file.build().map(|_| ()).unwrap_err().to_string(),
            Err(found) => found,
        };
        assert!(words.iter().all(|w| found.contains(w)), "{found}");
    };
    let line = "from = [0, 0, 0]\nto = [1, 0, 0]";
    said(&beam(""), &["exactly one of"]);
    said(&beam(&format!("{line}\npoints = [[0, 0, 0], [1, 0, 0]]")), &["exactly one of"]);
    said(&beam("points = [[0, 0, 0], [1]]"), &["2 or 3 numbers"]);
    said(&beam(&format!("{line}\ninertia_model = \"coherent\"")), &["coherent", "lumped, finite_volume, consistent"]);
    said(&beam("from = [0, 0, 0]\nto = [0, 0, 0]"), &["beam `b`", "no length", "model.toml:6"]);
    said(&beam(&format!("{line}\nsection_y = [2, 0, 0]")), &["must not lie along the beam"]);
    said(&beam(&format!("{line}\nspace = \"planar\"\ntwist = 0.1")), &["planar beam"]);
    let section = |s: &str| format!("[beams.b]\nelements = 1\n{line}\nsection = {{ {s} }}");
    said(&section(&format!("shape = \"square\", {STEEL}")), &["unknown shape `square`", "rectangle"]);
    said(&section("shape = \"circle\", radius = 0.1, E = 1e9, density = 1000"), &["`nu` or `G`", "none"]);
    said(
        &section(&format!("shape = \"tube\", radius = 0.1, wall_thickness = 0.2, {STEEL}")),
        &["wall_thickness", "less than the radius"],
    );
    said(&section(&format!("shape = \"circle\", radius = \"1 kg\", {STEEL}")), &["radius", "length"]);
    said(
        &section("shape = \"general\", stiffness = [1, 1, 1, 1, 1, 0], mass = 1, inertia = [1, 1, 1]"),
        &["positive definite"],
    );
}
