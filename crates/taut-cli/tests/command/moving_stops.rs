//! Stops, ropes, servos and supports whose prescribed motion changes abruptly: bodies on them are hit, released or slip. They are
//! neither carried along by any force nor pulled.

use crate::common::Folder;
use crate::scenes::GUIDE_ALONG_X;

/// A mass on the x axis with a force along it, and a constraint.
fn mass(force: f64, constraint: &str, settings: &str) -> String {
    format!(
        r#"taut = 2
[bodies.m]
type = "point_mass"
mass = 1
{GUIDE_ALONG_X}[forces.w]
type = "generalised_force"
coordinate = "m.x"
force = {force}
[constraints.c]
{constraint}
[settings]
duration = 2.2
{settings}
[outputs]
every = 0.1
"#
    )
}

/// The column of a sound run, by output row.
fn column(folder: &Folder, model: &str, name: &str) -> Vec<f64> {
    folder.write("m.toml", model);
    let answer = folder.done(&["run", "m.toml", "--force", "--json"]).json();
    assert_eq!(answer["verdict"], "sound", "{model}\n{answer}");
    let table = String::from_utf8(folder.read("m.run/table.csv")).unwrap();
    let mut lines = table.lines();
    let at = lines.next().unwrap().split(',').position(|head| head == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
}

const STOP: &str = "type = \"limits\"\ncoordinate = { coordinate = \"m.x\" }\n";

#[test]
fn a_stop_that_starts_to_move_carried_its_body_along_without_an_impact() {
    let folder = Folder::new("moving-stop");
    // The stop rises at 0.3 m/s from 1 s to 2 s.
    let stop = format!("{STOP}lower = \"0.3*max(0, min(1, t - 1))\"\nrestitution = 0.5");
    let x = column(&folder, &mass(-1.0, &stop, ""), "m.x");
    // Thrown up at 0.15 m/s relative to the stop; the impacts end 0.6 s later; thrown off when the stop ends its motion.
    close(x[11], 0.45 * 0.1 - 0.5 * 0.01);
    close(x[18], 0.24);
    close(x[22], 0.3 + 0.3 * 0.2 - 0.5 * 0.04);
    let events = String::from_utf8(folder.read("m.run/events.csv")).unwrap();
    assert!(events.contains("impact"), "{events}");
}

#[test]
fn a_stop_that_falls_away_pulled_its_body_down() {
    let folder = Folder::new("falling-stop");
    let stop = format!("{STOP}lower = \"min(0, 10*(1 - t))\"");
    let x = column(&folder, &mass(-1.0, &stop, ""), "m.x");
    close(x[10], 0.0);
    close(x[20], -0.5);
}

#[test]
fn a_rope_that_is_paid_out_pushed_its_body_down() {
    let folder = Folder::new("paid-out-rope");
    let rope =
        |force: &str| mass(9.81, &format!("type = \"rope\"\nthrough = [\"ground\", \"m\"]\nlength = \"{force}\""), "");
    let model = rope("1 + max(0, 3*(t - 1))").replace("mass = 1\n", "mass = 1\nposition = [1, 0, 0]\n");
    let x = column(&folder, &model, "m.x");
    close(x[12], 1.0 + 0.5 * 9.81 * 0.04);
    // Taut again, without rebound, at 2·3/9.81 s.
    close(x[22], 1.0 + 3.0 * 1.2);
    // Hauled in abruptly, then let go: the body flies on.
    let model = rope("1 - max(0, 0.3 - abs(t - 1.3))").replace("mass = 1\n", "mass = 1\nposition = [1, 0, 0]\n");
    let x = column(&folder, &model, "m.x");
    close(x[11], 0.9);
    close(x[14], 0.7 - 0.1 + 0.5 * 9.81 * 0.01);
}

#[test]
fn a_servo_whose_velocity_jumps_exerted_any_force() {
    let folder = Folder::new("servo-jump");
    for kind in [
        "type = \"servo\"\ncoordinate = { coordinate = \"m.x\" }\n",
        "type = \"coupling\"\nterms = [{ factor = 1, coordinate = { coordinate = \"m.x\" } }]\n",
    ] {
        let servo = format!("{kind}velocity = \"if_pos(t - 1, 2, 0)\"\ncapacity = 3");
        let x = column(&folder, &mass(0.0, &servo, ""), "m.x");
        close(x[15], 0.375);
        close(x[20], 4.0 / 3.0);
    }
}

#[test]
fn a_table_that_drops_pulled_a_ball_down() {
    let folder = Folder::new("dropping-table");
    let model = r#"taut = 2
gravity = [0, 0, -9.81]
[bodies.table]
type = "rigid"
mass = 3
inertia = [1, 1, 1]
[bodies.ball]
type = "rigid"
mass = 1
shape = { type = "sphere", radius = 0.1 }
position = [0, 0, 0.1]
[joints.lift]
type = "prismatic"
a = "ground"
b = "table"
[drivers.descent]
coordinate = "lift.slide"
velocity = "if_pos(t - 1, -10, 0)"
[surfaces.table]
marker = "table"
shape = "half_space"
[surfaces.ball]
marker = "ball"
shape = "sphere"
radius = 0.1
[contacts.c]
between = ["ball", "table"]
[settings]
duration = 1.3
[outputs]
every = 0.1
"#;
    let z = column(&folder, model, "ball.z");
    close(z[10], 0.1);
    close(z[12], 0.1 - 0.5 * 9.81 * 0.04);
}

#[test]
fn a_stop_that_jumps_moved_its_body_at_once() {
    let folder = Folder::new("jumping-stop");
    for method in ["event_driven", "time_stepping"] {
        for start in ["mass = 1\n", "mass = 1\nposition = [0.1, 0, 0]\n"] {
            let stop = format!("{STOP}lower = \"if_pos(t - 1, 0.2, 0)\"");
            let model = mass(-0.1, &stop, &format!("contact_method = \"{method}\"")).replace("mass = 1\n", start);
            folder.write("m.toml", &model);
            let answer = folder.taut(&["run", "m.toml", "--force"]);
            assert_eq!(answer.code, 2, "{method}: {answer:?}");
            assert!(answer.err.contains("a prescribed position jumps") && answer.err.contains("`c"), "{}", answer.err);
        }
        // Away from the body: it is released.
        let stop = format!("{STOP}lower = \"if_pos(t - 1, -9, 0)\"");
        let model = mass(-1.0, &stop, &format!("contact_method = \"{method}\""));
        let x = column(&folder, &model, "m.x");
        assert!((x[20] + 0.5).abs() < 2e-3, "{method}: {}", x[20]);
    }
}

#[test]
fn a_brake_whose_capacity_underflows_stopped_the_run() {
    let folder = Folder::new("underflow");
    // An impulse of 0.4 N s from a pulse that is zero by underflow before 0.72 s and after 1.28 s.
    let height = 0.4 / (0.01 * std::f64::consts::PI.sqrt());
    for kind in ["brake\"", "servo\"\nvelocity = 0"] {
        let brake = format!(
            "type = \"{kind}\ncoordinate = {{ coordinate = \"m.x\" }}\ncapacity = \"{height:e}*exp(-((t - 1)/0.01)^2)\""
        );
        let model = mass(0.0, &brake, "").replace("mass = 1\n", "mass = 1\nvelocity = [1, 0, 0]\n");
        let v = column(&folder, &model, "m.vx");
        close(v[22], 0.6);
    }
}
