//! The table: names, units, selection.

use taut::analyses::{Run, Simulation, Transient, simulate};
use taut::{ColumnFamily, Columns, Frame, Joint, Measure, Model, PlanarBody, RigidBody, Spec, Table};

fn model() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("arm", RigidBody::new(1.0, [0.01, 0.1, 0.1]).at([0.5, 0.0, 0.0]))
        .marker("arm.root", Frame::at([-0.5, 0.0, 0.0]).axis([0.0, 1.0, 0.0]))
        .marker("arm.tip", Frame::at([0.5, 0.0, 0.0]))
        .marker("ground.post", Frame::at([0.0, 0.0, 0.0]).axis([0.0, 1.0, 0.0]))
        .constraint("hinge", Joint::revolute("ground.post", "arm.root"))
        .measure("reach", Measure::distance("ground", "arm.tip"))
        .measure("drop", Measure::coordinate("arm.z"));
    spec.build().unwrap()
}

#[test]
fn columns_have_names_units_and_agree_with_each_other() {
    let m = model();
    let s = simulate(&m, &m.initial_state(), &Transient::to(1.0).every(1e-3)).unwrap();
    assert_eq!(s.len(), 1001);
    for (name, unit) in [
        ("t", "s"),
        ("arm.x", "m"),
        ("arm.vx", "m/s"),
        ("arm.ax", "m/s²"),
        ("arm.alpha_y", "rad/s²"),
        ("arm.tip.az", "m/s²"),
        ("reach.rate", "m/s"),
        ("hinge.angle", "rad"),
        ("hinge.angle.rate", "rad/s"),
        ("hinge.fx", "N"),
        ("hinge.mx_j", "N m"),
        ("hinge.lambda_tilt_x", "N m"),
        ("energy.balance", "J"),
        ("step", "s"),
        ("rank", "1"),
    ] {
        assert_eq!(s.unit(name).unwrap(), unit, "{name}");
    }
    for (name, meaning) in [
        ("t", "time"),
        ("arm.x", "x of the reference point of body `arm`"),
        ("arm.tip.az", "z acceleration of marker `arm.tip`"),
        ("reach.rate", "rate of the distance measured as `reach`"),
        ("hinge.angle", "angle of joint `hinge`"),
        ("hinge.fx", "x reaction force of `hinge` on `arm.root`, world axes"),
        ("hinge.mx_j", "x reaction moment of `hinge` on `arm.root`, axes of its first marker"),
        ("hinge.lambda_tilt_x", "multiplier of row `tilt_x` of constraint `hinge`"),
    ] {
        assert_eq!(s.meaning(name).unwrap(), meaning, "{name}");
    }
    assert_eq!(s.names().next(), Some("t"));
    // Rates and accelerations are the derivatives of the values.
    let h = 1e-3;
    let chains = [
        ["arm.tip.z", "arm.tip.vz", "arm.tip.az"],
        ["hinge.angle", "hinge.angle.rate", "hinge.angle.acceleration"],
        ["reach", "reach.rate", "reach.acceleration"],
        ["drop", "drop.rate", "drop.acceleration"],
        ["arm.x", "arm.vx", "arm.ax"],
    ];
    for chain in chains {
        let [x, v, a] = chain.map(|n| s.column(n).unwrap());
        for i in (5..995).step_by(37) {
            assert!(((x[i + 1] - x[i - 1]) / (2.0 * h) - v[i]).abs() < 1e-3, "{chain:?}");
            assert!(((v[i + 1] - v[i - 1]) / (2.0 * h) - a[i]).abs() < 1e-2, "{chain:?}");
        }
    }
    // The reaction in joint axes is the same vector: z of the joint is y of the world.
    let i = 700;
    assert!((s.column("hinge.fz_j").unwrap()[i] - s.column("hinge.fy").unwrap()[i]).abs() < 1e-12);
    // M v̇ = f + Aᵀλ: the reaction is what weight does not explain.
    let expected = 1.0 * s.column("arm.az").unwrap()[i] + 9.81;
    assert!((s.column("hinge.fz").unwrap()[i] - expected).abs() < 1e-10);
}

#[test]
fn an_unknown_column_suggests_the_nearest() {
    let m = model();
    let s = simulate(&m, &m.initial_state(), &Transient::to(0.1)).unwrap();
    let error = s.column("arm.tpi.x").unwrap_err();
    assert!(error.to_string().contains("did you mean `arm.tip.x`"), "{error}");
    assert!(s.column("nothing like it at all").is_err());
}

#[test]
fn only_requested_columns_are_kept() {
    let m = model();
    let run = |c: Columns| simulate(&m, &m.initial_state(), &Transient::to(0.1).columns(c)).unwrap();
    assert_eq!(run(Columns::None).names().collect::<Vec<_>>(), ["t"]);
    assert_eq!(run(Columns::State).names().count(), 1 + 7 + 6);
    let s = run(Columns::Only(vec![ColumnFamily::Energy, ColumnFamily::Joints]));
    let names: Vec<_> = s.names().collect();
    let angle = ["hinge.angle", "hinge.angle.rate", "hinge.angle.acceleration"];
    let energy = ["energy.kinetic", "energy.potential", "energy.work", "energy.balance"];
    assert_eq!(names, [&["t"][..], &angle, &energy].concat());
    // Metadata can be written; the numbers go by another way.
    let text = serde_json::to_string(&s).unwrap();
    assert!(text.contains("hinge.angle") && text.contains("\"outcome\":\"finished\""), "{text}");
    let table: taut::Table = serde_json::from_str(&serde_json::to_string(&s.table).unwrap()).unwrap();
    assert_eq!(table.get("energy.work").unwrap().unit, "J");
}

#[test]
fn a_short_run_with_few_rows_finds_the_extremes_of_its_motion() {
    use taut::forces::FormulaForce;
    use taut::{Prescription, Relation, Signal};
    // A press: the punch resists over the last part of the stroke.
    let mut spec = Spec::new();
    let (crank, rod) = (0.06, 0.22);
    let turn = Prescription::Position(Signal::polynomial([0.0, 3.0 * std::f64::consts::PI]));
    spec.gravity([0.0, -9.81, 0.0])
        .body("crank", PlanarBody::rod(3.0, crank).at([0.5 * crank, 0.0], 0.0))
        .body("rod", PlanarBody::rod(2.0, rod).at([crank + 0.5 * rod, 0.0], 0.0))
        .body("ram", PlanarBody::new(12.0, 0.05).at([crank + rod, 0.0], 0.0))
        .marker("crank.shaft", Frame::at([-0.5 * crank, 0.0, 0.0]))
        .marker("crank.pin", Frame::at([0.5 * crank, 0.0, 0.0]))
        .marker("rod.pin", Frame::at([-0.5 * rod, 0.0, 0.0]))
        .marker("rod.ram", Frame::at([0.5 * rod, 0.0, 0.0]))
        .constraint("shaft", Joint::pin("ground", "crank.shaft"))
        .constraint("crank_pin", Joint::pin("crank.pin", "rod.pin"))
        .constraint("ram_pin", Joint::pin("rod.ram", "ram"))
        .constraint("guide", Joint::slider("ground", "ram"))
        .constraint("motor", Relation::driver(Measure::angle("ground", "crank"), turn))
        .force("work", FormulaForce::new(Measure::coordinate("ram.x"), "if_pos(ram.x - 0.26, -2000, 0)").unwrap());
    let model = spec.build().unwrap();
    let settings = Transient::to(2.0).every(0.1);
    let mut simulation = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
    simulation.search_peaks();
    simulation.run();
    let mut peaks = Table::default();
    simulation.take_peak_rows(&mut peaks);
    assert!(simulation.found_all_peaks());
    let fine = simulate(&model, &model.initial_state(), &settings.every(1e-4)).unwrap();
    let name = "motor.lambda_relation";
    for sign in [1.0, -1.0] {
        let largest = |x: &[f64]| x.iter().map(|x| sign * x).fold(f64::NEG_INFINITY, f64::max);
        let rows = largest(&simulation.table().get(name).unwrap().data);
        let found = rows.max(largest(&peaks.get(name).unwrap().data));
        let expected = largest(fine.column(name).unwrap());
        assert!(found >= expected * (1.0 - 1e-3), "{sign} {name}: {found} of {expected}");
    }
}
