//! Mechanisms at rest and in steady rotation: closed forms, limit points, both branches, and rejected input.

use crate::common;

use common::{below, close};
use taut::analyses::{
    ArcLength, CriticalPointKind, EquilibriumMethod, Fallback, Loading, PathEnd, Stability, Statics, StaticsError,
    UniformRotation, load_path, statics,
};
use taut::beams::{Beam, Section};
use taut::forces::{Applied, Spring};
use taut::{Frame, Joint, Measure, Model, PlanarBody, PointMass, Prescription, Relation, RigidBody, Signal, Spec};

const G: f64 = 9.81;

fn at_rest(model: &Model, settings: &Statics) -> taut::analyses::Equilibrium {
    statics(model, &model.initial_state(), settings).unwrap()
}

/// A chain of links over a span of 8 m, 10 m long: point masses on rods. Started as a flat zigzag.
fn chain(links: usize) -> Model {
    let (span, length) = (8.0, 10.0);
    let l = length / links as f64;
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]).marker("ground.right", Frame::at([span, 0.0, 0.0]));
    let mut last = "ground".to_string();
    for i in 1..links {
        // A V that is as wide as the span.
        let x = span * i as f64 / links as f64;
        let y = -(length * length - span * span).sqrt() * 0.5 * (1.0 - (2.0 * i as f64 / links as f64 - 1.0).abs());
        let name = format!("p{i}");
        spec.body(&name, PointMass::new(length / links as f64, [x, y, 0.0]));
        spec.constraint(&format!("link{i}"), Relation::rod(&last, &name, l));
        last = name;
    }
    spec.constraint(&format!("link{links}"), Relation::rod(&last, "ground.right", l));
    spec.build().unwrap()
}

/// Depth of the middle of the polygon in which links of length l hang under equal weights w at their joints: with H the pull along, link i rises
/// by tan θ = (i − (n+1)/2) w/H; H by bisection on the span.
fn polygon(links: usize) -> f64 {
    let (l, w) = (10.0 / links as f64, G * 10.0 / links as f64);
    let slope = |i: usize, pull: f64| (i as f64 - 0.5 * (links as f64 + 1.0)) * w / pull;
    let width = |pull: f64| (1..=links).map(|i| l / (1.0 + slope(i, pull).powi(2)).sqrt()).sum::<f64>();
    let (mut low, mut high) = (1e-3, 1e6);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if width(middle) < 8.0 { low = middle } else { high = middle }
    }
    (1..=links / 2).map(|i| l * slope(i, low) / (1.0 + slope(i, low).powi(2)).sqrt()).sum::<f64>()
}

#[test]
fn catenary_of_links() {
    let depth = |n: usize| {
        let model = chain(n);
        let found = at_rest(&model, &Statics::default());
        let middle = model.body(&format!("p{}", n / 2)).unwrap();
        let y = found.state.q[model.bodies[middle].q.start + 1];
        close("polygon", &[y], &[polygon(n)], 1e-9);
        let stable = found.stability(&model, &Statics::default()).unwrap();
        assert!(matches!(stable, Stability::Stable(_)), "{stable:?}");
        y
    };
    // c (cosh(4/c) − 1) with 2 c sinh(4/c) = 10.
    let sag = -2.654375091398238;
    let errors = [10, 20, 40].map(|n| depth(n) - sag);
    close("order", &[(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()], &[2.0, 2.0], 0.05);
}

/// A four-bar whose rockers stand on torsional springs; two poses meet its loop, and both are equilibria.
#[test]
fn four_bar_on_springs_in_both_branches() {
    let build = |up: f64| {
        let mut spec = Spec::new();
        spec.gravity([0.0, -G, 0.0])
            .body("crank", PlanarBody::rod(1.0, 1.0).com([0.5, 0.0]).at([0.0, 0.0], 1.2))
            .body("coupler", PlanarBody::rod(2.0, 2.0).com([1.0, 0.0]).at([1.2_f64.cos(), 1.2_f64.sin()], 0.4 * up))
            .body("rocker", PlanarBody::rod(1.5, 1.5).com([0.75, 0.0]).at([2.5, 0.0], 1.4 * up))
            .marker("crank.end", Frame::at([1.0, 0.0, 0.0]))
            .marker("coupler.end", Frame::at([2.0, 0.0, 0.0]))
            .marker("rocker.end", Frame::at([1.5, 0.0, 0.0]))
            .marker("ground.right", Frame::at([2.5, 0.0, 0.0]))
            .constraint("left", Joint::pin("ground", "crank"))
            .constraint("first", Joint::pin("crank.end", "coupler"))
            .constraint("second", Joint::pin("coupler.end", "rocker.end"))
            .constraint("right", Joint::pin("ground.right", "rocker"))
            .force("spring", Spring::torsional("ground", "crank", 40.0, 0.0, 1.0));
        spec.build().unwrap()
    };
    let poses = [1.0, -1.0].map(|up| {
        let model = build(up);
        let found = at_rest(&model, &Statics::default());
        // The work of all forces along the one motion vanishes: the crank turned by ±h, the loop closed again.
        let potential = |theta: f64| {
            let (x, y) = (theta.cos(), theta.sin());
            let (dx, dy) = (2.5 - x, -y);
            let d = dx.hypot(dy);
            // Law of cosines at the end of the crank.
            let inner = ((4.0 + d * d - 2.25) / (4.0 * d)).acos();
            let angle = dy.atan2(dx) + up * inner;
            let end = [x + 2.0 * angle.cos(), y + 2.0 * angle.sin()];
            let heights = 1.0 * 0.5 * y + 2.0 * 0.5 * (y + end[1]) + 1.5 * 0.5 * end[1];
            G * heights + 20.0 * (theta - 1.0).powi(2)
        };
        let theta = found.state.q[2];
        let h = 1e-4;
        below("slope of the potential", ((potential(theta + h) - potential(theta - h)) / (2.0 * h)).abs(), 1e-5);
        let bend = (potential(theta + h) + potential(theta - h) - 2.0 * potential(theta)) / (h * h);
        let stable = matches!(found.stability(&model, &Statics::default()).unwrap(), Stability::Stable(_));
        assert_eq!(bend > 0.0, stable, "{bend}");
        (theta, found.state.q[5])
    });
    assert!((poses[0].1 - poses[1].1).abs() > 0.3, "one branch twice: {poses:?}");
}

/// Two springs in a flat roof (von Mises): N(y) = 2 k (√(a²+y²) − l) y/√(a²+y²), l² = a² + h². It snaps through.
#[test]
fn roof_that_snaps_through() {
    let (a, h, k): (f64, f64, f64) = (1.0, 0.3, 1000.0);
    let free = a.hypot(h);
    let resisting = |y: f64| 2.0 * k * (a.hypot(y) - free) * y / a.hypot(y);
    let mut spec = Spec::new();
    spec.body("top", PointMass::new(1.0, [0.0, h, 0.0]))
        .marker("ground.left", Frame::at([-a, 0.0, 0.0]))
        .marker("ground.right", Frame::at([a, 0.0, 0.0]))
        .constraint("guide", Joint::point_on_line("ground.up", "top"))
        .marker("ground.up", Frame::at([0.0; 3]).axis([0.0, 1.0, 0.0]))
        .force("l", Spring::linear("ground.left", "top", k, 0.0, free))
        .force("r", Spring::linear("ground.right", "top", k, 0.0, free))
        .force("load", Applied::force("top", [0.0, -20.0, 0.0].map(Signal::constant)));
    let model = spec.build().unwrap();
    let arc = ArcLength { first_step: 0.1, max_displacement: 0.01, ..ArcLength::default() };
    let settings = Statics { loading: Loading::ArcLength(arc), ..Statics::default() };
    let path = load_path(&model, &model.initial_state(), &settings).unwrap();
    let mut most = [0.0_f64; 2];
    for p in &path.points {
        let y = p.state.q[1];
        // The load is what the springs resist with, all along.
        close("equilibrium", &[-20.0 * p.load_factor], &[resisting(y)], 1e-7);
        most = [most[0].max(p.load_factor), most[1].min(p.load_factor)];
        let steep = (resisting(y + 1e-6) - resisting(y - 1e-6)) / 2e-6;
        assert_eq!(steep > 0.0, p.min_stiffness > 0.0, "stiffness at {y}");
    }
    // Limit points at a² + y² = (a² l)^(2/3).
    let y = ((a * a * free).powf(2.0 / 3.0) - a * a).sqrt();
    let limit = -resisting(y) / 20.0;
    assert!(limit < 1.0 && most[0] == 1.0 && most[1] < -0.9 * limit, "{most:?} {limit}");
    assert!(path.points.last().is_some_and(|p| p.state.q[1] < -h), "it is through");
    // Both are limit points, not bifurcations: the load has an extremum.
    let kinds: Vec<CriticalPointKind> = path.critical.iter().map(|c| c.kind).collect();
    assert_eq!(kinds, [CriticalPointKind::Limit, CriticalPointKind::Limit]);
    close("limit points", &[path.critical[0].load_factor, path.critical[1].load_factor], &[limit, -limit], 1e-2);
    assert_eq!(path.end, PathEnd::Whole);
    // A truncated path reports that.
    let few = Statics { loading: Loading::ArcLength(ArcLength { max_points: 5, ..arc }), ..Statics::default() };
    let cut = load_path(&model, &model.initial_state(), &few).unwrap();
    assert_eq!((cut.points.len(), cut.end), (5, PathEnd::AtMostPoints));
    // With load steps it jumps to the same point, or the error says where it stopped; likewise with the full load at once.
    let jump = at_rest(&model, &Statics::default());
    close("through", &[resisting(jump.state.q[1])], &[-20.0], 1e-8);
}

/// Watt's governor with Porter's weight: ω² l cos α = g (m + M)/m.
fn governor(speed: f64) -> Model {
    let (l, m, weight, start) = (0.25, 2.0, 5.0, std::f64::consts::FRAC_PI_4);
    let (sin, cos) = start.sin_cos();
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("spindle", RigidBody::new(1.0, [0.01; 3]))
        .body("sleeve", PointMass::new(weight, [0.0, 0.0, -2.0 * l * cos]))
        .marker("spindle.plane", Frame::at([0.0; 3]).axis([0.0, 1.0, 0.0]))
        .constraint(
            "bearing",
            Joint::revolute("ground", "spindle").prescribe_rotation(Prescription::Velocity(Signal::constant(speed))),
        )
        .constraint("slide", Joint::point_on_line("spindle", "sleeve"));
    for (i, side) in [(1, 1.0), (2, -1.0)] {
        let ball = format!("ball{i}");
        spec.body(&ball, PointMass::new(m, [side * l * sin, 0.0, -l * cos]))
            .constraint(&format!("arm{i}"), Relation::rod("ground", &ball, l))
            .constraint(&format!("link{i}"), Relation::rod(&ball, "sleeve", l))
            .constraint(&format!("turn{i}"), Joint::point_on_plane("spindle.plane", &ball));
    }
    spec.build().unwrap()
}

#[test]
fn governor_at_steady_speed() {
    for speed in [13.0, 16.0, 22.0] {
        let model = governor(speed);
        let settings = Statics { rotation: Some(UniformRotation::about([0.0, 0.0, 1.0], speed)), ..Statics::default() };
        let found = at_rest(&model, &settings);
        let height = G * 7.0 / (2.0 * speed * speed);
        let z = found.state.q[model.bodies[1].q.start + 2];
        close("sleeve", &[z], &[-2.0 * height], 1e-10);
        // Each arm carries its ball and half of the sleeve: λ per length.
        let arm = (0..model.rows.len()).find(|r| model.row_name(*r).starts_with("arm1")).unwrap();
        let pull = G * (2.0 + 2.5) / height * 0.25;
        close("arm", &[found.lambda[arm].abs()], &[pull], 1e-8);
        // The rotation is steady: the accelerations of the equations of motion are those of the rotation.
        let forces = taut::analyses::inverse(&model, &found.state, &found.vdot).unwrap();
        below("needed besides", forces.needed, 1e-8);
        below("violation", forces.violation, 1e-8);
    }
    // A driver of another speed contradicts it.
    let model = governor(16.0);
    let settings = Statics { rotation: Some(UniformRotation::about([0.0, 0.0, 1.0], 17.0)), ..Statics::default() };
    let error = statics(&model, &model.initial_state(), &settings).unwrap_err();
    assert!(matches!(&error, StaticsError::RowRateMismatch { row, .. } if row.starts_with("bearing")), "{error}");
}

/// A plate on a rotating hinge, with all its products of inertia: moments about the hinge against those of mass elements.
#[test]
fn rigid_plate_in_steady_rotation() {
    let speed = 9.0;
    let mut spec = Spec::new();
    // A thin rod of mass m from the hinge outward, tilted by α against the vertical axis: tan α is free where
    // ω² (l/3) cos α = g/2 … (m ω² l² sin α cos α / 3 = m g l sin α / 2).
    let l: f64 = 0.6;
    spec.gravity([0.0, 0.0, -G])
        .body("hub", RigidBody::new(1.0, [0.1; 3]))
        .body(
            "rod",
            RigidBody::new(2.0, [2.0 * l * l / 12.0, 2.0 * l * l / 12.0, 1e-9])
                .com([0.0, 0.0, -0.5 * l])
                .oriented(taut::Orientation::RotationVector([0.0, -0.9, 0.0])),
        )
        .marker("hub.pin", Frame::at([0.0; 3]).axis([0.0, 1.0, 0.0]))
        .marker("rod.pin", Frame::at([0.0; 3]).axis([0.0, 1.0, 0.0]))
        .constraint(
            "bearing",
            Joint::revolute("ground", "hub").prescribe_rotation(Prescription::Velocity(Signal::constant(speed))),
        )
        .constraint("hinge", Joint::revolute("hub.pin", "rod.pin"));
    let model = spec.build().unwrap();
    let settings = Statics { rotation: Some(UniformRotation::about([0.0, 0.0, 2.0], speed)), ..Statics::default() };
    let found = at_rest(&model, &settings);
    let rod = &model.bodies[1];
    let mut own = taut::motion::Motion::REST;
    rod.kind.body().frame_pose(&found.state.q[rod.q.clone()], &mut own);
    let cos = own.R[(2, 2)];
    close("tilt", &[cos], &[1.5 * G / (speed * speed * l)], 1e-7);
}

/// Two parallel links too many: the loads of a parallelogram with a third crank.
#[test]
fn third_crank_is_no_free_motion() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]).body("bar", PlanarBody::rod(4.0, 2.0).at([1.0 + 0.6, 0.8], 0.0));
    for (i, x) in [0.0, 1.0, 2.0].into_iter().enumerate() {
        let (crank, tip) = (format!("crank{i}"), format!("crank{i}.tip"));
        let (foot, seat) = (format!("ground.foot{i}"), format!("bar.seat{i}"));
        spec.body(&crank, PlanarBody::rod(1.0, 1.0).com([0.5, 0.0]).at([x, 0.0], 0.8_f64.atan2(0.6)))
            .marker(&tip, Frame::at([1.0, 0.0, 0.0]))
            .marker(&foot, Frame::at([x, 0.0, 0.0]))
            .marker(&seat, Frame::at([x - 1.0, 0.0, 0.0]))
            .constraint(&format!("foot{i}"), Joint::pin(&foot, &crank))
            .constraint(&format!("seat{i}"), Joint::pin(&seat, &tip));
    }
    spec.force("spring", Spring::torsional("ground", "crank0", 90.0, 0.0, 1.0));
    let model = spec.build().unwrap();
    let found = at_rest(&model, &Statics::default());
    let theta = found.state.q[model.bodies[1].q.start + 2];
    // 90 (θ − 1) + (4 + 3/2) g cos θ = 0
    below("moment", (90.0 * (theta - 1.0) + 5.5 * G * theta.cos()).abs(), 1e-8);
}

/// Newton's method started beyond the inflection of a spring diverges; relaxation finds the minimum.
#[test]
fn relaxation_converges_where_newton_fails() {
    // V = −30 exp(−s²): the force falls off on both sides.
    let mut spec = Spec::new();
    let law = taut::signals::ForceLaw::expression("-60*s*exp(-s^2)").unwrap();
    spec.body("bead", PlanarBody::new(1.0, 1.0).at([1.6, 0.0], 0.0))
        .constraint("guide", Joint::slider("ground", "bead"))
        .force("well", Spring::new(Measure::coordinate("bead.x"), law));
    let model = spec.build().unwrap();
    let bare = Statics { fallback: Fallback::None, ..Statics::default() };
    let straight = statics(&model, &model.initial_state(), &bare);
    assert!(straight.as_ref().map_or(true, |e| e.state.q[0].abs() > 1.0), "{straight:?}");
    let found = at_rest(&model, &Statics::default());
    assert!(matches!(found.method, EquilibriumMethod::Relaxation(_)), "{:?}", found.method);
    below("bottom", found.state.q[0].abs(), 1e-9);
}

#[test]
fn invalid_statics_are_rejected() {
    let model = governor(16.0);
    let at = |settings: Statics| statics(&model, &model.initial_state(), &settings).unwrap_err().to_string();
    let none = Statics { loading: Loading::Steps(0), ..Statics::default() };
    assert!(at(none).contains("load steps"), "{}", at(none));
    let arc = ArcLength { first_step: -1.0, ..ArcLength::default() };
    let backwards = Statics { loading: Loading::ArcLength(arc), ..Statics::default() };
    assert!(at(backwards).contains("first"), "{}", at(backwards));
    let nowhere = Statics { rotation: Some(UniformRotation::about([0.0; 3], 1.0)), ..Statics::default() };
    assert!(at(nowhere).contains("rotation"), "{}", at(nowhere));
    let mut spec = Spec::new();
    spec.body("flat", PlanarBody::new(1.0, 1.0)).force("k", Spring::linear("ground", "flat", 1.0, 0.0, 0.0));
    let flat = spec.build().unwrap();
    let settings = Statics { rotation: Some(UniformRotation::about([1.0, 0.0, 0.0], 1.0)), ..Statics::default() };
    let error = statics(&flat, &flat.initial_state(), &settings).unwrap_err();
    assert!(matches!(&error, StaticsError::RotationUnsupported { body, .. } if body == "flat"), "{error}");
}

/// A lever of some micrometres on a spring of 1e-12 N m/rad, under 1e-6 N: k θ = load l cos θ.
#[test]
fn equilibrium_does_not_depend_on_the_scale() {
    for (l, load) in [(1.0, 1.0), (1e-6, 1e-6)] {
        let k = load * l;
        let axis = [0.0, -1.0, 0.0];
        let mut spec = Spec::new();
        spec.body("lever", RigidBody::new(1e-3, [1e-3 * l * l; 3]).at([l, 0.0, 0.0]))
            .marker("ground.hinge", Frame::at([0.0; 3]).axis(axis))
            .marker("lever.hinge", Frame::at([-l, 0.0, 0.0]).axis(axis))
            .constraint("hinge", Joint::revolute("ground.hinge", "lever.hinge"))
            .force("spring", Spring::torsional("ground.hinge", "lever.hinge", k, 0.0, 0.0))
            .force("push", Applied::force("lever", [0.0, 0.0, load].map(Signal::constant)));
        let model = spec.build().unwrap();
        let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
        // θ = cos θ.
        let theta = 0.739_085_133_215_160_6_f64;
        let exact = [l * theta.cos(), 0.0, l * theta.sin()];
        let off = found.state.q[..3].iter().zip(exact).fold(0.0_f64, |a, (q, x)| a.max((q - x).abs()));
        assert!(off < 1e-11 * l, "l = {l}: {off}");
    }
}

/// A strip whose end is driven far aside: the end moves with the load factor.
#[test]
fn drivers_move_with_the_load_factor() {
    let section = Section::diagonal([1e4, 1e4, 1e4, 1.0, 1.0, 1.0], 0.1, [1e-4; 3]);
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .beam("strip", Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section, 10).planar())
        .constraint("root", Joint::weld("ground", "strip_0"))
        .constraint(
            "drive",
            Relation::driver(Measure::coordinate("strip_10.y"), Prescription::Position(Signal::constant(0.6))),
        );
    let model = spec.build().unwrap();
    let settings = Statics { loading: Loading::Steps(6), ..Statics::default() };
    let path = load_path(&model, &model.initial_state(), &settings).unwrap();
    let tip = model.bodies.iter().find(|b| b.name == "strip_10").unwrap().q.start + 1;
    assert_eq!(path.points.len(), 6);
    for p in &path.points {
        assert!((p.state.q[tip] - 0.6 * p.load_factor).abs() < 1e-10, "{} at {}", p.state.q[tip], p.load_factor);
    }
    let at_once = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
    let last = &path.points[5].state.q;
    let off = last.iter().zip(&at_once.state.q).fold(0.0_f64, |a, (x, y)| a.max((x - y).abs()));
    assert!(off < 1e-9, "{off}");
}
