//! Mechanisms of any size, for benchmarks.

use std::f64::consts::FRAC_PI_2;
use taut::{Frame, Joint, Model, PlanarBody, RigidBody, Spec};

/// Slender rod of 1 m and 1 kg along its own x axis.
fn rod(at: [f64; 3]) -> RigidBody {
    RigidBody::new(1.0, [2.0e-4, 1.0 / 12.0, 1.0 / 12.0]).at(at)
}

/// Adds rod `k` with its two ends.
fn add(spec: &mut Spec, k: usize, at: [f64; 3]) {
    spec.body(&format!("b{k}"), rod(at));
    spec.marker(&format!("b{k}.a"), Frame::at([-0.5, 0.0, 0.0]));
    spec.marker(&format!("b{k}.b"), Frame::at([0.5, 0.0, 0.0]));
}

fn hung() -> Spec {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0]);
    spec
}

/// n rods end to end, hinged about z, the first to the ground.
pub fn chain(n: usize) -> Model {
    let mut spec = hung();
    for k in 0..n {
        add(&mut spec, k, [k as f64 + 0.5, 0.0, 0.0]);
        let before = if k == 0 { "ground".to_string() } else { format!("b{}.b", k - 1) };
        spec.constraint(&format!("h{k}"), Joint::revolute(&before, &format!("b{k}.a")));
    }
    spec.build().expect("a chain")
}

/// A hub on a hinge with n − 1 rods hinged to its end.
pub fn star(n: usize) -> Model {
    let mut spec = hung();
    add(&mut spec, 0, [0.5, 0.0, 0.0]);
    spec.constraint("h0", Joint::revolute("ground", "b0.a"));
    for k in 1..n {
        add(&mut spec, k, [1.5, 0.0, 0.0]);
        spec.constraint(&format!("h{k}"), Joint::revolute("b0.b", &format!("b{k}.a")));
    }
    spec.build().expect("a star")
}

/// Rods as a binary tree; two are hinged to the end of each.
pub fn tree(n: usize) -> Model {
    let mut spec = hung();
    for k in 0..n {
        let depth = (k + 1).ilog2();
        add(&mut spec, k, [f64::from(depth) + 0.5, 0.0, 0.0]);
        let before = if k == 0 { "ground".to_string() } else { format!("b{}.b", (k - 1) / 2) };
        spec.constraint(&format!("h{k}"), Joint::revolute(&before, &format!("b{k}.a")));
    }
    spec.build().expect("a tree")
}

/// The N-four-bar of the IFToMM library (A02): N + 1 rockers upright, N couplers, the tips at 1 m/s.
pub fn four_bars(n: usize) -> Model {
    let mut spec = hung();
    for i in 0..=n {
        let x = i as f64;
        let rocker = PlanarBody::rod(1.0, 1.0).at([x, 0.5], FRAC_PI_2).moving([0.5, 0.0], -1.0);
        spec.body(&format!("r{i}"), rocker);
        spec.marker(&format!("ground.p{i}"), Frame::at([x, 0.0, 0.0]));
        spec.marker(&format!("r{i}.foot"), Frame::at([-0.5, 0.0, 0.0]));
        spec.marker(&format!("r{i}.tip"), Frame::at([0.5, 0.0, 0.0]));
        spec.constraint(&format!("pin{i}"), Joint::pin(&format!("ground.p{i}"), &format!("r{i}.foot")));
    }
    for i in 0..n {
        let coupler = PlanarBody::rod(1.0, 1.0).at([i as f64 + 0.5, 1.0], 0.0).moving([1.0, 0.0], 0.0);
        spec.body(&format!("c{i}"), coupler);
        spec.marker(&format!("c{i}.a"), Frame::at([-0.5, 0.0, 0.0]));
        spec.marker(&format!("c{i}.b"), Frame::at([0.5, 0.0, 0.0]));
        spec.constraint(&format!("left{i}"), Joint::pin(&format!("r{i}.tip"), &format!("c{i}.a")));
        spec.constraint(&format!("right{i}"), Joint::pin(&format!("r{}.tip", i + 1), &format!("c{i}.b")));
    }
    spec.build().expect("four-bars")
}

/// Bricard's mechanism of the IFToMM library (A04): five rods along the edges of a cube, one redundant row.
pub fn bricard() -> Model {
    let points: [[f64; 3]; 6] =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, -1.0, 1.0], [0.0, -1.0, 1.0], [0.0, 0.0, 1.0]];
    let axes = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
    let mut spec = hung();
    for k in 0..5 {
        let (p, r) = (points[k], points[k + 1]);
        let along = |i: usize| (r[i] - p[i]).abs() > 0.5;
        let inertia = std::array::from_fn(|i| if along(i) { 0.02 / 12.0 } else { 1.01 / 12.0 });
        spec.body(&format!("b{k}"), RigidBody::new(1.0, inertia).at(std::array::from_fn(|i| 0.5 * (p[i] + r[i]))));
        spec.marker(&format!("b{k}.a"), Frame::world(p).axis(axes[k]));
        spec.marker(&format!("b{k}.b"), Frame::world(r).axis(axes[k + 1]));
    }
    spec.marker("ground.a", Frame::world(points[0]).axis(axes[0]));
    spec.marker("ground.b", Frame::world(points[5]).axis(axes[5]));
    spec.constraint("h0", Joint::revolute("ground.a", "b0.a"));
    for k in 1..5 {
        spec.constraint(&format!("h{k}"), Joint::revolute(&format!("b{}.b", k - 1), &format!("b{k}.a")));
    }
    spec.constraint("h5", Joint::revolute("b4.b", "ground.b"));
    spec.build().expect("Bricard's mechanism")
}
