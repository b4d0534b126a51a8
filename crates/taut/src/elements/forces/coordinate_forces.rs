//! Potential, generalised forces and extra states of a generalised body.

use super::{Conservation, ExtraStates, Force, ForceReport, NonSmooth};
use crate::bodies::{CoordinateUnit, Generalised};
use crate::breaks::{BreakList, GuardKind};
use crate::constraints::{BoundNames, ElementInput, MarkerReference, Scope, parse_names};
use crate::error::{BuildError, ParameterError, element_error};
use crate::expressions::Expression;
use crate::mathematics::scratch::with_scratch;
use crate::motion::{Vec3, Wrench};
use crate::scalar::Dual;
use crate::signals::PassedEnd;

/// Directions differentiated in one pass.
const WIDTH: usize = 4;

/// The forces of a [`Generalised`] body on its coordinates; [`Spec::build`](crate::Spec::build) adds it as `body.forces`.
///
/// ```text
///  f = Q(t, q, v, z) − ∂V/∂q        ż = s(t, q, v, z)        nonconservative power Q·v
/// ```
///
/// It is a force element, so that switches in V, Q and s are found along the motion. Q and s may read any column of a position or
/// velocity, measures, coordinates of joints, and signals. All formulas share one table of values: t, q, v, z, names.
#[derive(Clone, Debug)]
pub struct CoordinateForces {
    /// The body.
    body: String,
    /// Names of its coordinates as markers, and their units.
    coordinates: Vec<(String, CoordinateUnit)>,
    V: Option<Expression>,
    /// Q of the coordinates that have one.
    Q: Vec<(usize, Expression)>,
    /// Names, initial values and rates of the states.
    states: Vec<(String, f64, Expression)>,
    /// Names of other elements that the formulas read.
    names: BoundNames,
}

impl CoordinateForces {
    /// The forces of a body; none if it has no potential, forces or states.
    pub(crate) fn of(name: &str, body: &Generalised, scope: &Scope) -> Result<Option<CoordinateForces>, BuildError> {
        if body.potential_energy.is_none() && body.forces.is_empty() && body.states.is_empty() {
            return Ok(None);
        }
        let refuse = |field, text: &str, what: String| {
            element_error("body", name, ParameterError::invalid(field, format!("\"{text}\": {what}")))
        };
        let q: Vec<String> = body.coordinates.iter().map(|c| c.name.clone()).collect();
        let v = q.iter().map(|q| format!("{q}'"));
        let own: Vec<String> = std::iter::once("t".to_string())
            .chain(q.iter().cloned())
            .chain(v)
            .chain(body.states.iter().map(|s| s.name.clone()))
            .collect();
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        // Names of other elements, in the order of their appearance in all formulas.
        let forces = body.forces.iter().map(|f| ("forces", f.force.as_str()));
        let texts: Vec<(&'static str, &str)> =
            forces.chain(body.states.iter().map(|s| ("states", s.rate.as_str()))).collect();
        let mut read: Vec<String> = Vec::new();
        for (field, text) in &texts {
            let parsed = parse_names(text, &own, scope).map_err(|e| refuse(field, text, e.to_string()))?;
            let new = parsed.variables()[own.len()..].iter();
            read.extend(new.filter(|n| !read.contains(n)).cloned().collect::<Vec<_>>());
        }
        let names = BoundNames::new(read.iter().map(String::as_str), ("body", name), scope)?;
        let all: Vec<&str> = own.iter().copied().chain(read.iter().map(String::as_str)).collect();
        let parse = |(field, text): &(&'static str, &str)| {
            Expression::parse(text, &all).map_err(|e| refuse(field, text, e.to_string()))
        };
        let mut formulas = texts.iter().map(parse).collect::<Result<Vec<_>, _>>()?.into_iter();
        let index = |coordinate: &String| q.iter().position(|q| q == coordinate).unwrap_or(0);
        let Q = body.forces.iter().map(|f| index(&f.coordinate)).zip(formulas.by_ref()).collect();
        let states = body.states.iter().zip(formulas).map(|(s, rate)| (s.name.clone(), s.initial, rate)).collect();
        let q: Vec<&str> = q.iter().map(String::as_str).collect();
        let V = body
            .potential_energy
            .as_ref()
            .map(|text| Expression::parse(text, &q).map_err(|e| refuse("potential_energy", text, e.to_string())));
        Ok(Some(CoordinateForces {
            body: name.to_string(),
            coordinates: body.coordinates.iter().map(|c| (format!("{name}.{}", c.name), c.unit)).collect(),
            V: V.transpose()?,
            Q,
            states,
            names,
        }))
    }

    /// The coordinates that have forces: index, name and unit of the force.
    pub(crate) fn efforts(&self) -> impl Iterator<Item = (usize, &str, &'static str)> {
        let short = |name: &'_ str| name.len() - name.rsplit('.').next().unwrap_or(name).len();
        self.coordinates.iter().enumerate().map(move |(i, (name, unit))| (i, &name[short(name)..], unit.force_symbol()))
    }

    /// Number of turn counters, which come before the extra states of the body.
    pub(crate) fn counter_count(&self) -> usize {
        self.names.counter_count()
    }

    /// Names of the extra states, `body.state`.
    pub(crate) fn state_names(&self) -> impl Iterator<Item = String> {
        self.states.iter().map(|(name, ..)| format!("{}.{name}", self.body))
    }

    /// Calls `f` with the values of all names.
    fn with_values<T>(&self, at: &ElementInput, f: impl FnOnce(&[f64]) -> T) -> T {
        let n = self.coordinates.len();
        let (z, read) = (1 + 2 * n, 1 + 2 * n + self.states.len());
        let counters = self.names.counter_count();
        with_scratch(read + self.names.sources().len(), |x: &mut [f64]| {
            x[0] = at.t;
            (0..n).for_each(|i| (x[1 + i], x[1 + n + i]) = (at[i].p.x, at[i].v.x));
            for (x, z) in x[z..read].iter_mut().zip(at.z.iter().skip(counters)) {
                *x = *z;
            }
            let others = at.tail(n, 0);
            x[read..].iter_mut().enumerate().for_each(|(k, x)| *x = self.names.value(k, &others));
            f(x)
        })
    }

    /// Calls `f` with every coordinate that has a force Q, and Q.
    fn for_each_force(&self, at: &ElementInput, mut f: impl FnMut(usize, f64)) {
        if !self.Q.is_empty() {
            self.with_values(at, |x| self.Q.iter().for_each(|(i, Q)| f(*i, Q.evaluate(x))));
        }
    }

    /// Q and s.
    fn formulas(&self) -> impl Iterator<Item = &Expression> {
        self.Q.iter().map(|(_, Q)| Q).chain(self.states.iter().map(|(.., rate)| rate))
    }
}

impl Force for CoordinateForces {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        let own = self.coordinates.iter().map(|(name, _)| MarkerReference::coordinate(name));
        own.chain(self.names.markers()).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.states.iter().try_for_each(|(_, initial, _)| ParameterError::check_finite("states", &[*initial]))
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        on.fill(Wrench::ZERO);
        let n = self.coordinates.len();
        self.for_each_force(at, |i, Q| on[i].f.x += Q);
        let Some(V) = &self.V else { return };
        with_scratch(n, |x: &mut [Dual<WIDTH>]| {
            (0..n).for_each(|i| x[i] = Dual::constant(at[i].p.x));
            for first in (0..n).step_by(WIDTH) {
                let width = WIDTH.min(n - first);
                (0..width).for_each(|k| x[first + k].eps[k] = 1.0);
                let gradient = V.evaluate(x).eps;
                for k in 0..width {
                    on[first + k] = Wrench::force(on[first + k].f - Vec3::x() * gradient[k]);
                    x[first + k].eps[k] = 0.0;
                }
            }
        });
    }

    fn potential(&self, at: &ElementInput) -> f64 {
        let n = self.coordinates.len();
        self.V.as_ref().map_or(0.0, |V| {
            with_scratch(n, |x: &mut [f64]| {
                (0..n).for_each(|i| x[i] = at[i].p.x);
                V.evaluate(x)
            })
        })
    }

    fn nonconservative_power(&self, at: &ElementInput, _on: &[Wrench]) -> f64 {
        let mut power = 0.0;
        self.for_each_force(at, |i, Q| power += Q * at[i].v.x);
        power
    }

    fn conservation(&self) -> Conservation {
        if self.Q.is_empty() { Conservation::Conservative } else { Conservation::NonConservative }
    }
}

impl ExtraStates for CoordinateForces {
    // Turn counters of the names come first.
    fn state_count(&self) -> usize {
        self.names.counter_count() + self.states.len()
    }

    fn initialise_states(&self, at: &ElementInput, z: &mut [f64]) {
        let (counters, own) = z.split_at_mut(self.names.counter_count());
        self.names.initialise_counters(&at.tail(self.coordinates.len(), 0), counters);
        own.iter_mut().zip(&self.states).for_each(|(z, (_, initial, _))| *z = *initial);
    }

    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        let (counters, own) = zdot.split_at_mut(self.names.counter_count());
        self.names.counter_rates(&at.tail(self.coordinates.len(), 0), counters);
        self.with_values(at, |x| {
            own.iter_mut().zip(&self.states).for_each(|(zdot, (.., rate))| *zdot = rate.evaluate(x));
        });
    }

    fn angle_markers(&self) -> Vec<[usize; 2]> {
        self.names.angle_markers(self.coordinates.len()).collect()
    }
}

impl ForceReport for CoordinateForces {}

impl NonSmooth for CoordinateForces {
    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        self.formulas().for_each(|f| f.breaks(from, to, list));
        self.names.breaks(from, to, list);
    }

    fn has_bounded_tables(&self) -> bool {
        self.names.has_bounded_tables()
    }

    fn exceeded_table(&self, at: &ElementInput) -> Option<PassedEnd> {
        self.names.exceeded_table(at.t)
    }

    fn guard_count(&self) -> usize {
        self.V.iter().chain(self.formulas()).map(Expression::guards).sum()
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        let kinds = self.V.iter().chain(self.formulas()).flat_map(|f| (0..f.guards()).map(|k| f.guard_kind(k)));
        kinds.into_iter().nth(i).unwrap_or(GuardKind::Switch)
    }

    fn guard(&self, at: &ElementInput, i: usize) -> f64 {
        let of_V = self.V.as_ref().map_or(0, Expression::guards);
        self.with_values(at, |x| {
            if let (Some(V), true) = (&self.V, i < of_V) {
                return V.guard(i, &x[1..1 + self.coordinates.len()]);
            }
            let mut k = i - of_V;
            for formula in self.formulas() {
                if k < formula.guards() {
                    return formula.guard(k, x);
                }
                k -= formula.guards();
            }
            f64::INFINITY
        })
    }
}
