//! Prepares modal bodies. A beam is reduced to its shapes, for which the beam is built as a model of its own.

mod reduction;
mod stiffening;

use crate::bodies::{BodyKind, Flexibility, Modal, Nodes, Stiffening};
use crate::common::Named;
use crate::error::{BuildError, Fault, element};
use crate::spec::Spec;
use std::borrow::Cow;

/// The same mechanism with the derived data of its modal bodies.
pub(super) fn gather(spec: Cow<'_, Spec>) -> Result<Cow<'_, Spec>, BuildError> {
    if !spec.bodies.iter().any(|b| matches!(b.item, BodyKind::Modal(_))) {
        return Ok(spec);
    }
    let mut all = spec.into_owned();
    for k in 0..all.bodies.len() {
        let Named { name, item: BodyKind::Modal(body) } = &all.bodies[k] else { continue };
        let bound = reduced(body, name).map_err(|fault| element("body", name, fault))?;
        if let Some(twice) = bound.members().iter().find(|m| all.bodies.iter().any(|b| b.name == m.name)) {
            let what = format!("its node `{}` has the name of another body", twice.name);
            return Err(element("body", name, Fault::value("name", what)));
        }
        all.bodies[k].item = BodyKind::Modal(bound);
    }
    Ok(Cow::Owned(all))
}

/// A modal body with its beam reduced.
fn reduced(body: &Modal, name: &str) -> Result<Modal, Fault> {
    match &body.flexibility {
        Flexibility::Nodes(_) if body.stiffening != Stiffening::None => {
            Err(Fault::value("stiffening", "stiffening is available for beams only"))
        }
        Flexibility::Nodes(nodes) => body.with_nodes(name, nodes, &[], &[]),
        Flexibility::Beam(beam) => {
            let (nodes, G) = reduction::reduce(beam, body.stiffening)?;
            body.with_nodes(name, &nodes, &G, &beam.shown)
        }
    }
}

impl Modal {
    /// Its nodes with their shapes and modal stiffness; a beam is reduced first.
    pub fn nodes(&self) -> Result<Nodes, Fault> {
        match &self.flexibility {
            Flexibility::Nodes(nodes) => Ok(nodes.clone()),
            Flexibility::Beam(beam) => Ok(reduction::reduce(beam, Stiffening::None)?.0),
        }
    }
}
