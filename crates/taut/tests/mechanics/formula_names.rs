//! Names of formulas: coordinates of joints, measures and signals, against elements that do the same without formulas.

use taut::prelude::*;

fn pendulum() -> Spec {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("rod", PlanarBody::rod(1.0, 1.0).at([0.5, 0.0], 0.0))
        .marker("rod.pivot", Frame::at([-0.5, 0.0, 0.0]))
        .marker("rod.tip", Frame::at([0.5, 0.0, 0.0]))
        .constraint("hinge", Joint::pin("ground", "rod.pivot"))
        .measure("height", Measure::slide_along("ground", "rod.tip", Axis::Y))
        .signal("wind", Signal::table([0.0, 0.4, 1.0], [0.0, 2.0, -1.0]).unwrap());
    spec
}

fn run(spec: &Spec, t: f64) -> Solution {
    let model = spec.build().unwrap();
    simulate(&model, &model.initial_state(), &Transient::to(t).tolerance(1e-10, 1e-10)).unwrap()
}

#[test]
fn a_torque_of_the_joint_angle_is_a_torsion_spring() {
    let mut one = pendulum();
    let law = "-12*hinge.angle - 0.5*hinge.angle.rate";
    one.force("spring", FormulaForce::new(Measure::angle("ground", "rod.pivot"), law).unwrap());
    let mut two = pendulum();
    two.force("spring", Spring::torsional("ground", "rod.pivot", 12.0, 0.5, 0.0));
    let (one, two) = (run(&one, 2.0), run(&two, 2.0));
    assert!((one.last("hinge.angle").unwrap() - two.last("hinge.angle").unwrap()).abs() < 1e-9);
    // The columns of the force are those of the marker on which it acts.
    assert!((one.last("spring.mz").unwrap() - two.last("spring.mz").unwrap()).abs() < 1e-8);
}

#[test]
fn angles_in_formulas_count_full_turns() {
    let mut spec = pendulum();
    spec.gravity([0.0; 3]);
    let torque = "if_pos(hinge.angle - 4*pi, 0, 1)";
    spec.force("motor", FormulaForce::new(Measure::coordinate("rod.theta"), torque).unwrap())
        .event("turns", Trigger::when("hinge.angle - 6*pi").then(Action::Stop));
    let found = run(&spec, 60.0);
    // J = 1/3: 4π with α = 3, then 2π at constant speed.
    let speed = (2.0 * 3.0 * 4.0 * std::f64::consts::PI).sqrt();
    let end = speed / 3.0 + 2.0 * std::f64::consts::PI / speed;
    assert!((found.events[0].t - end).abs() < 1e-7, "{} {end}", found.events[0].t);
}

#[test]
fn signals_and_measures_act_in_forces_and_constraints() {
    // A force with a table signal, against an applied force with the same table.
    let mut one = pendulum();
    one.force("push", FormulaForce::new(Measure::coordinate("rod.y"), "3*wind").unwrap());
    let mut two = pendulum();
    let table = Signal::table([0.0, 0.4, 1.0], [0.0, 6.0, -3.0]).unwrap();
    two.force("push", Applied::on_coordinate("rod.y", table));
    let (a, b) = (run(&one, 1.0), run(&two, 1.0));
    assert!((a.last("rod.theta").unwrap() - b.last("rod.theta").unwrap()).abs() < 1e-9);
    // A driven height by formula and by a driver; the velocity jumps at a point of the table.
    let smooth = Signal::smooth_step(0.0, 1.0, 0.0, 0.3);
    let mut one = pendulum();
    one.signal("lift", smooth.clone()).constraint("cam", Formula::phi("height - lift").unwrap());
    let mut two = pendulum();
    let height = Measure::slide_along("ground", "rod.tip", Axis::Y);
    two.constraint("cam", Relation::driver(height, Prescription::Position(smooth)));
    let (a, b) = (run(&one, 0.7), run(&two, 0.7));
    for column in ["rod.theta", "rod.omega", "rod.alpha"] {
        let (x, y) = (a.last(column).unwrap(), b.last(column).unwrap());
        assert!((x - y).abs() < 1e-8 * (1.0 + y.abs()), "{column} {x} {y}");
    }
    assert!((a.last("cam.lambda_phi").unwrap() - b.last("cam.lambda_relation").unwrap()).abs() < 1e-7);
}

#[test]
fn rates_of_joints_and_measures_constrain_velocities() {
    let mut one = pendulum();
    one.body("wheel", PlanarBody::rod(1.0, 0.4)).constraint("axle", Joint::pin("ground", "wheel"));
    let mut two = one.clone();
    one.constraint("gear", Formula::psi("2*hinge.angle.rate - axle.angle.rate").unwrap());
    two.constraint("gear", Formula::psi("2*rod.omega - wheel.omega").unwrap());
    let (a, b) = (run(&one, 1.0), run(&two, 1.0));
    assert!((a.last("wheel.omega").unwrap() - b.last("wheel.omega").unwrap()).abs() < 1e-9);
    assert!((a.last("gear.lambda_psi").unwrap() - b.last("gear.lambda_psi").unwrap()).abs() < 1e-8);
}

#[test]
fn controllers_and_generalised_bodies_read_them_too() {
    let mut spec = pendulum();
    spec.force(
        "control",
        Controller::new(Measure::coordinate("rod.theta"), "-5*hinge.angle - 0.3*x + 0*height").state(
            "x",
            "hinge.angle",
            0.0,
        ),
    );
    let mut same = pendulum();
    same.force("control", Controller::new(Measure::coordinate("rod.theta"), "-5*s - 0.3*x").state("x", "s", 0.0));
    let (a, b) = (run(&spec, 1.0), run(&same, 1.0));
    assert!((a.last("rod.theta").unwrap() - b.last("rod.theta").unwrap()).abs() < 1e-9);
}

#[test]
fn unknown_names_have_suggestions() {
    let build = |text: &str| {
        let mut spec = pendulum();
        spec.force("push", FormulaForce::new(Measure::coordinate("rod.y"), text).unwrap());
        spec.build().unwrap_err().to_string()
    };
    assert!(build("hinge.angel").contains("did you mean `hinge.angle`?"), "{}", build("hinge.angel"));
    assert!(build("hight").contains("did you mean 'height'?"), "{}", build("hight"));
    assert!(build("wind.rote").contains("did you mean `wind.rate`?"), "{}", build("wind.rote"));
}

#[test]
fn a_formula_of_twelve_bodies_has_no_limit_of_eight() {
    let mut spec = Spec::new();
    let terms: Vec<String> = (0..12).map(|i| format!("{}*b{i}.x", i + 1)).collect();
    for i in 0..12 {
        spec.body(&format!("b{i}"), PointMass::new(1.0, [0.0; 3]));
    }
    spec.constraint("sum", Formula::phi(&terms.join(" + ")).unwrap())
        .force("push", Applied::force("b0", [13.0.into(), 0.0.into(), 0.0.into()]));
    let model = spec.build().unwrap();
    let found = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap();
    // v̇ = f − a (a·f)/(a·a) with a = (1, 2, …, 12), a·a = 650.
    for (name, x) in [("b0.ax", 13.0 - 13.0 / 650.0), ("b11.ax", -12.0 * 13.0 / 650.0)] {
        assert!((found.last(name).unwrap() - x).abs() < 1e-12, "{name}");
    }
}
