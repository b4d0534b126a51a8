//! Writes modal bodies with the keywords of the file.

use super::beams;
use serde_json::{Map, Value as Json, json};
use taut::bodies::{BeamSupport, Flexibility, Modal, ModalDamping, ModeSelection};

/// A modal body from its serialised fields, with the keywords of the file.
pub(super) fn modal(body: &Modal, mut found: Map<String, Json>) -> Map<String, Json> {
    found.remove("flexibility");
    found.remove("damping");
    found.retain(|_, v| *v != json!("aligned"));
    match &body.damping {
        ModalDamping::None => {}
        ModalDamping::Ratios(ratios) => drop(found.insert("damping".to_string(), json!(ratios))),
        ModalDamping::Matrix(rows) => drop(found.insert("damping_matrix".to_string(), json!(rows))),
    }
    let mut put = |name: &str, value: Json| drop(found.insert(name.to_string(), value));
    match &body.flexibility {
        Flexibility::Nodes(given) => {
            let plain = |node: &taut::bodies::ModalNode| {
                let mut node = json!(node);
                if let Json::Object(fields) = &mut node {
                    fields.retain(|_, v| *v != json!("aligned") && *v != json!([]));
                }
                node
            };
            put("nodes", given.nodes.iter().map(plain).collect());
            put("stiffness", json!(given.stiffness));
        }
        Flexibility::Beam(reduced) => {
            put("beam", Json::Object(beams::beam(&reduced.beam)));
            match &reduced.held {
                BeamSupport::Interface(nodes) => put("interface_nodes", json!(nodes)),
                word => put("boundary_conditions", json!(word)),
            }
            match &reduced.modes {
                ModeSelection::First(count) => put("modes", json!(count)),
                ModeSelection::Only(list) => put("selected_modes", json!(list)),
            }
            let added = |a: &taut::bodies::AddedMass| match a.inertia {
                [0.0, 0.0, 0.0] => json!([a.node, a.mass]),
                [xx, yy, zz] => json!([a.node, a.mass, xx, yy, zz]),
            };
            put("added_masses", reduced.added.iter().map(added).collect());
            put("marker_nodes", json!(reduced.shown));
        }
    }
    found
}
