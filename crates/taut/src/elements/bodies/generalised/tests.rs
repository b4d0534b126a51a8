use super::*;
use crate::analyses::{Transient, doctor, inverse, simulate};
use crate::dynamics::Dynamics;
use crate::forces::Spring;
use crate::signals::ForceLaw;
use crate::{Action, FormulaForce, Joint, Measure, Outcome, PointMass, Relation, Spec, Trigger, Variable};

fn angle(name: &str) -> GeneralisedCoordinate {
    GeneralisedCoordinate::new(name, CoordinateUnit::Radian)
}

fn length(name: &str) -> GeneralisedCoordinate {
    GeneralisedCoordinate::new(name, CoordinateUnit::Metre)
}

fn built(body: Generalised) -> Result<crate::Model, String> {
    let mut spec = Spec::new();
    spec.body("body", body);
    spec.build().map_err(|e| e.to_string())
}

fn acceleration(model: &crate::Model) -> Vec<f64> {
    let s = model.initial_state();
    let mut dynamics = Dynamics::new(model, &Default::default());
    dynamics.solve_accelerations(s.t, &s.q, &s.v, &s.z).unwrap();
    dynamics.vdot
}

#[test]
fn lagrange_s_equations_of_a_spherical_pendulum() {
    // θ'' = sinθ cosθ φ'² − g/l sinθ, φ'' = −2 cotθ θ'φ'.
    let (theta, dtheta, dphi) = (0.8_f64, 0.3, -1.7);
    let body = Generalised::new([angle("theta").starting(theta, dtheta), angle("phi").starting(0.4, dphi)])
        .kinetic_energy("0.5*2*0.5^2*(theta'^2 + (sin(theta)*phi')^2)")
        .potential_energy("-2*9.81*0.5*cos(theta)");
    let found = acceleration(&built(body).unwrap());
    let expected =
        [theta.sin() * theta.cos() * dphi * dphi - 9.81 / 0.5 * theta.sin(), -2.0 / theta.tan() * dtheta * dphi];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{found} {expected}");
    }
}

#[test]
fn more_coordinates_than_one_pass_differentiates() {
    // A chain of n masses and springs along x: M and K are tridiagonal at most.
    let n = 11;
    let chain = (0..n).map(|i| length(&format!("x{i}")).starting(0.1 * (i as f64).sin(), 0.2));
    let T: Vec<String> = (0..n).map(|i| format!("{}*x{i}'^2/2", i + 1)).collect();
    let V: Vec<String> = (1..n).map(|i| format!("3*(x{i} - x{})^2/2", i - 1)).collect();
    let body = Generalised::new(chain).kinetic_energy(&T.join(" + ")).potential_energy(&V.join(" + "));
    let found = acceleration(&built(body).unwrap());
    let x: Vec<f64> = (0..n).map(|i| 0.1 * (i as f64).sin()).collect();
    for i in 0..n {
        let left = if i > 0 { x[i - 1] - x[i] } else { 0.0 };
        let right = if i + 1 < n { x[i + 1] - x[i] } else { 0.0 };
        let expected = 3.0 * (left + right) / (i + 1) as f64;
        assert!((found[i] - expected).abs() < 1e-14, "{i}");
    }
}

#[test]
fn energy_balances_with_all_degrees_of_velocity() {
    // A bead on a rod that turns with Ω, with a magnetic term: T₂ − T₀ + V is conserved, and T₁ does no work.
    let body = Generalised::new([length("r").starting(0.3, 0.1), length("y").starting(0.0, 0.5)])
        .kinetic_energy("0.5*(r'^2 + y'^2) + 0.5*4*r^2 + 0.7*r*y'")
        .potential_energy("10*r^2 + y^4");
    let model = built(body).unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(3.0).tolerance(1e-12, 1e-12)).unwrap();
    assert!(run.column("energy.balance").unwrap().iter().all(|e| e.abs() < 1e-10));
}

#[test]
fn a_mass_matrix_needs_its_gyroscopic_terms() {
    // The same double oscillator by T, and by M with the Coriolis force of T.
    let q = || [length("s").starting(0.4, 0.7), angle("u").starting(-0.3, 1.1)];
    let by_T = Generalised::new(q()).kinetic_energy("s'^2 + 0.5*cos(u)*s'*u' + 0.5*u'^2").force("u", "-0.2*u'");
    let by_M = Generalised::new(q())
        .mass_matrix(&[&["2", "0.5*cos(u)"], &["0.5*cos(u)", "1"]])
        .force("s", "0.5*sin(u)*u'^2")
        .force("u", "-0.2*u'");
    let [a, b] = [by_T, by_M].map(|body| {
        let model = built(body).unwrap();
        let run = simulate(&model, &model.initial_state(), &Transient::to(2.0).tolerance(1e-12, 1e-12)).unwrap();
        assert!(run.last("energy.balance").unwrap().abs() < 1e-10);
        (run.last("body.s").unwrap(), run.last("body.u'").unwrap(), run.last("energy.work").unwrap())
    });
    assert!((a.0 - b.0).abs() < 1e-10 && (a.1 - b.1).abs() < 1e-10 && (a.2 - b.2).abs() < 1e-10, "{a:?} {b:?}");
}

#[test]
fn it_combines_with_everything_that_names_coordinates() {
    let wheel = Generalised::new([angle("phi")])
        .kinetic_energy("0.5*0.2*phi'^2")
        .force("phi", "drive.value - cart.vx + i")
        .state("i", "-i + phi'", 0.5);
    let mut spec = Spec::new();
    spec.body("wheel", wheel)
        .body("cart", PointMass::new(1.0, [0.0; 3]))
        .body("drive", Variable::new(2.0))
        .force("extra", FormulaForce::new(Measure::coordinate("wheel.phi"), "-0.1*wheel.phi'").unwrap())
        .force("spring", Spring::new(Measure::coordinate("wheel.phi"), ForceLaw::linear(3.0, 0.0, 0.0)))
        .constraint(
            "rack",
            Relation::new(vec![(1.0, Measure::coordinate("cart.x")), (-0.3, Measure::coordinate("wheel.phi"))]),
        )
        .measure("turn", Measure::coordinate("wheel.phi"))
        .event("off", Trigger::at(0.5).then(Action::set("drive.value", "0")));
    let model = spec.build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(1.0).tolerance(1e-11, 1e-11)).unwrap();
    assert_eq!(run.outcome, Outcome::Finished);
    assert!(run.last("energy.balance").unwrap().abs() < 1e-10);
    assert_eq!((run.unit("turn").unwrap(), run.unit("wheel.forces.phi").unwrap()), ("rad", "N m"));
    assert!(run.column("wheel.i").is_ok() && run.column("wheel.phi''").is_ok());
    assert!(doctor(&model, &model.initial_state()).is_ok());
    assert!(inverse(&model, &model.initial_state(), &vec![0.0; model.sizes.v]).is_ok());
    let mut framed = spec.clone();
    framed.constraint("hold", Joint::pin("ground", "wheel"));
    assert!(framed.build().unwrap_err().to_string().contains("has no frames"));
}

#[test]
fn a_switch_in_a_force_is_found_along_the_motion() {
    // A ball on a wall that pushes back only while it is touched; the potential has a kink in its second derivative.
    let body = Generalised::new([length("x").starting(1.0, -1.0)])
        .kinetic_energy("0.5*x'^2")
        .potential_energy("0.5*400*max(-x, 0)^2");
    let model = built(body).unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(3.0).tolerance(1e-11, 1e-11)).unwrap();
    // Half a period of ω = 20 at the wall, then back with the same speed.
    let expected = 3.0 - 1.0 - std::f64::consts::PI / 20.0;
    assert!((run.last("body.x").unwrap() - expected).abs() < 1e-9, "{}", run.last("body.x").unwrap());
}

#[test]
fn bad_input_is_refused_by_name() {
    let x = || Generalised::new([length("x"), length("y")]);
    let refuse = |body: Generalised, what: &str| {
        let said = built(body).map(drop).unwrap_err();
        assert!(said.starts_with("body `body`: ") && said.contains(what), "{said}");
    };
    refuse(Generalised::default(), "at least one coordinate");
    refuse(x(), "give `kinetic_energy` or `mass_matrix`");
    refuse(x().kinetic_energy("x'^2"), "`y` has no inertia of its own");
    refuse(x().kinetic_energy("x'^2 + y'^2 + z'^2"), "unknown name 'z''");
    refuse(x().kinetic_energy("x'^2 + y'^4"), "not quadratic in the velocities");
    refuse(x().kinetic_energy("x'^2 + abs(x)*y'^2"), "must be smooth");
    refuse(x().kinetic_energy("x'^2/x + y'^2"), "it must be finite");
    refuse(x().kinetic_energy("x'^2 + t*y'^2"), "unknown name 't'");
    refuse(x().mass_matrix(&[&["1", "0"]]), "2 rows of 2 entries");
    refuse(x().mass_matrix(&[&["1", "0.1"], &["0.2", "1"]]), "must be symmetric");
    let fine = || x().kinetic_energy("x'^2 + y'^2");
    assert!(built(fine()).is_ok());
    refuse(fine().mass_matrix(&[&["1"]]), "keep one");
    refuse(fine().potential_energy("x' + 1"), "unknown name 'x''");
    refuse(fine().force("u", "1"), "there is no coordinate `u`");
    refuse(fine().force("x", "1").force("x", "2"), "two forces");
    refuse(fine().force("x", "q"), "unknown name 'q'");
    refuse(fine().state("x", "1", 0.0), "is taken");
    let said = built(fine().force("x", "cart.x")).map(drop).unwrap_err();
    assert!(said.contains("cart.x"), "{said}");
}

#[test]
fn a_run_into_a_singular_mass_matrix_names_the_coordinate() {
    // Spherical coordinates straight through the pole: φ loses its inertia.
    let body = Generalised::new([angle("theta").starting(0.5, -1.0), angle("phi").starting(0.0, 1e-3)])
        .kinetic_energy("0.5*(theta'^2 + (sin(theta)*phi')^2)");
    let model = built(body).unwrap();
    let body = match &model.bodies[0].kind {
        super::super::BodyKind::Generalised(body) => body,
        _ => unreachable!(),
    };
    assert_eq!(body.lost_inertia(&[0.5, 0.0], &[1e-6, 0.0]), Some("phi"));
    assert_eq!(body.lost_inertia(&[0.5, 0.0], &[0.1, 0.0]), None);
}
