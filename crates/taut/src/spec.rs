//! What a model file can say: plain data with names.

use crate::beams::{self, Beam};
use crate::bodies::{BodyKind, modal};
use crate::constraints::{ConstraintKind, Joint, Relation, Stop};
use crate::contacts::{self, Contact, Surface};
use crate::error::{BuildError, Fault};
use crate::events::{EventEntry, Trigger};
use crate::forces::ForceKind;
use crate::laws::Impact;
use crate::marker::Frame;
use crate::measures::Measure;
use crate::model::Model;
use crate::names::{body_name, element, unique};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An element with its name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Named<T> {
    /// The name, unique in its family.
    pub name: String,
    /// The element.
    #[serde(flatten)]
    pub item: T,
}

/// A mechanism as data: what importers produce and [`Spec::build`] turns into a [`Model`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Spec {
    /// Uniform gravity, m/s².
    pub gravity: [f64; 3],
    /// The bodies. `ground` is always there.
    pub bodies: Vec<Named<BodyKind>>,
    /// Frames, named `body.frame`; the frame `body` itself is always there.
    pub markers: Vec<Named<Frame>>,
    /// The constraints.
    pub constraints: Vec<Named<ConstraintKind>>,
    /// The forces.
    pub forces: Vec<Named<ForceKind>>,
    /// Measured coordinates that the solution shall show.
    pub measures: Vec<Named<Measure>>,
    /// Shapes on markers.
    pub surfaces: Vec<Named<Surface>>,
    /// Rules for surfaces that touch.
    pub contacts: Vec<Named<Contact>>,
    /// The events.
    pub events: Vec<Named<Trigger>>,
    /// The beams.
    pub beams: Vec<Named<Beam>>,
    /// Constraints that do not hold at the start, until an event locks them.
    pub unlocked: Vec<String>,
}

impl Spec {
    /// An empty mechanism without gravity.
    pub fn new() -> Spec {
        Spec::default()
    }

    /// Sets the uniform gravity.
    pub fn gravity(&mut self, g: [f64; 3]) -> &mut Spec {
        self.gravity = g;
        self
    }

    /// Adds a body.
    pub fn body(&mut self, name: &str, body: impl Into<BodyKind>) -> &mut Spec {
        self.bodies.push(Named { name: name.to_string(), item: body.into() });
        self
    }

    /// Adds a frame; its name is `body.frame`, or `ground.frame`.
    pub fn marker(&mut self, name: &str, frame: Frame) -> &mut Spec {
        self.markers.push(Named { name: name.to_string(), item: frame });
        self
    }

    /// Adds a constraint.
    pub fn constraint(&mut self, name: &str, constraint: impl Into<ConstraintKind>) -> &mut Spec {
        self.constraints.push(Named { name: name.to_string(), item: constraint.into() });
        self
    }

    /// Adds a screw joint: a cylindrical joint `name`, and the relation `name.thread` of its advance and turn.
    pub fn screw(&mut self, name: &str, a: &str, b: &str, pitch: f64) -> &mut Spec {
        self.constraint(name, Joint::cylindrical(a, b));
        self.constraint(&format!("{name}.thread"), Relation::screw(a, b, pitch))
    }

    /// Adds the stops `name.lower` and `name.upper` of a measured coordinate, as far as they are given.
    pub fn limits(
        &mut self,
        name: &str,
        of: Measure,
        lower: Option<f64>,
        upper: Option<f64>,
        impact: Impact,
    ) -> &mut Spec {
        if let Some(lower) = lower {
            self.constraint(&format!("{name}.lower"), Stop::lower(of.clone(), lower).impact(impact));
        }
        if let Some(upper) = upper {
            self.constraint(&format!("{name}.upper"), Stop::upper(of, upper).impact(impact));
        }
        self
    }

    /// Adds a force.
    pub fn force(&mut self, name: &str, force: impl Into<ForceKind>) -> &mut Spec {
        self.forces.push(Named { name: name.to_string(), item: force.into() });
        self
    }

    /// Adds a measured coordinate to the solution.
    pub fn measure(&mut self, name: &str, measure: Measure) -> &mut Spec {
        self.measures.push(Named { name: name.to_string(), item: measure });
        self
    }

    /// Adds a shape on a marker.
    pub fn surface(&mut self, name: &str, surface: Surface) -> &mut Spec {
        self.surfaces.push(Named { name: name.to_string(), item: surface });
        self
    }

    /// Adds a rule for surfaces that touch.
    pub fn contact(&mut self, name: &str, contact: Contact) -> &mut Spec {
        self.contacts.push(Named { name: name.to_string(), item: contact });
        self
    }

    /// Adds an event.
    pub fn event(&mut self, name: &str, trigger: Trigger) -> &mut Spec {
        self.events.push(Named { name: name.to_string(), item: trigger });
        self
    }

    /// Adds a beam: [`build`](Spec::build) makes the bodies `name_0` … and the forces `name.e1` … of it.
    pub fn beam(&mut self, name: &str, beam: Beam) -> &mut Spec {
        self.beams.push(Named { name: name.to_string(), item: beam });
        self
    }

    /// Lets a constraint start unlocked.
    pub fn unlocked(&mut self, constraint: &str) -> &mut Spec {
        self.unlocked.push(constraint.to_string());
        self
    }

    /// Resolves names, checks parameters, lays out the equations.
    pub fn build(&self) -> Result<Model, BuildError> {
        // First of all, so that everything else can speak of the nodes of beams and modal bodies.
        let spec = modal::gather(beams::expand(self)?)?;
        let events = spec.events.iter().map(|e| EventEntry::bind(e, &spec)).collect::<Result<_, _>>()?;
        Model::build(&*spec.bound()?, events)
    }

    /// The bodies with the members of reduced sets, and the nodes of beams that are one body, taken into them.
    fn gathered(&self) -> Result<Vec<Named<BodyKind>>, BuildError> {
        unique("bodies", self.bodies.iter().map(|b| b.name.as_str()))?;
        self.bodies.iter().try_for_each(|b| body_name(&b.name))?;
        let mut taken: Vec<&String> = Vec::new();
        let mut bodies = self.bodies.clone();
        for (b, given) in bodies.iter_mut().zip(&self.bodies) {
            let members = match &given.item {
                BodyKind::Ritz(set) => &set.members,
                BodyKind::BeamNodes(nodes) => &nodes.members,
                _ => continue,
            };
            let refuse = |fault| element("body", &given.name, fault);
            for m in members {
                if taken.contains(&m) {
                    let what = format!("`{m}` is named twice; a body can be reduced once");
                    return Err(refuse(Fault::value("members", what)));
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

    /// The same with what only the whole can tell: the names of formulas looked up, the constraints of bodies added.
    fn bound(&self) -> Result<Cow<'_, Spec>, BuildError> {
        let constraint = |c: &Named<ConstraintKind>| matches!(c.item, ConstraintKind::Formula(_));
        let force = |f: &Named<ForceKind>| matches!(f.item, ForceKind::Formula(_) | ForceKind::Controller(_));
        // Constraints that bodies bring along for their own coordinates.
        let own = |b: &Named<BodyKind>| {
            let item = b.item.body().constraint(&b.name)?;
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
            spec.bodies = self.gathered()?;
        }
        for c in &mut spec.constraints {
            if let ConstraintKind::Formula(formula) = &mut c.item {
                *formula = formula.bind(&c.name, self)?;
            }
        }
        for f in &mut spec.forces {
            match &mut f.item {
                ForceKind::Formula(formula) => *formula = formula.bind(&f.name, self)?,
                ForceKind::Controller(controller) => *controller = controller.bind(&f.name, self)?,
                _ => {}
            }
        }
        Ok(Cow::Owned(spec))
    }
}
