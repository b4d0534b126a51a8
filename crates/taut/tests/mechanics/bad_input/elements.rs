//! Invalid single elements: masses, inertias, numbers, signals, laws and subsystems.

use super::{INF, NAN, one, pendulum, refused};
use taut::bodies::{BodyKind, Quantity};
use taut::forces::{Applied, Bushing, Spring};
use taut::signals::ForceLaw;
use taut::{
    BuildError, Frame, Joint, Measure, Orientation, ParameterError, PlanarBody, PointMass, Prescription, Relation,
    RigidBody, Rolling, Signal, Subsystem,
};

#[test]
fn invalid_masses() {
    let bodies: [fn(f64) -> BodyKind; 3] = [
        |m| PointMass::new(m, [0.0; 3]).into(),
        |m| PlanarBody::new(m, 1.0).into(),
        |m| RigidBody::new(m, [1.0; 3]).into(),
    ];
    for body in bodies {
        let error = refused(&one(body(-2.0)), &["body `rod`", "mass", "must not be negative"]);
        let fault = ParameterError::Negative { field: "mass", found: -2.0 };
        assert_eq!(error, BuildError::Element { family: "body", name: "rod".to_string(), fault });
        assert!(one(body(0.0)).build().is_ok(), "a run says whether its motion is determined");
        for mass in [NAN, INF, -INF] {
            let error = refused(&one(body(mass)), &["body `rod`", "mass", "must be finite"]);
            assert!(matches!(
                error,
                BuildError::Element { fault: ParameterError::NotFinite { field: "mass", .. }, .. }
            ));
        }
    }
    refused(&one(PlanarBody::new(1.0, 0.0)), &["body `rod`", "inertia is 0", "greater than zero"]);
    refused(&one(PlanarBody::new(1.0, -1.0)), &["body `rod`", "inertia is -1"]);
    refused(&one(PlanarBody::new(0.0, -1.0)), &["body `rod`", "inertia is -1", "must not be negative"]);
    refused(&one(RigidBody::new(0.0, [0.0, 1.0, 1.0])), &["body `rod`", "principal moments"]);
}

#[test]
fn invalid_inertia() {
    for principal in [[1.0, 1.0, 2.1], [0.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [1.0, 5.0, 1.0]] {
        let error = refused(&one(RigidBody::new(1.0, principal)), &["body `rod`", "principal moments", "check units"]);
        assert!(matches!(error, BuildError::Element { fault: ParameterError::ImpossibleInertia { .. }, .. }));
    }
    let mut body = RigidBody::new(1.0, [1.0, 1.0, 1.0]);
    body.inertia[3] = 1.5;
    refused(&one(body), &["body `rod`", "sign of the products"]);
    refused(&one(RigidBody::new(1.0, [1.0, NAN, 1.0])), &["body `rod`", "inertia contains NaN", "finite"]);
}

#[test]
fn non_finite_numbers() {
    for x in [NAN, INF, -INF] {
        let cases: Vec<(BodyKind, &str)> = vec![
            (PointMass::new(1.0, [0.0, x, 0.0]).into(), "position"),
            (PointMass::new(1.0, [0.0; 3]).moving([x, 0.0, 0.0]).into(), "velocity"),
            (PlanarBody::new(1.0, 1.0).com([x, 0.0]).into(), "com"),
            (PlanarBody::new(1.0, 1.0).at([x, 0.0], 0.0).into(), "position"),
            (PlanarBody::new(1.0, 1.0).at([0.0, 0.0], x).into(), "angle"),
            (PlanarBody::new(1.0, 1.0).moving([0.0, x], 0.0).into(), "velocity"),
            (PlanarBody::new(1.0, 1.0).moving([0.0, 0.0], x).into(), "angular_velocity"),
            (RigidBody::new(1.0, [1.0; 3]).com([0.0, 0.0, x]).into(), "com"),
            (RigidBody::new(1.0, [1.0; 3]).at([0.0, 0.0, x]).into(), "position"),
            (RigidBody::new(1.0, [1.0; 3]).moving([x, 0.0, 0.0], [0.0; 3]).into(), "velocity"),
            (RigidBody::new(1.0, [1.0; 3]).moving([0.0; 3], [0.0, x, 0.0]).into(), "angular_velocity"),
            (RigidBody::new(1.0, [1.0; 3]).oriented(Orientation::RotationVector([x, 0.0, 0.0])).into(), "orientation"),
        ];
        for (body, field) in cases {
            refused(&one(body), &["body `rod`", field, "finite"]);
        }
        let mut spec = pendulum();
        spec.marker("rod.tip", Frame::at([x, 0.0, 0.0]));
        let error = refused(&spec, &["marker `rod.tip`", "at contains", "finite"]);
        assert!(matches!(error, BuildError::Element { family: "marker", .. }));
        let mut spec = pendulum();
        spec.marker("ground.wall", Frame::at([0.0; 3]).axis([x, 0.0, 1.0]));
        refused(&spec, &["marker `ground.wall`", "orientation", "finite vector"]);
        let mut spec = pendulum();
        spec.gravity([0.0, x, 0.0]);
        assert_eq!(refused(&spec, &["gravity", "three finite components"]), BuildError::Gravity);
    }
    refused(
        &one(RigidBody::new(1.0, [1.0; 3]).oriented(Orientation::Quaternion([2.0, 0.0, 0.0, 0.0]))),
        &["unit length"],
    );
    let mut spec = pendulum();
    spec.marker("rod.tip", Frame::at([0.0; 3]).axis([0.0; 3]));
    refused(&spec, &["marker `rod.tip`", "other than zero"]);
}

#[test]
fn invalid_signals_and_laws() {
    let signals = [
        Signal::constant(NAN),
        Signal::polynomial([1.0, INF]),
        Signal::harmonic(1.0, NAN, 0.0),
        Signal::smooth_step(1.0, 1.0, 0.0, 1.0),
    ];
    for s in signals {
        let mut spec = one(PlanarBody::new(1.0, 1.0));
        spec.constraint(
            "guide",
            Joint::slider("ground", "rod").prescribe_translation(0, Prescription::Position(s.clone())),
        );
        refused(&spec, &["constraint `guide`", "signal"]);
        let mut spec = one(PlanarBody::new(1.0, 1.0));
        spec.constraint("motor", Relation::driver(Measure::angle("ground", "rod"), Prescription::Velocity(s.clone())));
        refused(&spec, &["constraint `motor`", "follows"]);
        let mut spec = one(PlanarBody::new(1.0, 1.0));
        spec.force("push", Applied::force("rod", [Signal::constant(0.0), s, Signal::constant(0.0)]));
        refused(&spec, &["force `push`", "force"]);
    }
    let mut spec = one(PlanarBody::new(1.0, 1.0));
    spec.force("spring", Spring::linear("ground", "rod", NAN, 0.0, 1.0));
    refused(&spec, &["force `spring`", "law", "stiffness is NaN", "finite number"]);
    let mut spec = one(PlanarBody::new(1.0, 1.0));
    spec.force("mount", Bushing::diagonal("ground", "rod", [-1.0; 6], [0.0; 6]));
    refused(&spec, &["force `mount`", "stiffness", "negative eigenvalue"]);
    assert!(Signal::table(vec![0.0, 1.0, 1.0], vec![0.0; 3]).unwrap_err().to_string().contains("strictly increasing"));
    assert!(Signal::expression("sin(t").unwrap_err().to_string().contains("expression signal"));
    assert!(ForceLaw::expression("-k*s").is_err());
    let mut spec = one(PlanarBody::new(1.0, 1.0));
    spec.constraint("link", Relation::rod("ground", "rod", NAN));
    refused(&spec, &["constraint `link`", "NaN"]);
    let mut spec = one(PlanarBody::new(1.0, 1.0));
    spec.constraint("gear", Relation::gear(Measure::angle("ground", "rod"), Measure::coordinate("rod.x"), NAN));
    refused(&spec, &["constraint `gear`", "factor contains NaN"]);
    let mut spec = one(RigidBody::new(1.0, [1.0; 3]));
    spec.constraint("wheel", Rolling::disc("ground", "rod", -1.0));
    refused(&spec, &["constraint `wheel`", "radius"]);
}

/// A user's subsystem with the mass matrix and initial value given.
#[derive(Debug)]
struct Lump([f64; 4], f64);

impl Subsystem for Lump {
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("s", "m"), Quantity::new("u", "rad")]
    }
    fn initial_state(&self, q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {
        q[0] = self.1;
    }
    fn mass_matrix(&self, _q: &[f64], M: &mut [f64]) {
        M.copy_from_slice(&self.0);
    }
    fn forces(&self, _t: f64, _q: &[f64], _v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        f.fill(0.0);
    }
}

#[test]
fn invalid_subsystems() {
    refused(&one(Lump([1.0, 0.0, 0.5, 1.0], 0.0)), &["body `rod`", "mass matrix", "not symmetric", "NonSymmetric"]);
    refused(&one(Lump([1.0, 0.0, 0.0, 0.0], 0.0)), &["body `rod`", "mass matrix", "not positive definite"]);
    refused(&one(Lump([NAN, 0.0, 0.0, 1.0], 0.0)), &["body `rod`", "mass matrix", "finite"]);
    refused(&one(Lump([1.0, 0.0, 0.0, 1.0], NAN)), &["body `rod`", "initial coordinates", "finite"]);
    let mut spec = one(Lump([1.0, 0.0, 0.0, 1.0], 0.0));
    spec.marker("rod.tip", Frame::at([0.0; 3]));
    refused(&spec, &["marker `rod.tip`", "no frames", "name one of its coordinates"]);
    let mut spec = one(Lump([1.0, 0.0, 0.0, 1.0], 0.0));
    spec.constraint("hinge", Joint::pin("ground", "rod"));
    refused(&spec, &["constraint `hinge`", "no frames"]);
}
