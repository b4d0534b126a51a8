//! From a [`Spec`] to a [`Model`]: names become indices, parameters are checked, and every element gets its index
//! ranges.
//!
//! ```text
//!  air          discs with their wings become air loads (forces)
//!  beams        beams become nodes (bodies) and elements (forces)
//!  modal        beams of modal bodies are reduced to their shapes
//!  generalised  the text of generalised bodies is parsed; their forces become force elements
//!  contacts     rules for surfaces become points of contact (constraints) or compliant pairs (forces)
//!  bind         formulas and controllers resolve the names they use
//!  names        markers are laid out and resolved by name
//!  massless     springs that determine bodies without mass become a balance of forces (constraints)
//!  model        bodies, rows and forces get their index ranges; the elimination order is chosen
//! ```

mod air;
mod beams;
mod contact_scale;
mod contacts;
mod events;
mod generalised;
mod marker_registry;
mod massless;
mod modal;
mod model;
mod sharing;
mod topology;

use crate::bodies::BodyKind;
use crate::common::Named;
use crate::constraints::{ConstraintKind, ReactionNames, Scope};
use crate::error::{BuildError, ParameterError, check_body_name, check_unique_names, element_error};
use crate::forces::ForceKind;
use crate::model::events::EventEntry;
use crate::model::{FormulaMeasureEntry, Model};
use crate::spec::Spec;
use std::borrow::Cow;

impl Spec {
    /// Resolves names, checks parameters, lays out the equations.
    pub fn build(&self) -> Result<Model, BuildError> {
        // First, so that all later stages can refer to the nodes of beams and modal bodies.
        let spec = generalised::expand(modal::reduce_modal_bodies(beams::expand(air::expand(self)?)?)?)?;
        let events: Vec<EventEntry> =
            spec.events.iter().map(|e| EventEntry::bind(e, &spec)).collect::<Result<_, _>>()?;
        let formulas: Vec<FormulaMeasureEntry> =
            spec.formula_measures.iter().map(|m| FormulaMeasureEntry::bind(m, &spec)).collect::<Result<_, _>>()?;
        let bound = spec.with_bound_names()?;
        let model = model::lay_out_model(&bound, events.clone(), formulas.clone())?;
        if !model.layout.has_massless_motions() {
            return Ok(model);
        }
        let (balances, obstacles) = massless::balances(&model);
        let mut bound = bound.into_owned();
        bound.constraints.extend(balances);
        let mut model = model::lay_out_model(&bound, events, formulas)?;
        model.balance_obstacles = obstacles;
        massless::settle(&mut model);
        Ok(model)
    }

    /// The bodies, with the members of reduced sets and the nodes of single-body beams absorbed into them.
    fn bodies_with_members(&self) -> Result<Vec<Named<BodyKind>>, BuildError> {
        check_unique_names("bodies", self.bodies.iter().map(|b| b.name.as_str()))?;
        self.bodies.iter().try_for_each(|b| check_body_name(&b.name))?;
        let mut taken: Vec<&String> = Vec::new();
        let mut bodies = self.bodies.clone();
        for (b, given) in bodies.iter_mut().zip(&self.bodies) {
            let members = match &given.item {
                BodyKind::Ritz(set) => &set.members,
                BodyKind::BeamNodes(nodes) => &nodes.members,
                _ => continue,
            };
            let refuse = |fault| element_error("body", &given.name, fault);
            for m in members {
                if taken.contains(&m) {
                    let what = format!("`{m}` is named twice; a body can be a member of one set only");
                    return Err(refuse(ParameterError::invalid("members", what)));
                }
                taken.push(m);
            }
            let all = self.bodies.iter().map(|b| (b.name.as_str(), &b.item));
            b.item = match &given.item {
                BodyKind::Ritz(set) => BodyKind::Ritz(set.bind(all).map_err(refuse)?),
                BodyKind::BeamNodes(nodes) => BodyKind::BeamNodes(nodes.bind(all).map_err(refuse)?),
                other => other.clone(),
            };
        }
        bodies.retain(|b| !taken.contains(&&b.name));
        Ok(bodies)
    }

    /// The same specification with the names of formulas resolved and the constraints of bodies and contacts added.
    fn with_bound_names(&self) -> Result<Cow<'_, Spec>, BuildError> {
        let constraint = |c: &Named<ConstraintKind>| matches!(c.item, ConstraintKind::Formula(_));
        let force = |f: &Named<ForceKind>| {
            matches!(f.item, ForceKind::Formula(_) | ForceKind::Controller(_) | ForceKind::Air(_))
        };
        // Constraints that bodies need for their own coordinates.
        let own = |b: &Named<BodyKind>| {
            let item = b.item.body().coordinate_constraint(&b.name)?;
            Some(Named { name: format!("{}.norm", b.name), item })
        };
        let own: Vec<Named<ConstraintKind>> = self.bodies.iter().filter_map(own).collect();
        let sets = self.bodies.iter().any(|b| matches!(b.item, BodyKind::Ritz(_) | BodyKind::BeamNodes(_)));
        if own.is_empty()
            && !sets
            && self.surfaces.is_empty()
            && self.contacts.is_empty()
            && !self.constraints.iter().any(constraint)
            && !self.forces.iter().any(force)
        {
            return Ok(Cow::Borrowed(self));
        }
        let mut spec = self.clone();
        spec.constraints.extend(own);
        contacts::expand(&mut spec)?;
        if sets {
            spec.bodies = self.bodies_with_members()?;
        }
        for c in &mut spec.constraints {
            if let ConstraintKind::Formula(formula) = &mut c.item {
                *formula = formula.bind(&c.name, &self.scope())?;
            }
        }
        for f in &mut spec.forces {
            match &mut f.item {
                ForceKind::Formula(formula) => *formula = formula.bind(&f.name, &self.scope())?,
                ForceKind::Controller(controller) => *controller = controller.bind(&f.name, &self.scope())?,
                ForceKind::Air(load) => **load = load.bind(&f.name, &self.scope())?,
                _ => {}
            }
        }
        Ok(Cow::Owned(spec))
    }

    /// The names that formulas may use.
    pub(crate) fn scope(&self) -> Scope<'_> {
        Scope {
            bodies: &self.bodies,
            markers: &self.markers,
            constraints: &self.constraints,
            measures: &self.measures,
            signals: &self.signals,
            reactions: ReactionNames::Refused,
        }
    }
}
