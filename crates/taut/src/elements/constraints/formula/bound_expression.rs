//! An expression whose names are resolved to bodies and markers of a model.
//!
//! The names are those of the columns of a solution: `crank.x`, `crank.theta`, `rod.tip.x` are positions, `crank.vx`,
//! `crank.omega`, `rod.wx`, `rod.tip.vx` are velocities.

use crate::bodies::{Body, BodyKind};
use crate::breaks::GuardKind;
use crate::common::Named;
use crate::common::spelling::did_you_mean;
use crate::constraints::MarkerKind;
use crate::error::{BuildError, ParameterError};
use crate::expressions::Expression;
use crate::marker::Frame;
use crate::motion::Motion;
use crate::scalar::Scalar;

/// The component of a marker's motion that a name stands for. A coordinate is the first component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkerComponent {
    /// A component of p.
    Position(usize),
    /// A component of v.
    Velocity(usize),
    /// A component of w.
    AngularVelocity(usize),
}

/// An expression, the markers it needs, and the component that each of its names stands for.
#[derive(Clone, Debug)]
pub(crate) struct BoundExpression {
    expression: Expression,
    /// Number of variables before the names.
    leading_variables: usize,
    markers: Vec<(String, MarkerKind)>,
    components: Vec<(usize, MarkerComponent)>,
}

/// Maximum number of variables of one formula: their values are on the stack.
pub(crate) const MAX_VARIABLES: usize = 32;

impl MarkerComponent {
    /// Its value in a motion.
    pub fn value(self, seen: &Motion) -> f64 {
        match self {
            MarkerComponent::Position(i) => seen.p[i],
            MarkerComponent::Velocity(i) => seen.v[i],
            MarkerComponent::AngularVelocity(i) => seen.w[i],
        }
    }
}

impl BoundExpression {
    /// Resolves the names of an expression, except the first `leading_variables` ones, for an element (family, name, field).
    pub fn new(
        expression: &Expression,
        given: usize,
        (family, element, field): (&'static str, &str, &'static str),
        scope: &Scope,
    ) -> Result<BoundExpression, BuildError> {
        let names = expression.variables().get(given..).unwrap_or_default();
        if expression.variables().len() > MAX_VARIABLES {
            let found = names.len();
            let what = format!("the formula has {found} names; it may have {} at most", MAX_VARIABLES - given);
            let fault = ParameterError::Value { field, what };
            return Err(BuildError::Element { family, name: element.to_string(), fault });
        }
        let mut reading = BoundExpression {
            expression: expression.clone(),
            leading_variables: given,
            markers: Vec::new(),
            components: Vec::new(),
        };
        for name in names {
            let (marker, needs, source) = resolve_name(name, (family, element), scope)?;
            let wanted = (marker, needs);
            let k = reading.markers.iter().position(|m| *m == wanted).unwrap_or_else(|| {
                reading.markers.push(wanted);
                reading.markers.len() - 1
            });
            reading.components.push((k, source));
        }
        Ok(reading)
    }

    /// Names of the markers it reads, and their required kinds.
    pub fn markers(&self) -> &[(String, MarkerKind)] {
        &self.markers
    }

    /// The first velocity among its names.
    pub fn first_velocity(&self) -> Option<&str> {
        let k = self.components.iter().position(|(_, s)| !matches!(s, MarkerComponent::Position(_)))?;
        self.expression.variables().get(self.leading_variables + k).map(String::as_str)
    }

    /// Marker and component of each name.
    pub fn components(&self) -> &[(usize, MarkerComponent)] {
        &self.components
    }

    /// The value of the expression: `leading_variables` are the first variables; `read` returns the value of a marker and component.
    pub fn evaluate<S: Scalar>(&self, given: impl AsRef<[S]>, read: impl Fn(usize, MarkerComponent) -> S) -> S {
        self.evaluate_indexed(given, |_, marker, source| read(marker, source))
    }

    /// The same; `read` also gets the index of the name.
    pub fn evaluate_indexed<S: Scalar>(
        &self,
        given: impl AsRef<[S]>,
        read: impl Fn(usize, usize, MarkerComponent) -> S,
    ) -> S {
        self.expression.evaluate(&self.values(given.as_ref(), read))
    }

    /// Guard `i`: a function at whose zeros the formula changes its form.
    pub fn guard(&self, i: usize, given: impl AsRef<[f64]>, read: impl Fn(usize, MarkerComponent) -> f64) -> f64 {
        self.expression.guard(i, &self.values(given.as_ref(), |_, marker, source| read(marker, source)))
    }

    /// The guards that mark a possible narrow peak of the formula.
    pub fn peak_guards(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.expression.guards()).filter(|i| self.expression.guard_kind(*i) == GuardKind::Peak)
    }

    /// The values of all variables.
    fn values<S: Scalar>(&self, given: &[S], read: impl Fn(usize, usize, MarkerComponent) -> S) -> [S; MAX_VARIABLES] {
        let mut values = [S::from(0.0); MAX_VARIABLES];
        let n = self.leading_variables.min(MAX_VARIABLES);
        values.iter_mut().zip(given).take(n).for_each(|(value, given)| *value = *given);
        for (k, (value, (marker, source))) in values[n..].iter_mut().zip(&self.components).enumerate() {
            *value = read(k, *marker, *source);
        }
        values
    }
}

/// The bodies and markers that a formula may name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    /// The bodies of the model.
    pub bodies: &'a [Named<BodyKind>],
    /// Its markers.
    pub markers: &'a [Named<Frame>],
}

const AXES: [&str; 3] = ["x", "y", "z"];
const VELOCITIES: [&str; 3] = ["vx", "vy", "vz"];
const ANGULAR_VELOCITIES: [&str; 3] = ["wx", "wy", "wz"];

/// The marker and component of a name that an element (family, name) uses.
pub(crate) fn resolve_name(
    name: &str,
    (family, element): (&'static str, &str),
    scope: &Scope,
) -> Result<(String, MarkerKind, MarkerComponent), BuildError> {
    find_name(name, scope).ok_or_else(|| {
        let known = known_names(scope);
        let hint = did_you_mean(name, known.iter().map(String::as_str));
        BuildError::UnknownMarker { family, name: element.to_string(), marker: name.to_string(), hint }
    })
}

/// The marker and component of a name.
fn find_name(name: &str, scope: &Scope) -> Option<(String, MarkerKind, MarkerComponent)> {
    let (owner, part) = name.rsplit_once('.')?;
    let among = |list: &[&str; 3]| list.iter().position(|x| *x == part);
    if let Some(body) = scope.bodies.iter().find(|b| b.name == owner) {
        return find_in_body(&body.item, owner, part);
    }
    let node = |b: &Named<BodyKind>| b.item.members().iter().any(|m| m.name == owner);
    if !scope.bodies.iter().any(node) {
        scope.markers.iter().find(|m| m.name == owner)?;
    }
    let source =
        among(&AXES).map(MarkerComponent::Position).or_else(|| among(&VELOCITIES).map(MarkerComponent::Velocity))?;
    Some((owner.to_string(), MarkerKind::Frame, source))
}

/// A coordinate or a velocity of a body. If the reference frame contains it, the frame is used: one marker for all.
fn find_in_body(kind: &BodyKind, owner: &str, part: &str) -> Option<(String, MarkerKind, MarkerComponent)> {
    let body = kind.body();
    let frame = |source| Some((owner.to_string(), MarkerKind::Frame, source));
    let is = |list: Vec<crate::bodies::Quantity>| list.iter().position(|c| c.name == part);
    let library = kind.rigid().is_some() || matches!(kind, BodyKind::Planar(_) | BodyKind::PointMass(_));
    let among = |list: &[&str; 3]| list.iter().position(|x| *x == part).filter(|_| library);
    if is(body.coordinates()).is_some() {
        if let Some(i) = among(&AXES) {
            return frame(MarkerComponent::Position(i));
        }
        body.coordinate_index(part)?;
        return Some((format!("{owner}.{part}"), MarkerKind::Coordinate, MarkerComponent::Position(0)));
    }
    // A rigid body has an angular velocity in every description of its rotation.
    if let Some(i) = among(&ANGULAR_VELOCITIES).filter(|_| kind.rigid().is_some()) {
        return frame(MarkerComponent::AngularVelocity(i));
    }
    let i = is(body.velocities())?;
    if let Some(i) = among(&VELOCITIES) {
        return frame(MarkerComponent::Velocity(i));
    }
    // Any other velocity is the rate of the coordinate with the same index.
    let coordinate = coordinates_of(body).find(|c| body.coordinate_index(c) == Some(i))?;
    Some((format!("{owner}.{coordinate}"), MarkerKind::Coordinate, MarkerComponent::Velocity(0)))
}

fn coordinates_of(body: &dyn Body) -> impl Iterator<Item = String> {
    body.coordinates().into_iter().map(|c| c.name)
}

/// All names that a formula can use.
pub(crate) fn known_names(scope: &Scope) -> Vec<String> {
    let mut names = Vec::new();
    for b in scope.bodies {
        let body = b.item.body();
        let own = coordinates_of(body).chain(body.velocities().into_iter().map(|v| v.name));
        names.extend(own.map(|part| format!("{}.{part}", b.name)).filter(|name| find_name(name, scope).is_some()));
    }
    for m in scope.markers {
        names.extend(AXES.iter().chain(&VELOCITIES).map(|part| format!("{}.{part}", m.name)));
    }
    names
}
