//! Provisional.
use super::{Exactness, SolveError, Steers};
use crate::bodies::Symmetry;
use crate::constraints::Level;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// The equations of one state as full matrices.
#[derive(Clone, Debug)]
pub struct Full {
    /// M.
    pub M: DMatrix<f64>,
    /// f.
    pub f: DVector<f64>,
    /// A.
    pub A: DMatrix<f64>,
    /// B.
    pub B: DMatrix<f64>,
    /// b.
    pub b: DVector<f64>,
    /// phi.
    pub phi: DVector<f64>,
    /// phidot.
    pub phidot: DVector<f64>,
    /// phi_t.
    pub phi_t: DVector<f64>,
    /// Levels.
    pub levels: Vec<Level>,
    /// Symmetry.
    pub symmetry: Symmetry,
}
/// Answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// v̇.
    pub vdot: DVector<f64>,
    /// λ.
    pub lambda: DVector<f64>,
}
/// Setup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// μ.
    pub penalty: Option<f64>,
    /// Tolerance.
    pub rank_tolerance: Option<f64>,
}
/// Stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// Rate.
    pub rate: f64,
    /// Character.
    pub character: Character,
}
/// Character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Character {
    /// Oscillating.
    Oscillating,
    /// Decaying.
    Decaying,
}
/// A dense method.
pub trait Dense: Debug + Send {
    /// New.
    fn new(setup: &Setup) -> Self
    where
        Self: Sized;
    /// Refuses.
    fn refuses(&self, _full: &Full) -> Option<String> {
        None
    }
    /// Solve.
    fn solve(&mut self, full: &Full) -> Result<Answer, SolveError>;
    /// Exactness.
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }
    /// Steers.
    fn steers(&self) -> Steers {
        Steers::Straight
    }
    /// Steer.
    fn steer(&mut self, _full: &Full, _w: &mut DVector<f64>) {}
    /// Dependent.
    fn dependent(&self) -> Option<&[usize]> {
        None
    }
    /// Stiffness.
    fn stiffness(&self, _full: &Full) -> Option<Stiffness> {
        None
    }
}
