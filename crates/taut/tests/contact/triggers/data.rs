//! Events as text: unknown names are rejected, and JSON round-trips unchanged.

use super::double_pendulum;
use taut::analyses::Direction;
use taut::bodies::Variable;
use taut::constraints::PointPlaneContact;
use taut::{Action, Measure, Named, PointMass, Spec, Trigger};

/// The error of a model with this event.
fn build_error(trigger: Trigger) -> String {
    let mut spec = double_pendulum(0.0);
    spec.body("k", Variable::new(1.0))
        .body("ball", PointMass::new(1.0, [0.0, 0.0, 1.0]))
        .constraint("floor", PointPlaneContact::new("ground", "ball"))
        .measure("bend", Measure::angle("one", "two"))
        .event("odd", trigger);
    spec.build().unwrap_err().to_string()
}

#[test]
fn unknown_names_are_rejected_with_the_nearest() {
    let cases = [
        (Trigger::when("one.thetta"), "did you mean `one.theta`?"),
        (Trigger::when("bent - 1"), "'bend'"),
        (Trigger::when("bend.rat"), "did you mean `bend.rate`?"),
        (Trigger::when("sin(t"), "when"),
        (Trigger::at(1.0).then(Action::lock("weldd")), "did you mean `weld`?"),
        (Trigger::at(1.0).then(Action::unlock("floor")), "opens and closes by itself"),
        (Trigger::at(1.0).then(Action::set("k.valu", "1")), "did you mean `k.value`?"),
        (Trigger::at(1.0).then(Action::set("one.theta", "1")), "only variables can be set"),
        (Trigger::at(1.0).then(Action::set("k.value", "2*k.val")), "did you mean `k.value`?"),
        (Trigger::at(1.0).then(Action::impulse("one.tpi", [1.0, 0.0, 0.0])), "did you mean `one.tip`?"),
        (Trigger::at(1.0).then(Action::push("one.tetha", 1.0)), "did you mean `one.theta`?"),
        (Trigger::at(1.0).then(Action::push("one.theta", f64::NAN)), "must be finite"),
    ];
    for (trigger, expected) in cases {
        let error = build_error(trigger);
        assert!(error.contains("event `odd`") && error.contains(expected), "{error}");
    }
    let mut spec = double_pendulum(0.0);
    spec.event("a", Trigger::at(1.0)).event("a", Trigger::at(2.0));
    assert!(spec.build().unwrap_err().to_string().contains("among events"));
    let mut spec = double_pendulum(0.0);
    spec.unlocked("elbo");
    assert!(spec.build().unwrap_err().to_string().contains("did you mean `elbow`?"));
}

#[test]
fn events_round_trip_through_json() {
    let json = r#"{"name":"stop","when":"t - 2","direction":"rising","crossings":"first","actions":["record",{"lock":{"constraint":"weld"}},{"set":{"variable":"k.value","to":"1"}},{"push":{"coordinate":"one.theta","impulse":2.0}},"stop"]}"#;
    let event: Named<Trigger> = serde_json::from_str(json).unwrap();
    assert_eq!(event.item.direction, Direction::Rising);
    assert_eq!(serde_json::to_string(&event).unwrap(), json);
    let short: Trigger = serde_json::from_str(r#"{"when":"t - 2"}"#).unwrap();
    assert_eq!(short, Trigger::when("t - 2"));
    assert!(serde_json::from_str::<Trigger>(r#"{"when":"t","than":[]}"#).is_err());
    assert!(serde_json::from_str::<Action>(r#"{"lock":{"constrain":"weld"}}"#).is_err());
    let spec = double_pendulum(1.0);
    let again: Spec = serde_json::from_str(&serde_json::to_string(&spec).unwrap()).unwrap();
    assert_eq!(again.build().unwrap().initial_state(), spec.build().unwrap().initial_state());
}
