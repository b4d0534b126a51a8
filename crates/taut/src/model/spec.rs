//! The contents of a model file: plain data with names.

use super::events::Trigger;
use super::formula_measure::FormulaMeasure;
use super::sharing::SharingStiffness;
use crate::air::{Air, Disc, Polar, Wing};
use crate::beams::Beam;
use crate::bodies::BodyKind;
use crate::common::Named;
use crate::constraints::{ConstraintKind, Joint, Relation, Stop};
use crate::contacts::{ContactRule, Surface};
use crate::forces::ForceKind;
use crate::laws::Impact;
use crate::marker::Frame;
use crate::measures::Measure;
use crate::signals::Signal;
use serde::{Deserialize, Serialize};

/// A mechanism as data: what importers produce and [`Spec::build`] turns into a [`Model`](super::Model).
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, -9.81, 0.0])
///     .body("rod", PlanarBody::rod(2.0, 1.0).at([0.5, 0.0], 0.0))
///     .marker("rod.end", Frame::at([-0.5, 0.0, 0.0]))
///     .constraint("hinge", Joint::pin("ground", "rod.end"))
///     .force("spring", Spring::torsional("ground", "rod.end", 10.0, 0.1, 0.0));
/// let model = spec.build()?;
/// assert_eq!(model.sizes.v, 3);
///
/// // A wrong name is an error that names the element and suggests a remedy.
/// spec.constraint("again", Joint::pin("ground", "rod.and"));
/// assert!(spec.build().unwrap_err().to_string().contains("rod.end"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Spec {
    /// Uniform gravity, m/s².
    pub gravity: [f64; 3],
    /// The bodies. `ground` always exists.
    pub bodies: Vec<Named<BodyKind>>,
    /// Frames, named `body.frame`; the frame `body` itself always exists.
    pub markers: Vec<Named<Frame>>,
    /// The constraints.
    pub constraints: Vec<Named<ConstraintKind>>,
    /// The forces.
    pub forces: Vec<Named<ForceKind>>,
    /// Measured coordinates to be recorded in the solution.
    pub measures: Vec<Named<Measure>>,
    /// Measures by formula.
    pub formula_measures: Vec<Named<FormulaMeasure>>,
    /// Functions of time that formulas refer to by name.
    pub signals: Vec<Named<Signal>>,
    /// Shapes on markers.
    pub surfaces: Vec<Named<Surface>>,
    /// Rules for surfaces that touch.
    pub contacts: Vec<Named<ContactRule>>,
    /// The events.
    pub events: Vec<Named<Trigger>>,
    /// The beams.
    pub beams: Vec<Named<Beam>>,
    /// The air; wings need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub air: Option<Air>,
    /// The polars of wings.
    pub polars: Vec<Named<Polar>>,
    /// The wings.
    pub wings: Vec<Named<Wing>>,
    /// The discs.
    pub discs: Vec<Named<Disc>>,
    /// Constraints that are inactive at the start, until an event locks them.
    pub unlocked: Vec<String>,
    /// Stiffnesses by which constraints share load.
    pub sharing: Vec<Named<SharingStiffness>>,
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

    /// Adds a screw joint: a cylindrical joint `name`, and the relation `name.thread` between its advance and rotation.
    pub fn screw(&mut self, name: &str, a: &str, b: &str, pitch: f64) -> &mut Spec {
        self.constraint(name, Joint::cylindrical(a, b));
        self.constraint(&format!("{name}.thread"), Relation::screw(a, b, pitch))
    }

    /// Adds the stops `name.lower` and `name.upper` of a measured coordinate, for the limits that are given.
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

    /// Adds a column computed by a formula.
    pub fn formula_measure(&mut self, name: &str, measure: FormulaMeasure) -> &mut Spec {
        self.formula_measures.push(Named { name: name.to_string(), item: measure });
        self
    }

    /// Adds a function of time that formulas refer to by name.
    pub fn signal(&mut self, name: &str, signal: impl Into<Signal>) -> &mut Spec {
        self.signals.push(Named { name: name.to_string(), item: signal.into() });
        self
    }

    /// Adds a shape on a marker.
    pub fn surface(&mut self, name: &str, surface: Surface) -> &mut Spec {
        self.surfaces.push(Named { name: name.to_string(), item: surface });
        self
    }

    /// Adds a rule for surfaces that touch.
    pub fn contact(&mut self, name: &str, contact: ContactRule) -> &mut Spec {
        self.contacts.push(Named { name: name.to_string(), item: contact });
        self
    }

    /// Adds an event.
    pub fn event(&mut self, name: &str, trigger: Trigger) -> &mut Spec {
        self.events.push(Named { name: name.to_string(), item: trigger });
        self
    }

    /// Adds a beam: [`build`](Spec::build) turns it into the bodies `name_0` … and the forces `name.e1` ….
    pub fn beam(&mut self, name: &str, beam: Beam) -> &mut Spec {
        self.beams.push(Named { name: name.to_string(), item: beam });
        self
    }

    /// Sets the air.
    pub fn air(&mut self, air: Air) -> &mut Spec {
        self.air = Some(air);
        self
    }

    /// Adds a polar.
    pub fn polar(&mut self, name: &str, polar: Polar) -> &mut Spec {
        self.polars.push(Named { name: name.to_string(), item: polar });
        self
    }

    /// Adds a wing.
    pub fn wing(&mut self, name: &str, wing: Wing) -> &mut Spec {
        self.wings.push(Named { name: name.to_string(), item: wing });
        self
    }

    /// Adds a disc: [`build`](Spec::build) turns it and its wings into one force.
    pub fn disc(&mut self, name: &str, disc: Disc) -> &mut Spec {
        self.discs.push(Named { name: name.to_string(), item: disc });
        self
    }

    /// Lets a constraint start unlocked.
    pub fn unlocked(&mut self, constraint: &str) -> &mut Spec {
        self.unlocked.push(constraint.to_string());
        self
    }

    /// Gives a constraint the stiffness by which it shares load with others. It has no effect on the motion.
    pub fn share_stiffness(&mut self, constraint: &str, stiffness: SharingStiffness) -> &mut Spec {
        self.sharing.push(Named { name: constraint.to_string(), item: stiffness });
        self
    }
}
