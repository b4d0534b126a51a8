//! Fully prescribed motions against closed forms.

use taut::analyses::{AnalysisError, kinematic};
use taut::{Frame, Joint, Measure, Model, Outcome, PlanarBody, Prescription, Relation, Signal, Spec};

const R: f64 = 0.3;
const L: f64 = 1.0;
const W: f64 = 7.0;

/// Crank of radius R at constant speed W, rod of length L, slider along x.
fn slider_crank(driven: bool) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("crank", PlanarBody::new(1.5, 0.02).com([0.1, 0.0]))
        .body("rod", PlanarBody::rod(0.8, L).at([R + 0.5 * L, 0.0], 0.0))
        .body("slider", PlanarBody::new(0.6, 0.01).at([R + L, 0.0], 0.0))
        .marker("crank.pin", Frame::at([R, 0.0, 0.0]))
        .marker("rod.a", Frame::at([-0.5 * L, 0.0, 0.0]))
        .marker("rod.b", Frame::at([0.5 * L, 0.0, 0.0]))
        .constraint("elbow", Joint::pin("crank.pin", "rod.a"))
        .constraint("wrist", Joint::pin("rod.b", "slider"))
        .constraint("guide", Joint::slider("ground", "slider"))
        .constraint("main", Joint::pin("ground", "crank"));
    if driven {
        let turn = Prescription::Position(Signal::polynomial([0.0, W]));
        spec.constraint("motor", Relation::driver(Measure::angle("ground", "crank"), turn));
    }
    spec.build().unwrap()
}

#[test]
fn slider_crank_against_the_closed_form() {
    let model = slider_crank(true);
    let times: Vec<f64> = (0..=40).map(|i| 0.1 * f64::from(i)).collect();
    let s = kinematic(&model, &model.initial_state(), &times).unwrap();
    assert_eq!(s.outcome, Outcome::Finished);
    assert_eq!(s.t(), &times[..]);
    for (i, t) in times.iter().enumerate() {
        let (sin, cos) = (W * t).sin_cos();
        let root = (L * L - R * R * sin * sin).sqrt();
        let x = R * cos + root;
        let v = -R * W * sin - R * R * W * sin * cos / root;
        let a = -R * W * W * cos
            - R * R * W * W * ((cos * cos - sin * sin) / root + R * R * sin * sin * cos * cos / root.powi(3));
        assert!((s.column("slider.x").unwrap()[i] - x).abs() < 1e-12);
        assert!((s.column("slider.vx").unwrap()[i] - v).abs() < 1e-11);
        assert!((s.column("slider.ax").unwrap()[i] - a).abs() < 1e-9);
        assert!((s.column("main.angle").unwrap()[i] - W * t).abs() < 1e-11);
        assert!((s.column("guide.slide").unwrap()[i] - x).abs() < 1e-12);
        // The motor's power is the rate of the energy: Σ m v·a − Σ m g·v.
        let c = |name: &str| s.column(name).unwrap()[i];
        let (vx, vy, al) = (c("crank.vx"), c("crank.vy"), c("crank.alpha"));
        assert!(vx.abs() < 1e-12 && vy.abs() < 1e-12 && al.abs() < 1e-8);
        let crank = 1.5 * 9.81 * 0.1 * W * cos;
        let rod = 0.8 * (c("rod.vx") * c("rod.ax") + c("rod.vy") * (c("rod.ay") + 9.81))
            + 0.8 / 12.0 * c("rod.omega") * c("rod.alpha");
        let slider = 0.6 * c("slider.vx") * c("slider.ax");
        assert!((c("motor.lambda_relation") * W - (crank + rod + slider)).abs() < 1e-8);
    }
    assert!(s.column("energy.work").is_err());
}

#[test]
fn freedoms_left_over_are_named() {
    let model = slider_crank(false);
    let error = kinematic(&model, &model.initial_state(), &[0.0, 1.0]).unwrap_err();
    let AnalysisError::NotDriven { freedoms, bodies, .. } = &error else { panic!("{error}") };
    assert_eq!(*freedoms, 1);
    assert!(bodies.contains(&"crank".to_string()));
    assert!(error.to_string().contains("add drivers"));
}

#[test]
fn a_motion_beyond_reach_keeps_earlier_poses() {
    // A rod pulled along a slot by its end, farther than it is long.
    let mut spec = Spec::new();
    spec.body("arm", PlanarBody::rod(1.0, 1.0).at([0.4, 0.3], 0.6435))
        .body("block", PlanarBody::new(1.0, 1.0).at([0.8, 0.0], 0.0))
        .marker("arm.a", Frame::at([-0.5, 0.0, 0.0]))
        .marker("arm.b", Frame::at([0.5, 0.0, 0.0]))
        .constraint("foot", Joint::pin("ground", "arm.a"))
        .constraint("rod", Relation::rod("arm.b", "block", 0.5))
        .constraint(
            "drive",
            Joint::weld("ground", "block")
                .prescribe_translation(0, Prescription::Position(Signal::polynomial([0.8, 0.5]))),
        );
    let model = spec.build().unwrap();
    let times: Vec<f64> = (0..=40).map(|i| 0.05 * f64::from(i)).collect();
    let s = kinematic(&model, &model.initial_state(), &times).unwrap();
    let Outcome::ConstraintsLost { t, .. } = s.outcome else { panic!("{}", s.outcome) };
    assert!((t - 1.4).abs() < 0.1, "{t}");
    assert!(s.len() > 20 && s.len() < 35);
    let error = kinematic(&model, &model.initial_state(), &[1.0, 0.5]).unwrap_err();
    assert!(matches!(error, AnalysisError::Times { index: 1, .. }));
}

#[test]
fn four_bar_motor_gives_what_the_energy_takes() {
    let (half_pi, omega) = (std::f64::consts::FRAC_PI_2, 3.0);
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("crank", PlanarBody::rod(1.0, 0.5).at([0.0, 0.25], half_pi))
        .body("coupler", PlanarBody::rod(2.0, 2.0).at([0.9, 1.0], 0.45))
        .body("rocker", PlanarBody::rod(1.5, 1.5).at([2.0, 0.75], half_pi));
    for (name, l) in [("crank", 0.5), ("coupler", 2.0), ("rocker", 1.5)] {
        spec.marker(&format!("{name}.a"), Frame::at([-0.5 * l, 0.0, 0.0]));
        spec.marker(&format!("{name}.b"), Frame::at([0.5 * l, 0.0, 0.0]));
    }
    let turn = Prescription::Position(Signal::polynomial([half_pi, omega]));
    spec.marker("ground.right", Frame::at([2.0, 0.0, 0.0]))
        .constraint("motor", Joint::pin("ground", "crank.a").prescribe_rotation(turn))
        .constraint("elbow", Joint::pin("crank.b", "coupler.a"))
        .constraint("wrist", Joint::pin("coupler.b", "rocker.b"))
        .constraint("right", Joint::pin("ground.right", "rocker.a"));
    let model = spec.build().unwrap();
    let h = 1e-4;
    let times: Vec<f64> = (0..20).flat_map(|i| [-h, 0.0, h].map(|d| 0.1 + 0.15 * f64::from(i) + d)).collect();
    let s = kinematic(&model, &model.initial_state(), &times).unwrap();
    assert_eq!(s.outcome, Outcome::Finished);
    let energy = |i: usize| s.column("energy.kinetic").unwrap()[i] + s.column("energy.potential").unwrap()[i];
    let torque = s.column("motor.mz").unwrap();
    for i in (1..times.len()).step_by(3) {
        let power = (energy(i + 1) - energy(i - 1)) / (2.0 * h);
        assert!((torque[i] * omega - power).abs() < 1e-4, "{} {power}", torque[i] * omega);
    }
}

#[test]
fn turns_are_counted_by_columns_and_springs() {
    // Driven through almost two turns: angle, coordinate and torsion spring agree on how many.
    let mut spec = Spec::new();
    spec.body("rod", PlanarBody::rod(1.0, 1.0))
        .constraint(
            "hinge",
            Joint::pin("ground", "rod").prescribe_rotation(Prescription::Position(Signal::polynomial([0.0, 12.0]))),
        )
        .force("spring", taut::forces::Spring::torsional("ground", "rod", 1.0, 0.0, 0.0));
    let model = spec.build().unwrap();
    let times: Vec<f64> = (0..=20).map(|i| 0.05 * f64::from(i)).collect();
    let s = kinematic(&model, &model.initial_state(), &times).unwrap();
    assert!((s.last("rod.theta").unwrap() - 12.0).abs() < 1e-12);
    assert!((s.last("hinge.angle").unwrap() - 12.0).abs() < 1e-12, "{}", s.last("hinge.angle").unwrap());
    // Constant speed: the driver bears the spring alone.
    assert!((s.last("hinge.mz").unwrap() - 12.0).abs() < 1e-9, "{}", s.last("hinge.mz").unwrap());
}

#[test]
fn a_joint_assembled_half_a_turn_off_is_reported() {
    // Exactly half a turn satisfies the rows as given; any other start is rotated to the right orientation.
    for (angle, warnings) in [(std::f64::consts::PI, 1), (2.8, 0)] {
        let mut spec = Spec::new();
        spec.body("wheel", PlanarBody::new(1.0, 1.0).at([0.0, 0.0], angle)).constraint(
            "axle",
            Joint::pin("ground", "wheel").prescribe_rotation(Prescription::Position(Signal::polynomial([0.0, 1.0]))),
        );
        let model = spec.build().unwrap();
        let s = kinematic(&model, &model.initial_state(), &[0.0, 0.1]).unwrap();
        assert_eq!(s.warnings.len(), warnings, "{:?}", s.warnings);
        assert!(s.warnings.iter().all(|w| w.message.contains("`axle`")));
    }
}

#[test]
fn angles_of_planar_bodies_start_on_the_turn_they_were_given_with() {
    use taut::analyses::{Transient, simulate};
    use taut::forces::Spring;
    use taut::{Joint, PlanarBody, Spec};
    // A wheel at 3/4 of a turn, and a spring at rest there: nothing moves.
    let angle = 1.5 * std::f64::consts::PI;
    let mut spec = Spec::new();
    spec.body("wheel", PlanarBody::new(1.0, 0.5).at([0.0, 0.0], angle))
        .constraint("hub", Joint::pin("ground", "wheel"))
        .force("spring", Spring::torsional("ground", "wheel", 3.0, 0.0, angle));
    let model = spec.build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(1.0).every(0.1)).unwrap();
    assert!(run.column("hub.angle").unwrap().iter().all(|a| (a - angle).abs() < 1e-12));
    assert!(run.column("wheel.omega").unwrap().iter().all(|w| w.abs() < 1e-12));
}
