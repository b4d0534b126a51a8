//! Rotors: forward and backward whirl of discs that tilt, in modal bodies, beams and closed forms, and damped whirl.
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::common;

use common::{below, close};
use std::f64::consts::TAU;
use taut::analyses::linear::{ModeKind, ModeRequest, RotatingFrame, linearise, modes, steady_state};
use taut::beams::{Beam, Section};
use taut::bodies::{AddedMass, BeamSupport, Flexibility, Modal, ModeSelection};
use taut::forces::Bushing;
use taut::nalgebra::Complex;
use taut::{Joint, Model, Prescription, RigidBody, Signal, Spec};

/// The overhung disc: mass, moments about the shaft and across it.
const DISC: (f64, f64, f64) = (3.0, 0.09, 0.05);
const LENGTH: f64 = 0.5;
const EI: f64 = 800.0;

/// A round shaft along x, stiff against stretching, shear and torsion.
fn shaft(mass: f64, elements: usize) -> Beam {
    let section = Section::diagonal([1e9, 1e11, 1e11, 1e6, EI, EI], mass, [2e-4 * mass, 1e-4 * mass, 1e-4 * mass]);
    Beam::straight([0.0; 3], [LENGTH, 0.0, 0.0], section, elements)
}

/// Clamped in a hub that turns about x.
fn turned(spec: &mut Spec, root: &str, rate: f64) {
    let x = [1.0, 0.0, 0.0];
    spec.marker("ground.bearing", taut::Frame::at([0.0; 3]).axis(x))
        .marker(&format!("{root}.bearing"), taut::Frame::at([0.0; 3]).axis(x))
        .constraint(
            "bearing",
            Joint::fixed("ground.bearing", &format!("{root}.bearing"))
                .prescribe_rotation(Prescription::Position(Signal::polynomial([0.0, rate]))),
        );
}

/// Frequencies in the frame of the shaft, rad/s, the lowest first.
fn whirls(spec: &Spec, rate: f64, count: usize) -> Vec<f64> {
    let model: Model = spec.build().unwrap();
    let turning = Some(RotatingFrame::about([1.0, 0.0, 0.0], rate));
    let state = steady_state(&model, &model.initial_state(), turning).unwrap();
    let lin = linearise(&model, &state, turning).unwrap();
    below("unsteady", lin.unsteadiness, 1e-6);
    let found = modes(&lin, ModeRequest::Lowest(count)).unwrap();
    below("leaving", found.invariance_error, 1e-8);
    let swings = found.modes.iter().filter(|m| m.kind == ModeKind::Vibration);
    swings.map(|m| TAU * m.frequency()).collect()
}

/// The shaft in shapes, the disc a part of its last node.
fn modal(mass: f64, elements: usize, shapes: usize, rate: f64) -> Spec {
    let (m, polar, across) = DISC;
    let mut body = Modal::from_beam(
        shaft(mass, elements),
        BeamSupport::Interface(vec![0, elements]),
        ModeSelection::First(shapes),
    );
    if let Flexibility::Beam(reduced) = &mut body.flexibility {
        reduced.added = vec![AddedMass { node: elements, mass: m, inertia: [polar, across, across] }];
        reduced.shown = vec![0, elements];
    }
    let mut spec = Spec::new();
    spec.body("shaft", body);
    turned(&mut spec, "shaft_0", rate);
    spec
}

/// Stodola and Green: with the complex deflection δ and slope φ of a massless shaft,
/// m δ̈ + k₁₁ δ − k₁₂ φ = 0 and I_t φ̈ − i Ω I_p φ̇ + k₂₂ φ − k₁₂ δ = 0. All four whirls, forward ones positive.
fn stodola_green(rate: f64) -> Vec<f64> {
    let (m, polar, across) = DISC;
    let [k11, k12, k22] = [12.0 * EI / LENGTH.powi(3), 6.0 * EI / LENGTH.powi(2), 4.0 * EI / LENGTH];
    let det = |w: f64| (k11 - m * w * w) * (k22 - across * w * w + polar * rate * w) - k12 * k12;
    // A root lies between each pair of signs; the determinant is positive far out.
    let grid: Vec<f64> = (-4000..=4000).map(|i| f64::from(i) * 0.5 + 0.123).collect();
    let mut roots = Vec::new();
    for pair in grid.windows(2).filter(|p| det(p[0]) * det(p[1]) < 0.0) {
        let (mut a, mut b) = (pair[0], pair[1]);
        for _ in 0..100 {
            let middle = 0.5 * (a + b);
            if det(a) * det(middle) <= 0.0 { b = middle } else { a = middle }
        }
        roots.push(0.5 * (a + b));
    }
    assert_eq!(roots.len(), 4, "{roots:?}");
    roots
}

#[test]
fn an_overhung_disc_whirls_as_stodola_and_green_say() {
    for rate in [0.0, 40.0, 150.0, 400.0] {
        let mut exact: Vec<f64> = stodola_green(rate).iter().map(|w| (w - rate).abs()).collect();
        exact.sort_by(f64::total_cmp);
        let found = whirls(&modal(1e-7, 2, 0, rate), rate, 4);
        assert_eq!(found.len(), 4, "at {rate}: {found:?}");
        for (found, exact) in found.iter().zip(&exact) {
            close(&format!("at {rate} rad/s"), &[found / exact], &[1.0], 2e-6);
        }
    }
}

#[test]
fn a_modal_rotor_whirls_as_its_beam() {
    let (n, mass, rate) = (12, 2.0, 250.0);
    let (m, polar, across) = DISC;
    let mut spec = Spec::new();
    spec.beam("shaft", shaft(mass, n))
        .body("disc", RigidBody::new(m, [polar, across, across]).at([LENGTH, 0.0, 0.0]))
        .constraint("press fit", Joint::fixed(&Beam::node_name("shaft", n), "disc"));
    turned(&mut spec, "shaft_0", rate);
    let exact = whirls(&spec, rate, 6);
    let found = whirls(&modal(mass, n, 8, rate), rate, 6);
    assert_eq!(found.len(), exact.len(), "{found:?} {exact:?}");
    for (k, (found, exact)) in found.iter().zip(&exact).enumerate() {
        close(&format!("whirl {k}: {found} {exact}"), &[found / exact], &[1.0], 1e-4);
    }
}

/// Jeffcott's rotor with losses in the bearings (c_e) and in the shaft itself (c_i), which turns:
/// m z̈ + (c_e + c_i) ż + (k − i Ω c_i) z = 0. Above Ω = ω (1 + c_e/c_i) it whirls by itself.
#[test]
fn the_damped_whirl_of_a_jeffcott_rotor() {
    let (m, k, outer, inner) = (2.0_f64, 5000.0, 3.0, 4.0);
    let bound = (k / m).sqrt() * (1.0 + outer / inner);
    for rate in [20.0, 0.9 * bound, 1.1 * bound] {
        let mut spec = Spec::new();
        spec.body("hub", RigidBody::new(1.0, [0.1; 3]))
            .body("disc", RigidBody::new(m, [0.05, 0.05, 0.08]))
            .constraint(
                "motor",
                Joint::fixed("ground", "hub")
                    .prescribe_rotation(Prescription::Position(Signal::polynomial([0.0, rate]))),
            )
            .constraint("upright", Joint::parallel_frames("hub", "disc"))
            .constraint("level", Joint::point_on_plane("hub", "disc"))
            .force(
                "shaft",
                Bushing::diagonal("hub", "disc", [k, k, 0.0, 0.0, 0.0, 0.0], [inner, inner, 0.0, 0.0, 0.0, 0.0]),
            )
            .force("air", Bushing::diagonal("ground", "disc", [0.0; 6], [outer, outer, 0.0, 0.0, 0.0, 0.0]));
        let model = spec.build().unwrap();
        let turning = Some(RotatingFrame::about([0.0, 0.0, 1.0], rate));
        let state = steady_state(&model, &model.initial_state(), turning).unwrap();
        let lin = linearise(&model, &state, turning).unwrap();
        below("unsteady", lin.unsteadiness, 1e-6);
        let found = modes(&lin, ModeRequest::All).unwrap();
        // λ of z in the world; in the frame of the shaft it is shifted by −Ω, and of each pair the upper one is reported.
        let (b, c) = (Complex::new(outer + inner, 0.0) / m, Complex::new(k, -rate * inner) / m);
        let root = (b * b * 0.25 - c).sqrt();
        let mut exact: Vec<[f64; 2]> =
            [root, -root].map(|r| -b * 0.5 + r - Complex::new(0.0, rate)).map(|l| [l.re, l.im.abs()]).to_vec();
        exact.sort_by(|a, b| a[1].total_cmp(&b[1]));
        let mut moving: Vec<[f64; 2]> = found.modes.iter().map(|m| [m.lambda.re, m.lambda.im]).collect();
        moving.sort_by(|a, b| a[1].total_cmp(&b[1]));
        assert_eq!(found.dimension, Some(4));
        close(&format!("at {rate} rad/s"), moving.as_flattened(), exact.as_flattened(), 1e-7);
        assert_eq!(moving.iter().any(|l| l[0] > 0.0), rate > bound, "{moving:?}");
    }
}

/// A uniform beam as stiff in lag as in flap: what is centrifugal is the same in both, but in lag the ends of the arms come
/// nearer to the axis, ω_lag² = ω_flap² − Ω² (Southwell). Flap as in table 1 of [WrightSmithThresherWang1982].
#[test]
fn flap_and_lag_of_a_rotating_beam() {
    let lowest = |n: usize, rate: f64| {
        let section = Section::diagonal([1e8, 1e8, 1e8, 1e4, 1.0, 1.0], 1.0, [1e-9; 3]);
        let hub = Joint::fixed("ground", "beam_0")
            .prescribe_rotation(Prescription::Position(Signal::polynomial([0.0, rate])));
        let mut spec = Spec::new();
        spec.beam("beam", Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section, n)).constraint("hub", hub);
        let model = spec.build().unwrap();
        let turning = Some(RotatingFrame::about([0.0, 0.0, 1.0], rate));
        let state = steady_state(&model, &model.initial_state(), turning).unwrap();
        let found = modes(&linearise(&model, &state, turning).unwrap(), ModeRequest::Lowest(4)).unwrap();
        let w: Vec<f64> = found.modes.iter().map(|m| TAU * m.frequency()).collect();
        [w[0], w[1], w[2], w[3]]
    };
    for (rate, first, second) in [(2.0_f64, 4.1373, 22.6149), (6.0, 7.3604, 26.8091), (12.0, 13.1702, 37.6031)] {
        let [coarse, fine] = [15, 30].map(|n| lowest(n, rate));
        let w = [0, 1, 2, 3].map(|k| fine[k] + (fine[k] - coarse[k]) / 3.0);
        close(&format!("flap at {rate}"), &[w[1] / first, w[3] / second], &[1.0, 1.0], 2e-4);
        let lag = [first, second].map(|f: f64| (f * f - rate * rate).sqrt());
        close(&format!("lag at {rate}"), &[w[0] / lag[0], w[2] / lag[1]], &[1.0, 1.0], 3e-4);
    }
}

#[test]
fn a_light_shaft_with_a_tilted_disc_is_a_body() {
    // Its frame turns hardly any mass where the disc stays: an M with errors of the first order would not be definite.
    let mut spec = modal(1e-7, 2, 0, 0.0);
    let taut::bodies::BodyKind::Modal(body) = &mut spec.bodies[0].item else { panic!("it is modal") };
    body.amplitudes = vec![0.0, 0.01, 0.02, 0.0, -0.06, 0.05];
    assert!(spec.build().is_ok());
}
