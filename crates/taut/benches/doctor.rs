//! Time of `doctor` to count freedoms and to find redundant rows.
//!
//! Run with `cargo bench -p taut --bench doctor`. Loops in space (every hinge redundant), nets of rods (the worst for
//! elimination) and chains.

use std::time::Instant;
use taut::analyses::doctor;
use taut::{Frame, Joint, Model, PointMass, Relation, RigidBody, Spec};

fn reported(what: &str, n: usize, model: &Model) {
    let clock = Instant::now();
    let found = doctor(model, &model.initial_state()).expect("a model that can be examined");
    println!("{what:>9} {n:>5}: {:>6} rows, {:>10.1?}, {:?}", found.rows, clock.elapsed(), found.here);
}

/// Parallelograms in a row, of hinges in space: one freedom, three redundant rows a loop.
fn loops(n: usize) -> Model {
    let mut spec = Spec::new();
    for k in 0..=n {
        let x = k as f64;
        spec.body(&format!("crank{k}"), RigidBody::new(1.0, [0.1; 3]).at([x, 0.5, 0.0]))
            .marker(&format!("crank{k}.a"), Frame::world([x, 0.0, 0.0]))
            .marker(&format!("crank{k}.b"), Frame::world([x, 1.0, 0.0]))
            .marker(&format!("ground.p{k}"), Frame::at([x, 0.0, 0.0]))
            .constraint(&format!("foot{k}"), Joint::revolute(&format!("ground.p{k}"), &format!("crank{k}.a")));
    }
    for k in 0..n {
        let x = k as f64;
        spec.body(&format!("bar{k}"), RigidBody::new(1.0, [0.1; 3]).at([x + 0.5, 1.0, 0.0]))
            .marker(&format!("bar{k}.a"), Frame::world([x, 1.0, 0.0]))
            .marker(&format!("bar{k}.b"), Frame::world([x + 1.0, 1.0, 0.0]))
            .constraint(&format!("left{k}"), Joint::revolute(&format!("crank{k}.b"), &format!("bar{k}.a")))
            .constraint(&format!("right{k}"), Joint::revolute(&format!("crank{}.b", k + 1), &format!("bar{k}.b")));
    }
    spec.build().expect("a row of parallelograms")
}

/// Particles on a grid with rods between neighbours.
fn net(n: usize) -> Model {
    let mut spec = Spec::new();
    let name = |i: usize, j: usize| format!("p{i}_{j}");
    let z = |i: usize, j: usize| 0.1 * ((i * 7 + j * 3) % 5) as f64;
    let all = || (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    for (i, j) in all() {
        spec.body(&name(i, j), PointMass::new(1.0, [i as f64, j as f64, z(i, j)]));
    }
    for (i, j) in all() {
        for (k, l) in [(i + 1, j), (i, j + 1)].into_iter().filter(|(k, l)| *k < n && *l < n) {
            let length = (1.0 + (z(i, j) - z(k, l)).powi(2)).sqrt();
            spec.constraint(&format!("r{i}_{j}_{k}_{l}"), Relation::rod(&name(i, j), &name(k, l), length));
        }
    }
    spec.build().expect("a net")
}

fn chain(n: usize) -> Model {
    let mut spec = Spec::new();
    for k in 0..n {
        let x = k as f64;
        spec.body(&format!("link{k}"), RigidBody::new(1.0, [0.1; 3]).at([x + 0.5, 0.0, 0.0]))
            .marker(&format!("link{k}.a"), Frame::world([x, 0.0, 0.0]))
            .marker(&format!("link{k}.b"), Frame::world([x + 1.0, 0.0, 0.0]));
        let before = if k == 0 { "ground".to_string() } else { format!("link{}.b", k - 1) };
        spec.constraint(&format!("ball{k}"), Joint::spherical(&before, &format!("link{k}.a")));
    }
    spec.build().expect("a chain")
}

fn main() {
    for n in [10, 20, 40, 80, 1000, 5000] {
        reported("loops", n, &loops(n));
    }
    for n in [10, 20, 30, 40, 60] {
        reported("net", n, &net(n));
    }
    for n in [300, 1000] {
        reported("chain", n, &chain(n));
    }
}
