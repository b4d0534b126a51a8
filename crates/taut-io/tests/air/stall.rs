//! Dynamic stall of a section held in a stream whose direction jumps: the separation approaches its static value exponentially.

use super::{assert_close, eigenvalues, model, run, text};
use taut::analyses::linear::OperatingPoint;

/// The step of `wagner.toml` with Kirchhoff's plate, whose attached part f falls from 1 at 10° to 0 at 30°; the flow turns from 5° to 20°.
fn section() -> String {
    let f = "min(1, max(0, (pi/6 - alpha)/(pi/9)))";
    let polar = format!("type = \"formula\"\ncl = \"6*alpha*((1 + sqrt({f}))/2)^2\"");
    text("wagner.toml")
        .replace("type = \"linear\"\nslope = \"2*pi\"", &polar)
        .replace(
            "\"1e-4*min(1, t/([1 us]))\"",
            "\"tan(5*pi/180) + (tan(20*pi/180) - tan(5*pi/180))*min(1, t/([1 us]))\"",
        )
        .replace("\"wagner\"", "\"stall\"")
}

#[test]
fn lift_falls_behind_a_step_of_the_angle() {
    let found = run(&model(&section(), &[]));
    let (t, cl) = (found.column("t").unwrap(), found.column("wing.s1.cl").unwrap());
    let alpha = 20.0_f64.to_radians();
    let speed = 1.0 / alpha.cos();
    // cl_att = a α; at f_st = 1/2, cl_sep = cl_att (1 + 3√½)/(4 (1 + √½)); the chord is 2 m.
    let (attached, root) = (6.0 * alpha, 0.5_f64.sqrt());
    let separated = attached * (1.0 + 3.0 * root) / (4.0 * (1.0 + root));
    for (t, cl) in t.iter().zip(cl) {
        let f = 0.5 + 0.5 * (-speed * t / 8.0).exp();
        assert_close(*cl, f * attached + (1.0 - f) * separated, 2e-6);
    }
}

/// The eigenvalue of a held section is −U/(4c).
#[test]
fn the_state_has_the_rate_of_its_lag() {
    let text = section().replace("*min(1, t/([1 us]))", "*0");
    let found = eigenvalues(&model(&text, &[]), OperatingPoint::default());
    assert_eq!(found.len(), 1);
    assert_close(found[0][0], -1.0 / 5.0_f64.to_radians().cos() / 8.0, 1e-10);
}

/// A polar whose lift is proportional to the angle never separates.
#[test]
fn a_linear_polar_stays_attached() {
    let quasi = run(&model(&text("wagner.toml").replace("\"wagner\"", "\"quasi_steady\""), &[]));
    let stall = run(&model(&text("wagner.toml").replace("\"wagner\"", "\"stall\""), &[]));
    assert_close(stall.last("wing.s1.lift").unwrap(), quasi.last("wing.s1.lift").unwrap(), 1e-15);
}
