//! Taut: constrained multibody dynamics in redundant coordinates, with the constraints held taut.
//!
//! ```text
//!  q̇ = N(q) v                              kinematics of the coordinates
//!  ż = s(t, q, v, z)                       extra states (actuators, subsystems, bristles)
//!  M(q) v̇ = f(t, q, v, z) + Aᵀ λ           motion; Aᵀλ is the force of the constraints
//!  A(t,q,v) v̇ = b(t,q,v)                   all constraints, at acceleration level
//!      from  φ(t,q) = 0        holonomic, scleronomic or rheonomic
//!            ψ(t,q,v) = 0      nonholonomic
//!            φ(t,q) ≥ 0        unilateral: a row only while its mode is active
//!  jump:  M (v⁺ − v⁻) = Aᵀ Λ               impact, with the same M and A
//! ```
//!
//! Layers, bottom up: common · mathematics · kinematics · shapes · elements · model · solvers · build · results · simulation · analyses · prelude
//!
//! Each module implements one symbol or line of the block above: [`bodies`] → N, M · [`forces`] → f, s · [`constraints`] → φ, ψ, A, b ·
//! [`equations`] → the assembled equations · [`formulations`] → the solution for v̇ and λ · [`drift`] → control of the constraint drift ·
//! [`laws`], [`contacts`], [`shapes`] → φ ≥ 0 · [`events`] → modes and jumps · [`stepping`] → many contacts · [`analyses`] → runs, statics,
//! vibration, inverse dynamics and others. A module uses only modules of its own layer and of the layers below.
//!
//! Data flow in one direction: [`Spec`] → [`Model`] → [`State`] → [`equations::Equations`] → rates → [`Solution`].
//!
//! # A course in twelve examples
//!
//! Each file has less than 60 lines and compares its result with a closed form:
//! `cargo run --release -p taut --example 01_pendulum`.
//!
//! | Example | Subject |
//! |---|---|
//! | `01_pendulum` | model, run, columns |
//! | `02_four_bar` | a closed loop with a driver |
//! | `03_reactions` | reactions in bearings |
//! | `04_redundant_joints` | redundant joints, and the doctor that names them |
//! | `05_statics` | equilibrium |
//! | `06_modes` | small motions about an equilibrium |
//! | `07_events` | events and actions |
//! | `08_contact` | contact between surfaces, impacts |
//! | `09_friction` | dry friction: slipping and sticking |
//! | `10_beam` | a beam with large rotations |
//! | `11_own_elements` | your own joint and force |
//! | `12_formulations` | all formulations compared |
//!
//! [`prelude`] exports what most models need.
//!
//! # Notation
//!
//! Symbols, frames and signs are defined in `docs/notation.md`, keys such as \[Masarati2010\] in
//! `docs/references.bib`.
#![allow(non_snake_case)] // identifiers use the symbols of the theory

pub use nalgebra;

pub mod analyses;
mod build;
mod common;
mod elements;
mod kinematics;
mod mathematics;
mod model;
pub mod prelude;
mod results;
pub mod shapes;
mod simulation;
mod solvers;

// Layers are folders; their modules are re-exported here under their own names.
pub(crate) use common::error;
pub use common::interruption;
pub use elements::{air, beams, bodies, constraints, contacts, forces, laws};
pub use kinematics::{marker, measures, motion};
pub use mathematics::{breaks, complementarity, expressions, scalar, signals};
pub(crate) use model::{spec, state};
pub(crate) use results::{audit, solution};
pub use simulation::{events, stepping};
pub(crate) use solvers::singular_poses;
pub use solvers::{drift, dynamics, equations, formulations, kkt, tangent};

pub use analyses::{ContactPeak, Coverage, DriverEffort, Extremes, Peak, ReactionPeak, ResidualLevel, VectorPeak};
pub use beams::Beam;
pub use bodies::{Generalised, PlanarBody, PointMass, RigidBody, Subsystem, Variable};
pub use common::Named;
pub use common::spelling::edit_distance;
pub use constraints::{
    Coupling, Formula, Joint, JointFriction, KnifeEdge, PointPlaneContact, Prescription, Ratchet, Relation,
};
pub use constraints::{MinimumDistance, Rolling, Rope, RotationMask, Stop};
pub use error::{BuildError, ParameterError};
pub use forces::{Controller, FormulaForce, Motor};
pub use marker::{Frame, FrameReference, Marker, MarkerAxes, MarkerPlacement};
pub use measures::{Axis, Measure};
pub use model::break_search::{BreakSearch, GuardedElement};
pub use model::contact_rules::MAX_CONTACT_PAIRS;
pub use model::events::{Action, EventDependence, EventEntry, ImpulseAxes, Recurrence, Trigger};
pub use model::ids::{BodyId, ConstraintId, ForceId, MarkerId};
pub use model::{
    BodyEntry, ConstraintEntry, ForceEntry, FormulaMeasure, JacobianBlock, MeasureEntry, Model, ReactionSharing,
    SharingStiffness, Topology,
};
pub use motion::Orientation;
pub use results::{EventKind, EventRecord};
pub use signals::Signal;
pub use solution::{
    Cause, Column, ColumnFamily, Columns, Outcome, Severity, Solution, Statistics, Table, UnknownColumn, Verdict,
    Warning,
};
pub use solvers::{PositionJump, StateError, UndeterminedMotion};
pub use spec::Spec;
pub use state::{ConstraintMode, State};

// The code in these documents is compiled and run as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
#[cfg(doctest)]
#[doc = include_str!("../CONTRIBUTING.md")]
struct Contributing;
