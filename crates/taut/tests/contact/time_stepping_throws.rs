//! Fast bodies with time stepping: none passes through another, and none gains energy.

use taut::analyses::Output;
use taut::contacts::{ContactRule, RigidContact, Surface};
use taut::shapes::Shape;
use taut::stepping::{TimeSteppingSettings, simulate};
use taut::{Model, Orientation, RigidBody, Solution, Spec};

struct Random(u64);

impl Random {
    /// Between 0 and 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Between two numbers, evenly in their logarithms.
    fn log(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.next())
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// A sphere thrown along x at a target that stands at the origin.
fn throw(radius: f64, speed: f64, distance: f64, offset: f64, target: (RigidBody, Shape), e: f64) -> Model {
    let m = 1000.0 * 4.19 * radius.powi(3);
    let mut spec = Spec::new();
    spec.body(
        "ball",
        RigidBody::new(m, [0.4 * m * radius * radius; 3])
            .at([-distance, offset, 0.0])
            .moving([speed, 0.0, 0.0], [0.0; 3]),
    )
    .body("target", target.0)
    .surface("ball", Surface::new("ball", Shape::Sphere { radius }))
    .surface("target", Surface::new("target", target.1))
    .contact("c", ContactRule::all(RigidContact::SMOOTH.friction(0.3).restitution(e)));
    spec.build().unwrap()
}

fn kinetic(run: &Solution) -> (f64, f64) {
    let all = run.column("energy.kinetic").unwrap();
    (all[0], all.iter().fold(0.0_f64, |most, k| most.max(*k)))
}

fn fly(model: &Model, t_end: f64, h: f64) -> Solution {
    let run =
        simulate(model, &model.initial_state(), &TimeSteppingSettings::to(t_end, h).output(Output::Steps)).unwrap();
    assert!(run.outcome.is_success(), "{}", run.outcome);
    let (start, most) = kinetic(&run);
    assert!(most <= start * (1.0 + 1e-9), "gains energy: {most} from {start}");
    run
}

#[test]
fn no_ball_passes_through_another() {
    // The number of cases can be increased for a longer test.
    let cases = std::env::var("TAUT_THROWS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    balls_at_balls(7, cases);
}

fn balls_at_balls(seed: u64, cases: usize) {
    let mut random = Random(seed);
    for case in 0..cases {
        let (radius, speed) = (random.log(1e-3, 0.3), random.log(0.01, 1000.0));
        let (distance, other) = (radius * random.log(10.0, 1e4), random.log(1e-3, 0.3));
        let (e, part) = (random.next(), random.between(-1.3, 1.3));
        let m = 1000.0 * 4.19 * other.powi(3);
        let body = RigidBody::new(m, [0.4 * m * other * other; 3]);
        let offset = part * (radius + other);
        let model = throw(radius, speed, distance + other, offset, (body, Shape::Sphere { radius: other }), e);
        let t_end = 1.5 * (distance + other) / speed;
        // In one step the ball moves many times its size.
        let run = fly(&model, t_end, t_end / random.between(3.0, 40.0));
        let hit = run.last("target.vx").unwrap() != 0.0;
        assert_eq!(hit, part.abs() < 1.0, "case {case}: r {radius} at {speed} m/s from {distance}, offset {part}");
        if hit {
            // Between the smooth impact and that with full friction, which acts along the tangent; the normal is that of
            // the start of the last short step.
            let mass = radius.powi(3) / (radius.powi(3) + other.powi(3));
            let (smooth, tangent) =
                (speed * mass * (1.0 + e) * (1.0 - part * part), part.abs() / (1.0 - part * part).sqrt());
            let (found, slack) = (run.last("target.vx").unwrap(), 0.2 * speed * mass * (1.0 + e));
            let most = smooth * (1.0 + 0.3 * tangent);
            assert!(found > smooth - slack && found < most + slack, "case {case}: {found}, not {smooth} to {most}");
        }
    }
}

#[test]
fn no_ball_passes_through_a_thin_plate() {
    let mut random = Random(11);
    for case in 0..25 {
        let (radius, speed) = (random.log(1e-3, 0.1), random.log(1.0, 1000.0));
        let thickness = radius * random.log(1e-3, 0.1);
        let size = [thickness, 20.0 * radius, 20.0 * radius];
        let turned = Orientation::RotationVector([0.0, 0.0, random.between(-1.0, 1.0)]);
        let m = 1e6 * radius.powi(3);
        let body = RigidBody::new(m, [m * radius * radius * 60.0; 3]).oriented(turned);
        let distance = radius * random.log(10.0, 1e3);
        let model = throw(radius, speed, distance, 0.0, (body, Shape::Box { size }), 0.5);
        let t_end = 1.5 * distance / speed;
        let run = fly(&model, t_end, t_end / random.between(3.0, 30.0));
        assert!(run.last("target.vx").unwrap() > 0.0, "case {case}: through a plate of {thickness} m at {speed} m/s");
    }
}

#[test]
fn spinning_boxes_and_capsules_hit_and_gain_no_energy() {
    let mut random = Random(23);
    for case in 0..25 {
        let (size, speed) = (random.log(1e-2, 0.5), random.log(0.1, 300.0));
        let spin = [random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        let m = 1000.0 * size.powi(3);
        let shape = if case % 2 == 0 {
            Shape::Box { size: [size, 0.5 * size, 0.2 * size] }
        } else {
            Shape::Capsule { radius: 0.1 * size, length: size }
        };
        let spin = spin.map(|w| w * speed / size);
        let body = RigidBody::new(m, [m * size * size / 12.0; 3]).moving([0.0; 3], spin);
        let radius = 0.2 * size;
        let distance = size * random.log(5.0, 300.0);
        let model = throw(radius, speed, distance, 0.0, (body, shape), random.next());
        let t_end = 1.3 * distance / speed;
        let run = fly(&model, t_end, t_end / 20.0);
        let moved = (0..3).any(|i| run.last(["target.vx", "target.vy", "target.vz"][i]).unwrap() != 0.0);
        assert!(moved, "case {case}: passed through {size} m at {speed} m/s");
    }
}
