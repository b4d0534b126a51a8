//! The constraint doctor against mechanisms whose freedoms and redundancies are known in closed form.

mod free_motions;
mod poses;
mod redundancy;

use taut::analyses::{DoctorReport, MobilityCount, doctor};
use taut::{Frame, Joint, Model, PlanarBody, RigidBody, Spec};

fn examine(model: &Model) -> DoctorReport {
    let found = doctor(model, &model.initial_state()).unwrap();
    if std::env::var("DOCTOR_TELL").is_ok() {
        println!("{found}\n");
    }
    found
}

fn counts(found: &DoctorReport) -> (MobilityCount, MobilityCount) {
    (found.here.unwrap(), found.nearby.unwrap())
}

fn count(rank: usize, freedoms: usize, redundant: usize) -> MobilityCount {
    MobilityCount { rank, freedoms, redundant }
}

fn words(found: &DoctorReport) -> Vec<&str> {
    found.motions.iter().map(|m| m.words.as_str()).collect()
}

fn between(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| 0.5 * (a[i] + b[i]))
}

/// A closed chain of rods from hinge to hinge, the ground closing it; axes of the hinges as given.
fn chain(spec: &mut Spec, prefix: &str, hinges: &[[f64; 3]], axes: &[[f64; 3]]) {
    let n = hinges.len() - 1;
    for k in 0..n {
        spec.body(&format!("{prefix}rod{k}"), RigidBody::new(1.0, [0.1; 3]).at(between(hinges[k], hinges[k + 1])))
            .marker(&format!("{prefix}rod{k}.a"), Frame::world(hinges[k]).axis(axes[k]))
            .marker(&format!("{prefix}rod{k}.b"), Frame::world(hinges[k + 1]).axis(axes[k + 1]));
    }
    spec.marker(&format!("ground.{prefix}a"), Frame::at(hinges[0]).axis(axes[0]))
        .marker(&format!("ground.{prefix}b"), Frame::at(hinges[n]).axis(axes[n]))
        .constraint(
            &format!("{prefix}hinge0"),
            Joint::revolute(&format!("ground.{prefix}a"), &format!("{prefix}rod0.a")),
        );
    for k in 1..n {
        let (a, b) = (format!("{prefix}rod{}.b", k - 1), format!("{prefix}rod{k}.a"));
        spec.constraint(&format!("{prefix}hinge{k}"), Joint::revolute(&a, &b));
    }
    let last = format!("{prefix}rod{}.b", n - 1);
    spec.constraint(&format!("{prefix}hinge{n}"), Joint::revolute(&last, &format!("ground.{prefix}b")));
}

const Z: [f64; 3] = [0.0, 0.0, 1.0];
const FOUR: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [0.0, 0.4, 0.0], [1.0, 0.9, 0.0], [1.0, 0.0, 0.0]];

fn spatial_four_bar() -> Model {
    let mut spec = Spec::new();
    chain(&mut spec, "", &FOUR, &[Z; 4]);
    spec.build().unwrap()
}

fn slider_crank() -> Spec {
    let mut spec = Spec::new();
    spec.body("crank", PlanarBody::new(1.5, 0.02))
        .body("rod", PlanarBody::rod(0.8, 1.0).at([0.8, 0.0], 0.0))
        .body("slider", PlanarBody::new(0.6, 0.01).at([1.3, 0.0], 0.0))
        .marker("crank.pin", Frame::at([0.3, 0.0, 0.0]))
        .marker("rod.a", Frame::at([-0.5, 0.0, 0.0]))
        .marker("rod.b", Frame::at([0.5, 0.0, 0.0]))
        .constraint("main", Joint::pin("ground", "crank"))
        .constraint("elbow", Joint::pin("crank.pin", "rod.a"))
        .constraint("wrist", Joint::pin("rod.b", "slider"))
        .constraint("guide", Joint::slider("ground", "slider"));
    spec
}
