//! Wrong units are reported with their place, wherever a number can be given.

use std::path::Path;
use taut_io::model::parse;

/// A slider and a hinge, and one more element.
fn with(element: &str) -> Result<(), String> {
    let text = format!(
        r#"taut = 2
[bodies.a]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
markers = {{ p = [0, 0, 1] }}
[bodies.b]
type = "rigid"
mass = 1
inertia = [1, 1, 1]
[joints.slide]
type = "prismatic"
a = "ground"
b = "a"
[joints.hinge]
type = "revolute"
a = "ground"
b = "b"
{element}
"#
    );
    let said = |list: Vec<taut_io::diagnostic::Diagnostic>| list.iter().map(|d| format!("{d}\n")).collect::<String>();
    parse(&text, Path::new("model.toml"), &[]).map(drop).map_err(said)
}

fn refused(element: &str) {
    let Err(said) = with(element) else { panic!("is read: {element}") };
    assert!(said.contains("model.toml:") && said.contains("found a quantity in"), "{element}\n{said}");
}

fn taken(element: &str) {
    with(element).unwrap_or_else(|said| panic!("{element}\n{said}"));
}

#[test]
fn a_force_was_taken_for_a_stiffness() {
    for (wrong, right) in [("60 kN", "60 kN/m"), ("5 N*m/rad", "5 N/mm"), ("5 N*s/m", "1e3 N/m"), ("3 m", "3")] {
        let spring = |k: &str| {
            format!("[forces.s]\ntype = \"spring\"\na = \"ground\"\nb = \"a.p\"\nstiffness = \"{k}\"\nfree_length = 1")
        };
        let cable = |k: &str| {
            format!("[forces.s]\ntype = \"cable\"\na = \"ground\"\nb = \"a.p\"\nstiffness = \"{k}\"\nfree_length = 1")
        };
        let along =
            |k: &str| format!("[forces.s]\ntype = \"spring\"\ncoordinate = \"slide.slide\"\nstiffness = \"{k}\"");
        let law = |k: &str| {
            format!(
                "[forces.s]\ntype = \"spring\"\ncoordinate = \"slide.slide\"\nlaw = {{ type = \"linear\", stiffness = \"{k}\" }}"
            )
        };
        let power = |k: &str| {
            format!(
                "[forces.s]\ntype = \"spring\"\ncoordinate = \"slide.slide\"\nlaw = {{ type = \"polynomial\", stiffness = [\"{k}\"] }}"
            )
        };
        for write in [&spring as &dyn Fn(&str) -> String, &cable, &along, &law, &power] {
            refused(&write(wrong));
            taken(&write(right));
        }
    }
    refused("[params]\nk = \"60 kN\"\n[forces.s]\ntype = \"spring\"\na = \"ground\"\nb = \"a.p\"\nstiffness = \"2*k\"");
}

#[test]
fn what_acts_on_an_angle_is_no_force() {
    for (wrong, right) in [
        ("[forces.s]\ntype = \"spring\"\ncoordinate = \"hinge.angle\"\nstiffness = \"5 N/m\"", "5 N*m/rad"),
        ("[forces.s]\ntype = \"spring\"\ncoordinate = \"hinge.angle\"\nstiffness = 1\nrest = \"5 mm\"", "5 deg"),
        ("[forces.s]\ntype = \"spring\"\ncoordinate = \"hinge.angle\"\ndamping = \"5 N*s/m\"", "5 N*m*s/rad"),
        ("[forces.s]\ntype = \"actuator\"\ncoordinate = \"hinge.angle\"\nforce = \"5 N\"", "5 N*m"),
        (
            "[forces.s]\ntype = \"motor\"\ncoordinate = \"hinge.angle\"\nstall_force = \"5 N*m\"\nno_load_speed = \"5 m/s\"",
            "300 rpm",
        ),
        ("[constraints.s]\ntype = \"brake\"\ncoordinate = \"hinge.angle\"\ncapacity = \"5 N\"", "5 N*m"),
        ("[constraints.s]\ntype = \"limits\"\ncoordinate = \"hinge.angle\"\nupper = \"5 mm\"", "5 deg"),
        ("[constraints.s]\ntype = \"limits\"\ncoordinate = \"slide.slide\"\nupper = \"5 deg\"", "5 mm"),
        ("[forces.s]\ntype = \"actuator\"\ncoordinate = \"slide.slide\"\nforce = \"5 N*m\"", "5 N"),
    ] {
        refused(wrong);
        let quoted: Vec<&str> = wrong.split('"').collect();
        let unit = quoted[quoted.len() - 2];
        taken(&wrong.replace(&format!("\"{unit}\""), &format!("\"{right}\"")));
    }
}

#[test]
fn values_of_signals_fit_their_place() {
    let actuator =
        |signal: &str| format!("[forces.s]\ntype = \"actuator\"\ncoordinate = \"slide.slide\"\nforce = {signal}");
    for (wrong, right) in [
        (r#"{ type = "constant", value = "3 m/s" }"#, r#"{ type = "constant", value = "3 N" }"#),
        (
            r#"{ type = "harmonic", amplitude = "3 mm", omega = 5 }"#,
            r#"{ type = "harmonic", amplitude = "3 kN", omega = 5 }"#,
        ),
        (r#"{ type = "table", t = [0, 1], y = [0, "3 mm"] }"#, r#"{ type = "table", t = [0, 1], y = [0, "3 N"] }"#),
        (
            r#"{ type = "polynomial", coefficients = [1, "3 N"] }"#,
            r#"{ type = "polynomial", coefficients = [1, "3 N/s"] }"#,
        ),
    ] {
        refused(&actuator(wrong));
        taken(&actuator(right));
    }
}

#[test]
fn matrices_of_bushings_couple_forces_and_torques() {
    let bushing = |k: &str| format!("[forces.s]\ntype = \"bushing\"\na = \"ground\"\nb = \"a\"\nstiffness = {k}");
    refused(&bushing(r#"["5 kN", 1, 1, 1, 1, 1]"#));
    refused(&bushing(r#"[1, 1, 1, "5 N/m", 1, 1]"#));
    taken(&bushing(r#"["5 kN/m", 1, 1, "5 N*m/rad", 1, 1]"#));
    let row = "[0, 0, 0, 0, 0, 0]";
    let full = |entry: &str| format!("[[{entry}, 0, 0, 0, 0, 0], {row}, {row}, {row}, {row}, {row}]");
    refused(&bushing(&full("\"3 N\"")));
    taken(&bushing(&full("\"3 N/m\"")));
}

#[test]
fn names_that_cannot_be_read_back_are_refused() {
    for name in ["a b.c", "a,b.c", "a\\\"b.c", "a[1].c", "a..c", ".c", "c."] {
        let force = format!("[forces.\"{name}\"]\ntype = \"spring\"\na = \"ground\"\nb = \"a.p\"\nstiffness = 1");
        let Err(said) = with(&force) else { panic!("is read: {force}") };
        assert!(said.contains("cannot name a force") && said.contains("model.toml:"), "{said}");
    }
    taken("[forces.\"left.front_spring\"]\ntype = \"spring\"\na = \"ground\"\nb = \"a.p\"\nstiffness = 1");
}
