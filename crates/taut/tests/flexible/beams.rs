//! Beams: the swing of \[Masarati2010\] §4.2, frequencies, statics by the tangent, roll-up, and rejected input.

#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::common;

use common::{below, close, run, taut, value, worst};
use std::f64::consts::PI;
use taut::analyses::{Integrator, Transient};
use taut::beams::{Beam, BeamElement, Curve, InertiaModel, Material, MotionSpace, Section, SectionShape, Shear};
use taut::bodies::{BodyKind, RitzReduction};
use taut::constraints::ElementInput;
use taut::forces::{Applied, Coefficients, Force, ForceKind};
use taut::motion::{Motion, Vec3, Wrench};
use taut::nalgebra::{DMatrix, DVector, Matrix6, Rotation3};
use taut::{Frame, Joint, Model, PointMass, Relation, Signal, Spec, Trigger};

const ALUMINIUM: Material = Material { E: 73e9, nu: 0.3, density: 2700.0 };

/// 1 mm thick in the plane of the swing, 5 mm wide across it.
fn strip() -> Section {
    Section::new(&ALUMINIUM, &SectionShape::Rectangle { width: 1e-3, height: 5e-3 }, None).unwrap()
}

fn swing_beam(elements: usize) -> Beam {
    Beam::straight([0.0; 3], [0.72, 0.0, 0.0], strip(), elements).planar()
}

/// Massless links from the ground to both ends, 0.5 kg in the middle, and a pulse on it.
fn swing(elements: usize) -> Model {
    let (middle, end) = (Beam::node_name("beam", elements / 2), Beam::node_name("beam", elements));
    let pulse = Signal::expression("max(0, 2 - 2*abs(t - 0.128)/0.128)").unwrap();
    let none = || Signal::constant(0.0);
    let mut spec = Spec::new();
    spec.beam("beam", swing_beam(elements))
        .body("load", PointMass::new(0.5, [0.36, 0.0, 0.0]))
        .constraint("load", Joint::pin(&middle, "load"))
        .marker("ground.left", Frame::at([0.0, 0.36, 0.0]))
        .marker("ground.right", Frame::at([1.08, 0.36, 0.0]))
        .constraint("first", Relation::rod("ground.left", "beam_0", 0.36))
        .constraint("second", Relation::rod("ground.right", &end, 0.36 * 2.0_f64.sqrt()))
        .force("pulse", Applied::force("load", [pulse, none(), none()]))
        // Steps end where the pulse has its corners.
        .event("peak", Trigger::at(0.128))
        .event("over", Trigger::at(0.256));
    spec.build().unwrap()
}

/// Points A to E and the energy, from an independent integration to 1e-12 of the same equations.
struct Known {
    t: f64,
    points: [[f64; 2]; 5],
    energy: f64,
}

fn swings(elements: usize, known: &[Known], names: [usize; 5]) {
    let model = swing(elements);
    let end = known.last().unwrap().t;
    let settings = Transient::to(end).integrator(Integrator::Dop853).tolerance(1e-9, 1e-10).every(0.1);
    let s = run(&model, &settings);
    taut("swing", &s, 1e-12, 1e-12);
    for Known { t, points, energy } in known {
        for (k, p) in names.iter().zip(points) {
            let found = ["x", "y"].map(|c| value(&s, &format!("beam_{k}.{c}"), *t));
            close(&format!("node {k} at {t}"), &found, p, 1e-6);
        }
        let found = value(&s, "energy.kinetic", *t) + value(&s, "energy.potential", *t);
        close(&format!("energy at {t}"), &[found], &[*energy], 1e-8);
    }
    below("balance", worst(&s, "energy.balance"), 1e-8);
}

#[test]
fn the_swing_of_four_elements() {
    let known = [
        Known {
            t: 0.2,
            points: [
                [0.03688333098756291, 0.0018944011953151776],
                [0.21687597106337564, 0.003585091690879842],
                [0.3968356303448387, -0.0002547168515530803],
                [0.5763553060981949, -0.013403465093323182],
                [0.7553723475209151, -0.032194960760484594],
            ],
            energy: 0.05226081065616392,
        },
        Known {
            t: 0.3,
            points: [
                [0.0859293654111649, 0.010405743525391295],
                [0.26592758021083346, 0.00926728957226482],
                [0.44560101496397414, -0.001599787571106396],
                [0.6235745858175467, -0.028544892692784124],
                [0.799827154884974, -0.06509196282704605],
            ],
            energy: 0.06386960202106555,
        },
    ];
    swings(4, &known, [0, 1, 2, 3, 4]);
}

#[test]
fn the_swing_of_eight_elements() {
    let known = [
        Known {
            t: 0.2,
            points: [
                [0.036913290335395005, 0.0018974881453428895],
                [0.21690417554128677, 0.003580275612266642],
                [0.3968515930076006, -0.00024288095885614496],
                [0.5763590604808468, -0.013379891057080153],
                [0.7553716482009712, -0.032194381918259914],
            ],
            energy: 0.05228364904761315,
        },
        Known {
            t: 0.3,
            points: [
                [0.08600412745872743, 0.010424128321099787],
                [0.2659964895495728, 0.009274125158903985],
                [0.4456321627711222, -0.0015787889155323982],
                [0.6235658844078649, -0.02852847961970873],
                [0.7998112516318379, -0.06508148076325428],
            ],
            energy: 0.06389630170022631,
        },
    ];
    swings(8, &known, [0, 2, 4, 6, 8]);
}

/// Pose of every node of a model that consists of nodes only.
fn given(model: &Model) -> Vec<Motion> {
    let state = model.initial_state();
    let pose = |b: &taut::BodyEntry| {
        let mut own = Motion::REST;
        b.kind.body().frame_pose(&state.q[b.q.clone()], &mut own);
        own
    };
    model.bodies.iter().map(pose).collect()
}

/// K = −∂f/∂x of all elements, six coordinates per node.
fn stiffness(model: &Model) -> DMatrix<f64> {
    let nodes = given(model);
    let mut K = DMatrix::zeros(6 * nodes.len(), 6 * nodes.len());
    for f in &model.forces {
        let of = |m: &usize| model.markers[*m].body.unwrap();
        let ids: Vec<usize> = f.markers.iter().map(of).collect();
        let n = ids.len();
        let (mut pose, mut twist) = (vec![Matrix6::zeros(); n * n], vec![Matrix6::zeros(); n * n]);
        f.kind.force().tangent(&ElementInput::new(0.0, &nodes, &ids, &[]), &mut pose, &mut twist);
        for (k, j) in (0..n).flat_map(|k| (0..n).map(move |j| (k, j))) {
            let mut block = K.fixed_view_mut::<6, 6>(6 * ids[k], 6 * ids[j]);
            block -= pose[k * n + j];
        }
    }
    K
}

fn built(beam: Beam) -> Model {
    let mut spec = Spec::new();
    spec.beam("beam", beam);
    spec.build().unwrap()
}

/// Rows and columns of a matrix.
fn part(K: &DMatrix<f64>, keep: &[usize]) -> DMatrix<f64> {
    DMatrix::from_fn(keep.len(), keep.len(), |i, j| K[(keep[i], keep[j])])
}

/// M^-½ K M^-½ of a planar beam whose ends are pinned, with a mass on its middle node; the masses, and which
/// coordinates are left.
fn pinned(beam: Beam, load: f64) -> (DMatrix<f64>, Vec<f64>, Vec<usize>) {
    let model = built(beam);
    let last = model.bodies.len() - 1;
    let (mut keep, mut M) = (Vec::new(), Vec::new());
    for (k, b) in model.bodies.iter().enumerate() {
        let BodyKind::Planar(node) = &b.kind else { unreachable!() };
        let mass = node.mass + if k == last / 2 { load } else { 0.0 };
        for (c, m) in [(0, mass), (1, mass), (5, node.inertia)] {
            if c == 5 || (k != 0 && k != last) {
                keep.push(6 * k + c);
                M.push(m);
            }
        }
    }
    let K = part(&stiffness(&model), &keep);
    assert!((&K - K.transpose()).amax() < 1e-12 * K.amax(), "in the plane the element has a potential");
    let scaled = DMatrix::from_fn(keep.len(), keep.len(), |i, j| K[(i, j)] / (M[i] * M[j]).sqrt());
    (scaled, M, keep)
}

/// Frequencies in Hz of such a beam.
fn frequencies(beam: Beam, load: f64) -> Vec<f64> {
    let (scaled, ..) = pinned(beam, load);
    let mut all: Vec<f64> = scaled.symmetric_eigenvalues().iter().map(|w2| w2.sqrt() / (2.0 * PI)).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// Table 1 of \[Masarati2010\], 0.443, 18.17, 28.46 and 319.5 Hz, and an independent computation of the same model.
#[test]
fn frequencies_of_the_swing() {
    let near = |what: &str, all: &[f64], known: [f64; 4]| {
        let highest = all.last().unwrap();
        for f in known {
            let found = all.iter().copied().min_by(|a, b| (a - f).abs().total_cmp(&(b - f).abs())).unwrap();
            // Eigenvalues have round-off of the size of the highest, on both sides.
            let bound = 1e-9 * f * f + 5e-15 * highest * highest;
            close(&format!("{what}, {f} Hz"), &[found * found], &[f * f], bound);
        }
    };
    let four = [0.44295929635579284, 16.502083029713756, 25.33422263488754, 319.3498975148717];
    near("4 elements", &frequencies(swing_beam(4), 0.5), four);
    let forty = [0.4430661293689918, 18.17405835221608, 28.457153383915575, 319.47669946949725];
    near("40 elements", &frequencies(swing_beam(40), 0.5), forty);
    let lumped = Beam { inertia_model: InertiaModel::Lumped, ..swing_beam(40) };
    near(
        "inertia of the section",
        &frequencies(lumped, 0.5),
        [0.4430683285971368, 18.192732325201558, 28.491370364413562, 319.47669946939925],
    );
    let plain = Beam { shear: Shear::Plain, ..swing_beam(4) };
    near(
        "shear of the section",
        &frequencies(plain, 0.5),
        [0.45743316712571064, 18.06067906770889, 33.016253016755186, 319.34989751486484],
    );
}

/// Displacement of the last node under a wrench there, the first held.
fn bent(beam: Beam, load: &[f64; 6]) -> DVector<f64> {
    let model = built(beam);
    let n = 6 * model.bodies.len();
    let K = stiffness(&model).view((6, 6), (n - 6, n - 6)).into_owned();
    let mut f = DVector::zeros(n - 6);
    f.rows_mut(n - 12, 6).copy_from_slice(load);
    K.lu().solve(&f).unwrap().rows(n - 12, 6).into_owned()
}

#[test]
fn a_cantilever_of_one_element_is_exact() {
    let (l, E, I) = (0.72_f64, 73e9, 5e-12 / 12.0);
    let shear = l / (5.0 / 6.0 * ALUMINIUM.G() * 5e-6);
    let exact = l.powi(3) / (3.0 * E * I) + shear;
    let beam = |n: usize| Beam::straight([0.0; 3], [l, 0.0, 0.0], strip(), n);
    let load = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    for one in [beam(1), beam(1).three_node(), beam(1).variational(), beam(7), beam(4).three_node()] {
        let found = bent(one, &load);
        // EA is some 1e7 times the stiffness in bending, and takes as many digits.
        close("deflection and slope", &[found[1] / exact, found[5] / (l * l / (2.0 * E * I))], &[1.0, 1.0], 1e-8);
    }
    // Without the correction one element is too stiff by a quarter.
    let stiff = bent(Beam { shear: Shear::Plain, ..beam(1) }, &load)[1];
    close("without correction", &[stiff / (l.powi(3) / (4.0 * E * I) + shear)], &[1.0], 1e-9);
}

/// Fully coupled sections with offset centres: a straight beam under end loads deflects equally for every mesh.
#[test]
fn coupled_sections_need_no_more_elements() {
    let k: [f64; 6] = [400.0, 150.0, 120.0, 3.0, 5.0, 7.0];
    let entry = |i: usize, j: usize| if i == j { k[i] } else { 0.2 * (k[i] * k[j]).sqrt() / (1.0 + (i + j) as f64) };
    let full = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
    let section = Section {
        stiffness: Coefficients::Full(Box::new(full)),
        elastic_centre: [0.03, -0.05],
        shear_centre: [-0.02, 0.04],
        ..Section::diagonal(k, 1.0, [0.2, 0.1, 0.1])
    };
    let beam = |n: usize| Beam::straight([0.0; 3], [1.0, 2.0, -0.5], section.clone(), n);
    let load = [0.3, -0.5, 0.7, 0.2, 0.1, -0.4];
    let fine = bent(beam(40), &load);
    for coarse in [beam(1), beam(3), beam(1).three_node(), beam(1).variational(), beam(5).three_node()] {
        let found = bent(coarse, &load);
        close("displacement", found.as_slice(), fine.as_slice(), 1e-10 * fine.amax());
    }
}

/// Under the moment 2π EI/ℓ a straight beam of n elements closes to a regular polygon, in any plane.
#[test]
fn roll_up() {
    let (l, section) = (0.72, strip());
    let moment = 2.0 * PI * 73e9 * (5e-12 / 12.0) / l;
    for n in [3, 4, 7, 12] {
        let side = l / n as f64;
        let turn = 2.0 * PI / n as f64;
        let plane = Rotation3::new(Vec3::new(0.4, -0.7, 0.2)).into_inner();
        let mut p = Vec3::zeros();
        let mut nodes = Vec::new();
        for k in 0..=n {
            let R = plane * Rotation3::new(Vec3::z() * (turn * k as f64)).into_inner();
            nodes.push(Motion { p, R, ..Motion::REST });
            p += plane * Rotation3::new(Vec3::z() * (turn * (k as f64 + 0.5))).into_inner() * Vec3::x() * side;
        }
        below("closed", (nodes[n].p - nodes[0].p).norm(), 1e-15);
        let model = built(Beam::straight([0.0; 3], [l, 0.0, 0.0], section.clone(), n));
        let mut on = vec![Wrench::ZERO; n + 1];
        for (i, f) in model.forces.iter().enumerate() {
            let ForceKind::Beam(element) = &f.kind else { unreachable!() };
            let mut own = [Wrench::ZERO; 2];
            let ids = [i, i + 1];
            element.apply(&ElementInput::new(0.0, &nodes, &ids, &[]), &mut own);
            on[i].add_scaled(1.0, &own[0]);
            on[i + 1].add_scaled(1.0, &own[1]);
        }
        let axis = plane * Vec3::z();
        // A normal strain of 1e-16 is 1e-11 N.
        for (k, w) in on.iter().enumerate() {
            let m = if k == 0 {
                moment
            } else if k == n {
                -moment
            } else {
                0.0
            };
            below("force", w.f.norm(), 1e-8);
            below("moment", (w.m - axis * m).norm(), 1e-9);
        }
    }
}

/// In space, the beam turned out of the xy plane, the swing's motion is that of the plane.
#[test]
fn space_and_plane_agree() {
    let end = Transient::to(0.02).integrator(Integrator::Dop853).tolerance(1e-10, 1e-12).every(0.01);
    let throw = |space: MotionSpace| {
        let mut spec = Spec::new();
        let beam = Beam { space, velocity: [0.1, 0.4, 0.0], angular_velocity: [0.0, 0.0, 30.0], ..swing_beam(3) };
        let push = [Signal::constant(0.0), Signal::constant(0.5), Signal::constant(0.0)];
        spec.beam("beam", beam).force("push", Applied::force("beam_3", push).follower());
        run(&spec.build().unwrap(), &end)
    };
    let (plane, space) = (throw(MotionSpace::Planar), throw(MotionSpace::Spatial));
    for (k, c) in (0..4).flat_map(|k| [(k, "x"), (k, "y")]) {
        let column = format!("beam_{k}.{c}");
        close(&column, &[value(&space, &column, 0.02)], &[value(&plane, &column, 0.02)], 1e-9);
    }
    let strain = ["N", "Qy", "Mz"].map(|c| format!("beam.e2.{c}"));
    for c in &strain {
        // EA times the differences above.
        close(c, &[value(&space, c, 0.02)], &[value(&plane, c, 0.02)], 1e-5);
    }
}

/// A curved, twisted, damped beam tumbles freely: momentum is conserved, and energy balances although finite volumes have no potential
/// in space.
#[test]
fn a_free_beam_in_space() {
    let curve = Curve::Arc { from: [1.0, 0.0, 0.0], centre: [0.0; 3], axis: [0.0, 0.2, 1.0], angle: 2.0, rise: 0.3 };
    let round = Material { E: 2e7, nu: 0.4, density: 1100.0 };
    let section = Section::new(&round, &SectionShape::Circle { radius: 0.03 }, None).unwrap();
    for (beam, loss) in [
        (Beam::new(curve.clone(), section.clone(), 6), 0.0),
        (Beam::new(curve.clone(), section.clone(), 3).three_node(), 0.0),
        (Beam::new(curve.clone(), section.clone().damped(1e-2), 6), 1e-3),
    ] {
        let mut spec = Spec::new();
        let push =
            ["sin(40*t)", "t", "cos(30*t)"].map(|f| Signal::expression(&format!("{f}*max(0, 0.1 - t)*200")).unwrap());
        spec.beam("beam", Beam { twist: 0.7, angular_velocity: [1.0, 2.0, 3.0], ..beam })
            .force("push", Applied::force("beam_0", push))
            .event("over", Trigger::at(0.1));
        let model = spec.build().unwrap();
        let s = run(&model, &Transient::to(0.4).integrator(Integrator::Dop853).tolerance(1e-9, 1e-9).every(0.1));
        below("balance", worst(&s, "energy.balance"), 1e-6);
        let energy = |t: f64| value(&s, "energy.kinetic", t) + value(&s, "energy.potential", t);
        assert!(energy(0.1) - energy(0.4) >= loss, "{} {}", energy(0.1), energy(0.4));
        let momentum = |t: f64| -> [f64; 3] {
            ["vx", "vy", "vz"].map(|c| {
                let part =
                    |b: &taut::BodyEntry| b.kind.rigid().unwrap().mass * value(&s, &format!("{}.{c}", b.name), t);
                model.bodies.iter().map(part).sum()
            })
        };
        close("momentum", &momentum(0.4), &momentum(0.2), 1e-11);
    }
}

#[test]
fn nodes_have_the_mass_of_the_beam() {
    let section = Section { mass_centre: [0.01, 0.02], ..strip() };
    for beam in [
        Beam::straight([0.0; 3], [1.0, 2.0, 2.0], section.clone(), 5),
        Beam::straight([0.0; 3], [1.0, 2.0, 2.0], section, 3).three_node(),
    ] {
        let model = built(beam);
        let mass: f64 = model.bodies.iter().map(|b| b.kind.rigid().unwrap().mass).sum();
        close("mass", &[mass], &[3.0 * 2700.0 * 5e-6], 1e-15);
        assert_eq!(model.bodies[1].kind.rigid().unwrap().com, [0.0, 0.01, 0.02]);
    }
    // A third of the length between the cuts at ∓1/√3.
    let model = built(Beam::straight([0.0; 3], [1.0, 0.0, 0.0], strip(), 1).three_node());
    let mass = |k: usize| model.bodies[k].kind.rigid().unwrap().mass / (2700.0 * 5e-6);
    close("shares", &[mass(0), mass(1)], &[0.5 - 0.5 / 3.0_f64.sqrt(), 1.0 / 3.0_f64.sqrt()], 1e-14);
}

#[test]
fn invalid_beams_are_rejected() {
    let refused = |beam: Beam| {
        let mut spec = Spec::new();
        spec.beam("beam", beam);
        let said = spec.build().map(|_| ()).unwrap_err().to_string();
        assert!(said.contains("beam"), "{said}");
    };
    let beam = || swing_beam(2);
    refused(Beam { elements: 0, ..beam() });
    refused(Beam { elements: usize::MAX, ..beam() });
    refused(Beam::straight([0.0; 3], [0.0; 3], strip(), 2));
    refused(Beam::straight([0.0; 3], [f64::NAN, 0.0, 0.0], strip(), 2));
    refused(Beam::straight([0.0; 3], [1.0, 0.0, 1.0], strip(), 2).planar());
    refused(Beam { twist: 0.1, ..beam() });
    refused(Beam { section_y: Some([1.0, 0.0, 0.0]), ..beam() });
    refused(Beam { velocity: [0.0, 0.0, 1.0], ..beam() });
    refused(Beam::straight([0.0; 3], [1.0, 0.0, 0.0], Section { mass: -1.0, ..strip() }, 2));
    refused(Beam::straight([0.0; 3], [1.0, 0.0, 0.0], Section { inertia: [0.0; 6], ..strip() }, 2));
    refused(Beam::new(Curve::Points(vec![]), strip(), 2));
    let mut spec = Spec::new();
    spec.beam("beam", beam()).body("beam_1", PointMass::new(1.0, [0.0; 3]));
    assert!(spec.build().is_err());
    let mut spec = Spec::new();
    spec.beam("a.b", beam());
    assert!(spec.build().is_err());
}

/// Every reference to a body can also name a node.
#[test]
fn formulas_markers_and_events_know_the_nodes() {
    let mut spec = Spec::new();
    spec.beam("beam", swing_beam(2))
        .marker("beam_1.above", Frame::at([0.0, 0.1, 0.0]))
        .constraint("root", Joint::weld("ground", "beam_0"))
        .force(
            "load",
            taut::FormulaForce::new(taut::Measure::coordinate("beam_2.y"), "-0.001*beam_2.vy - 1e-3").unwrap(),
        )
        .event("down", Trigger::when("beam_2.y + 1e-4").falling());
    let s = run(&spec.build().unwrap(), &Transient::to(0.05).every(0.05));
    assert!(
        value(&s, "beam_2.y", 0.05) < -1e-4 && s.column("beam_1.above.x").is_ok() && s.column("beam.e1.Mz").is_ok()
    );
}

/// Elements can also be put between any frames by hand.
#[test]
fn an_element_between_two_bodies() {
    let frames = [Motion::REST, Motion { p: Vec3::new(0.5, 0.0, 0.0), ..Motion::REST }];
    let element = BeamElement::two_node(
        ["ground", "tip"],
        [&frames[0], &frames[1]],
        &strip(),
        Shear::Corrected,
        MotionSpace::Planar,
    );
    let mut spec = Spec::new();
    let (m, j) = (0.2, 1e-4);
    spec.body("tip", taut::PlanarBody::new(m, j).at([0.5, 1e-6], 0.0)).force("leaf", element.unwrap());
    let model = spec.build().unwrap();
    // The lower of the two bending frequencies: [12 EI/l³, −6 EI/l²; −6 EI/l², 4 EI/l] on (y, θ); shear is hardly felt.
    let (EI, l) = (73e9 * 5e-12 / 12.0, 0.5_f64);
    let (a, b, c) = (12.0 * EI / l.powi(3) / m, 6.0 * EI / l.powi(2) / (m * j).sqrt(), 4.0 * EI / l / j);
    let w2 = 0.5 * (a + c) - (0.25 * (a - c).powi(2) + b * b).sqrt();
    let shape = (a - w2) * m.sqrt() / (b * j.sqrt());
    let mut start = model.initial_state();
    start.q[2] = start.q[1] * shape;
    let quarter = 0.5 * PI / w2.sqrt();
    let settings = Transient::to(quarter).tolerance(1e-10, 1e-14).at(vec![quarter]);
    let s = taut::analyses::simulate(&model, &start, &settings).unwrap();
    below("zero after a quarter", s.last("tip.y").unwrap().abs(), 1e-9);
}

/// Nodes can be members of a reduced set: a beam in its first bending mode alone swings with its frequency.
#[test]
fn a_beam_reduced_to_a_mode() {
    let (scaled, M, keep) = pinned(swing_beam(6), 0.0);
    let modes = scaled.symmetric_eigen();
    let first = modes.eigenvalues.imin();
    let w = modes.eigenvalues[first].sqrt();
    let mut shape = vec![0.0; 3 * 7];
    for (i, c) in keep.iter().enumerate() {
        shape[3 * (c / 6) + [0, 1, 2, 2, 2, 2][c % 6]] = modes.eigenvectors[(i, first)] / M[i].sqrt();
    }
    let nodes: Vec<String> = (0..7).map(|k| Beam::node_name("beam", k)).collect();
    let mut spec = Spec::new();
    spec.beam("beam", swing_beam(6)).body("mode", RitzReduction::new(nodes, vec![shape]));
    let model = spec.build().unwrap();
    assert_eq!((model.bodies.len(), model.sizes.v, model.forces.len()), (1, 1, 6));
    let mut start = model.initial_state();
    start.q[0] = 1e-9;
    let quarter = 0.5 * PI / w;
    let s = taut::analyses::simulate(&model, &start, &Transient::to(quarter).tolerance(1e-9, 1e-17).at(vec![quarter]));
    below("zero after a quarter", s.unwrap().last("mode.q1").unwrap().abs(), 1e-15);
}
