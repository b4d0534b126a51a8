//! Expands beams into bodies and forces, so that all other elements can refer to their nodes.

use crate::beams::BeamParts;
use crate::common::Named;
use crate::error::{BuildError, check_body_name, check_unique_names, element_error};
use crate::spec::Spec;
use std::borrow::Cow;

/// The same mechanism with the beam nodes among the bodies and the beam elements among the forces.
pub(super) fn expand(spec: Cow<'_, Spec>) -> Result<Cow<'_, Spec>, BuildError> {
    if spec.beams.is_empty() {
        return Ok(spec);
    }
    check_unique_names("beams", spec.beams.iter().map(|b| b.name.as_str()))?;
    let mut all = spec.into_owned();
    for Named { name, item } in std::mem::take(&mut all.beams) {
        check_body_name(&name)?;
        let BeamParts { nodes, elements, coupled_body: whole } =
            item.parts(&name).map_err(|fault| element_error("beam", &name, fault))?;
        all.bodies.extend(nodes);
        all.bodies.extend(whole.map(|item| Named { name, item }));
        all.forces.extend(elements);
    }
    Ok(Cow::Owned(all))
}
