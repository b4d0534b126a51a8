//! Stiffnesses by which constraints share load.

use crate::common::Named;
use crate::common::spelling::did_you_mean;
use crate::equations::is_frame;
use crate::error::{BuildError, ParameterError, element_error};
use crate::model::{Model, SharingStiffness};
use crate::spec::Spec;

/// Stiffnesses for load sharing, by constraint.
pub(super) fn sharing(spec: &Spec, model: &Model) -> Result<Vec<(usize, SharingStiffness)>, BuildError> {
    let mut found = Vec::new();
    for Named { name, item } in &spec.sharing {
        let wrong = |fault: ParameterError| element_error("constraint", name, fault);
        let unfit = |why: &str| wrong(ParameterError::invalid("share_stiffness", why.to_string()));
        item.check().map_err(wrong)?;
        let Some(c) = model.constraints.iter().position(|c| c.name == *name) else {
            let hint = did_you_mean(name, model.constraints.iter().map(|c| c.name.as_str()));
            return Err(unfit(&format!("there is no constraint `{name}`{hint}")));
        };
        let entry = &model.constraints[c];
        match item {
            SharingStiffness::Frame { .. } if entry.markers.len() != 2 || !is_frame(model, entry.markers[1]) => {
                return Err(unfit(
                    "six numbers need a joint between two frames; give one number for a constraint of one row",
                ));
            }
            SharingStiffness::Row { .. } if entry.rows.len() != 1 => {
                return Err(unfit("one number needs a constraint of one row; give six numbers for a joint"));
            }
            _ => found.push((c, item.clone())),
        }
    }
    Ok(found)
}
