//! Closed forms of contact, friction and impact with the simplest rows there are: a point over a floor.
#![allow(non_snake_case)]

use std::sync::Arc;
use taut::analyses::{Transient, simulate};
use taut::constraints::{Constraint, ConstraintKind, Level, Reference, Row, Rows, View};
use taut::laws::{Friction, Grip, Impact, ImpactLaw, Law, Press};
use taut::motion::{Vec3, Wrench};
use taut::{Fault, Happening, PointMass, Solution, Spec};

const G: f64 = 9.81;

/// A point over the floor y = 0 that it may slide on along x.
#[derive(Debug)]
struct Floor {
    on: &'static str,
    impact: Impact,
    friction: Option<Friction>,
}

impl Constraint for Floor {
    fn markers(&self) -> Vec<Reference<'_>> {
        vec![Reference::frame(self.on)]
    }
    fn rows(&self) -> Vec<Row> {
        let gap = Row { name: "gap", level: Level::Position, unit: "m" };
        let slip = Row { name: "slip", level: Level::Velocity, unit: "m" };
        if self.friction.is_some() { vec![gap, slip] } else { vec![gap] }
    }
    fn check(&self) -> Result<(), Fault> {
        self.impact.check()
    }
    fn place(&self, at: &View, rows: &mut Rows) {
        rows.phi[0] = at[0].p.y;
        rows.D[0] = Wrench::force(Vec3::y());
        rows.phi_t.fill(0.0);
        if self.friction.is_some() {
            rows.phi[1] = 0.0;
            rows.D[1] = Wrench::force(Vec3::x());
        }
    }
    fn carry(&self, _: &View, rows: &mut Rows) {
        rows.c.fill(0.0);
    }
    fn law(&self) -> Law {
        Law::Unilateral(self.impact)
    }
    fn grip(&self, _: &View) -> Grip {
        Grip::coulomb(self.friction.unwrap_or(Friction::NONE))
    }
    fn press(&self) -> Press<'_> {
        Press::OwnGap
    }
}

fn floor(on: &'static str, e: f64, friction: Option<Friction>) -> ConstraintKind {
    let impact = Impact { law: ImpactLaw::Newton, restitution: e };
    ConstraintKind::Custom(Arc::new(Floor { on, impact, friction }))
}

fn times(solution: &Solution, what: Happening) -> Vec<f64> {
    solution.events.iter().filter(|o| o.what == what).map(|o| o.t).collect()
}

#[test]
fn a_ball_bounces_to_rest_where_its_impacts_accumulate() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("ball", PointMass::new(1.0, [0.0, 1.0, 0.0]))
        .constraint("floor", floor("ball", 0.8, None));
    let model = spec.build().unwrap();
    let settings = Transient::to(5.0).every(0.01).tolerance(1e-11, 1e-11);
    let solution = simulate(&model, &model.initial_state(), &settings).unwrap();
    println!("{} {:?}", solution.outcome, solution.statistics);
    let hits = times(&solution, Happening::Impact);
    let t0 = (2.0 / G).sqrt();
    let mut t = t0;
    for (k, hit) in hits.iter().enumerate() {
        println!("{k} {hit} {:.2e}", hit - t);
        t += 2.0 * t0 * 0.8_f64.powi(k as i32 + 1);
    }
    let zeno = t0 * (1.0 + 2.0 * 0.8 / 0.2);
    println!("{:?} {zeno} {:?}", times(&solution, Happening::Rests), solution.last("energy.balance"));
    println!("{:?} {:?}", solution.last("ball.y"), solution.last("ball.vy"));
}

#[test]
fn a_block_on_an_incline_stops_and_sticks() {
    let (theta, mu) = (25.0_f64.to_radians(), Friction { stick: 0.5, slip: 0.4 });
    let mut spec = Spec::new();
    spec.gravity([-G * theta.sin(), -G * theta.cos(), 0.0])
        .body("block", PointMass::new(2.0, [0.0; 3]).moving([3.0, 0.0, 0.0]))
        .constraint("incline", floor("block", 0.0, Some(mu)));
    let model = spec.build().unwrap();
    let settings = Transient::to(1000.0).every(1.0).tolerance(1e-11, 1e-11);
    let solution = simulate(&model, &model.initial_state(), &settings).unwrap();
    println!("{} {:?}", solution.outcome, solution.statistics);
    println!("{:?}", solution.events);
    println!(
        "{:?} {:?} {:?}",
        solution.column("block.x").unwrap()[1],
        solution.last("block.x"),
        solution.last("incline.lambda_slip")
    );
    println!("{:?} {:?}", solution.last("energy.friction"), solution.last("energy.balance"));
}
