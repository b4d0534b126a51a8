//! Beams with consistent inertia: the mass matrix of the finite volumes of \[FumagalliMasarati2009\] appendix 2, frequencies, runs of
//! free and hinged beams, and node names.

#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::common;

use common::{below, close, run, taut, value};
use std::f64::consts::PI;
use taut::analyses::{Integrator, Transient, simulate};
use taut::beams::{Beam, Curve, InertiaModel, Material, Section, SectionShape};
use taut::bodies::Symmetry;
use taut::equations::StateView;
use taut::forces::Applied;
use taut::motion::{Motion, Vec3};
use taut::nalgebra::{DMatrix, DVector, Rotation3};
use taut::tangent::{DifferenceAccuracy, TangentMatrices};
use taut::{Frame, Joint, MarkerAxes, MarkerPlacement, Model, Signal, Solution, Spec, Trigger};

fn consistent(beam: Beam) -> Beam {
    Beam { inertia_model: InertiaModel::Consistent, ..beam }
}

fn built(beam: Beam) -> Model {
    let mut spec = Spec::new();
    spec.beam("beam", beam);
    spec.build().unwrap()
}

/// M of a whole model.
fn mass(model: &Model, q: &[f64]) -> DMatrix<f64> {
    let mut M = DMatrix::zeros(model.sizes.v, model.sizes.v);
    for b in &model.bodies {
        let (body, n) = (b.kind.body(), b.v.len());
        let (mut own, mut values) = (Motion::REST, vec![f64::NAN; n * n]);
        body.frame_pose(&q[b.q.clone()], &mut own);
        body.mass_matrix(&q[b.q.clone()], &own, &mut values);
        M.view_mut((b.v.start, b.v.start), (n, n)).copy_from(&DMatrix::from_vec(n, n, values));
    }
    M
}

/// Force and moment per ρA L of one element, on (ẅ₁, ẅ₂), from the integrals of eq. (70) by hand.
#[test]
fn coefficients_of_one_element() {
    let (m, L) = (3.0, 0.5);
    let section = Section::diagonal([1.0; 6], m, [0.0, 0.0, 7.0]);
    let model = built(consistent(Beam::straight([2.0, 1.0, 0.0], [2.0 + L, 1.0, 0.0], section, 1).planar()));
    assert_eq!((model.bodies.len(), model.sizes.q, model.symmetry()), (1, 6, Symmetry::NonSymmetric));
    let M = mass(&model, &model.initial_state().q);
    let on = |row: usize, scale: f64| [M[(row, 1)] / scale, M[(row, 4)] / scale];
    close("f1", &on(1, m * L), &[3.0 / 8.0, 1.0 / 8.0], 1e-15);
    close("f2", &on(4, m * L), &[1.0 / 8.0, 3.0 / 8.0], 1e-15);
    close("m1", &on(2, m * L * L), &[1.0 / 12.0, 1.0 / 24.0], 1e-15);
    close("m2", &on(5, m * L * L), &[-1.0 / 24.0, -1.0 / 12.0], 1e-15);
    // The inertia of the section goes by the shares of the forces.
    close("J1", &[M[(2, 2)] / L, M[(2, 5)] / L], &[7.0 * 3.0 / 8.0, 7.0 / 8.0], 1e-14);
    // The whole in translation, and turned about its middle.
    let total = |a: [f64; 6]| {
        let f = &M * DVector::from_row_slice(&a);
        [f[0] + f[3], f[1] + f[4], f[2] + f[5] + 0.5 * L * (f[4] - f[1])]
    };
    close("translation", &total([1.0, 2.0, 0.0, 1.0, 2.0, 0.0]), &[m * L, 2.0 * m * L, 0.0], 1e-15);
    let turned = total([0.0, -0.5 * L, 1.0, 0.0, 0.5 * L, 1.0]);
    close("rotation", &turned, &[0.0, 0.0, m * L.powi(3) / 12.0 + 7.0 * L], 1e-14);
}

/// A beam in no special pose, with its mass centre off the line.
fn odd(elements: usize) -> Beam {
    let curve = Curve::Arc { from: [1.0, 0.0, 0.0], centre: [0.0; 3], axis: [0.0, 0.2, 1.0], angle: 2.0, rise: 0.3 };
    let mut section = Section::diagonal([1e4, 4e3, 4e3, 50.0, 40.0, 60.0], 2.0, [0.05, 0.02, 0.04]);
    (section.mass_centre, section.inertia[5]) = ([0.03, -0.05], 0.004);
    Beam { twist: 0.7, ..consistent(Beam::new(curve, section, elements)) }
}

/// Shape functions from the nodes' own coordinates in [−1, 1].
fn shapes(nodes: &[f64], xi: f64) -> Vec<f64> {
    let of = |i: usize| (0..nodes.len()).filter(|j| *j != i).map(|j| (xi - nodes[j]) / (nodes[i] - nodes[j])).product();
    (0..nodes.len()).map(of).collect()
}

/// M v̇ − f, node by node, is ∫ m ÿ and ∫ (y − x_i) × m ÿ + (J ω)˙ over the volume, with y moved and differenced in time
/// and integrated by the midpoint rule: nothing of it shares code with the body.
#[test]
fn volumes_are_in_equilibrium_about_their_nodes() {
    let c = 1.0 / 3.0_f64.sqrt();
    let two: (&[f64], &[f64]) = (&[-1.0, 1.0], &[-1.0, 0.0, 1.0]);
    let three: (&[f64], &[f64]) = (&[-1.0, 0.0, 1.0], &[-1.0, -c, c, 1.0]);
    for (beam, (local, cuts)) in [(odd(3), two), (odd(2).three_node(), three)] {
        let model = built(beam.clone());
        let body = model.bodies[0].kind.body();
        let given = model.initial_state().q;
        let n = model.sizes.v;
        let some = |k: f64| -> Vec<f64> { (0..n).map(|i| (k * (i + 1) as f64).sin()).collect() };
        let (v, vdot) = (some(1.3), some(2.1));
        let mut q = given.clone();
        body.displace(&mut q, &some(0.7).iter().map(|x| 0.3 * x).collect::<Vec<_>>());
        let at = |h: f64| {
            let mut q = q.clone();
            body.displace(&mut q, &(0..n).map(|i| v[i] * h + 0.5 * vdot[i] * h * h).collect::<Vec<_>>());
            q
        };
        let frame = |q: &[f64], k: usize| {
            let (mut seen, place) =
                (Motion::REST, MarkerAxes::OfMember(Box::new((k, Rotation3::identity().into_inner()))));
            body.marker_pose(q, &Motion::REST, &MarkerPlacement::Frame(Vec3::zeros(), place), &mut seen);
            seen
        };
        let centre = Vec3::new(0.0, 0.03, -0.05);
        let y = |q: &[f64], k: usize| {
            let seen = frame(q, k);
            seen.p + seen.R * centre
        };
        let J = taut::motion::Mat3::new(0.05, 0.0, 0.0, 0.0, 0.02, 0.004, 0.0, 0.004, 0.04);
        let spin = |h: f64, k: usize| {
            let (seen, w) = (frame(&at(h), k), Vec3::from_fn(|i, _| v[6 * k + 3 + i] + h * vdot[6 * k + 3 + i]));
            seen.R * J * seen.R.tr_mul(&w)
        };
        let h = 2e-3;
        let nodes = n / 6;
        let rate = |k: usize| {
            (spin(h, k) - spin(-h, k)) * (8.0 / (12.0 * h)) - (spin(2.0 * h, k) - spin(-2.0 * h, k)) / (12.0 * h)
        };
        let second = |k: usize| {
            let y = |h: f64| y(&at(h), k);
            ((y(h) + y(-h)) * 16.0 - y(2.0 * h) - y(-2.0 * h) - y(0.0) * 30.0) / (12.0 * h * h)
        };
        let (rate, second): (Vec<Vec3>, Vec<Vec3>) = (0..nodes).map(|k| (rate(k), second(k))).unzip();
        let mut expected = vec![0.0; n];
        let step = local.len() - 1;
        for first in (0..nodes - 1).step_by(step) {
            for (i, ends) in cuts.windows(2).enumerate() {
                let cells = 4000;
                let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
                for cell in 0..cells {
                    let d = (ends[1] - ends[0]) / f64::from(cells);
                    let xi = ends[0] + (f64::from(cell) + 0.5) * d;
                    let N = shapes(local, xi);
                    let (left, right) = (shapes(local, xi - 1e-3), shapes(local, xi + 1e-3));
                    let sum = |x: &dyn Fn(usize) -> Vec3| -> Vec3 { (0..N.len()).map(|j| x(j) * N[j]).sum() };
                    let along = |j: usize| frame(&given, first + j).p * ((right[j] - left[j]) / 2e-3);
                    let length = (0..N.len()).map(along).sum::<Vec3>().norm() * d;
                    let acceleration = sum(&|j| second[first + j]) * (2.0 * length);
                    force += acceleration;
                    let arm = sum(&|j| y(&q, first + j)) - frame(&q, first + i).p;
                    moment += arm.cross(&acceleration) + sum(&|j| rate[first + j]) * length;
                }
                let slot = &mut expected[6 * (first + i)..6 * (first + i) + 6];
                (0..3).for_each(|k| (slot[k], slot[3 + k]) = (slot[k] + force[k], slot[3 + k] + moment[k]));
            }
        }
        let mut f = vec![0.0; n];
        body.internal_forces(0.0, &q, &v, &[], &Motion::REST, &mut f, &mut []);
        let found = mass(&model, &q) * DVector::from_vec(vdot.clone()) - DVector::from_vec(f);
        let size = expected.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        close("inertia forces", found.as_slice(), &expected, 1e-6 * size);
    }
}

/// The lowest frequencies of a simply supported beam, bending or along, over those of the theory.
fn supported(beam: Beam, truth: &[f64], free: impl Fn(usize, usize, usize) -> bool) -> Vec<f64> {
    let model = built(beam);
    let state = model.initial_state();
    let mut tangent = TangentMatrices::new(&model);
    tangent.evaluate(&model, StateView::from(&state), &vec![0.0; model.sizes.v], &[], DifferenceAccuracy::SixthOrder);
    let (K, M) = (tangent.dense_stiffness(&model), mass(&model, &state.q));
    let last = model.sizes.v / 3 - 1;
    let keep: Vec<usize> = (0..model.sizes.v).filter(|i| free(i / 3, i % 3, last)).collect();
    let part = |X: &DMatrix<f64>| DMatrix::from_fn(keep.len(), keep.len(), |i, j| X[(keep[i], keep[j])]);
    let all = part(&M).lu().solve(&part(&K)).unwrap().complex_eigenvalues();
    let largest = all.iter().fold(0.0_f64, |a, x| a.max(x.re));
    for w2 in all.iter() {
        assert!(w2.im.abs() < 1e-9 * largest && w2.re > 0.0, "not oscillating: {w2}");
    }
    let nearest = |w2: &f64| all.iter().map(|x| x.re).min_by(|a, b| (a - w2).abs().total_cmp(&(b - w2).abs())).unwrap();
    truth.iter().map(|w2| (nearest(w2) / w2).sqrt() - 1.0).collect()
}

const HEIGHT: f64 = 0.05;

fn bar(inertia: InertiaModel, elements: usize) -> Beam {
    let unit = Material { E: 1.0, nu: 0.3, density: 1.0 };
    let section = Section::new(&unit, &SectionShape::Rectangle { width: HEIGHT, height: 1.0 }, None).unwrap();
    Beam { inertia_model: inertia, ..Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section, elements).planar() }
}

/// Timoshenko's theory: ω⁴ ρ²I/κG − ω² (ρA + ρI k² (1 + E/κG)) + EI k⁴ = 0, k = jπ/L.
fn timoshenko(j: usize) -> f64 {
    let (A, I, kG, k) = (HEIGHT, HEIGHT.powi(3) / 12.0, 5.0 / 6.0 / 2.6, j as f64 * PI);
    let (a, b, c) = (I / kG, A + I * k * k * (1.0 + 1.0 / kG), I * k.powi(4));
    2.0 * c / (b + (b * b - 4.0 * a * c).sqrt())
}

/// Of second order: ω errs by (kℓ)²/48 in bending and along the beam, k the wave number. The rigid rods of `finite_volume`
/// have −(kℓ)²/24 in both; masses at nodes have it along the beam, while in bending their error of this order vanishes.
#[test]
fn frequencies_of_a_supported_beam() {
    let bending = |node: usize, c: usize, last: usize| c == 2 || (c == 1 && node != 0 && node != last);
    let along = |node: usize, c: usize, last: usize| c == 0 && node != 0 && node != last;
    let truth = [1, 2, 3].map(timoshenko);
    let sound = [1.0, 2.0, 3.0].map(|j: f64| (j * PI).powi(2));
    let of = |inertia, n, which: usize| match which {
        0 => supported(bar(inertia, n), &truth, bending),
        _ => supported(bar(inertia, n), &sound, along),
    };
    for which in [0, 1] {
        let (coarse, fine) = (of(InertiaModel::Consistent, 16, which), of(InertiaModel::Consistent, 32, which));
        let rods = of(InertiaModel::FiniteVolume, 32, which);
        for j in 0..3 {
            let order = (coarse[j] / fine[j]).log2();
            assert!((order - 2.0).abs() < 0.05, "order {order} of mode {j}");
            let k2l2 = ((j + 1) as f64 * PI / 32.0).powi(2);
            close("leading error", &[fine[j] / k2l2], &[1.0 / 48.0], 1.5e-3);
            assert!(fine[j].abs() < 0.6 * rods[j].abs(), "{} {}", fine[j], rods[j]);
        }
    }
    let lumped = of(InertiaModel::Lumped, 32, 1);
    let fine = of(InertiaModel::Consistent, 32, 1);
    assert!((0..3).all(|j| fine[j].abs() < 0.51 * lumped[j].abs()));
}

/// Three-node elements are of fourth order with it, and of second with any other inertia.
#[test]
fn frequencies_of_three_node_elements() {
    let bending = |node: usize, c: usize, last: usize| c == 2 || (c == 1 && node != 0 && node != last);
    let truth = [1, 2, 3].map(timoshenko);
    let of = |inertia, n| supported(bar(inertia, n).three_node(), &truth, bending);
    let (coarse, fine) = (of(InertiaModel::Consistent, 4), of(InertiaModel::Consistent, 8));
    let others = [InertiaModel::Lumped, InertiaModel::FiniteVolume].map(|i| of(i, 8));
    for j in 0..3 {
        let order = (coarse[j] / fine[j]).log2();
        assert!((order - 4.0).abs() < 0.15, "order {order} of mode {j}");
        assert!(others.iter().all(|o| fine[j].abs() < o[j].abs() / 3.0), "{fine:?} {others:?}");
    }
    // An independent computation of the same matrices.
    close("errors", &fine, &[2.454e-5, 3.817e-4, 1.848e-3], 1e-6);
}

/// Variational elements are of fourth order with their masses in the nodes. Along the beam ω errs by −(kℓ)⁴/180, ℓ between
/// nodes: the expansion of their dispersion, cos 2kℓ = 1 − 2 … by hand.
#[test]
fn frequencies_of_variational_elements() {
    let bending = |node: usize, c: usize, last: usize| c == 2 || (c == 1 && node != 0 && node != last);
    let along = |node: usize, c: usize, last: usize| c == 0 && node != 0 && node != last;
    let (truth, sound) = ([1, 2, 3].map(timoshenko), [1.0, 2.0, 3.0].map(|j: f64| (j * PI).powi(2)));
    let of = |n| {
        let beam = || bar(InertiaModel::Lumped, n).variational();
        [supported(beam(), &truth, bending), supported(beam(), &sound, along)]
    };
    let (coarse, fine) = (of(8), of(16));
    for which in [0, 1] {
        for j in 0..3 {
            let order = (coarse[which][j] / fine[which][j]).log2();
            assert!((order - 4.0).abs() < 0.15, "order {order} of mode {j}: {coarse:?} {fine:?}");
        }
    }
    for j in 0..3 {
        let kl4 = ((j + 1) as f64 * PI / 32.0).powi(4);
        close("leading error", &[fine[1][j] / kl4], &[-1.0 / 180.0], 2e-4);
    }
}

/// Thrown in space with large twist and bending: the stored energy is recovered without spurious work.
#[test]
fn variational_elements_keep_energy() {
    let section = Section::diagonal([400.0, 150.0, 120.0, 3.0, 5.0, 7.0], 1.0, [0.04, 0.02, 0.03]);
    let far = Beam {
        angular_velocity: [2.0, 5.0, -4.0],
        twist: 0.7,
        ..Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section, 2)
    };
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]).beam("rod", far.variational());
    spec.constraint("foot", Joint::spherical("ground", "rod_0"));
    let model = spec.build().unwrap();
    let found = run(&model, &Transient::to(2.0).tolerance(1e-11, 1e-11).every(0.1));
    let largest = |name: &str| found.column(name).unwrap().iter().fold(0.0_f64, |worst, x| worst.max(x.abs()));
    below("energy", largest("energy.balance"), 1e-8);
    close("work", &[largest("energy.work")], &[0.0], 0.0);
}

/// A rod thrown by a force and a moment on its end, for one second.
fn thrown(beam: Beam, integrator: Integrator) -> Solution {
    let load = |f: f64| Signal::constant(f);
    let mut spec = Spec::new();
    spec.beam("rod", beam)
        .force("push", Applied::force("rod_0", [load(8.0), load(0.0), load(0.0)]))
        .force("turn", Applied::torque("rod_0", [load(0.0), load(0.0), load(-80.0)]));
    run(&spec.build().unwrap(), &Transient::to(1.0).integrator(integrator).tolerance(1e-8, 1e-8).every(0.5))
}

/// The rod of Simo and Vu-Quoc, J. Appl. Mech. 53 (1986).
fn rod(inertia: InertiaModel, elements: usize) -> Beam {
    let section = Section::diagonal([1e4, 1e4, 1e4, 500.0, 500.0, 500.0], 1.0, [20.0, 10.0, 10.0]);
    Beam { inertia_model: inertia, ..Beam::straight([6.0, 0.0, 0.0], [0.0, 8.0, 0.0], section, elements).planar() }
}

fn ends(s: &Solution, name: &str, elements: usize) -> [f64; 4] {
    let at = |k: usize, c: &str| value(s, &format!("{name}_{k}.{c}"), s.t()[s.len() - 1]);
    [at(0, "x"), at(0, "y"), at(elements, "x"), at(elements, "y")]
}

#[test]
fn a_thrown_rod_tends_to_the_same_motion() {
    let mut apart = Vec::new();
    for n in [5, 10, 20] {
        let one = ends(&thrown(rod(InertiaModel::Consistent, n), Integrator::Dop853), "rod", n);
        let other = ends(&thrown(rod(InertiaModel::FiniteVolume, n), Integrator::Dop853), "rod", n);
        apart.push(common::distance(&one, &other));
    }
    assert!(apart[1] < apart[0] / 3.0 && apart[2] < apart[1] / 3.0, "{apart:?}");
    let stiff = ends(&thrown(rod(InertiaModel::Consistent, 10), Integrator::RadauIia5), "rod", 10);
    let explicit = ends(&thrown(rod(InertiaModel::Consistent, 10), Integrator::Dop853), "rod", 10);
    close("explicit and implicit", &stiff, &explicit, 1e-6);
}

/// A curved, twisted beam tumbles in space, pushed no more: its momentum is that of the interpolated line.
#[test]
fn a_free_beam_in_space_keeps_its_momentum() {
    let section = Section::diagonal([1e4, 4e3, 4e3, 50.0, 40.0, 60.0], 2.0, [0.05, 0.02, 0.04]);
    let beam = Beam { section, velocity: [0.1, 0.2, 0.3], angular_velocity: [1.0, 2.0, 3.0], ..odd(5) };
    let model = built(beam);
    let s = run(&model, &Transient::to(0.4).tolerance(1e-9, 1e-9).every(0.1));
    let at = |k: usize, c: [&str; 3], t: f64| Vec3::from(c.map(|c| value(&s, &format!("beam_{k}.{c}"), t)));
    // Chords of the given shape have one length.
    let given = |k: usize| at(k, ["x", "y", "z"], 0.0);
    let m = 2.0 * (given(1) - given(0)).norm();
    let J = taut::motion::Mat3::from_diagonal(&Vec3::new(0.05, 0.02, 0.04)) * (m / 2.0);
    let momenta = |t: f64| {
        let (x, v) = (|k: usize| at(k, ["x", "y", "z"], t), |k: usize| at(k, ["vx", "vy", "vz"], t));
        let (mut p, mut H) = (Vec3::zeros(), Vec3::zeros());
        for k in 0..5 {
            p += (v(k) + v(k + 1)) * (0.5 * m);
            // ∫ x × v of two straight lines.
            H += (x(k).cross(&(v(k) * 2.0 + v(k + 1))) + x(k + 1).cross(&(v(k) + v(k + 1) * 2.0))) * (m / 6.0);
            for k in [k, k + 1] {
                let e = ["qw", "qx", "qy", "qz"].map(|c| value(&s, &format!("beam_{k}.{c}"), t));
                let R = taut::motion::rotation_of_quaternion(&e);
                H += R * (J * R.tr_mul(&at(k, ["wx", "wy", "wz"], t))) * 0.5;
            }
        }
        [p.x, p.y, p.z, H.x, H.y, H.z]
    };
    close("momentum", &momenta(0.4), &momenta(0.0), 1e-7);
    assert!(s.column("energy.kinetic").is_ok() && s.column("energy.balance").is_err(), "its books are not kept");
}

/// A beam hinged to the ground falls.
fn falling(beam: Beam, integrator: Integrator) -> Solution {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0]).beam("arm", beam).constraint("hinge", Joint::pin("ground", "arm_0"));
    let model = spec.build().unwrap();
    let settings = Transient::to(0.5).integrator(integrator).tolerance(1e-8, 1e-8).every(0.25);
    // An explicit method may report stiffness.
    let s = simulate(&model, &model.initial_state(), &settings).unwrap();
    assert_eq!(s.outcome, taut::Outcome::Finished, "{}", s.outcome);
    taut("hinge", &s, 1e-10, 1e-10);
    s
}

fn arm(inertia: InertiaModel, elements: usize) -> Beam {
    let soft = Material { E: 5e6, nu: 0.4, density: 1100.0 };
    let section = Section::new(&soft, &SectionShape::Rectangle { width: 0.05, height: 0.05 }, None).unwrap();
    Beam {
        inertia_model: inertia,
        ..Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section.damped(2e-4), elements).planar()
    }
}

#[test]
fn a_hinged_beam_falls() {
    let end = |beam: Beam, integrator| {
        let nodes = beam.node_count();
        ends(&falling(beam, integrator), "arm", nodes - 1)
    };
    // Two of the finer kind, of unlike inertia and elements, agree with each other.
    let truth = end(arm(InertiaModel::Consistent, 8).three_node(), Integrator::default());
    close("fine", &end(arm(InertiaModel::Lumped, 12).three_node(), Integrator::default()), &truth, 2e-5);
    let off = |inertia, n| common::distance(&end(arm(inertia, n), Integrator::RadauIia5), &truth);
    let (coarse, fine) = (off(InertiaModel::Consistent, 3), off(InertiaModel::Consistent, 12));
    assert!(fine < coarse / 16.0, "{fine} {coarse}");
    // Mass, static moment and inertia of the whole are right with it, however coarse the elements.
    for other in [InertiaModel::FiniteVolume, InertiaModel::Lumped] {
        let [coarse, at_twelve, finest] = [6, 12, 24].map(|n| off(other, n));
        assert!(finest < coarse / 9.0 && fine < at_twelve / 20.0, "{other:?}: {coarse} {at_twelve} {finest}");
    }
    let stiff = end(arm(InertiaModel::Consistent, 6), Integrator::RadauIia5);
    let explicit = end(arm(InertiaModel::Consistent, 6), Integrator::default());
    close("explicit and implicit", &stiff, &explicit, 1e-6);
}

/// Every reference to a body can also name a node, although nodes are no longer separate bodies.
#[test]
fn nodes_keep_their_names() {
    let mut spec = Spec::new();
    spec.beam("beam", bar(InertiaModel::Consistent, 3))
        .marker("beam_1.above", Frame::at([0.0, 0.1, 0.0]))
        .constraint("root", Joint::weld("ground", "beam_0"))
        .constraint("tie", taut::Relation::rod("beam_0", "beam_2", 2.0 / 3.0))
        .force(
            "load",
            taut::FormulaForce::new(taut::Measure::coordinate("beam_3.y"), "-1e-7*beam_3.vy - 1e-7").unwrap(),
        )
        .force("turn", Applied::on_coordinate("beam_3.theta", Signal::constant(1e-9)))
        .event("down", Trigger::when("beam_3.y + 1e-4").falling());
    let s = run(&spec.build().unwrap(), &Transient::to(20.0).every(10.0));
    assert!(value(&s, "beam_3.y", 20.0) < -1e-4);
    for column in ["beam_1.above.x", "beam.e1.Mz", "beam_2.theta", "beam_2.omega", "beam_2.ax", "beam_2.alpha"] {
        assert!(s.column(column).is_ok(), "{column}");
    }
    let names: Vec<&str> = s.names().collect();
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), names.len(), "columns named twice");
    // The whole has no frame, and its name is taken.
    let refused = |spec: &Spec, words: &str| {
        let found = spec.build().unwrap_err().to_string();
        assert!(found.contains(words), "{found}");
    };
    refused(spec.clone().constraint("wrong", Joint::pin("ground", "beam")), "no frame of its own");
    refused(spec.clone().body("beam", taut::PlanarBody::new(1.0, 1.0)), "beam");
    refused(spec.clone().body("set", taut::bodies::RitzReduction::new(["beam_1"], vec![vec![1.0; 3]])), "named twice");
    refused(
        spec.clone().body("set", taut::bodies::RitzReduction::new(["beam"], vec![vec![1.0; 3]])),
        "couples its nodes",
    );
}
