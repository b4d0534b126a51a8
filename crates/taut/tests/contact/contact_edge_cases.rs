//! Difficult contact situations, one test each.
#![allow(non_snake_case)]

use taut::analyses::{AnalysisError, Transient, simulate};
use taut::constraints::{
    Constraint, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel, RowTerms,
};
use taut::contacts::{ContactRule, RigidContact, Surface};
use taut::events::ParadoxResponse;
use taut::forces::{Applied, Spring};
use taut::laws::{ConstraintLaw, Friction, Impact, ImpactLaw};
use taut::motion::{Vec3, Wrench};
use taut::shapes::Shape;
use taut::signals::ForceLaw as SpringLaw;
use taut::{
    EventKind, Frame, Joint, JointFriction, Measure, Model, Outcome, ParameterError, PlanarBody, PointMass,
    PointPlaneContact, Rope, Signal, Solution, Spec, Stop,
};

const G: f64 = 9.81;

fn tight(t: f64) -> Transient {
    Transient::to(t).every(t / 20.0).tolerance(1e-12, 1e-12)
}

fn simulate_model(model: &Model, settings: &Transient) -> Solution {
    simulate(model, &model.initial_state(), settings).unwrap()
}

fn run(spec: &Spec, settings: &Transient) -> Solution {
    let solution = simulate_model(&spec.build().unwrap(), settings);
    assert_eq!(solution.outcome, Outcome::Finished, "{}", solution.outcome);
    solution
}

fn last(solution: &Solution, name: &str) -> f64 {
    solution.last(name).unwrap()
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, not {expected} ({:.1e})", found - expected);
}

fn times(solution: &Solution, what: EventKind) -> Vec<f64> {
    solution.events.iter().filter(|o| o.what == what).map(|o| o.t).collect()
}

/// The floor y = 0 for points in the plane, with friction along x.
fn floor(point: &str, friction: Friction, e: f64) -> PointPlaneContact {
    let impact = Impact { law: ImpactLaw::Newton, restitution: e };
    let tangents = if friction == Friction::NONE {
        taut::constraints::SlipAxes::None
    } else {
        taut::constraints::SlipAxes::One(taut::Axis::X)
    };
    PointPlaneContact::new("ground.floor", point).friction(friction, tangents).impact(impact)
}

fn ground(spec: &mut Spec) {
    // z of the marker is the normal, upwards along y of the world.
    let up = taut::Orientation::Axes { z: [0.0, 1.0, 0.0], x: Some([1.0, 0.0, 0.0]) };
    spec.gravity([0.0, -G, 0.0]).marker("ground.floor", Frame::at([0.0; 3]).with_orientation(up));
}

#[test]
fn simultaneous_events() {
    let mut spec = Spec::new();
    ground(&mut spec);
    for (i, x) in [0.0, 1.0, 2.0].into_iter().enumerate() {
        let name = format!("b{i}");
        spec.body(&name, PointMass::new(1.0 + x, [x, 1.0, 0.0]));
        spec.constraint(&format!("f{i}"), floor(&name, Friction::NONE, 0.5));
    }
    let s = run(&spec, &tight(2.0));
    let first = times(&s, EventKind::Impact);
    assert_eq!(first[0], first[1]);
    assert_eq!(first[0], first[2]);
    let all: Vec<f64> = (0..3).map(|i| last(&s, &format!("b{i}.y"))).collect();
    assert!(all.iter().all(|y| y.abs() < 1e-14), "{all:?}");
    let t0 = (2.0 / G).sqrt();
    times(&s, EventKind::Rests).iter().for_each(|t| close(*t, 3.0 * t0, 1e-9, "rests"));
}

#[test]
fn grazing() {
    // Thrown up just to the ceiling: it touches with zero velocity, and nothing changes.
    let v = 3.0;
    let height = v * v / (2.0 * G);
    for above in [0.0, 1e-13, -1e-13, 1e-9, -1e-9] {
        let mut spec = Spec::new();
        spec.gravity([0.0, -G, 0.0])
            .body("ball", PointMass::new(1.0, [0.0; 3]).moving([1.0, v, 0.0]))
            .constraint("ceiling", Stop::upper(Measure::coordinate("ball.y"), height + above));
        let s = run(&spec, &tight(0.5));
        // Beneath the top by d it is stopped out of √(2 g d).
        let missed = if above < 0.0 { (2.0 * G * -above).sqrt() * 0.2 } else { 0.0 };
        close(last(&s, "ball.y"), v * 0.5 - 0.5 * G * 0.25 - missed, 1e-10 + 0.05 * missed, "flight");
        assert!(last(&s, "energy.balance").abs() < 1e-12);
    }
}

#[test]
fn events_at_the_start() {
    let mut spec = Spec::new();
    ground(&mut spec);
    spec.body("ball", PointMass::new(1.0, [0.0; 3]).moving([0.0, -2.0, 0.0]));
    spec.constraint("f", floor("ball", Friction::NONE, 0.5));
    let s = run(&spec, &tight(0.1));
    assert_eq!(times(&s, EventKind::Impact)[0], 0.0);
    close(last(&s, "ball.y"), 0.1 - 0.5 * G * 0.01, 1e-12, "rebounds");
    close(last(&s, "energy.balance"), 0.0, 1e-13, "balance");
    close(last(&s, "f.lost"), 1.5, 1e-13, "lost");
    // At rest in contact it stays; pulled up it separates at once.
    let mut spec = Spec::new();
    ground(&mut spec);
    spec.gravity([0.0, 1.0, 0.0]).body("ball", PointMass::new(1.0, [0.0; 3]));
    spec.constraint("f", floor("ball", Friction::NONE, 0.5));
    close(last(&run(&spec, &tight(1.0)), "ball.y"), 0.5, 1e-12, "leaves");
}

#[test]
fn a_later_load_keeps_the_contact_closed() {
    // Touching without a load, then pushed down: it must not fall through.
    let mut spec = Spec::new();
    ground(&mut spec);
    let push = Signal::expression("if_pos(t - 1, if_pos(t - 2, -5, 5 - 5*t), 0)").unwrap();
    spec.gravity([0.0; 3])
        .body("ball", PointMass::new(1.0, [0.0; 3]))
        .force("push", Applied::force("ball", [Signal::constant(0.0), push, Signal::constant(0.0)]));
    spec.constraint("f", floor("ball", Friction::NONE, 0.0));
    let s = run(&spec, &Transient::to(3.0).every(0.1));
    assert!(s.column("ball.y").unwrap().iter().all(|y| y.abs() < 2e-10));
    close(last(&s, "f.lambda_gap"), 5.0, 1e-9, "pressure");
}

#[test]
fn two_ropes_go_taut_together() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .marker("ground.left", Frame::at([-0.6, 0.0, 0.0]))
        .marker("ground.right", Frame::at([0.6, 0.0, 0.0]))
        .body("load", PointMass::new(2.0, [0.0; 3]))
        .constraint("one", Rope::new(&["ground.left", "load"], 1.0))
        .constraint("two", Rope::new(&["ground.right", "load"], 1.0));
    let s = run(&spec, &tight(2.0));
    let t = (2.0 * 0.8 / G).sqrt();
    let hits = times(&s, EventKind::Impact);
    assert_eq!(hits.len(), 2);
    close(hits[0], t, 1e-11, "taut");
    close(last(&s, "load.y"), -0.8, 1e-13, "hangs");
    close(last(&s, "one.lambda_slack"), 2.0 * G / 1.6, 1e-10, "tension");
    close(last(&s, "energy.impacts"), 2.0 * G * 0.8, 1e-10, "lost");
}

#[test]
fn impact_while_sticking() {
    // A block at rest on the floor is hit along the floor: there is no normal impulse, so it starts to slip at once.
    let mu = Friction { stick: 0.6, slip: 0.4 };
    let mut spec = Spec::new();
    ground(&mut spec);
    spec.body("block", PointMass::new(2.0, [0.0; 3]))
        .body("ball", PointMass::new(1.0, [-1.0, 0.0, 0.0]).moving([3.0, 0.0, 0.0]))
        .constraint("b", floor("block", mu, 0.0))
        .constraint("a", floor("ball", Friction::NONE, 0.0))
        .constraint("bump", taut::MinimumDistance::new("ball", "block", 0.1));
    let s = run(&spec, &tight(2.0));
    close(times(&s, EventKind::Impact)[0], 0.3, 1e-11, "struck");
    // Plastic: 1 m/s together; friction then slows the block down, and the ball with it: (m + M) a = −μ M g.
    let a = 0.4 * 2.0 * G / 3.0;
    close(last(&s, "block.x"), 0.5 / a, 1e-9, "slides");
    close(last(&s, "energy.balance"), 0.0, 1e-11, "balance");
}

#[test]
fn a_mechanism_jams() {
    // Pushed at 20° to the normal with a friction angle of 26.6°: no force however large moves it.
    let mut spec = Spec::new();
    ground(&mut spec);
    let angle = 20.0_f64.to_radians();
    let ramp = |k: f64| Signal::table(vec![0.0, 10.0], vec![0.0, 1e6 * k]).unwrap();
    spec.body("block", PointMass::new(1.0, [0.0; 3]))
        .force("push", Applied::force("block", [ramp(angle.sin()), ramp(-angle.cos()), Signal::constant(0.0)]));
    spec.constraint("f", floor("block", Friction::same(0.5), 0.0));
    let s = run(&spec, &Transient::to(10.0).every(0.1));
    assert!(s.column("block.x").unwrap().iter().all(|x| *x == 0.0));
}

#[test]
fn a_loaded_joint_with_static_friction_stays() {
    // The weight on an arm of 1 cm against a pin of 2 cm with μ = 0.6: 0.01 < 0.6 · 0.02.
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("lever", PlanarBody::new(3.0, 0.02).com([0.01, 0.0]))
        .constraint("pin", Joint::pin("ground", "lever"))
        .constraint("rub", JointFriction::revolute("pin", "ground", "lever", 0.02, Friction::same(0.6)));
    let s = run(&spec, &Transient::to(1000.0).every(10.0));
    let theta = s.column("lever.theta").unwrap();
    assert!(theta.iter().all(|a| *a == 0.0), "{:?}", theta.last());
}

#[test]
fn contact_in_a_singular_pose() {
    // Crank and rod of equal length stand upright over each other where the slider meets its stop.
    let mut spec = Spec::new();
    let start = 1.2_f64;
    let (c, s) = (start.cos(), start.sin());
    let crank = PlanarBody::rod(1.0, 1.0).at([0.5 * c, 0.5 * s], start).moving([-0.5 * s, 0.5 * c], 1.0);
    let rod = PlanarBody::rod(1.0, 1.0).at([1.5 * c, 0.5 * s], -start).moving([-1.5 * s, 0.5 * c], -1.0);
    spec.body("crank", crank)
        .body("rod", rod)
        .body("slider", PlanarBody::new(1.0, 0.1).at([2.0 * c, 0.0], 0.0).moving([-2.0 * s, 0.0], 0.0))
        .marker("crank.a", Frame::at([-0.5, 0.0, 0.0]))
        .marker("crank.b", Frame::at([0.5, 0.0, 0.0]))
        .marker("rod.a", Frame::at([-0.5, 0.0, 0.0]))
        .marker("rod.b", Frame::at([0.5, 0.0, 0.0]))
        .constraint("pivot", Joint::pin("ground", "crank.a"))
        .constraint("knee", Joint::pin("crank.b", "rod.a"))
        .constraint("wrist", Joint::pin("rod.b", "slider"))
        .constraint("guide", Joint::slider("ground", "slider"))
        .constraint("stop", Stop::lower(Measure::coordinate("slider.x"), 0.0));
    let model = spec.build().unwrap();
    let state = model.initial_state();
    let solution = simulate(&model, &state, &Transient::to(1.0).every(0.05).tolerance(1e-9, 1e-9)).unwrap();
    assert!(solution.t().last().unwrap() > &0.3, "{}", solution.outcome);
    let balance = solution.column("energy.balance").unwrap();
    assert!(balance.iter().all(|b| b.abs() < 1e-5), "{balance:?}");
    assert!(solution.events.iter().any(|o| o.name == "stop"), "{:?}", solution.events);
}

#[test]
fn energy_balances_over_thousands_of_impacts() {
    // Two discs in a frame, elastic and smooth: nothing is ever lost.
    let mut spec = Spec::new();
    let side = |x: f64, y: f64, a: f64| {
        Frame::at([x, y, 0.0]).with_orientation(taut::Orientation::RotationVector([0.0, 0.0, a]))
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    for (i, frame) in
        [side(0.0, -0.5, 0.0), side(0.5, 0.0, quarter), side(0.0, 0.5, 2.0 * quarter), side(-0.5, 0.0, -quarter)]
            .into_iter()
            .enumerate()
    {
        spec.marker(&format!("ground.w{i}"), frame);
        spec.surface(&format!("w{i}"), Surface::new(&format!("ground.w{i}"), Shape::HalfPlane {}));
    }
    spec.body("one", PlanarBody::new(1.0, 0.01).at([-0.2, 0.1], 0.0).moving([3.0, 1.7], 2.0))
        .body("two", PlanarBody::new(2.0, 0.02).at([0.2, -0.1], 0.0).moving([-2.0, 0.7], 0.0))
        .surface("disc1", Surface::new("one", Shape::Circle { radius: 0.1 }))
        .surface("disc2", Surface::new("two", Shape::Circle { radius: 0.15 }))
        .contact("walls", ContactRule::all(RigidContact::SMOOTH.restitution(1.0)));
    let s = run(&spec, &Transient::to(300.0).every(1.0).tolerance(1e-12, 1e-12));
    let hits = times(&s, EventKind::Impact).len();
    let E = s.column("energy.kinetic").unwrap();
    let drift = E.iter().map(|e| (e - E[0]).abs()).fold(0.0, f64::max) / E[0];
    assert!(hits > 2000, "{hits}");
    assert!(drift < 1e-11, "{drift:e}");
    // With friction and partial restitution, pulled around a corner by gravity: losses are recorded.
    spec.contacts.clear();
    spec.gravity([0.3, -1.0, 0.0])
        .contact("walls", ContactRule::all(RigidContact::SMOOTH.restitution(0.9).friction(0.3)));
    let s = run(&spec, &Transient::to(60.0).every(1.0).tolerance(1e-12, 1e-12));
    let scale = s.column("energy.kinetic").unwrap()[0];
    let balance = s.column("energy.balance").unwrap().iter().fold(0.0, |a: f64, b| a.max(b.abs())) / scale;
    assert!(balance < 1e-9, "{balance:e}");
    let lost = s.column("energy.impacts").unwrap();
    assert!(lost.windows(2).all(|w| w[1] >= w[0] - 1e-13), "no impact adds energy");
}

#[test]
fn energy_balances_over_thousands_of_slips() {
    // Spring-pulled block: sticks and slips with the period of the closed form.
    let mut spec = Spec::new();
    ground(&mut spec);
    let (k, V) = (100.0, 0.1);
    let mu = Friction { stick: 0.5, slip: 0.3 };
    spec.body("block", PointMass::new(1.0, [0.0; 3]))
        .body("hook", PointMass::new(1.0, [0.0; 3]))
        .constraint(
            "hook",
            taut::Relation::driver(
                Measure::coordinate("hook.x"),
                taut::Prescription::Position(Signal::polynomial([0.0, V])),
            ),
        )
        .constraint(
            "rail",
            taut::Relation::driver(Measure::coordinate("hook.y"), taut::Prescription::Position(Signal::constant(0.0))),
        )
        .constraint(
            "z",
            taut::Relation::driver(Measure::coordinate("hook.z"), taut::Prescription::Position(Signal::constant(0.0))),
        )
        .force(
            "spring",
            Spring::new(Measure::slide_along("hook", "block", taut::Axis::X), SpringLaw::linear(k, 0.0, 0.0)),
        );
    spec.constraint("f", floor("block", mu, 0.0));
    let s = run(&spec, &Transient::to(800.0).every(1.0).tolerance(1e-12, 1e-12));
    let slips: Vec<f64> = times(&s, EventKind::Slips);
    assert!(slips.len() > 990, "{}", slips.len());
    close(slips[0], 0.4905, 1e-10, "first slip");
    let period = 0.800832217;
    close((slips[900] - slips[100]) / 800.0, period, 1e-8, "period");
    let work = last(&s, "energy.work");
    let balance = s.column("energy.balance").unwrap().iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    assert!(balance < 1e-9 * work, "{balance:e} of {work}");
}

/// A rod that slides on its tip, leaning into its motion.
fn rod(mu: f64, paradox: ParadoxResponse) -> Result<Solution, AnalysisError> {
    let lean = 2.0_f64;
    let mut spec = Spec::new();
    ground(&mut spec);
    let (c, s) = (lean.cos(), lean.sin());
    spec.body("rod", PlanarBody::new(1.0, 1.0 / 48.0).at([0.5 * c, 0.5 * s], lean).moving([2.0, 0.0], 0.0))
        .marker("rod.tip", Frame::at([-0.5, 0.0, 0.0]));
    spec.constraint("tip", floor("rod.tip", Friction::same(mu), 0.0));
    let model = spec.build().unwrap();
    let settings = Transient { paradox, ..Transient::to(0.05).every(0.01) };
    simulate(&model, &model.initial_state(), &settings)
}

#[test]
fn painleves_paradox_is_reported_or_resolved_by_an_impulse() {
    // [n, t] of the Delassus matrix: G_nn − μ G_nt < 0 for a steep enough friction.
    let calm = rod(0.3, ParadoxResponse::Stop).unwrap();
    assert_eq!(calm.outcome, Outcome::Finished);
    let reported = match rod(3.0, ParadoxResponse::Stop) {
        Err(error) => error.to_string(),
        Ok(solution) => solution.outcome.to_string(),
    };
    assert!(reported.contains("Painlevé") && reported.contains("`tip`"), "{reported}");
    let met = rod(3.0, ParadoxResponse::Impulse).unwrap();
    assert_eq!(met.outcome, Outcome::Finished, "{}", met.outcome);
    assert!(met.events.iter().any(|o| o.what == EventKind::Impact && o.name == "tip"));
    close(last(&met, "energy.balance"), 0.0, 1e-8, "balance");
}

/// A gap that opens and closes forever at one place: a vibrating wall.
#[derive(Debug)]
struct Trembling;

impl Constraint for Trembling {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame("ball")]
    }
    fn rows(&self) -> Vec<RowInfo> {
        vec![RowInfo { name: "gap", level: RowLevel::Position, unit: "m" }]
    }
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        // Returns so fast that an elastic ball never gets away.
        rows.phi[0] = at[0].p.y - 1e6 * at.t * at.t * at.t;
        rows.phi_t[0] = -3e6 * at.t * at.t;
        rows.D[0] = Wrench::force(Vec3::y());
    }
    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        rows.c[0] = -6e6 * at.t;
    }
    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Unilateral(Impact { law: ImpactLaw::Newton, restitution: 1.0 })
    }
    fn reset_guard_activity(&self) -> taut::constraints::ResetGuardActivity {
        taut::constraints::ResetGuardActivity::Always
    }
}

impl ExtraStates for Trembling {
    fn reset_guard_count(&self) -> usize {
        1
    }
    fn reset_guard(&self, at: &ElementInput, _: usize) -> f64 {
        // Fires again as soon as it has fired.
        at.z.first().map_or(1.0, |z| z - at.t)
    }
    fn state_count(&self) -> usize {
        1
    }
    fn initialise_states(&self, _: &ElementInput, z: &mut [f64]) {
        z[0] = 0.1;
    }
    fn reset_states(&self, at: &ElementInput, _: usize, z: &mut [f64]) {
        z[0] = at.t + 1.5e-13;
    }
}

impl NonSmooth for Trembling {}
impl FrictionLaw for Trembling {}

#[test]
fn too_many_events_stop_the_run_and_are_named() {
    let mut spec = Spec::new();
    spec.body("ball", PointMass::new(1.0, [0.0, 1.0, 0.0]))
        .constraint("wall", taut::constraints::ConstraintKind::Custom(std::sync::Arc::new(Trembling)));
    let model = spec.build().unwrap();
    let s = simulate_model(&model, &Transient::to(1.0).every(0.05));
    assert!(matches!(&s.outcome, Outcome::Chatter { names, .. } if names == &["wall"]), "{}", s.outcome);
    assert!(s.len() > 1, "what was computed before is kept");
}

/// A gap that closes whatever happens to the ball.
#[derive(Debug)]
struct Sinking;

impl Constraint for Sinking {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame("ball")]
    }
    fn rows(&self) -> Vec<RowInfo> {
        vec![RowInfo { name: "gap", level: RowLevel::Position, unit: "m" }]
    }
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        rows.phi[0] = 0.5 - at.t;
        rows.phi_t[0] = -1.0;
        rows.D[0] = Wrench::ZERO;
    }
    fn velocity_terms(&self, _: &ElementInput, rows: &mut RowTerms) {
        rows.c[0] = 0.0;
    }
    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Unilateral(Impact { law: ImpactLaw::Newton, restitution: 0.0 })
    }
}

impl ExtraStates for Sinking {}
impl NonSmooth for Sinking {}
impl FrictionLaw for Sinking {}

#[test]
fn a_wall_that_no_force_can_stop_is_named() {
    let mut spec = Spec::new();
    ground(&mut spec);
    spec.body("ball", PointMass::new(1.0, [0.0; 3]))
        .constraint("floor", floor("ball", Friction::NONE, 0.0))
        .constraint("wall", taut::constraints::ConstraintKind::Custom(std::sync::Arc::new(Sinking)));
    let s = simulate_model(&spec.build().unwrap(), &Transient::to(1.0).every(0.05));
    let Outcome::DrivenInto { t, constraint } = &s.outcome else { panic!("{}", s.outcome) };
    close(*t, 0.5, 1e-9, "when");
    assert_eq!(constraint, "wall");
}

#[test]
fn too_many_events_of_several_elements_name_them_all() {
    let mut spec = Spec::new();
    spec.body("ball", PointMass::new(1.0, [0.0, 1.0, 0.0]));
    for name in ["wall", "door"] {
        spec.constraint(name, taut::constraints::ConstraintKind::Custom(std::sync::Arc::new(Trembling)));
    }
    let s = simulate_model(&spec.build().unwrap(), &Transient::to(1.0).every(0.05));
    let Outcome::Chatter { names, .. } = &s.outcome else { panic!("{}", s.outcome) };
    let mut names = names.clone();
    names.sort();
    assert_eq!(names, ["door", "wall"]);
}
