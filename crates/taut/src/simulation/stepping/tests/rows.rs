//! Constraints with a law: a stop, a brake, and both with joints.

use super::*;
use crate::analyses::Output;
use crate::constraints::{
    Constraint, ConstraintKind, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel,
    RowTerms,
};
use crate::forces::Spring;
use crate::laws::{ConstraintLaw, Friction, FrictionBound, Impact, ImpactLaw};
use crate::motion::{Vec3, Wrench};
use crate::stepping::{TimeSteppingSettings, simulate};
use crate::{Frame, Joint, ParameterError, PlanarBody, PointMass, Spec};
use std::sync::Arc;

/// x ≥ `least` of a marker.
#[derive(Debug)]
struct Wall {
    marker: &'static str,
    least: f64,
    e: f64,
}

impl Constraint for Wall {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(self.marker)]
    }
    fn rows(&self) -> Vec<RowInfo> {
        vec![RowInfo { name: "gap", level: RowLevel::Position, unit: "m" }]
    }
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        (rows.phi[0], rows.phi_t[0]) = (at[0].p.x - self.least, 0.0);
        rows.D[0] = Wrench::force(Vec3::x());
    }
    fn velocity_terms(&self, _at: &ElementInput, rows: &mut RowTerms) {
        rows.c[0] = 0.0;
    }
    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Unilateral(Impact { law: ImpactLaw::Newton, restitution: self.e })
    }
}

impl ExtraStates for Wall {}
impl NonSmooth for Wall {}
impl FrictionLaw for Wall {}

/// A belt that runs along x under a marker and drags it.
#[derive(Debug)]
struct Belt {
    marker: &'static str,
    speed: f64,
    hold: f64,
    slip: f64,
}

impl Constraint for Belt {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(self.marker)]
    }
    fn rows(&self) -> Vec<RowInfo> {
        vec![RowInfo { name: "slip", level: RowLevel::Velocity, unit: "m" }]
    }
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }
    fn position_terms(&self, _at: &ElementInput, rows: &mut RowTerms) {
        (rows.phi[0], rows.phi_t[0]) = (0.0, -self.speed);
        rows.D[0] = Wrench::force(Vec3::x());
    }
    fn velocity_terms(&self, _at: &ElementInput, rows: &mut RowTerms) {
        (rows.c[0], rows.phi_t[0]) = (0.0, -self.speed);
    }
    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Frictional
    }
}

impl ExtraStates for Belt {}
impl NonSmooth for Belt {}

impl FrictionLaw for Belt {
    fn friction_bound(&self, _at: &ElementInput) -> FrictionBound {
        FrictionBound { sticking: [-self.hold, self.hold], slipping: [-self.slip, self.slip], friction: Friction::NONE }
    }
}

/// A rod of 1 m that hangs from the ground and meets a wall with its end.
fn stopped(e: f64, h: f64, t_end: f64) -> crate::Solution {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]);
    let wall = Wall { marker: "rod.end", least: 0.2, e };
    spec.body("rod", PlanarBody::rod(2.0, 1.0).com([0.5, 0.0]).at([0.0, 0.0], -0.3))
        .marker("rod.end", Frame::at([1.0, 0.0, 0.0]))
        .constraint("hinge", Joint::pin("ground", "rod"))
        .constraint("wall", ConstraintKind::Custom(Arc::new(wall)));
    let model = spec.build().unwrap();
    let settings = TimeSteppingSettings::to(t_end, h).output(Output::Steps);
    simulate(&model, &model.initial_state(), &settings).unwrap()
}

#[test]
fn a_pendulum_comes_to_rest_at_its_stop() {
    let run = stopped(0.5, 1e-3, 6.0);
    assert!(run.outcome.is_success() && run.warnings.is_empty(), "{} {:?}", run.outcome, run.warnings);
    let (x, omega) = (run.last("rod.end.x").unwrap(), run.last("rod.omega").unwrap());
    assert!((x - 0.2).abs() < 1e-9 && omega.abs() < 1e-12, "{x} {omega}");
    // λ cos θ = ½ m g sin θ about the hinge, θ from the vertical.
    let exact = 0.5 * 2.0 * G * 0.2_f64.asin().tan();
    let found = run.last("wall.lambda_gap").unwrap();
    assert!((found - exact).abs() < 1e-6, "{found} {exact}");
    assert!(run.column("contact.penetration").unwrap().iter().all(|p| *p < 1e-6));
    // The hinge holds throughout.
    assert!(run.column("residual.position").unwrap().iter().all(|p| *p < 1e-12));
}

#[test]
fn an_elastic_stop_keeps_the_energy() {
    let run = stopped(1.0, 5e-4, 5.0);
    let (kinetic, potential) = (run.column("energy.kinetic").unwrap(), run.column("energy.potential").unwrap());
    let (start, swing) = (kinetic[0] + potential[0], 0.5 * 2.0 * G);
    for (k, p) in kinetic.iter().zip(potential) {
        assert!((k + p - start).abs() < 2e-3 * swing, "{}", k + p - start);
    }
    let rebounds = run.column("rod.omega").unwrap().windows(2).filter(|w| w[0] < 0.0 && w[1] > 0.0).count();
    assert!(rebounds >= 3, "{rebounds}");
}

#[test]
fn stick_and_slip_on_a_belt() {
    // A mass on a spring, dragged by a belt: it holds up to 12 N and slips with 8 N.
    let (m, k, speed, hold, slip) = (1.0, 400.0, 0.1, 12.0, 8.0);
    let mut spec = Spec::new();
    spec.body("mass", PointMass::new(m, [1.0, 0.0, 0.0]).moving([speed, 0.0, 0.0]))
        .force("spring", Spring::linear("ground", "mass", k, 0.0, 1.0))
        .constraint("belt", ConstraintKind::Custom(Arc::new(Belt { marker: "mass", speed, hold, slip })));
    let model = spec.build().unwrap();
    let settings = TimeSteppingSettings::to(4.0, 1e-4).output(Output::Steps);
    let run = simulate(&model, &model.initial_state(), &settings).unwrap();
    let (t, v, x) = (run.t(), run.column("mass.vx").unwrap(), run.column("mass.x").unwrap());
    // While it holds, it runs with the belt to round-off.
    assert!((v[100] - speed).abs() < 1e-13 && (x[100] - 1.0 - speed * t[100]).abs() < 1e-12);
    // It slips from (hold − slip)/k beyond the centre to as much before it.
    let (omega, past) = ((k / m).sqrt(), (hold - slip) / k);
    let slipping = 2.0 / omega * (std::f64::consts::PI - (past * omega / speed).atan());
    let period = 2.0 * past / speed + slipping;
    let starts: Vec<f64> =
        (1..v.len()).filter(|i| v[i - 1] >= speed - 1e-9 && v[*i] < speed - 1e-9).map(|i| t[i]).collect();
    assert!(starts.len() > 5, "{starts:?}");
    assert!((starts[0] - hold / k / speed).abs() < 3e-4, "{}", starts[0]);
    for pair in starts.windows(2) {
        assert!((pair[1] - pair[0] - period).abs() < 5e-4, "{} {period}", pair[1] - pair[0]);
    }
}
