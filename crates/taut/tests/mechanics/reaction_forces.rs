//! Forces that read the reactions of constraints, against closed forms.

use taut::prelude::*;

/// A block on an incline, held by a slider in the plane; friction from the reaction of the slider.
fn incline(slope: f64, mu: f64) -> Spec {
    let mut spec = Spec::new();
    let ramp = Orientation::Axes { z: [0.0, 0.0, 1.0], x: Some([slope.cos(), slope.sin(), 0.0]) };
    let along = Measure::slide_along("ground.ramp", "block", Axis::X);
    let law = format!("-{mu}*abs(guide.fy_j)*tanh(rate/1e-4)");
    spec.gravity([0.0, -9.81, 0.0])
        .body("block", PlanarBody::rod(2.0, 0.2).at([0.0, 0.0], slope))
        .marker("ground.ramp", Frame::at([0.0; 3]).with_orientation(ramp))
        .constraint("guide", Joint::slider("ground.ramp", "block"))
        .force("friction", FormulaForce::new(along, &law).unwrap());
    spec
}

#[test]
fn a_block_slides_down_with_coulomb_friction() {
    // x'' = g (sin α − μ cos α), once the block moves.
    let (slope, mu) = (0.5_f64, 0.2);
    let model = incline(-slope, mu).build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(1.0).tolerance(1e-9, 1e-9)).unwrap();
    let expected = 9.81 * (slope.sin() - mu * slope.cos());
    assert!(
        (run.last("guide.slide.acceleration").unwrap() - expected).abs() < 1e-9,
        "{:?}",
        run.last("guide.slide.acceleration")
    );
    let reaction = 2.0 * 9.81 * slope.cos();
    assert!((run.last("guide.fy_j").unwrap() - reaction).abs() < 1e-9);
    // The force and its power are those of the solved law; the energy balances.
    let power = -mu * reaction * run.last("guide.slide.rate").unwrap();
    assert!((run.last("friction.power").unwrap() - power).abs() < 1e-8 * power.abs());
    assert!(run.last("energy.balance").unwrap().abs() < 1e-7);
    // Radau IIA agrees.
    let stiff = Transient::to(1.0).integrator(Integrator::RadauIia5).tolerance(1e-9, 1e-9);
    let again = simulate(&model, &model.initial_state(), &stiff).unwrap();
    assert!((again.last("guide.slide").unwrap() - run.last("guide.slide").unwrap()).abs() < 1e-6);
}

/// A disc braked by a shoe on a lever: the friction on the disc changes the force that presses the shoe.
///
/// The shoe slides along y towards the disc, pressed with P; a rod at the angle γ carries its tangential load, so that N = P + T tan γ
/// and T = μ N: N = P/(1 − μ tan γ).
fn shoe_brake(mu: f64, tangent: f64) -> Spec {
    let mut spec = Spec::new();
    let shoe = FormulaForce::new(Measure::coordinate("shoe.x"), &format!("{mu}*abs(press.lambda_relation)")).unwrap();
    let disc = FormulaForce::new(
        Measure::coordinate("disc.theta"),
        &format!("-0.3*{mu}*abs(press.lambda_relation)*tanh(disc.omega/1e-3)"),
    )
    .unwrap();
    spec.body("disc", PlanarBody::new(1.0, 0.5).moving([0.0; 2], 20.0))
        .body("shoe", PointMass::new(1.0, [0.0; 3]))
        .constraint("axle", Joint::pin("ground", "disc"))
        // The rod: y = x tan γ; the disc holds y.
        .constraint("rod", Formula::phi(&format!("shoe.y - {tangent:?}*shoe.x")).unwrap())
        .constraint("press", Relation::new(vec![(1.0, Measure::coordinate("shoe.y"))]))
        .constraint("side", Relation::new(vec![(1.0, Measure::coordinate("shoe.z"))]))
        .force("drag", shoe)
        .force("torque", disc)
        .force("piston", Applied::on_coordinate("shoe.y", Signal::constant(-100.0)));
    spec
}

#[test]
fn a_shoe_brake_multiplies_its_own_force() {
    let (mu, tangent) = (0.4, 0.5);
    let model = shoe_brake(mu, tangent).build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(0.05).tolerance(1e-9, 1e-9)).unwrap();
    // x: T + λ_rod (−tan γ) = 0; y: −P + λ_rod + λ_press = 0, T = μ |λ_press|.
    let pressed = 100.0 / (1.0 + mu / tangent);
    let found = run.last("press.lambda_relation").unwrap();
    assert!((found - pressed).abs() < 1e-9, "{found} {pressed}");
    let slowing = 0.3 * mu * pressed / 0.5;
    assert!((run.last("disc.omega").unwrap() - (20.0 - slowing * 0.05)).abs() < 1e-7);
}

#[test]
fn a_law_that_locks_itself_is_named() {
    // The rod leans the other way: N = P/(1 − μ/tan γ) has no positive solution for μ > tan γ.
    let model = shoe_brake(0.6, -0.5).build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(0.05)).unwrap();
    let Outcome::NotFinite { cause, .. } = &run.outcome else { panic!("{:?}", run.outcome) };
    let text = cause.to_string();
    assert!(text.contains("force `") && text.contains("locks itself"), "{text}");
    // Below the limit it runs.
    let model = shoe_brake(0.4, -0.5).build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(0.05)).unwrap();
    assert!((run.last("press.lambda_relation").unwrap() - 100.0 / (1.0 - 0.8)).abs() < 1e-7);
}

#[test]
fn other_analyses_and_switching_constraints_refuse_it_by_name() {
    let mut spec = incline(-0.5, 0.2);
    let model = spec.build().unwrap();
    let state = model.initial_state();
    let refused = statics(&model, &state, &Statics::default()).unwrap_err().to_string();
    assert!(refused.contains("`friction` reads reactions"), "{refused}");
    let refused: AnalysisError = inverse(&model, &state, &[0.0; 3]).unwrap_err();
    assert!(refused.to_string().contains("`friction` reads reactions"));
    let refused = linearise(&model, &state, None).err().unwrap().to_string();
    assert!(refused.contains("`friction` reads reactions"), "{refused}");
    for method in [taut::analyses::Integrator::GeneralisedAlpha, taut::analyses::Integrator::TrapezoidalIndex3] {
        let refused = simulate(&model, &state, &Transient::to(0.05).integrator(method)).unwrap_err().to_string();
        assert!(refused.contains("`friction` reads reactions"), "{method}: {refused}");
    }
    spec.limits("stop", Measure::coordinate("block.x"), None, Some(3.0), Impact::PLASTIC);
    let error = spec.build().unwrap_err().to_string();
    assert!(error.contains("force `friction`") && error.contains("`stop.upper`"), "{error}");
    let mut spec = incline(-0.5, 0.2);
    spec.constraint("bad", Formula::phi("block.x - guide.fy").unwrap());
    let error = spec.build().unwrap_err().to_string();
    assert!(error.contains("`guide.fy` is a reaction"), "{error}");
}
