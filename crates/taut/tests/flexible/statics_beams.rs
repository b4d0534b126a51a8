//! Beams at rest under large loads: closed forms and solutions of the Simo–Reissner rod to ten digits, with no more elements
//! than published codes use (16), of second order in the size of the elements; limit points and branches; ten thousand elements.

#![allow(non_snake_case)]

use crate::common;

use common::{below, close};
use std::f64::consts::{FRAC_PI_4, PI};
use taut::analyses::{
    ArcLength, BranchSwitching, CriticalPointKind, Equilibrium, EquilibriumMethod, Fallback, Loading, Stability,
    Statics, UniformRotation, load_path, statics,
};
use taut::beams::{Beam, Curve, Section};
use taut::forces::Applied;
use taut::motion::Vec3;
use taut::{Joint, Model, Prescription, Signal, Spec};

fn clamped(beam: Beam, load: Applied) -> Model {
    let mut spec = Spec::new();
    spec.beam("beam", beam).constraint("root", Joint::fixed("ground", "beam_0")).force("load", load);
    spec.build().unwrap()
}

fn constant(f: [f64; 3]) -> [Signal; 3] {
    f.map(Signal::constant)
}

fn solved(model: &Model, loading: Loading) -> Equilibrium {
    let settings = Statics { loading, fallback: Fallback::None, ..Statics::default() };
    statics(model, &model.initial_state(), &settings).unwrap()
}

/// Position of the last node; a planar one has no z.
fn tip(model: &Model, found: &Equilibrium) -> Vec3 {
    let q = &found.state.q[model.bodies.last().unwrap().q.clone()];
    if q.len() == 3 { Vec3::new(q[0], q[1], 0.0) } else { Vec3::new(q[0], q[1], q[2]) }
}

/// Second order, and the limit of meshes of n and 2 n elements.
fn converges(name: &str, n: usize, at: impl Fn(usize) -> Vec3, exact: &Vec3, limit: f64) {
    let [a, b] = [n, 2 * n].map(at);
    let order = ((a - exact).norm() / (b - exact).norm()).log2();
    close(&format!("{name}: order"), &[order], &[2.0], 0.15);
    below(&format!("{name}: extrapolated"), (b + (b - a) / 3.0 - exact).norm(), limit);
}

fn slender() -> Section {
    Section::diagonal([1e7, 1e7, 1e7, 1.0, 1.0, 1.0], 1.0, [1.0; 3])
}

/// Nodes of two-node elements lie on a polygon of chords h where those of the arc are (2/κ) sin(κh/2): the tip of half a circle of 16 of them
/// errs by 1.02e-3, just more than the tolerance of the benchmark, 1e-3; three-node elements err less.
#[test]
fn rolled_up_by_a_moment() {
    for turns in [0.25, 0.5, 1.0, 2.0] {
        let moment = 2.0 * PI * turns;
        let exact = Vec3::new(moment.sin() / moment, (1.0 - moment.cos()) / moment, 0.0);
        let at = |beam: Beam, last: usize| {
            let model = clamped(beam, Applied::torque(&format!("beam_{last}"), constant([0.0, 0.0, moment])));
            tip(&model, &solved(&model, Loading::Steps((8.0 * turns).ceil() as usize)))
        };
        let line = |n: usize| Beam::straight([0.0; 3], [1.0, 0.0, 0.0], slender(), n);
        below("16 elements of three nodes", (at(line(16).three_node(), 32) - exact).norm(), 1e-3);
        if turns < 1.0 {
            below("16 elements of two nodes", (at(line(16), 16) - exact).norm(), 1.03e-3);
            converges("rolled up", 8, |n| at(line(n), n), &exact, 2e-5);
        } else {
            // Closed circles, whatever their radius.
            below("16 elements of two nodes", (at(line(16), 16) - exact).norm(), 1e-9);
        }
    }
}

#[test]
fn elastica_of_a_tip_force() {
    let known = [
        (1.0, [0.30172077379981355, 0.9435667637166231]),
        (2.0, [0.49345748039671183, 0.8393582791748327]),
        (4.0, [0.6699641812776668, 0.671058757753154]),
        (8.0, [0.7849823749533146, 0.49517226786646834]),
        (10.0, [0.8106090248802964, 0.4450044022462487]),
        (16.0, [0.8527469783480887, 0.35322741488310044]),
    ];
    for (load, [y, x]) in known {
        let exact = Vec3::new(x, y, 0.0);
        let at = |n: usize| {
            let beam = Beam::straight([0.0; 3], [1.0, 0.0, 0.0], slender(), n).planar();
            let model = clamped(beam, Applied::force(&format!("beam_{n}"), constant([0.0, load, 0.0])));
            tip(&model, &solved(&model, Loading::Steps(4)))
        };
        converges("elastica", 8, at, &exact, 5e-4);
    }
}

#[test]
fn bend_of_45_degrees_at_once() {
    let section = Section::diagonal([1e7, 5e6, 5e6, 5e6 / 6.0, 1e7 / 12.0, 1e7 / 12.0], 1.0, [1.0; 3]);
    let known = [
        (300.0, [58.779122489682486, 22.24478094536755, 40.19189167015096]),
        (450.0, [52.23855801115434, 18.508178925369158, 48.50292734414154]),
        (600.0, [47.150438573628364, 15.68480053403833, 53.47485879182566]),
    ];
    for (force, exact) in known {
        let exact = Vec3::from(exact);
        let at = |n: usize| {
            let curve = Curve::Arc {
                from: [0.0; 3],
                centre: [0.0, 100.0, 0.0],
                axis: [0.0, 0.0, 1.0],
                angle: FRAC_PI_4,
                rise: 0.0,
            };
            let model = clamped(
                Beam::new(curve, section.clone(), n),
                Applied::force(&format!("beam_{n}"), constant([0.0, 0.0, force])),
            );
            tip(&model, &solved(&model, Loading::AtOnce))
        };
        below("16 elements", (at(16) - exact).norm(), 0.05);
        converges("45 degrees", 8, at, &exact, 5e-3);
    }
}

#[test]
fn princeton_beam_at_once() {
    let (h, w, l, E, nu): (f64, f64, f64, f64, f64) = (0.0123777, 0.0032024, 0.508, 71.7e9, 0.31);
    let (A, I_y, I_z, G) = (h * w, h * w.powi(3) / 12.0, w * h.powi(3) / 12.0, 0.5 * E / (1.0 + nu));
    let K = [E * A, G * A, G * A, 0.198 * G * (I_y + I_z), E * I_y, E * I_z];
    let known = [
        (0.0, [-0.00013551679255818794, -0.010712764794308305, 0.0]),
        (15.0, [-0.0022484638421916836, -0.010643581435627538, 0.042192448630418995]),
        (30.0, [-0.007680972105207018, -0.010207613789052631, 0.07954737712029743]),
        (45.0, [-0.014411824833465814, -0.008979196722703782, 0.10911311525517069]),
        (60.0, [-0.0204867177589223, -0.006742044150677367, 0.12995785888754982]),
        (75.0, [-0.02458606553532977, -0.0036219787058088823, 0.1422181698950706]),
        (90.0, [-0.026021482773109894, 0.0, 0.14625235720096724]),
    ];
    for (angle, u) in known {
        let (sin, cos) = f64::to_radians(angle).sin_cos();
        let exact = Vec3::from(u);
        let at = |n: usize| {
            let model = clamped(
                Beam::straight([0.0; 3], [l, 0.0, 0.0], Section::diagonal(K, 1.0, [1.0; 3]), n),
                Applied::force(&format!("beam_{n}"), constant([0.0, -8.896 * cos, 8.896 * sin])),
            );
            tip(&model, &solved(&model, Loading::AtOnce)) - Vec3::x() * l
        };
        // 0.2 % of the displacement itself, the tolerance of the benchmark.
        below("16 elements", (at(16) - exact).norm(), 2e-3 * exact.norm());
        converges("Princeton", 8, at, &exact, 1e-4 * exact.norm());
    }
}

/// Euler's column, clamped below and free above, past its critical load P = π² EI/4ℓ²: with k = sin(α/2), α the angle
/// of the tip, P/P_cr = (2K(k)/π)², x/ℓ = 2E(k)/K(k) − 1, y/ℓ = 2k/K(k); values by SciPy's ellipk and ellipe.
#[test]
fn column_beyond_its_critical_load() {
    let critical = PI * PI / 4.0;
    let known = [
        (1.05, [0.9053356266608621, 0.3799796056470669]),
        (1.1, [0.820295939948785, 0.5085341582903667]),
        (1.5, [0.36358822492179077, 0.7885758056925356]),
        (2.0, [0.07086181640171008, 0.796961415519955]),
    ];
    for (ratio, [x, y]) in known {
        let at = |n: usize, side: f64| {
            let beam = Beam::straight([0.0; 3], [1.0, 0.0, 0.0], slender(), n).planar();
            let load = constant([-ratio * critical, 0.0, 0.0]);
            let model = clamped(beam, Applied::force(&format!("beam_{n}"), load));
            let arc =
                ArcLength { branching: BranchSwitching::Switch(0.05 * side), first_step: 0.4, ..ArcLength::default() };
            let settings = Statics { loading: Loading::ArcLength(arc), ..Statics::default() };
            let path = load_path(&model, &model.initial_state(), &settings).unwrap();
            assert!(path.branched.is_some(), "no branch was taken");
            assert!(path.critical.iter().all(|c| c.kind == CriticalPointKind::Branch), "{:?}", path.critical);
            assert!((ratio * path.critical[0].load_factor - 1.0).abs() < 0.02, "{:?}", path.critical);
            let found = path.into_equilibrium(&model, &model.initial_state()).unwrap();
            let stable = found.stability(&model, &settings).unwrap();
            assert!(matches!(stable, Stability::Stable(_)), "{stable:?}");
            tip(&model, &found)
        };
        let exact = Vec3::new(x, y, 0.0);
        let up = |n: usize| {
            let p = at(n, 1.0);
            Vec3::new(p.x, p.y.abs(), 0.0)
        };
        // Near the critical load the deflection goes like the root of what is beyond it: fine meshes alone are in proportion.
        converges("column", if ratio < 1.2 { 32 } else { 8 }, up, &exact, 5e-3);
        // The other side is its mirror image.
        let (one, other) = (at(8, 1.0), at(8, -1.0));
        close("mirror", &[one.x, one.y], &[other.x, -other.y], 1e-8);
    }
    // The straight column stands there too, and is not stable.
    let beam = Beam::straight([0.0; 3], [1.0, 0.0, 0.0], slender(), 8).planar();
    let model = clamped(beam, Applied::force("beam_8", constant([-1.5 * critical, 0.0, 0.0])));
    let settings = Statics::default();
    let straight = statics(&model, &model.initial_state(), &settings).unwrap();
    assert!(matches!(straight.stability(&model, &settings).unwrap(), Stability::Unstable(_)));
}

/// A follower load turns with the tip: its stiffness is not symmetric, and the tip goes past the vertical. A dead load never does.
#[test]
fn followers_and_dead_loads() {
    let model = |load: Applied| clamped(Beam::straight([0.0; 3], [1.0, 0.0, 0.0], slender(), 16).planar(), load);
    let force = Applied::force("beam_16", constant([0.0, 8.0, 0.0]));
    let dead = model(force.clone());
    let follower = model(force.follower());
    let ends = [&dead, &follower].map(|m| solved(m, Loading::Steps(6)));
    let angle = |m: &Model, e: &Equilibrium| e.state.q[m.bodies.last().unwrap().q.end - 1];
    assert!(angle(&dead, &ends[0]) < 0.5 * PI && angle(&follower, &ends[1]) > 0.5 * PI);
    // At the tip the moment is zero; at the root the reaction holds the load where it points now.
    let (sin, cos) = angle(&follower, &ends[1]).sin_cos();
    close("reaction", &ends[1].lambda[..2], &[8.0 * sin, -8.0 * cos], 1e-6);
    close("dead reaction", &ends[0].lambda[..2], &[0.0, -8.0], 1e-6);
    let asymmetry = |m: &Model, e: &Equilibrium| {
        let mut tangent = taut::tangent::TangentMatrices::new(m);
        tangent.evaluate(m, (&e.state).into(), &e.vdot, &e.lambda, taut::tangent::DifferenceAccuracy::SixthOrder);
        let K = tangent.dense_stiffness(m);
        let n = K.nrows();
        // Of the load alone: the last node, beyond what the elements themselves leave (their moments are not symmetric).
        (K[(n - 3, n - 1)] - K[(n - 1, n - 3)], K[(n - 2, n - 1)] - K[(n - 1, n - 2)])
    };
    let [a, b] = [(&dead, &ends[0]), (&follower, &ends[1])].map(|(m, e)| asymmetry(m, e));
    below("dead", a.0.abs().max(a.1.abs()), 8.0 * 1.01);
    // −∂f/∂θ of a force that follows is its normal.
    assert!((b.0 - a.0).hypot(b.1 - a.1) > 1.0, "{a:?} {b:?}");
}

/// A rod that is whirled about its root stretches: EA u'' = −μ Ω² (x + u), u(0) = 0, u'(ℓ) = 0, so that the tip stands at tan(κℓ)/κ,
/// κ² = μ Ω²/EA.
#[test]
fn whirled_rod_stretches() {
    let at = |n: usize| {
        let section = Section::diagonal([100.0, 100.0, 100.0, 1.0, 1.0, 1.0], 1.0, [0.01; 3]);
        // The angle about the axis is driven: free, it would be a motion that nothing holds.
        let root =
            Joint::revolute("ground", "beam_0").prescribe_rotation(Prescription::Velocity(Signal::constant(5.0)));
        let mut spec = Spec::new();
        spec.beam("beam", Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section, n)).constraint("root", root);
        let model = spec.build().unwrap();
        let settings = Statics { rotation: Some(UniformRotation::about([0.0, 0.0, 1.0], 5.0)), ..Statics::default() };
        let found = statics(&model, &model.initial_state(), &settings).unwrap();
        close("velocity", &found.state.v[model.bodies[n].v.clone()][1..2], &[5.0 * tip(&model, &found).x], 1e-12);
        tip(&model, &found)
    };
    let kappa = 0.5_f64;
    converges("whirled", 8, at, &Vec3::new(kappa.tan() / kappa, 0.0, 0.0), 1e-5);
}

#[test]
fn ten_thousand_elements() {
    let n = 10_000;
    let section = Section::diagonal([1e5, 1e5, 1e5, 1.0, 1.0, 1.0], 1.0, [1.0; 3]);
    let load = Applied::force(&format!("beam_{n}"), constant([0.0, 1.0, 0.0]));
    let model = clamped(Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section, n), load);
    let clock = std::time::Instant::now();
    let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
    assert_eq!(found.method, EquilibriumMethod::Direct);
    let p = tip(&model, &found);
    // Extension and shear of 1e-5 each beside the inextensible one.
    close("tip", &[p.y, p.x], &[0.30172077379981355, 0.9435667637166231], 3e-5);
    below("seconds", clock.elapsed().as_secs_f64(), 120.0);
}
