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
    assert_eq!(read.visuals.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["ground", "arm", "arm", "arm"]);
    assert!(matches!(read.visuals[3].item.shape, VisualShape::Sphere { radius: 0.1 }));
    read.build().unwrap();
    // Written and read again, nothing is lost.
    let again = model::parse(&read.write().unwrap(), Path::new("again.toml"), &[]).unwrap();
    assert_eq!((again.visuals.len(), again.spec.surfaces.len(), again.spec.constraints.len()), (4, 4, 3));
    assert_eq!(again.visuals[0].item.shape, VisualShape::Box { size: [1.0, 1.0, 0.1] });
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

#[test]
fn links_fixed_to_the_ground_keep_their_colours_where_a_part_is_placed() {
    let text = "taut = 2\n[parts.robot]\nfile = \"shapes.urdf\"\nposition = [1, 2, 3]\n\
                [ground]\nvisual = { type = \"sphere\", radius = \"10 cm\", at = [0, 0, 1], colour = \"#00ff00\" }\n";
    let read = model::parse(text, &file("around.toml"), &[]).unwrap();
    let ground: Vec<_> = read.visuals.iter().filter(|v| v.name == "ground").collect();
    assert_eq!(ground.len(), 2);
    assert_eq!(ground[0].item.at, [1.0, 2.0, 3.0]);
    assert_eq!((ground[1].item.at, ground[1].item.colour.as_deref()), ([0.0, 0.0, 1.0], Some("#00ff00")));
    let wrong = |ground: &str| {
        let text = format!("taut = 2\n{ground}\n[bodies.a]\ntype = \"point_mass\"\nmass = 1\n");
        model::parse(&text, Path::new("m.toml"), &[]).unwrap_err()[0].to_string()
    };
    assert!(wrong("ground = 3").contains("[ground] must be a table"));
    assert!(wrong("[ground]\nlook = 3").contains("look"));
    assert!(wrong("[ground]\nvisual = { type = \"sphere\", radius = -1 }").contains("greater than zero"));
}

fn geoms(text: &str) -> taut_io::robot::Robot {
    mjcf::read(text, &file("geoms.xml")).unwrap_or_else(|e| panic!("{e}"))
}

/// A geom of every type, drawn only, felt only, both, and neither.
const GEOMS: &str = r##"<mujoco><compiler meshdir="." angle="degree"/>
<default><default class="hidden"><geom group="3" rgba="1 0 0 1"/></default></default>
<asset>
  <mesh name="wedge" file="wedge.stl" scale="2 2 -2"/><mesh file="lost.stl"/>
  <material name="blue" rgba="0 0.5 1 1"/>
</asset>
<worldbody>
  <geom name="floor" type="plane" size="0 0 1" pos="0 0 -1"/>
  <geom name="post" type="cylinder" size="0.05 0.5" material="blue" contype="0" conaffinity="0"/>
  <body name="arm" pos="0 0 1">
    <joint axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <geom type="capsule" size="0.1" fromto="0 0 0 1 0 0" rgba="0 1 0 1"/>
    <geom type="mesh" mesh="wedge" material="blue"/>
    <geom type="mesh" mesh="lost"/>
    <frame pos="0 0 2"><geom class="hidden" type="box" size="0.1 0.2 0.3" pos="1 0 0"/></frame>
    <geom type="ellipsoid" size="0.1 0.2 0.3" rgba="1 1 1 0" contype="0" conaffinity="0"/>
    <body name="hand" pos="1 0 0"><geom size="0.1" mass="0"/></body>
  </body>
</worldbody></mujoco>"##;

#[test]
fn geoms_of_mjcf_are_drawn_and_touch() {
    let robot = geoms(GEOMS);
    let seen: Vec<_> = robot.visuals.iter().map(|(body, v)| (body.as_str(), v.colour.as_deref())).collect();
    let (green, blue) = (Some("#00ff00"), Some("#0080ff"));
    assert_eq!(seen, [("ground", blue), ("arm", green), ("arm", blue), ("arm", None)]);
    // Half lengths become lengths; the capsule lies along x.
    let rod = &robot.visuals[1].1;
    assert_eq!(rod.shape, Shape::Capsule { radius: 0.1, length: 1.0 });
    assert!((rod.pose.R.column(2).x.abs() - 1.0).abs() < 1e-12 && (rod.pose.p.x - 0.5).abs() < 1e-12);
    assert!(matches!(&robot.visuals[2].1.shape, Shape::Mesh { triangles, .. } if triangles.len() == 4));
    let felt: Vec<_> = robot.spec.surfaces.iter().map(|s| (s.name.as_str(), s.item.groups[0].as_str())).collect();
    let names = ["arm-collision", "arm-collision_2", "arm-collision_3", "hand-collision"];
    assert_eq!(felt[0], ("world-collision", "world"));
    assert_eq!(felt[1..], names.map(|name| (name, "collision")));
    assert_eq!(robot.spec.surfaces[0].item.shape, Shape::HalfSpace {});
    assert!(matches!(robot.spec.surfaces[2].item.shape, Shape::Convex { .. }));
    assert_eq!(robot.spec.surfaces[3].item.shape, Shape::Box { size: [0.2, 0.4, 0.6] });
    let marker = |i: usize| {
        let name = &robot.spec.surfaces[i].item.marker;
        robot.spec.markers.iter().find(|m| m.name == *name).unwrap().item.at
    };
    // The frame moves its geom, and the hand is part of the arm.
    assert_eq!((marker(3), marker(4), marker(0)), ([1.0, 0.0, 2.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]));
    let lost: Vec<_> = robot.not_imported.iter().filter(|n| n.what.contains("lost.stl")).collect();
    assert!(lost.len() == 1 && lost[0].place.is_some(), "{:?}", robot.not_imported);
}

#[test]
fn a_ball_of_mjcf_rests_on_its_floor() {
    let folder = std::env::temp_dir().join(format!("taut-geoms-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let robot = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="ball" pos="0 0 0.3"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#;
    std::fs::write(folder.join("ball.xml"), robot).unwrap();
    let text = "taut = 2\ninclude = [\"ball.xml\"]\ngravity = [0, 0, -9.81]\n[contacts.all]\ngroups = [\"world\", \"collision\"]\n";
    let model = model::parse(text, &folder.join("scene.toml"), &[]).unwrap().build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(0.5)).unwrap();
    let z = run.column("ball.z").unwrap();
    // It falls 0.2 m in 0.2 s, and stays.
    assert!((z[z.len() - 1] - 0.1).abs() < 1e-9 && z.iter().all(|z| *z > 0.1 - 1e-9), "{z:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn bad_geoms_say_where() {
    for (old, new, words) in [
        (r#"size="0.1 0.2 0.3" pos"#, r#"size="0.1 0.2" pos"#, "a box needs 3 sizes"),
        (r#"scale="2 2 -2""#, r#"scale="2 0 2""#, "scale of the mesh `wedge`"),
        (r#"type="mesh" mesh="wedge""#, r#"type="mesh""#, "names no mesh"),
        (r#"type="ellipsoid" size="0.1 0.2 0.3" rgba="1 1 1 0""#, r#"type="cone" size="0.1""#, "unknown type `cone`"),
    ] {
        let text = GEOMS.replace(old, new);
        assert_ne!(text, GEOMS, "{old}");
        let error = mjcf::read(&text, Path::new("bad.xml")).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("bad.xml:"), "{error}");
    }
}
