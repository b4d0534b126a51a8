//! Names: unknown, of the wrong kind, duplicated, invalid; and joints without bodies.

use super::{pendulum, refused};
use taut::forces::{Applied, Spring};
use taut::{
    BuildError, Frame, Joint, KnifeEdge, Measure, PointMass, Prescription, Relation, RotationMask, Signal, Spec,
};

#[test]
fn unknown_names() {
    let mut spec = pendulum();
    spec.marker("rood.tip", Frame::at([0.0; 3]));
    let error = refused(&spec, &["marker `rood.tip`", "`rood`", "no such body", "did you mean `rod`?"]);
    assert!(matches!(error, BuildError::UnknownBody { .. }));

    let mut spec = pendulum();
    spec.constraint("other", Joint::pin("ground", "rod.ende"));
    let error = refused(&spec, &["constraint `other`", "`rod.ende`", "no such marker", "did you mean `rod.end`?"]);
    assert!(matches!(error, BuildError::UnknownMarker { family: "constraint", .. }));

    let mut spec = pendulum();
    spec.force("spring", Spring::linear("gruond", "rod", 1.0, 0.0, 1.0));
    refused(&spec, &["force `spring`", "`gruond`", "did you mean `ground`?"]);

    let mut spec = pendulum();
    spec.measure("reach", Measure::distance("ground", "zebra"));
    let error = refused(&spec, &["measure `reach`", "`zebra`", "no such marker"]);
    assert!(!error.to_string().contains("did you mean"), "{error}");

    let mut spec = pendulum();
    spec.constraint("lift", Relation::driver(Measure::coordinate("rod.theat"), Prescription::Fixed));
    refused(&spec, &["constraint `lift`", "did you mean `rod.theta`?"]);
}

#[test]
fn markers_of_the_wrong_kind() {
    let mut spec = pendulum();
    spec.constraint("other", Joint::pin("ground", "rod.theta"));
    let error = refused(&spec, &["constraint `other`", "`rod.theta`", "is a coordinate", "needs a frame"]);
    assert!(matches!(error, BuildError::WrongMarker { found: "coordinate", needed: "frame", .. }));
    let mut spec = pendulum();
    spec.force("motor", Applied::on_coordinate("rod.end", Signal::constant(1.0)));
    let error = refused(&spec, &["force `motor`", "`rod.end`", "is a frame", "needs a coordinate"]);
    assert!(matches!(error, BuildError::WrongMarker { found: "frame", needed: "coordinate", .. }));
}

#[test]
fn names_given_twice_or_impossible() {
    let mut spec = pendulum();
    spec.body("rod", PointMass::new(1.0, [0.0; 3]));
    let error = refused(&spec, &["`rod` is given twice", "unique among bodies"]);
    assert_eq!(error, BuildError::DuplicateName { name: "rod".to_string(), family: "bodies" });
    let mut spec = pendulum();
    spec.marker("rod.end", Frame::default());
    refused(&spec, &["`rod.end` is given twice", "markers"]);
    let mut spec = pendulum();
    spec.constraint("hinge", Joint::pin("ground", "rod"));
    refused(&spec, &["`hinge` is given twice", "constraints"]);
    let mut spec = pendulum();
    spec.force("f", Applied::default()).force("f", Applied::default());
    refused(&spec, &["`f` is given twice", "forces"]);
    for name in ["ground", "", "a.b"] {
        let mut spec = Spec::new();
        spec.body(name, PointMass::new(1.0, [0.0; 3]));
        let error = refused(&spec, &["cannot be the name of a body", "no dot"]);
        assert!(matches!(error, BuildError::BadName { .. }));
    }
    let mut spec = pendulum();
    spec.marker("tip", Frame::default());
    refused(&spec, &["`tip` cannot be the name of a marker", "`body.marker`"]);
}

#[test]
fn joints_without_bodies() {
    let mut spec = pendulum();
    spec.marker("rod.tip", Frame::default()).constraint("loop", Joint::pin("rod.end", "rod.tip"));
    let error = refused(&spec, &["constraint `loop`", "`rod` with itself", "different bodies"]);
    assert_eq!(error, BuildError::SelfJoint { name: "loop".to_string(), body: "rod".to_string() });
    let mut spec = pendulum();
    spec.marker("ground.b", Frame::default()).constraint("loop", Joint::weld("ground", "ground.b"));
    let error = refused(&spec, &["constraint `loop`", "`ground` with itself"]);
    assert_eq!(error, BuildError::SelfJoint { name: "loop".to_string(), body: "ground".to_string() });
    let mut spec = pendulum();
    spec.constraint("loop", Relation::rod("ground", "ground", 1.0));
    refused(&spec, &["constraint `loop`", "`ground` with itself"]);

    let idle = Joint { a: "ground".to_string(), b: "rod".to_string(), ..Joint::default() };
    let mut spec = pendulum();
    spec.constraint("idle", idle.clone());
    refused(&spec, &["constraint `idle`", "constrains nothing", "fix at least one axis"]);
    let mut spec = pendulum();
    spec.constraint("idle", Joint { rotation: RotationMask::About(Prescription::Free), ..idle });
    refused(&spec, &["constraint `idle`", "constrains nothing"]);
    let mut spec = pendulum();
    spec.constraint("idle", Relation::new(Vec::new()));
    refused(&spec, &["constraint `idle`", "at least one term"]);
    let mut spec = pendulum();
    spec.constraint("idle", KnifeEdge::default());
    refused(&spec, &["constraint `idle`", "name the ground"]);
    let mut spec = pendulum();
    spec.force("idle", Spring { along: Measure::distance("ground", "rod"), law: None, drive: None });
    refused(&spec, &["force `idle`", "exerts no force", "`law`"]);
}
