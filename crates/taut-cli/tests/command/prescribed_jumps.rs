//! Prescribed positions and velocities that jump, and drivers that run into stops: refused, reported or named, in every analysis.

use crate::common::Folder;

/// A mass of 2 kg that moves in the plane, with these further elements.
fn mass(more: &str) -> String {
    format!(
        r#"taut = 2
[bodies.m]
type = "point_mass"
mass = 2
position = [0, 0, 0]
[joints.g]
type = "joint"
a = "ground"
b = "m"
translation = ["free", "free", "fixed"]
rotation = "free"
[drivers.d]
coordinate = "m.x"
{more}
[settings]
duration = 2
[outputs]
every = 0.1
"#
    )
}

/// The second coordinate follows a driver.
fn driven(x: &str) -> String {
    mass(&format!("position = \"{x}\"\n[drivers.e]\ncoordinate = \"m.y\"\nposition = 0"))
}

/// The second coordinate follows from a constraint, the first is the time.
fn guided(phi: &str) -> String {
    mass(&format!("position = \"t\"\n[constraints.e]\ntype = \"formula\"\nphi = \"{phi}\""))
}

const ALONG: [&[&str]; 3] =
    [&["kinematics", "m.toml"], &["inverse", "m.toml"], &["inverse", "m.toml", "--along", "motion"]];

#[test]
fn kinematics_refuses_a_position_that_jumps() {
    let folder = Folder::new("jumps-known");
    folder.write("m.toml", &driven("if_pos(t - 1.03, 0.1, 0)"));
    for command in ALONG {
        let answer = folder.taut(command);
        assert_eq!(answer.code, 1, "{command:?}: {}", answer.out);
        assert!(answer.err.contains("`d` prescribes a position that jumps by 0.1000 at t = 1.03 s"), "{}", answer.err);
        assert!(
            answer.err.contains("prescribe a continuous motion") && answer.err.contains("m.toml:12"),
            "{}",
            answer.err
        );
    }
}

/// Whether they jump depends on the pose.
#[test]
fn kinematics_stops_where_a_constraint_jumps() {
    let folder = Folder::new("jumps-found");
    let scaled = "m.y - m.x*if_pos(t - 1.03, 0.1, 0)";
    for phi in [scaled, "m.y - if_pos(m.x - 1.03, 0.1, 0)", "m.y - 1e-3*if_pos(1.03 - m.x, 0, 1)"] {
        folder.write("m.toml", &guided(phi));
        for command in ALONG {
            let answer = folder.taut(command);
            assert_eq!(answer.code, 2, "{phi} {command:?}: {}", answer.out);
            assert!(answer.err.contains("stopped at t = 1.0") && answer.err.contains("`e.phi`"), "{}", answer.err);
            assert!(answer.err.contains("a prescribed position jumps"), "{}", answer.err);
        }
        let _ = std::fs::remove_dir_all(folder.path.join("m.kin"));
    }
}

/// A velocity that jumps by 2 m/s needs 4 N s; one that a guide turns from x to x and y needs 2 N s.
#[test]
fn kinematics_reports_the_impulse_of_a_velocity_that_jumps() {
    let folder = Folder::new("jumps-velocity");
    for (model, name, impulse) in [(driven("abs(t - 1.03)"), "d", 4.0), (guided("m.y - max(0, m.x - 1.03)"), "e", 2.0)]
    {
        folder.write("m.toml", &model);
        let answer = folder.done(&["kinematics", "m.toml"]);
        assert!(answer.err.contains(&format!("the velocity that `{name}` prescribes jumps")), "{}", answer.err);
        let events = String::from_utf8(folder.read("m.kin/events.csv")).unwrap();
        let found: Vec<&str> = events.lines().skip(1).filter(|l| l.contains(&format!(",{name},"))).collect();
        let [only] = found[..] else { panic!("{events}") };
        let fields: Vec<&str> = only.split(',').collect();
        let number = |i: usize| fields[i].parse::<f64>().unwrap();
        assert!((number(0) - 1.03).abs() < 1e-9 && fields[3] == "velocity jump", "{only}");
        assert!((number(4) - impulse).abs() < 1e-6, "{only}");
        let answer = folder.done(&["inverse", "m.toml", "--json"]);
        assert!(answer.err.contains("prescribes jumps"), "{}", answer.err);
        assert!(answer.json()["events"].to_string().contains("velocity_jump"));
        let _ = std::fs::remove_dir_all(folder.path.join("m.kin"));
    }
    // A kink of the acceleration only.
    folder.write("m.toml", &guided("m.y - max(0, m.x - 1.03)^2"));
    assert!(!folder.done(&["kinematics", "m.toml"]).err.contains("jumps"));
}

#[test]
fn a_run_names_the_stop_that_a_driver_runs_into() {
    let folder = Folder::new("jumps-stop");
    let stop = "[drivers.e]\ncoordinate = \"m.y\"\nposition = 0\n[constraints.s]\ntype = \"limits\"\ncoordinate = { coordinate = \"m.x\" }\n\
                lower = -1\nupper = 0.2";
    for driver in ["position = \"0.3*t\"", "velocity = 0.3", "acceleration = 0.3"] {
        folder.write("m.toml", &mass(&format!("{driver}\n{stop}")));
        let answer = folder.taut(&["run", "m.toml", "--force"]);
        assert_eq!(answer.code, 2, "{driver}: {}", answer.out);
        assert!(answer.err.contains("the drivers run into `s.upper`"), "{driver}: {}", answer.err);
    }
}

/// Time stepping pushed bodies through stops and floors, with impulses of 1e20 N s.
#[test]
fn time_stepping_names_the_stop_and_the_floor_that_a_driver_runs_into() {
    let folder = Folder::new("jumps-stepping");
    let (plane, upright) = (r#"["free", "free", "fixed"]"#, r#"["free", "fixed", "free"]"#);
    let settings = "contact_method = \"time_stepping\"\nstep = 1e-3\nduration = 2";
    let stop = "position = \"0.3*t\"\n[drivers.e]\ncoordinate = \"m.z\"\nposition = 0\n[constraints.s]\ntype = \"limits\"\n\
                coordinate = { coordinate = \"m.x\" }\nlower = -1\nupper = 0.2";
    let floor = "position = 0\n[drivers.e]\ncoordinate = \"m.z\"\nposition = \"0.5 - 0.3*t\"\n[surfaces.ball]\nmarker = \"m\"\n\
                 shape = \"sphere\"\nradius = 0.3\n[surfaces.floor]\nmarker = \"ground\"\n\
                 shape = \"half_space\"\n[contacts.c]\nbetween = [\"ball\", \"floor\"]";
    for (more, name) in [(stop, "s.upper"), (floor, "c")] {
        folder.write("m.toml", &mass(more).replace("duration = 2", settings).replace(plane, upright));
        let answer = folder.taut(&["run", "m.toml", "--force"]);
        assert_eq!(answer.code, 2, "{name}: {} {}", answer.out, answer.err);
        assert!(answer.err.contains(&format!("the drivers run into `{name}`")), "{}", answer.err);
    }
}
