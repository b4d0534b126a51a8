//! An expression of measured quantities: `t`, coordinates and velocities of bodies and markers under their column
//! names, declared measures and coordinates of joints as `name` and `name.rate`, and signals. Angles count full turns.

use crate::constraints::{BoundExpression, MarkerReference, MeasureComponent};

/// An expression with resolved names.
#[derive(Clone, Debug)]
pub(crate) struct MeasuredExpression {
    pub reading: BoundExpression,
    /// Measures that it reads, in order after `t`: first the declared ones, then the coordinates of joints.
    pub measures: Vec<(usize, MeasureComponent)>,
    /// Indices of the markers that the expression reads; empty before they are resolved.
    pub markers: Vec<usize>,
    /// What its value depends on.
    pub dependence: EventDependence,
}

impl MeasuredExpression {
    /// The markers it reads, by name.
    pub fn references(&self) -> impl Iterator<Item = MarkerReference<'_>> {
        self.reading.names.markers()
    }
}

/// What the function of an event depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventDependence {
    /// On the motion: all markers must be up to date.
    Motions,
    /// On time alone.
    Time,
    /// On time alone, and linearly.
    LinearInTime,
}
