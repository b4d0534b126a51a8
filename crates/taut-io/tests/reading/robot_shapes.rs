//! Visuals, collision shapes and limits of robots.

use std::path::{Path, PathBuf};
use taut::analyses::{Transient, simulate};
use taut::shapes::Shape;
use taut_io::model::{self, VisualShape};
use taut_io::robot::ShapePurpose;
use taut_io::{mjcf, urdf};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

fn shapes() -> taut_io::robot::Robot {
    let path = file("shapes.urdf");
    urdf::read(&std::fs::read_to_string(&path).unwrap(), &path).unwrap()
}

#[test]
fn visuals_keep_their_places_and_colours() {
    let robot = shapes();
    let names: Vec<(&str, &str)> = robot.visuals.iter().map(|(body, v)| (body.as_str(), v.link.as_str())).collect();
    // The hand is part of the arm, the base of the ground.
    assert_eq!(names, [("ground", "base"), ("arm", "arm"), ("arm", "arm"), ("arm", "hand")]);
    assert!(robot.visuals.iter().all(|(_, v)| v.purpose == ShapePurpose::Visual));
    let [(_, base), (_, rod), (_, wedge), (_, hand)] = &robot.visuals[..] else { panic!() };
    assert_eq!(base.shape, Shape::Box { size: [1.0, 1.0, 0.1] });
    assert_eq!((rod.colour.as_deref(), hand.colour.as_deref()), (Some("#0080ff"), Some("#ff0000")));
    assert!((rod.pose.R.column(2) - taut::motion::Vec3::x()).norm() < 1e-15, "its axis is x of the arm");
    assert_eq!(<[f64; 3]>::from(hand.pose.p), [1.0, 0.0, 0.2]);
    // Twice as large, and mirrored: the faces still look outwards, so that the volume is positive.
    let Shape::Mesh { points, triangles } = &wedge.shape else { panic!("{wedge:?}") };
    let corner = |k: usize| taut::motion::Vec3::from(points[k]);
    let volume: f64 = triangles.iter().map(|t| corner(t[0]).dot(&corner(t[1]).cross(&corner(t[2]))) / 6.0).sum();
    assert!((volume - 8.0 / 6.0).abs() < 1e-12, "{volume}");
    let lost: Vec<_> = robot.not_imported.iter().filter(|n| n.what.contains("lost.stl")).collect();
    assert!(lost.len() == 1 && lost[0].place.is_some() && lost[0].element == "visual shape of link `arm`");
}

#[test]
fn collision_shapes_become_surfaces_without_effect() {
    let robot = shapes();
    let names: Vec<&str> = robot.spec.surfaces.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["base-collision", "arm-collision", "hand-collision"]);
    let hand = &robot.spec.surfaces[2].item;
    assert_eq!((hand.marker.as_str(), &hand.groups[..]), ("arm.hand-collision", &["collision".to_string()][..]));
    let marker = robot.spec.markers.iter().find(|m| m.name == hand.marker).unwrap();
    assert_eq!(marker.item.at, [1.0, 0.0, 0.2]);
    assert!(robot.spec.contacts.is_empty());
}

#[test]
fn limits_hold_the_arm_and_place_it_at_the_start() {
    let robot = shapes();
    assert!(robot.notes.iter().any(|n| n.contains("`shoulder` starts at 0.25")), "{:?}", robot.notes);
    let stops: Vec<&str> = robot.spec.constraints.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(stops, ["shoulder", "shoulder-limit.lower", "shoulder-limit.upper"]);
    let model = robot.spec.build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(3.0).tolerance(1e-9, 1e-9)).unwrap();
    assert!(run.outcome.is_success(), "{}", run.outcome);
    let angle = run.column("shoulder.angle").unwrap();
    assert!((angle[0] - 0.25).abs() < 1e-12);
    // The arm falls, about +y, and comes to rest on its upper limit.
    assert!(angle.iter().all(|a| (0.25 - 1e-9..=0.75 + 1e-9).contains(a)));
    assert!((angle[angle.len() - 1] - 0.75).abs() < 1e-9);
}

#[test]
fn a_model_file_shows_the_visuals_of_the_robot_it_includes() {
    let text = "taut = 2\ninclude = [\"shapes.urdf\"]\n[surfaces.floor]\nshape = \"half_space\"\nmarker = \"ground\"\n\
                groups = \"floor\"\n[contacts.floor]\ngroups = [\"floor\", \"collision\"]\n";
    let read = model::parse(text, &file("around.toml"), &[]).unwrap();
    assert_eq!(read.visuals.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["arm"; 3]);
    assert!(matches!(read.visuals[2].item.shape, VisualShape::Sphere { radius: 0.1 }));
    read.build().unwrap();
    // Written and read again, nothing is lost.
    let again = model::parse(&read.write().unwrap(), Path::new("again.toml"), &[]).unwrap();
    assert_eq!((again.visuals.len(), again.spec.surfaces.len(), again.spec.constraints.len()), (3, 4, 3));
    assert!(again.build().is_ok());
}

#[test]
fn ranges_of_mjcf_joints() {
    let text = |joint: &str, compiler: &str| {
        format!(
            r#"<mujoco><compiler {compiler}/><worldbody><body><joint name="hinge" axis="0 1 0" {joint}/>
            <geom type="sphere" size="0.1" pos="0.5 0 0"/></body></worldbody></mujoco>"#
        )
    };
    let stops = |joint: &str, compiler: &str| {
        let robot = mjcf::read(&text(joint, compiler), Path::new("x.xml")).map_err(|e| e.to_string())?;
        Ok::<_, String>(robot.tree.links[0].joints[0].limits)
    };
    let half = std::f64::consts::FRAC_PI_2;
    assert_eq!(stops(r#"range="-90 90""#, "").unwrap(), Some([-half, half]));
    assert_eq!(stops(r#"range="-1 1""#, r#"angle="radian""#).unwrap(), Some([-1.0, 1.0]));
    assert_eq!(stops(r#"range="-1 1" limited="false""#, "").unwrap(), None);
    assert_eq!(stops(r#"range="-1 1""#, r#"autolimits="false""#).unwrap(), None);
    assert!(stops(r#"range="1 -1""#, "").unwrap_err().contains("is empty"));
}

#[test]
fn bad_shapes_and_limits_say_where() {
    let text = std::fs::read_to_string(file("shapes.urdf")).unwrap();
    for (old, new, words) in [
        (r#"<sphere radius="0.1"/>"#, r#"<sphere radius="-0.1"/>"#, "radius is -0.1"),
        (r#"<sphere radius="0.1"/>"#, "<sphere/>", "needs `radius`"),
        (r#"<sphere radius="0.1"/>"#, "<cone/>", "unknown shape `cone`"),
        (r#"<sphere radius="0.1"/>"#, "", "exactly one shape"),
        (r#"size="1 1 0.1""#, r#"size="1 0 0.1""#, "size of a box"),
        (r#"scale="2 2 -2""#, r#"scale="2 0 2""#, "scale of a mesh"),
        (r#"lower="0.25""#, r#"lower="2""#, "above its upper limit"),
    ] {
        let error = urdf::read(&text.replace(old, new), Path::new("bad.urdf")).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("bad.urdf:"), "{error}");
    }
}
