//! Pendulums on every kind of joint, as computed with ADAMS for the unit tests of Chrono.
//!
//! Data: projectchrono/chrono on GitHub, data/testing/joints/*_ADAMS_*.txt (position and velocity of the mass centre,
//! reaction in world axes as it acts on the ground; 6 or 7 digits printed) and src/tests/unit_tests/joints. The second
//! set of positions is from converged integrations of the same pendulums in minimal coordinates, with 12 digits.
//! Printed positions and velocities are requested to the last digits; printed reactions only to some 5e-4 N, which is
//! how far they are from the closed forms of the pendulums (given here, and requested to 1e-9 N).

use crate::common;

use common::{below, close, run, taut, values, worst};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4};
use taut::analyses::Transient;
use taut::forces::Spring;
use taut::motion::Vec3;
use taut::{Frame, Joint, Model, Orientation, Relation, RigidBody, Solution, Spec};

const G: f64 = 9.80665;

/// What was printed, and the positions of the converged integration, at t = 1 … 5 s.
struct Printed {
    position: [[f64; 3]; 5],
    velocity: [[f64; 3]; 5],
    reaction: [[f64; 3]; 5],
    truth: [[f64; 3]; 5],
}

/// How far the printed digits may be from ours.
struct Digits {
    position: f64,
    velocity: f64,
    reaction: f64,
}

/// A body of 1 kg at `com`, turned about x, with a frame of the joint on it and another on the ground.
fn pendulum(inertia: [f64; 3], joint: [f64; 3], com: [f64; 3], about_x: f64) -> Spec {
    let turned = || Orientation::RotationVector([about_x, 0.0, 0.0]);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("body", RigidBody::new(1.0, inertia).at(com).oriented(turned()))
        .marker("ground.joint", Frame::at(joint).with_orientation(turned()))
        .marker("body.joint", Frame::world(joint).with_orientation(turned()));
    spec
}

/// What a hinge exerts on a rod of moment of inertia 0.1 kg m² about its centre, 2 m from the hinge, let go at r0:
/// m (a − g) with a = θ̈ n×r − θ̇² r; θ̈ from the moment of momentum, θ̇² from the energy. Gravity may be a part of it.
fn hinged(r: Vec3, r0: Vec3, n: Vec3, g: Vec3) -> Vec3 {
    let inertia = 0.1 + r0.norm_squared();
    let (alpha, rate2) = (n.dot(&r.cross(&g)) / inertia, 2.0 * g.dot(&(r - r0)) / inertia);
    n.cross(&r) * alpha - r * rate2 - g
}

/// Compares the reaction at every output with [`hinged`].
fn compare_hinged(s: &Solution, element: &str, joint: [f64; 3], n: Vec3, g: Vec3) {
    let vector = |i: usize, names: [&str; 3]| Vec3::from(names.map(|c| s.column(c).unwrap()[i]));
    let com = |i: usize| vector(i, ["body.x", "body.y", "body.z"]) - Vec3::from(joint);
    let force = ["fx", "fy", "fz"].map(|f| format!("{element}.{f}"));
    let across = |x: Vec3| x - n * n.dot(&x);
    for i in 0..s.len() {
        let found = vector(i, force.each_ref().map(|f| f.as_str()));
        let expected = hinged(across(com(i)), com(0), n, across(g)) - n * n.dot(&G3) * f64::from(g == G3);
        close(&format!("{element} closed form"), found.as_slice(), expected.as_slice(), 1e-9);
    }
}

const G3: Vec3 = Vec3::new(0.0, 0.0, -G);

fn compare(what: &str, model: &Model, element: &str, printed: &Printed, digits: &Digits) -> Solution {
    let s = run(model, &Transient::to(5.0).every(0.01).tolerance(1e-12, 1e-12));
    for i in 0..5 {
        let t = (i + 1) as f64;
        let position = values(&s, ["body.x", "body.y", "body.z"], t);
        let velocity = values(&s, ["body.vx", "body.vy", "body.vz"], t);
        let on_ground = ["fx", "fy", "fz"].map(|f| -common::value(&s, &format!("{element}.{f}"), t));
        close(&format!("{what} truth at {t}"), &position, &printed.truth[i], 1e-9);
        close(&format!("{what} position at {t}"), &position, &printed.position[i], digits.position);
        close(&format!("{what} velocity at {t}"), &velocity, &printed.velocity[i], digits.velocity);
        close(&format!("{what} reaction at {t}"), &on_ground, &printed.reaction[i], digits.reaction);
    }
    below(&format!("{what} energy"), worst(&s, "energy.balance"), 1e-9);
    taut(what, &s, 1e-12, 1e-11);
    s
}

const REVOLUTE: Printed = Printed {
    position: [
        [1.0421, 3.4139, 1.5861],
        [-1.0, 2.00063, 2.99937],
        [0.8738, 3.4114, 1.5886],
        [3.0, 2.00251, 2.99749],
        [1.20996, 3.4064, 1.5936],
    ],
    velocity: [
        [-5.20028, 0.0774282, -0.0774282],
        [-4.85512e-05, -0.0774454, 0.0774454],
        [5.18646, 0.231873, -0.231873],
        [0.0003884, -0.15489, 0.15489],
        [-5.15895, 0.385088, -0.385088],
    ],
    reaction: [
        [0.427164, 9.56081, -19.3673],
        [-0.00899056, -4.78385, -5.02305],
        [-1.2781, 9.51078, -19.3171],
        [0.036029, -4.78366, -5.02297],
        [2.11895, 9.40977, -19.2164],
    ],
    truth: [
        [1.0421038069667206, 3.4139001501942965, 1.5860998498057033],
        [-0.9999998035020721, 2.000626893799904, 2.999373106200096],
        [0.8738004627717658, 3.411395351558765, 1.5886046484412348],
        [2.99999685603455, 2.0025075737194142, 2.9974924262805858],
        [1.2099605074096806, 3.406399051714745, 1.5936009482852547],
    ],
};

const UNIVERSAL: Printed = Printed {
    position: [
        [0.0, -0.892369, -1.78988],
        [0.0, -1.95106, -0.43972],
        [0.0, 1.86912, -0.711623],
        [0.0, 1.29627, -1.52305],
        [0.0, -1.99967, -0.0361929],
    ],
    velocity: [
        [0.0, -5.23737, 2.61106],
        [0.0, 0.637586, -2.82911],
        [0.0, 1.31258, 3.44746],
        [0.0, -4.11026, -3.49836],
        [0.0, -0.0148923, 0.822711],
    ],
    reaction: [
        [0.0, -11.4609, -23.227],
        [0.0, -6.15405, -1.62615],
        [0.0, 9.5404, -3.87148],
        [0.0, 14.163, -16.8799],
        [0.0, -0.511669, -0.248448],
    ],
    truth: [
        [0.0, -0.892381485528038, -1.789875773423053],
        [0.0, -1.9511171687776425, -0.4394790025713586],
        [0.0, 1.8691695643457504, -0.7114809482505609],
        [0.0, 1.2969646914103024, -1.5224593883696798],
        [0.0, -1.9996838688835135, -0.03555874754632072],
    ],
};

const SPHERICAL: Printed = Printed {
    position: [
        [0.107619, 2.0, 1.21012],
        [-0.951117, 2.0, 2.56052],
        [2.86917, 2.0, 2.28852],
        [2.29696, 2.0, 1.47754],
        [-0.999684, 2.0, 2.96444],
    ],
    velocity: [
        [-5.23742, 0.0, 2.61123],
        [0.637222, 0.0, -2.82902],
        [1.31259, 0.0, 3.44837],
        [-4.10868, 0.0, -3.50013],
        [-0.0146657, 0.0, 0.824742],
    ],
    reaction: [
        [-11.4613, 1.02227e-05, -23.2273],
        [-6.15291, -3.02595e-06, -1.6251],
        [9.54264, -6.69547e-06, -3.87149],
        [14.1689, -9.66025e-06, -16.8716],
        [-0.510211, 8.33421e-06, -0.248253],
    ],
    truth: [
        [0.10761851447196202, 2.0, 1.210124226576947],
        [-0.9511171687776425, 2.0, 2.5605209974286414],
        [2.8691695643457504, 2.0, 2.2885190517494394],
        [2.2969646914103024, 2.0, 1.4775406116303202],
        [-0.9996838688835135, 2.0, 2.964441252453679],
    ],
};

const CYLINDRICAL: Printed = Printed {
    position: [
        [1.0421, 0.962238, -0.865563],
        [-1.0, -7.80602, -6.80728],
        [0.8738, -18.6536, -20.4764],
        [3.0, -37.2241, -36.2291],
        [1.20996, -57.8852, -59.698],
    ],
    velocity: [
        [-5.20028, -4.8259, -4.98075],
        [-4.85486e-05, -9.8841, -9.7292],
        [5.18646, -14.4781, -14.9418],
        [0.000388399, -19.7682, -19.4584],
        [-5.15895, -24.1315, -24.9017],
    ],
    reaction: [
        [0.427153, 14.4646, -14.4646],
        [-0.00939531, 0.119586, -0.119586],
        [-1.27809, 14.4136, -14.4136],
        [0.0364871, 0.119646, -0.119646],
        [2.11887, 14.3128, -14.3128],
    ],
    truth: [
        [1.042103806966725, 0.9622376501942971, -0.8655626501942959],
        [-0.9999998035020721, -7.806023106200096, -6.807276893799899],
        [0.8738004627717006, -18.65356714844123, -20.476357851558756],
        [2.99999685603455, -37.22409242628058, -36.2291075737194],
        [1.209960507409666, -57.88516344828524, -59.69796155171473],
    ],
};

const PRISMATIC: Printed = Printed {
    position: [
        [3.0, -0.451662, 0.548338],
        [3.0, -7.80665, -6.80665],
        [3.0, -20.065, -19.065],
        [3.0, -37.2266, -36.2266],
        [3.0, -59.2916, -58.2916],
    ],
    velocity: [
        [0.0, -4.90332, -4.90332],
        [0.0, -9.80665, -9.80665],
        [0.0, -14.71, -14.71],
        [0.0, -19.6133, -19.6133],
        [0.0, -24.5166, -24.5166],
    ],
    reaction: [
        [0.0, 4.90332, -4.90332],
        [0.0, 4.90332, -4.90332],
        [0.0, 4.90333, -4.90333],
        [0.0, 4.90356, -4.90356],
        [0.0, 4.90332, -4.90332],
    ],
    truth: [
        [3.0, -0.4516624999999994, 0.5483375000000006],
        [3.0, -7.806649999999998, -6.806649999999998],
        [3.0, -20.064962499999993, -19.064962499999993],
        [3.0, -37.22659999999999, -36.22659999999999],
        [3.0, -59.29156249999998, -58.29156249999998],
    ],
};

const DISTANCE: Printed = Printed {
    position: [
        [0.0, 1.588488, -3.670108],
        [0.0, -3.933407, -0.6840368],
        [0.0, -3.560198, -1.820738],
        [0.0, 3.119896, -2.502796],
        [0.0, 3.955759, -0.3015866],
    ],
    velocity: [
        [0.0, -7.766789, -3.27445],
        [0.0, -0.6565307, 3.594837],
        [0.0, 2.626411, -5.365937],
        [0.0, 4.391148, 5.372849],
        [0.0, -0.174412, -2.417635],
    ],
    reaction: [
        [0.0, 11.79422, -25.75644],
        [0.0, -3.446945, -0.8204075],
        [0.0, -14.4464, -6.94018],
        [0.0, 19.35586, -15.15257],
        [0.0, 0.948915, -0.1964742],
    ],
    truth: [
        [0.0, 1.588487779410996, -3.67010774355167],
        [0.0, -3.93340728291346, -0.6840368004277494],
        [0.0, -3.560197814761999, -1.8207374780241856],
        [0.0, 3.119896063894024, -2.502795532273765],
        [0.0, 3.95575937986935, -0.3015865267074409],
    ],
};

const SPRING: Printed = Printed {
    position: [
        [0.0, -0.5973274, -2.189069],
        [0.0, -1.983834, -0.3247606],
        [0.0, 1.553452, -1.561142],
        [0.0, 1.785007, -1.105278],
        [0.0, -1.945198, -0.767401],
    ],
    velocity: [
        [0.0, -5.641611, 1.647013],
        [0.0, 0.09808171, -2.024276],
        [0.0, 3.104701, 3.663478],
        [0.0, -1.702716, -3.629559],
        [0.0, -0.652462, 2.8145],
    ],
    reaction: [
        [0.0, -6.94731, -25.4603],
        [0.0, -2.146673, -0.3514178],
        [0.0, 12.83828, -12.90184],
        [0.0, 10.42805, -6.457062],
        [0.0, -6.49326, -2.561659],
    ],
    truth: [
        [0.0, -0.5973274305583929, -2.189068610195302],
        [0.0, -1.9838342648661362, -0.3247605557847394],
        [0.0, 1.5534517599932616, -1.5611422209016703],
        [0.0, 1.785006663350755, -1.1052782528227965],
        [0.0, -1.9451978504543117, -0.7674009950434568],
    ],
};

const TORSION: Printed = Printed {
    position: [
        [1.994921, 0.0, -0.1424453],
        [1.99126, 0.0, -0.1867703],
        [1.990414, 0.0, -0.1955769],
        [1.99038, 0.0, -0.1959261],
        [1.990439, 0.0, -0.1953254],
    ],
    velocity: [
        [-0.01711886, 0.0, -0.2397465],
        [-0.01075101, 0.0, -0.1146227],
        [-0.003332367, 0.0, -0.03391402],
        [-0.0006122562, 0.0, -0.00621981],
        [-1.562778e-06, 0.0, -1.592452e-05],
    ],
    reaction: [
        [0.1710964, 0.0, -7.811281],
        [0.01787927, 0.0, -9.68698],
        [-0.01088032, 0.0, -9.923256],
        [-0.006502866, 0.0, -9.87286],
        [-0.002108525, 0.0, -9.828137],
    ],
    truth: [
        [1.9949209374699275, 0.0, -0.14244456200257646],
        [1.9912601264873324, 0.0, -0.18677020282061413],
        [1.9904144169556948, 0.0, -0.1955772194682238],
        [1.9903800579275033, 0.0, -0.19592658064823315],
        [1.9904391270560333, 0.0, -0.19532557816224586],
    ],
};

const ROD: [f64; 3] = [0.04, 0.1, 0.1];
const JOINT: [f64; 3] = [1.0, 2.0, 3.0];
const COM: [f64; 3] = [3.0, 2.0, 3.0];

#[test]
fn revolute_joint_on_an_inclined_axis() {
    let mut spec = pendulum(ROD, JOINT, COM, -FRAC_PI_4);
    spec.constraint("hinge", Joint::revolute("ground.joint", "body.joint"));
    let digits = Digits { position: 1e-5, velocity: 1e-5, reaction: 1e-3 };
    let s = compare("revolute", &spec.build().unwrap(), "hinge", &REVOLUTE, &digits);
    // The hinge takes no moment about its axis, and the pendulum stays in the inclined plane.
    below("hinge moment about its axis", worst(&s, "hinge.mz_j"), 1e-12);
    for i in 0..s.len() {
        let (y, z) = (s.column("body.y").unwrap()[i], s.column("body.z").unwrap()[i]);
        assert!((y + z - 5.0).abs() < 1e-12);
    }
    compare_hinged(&s, "hinge", JOINT, Vec3::new(0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2), G3);
    // Along the axis of the hinge lies what gravity has there: m g / sqrt 2.
    let fz = s.column("hinge.fz_j").unwrap();
    assert!(fz.iter().all(|f| (f - G * FRAC_1_SQRT_2).abs() < 1e-9));
}

#[test]
fn universal_joint() {
    let mut spec = pendulum([0.1, 0.1, 0.04], [0.0; 3], [0.0, 2.0, 0.0], FRAC_PI_2);
    spec.constraint("cross", Joint::universal("ground.joint", "body.joint"));
    // ADAMS itself is off by 7e-4 m after 5 s, as the same pendulum on a ball joint shows.
    let digits = Digits { position: 8e-4, velocity: 3e-3, reaction: 1e-2 };
    let s = compare("universal", &spec.build().unwrap(), "cross", &UNIVERSAL, &digits);
    compare_hinged(&s, "cross", [0.0; 3], Vec3::x(), G3);
}

#[test]
fn spherical_joint() {
    let mut spec = pendulum(ROD, JOINT, COM, -FRAC_PI_4);
    spec.constraint("ball", Joint::spherical("ground.joint", "body.joint"));
    let digits = Digits { position: 1e-5, velocity: 1e-5, reaction: 5e-4 };
    let s = compare("spherical", &spec.build().unwrap(), "ball", &SPHERICAL, &digits);
    compare_hinged(&s, "ball", JOINT, Vec3::y(), G3);
    below("ball moment", worst(&s, "ball.mx").max(worst(&s, "ball.my")).max(worst(&s, "ball.mz")), 0.0);
}

#[test]
fn cylindrical_joint_on_an_inclined_axis() {
    let mut spec = pendulum(ROD, JOINT, COM, -FRAC_PI_4);
    spec.constraint("sleeve", Joint::cylindrical("ground.joint", "body.joint"));
    let digits = Digits { position: 1e-4, velocity: 1e-4, reaction: 1e-3 };
    let s = compare("cylindrical", &spec.build().unwrap(), "sleeve", &CYLINDRICAL, &digits);
    let axis = Vec3::new(0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2);
    compare_hinged(&s, "sleeve", JOINT, axis, G3 - axis * axis.dot(&G3));
    // Along the axis it falls freely: −g t² / 2 sqrt 2.
    for (t, slide) in s.t().iter().zip(s.column("sleeve.slide").unwrap()) {
        assert!((slide + 0.5 * G * FRAC_1_SQRT_2 * t * t).abs() < 1e-9);
    }
    below("sleeve force along its axis", worst(&s, "sleeve.fz_j"), 1e-12);
}

#[test]
fn prismatic_joint_on_an_inclined_axis() {
    let mut spec = pendulum(ROD, JOINT, COM, -FRAC_PI_4);
    spec.constraint("slide", Joint::prismatic("ground.joint", "body.joint"));
    let digits = Digits { position: 1e-4, velocity: 1e-4, reaction: 3e-4 };
    let s = compare("prismatic", &spec.build().unwrap(), "slide", &PRISMATIC, &digits);
    // Force and torque in closed form: N = m g (0, −1, 1)/2 on the body, and 2 m away from it 2 x × N.
    for t in [0.0, 1.0, 3.33, 5.0] {
        let force = values(&s, ["slide.fx", "slide.fy", "slide.fz"], t);
        let moment = values(&s, ["slide.mx", "slide.my", "slide.mz"], t);
        close("prismatic force", &force, &[0.0, -0.5 * G, 0.5 * G], 1e-11);
        close("prismatic torque", &moment, &[0.0, -G, -G], 1e-11);
    }
}

#[test]
fn distance_between_two_points() {
    let mut spec = Spec::new();
    let turned = Orientation::RotationVector([0.0, 0.0, -FRAC_PI_2]);
    spec.gravity([0.0, 0.0, -G])
        .body("body", RigidBody::new(1.0, ROD).at([0.0, 4.0, 0.0]).oriented(turned))
        .marker("body.end", Frame::world([0.0, 2.0, 0.0]))
        .constraint("link", Relation::rod("ground", "body.end", 2.0));
    let digits = Digits { position: 1e-6, velocity: 2e-6, reaction: 5e-4 };
    let s = compare("distance", &spec.build().unwrap(), "link", &DISTANCE, &digits);
    // A link pulls along itself: the multiplier is the force that pushes its ends apart.
    for i in 0..s.len() {
        let c = |n: &str| s.column(n).unwrap()[i];
        let along =
            (c("link.fx") * c("body.end.x") + c("link.fy") * c("body.end.y") + c("link.fz") * c("body.end.z")) / 2.0;
        assert!((along - c("link.lambda_relation")).abs() < 1e-10);
        let force = [c("link.fx"), c("link.fy"), c("link.fz")];
        close("link, Newton", &force, &[c("body.ax"), c("body.ay"), c("body.az") + G], 1e-10);
    }
}

#[test]
fn spring_and_damper_between_two_points() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("body", RigidBody::new(1.0, ROD).at([0.0, 2.0, 0.0]))
        .force("spring", Spring::linear("ground", "body", 100.0, 5.0, 2.0));
    let digits = Digits { position: 1e-6, velocity: 1e-6, reaction: 1e-5 };
    compare("spring", &spec.build().unwrap(), "spring", &SPRING, &digits);
}

#[test]
fn torsional_spring_and_damper_on_a_revolute() {
    let mut spec = pendulum(ROD, [0.0; 3], [2.0, 0.0, 0.0], -FRAC_PI_2);
    spec.constraint("hinge", Joint::revolute("ground.joint", "body.joint"))
        .force("spring", Spring::torsional("ground.joint", "body.joint", 200.0, 10.0, 0.0));
    let digits = Digits { position: 1e-6, velocity: 1e-5, reaction: 5e-4 };
    let s = compare("torsion", &spec.build().unwrap(), "hinge", &TORSION, &digits);
    let (angle, rate) = (s.column("hinge.angle").unwrap(), s.column("hinge.angle.rate").unwrap());
    let (fx, fz) = (s.column("hinge.fx").unwrap(), s.column("hinge.fz").unwrap());
    for i in 0..s.len() {
        // 4.1 kg m² θ̈ = m g 2 cos θ − 200 θ − 10 θ̇ about the hinge, down is positive.
        let alpha = (2.0 * G * angle[i].cos() - 200.0 * angle[i] - 10.0 * rate[i]) / 4.1;
        let (sin, cos) = angle[i].sin_cos();
        let expected =
            [-2.0 * (alpha * sin + rate[i] * rate[i] * cos), -2.0 * (alpha * cos - rate[i] * rate[i] * sin) + G];
        close("torsion closed form", &[fx[i], fz[i]], &expected, 1e-9);
        assert!((s.column("spring.my").unwrap()[i] + 200.0 * angle[i] + 10.0 * rate[i]).abs() < 1e-9);
    }
}
