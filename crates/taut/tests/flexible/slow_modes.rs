//! Cases in which modes were lost or misclassified: slow beside fast modes, real pairs, small beside large models.
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::common;

use common::{below, close};
use taut::analyses::linear::{Eigenmode, Linearised, ModeKind, ModeRequest, ModeSet, RotatingFrame, linearise, modes};
use taut::forces::Spring;
use taut::nalgebra::Complex;
use taut::{Frame, Joint, Measure, Model, PointMass, Relation, RigidBody, Spec};

/// Masses on slides along x in a row from the ground, each with a spring and damper to the one before.
fn row(links: &[(f64, f64, f64)], spacing: f64) -> Model {
    let x = [1.0, 0.0, 0.0];
    let mut spec = Spec::new();
    spec.marker("ground.rail", Frame::at([0.0; 3]).axis(x));
    let name = |i: usize| if i == 0 { "ground".to_string() } else { format!("m{i}") };
    for (i, (mass, k, c)) in links.iter().enumerate() {
        let (before, here) = (name(i), name(i + 1));
        let at = spacing * (i + 1) as f64;
        spec.body(&here, PointMass::new(*mass, [at, 0.0, 0.0]))
            .constraint(&format!("guide{i}"), Joint::point_on_line("ground.rail", &here))
            .force(&format!("spring{i}"), Spring::linear(&before, &here, *k, *c, spacing));
    }
    if links.len() > 1 {
        spec.measure("gap", Measure::distance("m1", "m2"));
    }
    spec.build().unwrap()
}

fn about(model: &Model) -> Linearised<'_> {
    linearise(model, &model.initial_state(), None).unwrap()
}

fn found(model: &Model, request: ModeRequest) -> ModeSet {
    modes(&about(model), request).unwrap()
}

/// The lower root of the chain of two, ω² = (b − √(b² − 4 c))/2 without its cancellation.
fn slow(m: [f64; 2], k: [f64; 2]) -> f64 {
    let (b, c) = ((k[0] + k[1]) / m[0] + k[1] / m[1], k[0] * k[1] / (m[0] * m[1]));
    (2.0 * c / (b + (b * b - 4.0 * c).sqrt())).sqrt()
}

#[test]
fn a_soft_spring_beside_a_stiff_one_is_not_free() {
    let m = [1.0, 2.0];
    // A soft spring behind a stiff one, by all methods.
    let k = [1e10, 1e-4];
    for c in [0.0, 1.0] {
        for request in [ModeRequest::All, ModeRequest::Sparse(2)] {
            let all = found(&row(&[(m[0], k[0], c), (m[1], k[1], 0.0)], 1.0), request);
            assert_eq!(all.modes[0].kind, ModeKind::Vibration, "{request:?}, c = {c}");
            close("slow", &[all.modes[0].lambda.im / slow(m, k)], &[1.0], 1e-6);
        }
    }
    // A soft spring that carries a stiff one along: the last digit of 1e10 + soft is 1.9e-6, half of which is in ω.
    for (soft, tolerance) in [(1.0, 1e-6), (1e-2, 1.9e-4)] {
        for c in [0.0, 1e-3] {
            let all = found(&row(&[(m[0], soft, c), (m[1], 1e10, 0.0)], 1.0), ModeRequest::All);
            assert_eq!((all.modes[0].kind, all.zeros), (ModeKind::Vibration, Some(0)), "{soft}, c = {c}");
            close("carried", &[all.modes[0].omega() / slow(m, [soft, 1e10])], &[1.0], tolerance);
        }
    }
    // And without it both are free.
    for c in [0.0, 1.0] {
        let all = found(&row(&[(m[0], 0.0, 0.0), (m[1], 1e10, c)], 1.0), ModeRequest::All);
        assert_eq!((all.modes[0].kind, all.zeros), (ModeKind::Free, Some(2)), "c = {c}");
    }
}

fn rates(modes: &[Eigenmode]) -> Vec<f64> {
    let mut found: Vec<f64> = modes.iter().filter(|m| m.kind == ModeKind::Aperiodic).map(|m| m.lambda.re).collect();
    found.sort_by(f64::total_cmp);
    found
}

#[test]
fn both_real_eigenvalues_of_a_pair_come_from_sparse_solves() {
    // An overdamped oscillator, λ² + 5 λ + 4 = 0, beside a row of others.
    let mut links = vec![(1.0, 1e3, 0.0); 30];
    let mut spec = Spec::new();
    spec.body("slow", PointMass::new(1.0, [0.0, 1.0, 0.0]))
        .marker("ground.beside", Frame::at([0.0, 1.0, 0.0]).axis([1.0, 0.0, 0.0]))
        .constraint("guide", Joint::point_on_line("ground.beside", "slow"))
        .force("law", Spring::new(Measure::coordinate("slow.x"), taut::signals::ForceLaw::linear(4.0, 5.0, 0.0)));
    let x = [1.0, 0.0, 0.0];
    spec.marker("ground.rail", Frame::at([0.0; 3]).axis(x));
    for (i, (mass, k, _)) in links.drain(..).enumerate() {
        let (before, here) = (if i == 0 { "ground".to_string() } else { format!("m{i}") }, format!("m{}", i + 1));
        spec.body(&here, PointMass::new(mass, [(i + 1) as f64, 0.0, 0.0]))
            .constraint(&format!("guide{i}"), Joint::point_on_line("ground.rail", &here))
            .force(&format!("spring{i}"), Spring::linear(&before, &here, k, 0.0, 1.0));
    }
    let model = spec.build().unwrap();
    close("overdamped", &rates(&found(&model, ModeRequest::Sparse(8)).modes), &[-4.0, -1.0], 1e-8);
    // A pendulum that stands, without any damping: it falls as fast as it could rise.
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]).body("bob", PointMass::new(2.0, [0.0, 0.0, 1.0]));
    spec.constraint("rod", Relation::rod("ground", "bob", 1.0));
    let model = spec.build().unwrap();
    let rate = 9.81_f64.sqrt();
    close("standing", &rates(&found(&model, ModeRequest::Sparse(4)).modes), &[-rate, -rate, rate, rate], 1e-8);
}

#[test]
fn the_potential_of_a_pendulum_is_that_of_its_reaction() {
    let (m, l) = (3.0, 0.7);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("rod", RigidBody::new(m, [0.1, 0.1, 0.02]).at([0.0, 0.0, -l]))
        .marker("ground.hinge", Frame::at([0.0; 3]).axis([0.0, 1.0, 0.0]))
        .marker("rod.hinge", Frame::at([0.0, 0.0, l]).axis([0.0, 1.0, 0.0]))
        .marker("rod.foot", Frame::at([0.0, 0.0, -l]))
        .marker("ground.foot", Frame::at([1.0, 0.0, -2.0 * l]))
        .constraint("hinge", Joint::revolute("ground.hinge", "rod.hinge"))
        .force("spring", Spring::linear("ground.foot", "rod.foot", 5.0, 0.0, 1.0));
    let model = spec.build().unwrap();
    let lin = about(&model);
    let mode = &modes(&lin, ModeRequest::All).unwrap().modes[0];
    // m g l by the weight, k (2 l)² by the spring.
    let (weight, spring) = (m * 9.81 * l, 5.0 * 4.0 * l * l);
    close("omega", &[mode.omega()], &[((weight + spring) / (m * l * l + 0.1)).sqrt()], 1e-8);
    let shares = lin.potential_shares(mode);
    let of = |name: &str| shares.iter().find(|s| s.name == name).map_or(0.0, |s| s.share);
    close("shares", &[of("hinge"), of("spring")], &[weight / (weight + spring), spring / (weight + spring)], 1e-5);
}

#[test]
fn differences_do_not_depend_on_the_length_unit() {
    // A chain of a few micrometres and its outputs.
    let model = row(&[(1e-9, 1e-3, 0.0), (1e-9, 1e-3, 0.0)], 1e-6);
    let lin = about(&model);
    let outputs = lin.outputs(&["gap", "spring1.fx"]).unwrap();
    let found = &lin.response(&lin.input("m2.fx").unwrap(), &outputs, &[0.0]).unwrap()[0];
    // A unit of force stretches each spring by 1/k, and each passes it on.
    close("gap", &[found[0].re * 1e-3, found[1].re], &[1.0, -1.0], 1e-8);
    // A conical pendulum: ω² = Ω² (1 + 3 cos² θ) in the frame that turns along with Ω² = g/(l cos θ).
    for l in [1.0, 1e-6] {
        let (s, c) = 0.6_f64.sin_cos();
        let rate = (9.81 / (l * c)).sqrt();
        let mut bob = PointMass::new(1.0, [l * s, 0.0, -l * c]);
        bob.velocity = [0.0, rate * l * s, 0.0];
        let mut spec = Spec::new();
        spec.gravity([0.0, 0.0, -9.81]).body("bob", bob).constraint("rod", Relation::rod("ground", "bob", l));
        let model = spec.build().unwrap();
        let lin = linearise(&model, &model.initial_state(), Some(RotatingFrame::about([0.0, 0.0, 1.0], rate))).unwrap();
        below("unsteady", lin.unsteadiness, 1e-9);
        let all = modes(&lin, ModeRequest::All).unwrap();
        let swings: Vec<Complex<f64>> =
            all.modes.iter().filter(|m| m.kind == ModeKind::Vibration).map(|m| m.lambda).collect();
        assert_eq!(swings.len(), 1, "l = {l}: {:?}", all.modes.iter().map(|m| m.lambda).collect::<Vec<_>>());
        close(&format!("l = {l}"), &[swings[0].im / rate], &[(1.0 + 3.0 * c * c).sqrt()], 1e-8);
    }
}
