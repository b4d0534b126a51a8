//! Equilibrium with unilateral constraints and friction: contacts, stops, ropes, brakes, against closed forms.

use taut::analyses::{ContactStatus, Loading, Stability, Statics, StaticsError, load_path, statics};
use taut::constraints::SlipAxes;
use taut::contacts::{ContactRule, RigidContact, Surface};
use taut::forces::{Applied, Spring};
use taut::laws::{Friction, Impact};
use taut::shapes::Shape;
use taut::signals::ForceLaw;
use taut::{
    Axis, Coupling, Frame, Joint, JointFriction, Measure, MinimumDistance, Model, Orientation, PlanarBody, PointMass,
    PointPlaneContact, RigidBody, Rope, Signal, Spec,
};

const G: f64 = 9.81;

/// A frame at the origin with these axes.
fn facing(z: [f64; 3], x: [f64; 3]) -> Frame {
    Frame::at([0.0; 3]).with_orientation(Orientation::Axes { z, x: Some(x) })
}

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{what}: {found}, not {expected}");
}

/// An equilibrium, with access to its stability and to sums of multipliers by name prefix.
struct Equilibrated {
    model: Model,
    found: taut::analyses::Equilibrium,
}

impl Equilibrated {
    fn of(spec: &Spec) -> Equilibrated {
        let model = spec.build().unwrap();
        let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
        Equilibrated { model, found }
    }

    fn at(&self, name: &str) -> f64 {
        self.model.get(&self.found.state, name).unwrap()
    }

    /// Sum of the multipliers of rows with this name in constraints whose names start with `constraint`.
    fn force(&self, constraint: &str, row: &str) -> f64 {
        let rows = 0..self.model.rows.len();
        let named = |r: &usize| {
            let name = self.model.row_name(*r);
            name.starts_with(constraint) && name.ends_with(row)
        };
        rows.filter(named).map(|r| self.found.lambda[r]).sum()
    }

    fn stability(&self) -> Stability {
        self.found.stability(&self.model, &Statics::default()).unwrap()
    }

    fn free(&self) -> Vec<String> {
        self.found.free_motions(&self.model, &Statics::default()).unwrap()
    }

    fn holding(&self, constraint: &str) -> ContactStatus {
        self.found.contact_reports(&self.model).into_iter().find(|h| h.constraint == constraint).unwrap().holding
    }
}

fn statics_error(spec: &Spec) -> StaticsError {
    let model = spec.build().unwrap();
    statics(&model, &model.initial_state(), &Statics::default()).unwrap_err()
}

/// A mass on a vertical guide with a spring of 1 N/m that is at rest at y = 1: alone it would hang at y = −8.81.
fn hanging() -> Spec {
    let mut spec = Spec::new();
    let guide = Joint::fixed("ground", "m").prescribe_translation(1, taut::Prescription::Free);
    let guide = Joint { rotation: taut::RotationMask::Free, ..guide };
    spec.gravity([0.0, -G, 0.0])
        .body("m", PointMass::new(1.0, [0.0, 1.0, 0.0]))
        .constraint("guide", guide)
        .force("k", Spring::new(Measure::coordinate("m.y"), ForceLaw::linear(1.0, 0.0, 1.0)));
    spec
}

#[test]
fn stop_plane_rope_and_strut_hold_a_mass() {
    let mut stop = hanging();
    stop.limits("c", Measure::coordinate("m.y"), Some(0.0), None, Impact::PLASTIC);
    let mut plane = hanging();
    plane
        .marker("ground.floor", facing([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]))
        .constraint("c", PointPlaneContact::new("ground.floor", "m"));
    let mut rope = hanging();
    rope.marker("ground.top", Frame::at([0.0, 2.0, 0.0])).constraint("c", Rope::new(&["ground.top", "m"], 2.0));
    let mut strut = hanging();
    strut
        .marker("ground.low", Frame::at([0.0, -2.0, 0.0]))
        .constraint("c", MinimumDistance::new("ground.low", "m", 2.0));
    for (what, spec) in [("stop", stop), ("plane", plane), ("rope", rope), ("strut", strut)] {
        let rest = Equilibrated::of(&spec);
        close(rest.at("m.y"), 0.0, what);
        // The spring pulls up by 1 N.
        close(rest.force("c", ""), G - 1.0, what);
        assert_eq!(rest.stability(), Stability::Rigid, "{what}");
    }
}

/// From slack starts on all sides: the rope turns on the way to rest, and the body may rotate freely.
#[test]
fn a_body_pulled_aside_hangs_on_its_rope() {
    for pull in [0.0, 5.0, 60.0] {
        for start in [[0.5, -0.3], [-0.4, -0.7], [0.1, -0.95], [0.6, 0.5]] {
            for kind in ["mass", "body"] {
                let mut spec = Spec::new();
                spec.gravity([0.0, -G, 0.0]).constraint("rope", Rope::new(&["ground", "m"], 1.0));
                match kind {
                    "mass" => spec.body("m", PointMass::new(2.0, [start[0], start[1], 0.0])),
                    _ => spec.body("m", PlanarBody::new(2.0, 1.0).at(start, 0.3)),
                };
                spec.force("f", Applied::force("m", [pull, 0.0, 0.0].map(Signal::constant)));
                let rest = Equilibrated::of(&spec);
                let tension = pull.hypot(2.0 * G);
                close(rest.at("m.x"), pull / tension, &format!("{kind} at {start:?} under {pull} N"));
                close(rest.at("m.y"), -2.0 * G / tension, kind);
                close(rest.force("rope", ""), tension, kind);
            }
        }
    }
}

#[test]
fn a_pendulum_hung_beyond_its_stop() {
    // λ = m g l cos θ over the arm of one, the angle itself.
    for lower in [-30.0_f64, -60.0, -80.0, -100.0] {
        let mut spec = Spec::new();
        spec.gravity([0.0, -G, 0.0])
            .body("p", PlanarBody::new(1.0, 0.1).at([0.5, 0.0], 0.0))
            .marker("p.e", Frame::at([-0.5, 0.0, 0.0]))
            .constraint("h", Joint::pin("ground", "p.e"))
            .limits("stop", Measure::angle("ground", "p.e"), Some(lower.to_radians()), Some(0.5), Impact::PLASTIC);
        let rest = Equilibrated::of(&spec);
        let at = lower.max(-90.0).to_radians();
        assert!((rest.at("p.theta") - at).abs() < 1e-9, "{lower}: {}", rest.at("p.theta"));
        let expected = if lower > -90.0 { G * 0.5 * at.cos() } else { 0.0 };
        close(rest.force("stop.lower", "gap"), expected, "moment of the stop");
        close(rest.force("stop.upper", "gap"), 0.0, "the other stop");
        match rest.stability() {
            Stability::Rigid => assert!(lower > -90.0),
            Stability::Stable(k) => {
                assert!(lower < -90.0);
                assert!(k > 0.0);
            }
            other => panic!("{lower}: {other:?}"),
        }
    }
}

fn on_floor(body: impl Into<taut::bodies::BodyKind>, shape: Shape, kind: RigidContact) -> Spec {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("b", body)
        .surface("b", Surface::new("b", shape))
        .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
        .contact("floor", ContactRule::pair("b", "floor", kind));
    spec
}

#[test]
fn a_ball_rests_on_the_floor_and_may_roll() {
    for mu in [0.0, 0.5] {
        let ball = RigidBody::new(2.0, [0.01; 3]).at([0.3, -0.2, 1.0]);
        let rest = Equilibrated::of(&on_floor(ball, Shape::Sphere { radius: 0.1 }, RigidContact::SMOOTH.friction(mu)));
        close(rest.at("b.z"), 0.1, "height");
        close(rest.at("b.x"), 0.3, "it falls straight down");
        close(rest.force("floor", "gap"), 2.0 * G, "weight");
        // Without friction two translations and three rotations are free, with friction rolling in two directions and spinning.
        let free = if mu == 0.0 { 5 } else { 3 };
        assert!(matches!(rest.stability(), Stability::Neutral { free: n, .. } if n == free), "{:?}", rest.stability());
        assert_eq!(rest.free().len(), free);
    }
}

#[test]
fn a_box_rests_on_more_corners_than_it_needs() {
    for mu in [0.0, 0.5] {
        let body = RigidBody::new(2.0, [0.03, 0.04, 0.05]).at([0.0, 0.0, 0.6]);
        let shape = Shape::Box { size: [0.4, 0.3, 0.2] };
        let rest = Equilibrated::of(&on_floor(body, shape, RigidContact::SMOOTH.friction(mu)));
        close(rest.at("b.z"), 0.1, "height");
        close(rest.force("floor", "gap"), 2.0 * G, "weight");
        let held = rest.found.contact_reports(&rest.model);
        let corners: Vec<f64> =
            held.iter().filter(|h| h.holding == ContactStatus::Pressing).filter_map(|h| h.force).collect();
        assert_eq!(corners.len(), 4);
        corners.iter().for_each(|p| close(*p, 0.5 * G, "each corner takes a quarter"));
        match (mu, rest.stability()) {
            (0.0, Stability::Neutral { free: 3, .. }) | (0.5, Stability::Rigid) => {}
            (_, other) => panic!("{mu}: {other:?}"),
        }
    }
}

/// A box on a slope of this angle, with friction.
fn on_slope(degrees: f64, mu: f64) -> Spec {
    let a = degrees.to_radians();
    let turned = Orientation::RotationVector([0.0, a, 0.0]);
    let body = RigidBody::new(2.0, [0.03, 0.04, 0.05]).at([0.1 * a.sin(), 0.0, 0.1 * a.cos()]).oriented(turned.clone());
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("b", body)
        .marker("ground.slope", Frame::at([0.0; 3]).with_orientation(turned))
        .surface("b", Surface::new("b", Shape::Box { size: [0.4, 0.3, 0.2] }))
        .surface("slope", Surface::new("ground.slope", Shape::HalfSpace {}))
        .contact("slope", ContactRule::pair("b", "slope", RigidContact::SMOOTH.friction(mu)));
    spec
}

#[test]
fn a_box_sticks_on_a_slope_up_to_the_friction_angle() {
    let limit = 0.5_f64.atan().to_degrees();
    let rest = Equilibrated::of(&on_slope(limit - 0.01, 0.5));
    let a = (limit - 0.01).to_radians();
    close(rest.force("slope", "gap"), 2.0 * G * a.cos(), "normal force");
    let error = statics_error(&on_slope(limit + 0.01, 0.5));
    assert!(matches!(&error, StaticsError::FrictionTooWeak { .. }), "{error}");
    assert!(error.to_string().contains("slope"), "{error}");
}

#[test]
fn friction_in_a_guide_is_limited() {
    let slope = |mu: f64| {
        let mut spec = Spec::new();
        let turned = Orientation::RotationVector([0.0, 0.0, -std::f64::consts::FRAC_PI_4]);
        spec.gravity([0.0, -G, 0.0])
            .body("b", PlanarBody::new(1.0, 1.0).at([0.0, 0.0], -std::f64::consts::FRAC_PI_4))
            .marker("ground.s", Frame::at([0.0; 3]).with_orientation(turned))
            .constraint("s", Joint::slider("ground.s", "b"))
            .constraint("s.friction", JointFriction::slider("s", "ground.s", "b", Friction::same(mu)));
        spec
    };
    let error = statics_error(&slope(0.1));
    let StaticsError::FrictionTooWeak { grips } = &error else { panic!("{error}") };
    assert_eq!(grips[0].constraint, "s.friction");
    close(grips[0].required, G * 0.5_f64.sqrt(), "what would hold it");
    close(grips[0].available, 0.1 * G * 0.5_f64.sqrt(), "what it can exert");
    // Above tan 45° it holds.
    let rest = Equilibrated::of(&slope(1.1));
    close(rest.force("s.friction", "slip").abs(), G * 0.5_f64.sqrt(), "friction");
    assert_eq!(rest.holding("s.friction"), ContactStatus::Holding);
}

#[test]
fn a_brake_too_weak_for_the_weight_slips_to_where_the_spring_helps() {
    let braked = |capacity: f64| {
        let mut spec = Spec::new();
        spec.gravity([0.0, 0.0, -G])
            .body("m", PointMass::new(1.0, [0.0; 3]))
            .constraint("g", Joint::point_on_line("ground", "m"))
            .force("k", Spring::new(Measure::coordinate("m.z"), ForceLaw::linear(100.0, 0.0, 0.0)))
            .constraint("b", Coupling::brake(Measure::coordinate("m.z"), capacity));
        spec
    };
    // |100 z + 9.81| ≤ 5, reached from z = 0.
    let rest = Equilibrated::of(&braked(5.0));
    close(rest.at("m.z"), -0.0481, "it slips until the rest is within the capacity");
    close(rest.force("b", "rate"), 5.0, "the brake at its capacity");
    assert_eq!(rest.holding("b"), ContactStatus::AtBound);
    assert!(matches!(rest.stability(), Stability::Stable(k) if (k - 100.0).abs() < 1e-6), "{:?}", rest.stability());
    let rest = Equilibrated::of(&braked(12.0));
    close(rest.at("m.z"), 0.0, "a stronger one keeps it where it is");
    close(rest.force("b", "rate"), G, "and carries the weight");
    assert_eq!(rest.holding("b"), ContactStatus::Holding);
}

#[test]
fn a_ball_in_a_corner_leans_on_both_walls() {
    // Walls at 30° and 60° to the horizontal: forces from the triangle of a weight and two normals.
    let (a, b) = (30.0_f64.to_radians(), 60.0_f64.to_radians());
    let mut spec = Spec::new();
    let wall = |n: [f64; 3]| facing(n, [0.0, 0.0, 1.0]);
    spec.gravity([0.0, -G, 0.0])
        .body("m", PointMass::new(1.0, [0.2, 1.0, 0.0]))
        .marker("ground.left", wall([a.sin(), a.cos(), 0.0]))
        .marker("ground.right", wall([-b.sin(), b.cos(), 0.0]))
        .constraint("left", PointPlaneContact::new("ground.left", "m"))
        .constraint("right", PointPlaneContact::new("ground.right", "m"));
    let rest = Equilibrated::of(&spec);
    assert!(rest.at("m.x").abs() + rest.at("m.y").abs() < 1e-9);
    close(rest.force("left", "gap"), G * b.sin() / (a + b).sin(), "left wall");
    close(rest.force("right", "gap"), G * a.sin() / (a + b).sin(), "right wall");
    assert!(matches!(rest.stability(), Stability::Neutral { free: 1, .. }), "along the corner: {:?}", rest.stability());
}

#[test]
fn a_ladder_stands_or_slips_depending_on_friction() {
    // Smooth wall, rough floor: tan(angle) ≥ 1/(2 μ).
    let ladder = |mu: f64| {
        let angle = 60.0_f64.to_radians();
        let mut spec = Spec::new();
        spec.gravity([0.0, -G, 0.0])
            .body("l", PlanarBody::new(10.0, 10.0 / 3.0).at([angle.cos(), angle.sin()], std::f64::consts::PI - angle))
            .marker("l.foot", Frame::at([-1.0, 0.0, 0.0]))
            .marker("l.top", Frame::at([1.0, 0.0, 0.0]))
            .marker("ground.floor", facing([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]))
            .marker("ground.wall", facing([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]))
            .constraint(
                "floor",
                PointPlaneContact::new("ground.floor", "l.foot").friction(Friction::same(mu), SlipAxes::One(Axis::X)),
            )
            .constraint("wall", PointPlaneContact::new("ground.wall", "l.top"))
            .constraint("below", PointPlaneContact::new("ground.floor", "l.top"));
        spec
    };
    let least = 0.5 / 60.0_f64.to_radians().tan();
    let rest = Equilibrated::of(&ladder(least + 1e-3));
    close(rest.force("floor", "gap"), 10.0 * G, "the floor carries the weight");
    close(rest.force("wall", "gap"), 10.0 * G * least, "the wall keeps it from tipping");
    close(rest.force("floor", "slip_x").abs(), 10.0 * G * least, "friction balances the wall");
    // With weaker friction it slides down to the floor.
    let rest = Equilibrated::of(&ladder(least - 1e-3));
    close(rest.at("l.theta"), std::f64::consts::PI, "it lies down");
    close(rest.force("floor", "gap") + rest.force("below", "gap"), 10.0 * G, "on both its ends");
}

#[test]
fn legs_of_a_table_share_an_eccentric_load_with_least_norm() {
    // W/4 and the two moments, each over four legs at half a metre.
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]).body("top", RigidBody::new(10.0, [1.0, 1.0, 1.5]).at([0.0, 0.0, 1.0]));
    let legs = [("a", 0.5, 0.5), ("b", -0.5, 0.5), ("c", -0.5, -0.5), ("d", 0.5, -0.5)];
    for (name, x, y) in legs {
        let marker = format!("top.{name}");
        spec.marker(&marker, Frame::at([x, y, -1.0])).constraint(name, PointPlaneContact::new("ground", &marker));
    }
    spec.marker("top.load", Frame::at([0.3, 0.1, 0.0]))
        .force("load", Applied::force("top.load", [0.0, 0.0, -300.0].map(Signal::constant)));
    let rest = Equilibrated::of(&spec);
    for (name, x, y) in legs {
        let expected = 0.25 * (10.0 * G + 300.0) + 300.0 * (0.3 * x + 0.1 * y);
        assert!((rest.force(name, "gap") - expected).abs() < 1e-6, "{name}: {}", rest.force(name, "gap"));
    }
}

#[test]
fn a_ball_placed_beside_the_top_of_another_rolls_off_and_lands() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("b", RigidBody::new(1.0, [0.004; 3]).at([0.01, 0.0, 1.5]))
        .marker("ground.low", Frame::at([0.0, 0.0, -1.0]))
        .surface("b", Surface::new("b", Shape::Sphere { radius: 0.1 }))
        .surface("rock", Surface::new("ground", Shape::Sphere { radius: 0.5 }))
        .surface("floor", Surface::new("ground.low", Shape::HalfSpace {}))
        .contact("rock", ContactRule::pair("b", "rock", RigidContact::SMOOTH))
        .contact("floor", ContactRule::pair("b", "floor", RigidContact::SMOOTH));
    let rest = Equilibrated::of(&spec);
    close(rest.at("b.z"), -0.9, "it lies on the floor");
    assert!(rest.at("b.x") > 0.59, "beside the rock: {}", rest.at("b.x"));
    close(rest.force("floor", "gap"), G, "weight");
    // Exactly on top it stays, which is unstable.
    spec.bodies[0].item = RigidBody::new(1.0, [0.004; 3]).at([0.0, 0.0, 0.6]).into();
    let rest = Equilibrated::of(&spec);
    close(rest.at("b.z"), 0.6, "on top");
    close(rest.force("rock", "gap"), G, "weight");
    assert!(matches!(rest.stability(), Stability::Unstable(k) if (k + G / 0.6).abs() < 1e-3), "{:?}", rest.stability());
}

#[test]
fn a_rope_over_a_peg_that_is_too_long_stays_slack() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]).marker("ground.top", Frame::at([0.0, 3.0, 0.0]));
    for (name, x) in [("a", -1.0), ("b", 1.0)] {
        spec.body(name, PointMass::new(1.0, [x, 0.5, 0.0])).limits(
            &format!("{name}.floor"),
            Measure::coordinate(&format!("{name}.y")),
            Some(0.0),
            None,
            Impact::PLASTIC,
        );
    }
    spec.constraint("rope", Rope::new(&["a", "ground.top", "b"], 8.0));
    let rest = Equilibrated::of(&spec);
    assert_eq!(rest.holding("rope"), ContactStatus::Open);
    close(rest.force("rope", ""), 0.0, "slack");
    close(rest.force("a.floor", "gap"), G, "the floor carries it");
}

#[test]
fn a_stack_of_boxes_carries_itself() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -10.0]).surface("floor", Surface::new("ground", Shape::HalfSpace {}));
    for i in 0..3 {
        let name = format!("b{i}");
        spec.body(&name, RigidBody::new(1.0, [0.01; 3]).at([0.0, 0.0, 0.1 + 0.25 * f64::from(i)]))
            .surface(&name, Surface::new(&name, Shape::Box { size: [0.2; 3] }));
    }
    let rule = |spec: &mut Spec, name: &str, a: &str, b: &str| {
        spec.contact(name, ContactRule::pair(a, b, RigidContact::SMOOTH.friction(0.4)));
    };
    rule(&mut spec, "low", "b0", "floor");
    rule(&mut spec, "middle", "b1", "b0");
    rule(&mut spec, "high", "b2", "b1");
    let rest = Equilibrated::of(&spec);
    for (i, (name, weight)) in [("low", 30.0), ("middle", 20.0), ("high", 10.0)].into_iter().enumerate() {
        assert!((rest.force(name, "gap") - weight).abs() < 1e-7, "{name}: {}", rest.force(name, "gap"));
        let z = rest.at(&format!("b{i}.z"));
        assert!((z - (0.1 + 0.2 * i as f64)).abs() < 1e-8, "{name}: {z}");
    }
}

#[test]
fn a_gap_closes_only_after_some_of_the_load() {
    let mut spec = Spec::new();
    spec.body("m", PointMass::new(1.0, [0.0; 3]))
        .constraint("g", Joint::point_on_line("ground", "m"))
        .force("f", Applied::force("m", [0.0, 0.0, 7.0].map(Signal::constant)))
        .force("k", Spring::new(Measure::coordinate("m.z"), ForceLaw::linear(10.0, 0.0, 0.0)))
        .limits("r", Measure::coordinate("m.z"), Some(-0.2), Some(0.3), Impact::PLASTIC);
    let model = spec.build().unwrap();
    let settings = Statics { loading: Loading::Steps(7), ..Statics::default() };
    let path = load_path(&model, &model.initial_state(), &settings).unwrap();
    assert_eq!(path.points.len(), 7);
    for (i, p) in path.points.iter().enumerate() {
        let load = (i + 1) as f64;
        let upper = p.lambda[model.rows.len() - 1];
        close(p.state.q[2], (load / 10.0).min(0.3), "displacement");
        close(upper, (load - 3.0).max(0.0), "the stop");
    }
    let arc = Statics { loading: Loading::ArcLength(taut::analyses::ArcLength::default()), ..Statics::default() };
    let error = load_path(&model, &model.initial_state(), &arc).unwrap_err();
    assert!(matches!(&error, StaticsError::ArcLengthWithContacts { constraint } if constraint == "r.lower"), "{error}");
}

#[test]
fn a_touching_gap_restrains_one_side_only() {
    // On top of a hill, a stop that touches without force does not prevent falling to the other side.
    let hill = |stops: [bool; 2]| {
        let mut spec = Spec::new();
        spec.body("m", PointMass::new(1.0, [0.0; 3]))
            .constraint("g", Joint::point_on_line("ground", "m"))
            .force("k", Spring::new(Measure::coordinate("m.z"), ForceLaw::linear(-10.0, 0.0, 0.0)))
            .limits("r", Measure::coordinate("m.z"), stops[0].then_some(0.0), stops[1].then_some(0.0), Impact::PLASTIC);
        Equilibrated::of(&spec).stability()
    };
    assert!(matches!(hill([true, false]), Stability::Unstable(k) if (k + 10.0).abs() < 1e-6));
    assert!(matches!(hill([true, true]), Stability::Rigid));
}

#[test]
fn an_unrestrained_motion_is_named() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]).body("m", PointMass::new(1.0, [0.0; 3])).limits(
        "ceiling",
        Measure::coordinate("m.y"),
        None,
        Some(1.0),
        Impact::PLASTIC,
    );
    let error = statics_error(&spec);
    assert!(matches!(&error, StaticsError::Singular { motion } if motion == "m.vy"), "{error}");
}
