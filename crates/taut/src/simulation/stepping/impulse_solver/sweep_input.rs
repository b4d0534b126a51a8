//! Blocks as contacts of the sweeps: by their geometry if all bodies are rigid, otherwise by their rows.

use super::ImpulseSolver;
use crate::complementarity::sweep::ContactFrame;
use crate::complementarity::{ComplementarityError, ComplementarityLaw};
use crate::equations::Equations;
use crate::stepping::law_blocks::{BlockBody, BodyRows, LawBlocks};

impl ImpulseSolver {
    /// Adds a block of these bodies with the offset c and its first impulses.
    pub(super) fn add_to_sweep(
        &mut self,
        eq: &Equations,
        blocks: &LawBlocks,
        law: ComplementarityLaw,
        ties: &[BlockBody],
        c: &[f64],
        start: &[f64],
    ) -> Result<usize, ComplementarityError> {
        if let Some(frame) = contact_frame(blocks, ties, |tie| self.sweep_index[tie.body].0) {
            return self.sweep.add_rigid_contact(law, &frame, c, start);
        }
        let (m, width) = (law.rows(), |tie: &BlockBody| eq.layout.bodies[tie.body].v.len());
        self.rows.clear();
        for tie in ties {
            let (old, width) = (self.rows.len(), width(tie));
            self.rows.resize(old + m * width, 0.0);
            tie.rows.write(blocks, m, width, &mut self.rows[old..]);
        }
        let mut on: [(usize, &[f64]); 2] = [(0, &[]); 2];
        let mut rows = self.rows.as_slice();
        for (on, tie) in on.iter_mut().zip(ties) {
            let (own, others) = rows.split_at(m * width(tie));
            (*on, rows) = ((self.sweep_index[tie.body].0, own), others);
        }
        self.sweep.add_contact(law, &on[..ties.len()], c, start)
    }
}

/// The geometry of a block, if all its bodies are rigid.
fn contact_frame(blocks: &LawBlocks, ties: &[BlockBody], index: impl Fn(&BlockBody) -> usize) -> Option<ContactFrame> {
    let mut frame = None;
    for tie in ties {
        let BodyRows::Contact { axes, sense, arm } = tie.rows else { return None };
        let frame = frame.get_or_insert(ContactFrame {
            axes: blocks.axes[axes].map(Into::into),
            bodies: [None; 2],
            arms: [[0.0; 3]; 2],
        });
        let side = usize::from(sense > 0.0);
        (frame.bodies[side], frame.arms[side]) = (Some(index(tie)), arm.into());
    }
    frame
}
