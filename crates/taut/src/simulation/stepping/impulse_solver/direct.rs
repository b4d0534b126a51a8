//! The direct solution of an island, for contacts on which the sweeps converge slowly.

use super::*;
use crate::complementarity::dense::SolverEffort;

/// Residual at which the direct solution of a step ends, relative to the tolerance of the sweeps.
const SHARE_OF_TOLERANCE: f64 = 1e-3;

impl ImpulseSolver {
    pub(super) fn solve_directly(
        &mut self,
        level: SolveLevel,
        kind: IslandKind,
        eq: &Equations,
        blocks: &LawBlocks,
        taking: &[usize],
        rows: usize,
        tolerance: f64,
        response: &mut ImpulseResponse,
        v: &mut [f64],
        p: &mut [f64],
        P: &mut [f64],
        report: &mut SolveReport,
    ) {
        let (mut G, mut c, mut start) = (DMatrix::zeros(rows, rows), DVector::zeros(rows), DVector::zeros(rows));
        let laws: Vec<ComplementarityLaw> = taking.iter().filter_map(|b| level.law(&blocks.list[*b])).collect();
        let mut column = 0;
        for (&b, law) in taking.iter().zip(&laws) {
            if interruption::is_requested() {
                return;
            }
            let block = &blocks.list[b];
            for i in 0..law.rows() {
                c[column] = blocks.times(eq, block, i, v) + level.offset(blocks, block, i);
                start[column] = p[first_impulse(level, block, b) + i];
                self.clear_vectors(kind, eq, blocks, taking);
                blocks.add(eq, block, i, 1.0, &mut self.y);
                self.apply_response(kind, eq, blocks, &[b], response);
                let mut row = 0;
                for (&other, law) in taking.iter().zip(&laws) {
                    for j in 0..law.rows() {
                        G[(row, column)] = blocks.times(eq, &blocks.list[other], j, &self.x);
                        row += 1;
                    }
                }
                column += 1;
            }
        }
        // Symmetric up to round-off.
        let G = (&G + G.transpose()) * 0.5;
        let effort = SolverEffort::OneStep { tolerance: dense::TOLERANCE.max(SHARE_OF_TOLERANCE * tolerance) };
        let Ok(answer) = dense::solve_with(&G, &c, &laws, Some(&start), effort) else {
            return report.add(0, f64::NAN, taking[0]);
        };
        let worst = match answer.outcome {
            crate::complementarity::SolverOutcome::Stalled { block, .. } => taking[block],
            crate::complementarity::SolverOutcome::Converged { .. } => taking[0],
        };
        report.add(answer.sweeps, answer.outcome.residual(), worst);
        self.clear_vectors(kind, eq, blocks, taking);
        let mut row = 0;
        for (&b, law) in taking.iter().zip(&laws) {
            let block = &blocks.list[b];
            let at = first_impulse(level, block, b);
            for i in 0..law.rows() {
                p[at + i] = answer.p[row];
                blocks.add(eq, block, i, answer.p[row], &mut self.y);
                row += 1;
            }
        }
        self.apply_response(kind, eq, blocks, taking, response);
        match kind {
            IslandKind::Jointed => {
                v.iter_mut().zip(&self.x).for_each(|(v, x)| *v += x);
                P.iter_mut().zip(&self.joints).for_each(|(P, x)| *P += x);
            }
            // Each body once: its part of x is used up.
            IslandKind::Free => {
                for tie in taking.iter().flat_map(|b| &blocks.bodies[blocks.list[*b].bodies.clone()]) {
                    let own = eq.layout.bodies[tie.body].v.clone();
                    v[own.clone()].iter_mut().zip(&mut self.x[own]).for_each(|(v, x)| *v += std::mem::take(x));
                }
            }
        }
    }

    /// Sets y and x to zero: of the bodies of these blocks if nothing else moves, so that the cost does not grow with the model.
    fn clear_vectors(&mut self, kind: IslandKind, eq: &Equations, blocks: &LawBlocks, taking: &[usize]) {
        match kind {
            IslandKind::Jointed => self.y.fill(0.0),
            IslandKind::Free => {
                for tie in taking.iter().flat_map(|b| &blocks.bodies[blocks.list[*b].bodies.clone()]) {
                    let own = eq.layout.bodies[tie.body].v.clone();
                    self.y[own.clone()].fill(0.0);
                    self.x[own].fill(0.0);
                }
            }
        }
    }
}
