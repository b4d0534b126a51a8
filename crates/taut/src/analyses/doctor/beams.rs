//! Beams in the report: one free motion for all nodes that only elements hold.

use super::{FreeMotion, LeadingCoordinate};
use crate::forces::ForceKind;
use crate::model::Model;
use std::collections::BTreeMap;

/// The beam of every body that is a node; elements are named `arm.e3`.
fn beams_of_nodes(model: &Model) -> BTreeMap<&str, &str> {
    let mut found = BTreeMap::new();
    for f in model.forces.iter().filter(|f| matches!(f.kind, ForceKind::Beam(_))) {
        let Some((beam, _)) = f.name.rsplit_once(".e") else { continue };
        for body in f.markers.iter().filter_map(|m| model.markers[*m].body) {
            found.insert(model.bodies[body].name.as_str(), beam);
        }
    }
    found
}

/// Free motions with one line per beam instead of one per node.
pub(super) fn join_nodes(model: &Model, motions: Vec<FreeMotion>) -> Vec<FreeMotion> {
    let beams = beams_of_nodes(model);
    let mut joined: Vec<FreeMotion> = Vec::new();
    // Place in the list, and nodes so far.
    let mut of_beam: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for motion in motions {
        let beam = match &motion.lead {
            LeadingCoordinate::Body { body } => beams.get(body.as_str()),
            _ => None,
        };
        let Some(beam) = beam.copied() else {
            joined.push(motion);
            continue;
        };
        let (at, nodes) = of_beam.entry(beam).or_insert((joined.len(), 0));
        *nodes += 1;
        if *at == joined.len() {
            joined.push(FreeMotion {
                lead: LeadingCoordinate::Body { body: beam.to_string() },
                freedoms: 0,
                ..motion.clone()
            });
        }
        let line = &mut joined[*at];
        line.freedoms += motion.freedoms;
        let which = if *nodes == 1 { "one node".to_string() } else { format!("{nodes} nodes") };
        line.words = format!("`{beam}` deforms: only its elements hold {which}, in {} directions", line.freedoms);
    }
    joined
}
