//! What is written can be read back, bit by bit.

use std::path::Path;
use taut::analyses::RunMethod;
use taut::bodies::BodyKind;
use taut::events::ParadoxResponse;
use taut::forces::{Applied, Bushing, Spring};
use taut::signals::{Extrapolation, ForceLaw, Interpolation, SplineEnds, TableSignal};
use taut::{
    Frame, Joint, KnifeEdge, Measure, Orientation, PlanarBody, PointMass, Prescription, Relation, RigidBody, Rolling,
};
use taut::{Signal, Spec};
use taut_io::model::{ModelFile, Override, parse};

fn read(text: &str) -> ModelFile {
    parse(text, Path::new("model.toml"), &[])
        .unwrap_or_else(|found| panic!("{}", found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))
}

/// JSON shows every bit of a float, and the order of everything.
fn bits(spec: &Spec) -> String {
    serde_json::to_string_pretty(spec).unwrap()
}

#[test]
fn the_file_with_everything() {
    let file = read(include_str!("../files/everything.toml"));
    let again = read(&file.write().unwrap());
    assert_eq!(bits(&file.spec), bits(&again.spec));
    assert_eq!(file.transient, again.transient);
    assert_eq!(file.spec.bodies.len(), 18);
    assert_eq!(looks_of(&file), looks_of(&again));
    let of = |name: &str| file.visuals.iter().filter(|l| l.name == name).count();
    // The appearance is that of `visual`, or of `shape` without one.
    assert_eq!((of("bob"), of("block"), of("crank"), of("top")), (1, 6, 2, 0));
    assert_eq!((file.column_patterns, file.expect, file.title), (again.column_patterns, again.expect, again.title));
}

fn looks_of(file: &ModelFile) -> Vec<(&String, &taut_io::model::Visual)> {
    file.visuals.iter().map(|l| (&l.name, &l.item)).collect()
}

#[test]
fn looks_are_checked() {
    let said = |look: &str| {
        let text = format!("taut = 2\n[bodies.a]\ntype = \"point_mass\"\nmass = 1\nvisual = {look}\n");
        parse(&text, Path::new("model.toml"), &[]).map(|_| ()).map_err(|all| all[0].to_string()).unwrap_err()
    };
    for (look, why) in [
        ("{ type = \"sphere\", radius = -1 }", "greater than zero"),
        ("{ type = \"sphere\", radius = \"1 kg\" }", "length"),
        ("{ type = \"sphere\", radius = 1, colour = \"red\" }", "#rrggbb"),
        ("{ type = \"spere\", radius = 1 }", "sphere"),
        ("{ type = \"mesh\" }", "`file`"),
        ("{ type = \"mesh\", file = \"nowhere.stl\" }", "nowhere.stl"),
        ("{ type = \"mesh\", points = [[0, 0, 0]], triangles = [[0, 0, 1]] }", "does not exist"),
        ("{ type = \"polygon\", points = [[0, 0], [1, 0]] }", "three corners"),
    ] {
        assert!(said(look).contains(why), "{look}: {}", said(look));
    }
}

#[test]
fn all_that_comes_and_goes() {
    let file = read(include_str!("../files/comes_and_goes.toml"));
    let text = file.write().unwrap();
    let again = read(&text);
    assert_eq!(bits(&file.spec), bits(&again.spec), "{text}");
    assert_eq!((file.transient.clone(), file.contact_method), (again.transient.clone(), again.contact_method));
    assert_eq!((file.contact_method, file.transient.paradox), (RunMethod::Events, ParadoxResponse::Impulse));
    let names: Vec<&str> = file.spec.constraints.iter().map(|c| c.name.as_str()).collect();
    for name in ["hinge.lower", "hinge.upper", "hinge.friction", "guide.upper", "both.lower", "both.upper", "high"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    assert_eq!((file.spec.unlocked.len(), file.spec.events[1].item.actions.len()), (3, 8));
    let model = file.build().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((model.surfaces.len(), model.contacts.len()), (11, 5));
}

#[test]
fn a_mesh_from_a_file_is_the_mesh_of_its_triangles() {
    let folder = std::env::temp_dir().join(format!("taut-mesh-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("parts")).unwrap();
    std::fs::write(folder.join("parts/land.obj"), "v 0 0 0\nv 1000 0 0\nv 0 1000 0\nf 1 2 3\n").unwrap();
    let model = folder.join("m.toml");
    let surface = "marker = \"ground\"\nshape = \"mesh\"\n";
    let named = format!("taut = 2\n[surfaces.s]\n{surface}file = \"parts/land.obj\"\nscale = \"1 mm\"\n");
    let plain = format!("taut = 2\n[surfaces.s]\n{surface}points = [[0,0,0],[1,0,0],[0,1,0]]\ntriangles = [[0,1,2]]\n");
    let [a, b] = [named, plain].map(|text| bits(&parse(&text, &model, &[]).unwrap().spec));
    assert_eq!(a, b);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_model_built_in_rust() {
    let third = 1.0 / 3.0;
    let mut spec = Spec::new();
    spec.gravity([-0.0, 1e-300, -9.806_65]);
    spec.body(
        "a",
        RigidBody::new(third, [0.1, 0.2, 0.25]).at([1e17, -1e-17, 0.1 + 0.2]).oriented(Orientation::z([1.0, 2.0, 3.0])),
    );
    spec.body("b", PlanarBody::rod(2.0, 0.7).moving([third, 0.0], 5.0));
    spec.body("c", PointMass::new(1.0, [0.0; 3]));
    spec.body("d", RigidBody::new(1.0, [1.0; 3]).oriented(Orientation::RotationVector([0.1, 0.2, 0.3])));
    spec.marker("a.m", Frame::world([third; 3]).axis([0.0, 1.0, 0.0]));
    spec.marker("ground.o", Frame::at([0.0, third, 0.0]));
    spec.constraint(
        "hinge",
        Joint::revolute("ground.o", "a.m")
            .prescribe_rotation(Prescription::Position(Signal::harmonic(1.0, 2.0, third))),
    );
    spec.constraint(
        "drive",
        Relation::driver(Measure::coordinate("b.theta"), Prescription::Acceleration(third.into())),
    );
    spec.constraint("free", Joint::spherical("a", "d"));
    spec.screw("nut", "a", "d", 0.01);
    spec.constraint("rod", Relation::rod("c", "d", third));
    spec.constraint("edge", KnifeEdge::new("ground", "d"));
    spec.constraint("roll", Rolling::torus("ground", "d", 0.3, 0.02));
    spec.constraint(
        "slider",
        Joint::slider("ground", "b")
            .prescribe_translation(0, Prescription::Velocity(Signal::polynomial(vec![0.0, third]))),
    );
    let table = TableSignal::new(
        vec![0.0, 1.0, 2.0],
        vec![0.0, third, 0.0],
        Interpolation::Spline(SplineEnds::Clamped { start: 1.0, end: 0.0 }),
        Extrapolation::Linear,
    );
    spec.force(
        "s",
        Spring::new(Measure::slide("a", "d"), ForceLaw::expression("-s^3 + rate*t").unwrap())
            .driven(Signal::Table(table.unwrap())),
    );
    spec.force("k", Bushing::full("a", "d", [[third; 6]; 6], [[0.0; 6]; 6]));
    spec.force("g", Applied::torque("a", [Signal::expression("sin(t)").unwrap(), 0.0.into(), 0.0.into()]).follower());
    spec.force("q", Applied::on_coordinate("b.theta", Signal::smooth_step(0.0, 1.0, 0.0, third)));
    spec.measure("gap", Measure::distance("c", "d"));
    let file = ModelFile::from(spec);
    let text = file.write().unwrap();
    let again = read(&text);
    assert_eq!(bits(&file.spec), bits(&again.spec), "{text}");
}

#[test]
fn what_is_written_in_code_cannot_be_written() {
    let mut spec = Spec::new();
    spec.body("mine", BodyKind::Custom(std::sync::Arc::new(PointMass::new(1.0, [0.0; 3]))));
    let e = ModelFile::from(spec).write().unwrap_err();
    assert!(e.to_string().contains("body `mine` is defined in code"), "{e}");
}

const CHAIN: &str =
    "taut = 2\n[params]\nl = \"1 m\"\n[bodies.a]\ntype = \"point_mass\"\nmass = 1\nposition = [\"l\", 0, 0]\n";

fn set(path: &str, value: &str) -> Result<ModelFile, String> {
    let change = Override { path: path.to_string(), value: value.to_string() };
    parse(CHAIN, Path::new("model.toml"), &[change]).map_err(|e| e[0].to_string())
}

#[test]
fn changes_from_outside() {
    let position = |f: &ModelFile| match &f.spec.bodies[0].item {
        BodyKind::PointMass(p) => (p.mass, p.position[0]),
        _ => (0.0, 0.0),
    };
    assert_eq!(position(&set("l", "25 mm").unwrap()), (1.0, 0.025));
    assert_eq!(position(&set("params.l", "2").unwrap()), (1.0, 2.0));
    assert_eq!(position(&set("a.mass", "3").unwrap()), (3.0, 1.0));
    assert_eq!(position(&set("bodies.a.mass", "3 lb").unwrap()).0, 1.360_777_11);
    assert_eq!(set("settings.rtol", "1e-3").unwrap().transient.rtol, 1e-3);
    assert_eq!(set("gravity", "[0, 0, -1]").unwrap().spec.gravity, [0.0, 0.0, -1.0]);
    assert!(set("k", "1").unwrap_err().contains("no parameter `k`"));
    assert!(set("b.mass", "1").unwrap_err().contains("no element `b`"));
    assert!(set("a.mas", "1").unwrap_err().contains("did you mean `mass`"));
    assert!(set("a.mass", "1 mm").unwrap_err().contains("expected a mass"));
}
