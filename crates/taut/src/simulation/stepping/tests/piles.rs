//! Many bodies: piles and walls.

use super::*;
use crate::analyses::Run;
use crate::motion::Orientation;
use crate::stepping::{TimeSteppingSettings, TimeSteppingSimulation};

/// Spheres of radius 0.05 above a box without a lid, in layers a little out of line.
pub(super) fn spheres(count: usize) -> Model {
    let (r, side) = (0.05, (count as f64).cbrt().ceil() as usize);
    let width = side as f64 * 2.4 * r;
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    let wall = |x: f64, y: f64| {
        let at = [-0.5 * width * x, -0.5 * width * y, 0.0];
        crate::Frame::at(at).with_orientation(Orientation::z([x, y, 0.0]))
    };
    spec.marker("ground.west", wall(1.0, 0.0))
        .marker("ground.east", wall(-1.0, 0.0))
        .marker("ground.south", wall(0.0, 1.0))
        .marker("ground.north", wall(0.0, -1.0));
    for i in 0..count {
        let (x, y, z) = (i % side, i / side % side, i / (side * side));
        // A jitter that is the same everywhere.
        let jitter = |k: usize| 0.15 * r * ((i * 3 + k) as f64 * 2.399_963).sin();
        let place = |k: usize, n: usize| (n as f64 + 0.5) * 2.4 * r - 0.5 * width + jitter(k);
        let at = [place(0, x), place(1, y), r * (1.5 + 2.4 * z as f64) + jitter(2)];
        spec.body(format!("s{i}").as_str(), sphere(r).at(at));
    }
    for name in ["ground", "ground.west", "ground.east", "ground.south", "ground.north"] {
        spec.surface(&name.replace('.', "_"), Surface::new(name, Shape::HalfSpace {}));
    }
    for i in 0..count {
        let name = format!("s{i}");
        spec.surface(&name, Surface::new(&name, Shape::Sphere { radius: r }));
    }
    spec.contact("all", ContactRule::all(plastic(0.3).restitution(0.1)));
    spec.build().unwrap()
}

#[test]
fn a_pile_of_spheres_settles_without_penetration_or_gain() {
    let model = spheres(27);
    let settings = TimeSteppingSettings::to(2.5, 2e-3).every(0.5);
    let mut simulation = TimeSteppingSimulation::new(&model, &model.initial_state(), &settings).unwrap();
    let mut deepest = 0.0_f64;
    while simulation.step() == crate::analyses::RunStatus::Underway {
        deepest = deepest.max(simulation.penetration());
    }
    assert!(deepest < 1e-4 * 0.05, "{deepest}");
    let gained = simulation.gained();
    let run = simulation.into_solution();
    let (kinetic, potential) = (run.column("energy.kinetic").unwrap(), run.column("energy.potential").unwrap());
    let energy: Vec<f64> = kinetic.iter().zip(potential).map(|(k, p)| k + p).collect();
    // One body that leaves slower than its weight lets it come back gains m (g h)²/8 at most; few do in one step.
    let mass = 4.0 / 3.0 * std::f64::consts::PI * 1000.0 * 0.05_f64.powi(3);
    assert!(gained < 27.0 * mass * (G * 2e-3).powi(2) / 8.0, "{gained}");
    assert!(energy.windows(2).all(|w| w[1] < w[0] + 1e-9), "{energy:?}");
    assert!(kinetic[kinetic.len() - 1] < 1e-5 * energy[0], "{kinetic:?}");
    let lost = run.last("contact.lost").unwrap() - run.last("contact.lifted").unwrap();
    assert!((energy[0] - energy[energy.len() - 1] - lost).abs() < 1e-9 * energy[0]);
    assert!(run.column("energy.balance").unwrap().iter().all(|b| b.abs() < 1e-9 * energy[0]));
    assert!(run.last("energy.friction").unwrap() > 0.0 && run.last("energy.impacts").unwrap() > 0.0);
}

#[test]
fn a_wall_of_blocks_stands() {
    let size = [0.2, 0.1, 0.1];
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    let mut names = Vec::new();
    for row in 0..4 {
        for i in 0..3 {
            let x = 0.2 * i as f64 + if row % 2 == 0 { 0.0 } else { 0.1 };
            let name = format!("b{row}{i}");
            spec.body(name.as_str(), block(size).at([x, 0.0, 0.05 + 0.1 * row as f64]));
            names.push(name);
        }
    }
    let mut shapes = vec![("ground", Shape::HalfSpace {})];
    shapes.extend(names.iter().map(|n| (n.as_str(), Shape::Box { size })));
    on(&mut spec, &shapes, plastic(0.5));
    let model = spec.build().unwrap();
    let start = model.initial_state();
    let mut simulation = TimeSteppingSimulation::new(&model, &start, &TimeSteppingSettings::to(3.0, 5e-3)).unwrap();
    simulation.run();
    let drift = simulation.state().q.iter().zip(&start.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(drift < 1e-6, "{drift}");
}
