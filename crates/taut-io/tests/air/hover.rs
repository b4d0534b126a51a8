//! Rotors in hover: momentum theory, annuli, dynamic inflow.

use super::{assert_close, model, run, text};

/// C_T = σa/2 (sin θ/3 − λ cos θ/2) = 2λ² with a sine polar without drag, closed form.
#[test]
fn uniform_inflow_has_the_closed_form() {
    let found = run(&model(&text("hover.toml"), &[("drag", "0")]));
    assert_close(found.last("main.inflow").unwrap() / 210.0, 0.05133684303121937, 1e-8 * 0.05);
    assert_close(found.last("main.ct").unwrap(), 0.005270942904824113, 1e-8 * 0.005);
}

/// C_Q at the same induced velocity with cd = 0.01, adaptive quadrature of the section law.
#[test]
fn the_torque_is_the_integral_of_lift_and_drag() {
    let given = "type = \"prescribed\"\ninflow = \"0.05133684303121937*speed*R\"";
    let found = run(&model(&text("hover.toml").replace("type = \"uniform\"", given), &[]));
    assert_close(found.last("main.cq").unwrap(), 0.00037085593033851945, 1e-8 * 0.00037);
}

/// Drag leans against the thrust: the section law with cd = 0.01 and momentum theory, SciPy (quad, brentq).
#[test]
fn drag_reduces_the_thrust() {
    let found = run(&model(&text("hover.toml"), &[]));
    assert_close(found.last("main.inflow").unwrap() / 210.0, 0.05130538189603938, 1e-8 * 0.05);
    assert_close(found.last("main.ct").unwrap(), 0.005264484422996891, 1e-8 * 0.005);
    assert_close(found.last("main.cq").unwrap(), 0.00037089064326268457, 1e-8 * 0.00037);
    let merit = 0.005264484422996891_f64.powf(1.5) / 2.0_f64.sqrt() / 0.00037089064326268457;
    assert_close(found.last("main.figure_of_merit").unwrap(), merit, 1e-7);
}

/// The planform of Caradonna and Tung (NASA TM 81232) with thin-airfoil slope: σa/2 (r sin θ − λ cos θ) = 4Fλ² in every annulus,
/// root finding on graded panels.
#[test]
fn annuli_give_the_thrust_of_blade_element_momentum_theory() {
    let planform = [("drag", "0"), ("blades", "2"), ("sigma", "0.1061032953945969"), ("root", "1/6")];
    let rotor = |inflow: &str, collective: &str| {
        // Prandtl's factor falls like a square root at the tip, so panels shrink towards it.
        let ends: Vec<String> = (1..=10).map(|k| format!("5*(1 - 0.25^{k})")).collect();
        let text = text("hover.toml")
            .replace("type = \"uniform\"", inflow)
            .replace("stations = 12", &format!("stations = 8\npanel_ends = {ends:?}"))
            .replace("\"0.1 s\"", "\"1 us\"");
        let set: Vec<(&str, &str)> = planform.into_iter().chain([("collective", collective)]).collect();
        run(&model(&text, &set)).last("main.ct").unwrap()
    };
    let rows = [
        ("5 deg", 0.0032497893098787914, 0.0030247968609750362),
        ("8 deg", 0.006430972723355615, 0.005920576125274076),
        ("12 deg", 0.011256165390973322, 0.010283291240230148),
    ];
    for (collective, plain, prandtl) in rows {
        assert_close(rotor("type = \"annular\"", collective), plain, 1e-6 * plain);
        assert_close(rotor("type = \"annular\"\ntip_loss = \"prandtl\"", collective), prandtl, 1e-6 * prandtl);
    }
}

/// After a step of collective from 5 to 8 degrees, 8/3π λ' + 2λ² = C_T is a Riccati equation with a closed form.
#[test]
fn dynamic_inflow_follows_a_step_of_collective() {
    let text = text("hover.toml")
        .replace("type = \"uniform\"", "type = \"pitt_peters\"\ninitial = [\"0.035780082477625985*speed*R\", 0, 0]")
        .replace("every = \"0.05 s\"", "times = [0, \"1/35\", \"2/35\", \"4/35\", \"8/35\", \"16/35\"]")
        .replace("\"0.1 s\"", "\"16/35\"");
    let found = run(&model(&text, &[("drag", "0"), ("slope", "5.7")]));
    let rows = [
        (0.03578008247762598, 0.006537922131068237),
        (0.03981254330382394, 0.006082695370879836),
        (0.042741464671695845, 0.005752047797943575),
        (0.04632667621274157, 0.005347311259942502),
        (0.04897588200985288, 0.005048240934384402),
        (0.04974146196767696, 0.004961814184346007),
    ];
    let (inflow, ct) = (found.column("main.inflow").unwrap(), found.column("main.ct").unwrap());
    assert_eq!(inflow.len(), rows.len());
    for (k, (lambda, thrust)) in rows.into_iter().enumerate() {
        assert_close(inflow[k] / 210.0, lambda, 1e-7 * lambda);
        assert_close(ct[k], thrust, 1e-7 * thrust);
    }
}

/// With a lag the induced velocity approaches that of momentum theory.
#[test]
fn a_lag_ends_at_the_momentum_solution() {
    let text = text("hover.toml")
        .replace("type = \"uniform\"", "type = \"uniform\"\ntime_constant = \"5 ms\"")
        .replace("control = \"collective\"", "control = \"collective*min(1, t/([10 ms]))\"");
    let found = run(&model(&text, &[("drag", "0")]));
    assert_close(found.last("main.inflow").unwrap() / 210.0, 0.05133684303121937, 1e-6);
}

/// A descent at half the induced velocity of hover and more has no momentum solution that holds; the run says so.
#[test]
fn the_vortex_ring_state_is_named() {
    let file = model(&text("hover.toml"), &[("wind_z", "9")]);
    let model = file.build().unwrap();
    let found = taut::analyses::simulate(&model, &model.initial_state(), &file.transient).unwrap();
    assert_eq!(found.verdict, Some(taut::Verdict::Doubtful));
    assert!(found.warnings.iter().any(|w| w.message.contains("`main`") && w.message.contains("vortex-ring")));
}
