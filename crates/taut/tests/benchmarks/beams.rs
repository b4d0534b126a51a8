//! Beams against problems with known solutions: large deflections (by Newton's method on the elements' own forces and tangents), and
//! free and swinging motions with large rotations.
//!
//! References: elliptic integrals (elastica), shooting solutions of the Simo–Reissner rod to ten digits (45° bend,
//! Princeton beam), converged independent codes (flying rod to 1e-3, elbow to 4e-5).
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::common;

use common::{below, close, run, taut, value, worst};
use taut::analyses::{Integrator, Transient};
use taut::beams::{Beam, Curve, InertiaModel, Section};
use taut::constraints::ElementInput;
use taut::forces::{Applied, TangentAvailability};
use taut::motion::{Motion, Vec3, Wrench};
use taut::nalgebra::{DMatrix, DVector, Matrix6, Rotation3};
use taut::{Frame, Joint, Model, Orientation, Signal, Spec, Trigger};

/// The nodes of a clamped beam under a dead wrench on its last node, applied in steps; and the number of Newton iterations.
fn equilibrium(beam: Beam, load: [f64; 6], steps: usize) -> (Vec<Motion>, usize) {
    let mut spec = Spec::new();
    spec.beam("beam", beam);
    let model: Model = spec.build().unwrap();
    let state = model.initial_state();
    let pose = |b: &taut::BodyEntry| {
        let mut own = Motion::REST;
        b.kind.body().frame_pose(&state.q[b.q.clone()], &mut own);
        own
    };
    let mut nodes: Vec<Motion> = model.bodies.iter().map(pose).collect();
    let n = 6 * nodes.len();
    let mut count = 0;
    for step in 1..=steps {
        for turn in 0.. {
            assert!(turn < 30, "no equilibrium");
            let (mut r, mut K) = (DVector::zeros(n), DMatrix::zeros(n, n));
            for (i, f) in load.iter().enumerate() {
                r[n - 6 + i] = f * step as f64 / steps as f64;
            }
            for f in &model.forces {
                let ids: Vec<usize> = f.markers.iter().map(|m| model.markers[*m].body.unwrap()).collect();
                let m = ids.len();
                let view = ElementInput::new(0.0, &nodes, &ids, &[]);
                let (mut pose, mut twist) = (vec![Matrix6::zeros(); m * m], vec![Matrix6::zeros(); m * m]);
                let mut on = vec![Wrench::ZERO; m];
                f.kind.force().apply(&view, &mut on);
                assert_eq!(f.kind.force().tangent(&view, &mut pose, &mut twist), TangentAvailability::PosesOnly);
                for k in 0..m {
                    let w = &on[k];
                    let all = [w.f.x, w.f.y, w.f.z, w.m.x, w.m.y, w.m.z];
                    all.iter().enumerate().for_each(|(i, x)| r[6 * ids[k] + i] += x);
                    for j in 0..m {
                        let mut block = K.fixed_view_mut::<6, 6>(6 * ids[k], 6 * ids[j]);
                        block -= pose[k * m + j];
                    }
                }
            }
            let free = K.view((6, 6), (n - 6, n - 6)).into_owned();
            let delta = free.lu().solve(&r.rows(6, n - 6).into_owned()).unwrap();
            for (k, node) in nodes.iter_mut().enumerate().skip(1) {
                let d = |i: usize| delta[6 * (k - 1) + i];
                node.p += Vec3::new(d(0), d(1), d(2));
                node.R = Rotation3::new(Vec3::new(d(3), d(4), d(5))).into_inner() * node.R;
            }
            count += 1;
            if delta.amax() < 1e-9 {
                break;
            }
        }
    }
    (nodes, count)
}

fn tip(beam: Beam, load: [f64; 6], steps: usize) -> Vec3 {
    equilibrium(beam, load, steps).0.last().unwrap().p
}

/// The order p of errors e₁ on a mesh and e₂ on the mesh of half its size.
fn order(coarse: &Vec3, fine: &Vec3, exact: &Vec3) -> f64 {
    ((coarse - exact).norm() / (fine - exact).norm()).log2()
}

/// A dead force across the end, P ℓ²/EI = 1 … 16; inextensible and without shear, as nearly as numbers allow.
#[test]
fn elastica() {
    let section = Section::diagonal([1e7, 1e7, 1e7, 1.0, 1.0, 1.0], 1.0, [1.0; 3]);
    let beam = |n: usize| Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section.clone(), n);
    let known = [
        (1.0, [0.30172077379981355, 0.9435667637166231]),
        (2.0, [0.49345748039671183, 0.8393582791748327]),
        (4.0, [0.6699641812776668, 0.671058757753154]),
        (10.0, [0.8106090248802964, 0.4450044022462487]),
        (16.0, [0.8527469783480887, 0.35322741488310044]),
    ];
    for (load, [y, x]) in known {
        let exact = Vec3::new(x, y, 0.0);
        let steps = 4 + load as usize;
        let load = [0.0, load, 0.0, 0.0, 0.0, 0.0];
        let [a, b] = [16, 32].map(|n| tip(beam(n), load, steps));
        below("32 elements of two nodes", (b - exact).norm(), 2e-3);
        close("order", &[order(&a, &b, &exact)], &[2.0], 0.1);
        below("extrapolated", (b + (b - a) / 3.0 - exact).norm(), 2e-5);
        let fine = tip(beam(16).three_node(), load, steps);
        below("16 elements of three nodes", (fine - exact).norm(), 1e-3);
    }
}

/// The 45° bend of Bathe and Bolourchi (1979), bent out of its plane; J = 1/6 without warping, no shear factor.
#[test]
fn bend_of_45_degrees() {
    let section = Section::diagonal([1e7, 5e6, 5e6, 5e6 / 6.0, 1e7 / 12.0, 1e7 / 12.0], 1.0, [1.0; 3]);
    let quarter = std::f64::consts::FRAC_PI_4;
    let curve =
        || Curve::Arc { from: [0.0; 3], centre: [0.0, 100.0, 0.0], axis: [0.0, 0.0, 1.0], angle: quarter, rise: 0.0 };
    let beam = |n: usize| Beam::new(curve(), section.clone(), n);
    let known = [
        (300.0, [58.779122489682486, 22.24478094536755, 40.19189167015096]),
        (450.0, [52.23855801115434, 18.508178925369158, 48.50292734414154]),
        (600.0, [47.150438573628364, 15.68480053403833, 53.47485879182566]),
    ];
    for (force, exact) in known {
        let exact = Vec3::from(exact);
        let load = [0.0, 0.0, force, 0.0, 0.0, 0.0];
        let [a, b] = [16, 32].map(|n| tip(beam(n), load, 20));
        below("32 elements of two nodes", (b - exact).norm(), 0.05);
        close("order", &[order(&a, &b, &exact)], &[2.0], 0.1);
        below("extrapolated", (b + (b - a) / 3.0 - exact).norm(), 1e-3);
        below("8 elements of three nodes", (tip(beam(8).three_node(), load, 20) - exact).norm(), 0.05);
    }
    // Newton's method with the exact tangent: few iterations per step.
    below("turns", equilibrium(beam(16), [0.0, 0.0, 600.0, 0.0, 0.0, 0.0], 20).1 as f64, 20.0 * 7.0);
}

/// A slender strip loaded askew of its axes: flap, lag and twist couple.
#[test]
fn princeton_beam() {
    let (h, w, l, E, nu): (f64, f64, f64, f64, f64) = (0.0123777, 0.0032024, 0.508, 71.7e9, 0.31);
    let (A, I_y, I_z, G) = (h * w, h * w.powi(3) / 12.0, w * h.powi(3) / 12.0, 0.5 * E / (1.0 + nu));
    let K = [E * A, G * A, G * A, 0.198 * G * (I_y + I_z), E * I_y, E * I_z];
    let section = Section::diagonal(K, 1.0, [1.0; 3]);
    let beam = |n: usize| Beam::straight([0.0; 3], [l, 0.0, 0.0], section.clone(), n);
    let known = [
        (15.0, [-0.0022484638421916836, -0.010643581435627538, 0.042192448630418995]),
        (30.0, [-0.007680972105207018, -0.010207613789052631, 0.07954737712029743]),
        (45.0, [-0.014411824833465814, -0.008979196722703782, 0.10911311525517069]),
        (60.0, [-0.0204867177589223, -0.006742044150677367, 0.12995785888754982]),
        (75.0, [-0.02458606553532977, -0.0036219787058088823, 0.1422181698950706]),
    ];
    for (angle, u) in known {
        let (sin, cos) = f64::to_radians(angle).sin_cos();
        let exact = Vec3::from(u) + Vec3::x() * l;
        let load = [0.0, -8.896 * cos, 8.896 * sin, 0.0, 0.0, 0.0];
        let [a, b] = [8, 16].map(|n| tip(beam(n), load, 4));
        below("16 elements of two nodes", (b - exact).norm(), 0.002 * exact.norm());
        below("extrapolated", (b + (b - a) / 3.0 - exact).norm(), 2e-5 * l);
        below("8 elements of three nodes", (tip(beam(8).three_node(), load, 4) - exact).norm(), 0.002 * exact.norm());
    }
}

/// Positions of both ends at several times.
type Ends = (f64, [f64; 2], [f64; 2]);

/// The flying rod of Simo and Vu-Quoc (1986) in the plane, EI = 500.
#[test]
fn flying_rod() {
    let section = Section::diagonal([1e4, 1e4, 1e4, 500.0, 500.0, 500.0], 1.0, [20.0, 10.0, 10.0]);
    let throw = |beam: Beam| {
        let signals = |f: [&str; 3]| f.map(|f| Signal::expression(f).unwrap());
        let mut push = Applied::force("rod_0", signals(["if_pos(2.5 - t, 8, 0)", "0", "0"]));
        push.torque = signals(["0", "0", "if_pos(2.5 - t, -80, 0)"]);
        let mut spec = Spec::new();
        spec.beam("rod", beam).force("push", push).event("let go", Trigger::at(2.5));
        run(&spec.build().unwrap(), &Transient::to(5.0).integrator(Integrator::Dop853).tolerance(1e-8, 1e-8).every(0.5))
    };
    let beam = |n: usize| Beam {
        inertia_model: InertiaModel::Lumped,
        ..Beam::straight([6.0, 0.0, 0.0], [0.0, 8.0, 0.0], section.clone(), n).planar()
    };
    let known: [Ends; 3] = [
        (3.0, [4.760156545583785, -0.6147938420743776], [8.753380871242399, 8.453775785845263]),
        (4.0, [4.353721354233779, 1.2311512773851951], [12.916197730962962, 6.097691450451178]),
        (5.0, [5.620144923254981, 4.764327846649974], [15.408471027955136, 4.26444287460792]),
    ];
    let [coarse, fine, parabolic] = [throw(beam(16)), throw(beam(32)), throw(beam(10).three_node())];
    below("balance", worst(&fine, "energy.balance"), 1e-5);
    for (t, loaded, free) in known {
        let end = |s: &taut::Solution, k: usize| ["x", "y"].map(|c| value(s, &format!("rod_{k}.{c}"), t));
        for (a, b, c, exact) in [(0, 0, 0, loaded), (16, 32, 20, free)] {
            let (a, b) = (end(&coarse, a), end(&fine, b));
            let limit = [0, 1].map(|i| b[i] + (b[i] - a[i]) / 3.0);
            close("two nodes, extrapolated", &limit, &exact, 0.015);
            close("three nodes", &end(&parabolic, c), &exact, 0.015);
        }
    }
}

/// A right angle of two legs, clamped, pulsed out of its plane at the corner (Simo and Vu-Quoc 1988).
#[test]
fn elbow() {
    let section = Section::diagonal([1e6, 1e6, 1e6, 1e3, 1e3, 1e3], 1.0, [20.0, 10.0, 10.0]);
    let swing = |n: usize| {
        let leg =
            |from, to| Beam { inertia_model: InertiaModel::Lumped, ..Beam::straight(from, to, section.clone(), n) };
        let corner = Beam::node_name("one", n);
        let none = || Signal::constant(0.0);
        let pulse = Signal::expression("50*max(0, 1 - abs(t - 1))").unwrap();
        // The frame of the first leg on the first node of the second.
        let turned =
            Frame::at([0.0; 3]).with_orientation(Orientation::RotationVector([0.0, 0.0, -std::f64::consts::FRAC_PI_2]));
        let mut spec = Spec::new();
        spec.beam("one", leg([0.0; 3], [10.0, 0.0, 0.0]))
            .beam("two", leg([10.0, 0.0, 0.0], [10.0, 10.0, 0.0]))
            .constraint("root", Joint::fixed("ground", "one_0"))
            .marker("two_0.back", turned)
            .constraint("corner", Joint::fixed(&corner, "two_0.back"))
            .force("pulse", Applied::force(&corner, [none(), none(), pulse]))
            .event("peak", Trigger::at(1.0))
            .event("over", Trigger::at(2.0));
        run(&spec.build().unwrap(), &Transient::to(3.0).integrator(Integrator::Dop853).tolerance(1e-7, 1e-7).every(1.0))
    };
    let known = [
        (
            1.0,
            [9.94580374948211, 0.022881289668099106, 0.9513129647528167],
            [9.996982911227233, 9.976611489584537, 0.05403196830262739],
        ),
        (
            2.0,
            [8.988890049705022, 0.2673893280523188, 4.115248176302535],
            [10.106258820391645, 9.307852076904696, 0.069266100203871],
        ),
        (
            3.0,
            [7.950877016157393, 0.23966081515647408, 5.501669624272627],
            [10.78849412353353, 8.938499716507659, 1.5072075009797752],
        ),
    ];
    let s = swing(10);
    taut("elbow", &s, 1e-10, 1e-10);
    below("balance", worst(&s, "energy.balance"), 1e-4);
    for (t, elbow, tip) in known {
        let at = |node: &str| ["x", "y", "z"].map(|c| value(&s, &format!("{node}.{c}"), t));
        close("elbow", &at("one_10"), &elbow, 0.05);
        close("tip", &at("two_10"), &tip, 0.05);
    }
}
