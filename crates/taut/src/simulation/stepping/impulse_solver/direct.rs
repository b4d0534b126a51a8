//! The direct solution of an island, for contacts on which the sweeps converge slowly.

use super::*;

impl ImpulseSolver {
    pub(super) fn solve_directly(
        &mut self,
        level: SolveLevel,
        kind: IslandKind,
        eq: &Equations,
        blocks: &LawBlocks,
        taking: &[usize],
        rows: usize,
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
                self.y.fill(0.0);
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
        let Ok(answer) = dense::solve(&G, &c, &laws, Some(&start)) else {
            return report.add(0, f64::NAN, taking[0]);
        };
        let worst = match answer.outcome {
            crate::complementarity::SolverOutcome::Stalled { block, .. } => taking[block],
            crate::complementarity::SolverOutcome::Converged { .. } => taking[0],
        };
        report.add(answer.sweeps, answer.outcome.residual(), worst);
        self.y.fill(0.0);
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
        v.iter_mut().zip(&self.x).for_each(|(v, x)| *v += x);
        if kind == IslandKind::Jointed {
            P.iter_mut().zip(&self.joints).for_each(|(P, x)| *P += x);
        }
    }
}
