//! Turns discs with their wings, and wings without a disc, into forces.

use crate::air::{AirLoad, Disc, NamedWing, Wing};
use crate::common::Named;
use crate::common::spelling::did_you_mean;
use crate::error::{BuildError, ParameterError, check_unique_names, element_error};
use crate::forces::ForceKind;
use crate::spec::Spec;
use std::borrow::Cow;

/// The same mechanism with air loads among the forces: one per disc, by its name, and one per wing without a disc.
pub(super) fn expand(spec: &Spec) -> Result<Cow<'_, Spec>, BuildError> {
    if spec.wings.is_empty() && spec.discs.is_empty() && spec.polars.is_empty() && spec.air.is_none() {
        return Ok(Cow::Borrowed(spec));
    }
    check_unique_names("polars", spec.polars.iter().map(|p| p.name.as_str()))?;
    check_unique_names("wings and discs", spec.wings.iter().map(|w| w.name.as_str()).chain(discs(spec)))?;
    if let Some(air) = &spec.air {
        air.check().map_err(|fault| element_error("air", "air", fault))?;
    }
    for Named { name, item } in &spec.polars {
        item.check().map_err(|fault| element_error("polar", name, fault))?;
    }
    let mut all = spec.clone();
    for Named { name, item: disc } in &spec.discs {
        disc.check().map_err(|fault| element_error("disc", name, fault))?;
        let own: Vec<&Named<Wing>> = spec.wings.iter().filter(|w| w.item.disc.as_ref() == Some(name)).collect();
        if own.is_empty() {
            let what = "no wing belongs to it; give `disc` in the wings of its blades";
            return Err(element_error("disc", name, ParameterError::invalid("at", what)));
        }
        all.forces.push(load(spec, name, Some(disc), &own)?);
    }
    for wing in &spec.wings {
        match &wing.item.disc {
            None => all.forces.push(load(spec, &wing.name, None, &[wing])?),
            Some(disc) if discs(spec).any(|known| known == disc) => {}
            Some(disc) => {
                let what = format!("there is no disc `{disc}`{}", did_you_mean(disc, discs(spec)));
                return Err(element_error("wing", &wing.name, ParameterError::invalid("disc", what)));
            }
        }
    }
    (all.wings, all.discs, all.polars, all.air) = Default::default();
    Ok(Cow::Owned(all))
}

fn discs(spec: &Spec) -> impl Iterator<Item = &str> {
    spec.discs.iter().map(|d| d.name.as_str())
}

fn load(spec: &Spec, name: &str, disc: Option<&Disc>, wings: &[&Named<Wing>]) -> Result<Named<ForceKind>, BuildError> {
    let Some(air) = &spec.air else {
        let what = "there is no air; add [air] with `density`";
        return Err(element_error("wing", &wings[0].name, ParameterError::invalid("polar", what)));
    };
    let mut carried: Vec<NamedWing> = Vec::with_capacity(wings.len());
    for wing in wings {
        let beam = match &wing.item.beam {
            None => None,
            Some(on) => Some(spec.beams.iter().find(|b| b.name == *on).ok_or_else(|| {
                let hint = did_you_mean(on, spec.beams.iter().map(|b| b.name.as_str()));
                let what = format!("there is no beam `{on}`{hint}");
                element_error("wing", &wing.name, ParameterError::invalid("beam", what))
            })?),
        };
        carried.push((&wing.name, &wing.item, beam.map(|b| &b.item)));
    }
    let item = AirLoad::new(air, disc.map(|d| (name, d)), &carried, &spec.polars)?.into();
    Ok(Named { name: name.to_string(), item })
}
