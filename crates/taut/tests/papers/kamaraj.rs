//! \[Kamaraj2021\] §4.2: the flapping blade, as a rigid body on a hinge carried round by a driven hub.

use crate::common::{below, close, run, taut, values, worst};
use taut::analyses::Transient;
use taut::forces::Spring;
use taut::{Frame, Joint, Orientation, Prescription, RigidBody, Signal, Spec};

#[test]
fn flapping_blade() {
    let (length, mass, offset, stiffness, speed) = (8.9, 100.0, 0.4, 2900.0, 22.0);
    let centre = mass * length * length / 12.0;
    let beta0 = 10.0_f64.to_radians();
    // A flat blade with some chord: as J_z − J_x = J_y, its flapping is that of the thin rod.
    let chord = 50.0;
    let tip = [offset + 0.5 * length * beta0.cos(), 0.0, 0.5 * length * beta0.sin()];
    let up = [0.0, -1.0, 0.0];
    let mut spec = Spec::new();
    spec.body("hub", RigidBody::new(10.0, [1.0, 1.0, 1.0]).moving([0.0; 3], [0.0, 0.0, speed]))
        .body(
            "blade",
            RigidBody::new(mass, [chord, centre, centre + chord])
                .at(tip)
                .oriented(Orientation::RotationVector([0.0, -beta0, 0.0]))
                .moving([0.0, speed * tip[0], 0.0], [0.0, 0.0, speed]),
        )
        .marker(
            "hub.hinge",
            Frame::at([offset, 0.0, 0.0]).with_orientation(Orientation::Axes { z: up, x: Some([1.0, 0.0, 0.0]) }),
        )
        .marker(
            "blade.hinge",
            Frame::at([-0.5 * length, 0.0, 0.0])
                .with_orientation(Orientation::Axes { z: up, x: Some([1.0, 0.0, 0.0]) }),
        )
        .constraint(
            "shaft",
            Joint::revolute("ground", "hub")
                .prescribe_rotation(Prescription::Position(Signal::polynomial([0.0, speed]))),
        )
        .constraint("flap", Joint::revolute("hub.hinge", "blade.hinge"))
        .force("spring", Spring::torsional("hub.hinge", "blade.hinge", stiffness, 0.0, 0.0));
    let model = spec.build().unwrap();
    let times = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0];
    let s = run(&model, &Transient::to(5.0).every(0.05).tolerance(1e-12, 1e-12));
    // I β̈ = −(I_cm cos β + m (e + l/2 cos β) l/2) Ω² sin β − k β, converged.
    let beta = [
        -0.11100232676753345,
        0.14053570803389398,
        0.051516013592712566,
        -0.14436696434080387,
        0.06406467096016215,
        0.17252609143905104,
    ];
    let rate = [
        -3.0438368522914736,
        2.3361988005266174,
        3.7744434692931166,
        2.213582322572983,
        -3.6738436958964558,
        0.5947698444743025,
    ];
    for i in 0..6 {
        let found = values(&s, ["flap.angle", "flap.angle.rate"], times[i]);
        close(&format!("flap at {}", times[i]), &found[..1], &beta[i..=i], 1e-8);
        close(&format!("flap rate at {}", times[i]), &found[1..], &rate[i..=i], 2e-7);
    }
    // The speed of the hub is held to round-off (the paper: 1e-13), and the motor's work balances the energy.
    let hub = s.column("hub.wz").unwrap();
    assert!(hub.iter().all(|w| (w - speed).abs() < 1e-13));
    below("blade energy", worst(&s, "energy.balance"), 1e-5);
    taut("blade", &s, 1e-13, 1e-12);
}

#[test]
fn flap_frequency() {
    // Small flapping has the frequency Ω sqrt(1 + 3 e/(2 (1 − e)) + k/(I Ω²)), e = offset/(offset + length),
    // I about the hinge: the printed 1 − 3e is not right.
    let (length, mass, offset, stiffness, speed): (f64, f64, f64, f64, f64) = (8.9, 100.0, 0.4, 2900.0, 22.0);
    let e = offset / (offset + length);
    let hinge = mass * length * length / 3.0;
    let frequency = speed * (1.0 + 1.5 * e / (1.0 - e) + stiffness / (hinge * speed * speed)).sqrt();
    close("frequency", &[frequency], &[22.753627395462885], 1e-12);
    let small = 1e-5;
    let mut spec = Spec::new();
    let tip = [offset + 0.5 * length, 0.0, 0.0];
    let centre = mass * length * length / 12.0;
    let down = Orientation::Axes { z: [0.0, -1.0, 0.0], x: Some([1.0, 0.0, 0.0]) };
    spec.body("hub", RigidBody::new(10.0, [1.0, 1.0, 1.0]).moving([0.0; 3], [0.0, 0.0, speed]))
        .body(
            "blade",
            RigidBody::new(mass, [50.0, centre, centre + 50.0])
                .at(tip)
                .moving([0.0, speed * tip[0], 0.5 * length * small], [0.0, -small, speed]),
        )
        .marker("hub.hinge", Frame::at([offset, 0.0, 0.0]).with_orientation(down.clone()))
        .marker("blade.hinge", Frame::at([-0.5 * length, 0.0, 0.0]).with_orientation(down))
        .constraint(
            "shaft",
            Joint::revolute("ground", "hub").prescribe_rotation(Prescription::Velocity(Signal::constant(speed))),
        )
        .constraint("flap", Joint::revolute("hub.hinge", "blade.hinge"))
        .force("spring", Spring::torsional("hub.hinge", "blade.hinge", stiffness, 0.0, 0.0));
    let s = run(&spec.build().unwrap(), &Transient::to(1.0).every(0.01).tolerance(1e-13, 1e-13));
    for (t, beta) in s.t().iter().zip(s.column("flap.angle").unwrap()) {
        let expected = small / frequency * (frequency * t).sin();
        assert!((beta - expected).abs() < 1e-7 * small, "{t}: {beta} {expected}");
    }
}
