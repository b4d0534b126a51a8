//! Beams as tubes through their nodes, with a section of the same ratio I/A.

use super::RunScene;
use crate::scene::{BeamFigure, SectionOutline};
use taut::Beam;
use taut::beams::Section;
use taut::bodies::{BodyKind, Flexibility, Modal};
use taut::forces::Coefficients;

/// Smallest and largest ratio of section to length that is drawn; others are drawn thicker or thinner.
const SLENDERNESS_BOUNDS: [f64; 2] = [1.0 / 400.0, 0.25];

/// Beams, and modal bodies made of beams.
pub(super) fn beams(stage: &RunScene) -> Vec<BeamFigure> {
    let mut found = Vec::new();
    let beams = stage.file.spec.beams.iter().map(|b| (&b.name, &b.item));
    let modal = stage.model.bodies.iter().filter_map(|b| match &b.kind {
        BodyKind::Modal(Modal { flexibility: Flexibility::Beam(reduced), .. }) => Some((&b.name, &reduced.beam)),
        _ => None,
    });
    for (name, beam) in beams.chain(modal) {
        let nodes: Vec<usize> =
            (0..beam.node_count()).filter_map(|k| stage.graph.figure(&Beam::node_name(name, k))).collect();
        if nodes.len() < 2 {
            continue;
        }
        let q = vec![[1.0, 0.0, 0.0, 0.0]; nodes.len()];
        let section = section_outline(&beam.section, length(stage, &nodes));
        found.push(BeamFigure { name: name.clone(), nodes, q, section });
    }
    found
}

/// Length along the nodes as given in the model.
fn length(stage: &RunScene, nodes: &[usize]) -> f64 {
    let poses = stage.graph.start_poses(&stage.model);
    let apart = |a: usize, b: usize| (0..3).map(|i| (poses[a].0[i] - poses[b].0[i]).powi(2)).sum::<f64>().sqrt();
    nodes.windows(2).map(|w| apart(w[0], w[1])).sum()
}

/// The circle or rectangle with the same I/A. If both bending stiffnesses are equal, the ratio of torsional to shear
/// stiffness distinguishes a circle (2.2 to 2.3 times I/A) from a square (2.0).
fn section_outline(section: &Section, length: f64) -> SectionOutline {
    let diagonal = match &section.stiffness {
        Coefficients::Diagonal(d) => *d,
        Coefficients::Full(rows) => std::array::from_fn(|i| rows[i][i]),
    };
    let [EA, GA, _, GJ, EI_y, EI_z] = diagonal;
    let [least, most] = SLENDERNESS_BOUNDS.map(|s| s * length);
    let side = |EI: f64| {
        let side = (12.0 * EI / EA).sqrt();
        if side.is_finite() { side.clamp(least, most) } else { least }
    };
    let round = GJ / GA > 2.1 * EI_y / EA;
    if (EI_y - EI_z).abs() < 1e-6 * EI_y && round {
        let radius = 2.0 * (EI_y / EA).sqrt();
        return SectionOutline::Circle { radius: radius.clamp(0.5 * least, 0.5 * most) };
    }
    SectionOutline::Rectangle { width: side(EI_z), height: side(EI_y) }
}
