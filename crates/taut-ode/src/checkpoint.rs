//! The complete state of a stepper as a value.

use serde::{Deserialize, Serialize};

use crate::exact;
use crate::{Method, Statistics};

/// Everything a stepper needs to continue, and to interpolate its last step, bit by bit as if it
/// had not been interrupted. Tolerances and limits are not part of it: they are those of the
/// stepper it is restored to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub(crate) method: Method,
    pub(crate) state: State,
}

impl Checkpoint {
    /// The method whose stepper made it.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The time at which it was made.
    #[must_use]
    pub fn t(&self) -> f64 {
        self.state.t
    }

    /// The state at that time.
    #[must_use]
    pub fn y(&self) -> &[f64] {
        &self.state.y
    }
}

/// Whether a buffer holds the value it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    Stale,
    Fresh,
}

/// What there is of a last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Span {
    /// No last step.
    Empty,
    /// The step as it was accepted.
    Whole,
    /// A step cut short; its dense output was made for the whole one.
    Truncated,
}

/// How the dense output ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tail {
    /// In the present state, which it follows.
    Joined,
    /// In the state before a jump.
    Parted,
}

/// Whether the next step size may exceed the present one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Growth {
    Free,
    /// Not right after a failed attempt.
    Held,
}

/// State of a Runge-Kutta stepper. All lists are allocated at construction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    #[serde(with = "exact::number")]
    pub t: f64,
    #[serde(with = "exact::number")]
    pub t_old: f64,
    /// Signed length of the last step as a whole.
    #[serde(with = "exact::number")]
    pub h: f64,
    #[serde(with = "exact::option")]
    pub h_next: Option<f64>,
    pub growth: Growth,
    /// A time to be crossed in one stride.
    #[serde(with = "exact::option")]
    pub obstacle: Option<f64>,
    /// The controller's memory, and what it was before the last step.
    #[serde(with = "exact::number")]
    pub last_error: f64,
    #[serde(with = "exact::number")]
    pub last_error_old: f64,
    pub span: Span,
    pub tail: Tail,
    #[serde(with = "exact::list")]
    pub y: Vec<f64>,
    #[serde(with = "exact::list")]
    pub y_old: Vec<f64>,
    /// Derivative at `(t, y)`.
    #[serde(with = "exact::list")]
    pub f: Vec<f64>,
    pub f_content: Content,
    /// State before the jump, and its derivative, while the tail is parted.
    #[serde(with = "exact::list")]
    pub y_end: Vec<f64>,
    #[serde(with = "exact::list")]
    pub f_end: Vec<f64>,
    pub f_end_content: Content,
    /// The whole step's dense output at the time of truncation.
    #[serde(with = "exact::list")]
    pub y_cut: Vec<f64>,
    /// Stages of the last step, one after the other; stage 0 is the derivative at its start.
    #[serde(with = "exact::list")]
    pub k: Vec<f64>,
    pub end_stage: Content,
    pub extra_stages: Content,
    /// Coefficients of the dense output, one row after the other.
    #[serde(with = "exact::list")]
    pub rows: Vec<f64>,
    pub rows_content: Content,
    pub statistics: Statistics,
}

impl State {
    pub fn new(t: f64, y: &[f64], stages: usize, rows: usize, last_error: f64) -> Self {
        let n = y.len();
        Self {
            t,
            t_old: t,
            h: 0.0,
            h_next: None,
            growth: Growth::Free,
            obstacle: None,
            last_error,
            last_error_old: last_error,
            span: Span::Empty,
            tail: Tail::Joined,
            y: y.to_vec(),
            y_old: y.to_vec(),
            f: vec![0.0; n],
            f_content: Content::Stale,
            y_end: vec![0.0; n],
            f_end: vec![0.0; n],
            f_end_content: Content::Stale,
            y_cut: vec![0.0; n],
            k: vec![0.0; stages * n],
            end_stage: Content::Stale,
            extra_stages: Content::Stale,
            rows: vec![0.0; rows * n],
            rows_content: Content::Stale,
            statistics: Statistics::default(),
        }
    }

    /// Whether all lists have the lengths of `other`'s.
    pub fn fits(&self, other: &Self) -> bool {
        let lengths = |s: &Self| {
            [s.y.len(), s.y_old.len(), s.f.len(), s.y_end.len(), s.f_end.len(), s.y_cut.len(), s.k.len(), s.rows.len()]
        };
        lengths(self) == lengths(other)
    }

    /// Forgets the last step.
    pub fn forget_step(&mut self) {
        self.span = Span::Empty;
        self.tail = Tail::Joined;
        self.t_old = self.t;
        self.h = 0.0;
        self.y_old.copy_from_slice(&self.y);
        self.end_stage = Content::Stale;
        self.extra_stages = Content::Stale;
        self.rows_content = Content::Stale;
    }
}
