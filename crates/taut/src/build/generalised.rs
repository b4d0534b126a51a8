//! Parses the text of generalised bodies, and adds their forces: potential, generalised forces and extra states.

use crate::bodies::BodyKind;
use crate::common::Named;
use crate::error::{BuildError, element_error};
use crate::forces::{CoordinateForces, ForceKind};
use crate::spec::Spec;
use std::borrow::Cow;

/// The same mechanism with parsed generalised bodies and their forces `body.forces`.
pub(super) fn expand(spec: Cow<'_, Spec>) -> Result<Cow<'_, Spec>, BuildError> {
    if !spec.bodies.iter().any(|b| matches!(b.item, BodyKind::Generalised(_))) {
        return Ok(spec);
    }
    let mut all = spec.clone().into_owned();
    for Named { name, item } in &mut all.bodies {
        let BodyKind::Generalised(body) = item else { continue };
        *body = body.parsed().map_err(|fault| element_error("body", name, fault))?;
        if let Some(forces) = CoordinateForces::of(name, body, &spec.scope())? {
            all.forces.push(Named { name: format!("{name}.forces"), item: ForceKind::Coordinates(forces) });
        }
    }
    Ok(Cow::Owned(all))
}
