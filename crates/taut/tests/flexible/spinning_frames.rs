//! Small motions of spinning bodies: every rotation parametrisation, at any spin, and only with constant coefficients.
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::common;

use common::{below, close};
use taut::analyses::linear::{LinearError, ModeKind, ModeRequest, RotatingFrame, linearise, linearise_frozen, modes};
use taut::beams::{Beam, InertiaModel, Section};
use taut::bodies::{AxisSequence, BodyKind, EulerAngles, EulerParameters, Rodrigues};
use taut::forces::Bushing;
use taut::{Frame, Joint, Model, PointMass, Prescription, RigidBody, Signal, Spec};

/// The same body in every description of its rotation.
fn descriptions(body: &RigidBody) -> Vec<(&'static str, BodyKind)> {
    vec![
        ("quaternion", body.clone().into()),
        ("euler_parameters", EulerParameters { rigid: body.clone() }.into()),
        ("rodrigues", Rodrigues { rigid: body.clone() }.into()),
        ("euler_angles", EulerAngles::new(body.clone(), AxisSequence::Xyz).into()),
    ]
}

/// Frequencies that are not zero, and how many eigenvalues are.
fn spectrum(model: &Model, turning: Option<RotatingFrame>) -> (Vec<[f64; 2]>, usize) {
    let lin = linearise(model, &model.initial_state(), turning).unwrap();
    let all = modes(&lin, ModeRequest::All).unwrap();
    let mut found: Vec<[f64; 2]> =
        all.modes.iter().filter(|m| m.kind != ModeKind::Free).map(|m| [m.lambda.im, m.lambda.re]).collect();
    // Frequencies that differ by round-off only are the same.
    let rounded = |x: f64| (1e9 * x).round();
    found.sort_by(|a, b| rounded(a[0]).total_cmp(&rounded(b[0])).then(a[1].total_cmp(&b[1])));
    (found, all.zeros.unwrap())
}

/// A top on a point below its centre: with the complex lean, I η̈ − i I₃ Ω η̇ − m g l η = 0.
#[test]
fn a_spinning_top_has_the_same_modes_in_every_description() {
    let (m, l, I, axial, g) = (2.0, 0.3, 1.0, 1.5, 9.81);
    for spin in [0.0, 1.0, 30.0, 300.0] {
        let mut top = RigidBody::new(m, [I, I, axial]);
        top.angular_velocity = [0.0, 0.0, spin];
        let mut all = Vec::new();
        for (name, body) in descriptions(&top) {
            let mut spec = Spec::new();
            spec.gravity([0.0, 0.0, -g])
                .body("top", body)
                .marker("top.foot", Frame::at([0.0, 0.0, -l]))
                .marker("ground.foot", Frame::at([0.0, 0.0, -l]))
                .constraint("foot", Joint::spherical("ground.foot", "top.foot"));
            let model = spec.build().unwrap();
            let (found, zeros) = spectrum(&model, None);
            assert_eq!(zeros, 2, "{name} at {spin} rad/s: {found:?}");
            all.push((name, found));
        }
        let (transverse, H) = (I + m * l * l, axial * spin);
        let D = H * H - 4.0 * transverse * m * g * l;
        let exact: Vec<[f64; 2]> = match D > 0.0 {
            true => {
                [(H - D.sqrt()) / (2.0 * transverse), (H + D.sqrt()) / (2.0 * transverse)].map(|w| [w, 0.0]).to_vec()
            }
            false => {
                let (w, rate) = (H / (2.0 * transverse), (-D).sqrt() / (2.0 * transverse));
                match spin == 0.0 {
                    true => vec![[0.0, -rate], [0.0, -rate], [0.0, rate], [0.0, rate]],
                    false => vec![[w, -rate], [w, rate]],
                }
            }
        };
        for (name, found) in &all {
            assert_eq!(found.len(), exact.len(), "{name} at {spin} rad/s: {found:?}");
            for (found, exact) in found.iter().zip(&exact) {
                close(&format!("{name} at {spin} rad/s"), found, exact, 1e-8 * (1.0 + spin));
            }
        }
    }
}

/// A gyro without weight, its centre held by springs of three stiffnesses, tilted and seen from the world and from itself.
#[test]
fn a_gyro_on_springs_has_the_same_modes_in_every_description_and_frame() {
    for spin in [0.0, 1.0, 30.0, 300.0] {
        let mut rotor = RigidBody::new(2.0, [0.3, 0.3, 0.5]);
        rotor.angular_velocity = [0.0, 0.0, spin];
        for turning in [None, Some(RotatingFrame::about([0.0, 0.0, 1.0], spin))] {
            let mut reference: Option<(Vec<[f64; 2]>, usize)> = None;
            for (name, body) in descriptions(&rotor) {
                let mut spec = Spec::new();
                let k = [800.0, 800.0, 500.0, 40.0, 40.0, 0.0];
                spec.body("rotor", body)
                    .force("mount", Bushing::diagonal("ground", "rotor", k, [0.3, 0.3, 0.2, 0.0, 0.0, 0.0]));
                let model = spec.build().unwrap();
                // An anisotropic rotational mount does not suit a spinning body: only the translations are equivalent in the rotating frame.
                let Ok(lin) = linearise(&model, &model.initial_state(), turning) else { continue };
                let all = modes(&lin, ModeRequest::All).unwrap();
                let mut found: Vec<[f64; 2]> =
                    all.modes.iter().filter(|m| m.kind != ModeKind::Free).map(|m| [m.lambda.im, m.lambda.re]).collect();
                found.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
                let zeros = all.zeros.unwrap();
                match &reference {
                    None => reference = Some((found, zeros)),
                    Some((expected, count)) => {
                        assert_eq!((found.len(), zeros), (expected.len(), *count), "{name} at {spin} rad/s");
                        for (found, expected) in found.iter().zip(expected) {
                            close(&format!("{name} at {spin} rad/s"), found, expected, 1e-8 * (1.0 + spin));
                        }
                    }
                }
            }
        }
    }
}

/// A spinning gyro under a moment: the same in all descriptions.
#[test]
fn the_response_of_a_gyro_does_not_depend_on_its_description() {
    let (I, axial, spin) = (0.3, 0.5, 30.0);
    let mut rotor = RigidBody::new(2.0, [I, I, axial]);
    rotor.angular_velocity = [0.0, 0.0, spin];
    for (name, body) in descriptions(&rotor) {
        let mut spec = Spec::new();
        spec.body("rotor", body).constraint("centre", Joint::spherical("ground", "rotor"));
        let model = spec.build().unwrap();
        let lin = linearise(&model, &model.initial_state(), None).unwrap();
        let outputs = lin.outputs(&["rotor.wx", "rotor.wy", "rotor.alpha_x"]).unwrap();
        let found = lin.response(&lin.input("rotor.mx").unwrap(), &outputs, &[2.0]).unwrap().remove(0);
        // With w of the axis, I ẇx + I₃ Ω wy = 1, I ẇy − I₃ Ω wx = 0.
        let s = taut::nalgebra::Complex::new(0.0, 2.0 * std::f64::consts::TAU);
        let H = axial * spin;
        let wx = s * I / (s * s * I * I + H * H);
        let wy = taut::nalgebra::Complex::new(H, 0.0) / (s * s * I * I + H * H);
        // The spin itself leans with the axis, n = (wy, −wx)/s.
        let (wx, wy) = (wx + wy * spin / s, wy - wx * spin / s);
        below(&format!("{name}: wx"), (found[0] - wx).norm(), 1e-8 * wx.norm());
        below(&format!("{name}: wy"), (found[1] - wy).norm(), 1e-8 * wy.norm());
        below(&format!("{name}: alpha"), (found[2] - s * wx).norm(), 1e-7 * (s * wx).norm());
    }
}

/// A mass on springs of two stiffnesses that turn with a hub: periodic in the world, constant in the hub.
fn anisotropic_shaft(rate: f64) -> Model {
    let mut hub = RigidBody::new(1.0, [1.0; 3]);
    hub.angular_velocity = [0.0, 0.0, rate];
    let mut spec = Spec::new();
    spec.body("hub", hub)
        .body("disc", RigidBody::new(1.0, [0.1; 3]).moving([0.0; 3], [0.0, 0.0, rate]))
        .constraint(
            "bearing",
            Joint::fixed("ground", "hub").prescribe_rotation(Prescription::Velocity(Signal::constant(rate))),
        )
        .constraint("upright", Joint::parallel_frames("hub", "disc"))
        .constraint("level", Joint::point_on_plane("hub", "disc"))
        .force("shaft", Bushing::diagonal("hub", "disc", [100.0, 150.0, 0.0, 0.0, 0.0, 0.0], [0.0; 6]));
    spec.build().unwrap()
}

#[test]
fn periodic_coefficients_in_the_fixed_frame_are_rejected() {
    let model = anisotropic_shaft(5.0);
    let error = linearise(&model, &model.initial_state(), None).unwrap_err();
    let LinearError::TimeVarying { remedy, .. } = &error else { panic!("{error}") };
    assert!(remedy.contains("--rotating-about z --rate 5"), "{remedy}");
    assert!(linearise_frozen(&model, &model.initial_state(), None).is_ok());
}

#[test]
fn a_frame_with_another_rate_than_the_rotor_is_rejected_by_name() {
    let model = anisotropic_shaft(5.0);
    let error =
        linearise(&model, &model.initial_state(), Some(RotatingFrame::about([0.0, 0.0, 1.0], 3.0))).unwrap_err();
    let LinearError::TimeVarying { remedy, .. } = &error else { panic!("{error}") };
    assert!(remedy.contains("3 rad/s") && remedy.contains("hub") && remedy.contains("--rate 5"), "{remedy}");
}

#[test]
fn an_anisotropic_shaft_in_its_own_frame() {
    let model = anisotropic_shaft(5.0);
    let (found, _) = spectrum(&model, Some(RotatingFrame::about([0.0, 0.0, 1.0], 5.0)));
    // λ⁴ + (k₁ + k₂ + 2 Ω²) λ² + (k₁ − Ω²)(k₂ − Ω²) = 0 with m = 1.
    let (b, c) = (100.0 + 150.0 + 50.0, (100.0 - 25.0) * (150.0 - 25.0_f64));
    let D = (b * b - 4.0 * c).sqrt();
    let exact = [((b - D) / 2.0).sqrt(), ((b + D) / 2.0).sqrt()];
    close("whirl", &[found[0][0], found[1][0]], &exact, 1e-9);
    close("as in the papers", &exact, &[5.953, 16.265], 1e-3);
}

/// An anisotropic stator with an anisotropic rotor: no frame has constant coefficients.
#[test]
fn anisotropic_rotor_and_stator_have_no_steady_frame() {
    let mut spec = Spec::new();
    let rate = 5.0;
    let mut hub = RigidBody::new(1.0, [1.0; 3]);
    hub.angular_velocity = [0.0, 0.0, rate];
    spec.body("hub", hub)
        .body("disc", PointMass::new(1.0, [0.0; 3]))
        .constraint(
            "bearing",
            Joint::fixed("ground", "hub").prescribe_rotation(Prescription::Velocity(Signal::constant(rate))),
        )
        .constraint("level", Joint::point_on_plane("ground", "disc"))
        .force("shaft", Bushing::diagonal("hub", "disc", [100.0, 150.0, 0.0, 0.0, 0.0, 0.0], [0.0; 6]))
        .force("pedestal", Bushing::diagonal("ground", "disc", [30.0, 20.0, 0.0, 0.0, 0.0, 0.0], [0.0; 6]));
    let model = spec.build().unwrap();
    for turning in [None, Some(RotatingFrame::about([0.0, 0.0, 1.0], rate))] {
        let error = linearise(&model, &model.initial_state(), turning).unwrap_err();
        assert!(matches!(error, LinearError::TimeVarying { .. }), "{error}");
    }
}

/// Soft anisotropy beside an element 10¹⁰ times as stiff is still detected.
#[test]
fn a_soft_anisotropy_beside_a_stiff_spring_is_rejected() {
    let mut spec = Spec::new();
    let rate = 5.0;
    let mut hub = RigidBody::new(1.0, [1.0; 3]);
    hub.angular_velocity = [0.0, 0.0, rate];
    spec.body("hub", hub)
        .body("disc", PointMass::new(1.0, [0.0; 3]))
        .constraint(
            "bearing",
            Joint::fixed("ground", "hub").prescribe_rotation(Prescription::Velocity(Signal::constant(rate))),
        )
        .force("shaft", Bushing::diagonal("hub", "disc", [100.0, 101.0, 1e12, 0.0, 0.0, 0.0], [0.0; 6]));
    let model = spec.build().unwrap();
    let error = linearise(&model, &model.initial_state(), None).unwrap_err();
    assert!(matches!(error, LinearError::TimeVarying { .. }), "{error}");
    assert!(linearise(&model, &model.initial_state(), Some(RotatingFrame::about([0.0, 0.0, 1.0], rate))).is_ok());
}

#[test]
fn an_unsteady_state_is_rejected() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("bob", PointMass { velocity: [1.0, 0.0, 0.0], ..PointMass::new(1.0, [0.0, 0.0, -1.0]) })
        .force("spring", Bushing::diagonal("ground", "bob", [10.0, 10.0, 9.81, 0.0, 0.0, 0.0], [0.0; 6]));
    // Here forces are in balance, but only here.
    let model = spec.build().unwrap();
    let error = linearise(&model, &model.initial_state(), None).unwrap_err();
    assert!(matches!(error, LinearError::Unsteady { .. }), "{error}");
    assert!(linearise_frozen(&model, &model.initial_state(), None).is_ok());
}

/// Consistent inertia makes one body of all nodes; each of them turns.
#[test]
fn a_spinning_beam_whirls_equally_with_consistent_and_lumped_inertia() {
    let rate = 200.0;
    let section = Section::diagonal([1e7, 4e6, 4e6, 200.0, 300.0, 300.0], 2.0, [4e-4, 2e-4, 2e-4]);
    let lowest = |consistent: bool| {
        let inertia = if consistent { InertiaModel::Consistent } else { InertiaModel::Lumped };
        let straight = Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section.clone(), 16);
        let beam = Beam { inertia_model: inertia, angular_velocity: [rate, 0.0, 0.0], ..straight };
        let mut spec = Spec::new();
        spec.beam("shaft", beam)
            .constraint("left", Joint::spherical("ground", "shaft_0"))
            .marker("ground.right", Frame::at([1.0, 0.0, 0.0]).axis([1.0, 0.0, 0.0]))
            .constraint("right", Joint::point_on_line("ground.right", "shaft_16"));
        let model = spec.build().unwrap();
        let lin = linearise(&model, &model.initial_state(), None).unwrap();
        let all = modes(&lin, ModeRequest::Lowest(6)).unwrap();
        let mut w: Vec<f64> = all.modes.iter().filter(|m| m.kind == ModeKind::Vibration).map(|m| m.lambda.im).collect();
        w.sort_by(f64::total_cmp);
        [w[0], w[1]]
    };
    let (lumped, consistent) = (lowest(false), lowest(true));
    close("whirl", &[consistent[0] / lumped[0], consistent[1] / lumped[1]], &[1.0, 1.0], 5e-3);
}
