//! Resolves the names used in events: first those in the file, then markers, constraints and variables of the model.

use super::marker_registry::MarkerRegistry;
use crate::bodies::BodyKind;
use crate::common::Named;
use crate::common::spelling::did_you_mean;
use crate::constraints::{BoundExpression, MarkerReference, MeasureComponent};
use crate::error::{BuildError, ParameterError, element_error};
use crate::expressions::names_in;
use crate::laws::ConstraintLaw;
use crate::model::events::{MeasuredExpression, ResolvedAction};
use crate::model::{BodyEntry, ConstraintEntry, FormulaMeasureEntry};
use crate::spec::Spec;
use crate::{Action, EventDependence, EventEntry, FormulaMeasure, Trigger};

impl EventEntry {
    /// Resolves the names in its expressions.
    pub(crate) fn bind(Named { name, item }: &Named<Trigger>, spec: &Spec) -> Result<EventEntry, BuildError> {
        let when = MeasuredExpression::bind(&item.when, ("event", name, "when"), spec)?;
        let acts =
            item.actions.iter().map(|action| ResolvedAction::bind(action, name, spec)).collect::<Result<_, _>>()?;
        Ok(EventEntry { name: name.clone(), trigger: item.clone(), when, actions: acts })
    }

    /// Finds markers, constraints and variables in the model.
    pub(crate) fn resolve(
        &mut self,
        names: &mut MarkerRegistry,
        bodies: &[BodyEntry],
        constraints: &[ConstraintEntry],
    ) -> Result<(), BuildError> {
        self.when.resolve(("event", &self.name), names, bodies)?;
        self.actions.iter_mut().try_for_each(|act| act.resolve(&self.name, names, bodies, constraints))
    }
}

impl FormulaMeasureEntry {
    /// Resolves the names in its formula.
    pub(crate) fn bind(
        Named { name, item }: &Named<FormulaMeasure>,
        spec: &Spec,
    ) -> Result<FormulaMeasureEntry, BuildError> {
        let wrong = |fault| element_error("measure", name, fault);
        ParameterError::check_finite("factor", &[item.factor]).map_err(wrong)?;
        let expression = MeasuredExpression::bind(&item.formula, ("measure", name, "formula"), spec)?;
        Ok(FormulaMeasureEntry { name: name.clone(), expression, unit: item.unit.clone(), factor: item.factor })
    }
}

impl ResolvedAction {
    /// Resolves the names in its expression.
    pub fn bind(action: &Action, event: &str, spec: &Spec) -> Result<ResolvedAction, BuildError> {
        let refuse = |fault| element_error("event", event, fault);
        let to = match action {
            Action::Set { to, .. } => Some(MeasuredExpression::bind(to, ("event", event, "to"), spec)?),
            Action::Impulse { force, moment, .. } => {
                ParameterError::check_finite("force", force)
                    .and(ParameterError::check_finite("moment", moment))
                    .map_err(refuse)?;
                None
            }
            Action::Push { impulse, .. } => {
                ParameterError::check_finite("impulse", &[*impulse]).map_err(refuse)?;
                None
            }
            _ => None,
        };
        Ok(ResolvedAction { action: action.clone(), value: to, index: 0 })
    }

    /// Finds its target in the model.
    pub fn resolve(
        &mut self,
        event: &str,
        names: &mut MarkerRegistry,
        bodies: &[BodyEntry],
        constraints: &[ConstraintEntry],
    ) -> Result<(), BuildError> {
        if let Some(to) = &mut self.value {
            to.resolve(("event", event), names, bodies)?;
        }
        match &self.action {
            Action::Stop | Action::Record => {}
            Action::Lock { constraint } | Action::Unlock { constraint } => {
                self.index = lockable_constraint(constraint, constraints)
                    .map_err(|fault| element_error("event", event, fault))?;
            }
            Action::Set { variable, .. } => {
                self.index = variable_index(variable, bodies).map_err(|fault| element_error("event", event, fault))?;
            }
            Action::Impulse { .. } | Action::Push { .. } => {
                let wanted: Vec<MarkerReference> = self.action.reference().into_iter().collect();
                let found = names.resolve("event", event, &wanted, bodies)?;
                self.index = found.first().copied().unwrap_or(0);
            }
        }
        Ok(())
    }
}

impl MeasuredExpression {
    /// Resolves the names in the text of a field of an element (family, name, field).
    pub fn bind(
        text: &str,
        element: (&'static str, &str, &'static str),
        spec: &Spec,
    ) -> Result<MeasuredExpression, BuildError> {
        let (used, scope) = (names_in(text), spec.scope());
        let (mut measures, mut given) = (Vec::new(), vec!["t".to_string()]);
        let declared = spec.measures.iter().map(|m| m.name.clone());
        for (i, name) in declared.chain(scope.joint_coordinates().map(|(name, _)| name)).enumerate() {
            let names = [(format!("{name}.rate"), MeasureComponent::Rate), (name, MeasureComponent::Value)];
            for (name, part) in names.into_iter().filter(|(name, _)| used.contains(&name.as_str())) {
                measures.push((i, part));
                given.push(name);
            }
        }
        let names: Vec<&str> = given.iter().map(String::as_str).collect();
        let reading = BoundExpression::new(text, &names, element, &scope)?;
        let sight = match (measures.is_empty() && reading.names.marker_count() == 0, reading.is_affine()) {
            (false, _) => EventDependence::Motions,
            (true, false) => EventDependence::Time,
            (true, true) => EventDependence::LinearInTime,
        };
        Ok(MeasuredExpression { reading, measures, markers: Vec::new(), dependence: sight })
    }

    /// Finds its markers in the model.
    pub fn resolve(
        &mut self,
        (family, name): (&'static str, &str),
        names: &mut MarkerRegistry,
        bodies: &[BodyEntry],
    ) -> Result<(), BuildError> {
        let wanted: Vec<MarkerReference> = self.references().collect();
        self.markers = names.resolve(family, name, &wanted, bodies)?;
        Ok(())
    }
}

/// The constraint of that name, if events may lock and unlock it.
pub(crate) fn lockable_constraint(name: &str, constraints: &[ConstraintEntry]) -> Result<usize, ParameterError> {
    let Some(found) = constraints.iter().position(|c| c.name == name) else {
        let hint = did_you_mean(name, constraints.iter().map(|c| c.name.as_str()));
        return Err(ParameterError::invalid("constraint", format!("there is no constraint `{name}`{hint}")));
    };
    match constraints[found].law {
        ConstraintLaw::Unilateral(_) => {
            let what =
                format!("`{name}` is a gap, which opens and closes by itself; it can be neither locked nor unlocked");
            Err(ParameterError::invalid("constraint", what))
        }
        ConstraintLaw::Bilateral | ConstraintLaw::Frictional => Ok(found),
    }
}

/// Index of a variable among the bodies.
fn variable_index(name: &str, bodies: &[BodyEntry]) -> Result<usize, ParameterError> {
    let variables = || bodies.iter().filter(|b| matches!(b.kind, BodyKind::Variable(_)));
    let full = |b: &BodyEntry| format!("{}.value", b.name);
    let is_named = |b: &BodyEntry| matches!(b.kind, BodyKind::Variable(_)) && full(b) == name;
    if let Some(i) = bodies.iter().position(is_named) {
        return Ok(i);
    }
    let moves = |b: &&BodyEntry| {
        let own = name.strip_prefix(&b.name).and_then(|rest| rest.strip_prefix('.'));
        own.is_some_and(|c| b.kind.body().coordinates().iter().any(|k| k.name == c))
    };
    if bodies.iter().any(|b| moves(&b)) {
        let what =
            format!("`{name}` is a coordinate of a moving body; only variables can be set: use an impulse instead");
        return Err(ParameterError::invalid("variable", what));
    }
    let known: Vec<String> = variables().map(full).collect();
    let hint = did_you_mean(name, known.iter().map(String::as_str));
    Err(ParameterError::invalid("variable", format!("there is no variable `{name}`{hint}; write `name.value`")))
}
