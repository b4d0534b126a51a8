//! Invalid robot files give an error with its place, never a panic or an endless loop.

use proptest::prelude::*;
use std::path::Path;
use std::time::Instant;
use taut_io::diagnostic::Diagnostic;
use taut_io::robot::{self, Robot};
use taut_io::{mjcf, urdf};

fn of_urdf(text: &str) -> Result<Robot, Diagnostic> {
    urdf::read(text, Path::new("arm.urdf"))
}

fn of_mjcf(text: &str) -> Result<Robot, Diagnostic> {
    mjcf::read(text, Path::new("arm.xml"))
}

/// The message of a file that must be refused, with its place.
fn refused(read: Result<Robot, Diagnostic>) -> String {
    match read {
        Ok(_) => panic!("it was read"),
        Err(error) => error.to_string(),
    }
}

const INERTIAL: &str =
    r#"<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;

/// A robot of two links with whatever is requested in the arm and the joint.
fn arm(inertial: &str, joint: &str) -> String {
    format!("<robot name=\"r\">\n<link name=\"base\"/>\n<link name=\"arm\">{inertial}</link>\n{joint}\n</robot>")
}

const HINGE: &str =
    r#"<joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>"#;

#[test]
fn a_sound_one_is_read() {
    let robot = of_urdf(&arm(INERTIAL, HINGE)).unwrap();
    assert_eq!(robot.spec.bodies.len(), 1);
    robot.spec.build().unwrap();
}

#[test]
fn broken_urdf_is_reported_with_its_place() {
    let cases = [
        ("<robot", "not well-formed", ":1:"),
        ("<robot>\n<link name=\"a\">\n</robot>", "not well-formed", ":3:"),
        ("<car/>", "`robot`", ":1:1"),
        ("<robot/>", "no links", ":1:1"),
        ("<robot><link/></robot>", "attribute `name`", ":1:8"),
        ("<robot><xacro:macro name=\"a\"/></robot>", "xacro", ":1:"),
    ];
    for (text, what, place) in cases {
        let message = refused(of_urdf(text));
        assert!(message.contains(what) && message.contains(place), "{message}");
    }
}

#[test]
fn urdf_joints_that_make_no_sense_are_refused() {
    let twice = format!("{HINGE}\n{HINGE}");
    let second = format!("{HINGE}\n{}", HINGE.replace("hinge", "other"));
    let circle = format!(
        "{HINGE}\n{}",
        HINGE.replace("hinge", "back").replace("base", "x").replace("arm", "base").replace("\"x\"", "\"arm\"")
    );
    let cases = [
        (HINGE.replace("revolute", "rubber"), "unknown type `rubber`", "4:"),
        (HINGE.replace("\"base\"", "\"bass\""), "link `bass`, but there is no such link", "4:"),
        (HINGE.replace("0 0 1", "0 0 0"), "axis of joint `hinge` is zero", "4:"),
        (HINGE.replace("0 0 1", "0 1"), "has 2 numbers, it needs 3", "4:"),
        (HINGE.replace("0 0 1", "0 up 1"), "`up`, which is no number", "4:"),
        (HINGE.replace("0 0 1", "0 NaN 1"), "must be finite", "4:"),
        (HINGE.replace(r#"<parent link="base"/>"#, ""), "no parent link", "4:"),
        (twice, "two joints named `hinge`", "5:"),
        (second, "in a tree it has one", "5:"),
        (circle, "form a loop", "1:"),
        (String::new(), "a robot has one root", "3:"),
        (HINGE.replace("<axis", r#"<mimic joint="ghost"/><axis"#), "mimics `ghost`, but there is no such joint", "4:"),
    ];
    for (joint, what, line) in cases {
        let message = refused(of_urdf(&arm(INERTIAL, &joint)));
        assert!(message.contains(what) && message.contains(&format!("arm.urdf:{line}")), "{what}: {message}");
    }
}

#[test]
fn masses_that_make_no_sense_are_refused() {
    let cases = [
        (String::new(), "link `arm` moves but has no mass"),
        (INERTIAL.replace("value=\"1\"", "value=\"0\""), "mass is 0"),
        (INERTIAL.replace("value=\"1\"", "value=\"-1\""), "must not be negative"),
        (INERTIAL.replace("ixx=\"1\"", "ixx=\"-1\""), "moment of inertia -1"),
        (INERTIAL.replace("ixx=\"1\"", "ixx=\"3\""), "no larger than the sum"),
        (INERTIAL.replace("ixx=\"1\"", ""), "needs the attribute `ixx`"),
        (INERTIAL.replace("ixx=\"1\"", "ixx=\"inf\""), "must be finite"),
        (INERTIAL.replace(r#"<mass value="1"/>"#, ""), "has no mass"),
    ];
    for (inertial, what) in cases {
        let message = refused(of_urdf(&arm(&inertial, HINGE)));
        assert!(message.contains(what) && message.contains("arm.urdf:3:"), "{what}: {message}");
    }
}

#[test]
fn broken_mjcf_is_reported_with_its_place() {
    let body = |inside: &str| format!("<mujoco><worldbody>\n<body name=\"b\">{inside}</body></worldbody></mujoco>");
    let ball = r#"<geom size="0.1"/>"#;
    let hinge = |x: &str| format!(r#"<joint name="j" {x}/>{ball}"#);
    let after = |x: &str| body(&hinge("")).replace("</mujoco>", &format!("\n{x}</mujoco>"));
    let cases = [
        ("<robot/>".to_string(), "`mujoco`, not `robot`"),
        (body(&hinge("type=\"screw\"")), "unknown type `screw`"),
        (body(&hinge("axis=\"0 0 0\"")), "axis of joint `j` is zero"),
        (body(&hinge("class=\"none\"")), "class `none`, but there is no such class"),
        (body(&format!("{}{}", hinge(""), hinge(""))), "two joints named `j`"),
        (body("<joint/>"), "moves but has no mass"),
        (body(r#"<joint/><geom type="mesh" mesh="m"/>"#), "the mass of body `b` cannot be determined"),
        (body(r#"<joint/><geom type="box" size="1 1"/>"#), "a box needs 3 sizes"),
        (body(r#"<joint/><geom type="torus" size="1 1"/>"#), "unknown type `torus`"),
        (body(r#"<joint/><geom size="0.1" quat="0 0 0 0" type="box"/>"#), "no direction"),
        (body(r#"<joint/><inertial mass="1" pos="0 0 0" diaginertia="1 1 -1"/>"#), "must not be negative"),
        (body(r#"<joint/><inertial mass="0" pos="0 0 0" diaginertia="1 1 1"/>"#), "mass is 0"),
        (body(&format!("{}<body><freejoint/>{ball}</body>", hinge(""))), "inside another body"),
        (body(&format!(r#"<joint/><joint axis="1 0 1"/>{ball}"#)), "its two hinges are not perpendicular"),
        (body(&format!("<joint/><freejoint/>{ball}")), "a free joint is combined with others"),
        (body("<replicate count=\"3\"/>"), "`replicate` creates bodies"),
        (after(r#"<equality><connect body1="x" anchor="0 0 0"/></equality>"#), "body `x`, but there is no such body"),
        (after(r#"<equality><joint joint1="x"/></equality>"#), "joint `x`, but there is no such joint"),
        (after(r#"<actuator><motor joint="x"/></actuator>"#), "joint `x`, but there is no such joint"),
        (after(r#"<actuator><motor tendon="x"/></actuator>"#), "no tendon `x`"),
        (after(r#"<keyframe><key qpos="1 2"/></keyframe>"#), "qpos has 2 numbers, the joints have 1"),
        (after(r#"<compiler eulerseq="xyw"/>"#), "three of xyzXYZ"),
        (after(r#"<compiler coordinate="global"/>"#), "global coordinates"),
        (after(r#"<include file="/no/such.xml"/>"#), "cannot read"),
        (after(r#"<include file="/dev/zero"/>"#), "not a file"),
        (after(r#"<default><default class="a"/><default class="a"/></default>"#), "two default classes named `a`"),
    ];
    for (text, what) in cases {
        let message = refused(of_mjcf(&text));
        assert!(message.contains(what) && message.contains("arm.xml:"), "{what}: {message}");
    }
}

#[test]
fn files_that_include_each_other_are_refused() {
    let folder = std::env::temp_dir().join(format!("taut-includes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (a, b) = (folder.join("a.xml"), folder.join("b.xml"));
    std::fs::write(&a, r#"<mujoco><include file="b.xml"/></mujoco>"#).unwrap();
    std::fs::write(&b, r#"<mujoco><include file="a.xml"/></mujoco>"#).unwrap();
    let message = refused(robot::read(&a));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(message.contains("includes itself") && message.contains("b.xml:1:9"), "{message}");
}

#[test]
fn depth_and_length_do_not_matter() {
    let started = Instant::now();
    for n in [600, 200_000] {
        for (open, close) in [("<body>", "</body>"), ("<default class=\"a\">", "</default>"), ("<frame>", "</frame>")] {
            let text = format!("<mujoco><worldbody>{}{}</worldbody></mujoco>", open.repeat(n), close.repeat(n));
            assert!(refused(of_mjcf(&text)).contains("levels deep"));
            assert!(of_mjcf(&text[..text.len() / 2]).is_err());
        }
    }
    let garbage: String =
        (0..10_000_000u32).map(|i| char::from(32 + (i.wrapping_mul(2_654_435_761) >> 25) as u8 % 95)).collect();
    assert!(of_urdf(&garbage).is_err() && of_mjcf(&garbage).is_err() && of_urdf(&garbage[..1000]).is_err());
    let long =
        format!("<mujoco><worldbody>{}</worldbody></mujoco>", "<body><joint/><geom size=\"1\"/></body>".repeat(20_000));
    assert_eq!(of_mjcf(&long).unwrap().spec.bodies.len(), 20_000);
    let links: String = (0..20_000).map(|i| format!("<link name=\"l{i}\"/>")).collect();
    let joints: String = (1..20_000)
        .map(|i| {
            format!("<joint name=\"j{i}\" type=\"fixed\"><parent link=\"l{}\"/><child link=\"l{i}\"/></joint>", i - 1)
        })
        .collect();
    assert_eq!(of_urdf(&format!("<robot>{links}{joints}</robot>")).unwrap().spec.markers.len(), 20_000);
    // Many kinds, many attributes, many couplings: nothing grows with the square of the length.
    let kinds: String = (0..300_000).map(|i| format!("<k{i}/>")).collect();
    assert!(
        of_urdf(&arm(INERTIAL, &format!("{HINGE}{kinds}"))).is_ok()
            && of_mjcf(&format!("<mujoco>{kinds}</mujoco>")).is_ok()
    );
    let attributes: String = (0..300_000).map(|i| format!(" a{i}=\"\"")).collect();
    let _ = (of_urdf(&format!("<robot{attributes}/>")), of_mjcf(&format!("<mujoco{attributes}/>")));
    let couplings = "<joint joint1=\"body1_joint\"/>".repeat(20_000);
    let coupled = long.replace("</mujoco>", &format!("<equality>{couplings}</equality></mujoco>"));
    assert!(refused(of_mjcf(&coupled)).contains("no such joint"));
    assert!(started.elapsed().as_secs() < 120, "{:?}", started.elapsed());
}

/// Pieces of robot files, so that random texts get past the parser.
fn piece() -> impl Strategy<Value = String> {
    let tags = prop::sample::select(vec![
        "robot",
        "link",
        "joint",
        "inertial",
        "mass",
        "inertia",
        "origin",
        "axis",
        "parent",
        "child",
        "mimic",
        "mujoco",
        "worldbody",
        "body",
        "geom",
        "site",
        "freejoint",
        "default",
        "compiler",
        "option",
        "equality",
        "connect",
        "weld",
        "tendon",
        "fixed",
        "spatial",
        "actuator",
        "motor",
        "position",
        "general",
        "keyframe",
        "key",
        "frame",
        "include",
    ]);
    let names = prop::sample::select(vec![
        "name",
        "type",
        "link",
        "joint",
        "class",
        "childclass",
        "pos",
        "quat",
        "euler",
        "size",
        "fromto",
        "mass",
        "value",
        "xyz",
        "rpy",
        "axis",
        "ref",
        "armature",
        "stiffness",
        "body1",
        "body2",
        "site",
        "anchor",
        "joint1",
        "coef",
        "qpos",
        "file",
        "diaginertia",
        "fullinertia",
        "multiplier",
        "ixx",
        "gear",
        "angle",
        "eulerseq",
        "settotalmass",
    ]);
    let values = prop::sample::select(vec![
        "a",
        "b",
        "world",
        "ground",
        "",
        "0",
        "1",
        "-1",
        "1e308",
        "1e-308",
        "nan",
        "0 0 1",
        "1 2 3",
        "0 0 0",
        "1 0 0 0",
        "hinge",
        "slide",
        "ball",
        "free",
        "revolute",
        "fixed",
        "prismatic",
        "floating",
        "planar",
        "capsule",
        "box",
        "é&lt;",
        "1 1 1 0 0 0",
        "radian",
        "true",
        "false",
    ]);
    (tags, prop::collection::vec((names, values), 0..5), 0..4u8).prop_map(|(tag, attributes, close)| {
        let mut seen = std::collections::BTreeSet::new();
        let attributes: String =
            attributes.into_iter().filter(|(n, _)| seen.insert(*n)).map(|(n, v)| format!(" {n}=\"{v}\"")).collect();
        match close {
            0 => format!("<{tag}{attributes}>"),
            1 => format!("</{tag}>"),
            _ => format!("<{tag}{attributes}/>"),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}") {
        let _ = (of_urdf(&text), of_mjcf(&text));
    }

    #[test]
    fn random_pieces_never_panic(pieces in prop::collection::vec(piece(), 0..12)) {
        let inside = pieces.concat();
        let _ = of_urdf(&format!("<robot>{inside}</robot>"));
        let _ = of_mjcf(&format!("<mujoco>{inside}</mujoco>"));
        let world = format!("<mujoco><worldbody><body><geom size=\"1\"/>{inside}</body></worldbody></mujoco>");
        if let Ok(robot) = of_mjcf(&world) {
            let _ = robot.spec.build();
        }
    }
}

/// Random numbers in sound structures: whatever is read either builds or says why not.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![-2.0..2.0, Just(0.0), Just(1e300), Just(-1e-300), Just(1e12)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_numbers_never_panic(x in prop::collection::vec(number(), 12)) {
        let text = format!(
            r#"<mujoco><worldbody><body pos="{} {} {}" quat="{} {} {} 1"><joint axis="{} {} 1" ref="{}" armature="{}"/>
            <joint type="slide" axis="1 0 {}"/><inertial pos="{} 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
            <actuator/></mujoco>"#,
            x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11],
        );
        if let Ok(robot) = of_mjcf(&text)
            && let Ok(model) = robot.spec.build()
        {
            prop_assert_eq!(model.bodies.len(), robot.spec.bodies.len());
        }
    }
}
