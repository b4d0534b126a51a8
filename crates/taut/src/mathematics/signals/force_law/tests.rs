use proptest::prelude::*;

use super::*;
use crate::signals::{Extrapolation, Interpolation, SplineEnds};

/// A law with a potential, written as a user would.
#[derive(Debug)]
struct Pendulum;

impl ForceLawFunction for Pendulum {
    fn force(&self, s: Dual<2>, rate: Dual<2>, _: f64) -> Dual<2> {
        -s.sin() * 9.81 - rate * 0.1
    }

    fn stored_energy(&self, s: Dual<1>) -> Option<Dual<1>> {
        Some((1.0 - s.cos()) * 9.81)
    }
}

fn characteristic(x: &[f64], force: &[f64]) -> Characteristic {
    let (x, force) = (x.to_vec(), force.to_vec());
    Characteristic::new(x, force, Interpolation::Spline(SplineEnds::Natural), Extrapolation::Linear).unwrap()
}

fn writable() -> Vec<ForceLaw> {
    vec![
        ForceLaw::Linear(LinearLaw { stiffness: 1.0 / 3.0, damping: 0.1, rest: 0.7, preload: 1e-3 }),
        ForceLaw::Polynomial(PolynomialLaw {
            stiffness: vec![3.0, -0.2, 1.1],
            damping: vec![0.1, 0.0, 0.3],
            rest: 0.1,
            preload: 0.4,
        }),
        ForceLaw::Table(TableLaw {
            elastic: Some(characteristic(&[-1.0, -0.3, 0.4, 1.2], &[-3.0, -0.7, 0.8, 5.0])),
            viscous: Some(characteristic(&[-2.0, 0.0, 2.0], &[-1.0, 0.0, 0.4])),
            rest: 0.2,
        }),
        ForceLaw::expression("-3*s - 0.1*rate*abs(rate) + sin(t)").unwrap(),
    ]
}

fn every_kind() -> Vec<ForceLaw> {
    let mut laws = writable();
    laws.push(ForceLaw::Custom(Arc::new(Pendulum)));
    laws.push(ForceLaw::custom("drag", |_, rate, t| -rate * rate.abs() * t));
    laws
}

#[test]
fn round_trips_are_exact() {
    for law in writable() {
        let value = serde_json::to_value(&law).unwrap();
        let back: ForceLaw = serde_json::from_value(value).unwrap();
        assert_eq!(back, law);
        for (s, rate, t) in [(0.3, -0.7, 0.0), (-5.0, 3.0, 1.0), (0.9, 0.01, 2.0)] {
            let bits = |law: &ForceLaw| law.force(s, rate, t).to_bits();
            assert_eq!(bits(&law), bits(&back));
        }
    }
}

#[test]
fn reads_with_defaults_and_bare_formulas() {
    let read = |text: &str| serde_json::from_str::<ForceLaw>(text).unwrap();
    assert_eq!(read(r#"{"type": "linear", "stiffness": 10}"#), ForceLaw::linear(10.0, 0.0, 0.0));
    assert_eq!(read(r#""-2*s""#).force(3.0, 0.0, 0.0), -6.0);
    let damper = r#"{"type": "table", "viscous": {"x": [0, 1], "force": [0, 5]}}"#;
    assert_eq!(read(damper).force(9.0, 2.0, 0.0), -10.0);
}

#[test]
fn what_is_refused_says_why() {
    for (text, reason) in [
        (r#"{"type": "linear", "stifness": 1}"#, "unknown field `stifness`"),
        (r#"{"type": "spring"}"#, "unknown variant `spring`"),
        (r#""-k*s""#, "expression law: at byte 1"),
        ("5", "an expression in s, rate and t, or a force law with a type"),
        (
            r#"{"type": "table", "elastic": {"x": [0], "force": [0]}}"#,
            "characteristic of a table law: 1 point(s) are too few",
        ),
    ] {
        let error = serde_json::from_str::<ForceLaw>(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    assert!(ForceLaw::linear(f64::NAN, 0.0, 0.0).check().is_err());
    for law in every_kind() {
        assert_eq!(law.check(), Ok(()));
    }
}

#[test]
fn a_custom_law_prints_and_stays_out_of_files() {
    let drag = ForceLaw::custom("drag", |_, rate, _| -rate);
    assert_eq!(format!("{drag:?}"), "Custom(drag)");
    assert!(serde_json::to_string(&drag).is_err());
    assert_eq!(drag.clone(), drag);
    assert_eq!(drag.stored_energy(1.0), None);
    assert_eq!(drag.conservative_force(1.0), 0.0);
    assert_eq!(drag.nonconservative_force(1.0, 2.0, 0.0), -2.0);
}

proptest! {
    #[test]
    fn slopes_match_central_differences(
        s in -2.0..2.0_f64, rate in -3.0..3.0_f64, t in 0.0..2.0_f64,
    ) {
        let h = 1e-5;
        for law in every_kind() {
            let along_s = (law.force(s + h, rate, t) - law.force(s - h, rate, t)) / (2.0 * h);
            let along_rate = (law.force(s, rate + h, t) - law.force(s, rate - h, t)) / (2.0 * h);
            let (ds, drate) = law.derivatives(s, rate, t);
            prop_assert!((ds - along_s).abs() < 1e-3, "{law:?}");
            prop_assert!((drate - along_rate).abs() < 1e-3, "{law:?}");
        }
    }

    #[test]
    fn elastic_force_is_minus_the_slope_of_the_energy(s in -3.0..3.0_f64) {
        let h = 1e-5;
        for law in every_kind() {
            let (Some(behind), Some(ahead)) = (law.stored_energy(s - h), law.stored_energy(s + h))
            else {
                prop_assert_eq!(law.conservative_force(s), 0.0);
                continue;
            };
            let slope = (ahead - behind) / (2.0 * h);
            prop_assert!((law.conservative_force(s) + slope).abs() < 1e-6, "{law:?}");
        }
    }

    #[test]
    fn the_parts_make_up_the_force(
        s in -3.0..3.0_f64, rate in -3.0..3.0_f64, t in 0.0..2.0_f64,
    ) {
        for law in every_kind() {
            let parts = law.conservative_force(s) + law.nonconservative_force(s, rate, t);
            prop_assert!((parts - law.force(s, rate, t)).abs() < 1e-13, "{law:?}");
        }
    }
}
