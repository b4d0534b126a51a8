//! Many contacts: spheres poured into a box, and a wall of blocks: `cargo bench -p taut --bench contacts`.
//!
//! Arguments choose what is run: `scaling` (time per step over the number of spheres, while they fall and after they have
//! landed), `rest` (1,000 spheres for ten seconds), `wall` (twenty blocks for a minute). Default: all. `quick` shortens them. `peer STEP END
//! INTERVAL SWEEPS PENETRATION` prints the states that `bench/contact_peers.py` compares. `growth SHAPE COUNT...` prints time, contacts and memory of
//! heaps of `spheres`, `boxes` or `mixed` bodies (half of each), one line per count.

use cpu_time::ProcessTime;
use std::time::Instant;
use taut::analyses::{Run, RunStatus};
use taut::contacts::{ContactRule, RigidContact, Surface};
use taut::shapes::Shape;
use taut::stepping::{TimeSteppingSettings, TimeSteppingSimulation};
use taut::{Columns, Frame, Model, Orientation, RigidBody, Spec};

const RADIUS: f64 = 0.05;
/// Spinning and rolling friction over the radius: without them a sphere on its own would spin for ever.
const TURNING: f64 = 1e-2;
/// Edges of a box, in radii.
const EDGES: [f64; 3] = [1.0, 1.2, 1.4];

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let requested = |name: &str| chosen.is_empty() || chosen.iter().any(|c| c == name);
    let quick = chosen.iter().any(|c| c == "quick");
    let only = chosen.len() - usize::from(quick);
    let requested = |name: &str| only == 0 || requested(name);
    if let Some(at) = chosen.iter().position(|c| c == "peer") {
        let numbers: Vec<f64> = chosen[at + 1..].iter().filter_map(|x| x.parse().ok()).collect();
        return peer(&numbers);
    }
    if let Some(at) = chosen.iter().position(|c| c == "growth") {
        let shapes = match chosen.get(at + 1).map(String::as_str) {
            Some("boxes") => Bodies::Boxes,
            Some("mixed") => Bodies::Mixed,
            _ => Bodies::Spheres,
        };
        let counts: Vec<usize> = chosen[at + 1..].iter().filter_map(|c| c.parse().ok()).collect();
        return growth(shapes, &counts);
    }
    if requested("scaling") {
        scaling(if quick { &[125, 500] } else { &[125, 500, 1000, 2000, 4000] });
    }
    if requested("rest") {
        for h in [2e-3, 5e-3] {
            rest(h, if quick { 1.0 } else { 10.0 });
        }
    }
    if requested("wall") {
        wall(if quick { 5.0 } else { 60.0 });
    }
}

/// The bodies of a heap.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bodies {
    Spheres,
    Boxes,
    /// Spheres and boxes in turn.
    Mixed,
}

impl Bodies {
    fn is_box(self, i: usize) -> bool {
        self == Bodies::Boxes || (self == Bodies::Mixed && i % 2 == 1)
    }
}

fn spheres(count: usize, turning: f64) -> Model {
    heap(Bodies::Spheres, count, turning)
}

/// Bodies above a box without a lid, in layers a little out of line. Boxes have edges of 1.0, 1.2 and 1.4 radii, and are turned a little.
fn heap(bodies: Bodies, count: usize, turning: f64) -> Model {
    let (r, side) = (RADIUS, ((count as f64) / 2.0).cbrt().ceil() as usize);
    let width = side as f64 * 2.4 * r;
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]);
    for (name, x, y) in [("west", 1.0, 0.0), ("east", -1.0, 0.0), ("south", 0.0, 1.0), ("north", 0.0, -1.0)] {
        let at = [-0.5 * width * x, -0.5 * width * y, 0.0];
        spec.marker(&format!("ground.{name}"), Frame::at(at).with_orientation(Orientation::z([x, y, 0.0])));
    }
    let mass = 4.0 / 3.0 * std::f64::consts::PI * 1000.0 * r.powi(3);
    for i in 0..count {
        let (x, y, z) = (i % side, i / side % side, i / (side * side));
        let jitter = |k: usize| 0.15 * r * ((i * 3 + k) as f64 * 2.399_963).sin();
        let place = |k: usize, n: usize| (n as f64 + 0.5) * 2.4 * r - 0.5 * width + jitter(k);
        let at = [place(0, x), place(1, y), r * (1.5 + 2.4 * z as f64) + jitter(2)];
        let body = if bodies.is_box(i) {
            let [x, y, z] = EDGES.map(|e| (e * r).powi(2) * mass / 12.0);
            let turn = [jitter(0) * 4.0 / r, jitter(1) * 4.0 / r, jitter(2) * 4.0 / r];
            RigidBody::new(mass, [y + z, x + z, x + y]).oriented(Orientation::RotationVector(turn))
        } else {
            RigidBody::new(mass, [0.4 * mass * r * r; 3])
        };
        spec.body(&format!("s{i}"), body.at(at));
    }
    for name in ["ground", "ground.west", "ground.east", "ground.south", "ground.north"] {
        spec.surface(&name.replace('.', "_"), Surface::new(name, Shape::HalfSpace {}));
    }
    for i in 0..count {
        let name = format!("s{i}");
        let shape =
            if bodies.is_box(i) { Shape::Box { size: EDGES.map(|e| e * r) } } else { Shape::Sphere { radius: r } };
        spec.surface(&name, Surface::new(&name, shape));
    }
    let mut rule = RigidContact::SMOOTH.friction(0.3).restitution(0.1);
    (rule.torsional_friction, rule.rolling_friction) = (turning * r, turning * r);
    spec.contact("all", ContactRule::all(rule));
    spec.build().expect("the spheres make a model")
}

/// The time span of the measurement; earlier steps are not measured.
struct Stretch {
    name: &'static str,
    from: f64,
    steps: usize,
}

/// The layers fall freely at first; after a second and a half all have landed, and settle.
const STRETCHES: [Stretch; 2] =
    [Stretch { name: "falling", from: 0.0, steps: 50 }, Stretch { name: "landed", from: 1.5, steps: 100 }];

/// Time per step over the number of spheres in a box that grows with them, and the exponent of the growth.
fn scaling(counts: &[usize]) {
    println!(
        "{:>8} {:>8} {:>9} {:>10} {:>10} {:>10} {:>8} {:>9}",
        "spheres", "while", "contacts", "ms/step", "us/sphere", "penetr./r", "sweeps", "exponent"
    );
    let mut last: [Option<(f64, f64)>; STRETCHES.len()] = [None; STRETCHES.len()];
    for &count in counts {
        let model = spheres(count, TURNING);
        let settings = TimeSteppingSettings::to(10.0, 2e-3).columns(Columns::None);
        let mut simulation =
            TimeSteppingSimulation::new(&model, &model.initial_state(), &settings).expect("the run starts");
        for (stretch, last) in STRETCHES.iter().zip(&mut last) {
            simulation.advance(stretch.from);
            let clock = ProcessTime::now();
            let (mut deepest, mut sweeps) = (0.0_f64, 0);
            for _ in 0..stretch.steps {
                simulation.step();
                deepest = deepest.max(simulation.penetration());
                sweeps += simulation.sweeps();
            }
            let each = clock.elapsed().as_secs_f64() / stretch.steps as f64;
            let exponent = last.map(|(n, t)| (each / t).ln() / (count as f64 / n).ln());
            println!(
                "{count:>8} {:>8} {:>9} {:>10.3} {:>10.2} {:>10.1e} {:>8.1} {:>9}",
                stretch.name,
                simulation.pressing(),
                1e3 * each,
                1e6 * each / count as f64,
                deepest / RADIUS,
                sweeps as f64 / stretch.steps as f64,
                exponent.map_or(String::new(), |e| format!("{e:.2}"))
            );
            *last = Some((count as f64, each));
        }
    }
}

/// Growth with the number of bodies: CPU per step, per body and per contact, largest penetration, and resident memory per body.
fn growth(bodies: Bodies, counts: &[usize]) {
    println!(
        "{:>8} {:>8} {:>9} {:>10} {:>10} {:>11} {:>10} {:>7} {:>8} {:>8}",
        "bodies", "while", "contacts", "ms/step", "us/body", "us/contact", "penetr./r", "sweeps", "start/s", "kB/body"
    );
    for &count in counts {
        let before = resident_memory();
        let clock = ProcessTime::now();
        let model = heap(bodies, count, if bodies == Bodies::Spheres { TURNING } else { 0.0 });
        let settings = TimeSteppingSettings::to(10.0, 2e-3).columns(Columns::None);
        let mut simulation =
            TimeSteppingSimulation::new(&model, &model.initial_state(), &settings).expect("the run starts");
        let start = clock.elapsed().as_secs_f64();
        for (name, from, steps) in [("falling", 0.0, 20), ("landing", 0.3, 20), ("landed", 1.0, 20)] {
            simulation.advance(from);
            let clock = ProcessTime::now();
            let (mut deepest, mut sweeps, mut contacts) = (0.0_f64, 0, 0);
            for _ in 0..steps {
                simulation.step();
                deepest = deepest.max(simulation.penetration());
                sweeps += simulation.sweeps();
                contacts += simulation.pressing();
            }
            let (each, contacts) = (clock.elapsed().as_secs_f64() / f64::from(steps), contacts / steps as usize);
            println!(
                "{count:>8} {name:>8} {contacts:>9} {:>10.3} {:>10.2} {:>11.2} {:>10.1e} {:>7.1} {start:>8.2} {:>8.1}",
                1e3 * each,
                1e6 * each / count as f64,
                1e6 * each / contacts.max(1) as f64,
                deepest / RADIUS,
                sweeps as f64 / f64::from(steps),
                (resident_memory() - before) / count as f64
            );
        }
        simulation.warnings().iter().for_each(|w| println!("  warning at t = {}: {}", w.t, w.message));
    }
}

/// Resident memory of the process, kB; zero where the system does not tell.
fn resident_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    line.and_then(|l| l.split_whitespace().next()).and_then(|kb| kb.parse().ok()).unwrap_or(0.0)
}

/// Results of a run with a thousand spheres.
struct Rested {
    cpu: f64,
    steps: u64,
    /// Largest penetration over the radius.
    deepest: f64,
    /// Mean and largest speed at the end.
    creep: f64,
    fastest: f64,
    /// Largest rise of the energy above its least value so far, J.
    gain: f64,
    /// The energy at the start, J.
    energy: f64,
    sleeping: usize,
    reported: Vec<String>,
}

fn thousand(h: f64, t_end: f64) -> Rested {
    let model = spheres(1000, TURNING);
    let settings = TimeSteppingSettings::to(t_end, h).output(taut::analyses::Output::Steps);
    let settings = settings.columns(Columns::Only(vec![taut::ColumnFamily::Energy]));
    let clock = ProcessTime::now();
    let mut simulation =
        TimeSteppingSimulation::new(&model, &model.initial_state(), &settings).expect("the run starts");
    let mut deepest = 0.0_f64;
    while simulation.step() == RunStatus::Underway {
        deepest = deepest.max(simulation.penetration());
    }
    let cpu = clock.elapsed().as_secs_f64();
    let speeds: Vec<f64> =
        simulation.state().v.chunks(6).map(|v| v[..3].iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
    let (steps, sleeping) = (simulation.statistics().steps, simulation.sleeping());
    let run = simulation.into_solution();
    let (kinetic, potential) =
        (run.column("energy.kinetic").expect("it is"), run.column("energy.potential").expect("it is"));
    let energy: Vec<f64> = kinetic.iter().zip(potential).map(|(k, p)| k + p).collect();
    let (mut least, mut gain) = (f64::INFINITY, 0.0_f64);
    for e in &energy {
        gain = gain.max(e - least);
        least = least.min(*e);
    }
    Rested {
        cpu,
        steps,
        deepest: deepest / RADIUS,
        creep: speeds.iter().sum::<f64>() / speeds.len() as f64,
        fastest: speeds.iter().fold(0.0, |m, v| v.max(m)),
        gain,
        energy: energy[0],
        sleeping,
        reported: run.warnings.iter().map(|w| format!("warning at t = {}: {}", w.t, w.message)).collect(),
    }
}

/// A thousand spheres come to rest.
fn rest(h: f64, t_end: f64) {
    let run = thousand(h, t_end);
    println!(
        "1000 spheres, h = {h}, {t_end} s: {:.1} s of CPU, {:.2} ms/step, deepest {:.1e} r, speed at the end mean {:.1e} m/s, \
         largest {:.1e} m/s, {} at rest, energy gained {:.1e} J, {:.1e} of that at the start, {:.1e} of its round-off over all steps",
        run.cpu,
        1e3 * run.cpu / run.steps as f64,
        run.deepest,
        run.creep,
        run.fastest,
        run.sleeping,
        run.gain,
        run.gain / run.energy,
        run.gain / (f64::EPSILON * run.energy * (run.steps as f64).sqrt())
    );
    run.reported.iter().for_each(|w| println!("  {w}"));
}

/// States of a run at equal intervals, and the CPU time of its steps, for `bench/contact_peers.py`: the centres, and the squares of speed
/// and of angular velocity, of every sphere.
fn peer(numbers: &[f64]) {
    let [h, t_end, interval, sweeps, penetration] = *numbers else {
        return eprintln!("usage: peer STEP END INTERVAL SWEEPS PENETRATION, the last two zero for their defaults");
    };
    let model = spheres(1000, TURNING);
    let mut settings = TimeSteppingSettings::to(t_end, h).columns(Columns::None);
    settings.max_sweeps = if sweeps > 0.0 { sweeps as usize } else { settings.max_sweeps };
    settings.penetration = (penetration > 0.0).then_some(penetration);
    let mut simulation =
        TimeSteppingSimulation::new(&model, &model.initial_state(), &settings).expect("the run starts");
    let (mut cpu, samples) = (0.0, (t_end / interval).round() as usize);
    for k in 0..=samples {
        let clock = ProcessTime::now();
        simulation.advance(k as f64 * interval);
        cpu += clock.elapsed().as_secs_f64();
        let state = simulation.state();
        print!("SAMPLE {}", state.t);
        for (q, v) in state.q.chunks(7).zip(state.v.chunks(6)) {
            let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
            print!(" {} {} {} {} {}", q[0], q[1], q[2], square(&v[..3]), square(&v[3..]));
        }
        println!();
    }
    println!("CPU {cpu} {}", simulation.statistics().steps);
}

/// A wall of twenty blocks, four to a row, stands for a minute.
fn wall(t_end: f64) {
    let size = [0.2, 0.1, 0.1];
    let mass = 1000.0 * size[0] * size[1] * size[2];
    let [x, y, z] = size.map(|s| s * s * mass / 12.0);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]);
    for i in 0..20 {
        let (row, k) = (i / 4, i % 4);
        let at = [0.2 * k as f64 + 0.1 * (row % 2) as f64, 0.0, 0.05 + 0.1 * row as f64];
        spec.body(&format!("b{i}"), RigidBody::new(mass, [y + z, x + z, x + y]).at(at));
    }
    spec.surface("ground", Surface::new("ground", Shape::HalfSpace {}));
    for i in 0..20 {
        let name = format!("b{i}");
        spec.surface(&name, Surface::new(&name, Shape::Box { size }));
    }
    spec.contact("all", ContactRule::all(RigidContact::SMOOTH.friction(0.5)));
    let model = spec.build().expect("the wall makes a model");
    for h in [5e-3, 1e-3] {
        let start = model.initial_state();
        let settings = TimeSteppingSettings::to(t_end, h).columns(Columns::None);
        let mut simulation = TimeSteppingSimulation::new(&model, &start, &settings).expect("the run starts");
        let clock = Instant::now();
        simulation.run();
        let each = clock.elapsed().as_secs_f64() / simulation.statistics().steps as f64;
        let state = simulation.state();
        let drift = state.q.iter().zip(&start.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let fastest = state.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        println!(
            "wall of 20 blocks, h = {h}: t = {} s, drift {drift:.2e} m, fastest {fastest:.1e}, {:.3} ms/step, {} contacts, {} \
             sweeps at the end",
            simulation.t(),
            1e3 * each,
            simulation.pressing(),
            simulation.sweeps()
        );
        simulation.warnings().iter().for_each(|w| println!("  warning at t = {}: {}", w.t, w.message));
    }
}
