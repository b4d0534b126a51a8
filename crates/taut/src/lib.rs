//! Taut: constrained multibody dynamics in redundant coordinates, with the constraints held taut.
//!
//! ```text
//!  q̇ = N(q) v                              kinematics of the coordinates
//!  ż = s(t, q, v, z)                       extra states (actuators, subsystems, bristles)
//!  M(q) v̇ = f(t, q, v, z) + Aᵀ λ           motion; Aᵀλ is what the constraints exert
//!  A(t,q,v) v̇ = b(t,q,v)                   all constraints, at acceleration level
//!      from  φ(t,q) = 0        holonomic, scleronomic or rheonomic
//!            ψ(t,q,v) = 0      nonholonomic
//!            φ(t,q) ≥ 0        unilateral: a row only while its mode is active
//!  jump:  M (v⁺ − v⁻) = Aᵀ Λ               impact, with the same M and A
//! ```
//!
//! Each folder is one symbol or line of this block: [`bodies`] → N, M · [`forces`] → f, s · [`constraints`] →
//! φ, ψ, A, b · [`equations`] → the assembled set · [`formulations`] → how v̇ and λ follow · [`drift`] → what keeps
//! φ small · [`laws`], [`contacts`], [`shapes`] → φ ≥ 0 · [`events`] → modes and jumps · [`stepping`] → many contacts · [`analyses`] →
//! what one asks of the equations.
//!
//! Data flow one way: [`Spec`] → [`Model`] → [`State`] → [`equations::Equations`] → rates → [`Solution`].
//! Symbols, frames and signs are defined in `docs/notation.md`, keys such as \[Masarati2010\] in
//! `docs/references.bib`.
#![allow(non_snake_case)] // the theory's letter is the identifier

pub use nalgebra;

pub mod analyses;
mod audit;
pub mod beams;
pub mod bodies;
pub mod breaks;
pub mod complementarity;
pub mod constraints;
pub mod contacts;
pub mod crossing;
pub mod drift;
pub mod dynamics;
pub mod equations;
mod error;
pub mod events;
pub mod expressions;
pub mod forces;
pub mod formulations;
pub mod interruption;
pub mod kkt;
pub mod laws;
pub mod marker;
pub mod measures;
mod model;
pub mod motion;
mod names;
pub mod scalar;
pub mod shapes;
pub mod signals;
mod solution;
mod spec;
mod state;
pub mod stepping;
pub mod tangent;

pub use beams::Beam;
pub use bodies::{PlanarBody, PointMass, RigidBody, Subsystem, Variable};
pub use constraints::{Coupling, Formula, Hold, Joint, JointFriction, KnifeEdge, PointOnPlane, Ratchet, Relation};
pub use constraints::{Rolling, Rope, Separator, Stop, Turning};
pub use error::{BuildError, Fault};
pub use events::{Deed, EventEntry, Happening, ImpulseAxes, Occurrence, Times, Trigger};
pub use forces::{Controller, FormulaForce, Motor};
pub use marker::{Axes, Frame, Marker, Place, Seen};
pub use measures::{Axis, Measure};
pub use model::{Block, BodyEntry, ConstraintEntry, ForceEntry, MeasureEntry, Model, Topology};
pub use motion::Orientation;
pub use signals::Signal;
pub use solution::{
    Blame, Column, Columns, Family, Outcome, Severity, Solution, Statistics, Table, UnknownColumn, Verdict, Warning,
};
pub use spec::{Named, Spec};
pub use state::{Mode, State, StateError};

// The code in the documents is compiled and run with the doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
