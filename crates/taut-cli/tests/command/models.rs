//! Subcommands without time integration: check, assemble, kinematics, inverse, convert.

use crate::common;

use common::{Folder, PENDULUM};

/// The pendulum with its angle driven.
fn driven() -> String {
    format!("{PENDULUM}[drivers.motor]\ncoordinate = \"hinge.angle\"\nposition = \"2*t^2\"\n")
}

#[test]
fn a_model_is_not_written_over_itself() {
    let folder = Folder::new("over");
    folder.write("p.toml", PENDULUM);
    folder.write("whole.toml", "taut = 2\ninclude = [\"p.toml\"]\n");
    for model in ["p.toml", "whole.toml"] {
        for output in ["p.toml", "./p.toml"] {
            for force in [&[][..], &["--force"]] {
                let refused = folder.taut(&[&["assemble", model, "-o", output][..], force].concat());
                assert!(refused.code == 1 && refused.err.contains("model itself"), "{refused:?}");
            }
        }
    }
    assert_eq!(folder.read("p.toml"), PENDULUM.as_bytes());
    folder.write("other.toml", "mine");
    assert_eq!(folder.taut(&["assemble", "p.toml", "-o", "other.toml"]).code, 1);
    assert_eq!(folder.read("other.toml"), b"mine");
    folder.done(&["assemble", "p.toml", "-o", "other.toml", "--force"]);
    folder.done(&["check", "other.toml"]);
}

#[test]
fn check_counts_and_names() {
    let folder = Folder::new("check");
    folder.write("p.toml", PENDULUM);
    let check = folder.done(&["check", "p.toml"]);
    assert!(check.out.contains("1 degree of freedom") && check.out.contains("rod"), "{check:?}");
    let json = folder.done(&["check", "p.toml", "--json"]).json();
    assert_eq!(json["doctor"]["here"]["freedoms"], 1);
    assert_eq!(json["bodies"][0]["mass"], 2.0);

    // Two pins that ask for different places.
    let second = "[joints.second]\ntype = \"pin\"\na = \"ground.far\"\nb = \"rod.tip\"\n";
    folder.write("c.toml", &format!("{PENDULUM}{second}[markers]\n\"ground.far\" = [3, 0]\n"));
    let contradiction = folder.taut(&["check", "c.toml"]);
    assert_eq!(contradiction.code, 1, "{contradiction:?}");
    assert!(contradiction.err.contains("second"), "{contradiction:?}");
}

#[test]
fn check_says_where_a_file_is_wrong() {
    let folder = Folder::new("wrong");
    folder.write("p.toml", &PENDULUM.replace("b = \"rod.top\"", "b = \"rod.tpo\""));
    for verb in ["check", "run"] {
        let wrong = folder.taut(&[verb, "p.toml"]);
        assert_eq!((wrong.code, wrong.out.as_str()), (1, ""), "{wrong:?}");
        assert!(wrong.err.contains("p.toml:") && wrong.err.contains("did you mean `rod."), "{wrong:?}");
    }
    let json = folder.taut(&["check", "p.toml", "--json"]);
    assert_eq!((json.code, json.json()["findings"][0]["severity"].as_str()), (1, Some("error")));
}

#[test]
fn assemble_closes_and_writes() {
    let folder = Folder::new("assemble");
    folder.write("p.toml", &PENDULUM.replace("position = [\"l/2\", 0]", "position = [\"l/2 + [1 cm]\", \"2 cm\"]"));
    let reported = folder.done(&["assemble", "p.toml", "-o", "closed.toml"]);
    assert!(reported.out.contains("rod") && reported.out.contains("hinge."), "{reported:?}");
    let again = folder.done(&["assemble", "closed.toml"]);
    assert!(again.out.contains("no corrections"), "{again:?}");
    assert!(folder.done(&["assemble", "p.toml", "--json"]).json()["state"]["rod.x"].is_number());
    assert_eq!(folder.taut(&["assemble", "p.toml", "--hold", "rdo"]).code, 1);
}

#[test]
fn kinematics_follows_the_drivers() {
    let folder = Folder::new("kinematics");
    folder.write("d.toml", &driven());
    folder.write("p.toml", PENDULUM);
    let reported = folder.done(&["kinematics", "d.toml"]);
    assert!(reported.out.contains("motor") && reported.out.contains("d.kin"), "{reported:?}");
    folder.done(&["run", "d.toml"]);
    folder.done(&["compare", "d.kin", "d.run", "--tol", "1e-5"]);
    let free = folder.taut(&["kinematics", "p.toml"]);
    assert!(free.code == 1 && free.err.contains("not fully prescribed"), "{free:?}");
}

#[test]
fn inverse_gives_torques_and_reactions() {
    let folder = Folder::new("inverse");
    folder.write("p.toml", PENDULUM);
    folder.write("d.toml", &driven());
    // Held out level: m g l/2 = 9.81 N m is needed on the rod's turn, with the hinge carrying the weight or not.
    let held = folder.done(&["inverse", "p.toml"]).out;
    assert!(held.contains("hinge") && held.contains("additional force"), "{held}");
    let fall = folder.done(&[
        "inverse",
        "p.toml",
        "--accelerations",
        "rod.alpha=-14.715",
        "--accelerations",
        "rod.ay=-7.3575",
    ]);
    assert!(fall.out.contains("no additional forces are needed"), "{fall:?}");
    let json = folder.done(&["inverse", "d.toml", "--json"]).json();
    // J α + m g (l/2) at the start: (2/3)·4 + 9.81.
    let start = json["columns"]["motor.lambda_relation"][0].as_f64().unwrap();
    assert!((start - (8.0 / 3.0 + 9.81)).abs() < 1e-9, "{start}");
    assert!(folder.done(&["inverse", "d.toml"]).out.contains("motor"));
    assert_eq!(folder.taut(&["inverse", "p.toml", "--accelerations", "rod.beta=1"]).code, 1);
}

#[test]
fn convert_resolves_and_reads_robots() {
    let folder = Folder::new("convert");
    folder.write("p.toml", PENDULUM);
    folder.done(&["convert", "p.toml", "plain.toml", "--set", "l=2"]);
    assert_eq!(folder.taut(&["convert", "p.toml", "plain.toml"]).code, 1);
    folder.done(&["run", "plain.toml"]);
    folder.done(&["run", "p.toml", "--set", "l=2"]);
    assert_eq!(folder.read("plain.run/table.csv"), folder.read("p.run/table.csv"));

    let urdf = r#"<robot name="arm"><link name="base"/>
      <link name="upper"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
        <inertia ixx="0.01" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>
        <visual><geometry><sphere radius="0.1"/></geometry></visual></link>
      <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#;
    folder.write("arm.urdf", urdf);
    let converted = folder.done(&["convert", "arm.urdf", "arm.toml"]);
    assert!(converted.err.contains("limits of velocity and effort"), "{converted:?}");
    let written = String::from_utf8(folder.read("arm.toml")).unwrap();
    assert!(written.contains("visual") && written.contains("limits"), "{written}");
    assert!(folder.done(&["check", "arm.toml"]).out.contains("1 degree of freedom"));
}

#[test]
fn convert_upgrades_a_file_of_format_1() {
    let folder = Folder::new("upgrade");
    let old = "# a falling mass\ntaut = 1\n[bodies.m]\ntype = \"point_mass\"\nmass = 1\n[settings]\npace = \"fixed\" # steps\nstep = 0.1\n";
    folder.write("old.toml", old);
    let refused = folder.taut(&["check", "old.toml"]);
    assert!(refused.code == 1 && refused.err.contains("`pace` is now called `step_control`"), "{refused:?}");
    assert!(refused.err.contains("taut convert old.toml -o NEW.toml"), "{refused:?}");
    folder.done(&["convert", "old.toml", "-o", "new.toml"]);
    let new = old.replace("taut = 1", "taut = 2").replace("pace =", "step_control =");
    assert_eq!(String::from_utf8(folder.read("new.toml")).unwrap(), new);
    folder.done(&["check", "new.toml"]);
    assert_eq!(folder.taut(&["convert", "old.toml", "other.toml", "--set", "m.mass=2"]).code, 1);
}
