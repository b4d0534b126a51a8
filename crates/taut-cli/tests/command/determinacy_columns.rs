//! The family `determinacy` of columns: whether each component of a reaction is unique, row by row.

use crate::common;

use common::Folder;

const BEAM: &str = include_str!("determinacy/beam.toml");

/// A column of the table of a run.
fn column(folder: &Folder, name: &str) -> Vec<f64> {
    let table = String::from_utf8(folder.read("out/table.csv")).unwrap();
    let head = table.lines().next().unwrap();
    let k = head.split(',').position(|h| h == name).unwrap_or_else(|| panic!("{name} in {head}"));
    table.lines().skip(1).map(|line| line.split(',').nth(k).unwrap().parse().unwrap()).collect()
}

fn run(name: &str, model: &str) -> Folder {
    let folder = Folder::new(&format!("determinacy-columns-{name}"));
    folder.write("model.toml", model);
    folder.done(&["run", "model.toml", "-o", "out", "--force"]);
    folder
}

/// A bar on three feet in line is tipped by a growing force: while all feet carry, none of their forces is unique; on the last foot
/// alone it is.
#[test]
fn feet_that_lift_make_the_last_one_unique() {
    let model = r#"
taut = 2
gravity = [0, -10, 0]
[bodies.bar]
type = "planar"
mass = 1
inertia = 1
position = [0, 0]
markers = { a = [-1, 0], b = [0, 0], c = [1, 0] }
[forces]
lift = { type = "applied", marker = "bar.a", force = [0, "20*t", 0] }
[constraints]
a = { type = "point_plane_contact", plane = "floor", point = "bar.a" }
b = { type = "point_plane_contact", plane = "floor", point = "bar.b" }
c = { type = "point_plane_contact", plane = "floor", point = "bar.c" }
[markers]
"ground.floor" = { at = [0, 0, 0], orientation = { axes = { z = [0, 1, 0] } } }
[settings]
duration = 0.5
[outputs]
every = 0.02
columns = ["reactions", "determinacy"]
"#;
    let folder = run("feet", &model.replace("\"floor\"", "\"ground.floor\""));
    // Moments about c: the lift 20 t times 2 m exceeds the weight times 1 m at t = 0.25.
    for (t, unique) in column(&folder, "t").iter().zip(column(&folder, "c.fy.unique")) {
        // Before, feet may stand by: the bar needs only two of them.
        if *t <= 0.1 || *t > 0.25 {
            assert_eq!(unique, f64::from(*t > 0.25), "t = {t}");
        }
    }
    // What no row of the constraint can exert is zero, and unique.
    assert!(column(&folder, "c.fx.unique").iter().all(|x| *x == 1.0));
}

/// In the axes of a joint other components are unique than in world axes.
#[test]
fn axes_of_the_joint_decide_which_are_unique() {
    let turned = "\"ground.turned\" = { at = [0, 0, 0], orientation = { axes = { x = [0, 1, 0], z = [0, 0, 1] } } }\n";
    let model =
        BEAM.replace("\nleft = { type = \"pin\", a = \"ground\"", "\nleft = { type = \"pin\", a = \"ground.turned\"");
    assert!(model.contains("ground.turned"));
    let settings = "[settings]\nduration = 0.1\n[outputs]\nevery = 0.05\ncolumns = [\"all\", \"determinacy\"]\n";
    let model = model.replace("[markers]\n", &format!("[markers]\n{turned}"));
    assert!(model.contains("\"ground.turned\" ="), "{model}");
    let folder = run("axes", &format!("{model}{settings}"));
    for (name, unique) in [
        ("left.fx", 1.0),
        ("left.fy", 0.0),
        ("left.fx_j", 0.0),
        ("left.fy_j", 1.0),
        ("hook.fy", 1.0),
        ("right.fy", 0.0),
    ] {
        assert_eq!(column(&folder, &format!("{name}.unique")), [unique; 3], "{name}");
    }
    // `all` alone leaves the family out.
    let folder = run("none", &format!("{BEAM}{}", settings.replace(", \"determinacy\"", "")));
    assert!(!String::from_utf8(folder.read("out/table.csv")).unwrap().contains(".unique"));
}
