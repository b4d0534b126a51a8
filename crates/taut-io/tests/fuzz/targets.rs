//! What is tried on arbitrary bytes: one function per reader. None may panic, hang or fill the memory.
//!
//! The test in this folder runs them on the files of `fuzz/corpus` and on mutations of these; the programs in `fuzz/` run them
//! under libFuzzer.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use taut::analyses::{Run as _, Simulation, Transient};
use taut::scalar::Dual;
use taut::{Frame, Joint, Model, PlanarBody, Spec};
use taut_io::model::{Override, parse, upgrade};
use taut_io::results::{
    CHECKPOINT, DriveOptions, EVENTS, Format, Go, MANIFEST, NewRun, RunWriter, StoredRun, drive, resume,
};
use taut_io::robot::Robot;
use taut_io::{mesh, mjcf, urdf};

/// A reader under its name, which is that of its folder in `fuzz/corpus`.
pub type Target = (&'static str, fn(&[u8]));

/// All readers.
pub const TARGETS: &[Target] = &[
    ("model", model),
    ("upgrade", old_model),
    ("overrides", overrides),
    ("quantity", quantity),
    ("expression", expression),
    ("urdf", urdf),
    ("mjcf", mjcf),
    ("stl", stl),
    ("obj", obj),
    ("gltf", gltf),
    ("modal", modal),
    ("signal_csv", signal_csv),
    ("signal_parquet", signal_parquet),
    ("table_csv", table_csv),
    ("table_parquet", table_parquet),
    ("table_npz", table_npz),
    ("manifest", manifest),
    ("events", events),
    ("checkpoint", checkpoint),
    ("c81", c81),
];

/// Runs one reader.
pub fn run(name: &str, bytes: &[u8]) {
    match TARGETS.iter().find(|(n, _)| *n == name) {
        Some((_, target)) => target(bytes),
        None => panic!("there is no target `{name}`"),
    }
}

/// Everything that the command does with a model before a run.
fn swallow(text: &str, path: &Path, overrides: &[Override]) {
    match parse(text, path, overrides) {
        Ok(file) => {
            if let Err(found) = file.build() {
                let _ = found.to_string();
            }
            let _ = file.write();
        }
        Err(found) => found.iter().for_each(|d| drop(d.to_string())),
    }
}

fn model(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    swallow(text, &folder("model").join("fuzz.toml"), &[]);
}

fn old_model(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(new) = upgrade(text, Path::new("fuzz.toml")) {
        swallow(&new.text, &folder("upgrade").join("fuzz.toml"), &[]);
    }
}

/// Lines `path = value` on a small model.
fn overrides(bytes: &[u8]) {
    const MODEL: &str = "taut = 2\n[params]\nl = \"1 m\"\n[bodies.rod]\ntype = \"planar\"\nmass = 2\n\
        shape = { type = \"rod\", length = \"l\" }\n[joints.pin]\ntype = \"pin\"\na = \"ground\"\nb = \"rod\"\n\
        [settings]\nduration = 1\n";
    let Ok(text) = str::from_utf8(bytes) else { return };
    let split = |line: &str| line.split_once('=').map(|(p, v)| Override { path: p.to_string(), value: v.to_string() });
    let all: Vec<Override> = text.lines().filter_map(split).collect();
    swallow(MODEL, Path::new("fuzz.toml"), &all);
}

/// A number with a unit, or an expression over a parameter, where a length, a mass and a position over time are expected.
fn quantity(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let quoted = toml::Value::String(text.to_string()).to_string();
    let model = format!(
        "taut = 2\n[params]\nl = \"2 mm\"\nx = {quoted}\n[bodies.a]\ntype = \"point_mass\"\nmass = {quoted}\n\
        position = [{quoted}, \"x\", 0]\n[drivers.d]\ncoordinate = \"a.z\"\nposition = {quoted}\n"
    );
    swallow(&model, Path::new("fuzz.toml"), &[]);
}

fn expression(bytes: &[u8]) {
    use taut::expressions::Expression;
    let Ok(text) = str::from_utf8(bytes) else { return };
    let names = ["t", "x", "y"];
    let Ok(found) = Expression::parse(text, &names).map_err(|e| e.to_string()) else {
        let _ = Expression::parse_dotted(text, &names).map_err(|e| e.to_string());
        return;
    };
    for values in [[0.0, 0.5, -2.0], [1e300, f64::NAN, f64::INFINITY]] {
        let _ = found.evaluate(&values);
        let _ = found.evaluate(&Dual::<3>::variables(values));
        for i in 0..found.guards() {
            let _ = (found.guard_kind(i), found.guard(i, &values));
        }
    }
    let _ = (found.is_affine(), found.constant());
    let mut list = taut::breaks::BreakList::default();
    found.breaks(0.0, 2.0, &mut list);
}

fn built<E: std::fmt::Display>(robot: Result<Robot, E>) {
    match robot {
        Ok(robot) => drop(robot.spec.build().map_err(|e| e.to_string())),
        Err(found) => drop(found.to_string()),
    }
}

fn urdf(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    built(urdf::read(text, &folder("urdf").join("fuzz.urdf")));
}

fn mjcf(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    built(mjcf::read(text, &folder("mjcf").join("fuzz.xml")));
}

fn stl(bytes: &[u8]) {
    let _ = mesh::read(&file("stl", "fuzz.stl", bytes));
}

fn obj(bytes: &[u8]) {
    let _ = mesh::read(&file("obj", "fuzz.obj", bytes));
}

fn gltf(bytes: &[u8]) {
    let _ = mesh::read(&file("gltf", "fuzz.glb", bytes));
}

/// Nodes and stiffness of a modal body, as JSON or TOML.
fn modal(bytes: &[u8]) {
    let name = if bytes.starts_with(b"{") { "fuzz.json" } else { "nodes.toml" };
    let path = file("modal", name, bytes);
    let model = format!("taut = 2\n[bodies.rod]\ntype = \"modal\"\nfile = \"{name}\"\ndamping = [0.05]\n");
    swallow(&model, &path.with_file_name("fuzz.toml"), &[]);
}

/// The polar of a wing.
fn c81(bytes: &[u8]) {
    let path = file("c81", "fuzz.c81", bytes);
    let model = "taut = 2\n[bodies.blade]\ntype = \"rigid\"\nmass = 1\ninertia = [1, 1, 1]\n[air]\n\
        [polars.section]\ntype = \"c81\"\nfile = \"fuzz.c81\"\n\
        [wings.blade]\non = \"blade\"\nfrom = [0, 0, 0]\nto = [1, 0, 0]\nchord = 0.1\npolar = \"section\"\n";
    swallow(model, &path.with_file_name("fuzz.toml"), &[]);
}

/// A model with a signal that is read from a file.
fn signal(target: &str, name: &str, bytes: &[u8]) {
    let path = file(target, name, bytes);
    let model = format!(
        "taut = 2\n[bodies.a]\ntype = \"point_mass\"\nmass = 1\n[signals]\n\
        s = {{ type = \"table\", file = \"{name}\", t = \"time\", y = \"rod.x\", interpolation = \"spline\" }}\n\
        [drivers.d]\ncoordinate = \"a.z\"\nposition = \"s\"\n"
    );
    swallow(&model, &path.with_file_name("fuzz.toml"), &[]);
}

fn signal_csv(bytes: &[u8]) {
    signal("signal_csv", "fuzz.csv", bytes);
}

fn signal_parquet(bytes: &[u8]) {
    signal("signal_parquet", "fuzz.parquet", bytes);
}

/// Reads all of a folder of results.
fn read_results(folder: &Path) {
    let Ok(run) = StoredRun::open(folder).map_err(|e| e.to_string()) else { return };
    let names: Vec<&str> = run.columns().iter().map(|c| c.name.as_str()).collect();
    let _ = run.table(&names).map_err(|e| e.to_string());
    let _ = run.events().map_err(|e| e.to_string());
    let _ = run.model();
}

/// A file of results replaced by the bytes, the others as written.
fn results(target: &'static str, format: Format, name: &str, bytes: &[u8]) {
    let folder = results_folder(target, format);
    let _ = std::fs::write(folder.join(name), bytes);
    read_results(&folder);
}

fn table_csv(bytes: &[u8]) {
    results("table_csv", Format::Csv, "table.csv", bytes);
}

fn table_parquet(bytes: &[u8]) {
    results("table_parquet", Format::Parquet, "table.parquet/part-00000.parquet", bytes);
}

fn table_npz(bytes: &[u8]) {
    results("table_npz", Format::Npz, "table.npz/part-00000.npz", bytes);
}

fn manifest(bytes: &[u8]) {
    results("manifest", Format::Csv, MANIFEST, bytes);
}

fn events(bytes: &[u8]) {
    results("events", Format::Csv, EVENTS, bytes);
}

/// The checkpoint is read, restored, and continued for two steps.
fn checkpoint(bytes: &[u8]) {
    static MODEL: OnceLock<Model> = OnceLock::new();
    let folder = results_folder("checkpoint", Format::Csv);
    let _ = std::fs::write(folder.join(CHECKPOINT), bytes);
    let Ok(found) = resume(&folder).map_err(|e| e.to_string()) else { return };
    let model = MODEL.get_or_init(pendulum);
    let Ok(mut simulation) = Simulation::new(model, &model.initial_state(), &settings()) else { return };
    if simulation.restore(&found.checkpoint).is_ok() {
        let _ = simulation.steps(2);
    }
}

/// A pendulum in the plane.
fn pendulum() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("rod", PlanarBody::new(1.0, 0.1).at([0.5, 0.0], 0.0))
        .marker("rod.end", Frame::at([-0.5, 0.0, 0.0]))
        .constraint("pin", Joint::pin("ground", "rod.end"));
    spec.build().expect("a pendulum")
}

fn settings() -> Transient {
    Transient::to(0.5).every(0.1)
}

/// Writes the results of an interrupted run of the pendulum.
pub fn write_results(folder: &Path, format: Format) {
    let model = pendulum();
    let mut simulation = Simulation::new(&model, &model.initial_state(), &settings()).expect("a pendulum");
    let new = NewRun {
        title: "pendulum".to_string(),
        model: "taut = 2\n".to_string(),
        settings: serde_json::to_value(settings()).expect("settings are JSON"),
        format,
        ..NewRun::default()
    };
    let writer = RunWriter::create(folder, &new, simulation.table()).expect("an empty folder");
    let limits = taut::analyses::Limits { max_steps: Some(6), ..Default::default() };
    let observer = Box::new(|_: &mut dyn taut::analyses::Run, _: &taut::Table| Go::On);
    drive(&mut simulation, writer, DriveOptions { limits, observer, ..DriveOptions::default() })
        .expect("it can be written");
}

/// A folder of one target in the temporary directory. Threads do not share it, processes neither.
pub fn folder(target: &str) -> PathBuf {
    let thread = format!("{:?}", std::thread::current().id()).replace(|c: char| !c.is_ascii_digit(), "");
    let path =
        std::env::temp_dir().join(format!("taut-fuzz-{}", std::process::id())).join(format!("{target}-{thread}"));
    if !path.exists() {
        std::fs::create_dir_all(&path).expect("the temporary directory can be written");
    }
    path
}

/// The bytes as a file.
fn file(target: &str, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder(target).join(name);
    std::fs::write(&path, bytes).expect("the temporary directory can be written");
    path
}

/// A folder of results, written once.
fn results_folder(target: &str, format: Format) -> PathBuf {
    let path = folder(target).join("results");
    if !path.exists() {
        write_results(&path, format);
    }
    path
}
