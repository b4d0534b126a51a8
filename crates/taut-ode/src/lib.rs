//! Explicit and implicit integrators with step control, dense output and event location.
//!
//! The crate solves initial value problems `y' = F(t, y)` and knows nothing of where they come
//! from. A [`System`] is the right-hand side. A [`Stepper`], made by a [`Method`], owns the state,
//! advances it step by step and interpolates within the last step. [`integrate`] drives a stepper
//! to an end time, locates [`Events`] and passes output to a [`Hook`].
//!
//! | method | order | error estimate | dense output | first and last stage shared |
//! |---|---|---|---|---|
//! | [`Method::Rk4`] | 4 | none, fixed step | order 3 (cubic Hermite) | - |
//! | [`Method::BogackiShampine`] | 3 | order 2 | order 3 (cubic Hermite) | yes |
//! | [`Method::DormandPrince`] | 5 | order 4 | order 4 | yes |
//! | [`Method::Dop853`] | 8 | orders 5 and 3 | order 7, three more stages | - |
//!
//! For stiff systems, whose fastest decay or oscillation an explicit method would have to follow:
//!
//! | method | order | stability | dense output | needs |
//! |---|---|---|---|---|
//! | [`Method::RadauIia5`] | 5 | L-stable | order 3 (collocation) | - |
//! | [`Method::Trapezoidal`] | 2 | A-stable | order 3 (cubic Hermite) | - |
//! | [`Method::TwoStep`] | 2 | to a chosen spectral radius | order 3 (cubic Hermite) | - |
//! | [`Method::GeneralisedAlpha`] | 2 | to a chosen spectral radius | order 3 (cubic Hermite) | [`SecondOrder`] |
//! | [`Method::TrapezoidalIndex3`] | 2 | none | order 3 (cubic Hermite) | [`SecondOrder`] |
//!
//! They use a simplified Newton iteration and keep the Jacobian as long as the iteration converges fast enough. By default the
//! Jacobian is computed by finite differences and factored densely; a system can supply its own solver through
//! [`System::jacobian_solver`]. [`Stepper::stiffness`] reports when stability, not accuracy, limits the steps of an explicit method.
//!
//! A state may be edited between steps without a restart. [`Stepper::correct`] is for projections: the dense output of the last
//! step then ends in the corrected state. [`Stepper::jump`] is for discontinuities: the dense output stays as it was. A
//! right-hand side that has no value at some state returns a [`Refusal`], and the stepper tries a smaller step.
//! [`Stepper::save`] makes a [`Checkpoint`] from which the integration continues with identical bits. No method allocates
//! memory while stepping.
//!
//! # Example
//!
//! A ball dropped from a height of 1, whose bounces keep 0.8 of its speed:
//!
//! ```
//! use taut_ode::{
//!     Direction, EventResponse, Events, Hook, IntegrationOutcome, Method, Plan, Refusal, Settings, System, integrate,
//! };
//!
//! #[derive(Default)]
//! struct Ball {
//!     bounces: Vec<f64>,
//!     heights: Vec<f64>,
//! }
//!
//! impl System for Ball {
//!     fn dimension(&self) -> usize {
//!         2
//!     }
//!     fn rates(&mut self, _t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
//!         dydt.copy_from_slice(&[y[1], -2.0]);
//!         Ok(())
//!     }
//! }
//!
//! impl Events for Ball {
//!     fn event_count(&self) -> usize {
//!         1
//!     }
//!     fn direction(&self, _i: usize) -> Direction {
//!         Direction::Falling
//!     }
//!     fn values(&mut self, _t: f64, y: &[f64], g: &mut [f64]) {
//!         g[0] = y[0];
//!     }
//!     fn fired(&mut self, _i: usize, t: f64, y: &mut [f64]) -> EventResponse {
//!         self.bounces.push(t);
//!         y[1] *= -0.8;
//!         EventResponse::Jump
//!     }
//! }
//!
//! impl Hook for Ball {
//!     fn output(&mut self, _t: f64, y: &[f64]) {
//!         self.heights.push(y[0]);
//!     }
//! }
//!
//! let mut ball = Ball::default();
//! let settings = Settings::with_tolerance(1e-9, 1e-12);
//! let mut stepper = Method::DormandPrince.stepper(0.0, &[1.0, 0.0], &settings)?;
//! let plan = Plan::to(3.0).at(vec![0.0, 0.5, 1.8]);
//! let run = integrate(&mut *stepper, &mut ball, &plan)?;
//!
//! assert_eq!(run.outcome, IntegrationOutcome::Finished);
//! assert!((ball.bounces[0] - 1.0).abs() < 1e-12);
//! assert!((ball.bounces[1] - 2.6).abs() < 1e-12);
//! assert!((ball.heights[1] - 0.75).abs() < 1e-12);
//! assert!((ball.heights[2] - 0.64).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! References in the source: \[HairerNorsettWanner1993\] is E. Hairer, S. P. Norsett, G. Wanner,
//! *Solving Ordinary Differential Equations I*, 2nd ed., Springer 1993; \[HairerWanner1996\] is
//! volume II; \[ChungHulbert1993\] J. Chung, G. M. Hulbert, J. Appl. Mech. 60, 371-375; \[BrulsCardona2010\]
//! O. Brüls, A. Cardona, J. Comput. Nonlinear Dynam. 5, 031002; \[MasaratiLanzMantegazza2001\] P. Masarati,
//! M. Lanz, P. Mantegazza, XVI Congresso Nazionale AIDAA, Palermo 2001.

#![allow(non_snake_case)] // the theory's letter is the identifier

mod attempt;
mod bounds;
mod breaks;
mod checkpoint;
mod controller;
mod dense;
mod driver;
mod event_locator;
mod events;
mod exact_bits;
mod first_step;
mod generalised_alpha;
mod guards;
mod implicit;
mod implicit_core;
mod jacobian;
mod linear;
mod lu;
mod method;
mod multistep;
mod newton;
mod plan;
mod problem;
mod radau;
mod root_finding;
mod runge_kutta;
mod samples;
mod stability;
mod stepper;
mod system;
mod tableau;
mod tolerance;
mod tolerance_budget;

pub use breaks::Break;
pub use checkpoint::Checkpoint;
pub use controller::Controller;
pub use driver::integrate;
pub use events::{
    Direction, EventDependence, EventResponse, EventSearch, Events, IntervalCheck, RearmPolicy, Resting, SampleId,
    SamplingPolicy,
};
pub use linear::{JacobianSolver, SecondOrder};
pub use method::{ErrorControl, Method, UnknownMethod};
pub use plan::{IntegrationOutcome, IntegrationReport, Limits, OutputMode, Plan, PlanError};
pub use problem::{Hook, Problem, ProblemParts, Restart, StateEdit};
pub use runge_kutta::RungeKutta;
pub use stability::Stability;
pub use stepper::{RestoreError, Settings, SetupError, Statistics, StepControl, StepFailure, Stepper};
pub use system::{GuardKind, Refusal, System};
pub use tolerance::{AbsoluteTolerance, ErrorNorm, LooseComponents, Tolerance};
