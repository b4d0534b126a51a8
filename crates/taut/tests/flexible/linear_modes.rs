//! Modes of constrained systems against closed forms and published tables.
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::common;

use common::{below, close};
use std::f64::consts::PI;
use taut::analyses::linear::{
    Linearised, ModeKind, ModeRequest, ModeSet, RotatingFrame, linearise, modes, steady_state,
};
use taut::beams::{Beam, Material, Section, SectionShape};
use taut::forces::{Bushing, Spring};
use taut::motion::Vec3;
use taut::nalgebra::Complex;
use taut::{
    Frame, Joint, Model, Orientation, PointMass, Prescription, Relation, RigidBody, Rolling, Signal, Spec, State,
};

fn about<'m>(model: &'m Model, state: &State, turning: Option<RotatingFrame>) -> Linearised<'m> {
    let lin = linearise(model, state, turning).unwrap();
    below("unsteady", lin.unsteadiness, 1e-6);
    lin
}

fn found(lin: &Linearised, request: ModeRequest) -> ModeSet {
    let found = modes(lin, request).unwrap();
    below("leaving", found.invariance_error, 1e-8);
    found
}

fn frequencies(modes: &ModeSet) -> Vec<f64> {
    modes.modes.iter().filter(|m| m.kind == ModeKind::Vibration).map(|m| m.frequency()).collect()
}

/// Angular frequencies of a model at rest in the state given in it.
fn at_rest(model: &Model, request: ModeRequest) -> Vec<f64> {
    let lin = about(model, &model.initial_state(), None);
    frequencies(&found(&lin, request)).iter().map(|f| 2.0 * PI * f).collect()
}

/// Table 1 of \[Masarati2010\]: 0.5 kg in the middle, both ends pinned. Bending is compared with the same 40 elements solved in
/// arithmetic of 40 digits: in double precision a dense solver is off by 2e-6 in the first frequency, since the highest is
/// 200 000 times as large.
#[test]
fn frequencies_of_the_swing() {
    let aluminium = Material { E: 73e9, nu: 0.3, density: 2700.0 };
    let strip = Section::new(&aluminium, &SectionShape::Rectangle { width: 1e-3, height: 5e-3 }, None).unwrap();
    let mut spec = Spec::new();
    spec.beam("beam", Beam::straight([0.0; 3], [0.72, 0.0, 0.0], strip, 40).planar())
        .body("load", PointMass::new(0.5, [0.36, 0.0, 0.0]))
        .constraint("load", Joint::pin("beam_20", "load"))
        .marker("ground.right", Frame::at([0.72, 0.0, 0.0]))
        .constraint("left", Joint::pin("ground", "beam_0"))
        .constraint("right", Joint::pin("ground.right", "beam_40"));
    let model = spec.build().unwrap();
    let lin = about(&model, &model.initial_state(), None);
    let all = found(&lin, ModeRequest::All);
    // The load is a particle in space and may drift out of the plane.
    assert_eq!((all.zeros, all.dimension), (Some(2), Some(2 * 120)));
    let f = frequencies(&all);
    let exact = [0.4430670373549395, 18.17405836021257, 28.45715338887914];
    for (f, exact) in f.iter().zip(exact) {
        close("bending", &[f / exact], &[1.0], 1e-10);
    }
    close("table 1", &[f[0]], &[0.443], 5e-4);
    close("table 1", &f[1..3], &[18.17, 28.46], 5e-3);
    let axial = f.iter().min_by(|a, b| (*a - 319.477).abs().total_cmp(&(*b - 319.477).abs())).unwrap();
    close("axial", &[*axial], &[319.477], 5e-4);
    // The sparse method finds the same.
    let sparse = frequencies(&found(&lin, ModeRequest::Sparse(7)));
    close("sparse", &sparse, &f[..6], 1e-8);
    // Nearly all of the mass moves up and down in the first mode, and the load carries it.
    let first = &all.modes[1];
    let mass = lin.effective_mass(first);
    below("along x", mass[0], 1e-9);
    assert!(mass[1] > 0.5 && mass[1] < 0.51, "{mass:?}");
    assert_eq!(lin.kinetic_shares(first)[0].name, "load");
    let total: f64 = lin.potential_shares(first).iter().map(|s| s.share).sum();
    close("potential", &[total], &[1.0], 2e-3);
    let shapes = lin.shapes(first);
    let load = shapes.iter().find(|s| s.marker == "load").unwrap();
    close("load moves most", &[load.translation[1].re, load.translation[1].im], &[1.0, 0.0], 1e-12);
}

/// Bending in the xy plane: E I = 1, mass 1 per length, length 1; nearly no shear and no rotary inertia.
fn slender(elements: usize) -> Beam {
    let section = Section::diagonal([1e9, 1e9, 1e9, 1.0, 1.0, 1.0], 1.0, [1e-9; 3]);
    Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section, elements).planar()
}

/// The lowest frequencies of two meshes, extrapolated to elements of no length.
fn extrapolated(make: impl Fn(&mut Spec, usize), count: usize) -> Vec<f64> {
    let [coarse, fine] = [80, 160].map(|n| {
        let mut spec = Spec::new();
        spec.beam("beam", slender(n));
        make(&mut spec, n);
        at_rest(&spec.build().unwrap(), ModeRequest::Lowest(count))
    });
    coarse.iter().zip(&fine).map(|(c, f)| f + (f - c) / 3.0).collect()
}

#[test]
fn beams_with_closed_forms() {
    let supported = extrapolated(
        |spec, n| {
            spec.marker("ground.right", Frame::at([1.0, 0.0, 0.0]))
                .constraint("left", Joint::pin("ground", "beam_0"))
                .constraint("right", Joint::slot("ground.right", &Beam::node_name("beam", n)));
        },
        3,
    );
    let exact: Vec<f64> = (1..=3).map(|k| (f64::from(k) * PI).powi(2)).collect();
    for (k, (f, e)) in supported.iter().zip(&exact).enumerate() {
        close(&format!("supported {k}"), &[f / e], &[1.0], 1e-5);
    }
    // Roots of cos β cosh β = 1, after three free motions in the plane.
    let free = extrapolated(|_, _| {}, 5);
    assert_eq!(free.len(), 2);
    for (f, beta) in free.iter().zip([4.730040744862704_f64, 7.853204624095838]) {
        close("free", &[f / beta.powi(2)], &[1.0], 1e-5);
    }
    // 1 + cos β cosh β + μ β (cos β sinh β − sin β cosh β) = 0 with as much mass at the tip as in the beam.
    let tip = extrapolated(
        |spec, n| {
            spec.constraint("clamp", Joint::weld("ground", "beam_0"))
                .body("tip", PointMass::new(1.0, [1.0, 0.0, 0.0]))
                .constraint("tip", Joint::pin(&Beam::node_name("beam", n), "tip"));
        },
        2,
    );
    let mut beta = [1.25_f64, 4.03];
    for b in &mut beta {
        let g = |b: f64| 1.0 + b.cos() * b.cosh() + b * (b.cos() * b.sinh() - b.sin() * b.cosh());
        for _ in 0..50 {
            *b -= g(*b) * 2e-6 / (g(*b + 1e-6) - g(*b - 1e-6));
        }
    }
    for (f, beta) in tip.iter().zip(beta) {
        close("tip mass", &[f / beta.powi(2)], &[1.0], 1e-5);
    }
}

/// The lowest modes alone, from sparse solves; up to 1800 velocities.
#[test]
fn large_beams_by_sparse_solves() {
    let [coarse, fine] = [300, 600].map(|n| {
        let mut spec = Spec::new();
        spec.beam("beam", slender(n)).constraint("left", Joint::weld("ground", "beam_0"));
        at_rest(&spec.build().unwrap(), ModeRequest::Lowest(4))
    });
    let beta = [1.8751040687119611_f64, 4.694091132974175, 7.854757438237613, 10.995540734875467];
    for ((c, f), beta) in coarse.iter().zip(&fine).zip(beta) {
        // Round-off in K grows with the fourth power of the number of elements.
        close("cantilever", &[(f + (f - c) / 3.0) / beta.powi(2)], &[1.0], 1e-4);
    }
    // And free: three motions without frequency.
    let mut spec = Spec::new();
    spec.beam("beam", slender(250));
    let model = spec.build().unwrap();
    let all = found(&about(&model, &model.initial_state(), None), ModeRequest::Lowest(5));
    assert_eq!(all.modes.iter().filter(|m| m.kind == ModeKind::Free).count(), 3);
    for (f, beta) in frequencies(&all).iter().zip([4.730040744862704_f64, 7.853204624095838]) {
        close("free", &[2.0 * PI * f / beta.powi(2)], &[1.0], 2e-4);
    }
}

/// Flap of a rotating cantilever: \[WrightSmithThresherWang1982\], table 1 (no hub), E I = ρ A = L = 1.
#[test]
fn flap_of_a_rotating_beam() {
    let table = [
        (0.0, 3.5160, 22.0345),
        (1.0, 3.6817, 22.1810),
        (2.0, 4.1373, 22.6149),
        (3.0, 4.7973, 23.3203),
        (4.0, 5.5850, 24.2733),
        (6.0, 7.3604, 26.8091),
        (10.0, 11.2023, 33.6404),
        (12.0, 13.1702, 37.6031),
    ];
    let lowest = |n: usize, omega: f64| {
        // Stiff in the plane of rotation and in torsion, so that flap comes first.
        let section = Section::diagonal([1e8, 1e8, 1e8, 1e4, 1.0, 1e4], 1.0, [1e-9; 3]);
        let hub = Joint::fixed("ground", "beam_0")
            .prescribe_rotation(Prescription::Position(Signal::polynomial([0.0, omega])));
        let mut spec = Spec::new();
        spec.beam("beam", Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section, n)).constraint("hub", hub);
        let model = spec.build().unwrap();
        let turning = Some(RotatingFrame::about([0.0, 0.0, 1.0], omega));
        let state = steady_state(&model, &model.initial_state(), turning).unwrap();
        let f = frequencies(&found(&about(&model, &state, turning), ModeRequest::Lowest(2)));
        [2.0 * PI * f[0], 2.0 * PI * f[1]]
    };
    for (omega, first, second) in table {
        let [coarse, fine] = [15, 30].map(|n| lowest(n, omega));
        let f = [0, 1].map(|k| fine[k] + (fine[k] - coarse[k]) / 3.0);
        close(&format!("first at {omega}"), &f[..1], &[first], 3e-4);
        close(&format!("second at {omega}"), &f[1..], &[second], 3e-3);
    }
}

/// A rigid blade with a hinge off the axis and a spring in it: flap ν² = 1 + 3e/(2(1−e)) + k/(IΩ²), lag without the 1.
#[test]
fn flap_and_lag_of_an_articulated_blade() {
    let (length, mass, arm, k, omega) = (8.9_f64, 100.0, 0.4, 2900.0, 22.0);
    let I = mass * length * length / 3.0;
    let e = arm / (arm + length);
    for (axis, base) in [([0.0, 1.0, 0.0], 1.0), ([0.0, 0.0, 1.0], 0.0)] {
        let central = mass * length * length / 12.0;
        let blade = RigidBody::new(mass, [1e-6, central, central]).at([arm + 0.5 * length, 0.0, 0.0]);
        let mut spec = Spec::new();
        spec.body("hub", RigidBody::new(10.0, [1.0; 3]))
            .body("blade", blade)
            .marker("hub.hinge", Frame::at([arm, 0.0, 0.0]).axis(axis))
            .marker("blade.hinge", Frame::at([-0.5 * length, 0.0, 0.0]).axis(axis))
            .constraint(
                "shaft",
                Joint::fixed("ground", "hub")
                    .prescribe_rotation(Prescription::Position(Signal::polynomial([0.0, omega]))),
            )
            .constraint("hinge", Joint::revolute("hub.hinge", "blade.hinge"))
            .force("spring", Spring::torsional("hub.hinge", "blade.hinge", k, 0.0, 0.0));
        let model = spec.build().unwrap();
        let turning = Some(RotatingFrame::about([0.0, 0.0, 1.0], omega));
        let state = steady_state(&model, &model.initial_state(), turning).unwrap();
        let all = found(&about(&model, &state, turning), ModeRequest::All);
        assert_eq!(all.dimension, Some(2));
        let exact = omega * (base + 1.5 * e / (1.0 - e) + k / (I * omega * omega)).sqrt();
        close("frequency", &[all.modes[0].omega()], &[exact], 1e-8 * exact);
        if base == 1.0 {
            close("flap", &[all.modes[0].omega()], &[22.753627], 1e-6);
        }
    }
}

/// A spinning body on a point: with the complex lean η, I₁ η̈ − i I₃ Ω η̇ − m g l η = 0. Without weight this is nutation at I₃Ω/I₁.
#[test]
fn nutation_and_the_sleeping_top() {
    let (m, l, I, axial, omega) = (2.0_f64, 0.3, 0.05, 0.08, 40.0);
    for g in [0.0, 9.81] {
        let mut spec = Spec::new();
        let mut top = RigidBody::new(m, [I, I, axial]).at([0.0, 0.0, l]);
        top.angular_velocity = [0.0, 0.0, omega];
        spec.gravity([0.0, 0.0, -g])
            .body("top", top)
            .marker("top.foot", Frame::at([0.0, 0.0, -l]))
            .constraint("foot", Joint::spherical("ground", "top.foot"));
        let model = spec.build().unwrap();
        let all = found(&about(&model, &model.initial_state(), None), ModeRequest::All);
        let transverse = I + m * l * l;
        let (H, D) = (axial * omega, ((axial * omega).powi(2) - 4.0 * transverse * m * g * l).sqrt());
        let exact = [(H - D) / (2.0 * transverse), (H + D) / (2.0 * transverse)];
        let mut swings: Vec<Complex<f64>> =
            all.modes.iter().filter(|m| m.kind == ModeKind::Vibration).map(|m| m.lambda).collect();
        swings.sort_by(|a, b| a.im.total_cmp(&b.im));
        assert_eq!(all.dimension, Some(6));
        if g == 0.0 {
            assert_eq!((swings.len(), all.zeros), (1, Some(4)));
            close("nutation", &[swings[0].im], &[exact[1]], 1e-9);
        } else {
            assert_eq!((swings.len(), all.zeros), (2, Some(2)));
            close("top", &[swings[0].im, swings[1].im], &exact, 1e-9);
        }
    }
}

const WHEELBASE: f64 = 1.02;
const TRAIL: f64 = 0.08;
const REAR: f64 = 0.3;
const FRONT: f64 = 0.35;

/// The bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007), table 1: x forward, y right, z down.
fn bicycle() -> Model {
    let (rear, front, y) = ([0.0, 0.0, -REAR], [WHEELBASE, 0.0, -FRONT], [0.0, 1.0, 0.0]);
    let s = Vec3::new((PI / 10.0).sin(), 0.0, (PI / 10.0).cos());
    let head: [f64; 3] = (Vec3::new(WHEELBASE + TRAIL, 0.0, 0.0) - s * 0.9).into();
    let frame = RigidBody { mass: 85.0, inertia: [9.2, 11.0, 2.8, 0.0, 2.4, 0.0], ..RigidBody::default() };
    let fork = RigidBody { mass: 4.0, inertia: [0.05892, 0.06, 0.00708, 0.0, -0.00756, 0.0], ..RigidBody::default() };
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, 9.81])
        .body("rear", RigidBody::new(2.0, [0.0603, 0.12, 0.0603]).at(rear))
        .body("frame", frame.at([0.3, 0.0, -0.9]))
        .body("fork", fork.at([0.9, 0.0, -0.7]))
        .body("front", RigidBody::new(3.0, [0.1405, 0.28, 0.1405]).at(front))
        .marker("ground.plane", Frame::at([0.0; 3]).with_orientation(Orientation::RotationVector([PI, 0.0, 0.0])))
        .marker("rear.axle", Frame::world(rear).axis(y))
        .marker("frame.axle", Frame::world(rear).axis(y))
        .marker("front.axle", Frame::world(front).axis(y))
        .marker("fork.axle", Frame::world(front).axis(y))
        .marker("frame.head", Frame::world(head).axis(s.into()))
        .marker("fork.head", Frame::world(head).axis(s.into()))
        .constraint("rear_axle", Joint::revolute("frame.axle", "rear.axle"))
        .constraint("steer", Joint::revolute("frame.head", "fork.head"))
        .constraint("front_axle", Joint::revolute("fork.axle", "front.axle"))
        .constraint("rear_rolls", Rolling::disc("ground.plane", "rear.axle", REAR))
        .constraint("front_rolls", Rolling::disc("ground.plane", "front.axle", FRONT));
    spec.build().unwrap()
}

/// Table 2 of that paper in full digits: v = 0 … 10 m/s, real and imaginary part, pairs once.
const EIGENVALUES: [&[[f64; 2]]; 11] = [
    &[[-5.530943717653938, 0.0], [-3.1316432479065552, 0.0], [3.131643247906552, 0.0], [5.530943717653935, 0.0]],
    &[[-7.110080146374409, 0.0], [-3.134231250665784, 0.0], [3.5269617099006956, 0.8077402751993111]],
    &[[-8.673879848317371, 0.0], [-3.0715864564151394, 0.0], [2.6823451751274554, 1.6806629659067591]],
    &[[-10.351014672459224, 0.0], [-2.6336613725366536, 0.0], [1.7067560566397355, 2.315824473843247]],
    &[[-12.15861426576443, 0.0], [-1.4294442736132569, 0.0], [0.41325331521124103, 3.07910818603206]],
    &[[-14.078389692798236, 0.0], [-0.7753418821958389, 4.464867713788224], [-0.32286642900408935, 0.0]],
    &[[-16.085371230980275, 0.0], [-1.5264448658414205, 5.876730605987088], [-0.004066900769706243, 0.0]],
    &[[-18.157884661252012, 0.0], [-2.1387564425836247, 7.195259133298043], [0.10268170574766229, 0.0]],
    &[[-20.279408943945636, 0.0], [-2.6934868358109547, 8.460379713969342], [0.14327879765712842, 0.0]],
    &[[-22.437885590408563, 0.0], [-3.21675402252491, 9.693773515317824], [0.1579018403091715, 0.0]],
    &[[-24.624596350173974, 0.0], [-3.7201684043728775, 10.90681139476288], [0.16105338653171383, 0.0]],
];

#[test]
fn eigenvalues_of_the_bicycle_under_its_rolling_constraints() {
    let model = bicycle();
    let mut worst = 0.0_f64;
    for (v, expected) in EIGENVALUES.iter().enumerate() {
        let v = v as f64;
        let mut state = model.initial_state();
        for (b, spin) in [(0, -v / REAR), (1, 0.0), (2, 0.0), (3, -v / FRONT)] {
            state.v[6 * b] = v;
            state.v[6 * b + 4] = spin;
        }
        let all = found(&about(&model, &state, None), ModeRequest::All);
        // Position, heading, wheel angles and speed do not matter.
        assert_eq!((all.dimension, all.zeros), (Some(10), Some(6)), "at {v} m/s");
        let mut moving: Vec<[f64; 2]> =
            all.modes.iter().filter(|m| m.kind != ModeKind::Free).map(|m| [m.lambda.re, m.lambda.im]).collect();
        moving.sort_by(|a, b| a[0].total_cmp(&b[0]));
        assert_eq!(moving.len(), expected.len(), "at {v} m/s: {moving:?}");
        close(&format!("at {v} m/s"), moving.as_flattened(), expected.as_flattened(), 1e-9);
        worst = worst.max(common::distance(moving.as_flattened(), expected.as_flattened()));
    }
    below("all of them", worst, 1e-10);
}

/// Redundant hinges, a closed loop, and a damper: one freedom, whose equation is m s̈ + c ṡ + k s = 0.
#[test]
fn redundant_rows_add_no_modes() {
    let mut spec = Spec::new();
    let (mass, c, k) = (3.0, 2.0, 500.0);
    spec.body("slide", RigidBody::new(mass, [0.1; 3]))
        .marker("slide.end", Frame::at([0.0, 0.0, 1.0]))
        .marker("ground.end", Frame::at([0.0, 0.0, 1.0]))
        .constraint("one", Joint::prismatic("ground", "slide"))
        .constraint("two", Joint::prismatic("ground.end", "slide.end"))
        .force(
            "mount",
            Bushing::diagonal("ground", "slide", [0.0, 0.0, k, 0.0, 0.0, 0.0], [0.0, 0.0, c, 0.0, 0.0, 0.0]),
        );
    let model = spec.build().unwrap();
    let all = found(&about(&model, &model.initial_state(), None), ModeRequest::All);
    assert_eq!((all.dimension, all.zeros, all.modes.len()), (Some(2), Some(0), 1));
    let m = &all.modes[0];
    let omega = (k / mass).sqrt();
    close("frequency", &[m.omega(), m.damping()], &[omega, c / (2.0 * mass * omega)], 1e-9);
}

/// The same pendulum as a rod of constant length, about its lower and its upper rest.
#[test]
fn a_pendulum_hangs_and_stands() {
    for (z, kind) in [(-1.0, ModeKind::Vibration), (1.0, ModeKind::Aperiodic)] {
        let mut spec = Spec::new();
        spec.gravity([0.0, 0.0, -9.81]).body("bob", PointMass::new(2.0, [0.0, 0.0, z]));
        spec.constraint("rod", Relation::rod("ground", "bob", 1.0));
        let model = spec.build().unwrap();
        let all = found(&about(&model, &model.initial_state(), None), ModeRequest::All);
        assert_eq!((all.dimension, all.zeros), (Some(4), Some(0)));
        assert!(all.modes.iter().all(|m| m.kind == kind));
        for m in &all.modes {
            close("rate", &[m.omega()], &[9.81_f64.sqrt()], 1e-10);
        }
    }
}

/// From a horizontal start, where its weight gives no stiffness, it falls to the hanging position.
#[test]
fn a_pendulum_finds_its_equilibrium() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]).body("bob", PointMass::new(2.0, [1.0, 0.0, 0.0]));
    spec.constraint("rod", Relation::rod("ground", "bob", 1.0));
    let model = spec.build().unwrap();
    let state = steady_state(&model, &model.initial_state(), None).unwrap();
    close("bob", &state.q, &[0.0, 0.0, -1.0], 1e-10);
}
