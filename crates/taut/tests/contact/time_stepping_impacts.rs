//! Plastic impacts with time stepping converge to those of event-driven runs, with first order.

use taut::analyses::{Transient, simulate};
use taut::contacts::{ContactRule, RigidContact, Surface};
use taut::laws::Friction;
use taut::shapes::Shape;
use taut::stepping::{self, TimeSteppingSettings};
use taut::{Axis, Frame, Model, Orientation, Outcome, PlanarBody, PointPlaneContact, RigidBody, Spec};

/// Gaps that are no multiples of any step used here.
const GAPS: [f64; 4] = [0.3017e-3, 1.0009e-3, 1.05e-3, 2.7183e-3];

/// One column at the end, event-driven and with time stepping.
fn both(model: &Model, column: &str, t_end: f64, h: f64) -> [f64; 2] {
    let start = model.initial_state();
    let exact = simulate(model, &start, &Transient { rtol: 1e-10, ..Transient::to(t_end) }).unwrap();
    assert_eq!(exact.outcome, Outcome::Finished);
    let found = stepping::simulate(model, &start, &TimeSteppingSettings::to(t_end, h)).unwrap();
    assert_eq!(found.outcome, Outcome::Finished);
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    [exact.last(column).unwrap(), found.last(column).unwrap()]
}

/// The error decreases at least in proportion to the step, up to a factor for gaps that are no multiple of the step.
fn first_order(model: &Model, columns: &[&str], t_end: f64, size: f64, what: &str) {
    for column in columns {
        for h in [1e-3, 3e-4, 1e-4, 3e-5, 1e-5] {
            let [exact, found] = both(model, column, t_end, h);
            let most = size * h;
            assert!(
                (found - exact).abs() <= most,
                "{what}, h = {h}: {column} {found}, not {exact}, off by > {most:.1e}"
            );
        }
    }
}

/// A rod of 2 m whose foot meets the floor with 1 m/s while it slips.
fn rod(angle: f64, mu: f64, vx: f64, gap: f64) -> Model {
    let mut spec = Spec::new();
    let up = Orientation::Axes { z: [0.0, 1.0, 0.0], x: Some([1.0, 0.0, 0.0]) };
    let tangents = taut::constraints::SlipAxes::One(Axis::X);
    spec.marker("ground.floor", Frame::at([0.0; 3]).with_orientation(up))
        .body("rod", PlanarBody::rod(1.0, 2.0).at([angle.cos(), angle.sin() + gap], angle).moving([vx, -1.0], 0.0))
        .marker("rod.foot", Frame::at([-1.0, 0.0, 0.0]))
        .constraint("floor", PointPlaneContact::new("ground.floor", "rod.foot").friction(Friction::same(mu), tangents));
    spec.build().unwrap()
}

#[test]
fn an_impact_is_not_split_between_two_steps() {
    // With the step 1e-6 and a gap of 1.0009 mm the foot left with −0.214 m/s instead of −0.1382 m/s: one step closed the gap
    // with friction, the next took the rest of the speed with the slip the other way.
    let model = rod(60.0_f64.to_radians(), 0.3, 0.1, 1.0009e-3);
    let [exact, found] = both(&model, "rod.foot.vx", 1.5e-3, 1e-6);
    assert!((exact + 0.1382).abs() < 1e-4, "{exact}");
    assert!((found - exact).abs() < 1e-5, "{found} {exact}");
}

#[test]
fn rods_that_reverse_their_slip_in_the_impact() {
    for (degrees, mu, vx) in [(60.0_f64, 0.3, 0.1), (45.0, 0.2, 0.3), (75.0, 0.5, -0.05), (120.0, 0.3, -0.1)] {
        for gap in GAPS {
            let model = rod(degrees.to_radians(), mu, vx, gap);
            let what = format!("{degrees}°, μ {mu}, gap {gap}");
            first_order(&model, &["rod.foot.vx", "rod.omega"], 4e-3, 20.0, &what);
        }
    }
}

/// A ball of 0.1 m above a half-space.
fn ball(velocity: [f64; 3], spin: [f64; 3], mu: f64, gap: f64) -> Model {
    let (m, r) = (2.0, 0.1);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("ball", RigidBody::new(m, [0.4 * m * r * r; 3]).at([0.0, 0.0, r + gap]).moving(velocity, spin))
        .surface("ball", Surface::new("ball", Shape::Sphere { radius: r }))
        .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
        .contact("c", ContactRule::all(RigidContact::SMOOTH.friction(mu)));
    spec.build().unwrap()
}

#[test]
fn balls_that_land_obliquely_or_spinning() {
    for gap in GAPS {
        // It keeps slipping, it rolls after the impact, or its spin drives it.
        for (velocity, spin) in
            [([3.0, 0.0, -1.0], [0.0; 3]), ([0.3, 0.2, -1.0], [0.0; 3]), ([0.0, 0.0, -1.0], [0.0, 60.0, 20.0])]
        {
            let model = ball(velocity, spin, 0.2, gap);
            let what = format!("{velocity:?} {spin:?}, gap {gap}");
            first_order(&model, &["ball.vx", "ball.vy", "ball.wy", "ball.vz"], 6e-3, 60.0, &what);
        }
    }
}

#[test]
fn blocks_that_land_flat_and_on_an_edge() {
    for (tilt, gap) in [(0.0, GAPS[1]), (0.0, GAPS[3]), (0.2, GAPS[1]), (0.2, GAPS[2])] {
        let (m, a): (f64, f64) = (3.0, 0.1);
        let low = a * (f64::cos(tilt) + f64::sin(tilt));
        let about = Orientation::RotationVector([0.0, tilt, 0.0]);
        let inertia = m * (2.0 * a).powi(2) / 6.0;
        let body = RigidBody::new(m, [inertia; 3]).at([0.0, 0.0, low + gap]).oriented(about);
        let mut spec = Spec::new();
        spec.gravity([0.0, 0.0, -9.81])
            .body("block", body.moving([0.5, 0.0, -1.0], [0.0; 3]))
            .surface("block", Surface::new("block", Shape::Box { size: [2.0 * a; 3] }))
            .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
            .contact("c", ContactRule::all(RigidContact::SMOOTH.friction(0.25)));
        let model = spec.build().unwrap();
        let what = format!("tilt {tilt}, gap {gap}");
        first_order(&model, &["block.vx", "block.vz", "block.wy"], 6e-3, 120.0, &what);
    }
}
