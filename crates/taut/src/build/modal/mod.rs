//! Prepares modal bodies. A beam is reduced to its shapes, for which the beam is built as a model of its own.

mod reduction;
mod stiffening;

use crate::bodies::{BodyKind, Flexibility, Modal, ModalNodes, Stiffening};
use crate::common::Named;
use crate::error::{BuildError, ParameterError, element_error};
use crate::spec::Spec;
use std::borrow::Cow;

/// The same mechanism with the derived data of its modal bodies.
pub(super) fn reduce_modal_bodies(spec: Cow<'_, Spec>) -> Result<Cow<'_, Spec>, BuildError> {
    if !spec.bodies.iter().any(|b| matches!(b.item, BodyKind::Modal(_))) {
        return Ok(spec);
    }
    let mut all = spec.into_owned();
    for k in 0..all.bodies.len() {
        let Named { name, item: BodyKind::Modal(body) } = &all.bodies[k] else { continue };
        let bound = reduced_body(body, name).map_err(|fault| element_error("body", name, fault))?;
        if let Some(twice) = bound.members().iter().find(|m| all.bodies.iter().any(|b| b.name == m.name)) {
            let what = format!("its node `{}` has the name of another body", twice.name);
            return Err(element_error("body", name, ParameterError::invalid("name", what)));
        }
        all.bodies[k].item = BodyKind::Modal(bound);
    }
    Ok(Cow::Owned(all))
}

/// A modal body with its beam reduced.
fn reduced_body(body: &Modal, name: &str) -> Result<Modal, ParameterError> {
    match &body.flexibility {
        Flexibility::Nodes(_) if body.stiffening != Stiffening::None => {
            Err(ParameterError::invalid("stiffening", "stiffening is available for beams only"))
        }
        Flexibility::Nodes(nodes) => body.with_nodes(name, nodes, &[], &[]),
        Flexibility::Beam(beam) => {
            let (nodes, G) = reduction::craig_bampton(beam, body.stiffening)?;
            body.with_nodes(name, &nodes, &G, &beam.shown)
        }
    }
}

impl Modal {
    /// Its nodes with their shapes and modal stiffness; a beam is reduced first.
    pub fn nodes(&self) -> Result<ModalNodes, ParameterError> {
        match &self.flexibility {
            Flexibility::Nodes(nodes) => Ok(nodes.clone()),
            Flexibility::Beam(beam) => Ok(reduction::craig_bampton(beam, Stiffening::None)?.0),
        }
    }
}
