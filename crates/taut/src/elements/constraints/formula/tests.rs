use super::super::conformance::{Rig, evaluate, smooth_coordinate, smooth_frame};
use super::super::{ConstraintKind, KnifeEdge, Relation};
use super::*;
use crate::common::Named;
use crate::{Frame, PlanarBody, PointMass, RigidBody, Spec};

fn spec() -> Spec {
    let mut spec = Spec::new();
    spec.body("crank", PlanarBody::rod(1.0, 0.4))
        .body("rod", RigidBody::new(1.0, [1.0; 3]))
        .body("bob", PointMass::new(1.0, [0.3, 0.0, 0.0]))
        .marker("rod.tip", Frame::at([0.2, 0.0, 0.0]))
        .marker("ground.post", Frame::at([0.0, 1.0, 0.0]));
    spec
}

fn phi(text: &str) -> Formula {
    Formula::phi(text).unwrap().bind("curve", &spec().scope()).unwrap()
}

fn psi(text: &str) -> Formula {
    Formula::psi(text).unwrap().bind("curve", &spec().scope()).unwrap()
}

fn refused(formula: Formula) -> String {
    formula.bind("curve", &spec().scope()).unwrap_err().to_string()
}

#[test]
fn both_kinds_conform() {
    // crank, crank.theta, rod.tip, bob
    let rig = || Rig::new(vec![smooth_frame(1), smooth_coordinate(2), smooth_frame(3), smooth_frame(4)]);
    rig().check_identities(&phi("crank.x*sin(crank.theta) + rod.tip.z^2*bob.y - cos(2*t)"));
    let rig =
        || Rig::new(vec![smooth_frame(1), smooth_coordinate(2), smooth_frame(3), smooth_frame(4), smooth_frame(5)]);
    rig().check_identities(&psi("crank.vx*crank.omega + rod.tip.vy*rod.tip.x - bob.z*rod.wx^2 + t*rod.wz*rod.y"));
}

#[test]
fn markers_are_shared_between_names() {
    let formula = psi("crank.x + crank.y*crank.vx + crank.omega + crank.theta");
    let names: Vec<&str> = formula.markers().iter().map(|r| r.name).collect();
    assert_eq!(names, ["crank", "crank.theta"]);
    assert_eq!(formula.rows()[0].name, "psi");
}

#[test]
fn it_equals_the_library_elements() {
    let motions = Rig::new(vec![smooth_frame(1), smooth_frame(2)]).motions(0.3);
    let rod = evaluate(&Relation::rod("bob", "rod.tip", 0.4), &motions);
    let text = "sqrt((rod.tip.x - bob.x)^2 + (rod.tip.y - bob.y)^2 + (rod.tip.z - bob.z)^2) - 0.4";
    let formula = phi(text);
    let swapped = [motions[1], motions[0]];
    let seen = evaluate(&formula, &swapped);
    assert!((seen.phi[0] - rod.phi[0]).abs() < 1e-14 && (seen.c[0] - rod.c[0]).abs() < 1e-13);
    assert!((seen.D[0].f - rod.D[1].f).norm() < 1e-14 && (seen.D[1].f - rod.D[0].f).norm() < 1e-14);
    // A blade on a planar body: the textbook formula, and the element of this library, in a model.
    let mut one = spec();
    one.constraint("edge", KnifeEdge::new("ground", "crank"));
    let mut two = spec();
    two.constraint("edge", Formula::psi("crank.vy*cos(crank.theta) - crank.vx*sin(crank.theta)").unwrap());
    let found = [one, two].map(|spec| {
        let model = spec.build().unwrap();
        let mut state = model.initial_state();
        state.q[2] = 0.7;
        state.v[..3].copy_from_slice(&[0.7_f64.cos(), 0.7_f64.sin(), 1.3]);
        let mut dynamics = crate::dynamics::Dynamics::new(&model, &Default::default());
        dynamics.solve_accelerations(0.0, &state.q, &state.v, &state.z).unwrap();
        dynamics.vdot
    });
    for (a, b) in found[0].iter().zip(&found[1]) {
        assert!((a - b).abs() < 1e-12, "{found:?}");
    }
}

#[test]
fn frames_of_one_body_may_be_held_against_the_world() {
    let mut spec = spec();
    spec.constraint("level", Formula::phi("rod.tip.z - rod.z").unwrap());
    assert_eq!(spec.build().unwrap().rows.len(), 1);
    spec.constraint("post", Formula::phi("ground.post.x").unwrap());
    assert!(spec.build().is_err());
}

#[test]
fn it_is_its_text() {
    let json = r#"{"name":"curve","type":"formula","phi":" crank.x^2 - t"}"#;
    let named: Named<ConstraintKind> = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&named).unwrap(), json);
    let mut spec = spec();
    spec.constraints.push(named);
    let model = spec.build().unwrap();
    let again = serde_json::to_string(&model.constraints[0].kind).unwrap();
    assert_eq!(again, r#"{"type":"formula","phi":" crank.x^2 - t"}"#);
    for (bad, message) in [
        (r#"{"type":"formula","phi":"crank.x +"}"#, "phi: at byte 9: found the end"),
        (r#"{"type":"formula","psi":"crank.vx + volt("}"#, "psi: at byte 15: found '('"),
        (r#"{"type":"formula"}"#, "either `phi` or `psi`"),
        (r#"{"type":"formula","phi":"crank.x","psi":"crank.vx"}"#, "either `phi` or `psi`"),
        (r#"{"type":"formula","phi":"crank.x","chi":"t"}"#, "unknown field `chi`"),
    ] {
        let error = serde_json::from_str::<ConstraintKind>(bad).unwrap_err().to_string();
        assert!(error.contains(message), "{bad}: {error}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let phi = |text: &str| refused(Formula::phi(text).unwrap());
    assert!(phi("crnak.x").contains("did you mean `crank.x`?"));
    assert!(phi("rod.tup.x").contains("did you mean `rod.tip.x`?"));
    assert!(phi("crank.z").contains("no such marker"));
    assert!(phi("rod.qw").contains("no such marker"), "components of a quaternion have no rate of their own");
    assert!(phi("crank.x - crank.vx").contains("`crank.vx` is a velocity; give the formula as `psi`"));
    assert!(phi("2*t").contains("names no body"));
    assert!(phi("crank.x + volt").contains("found the unknown name 'volt'"));
    assert!(refused(Formula::psi("crank.x").unwrap()).contains("give it as `phi`"));
    assert!(Formula::phi("crank.x").unwrap().check().is_err());
}
