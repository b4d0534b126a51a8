//! A number or a formula, with the names of the model resolved.

use super::Field;
use crate::breaks::{BreakList, GuardKind};
use crate::constraints::{
    BoundExpression, ElementInput, MarkerKind, Scope, UserPlace as MarkerPose, UserTwist as MarkerTwist,
};
use crate::error::BuildError;
use crate::scalar::Dual;

/// A number as a function of the pose and the twist of one marker.
pub(super) type MotionDual = Dual<12>;

/// A formula of an air load, and where its markers and turn counters begin in the input of the element.
#[derive(Clone, Debug)]
pub(super) struct FieldFormula {
    pub expression: BoundExpression,
    first_marker: usize,
    first_counter: usize,
}

/// The numbers of markers and turn counters that formulas have taken so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    pub markers: usize,
    pub counters: usize,
}

impl FieldFormula {
    /// Resolves the names of a text; `given` are its own variables.
    pub fn new(
        text: &str,
        given: &[&str],
        element: (&'static str, &str, &'static str),
        scope: &Scope,
        taken: &mut Taken,
    ) -> Result<FieldFormula, BuildError> {
        let expression = BoundExpression::new(text, given, element, scope)?;
        let found = FieldFormula { first_marker: taken.markers, first_counter: taken.counters, expression };
        taken.markers += found.expression.names.marker_count();
        taken.counters += found.expression.names.counter_count();
        Ok(found)
    }

    /// What its names read.
    pub fn input<'a>(&self, at: &ElementInput<'a>) -> ElementInput<'a> {
        at.tail(self.first_marker, self.first_counter)
    }

    pub fn first_marker(&self) -> usize {
        self.first_marker
    }

    /// The value.
    pub fn value(&self, at: &ElementInput, given: &[f64]) -> f64 {
        let read = self.input(at);
        self.expression.evaluate(given, |k| self.expression.names.value(k, &read))
    }

    /// The value with its derivatives by the given variables, four or fewer.
    pub fn gradient(&self, at: &ElementInput, given: &[f64]) -> Dual<4> {
        let (read, names) = (self.input(at), &self.expression.names);
        let given: Vec<Dual<4>> = given.iter().enumerate().map(|(i, x)| Dual::variable(*x, i)).collect();
        self.expression.evaluate(given, |k| Dual::constant(names.value(k, &read)))
    }

    /// Calls `call` with each marker that it reads, and with the value and the rates of the turn counters as functions of the
    /// marker's motion: directions 0–5 are its pose, 6–11 its twist.
    pub fn for_each_marker(
        &self,
        at: &ElementInput,
        given: &[f64],
        mut call: impl FnMut(usize, MotionDual, &[(usize, MotionDual)]),
    ) {
        let (read, names) = (self.input(at), &self.expression.names);
        let kinds: Vec<MarkerKind> = names.markers().map(|marker| marker.kind).collect();
        let mut places: Vec<MarkerPose<MotionDual>> =
            (0..kinds.len()).map(|j| MarkerPose::from_motion(&read[j])).collect();
        let mut moving: Vec<MarkerTwist<MotionDual>> =
            (0..kinds.len()).map(|j| MarkerTwist::from_motion(&read[j])).collect();
        let given: Vec<MotionDual> = given.iter().map(|x| MotionDual::constant(*x)).collect();
        for (j, kind) in kinds.iter().enumerate() {
            places[j] = MarkerPose::seeded(&read[j], *kind);
            moving[j] = MarkerTwist::seeded_from(&read[j], *kind, 6);
            let t = MotionDual::constant(at.t);
            let value = self.expression.evaluate(&given, |k| names.generic_value(k, t, &places, &moving, read.z));
            let rates = names.generic_counter_rates(&places, &moving).enumerate();
            let rates: Vec<(usize, MotionDual)> = rates.map(|(k, rate)| (self.first_counter + k, rate)).collect();
            call(self.first_marker + j, value, &rates);
            (places[j], moving[j]) = (MarkerPose::from_motion(&read[j]), MarkerTwist::from_motion(&read[j]));
        }
    }

    /// Sets the turn counters that belong to a pose; `at` has no states.
    pub fn initialise_counters(&self, at: &ElementInput, z: &mut [f64]) {
        let own = self.first_counter..self.first_counter + self.expression.names.counter_count();
        self.expression.names.initialise_counters(&self.input(at), &mut z[own]);
    }

    /// Rates of the turn counters.
    pub fn counter_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        let own = self.first_counter..self.first_counter + self.expression.names.counter_count();
        self.expression.names.counter_rates(&self.input(at), &mut zdot[own]);
    }

    /// The kind of guard `i`.
    pub fn guard_kind(&self, i: usize) -> GuardKind {
        self.expression.guard_kind(i)
    }

    /// The value of guard `i`.
    pub fn guard(&self, at: &ElementInput, i: usize, given: &[f64]) -> f64 {
        let read = self.input(at);
        self.expression.guard(i, given, |k| self.expression.names.value(k, &read))
    }
}

/// A number, or a formula with its names resolved.
#[derive(Clone, Debug)]
pub(super) enum BoundField {
    Constant(f64),
    Formula(Box<FieldFormula>),
}

impl BoundField {
    /// Resolves the names of a field.
    pub fn new(
        field: &Field,
        given: &[&str],
        element: (&'static str, &str, &'static str),
        scope: &Scope,
        taken: &mut Taken,
    ) -> Result<BoundField, BuildError> {
        Ok(match field {
            Field::Constant(value) => BoundField::Constant(*value),
            Field::Formula(text) => {
                BoundField::Formula(Box::new(FieldFormula::new(text, given, element, scope, taken)?))
            }
        })
    }

    /// The value.
    pub fn value(&self, at: &ElementInput, given: &[f64]) -> f64 {
        match self {
            BoundField::Constant(value) => *value,
            BoundField::Formula(formula) => formula.value(at, given),
        }
    }

    /// The formula, if it is one.
    pub fn formula(&self) -> Option<&FieldFormula> {
        match self {
            BoundField::Constant(_) => None,
            BoundField::Formula(formula) => Some(formula),
        }
    }

    /// Adds the times at which it is not smooth.
    pub fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.formula().into_iter().for_each(|f| f.expression.breaks(from, to, list));
    }
}
