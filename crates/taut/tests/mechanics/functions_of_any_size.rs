//! Formulas, controllers and functions of the user have no limit on their number of names, markers or rows.

use taut::constraints::{UserConstraint, UserHolonomic, UserPlace};
use taut::prelude::*;
use taut::scalar::Scalar;

/// A line of particles with masses 1 + k/4 that fall along x.
fn particles(count: usize) -> Spec {
    let mut spec = Spec::new();
    spec.gravity([10.0, 0.0, 0.0]);
    for k in 0..count {
        spec.body(&format!("p{k}"), PointMass::new(mass(k), [0.0, k as f64, 0.0]));
    }
    spec
}

fn mass(k: usize) -> f64 {
    1.0 + k as f64 / 4.0
}

fn x_after_one_second(spec: &Spec, k: usize) -> f64 {
    let model = spec.build().unwrap();
    let run = simulate(&model, &model.initial_state(), &Transient::to(1.0).tolerance(1e-10, 1e-10)).unwrap();
    run.last(&format!("p{k}.x")).unwrap()
}

#[test]
fn a_formula_reads_forty_bodies() {
    // Σ x = 0 with one multiplier: a_k = g + λ/m_k, λ = −n g/Σ(1/m).
    let n = 40;
    let sum: Vec<String> = (0..n).map(|k| format!("p{k}.x")).collect();
    let mut spec = particles(n);
    spec.constraint("sum", Formula::phi(&sum.join(" + ")).unwrap());
    let lambda = -(n as f64) * 10.0 / (0..n).map(|k| 1.0 / mass(k)).sum::<f64>();
    for k in [0, 17, n - 1] {
        let exact = 0.5 * (10.0 + lambda / mass(k));
        assert!((x_after_one_second(&spec, k) - exact).abs() < 1e-9, "{k}");
    }
}

/// x_k = (k + 1) x_0 for every marker.
#[derive(Debug)]
struct Fan(usize);

impl UserHolonomic for Fan {
    fn rows(&self) -> usize {
        self.0
    }
    fn phi<S: Scalar>(&self, _t: S, at: &[UserPlace<S>], out: &mut [S]) {
        for k in 1..at.len() {
            out[k - 1] = at[k].p[0] - at[0].p[0] * (k + 1) as f64;
        }
    }
}

#[test]
fn a_function_has_twenty_rows_on_twenty_one_markers() {
    // One freedom: a₀ = g Σ m c / Σ m c², c = k + 1.
    let n = 21;
    let names: Vec<String> = (0..n).map(|k| format!("p{k}")).collect();
    let markers: Vec<MarkerReference> = names.iter().map(|name| MarkerReference::frame(name)).collect();
    let mut spec = particles(n);
    spec.constraint("fan", UserConstraint::holonomic(&markers, Fan(n - 1)));
    let moment = |power: i32| (0..n).map(|k| mass(k) * ((k + 1) as f64).powi(power)).sum::<f64>();
    let a0 = 10.0 * moment(1) / moment(2);
    for k in [0, 13, n - 1] {
        let exact = 0.5 * a0 * (k + 1) as f64;
        assert!((x_after_one_second(&spec, k) - exact).abs() < 1e-9 * exact, "{k}");
    }
}

#[test]
fn a_controller_has_a_hundred_inputs() {
    // Σ 0.1 = 10 N against the weight 10 N of the first particle.
    let names: Vec<String> = (0..100).map(|i| format!("u{i}")).collect();
    let mut controller = Controller::new(Measure::coordinate("p0.x"), &format!("-({})", names.join(" + ")));
    for name in &names {
        controller = controller.signal(name, 0.1);
    }
    let mut spec = particles(1);
    spec.force("control", controller);
    assert!(x_after_one_second(&spec, 0).abs() < 1e-12);
}
