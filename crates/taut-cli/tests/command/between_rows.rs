//! What happens between two rows of the output: peaks of reactions, and pulses of drivers in `kinematics`.

use crate::common::Folder;

fn pendulum(every: f64) -> String {
    format!(
        r#"taut = 2
gravity = [0, -9.81, 0]
[bodies.p]
type = "planar"
mass = 5
inertia = 1e-9
position = [1, 0]
markers = {{ e = [-1, 0] }}
[joints.h]
type = "pin"
a = "ground"
b = "p.e"
[settings]
duration = 1
[outputs]
every = {every}
"#
    )
}

/// The peak was hidden by a row close to it.
#[test]
fn a_row_near_a_peak_does_not_hide_it() {
    let folder = Folder::new("between-rows-peak");
    for every in [0.1, 0.033, 0.59, 0.148, 0.01] {
        folder.write("p.toml", &pendulum(every));
        let summary = folder.done(&["run", "p.toml", "--force"]).out;
        assert!(!summary.contains("at output rows"), "{summary}");
        let line = summary.lines().find(|line| line.starts_with("  h ")).unwrap();
        let force: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        // 3 m g at the bottom.
        assert!((force - 147.15).abs() < 1e-3, "every {every} s: {line}");
    }
}

fn driven(position: &str) -> String {
    format!(
        r#"taut = 2
[bodies.m]
type = "point_mass"
mass = 1
[joints.g]
type = "joint"
a = "ground"
b = "m"
translation = ["free", "fixed", "fixed"]
rotation = "free"
[drivers.d]
coordinate = "m.x"
position = {position}
[constraints.s]
type = "limits"
coordinate = {{ coordinate = "m.x" }}
lower = -1
upper = 0.2
[settings]
duration = 2
[outputs]
every = 0.1
"#
    )
}

/// Pulses of less than a millisecond, which no row meets.
#[test]
fn kinematics_meets_a_stop_between_rows() {
    let folder = Folder::new("between-rows-stop");
    for pulse in [
        "0.05*t + 0.3*(step(t, 0.55, 0, 0.5502, 1) - step(t, 0.5502, 0, 0.5504, 1))",
        "0.3*max(0, 1 - abs(t - 0.55)/0.0003)",
        "0.05*t + 0.3*exp(-((t - 0.55)/2e-4)^2)",
    ] {
        folder.write("m.toml", &driven(&format!("\"{pulse}\"")));
        let answer = folder.taut(&["kinematics", "m.toml"]);
        assert_ne!(answer.code, 0, "{pulse}: {}", answer.out);
        assert!(answer.err.contains("run into `s.upper`"), "{pulse}: {}", answer.err);
        assert!(answer.err.contains("stopped at t = 0.5"), "{pulse}: {}", answer.err);
    }
}

#[test]
fn kinematics_beyond_the_end_of_a_table_warns() {
    let folder = Folder::new("between-rows-table");
    folder.write("m.toml", &driven("{ type = \"table\", t = [0, 1], y = [0, 0.1] }"));
    let answer = folder.done(&["kinematics", "m.toml"]);
    assert!(answer.err.contains("beyond the end of its table"), "{}", answer.err);
}

/// The row before an impact held the energy lost in it and the modes after it; the audit called a bouncing ball wrong.
#[test]
fn rows_at_steps_showed_impact_losses_early() {
    let folder = Folder::new("between-rows-impact");
    let model = |end: &str| {
        format!(
            "taut = 2\ngravity = [0, 0, -10]\n[bodies.a]\ntype = \"point_mass\"\nmass = 1\nposition = [0, 0, 1]\n\
             [constraints.c]\ntype = \"point_plane_contact\"\nplane = \"ground\"\npoint = \"a\"\nfriction = 0.1\n{end}\
             [settings]\nduration = 1\n[outputs]\nrows = \"steps\"\n"
        )
    };
    for (end, kept) in [("restitution = 0.5\n", 0.25), ("", 0.0)] {
        folder.write("m.toml", &model(end));
        let summary = folder.done(&["run", "m.toml", "--force"]).out;
        assert!(summary.contains("m: sound"), "{summary}");
        let table = String::from_utf8(folder.read("m.run/table.csv")).unwrap();
        let mut lines = table.lines();
        let heads: Vec<&str> = lines.next().unwrap().split(',').map(|head| head.split(' ').next().unwrap()).collect();
        let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
        let column = |name: &str| -> Vec<f64> {
            let at = heads.iter().position(|head| *head == name).unwrap();
            rows.iter().map(|row| row[at].parse().unwrap()).collect()
        };
        let (t, lost, balance) = (column("t"), column("energy.impacts"), column("energy.balance"));
        let (vz, mode) = (column("a.vz"), column("c.mode"));
        let before = (1..t.len()).find(|i| vz[*i] > -1e-9 && vz[*i - 1] < -4.0).unwrap() - 1;
        assert!(t[before] == t[before + 1] && (t[before] - 0.2_f64.sqrt()).abs() < 1e-9, "{t:?}");
        assert_eq!((lost[before], mode[before]), (0.0, 0.0));
        // m g h = 10 J, of which e² stays.
        assert!((lost[before + 1] - 10.0 * (1.0 - kept)).abs() < 1e-6, "{lost:?}");
        assert!(balance.iter().all(|b| b.abs() < 1e-9), "{balance:?}");
    }
}
