//! Rows with a law, collected for one step: contacts of surfaces, gaps and friction of constraints.
//!
//! ```text
//!  u = J v + rate,      (p, u + shift) obeys the law of the block
//! ```

use crate::complementarity::ComplementarityLaw;
use crate::equations::Equations;
use std::ops::Range;

/// Where a block comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LawBlockSource {
    /// A touch of two surfaces, by its index.
    Touch(usize),
    /// Rows of a constraint of the model, by its index, from this one of its rows on.
    Constraint(usize, usize),
}

/// What a block does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockRole {
    /// A gap that may have a normal force in this step.
    Active,
    /// An open gap, checked only for penetration.
    Inactive,
    /// Friction without a gap.
    Friction,
}

/// Rows of one body under a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockBody {
    pub body: usize,
    /// Where its values start, row by row.
    pub start: usize,
}

/// One block of rows.
#[derive(Clone, Debug)]
pub(super) struct LawBlock {
    pub law: ComplementarityLaw,
    pub role: BlockRole,
    pub rows: Range<usize>,
    pub bodies: Range<usize>,
    /// The gap at the start of the step.
    pub gap: f64,
    /// Permitted penetration.
    pub slack: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Fraction of the step after which the gap closes in an impact without rebound.
    pub landing_fraction: Option<f64>,
    pub source: LawBlockSource,
}

/// All blocks of a step in flat arrays.
#[derive(Clone, Debug, Default)]
pub(super) struct LawBlocks {
    pub list: Vec<LawBlock>,
    pub bodies: Vec<BlockBody>,
    pub J: Vec<f64>,
    /// The rate without J v.
    pub rate: Vec<f64>,
    /// Offset of the rate in the law.
    pub rate_offset: Vec<f64>,
    /// Rates before the step.
    pub initial_rate: Vec<f64>,
    /// Impulses: the start of the solution, then the solution.
    pub p: Vec<f64>,
}

impl LawBlocks {
    pub fn clear(&mut self) {
        self.list.clear();
        self.bodies.clear();
        for x in [&mut self.J, &mut self.rate, &mut self.rate_offset, &mut self.initial_rate, &mut self.p] {
            x.clear();
        }
    }

    /// Adds a block with zero rows; its bodies follow.
    pub fn add_block(&mut self, law: ComplementarityLaw, role: BlockRole, source: LawBlockSource) -> &mut LawBlock {
        let (row, n) = (self.p.len(), law.rows());
        for x in [&mut self.rate, &mut self.rate_offset, &mut self.initial_rate, &mut self.p] {
            x.resize(row + n, 0.0);
        }
        let ties = self.bodies.len()..self.bodies.len();
        let (gap, slack, restitution, landing) = (0.0, 0.0, 0.0, None);
        self.list.push(LawBlock {
            law,
            role,
            rows: row..row + n,
            bodies: ties,
            gap,
            slack,
            restitution,
            landing_fraction: landing,
            source,
        });
        self.list.last_mut().expect("a block was just pushed")
    }

    /// Connects the last block to a body with `width` velocities. Returns the storage of its rows.
    pub fn add_body(&mut self, body: usize, width: usize) -> &mut [f64] {
        let start = self.J.len();
        let Some(block) = self.list.last_mut() else { return &mut [] };
        self.bodies.push(BlockBody { body, start });
        block.bodies.end = self.bodies.len();
        self.J.resize(start + block.rows.len() * width, 0.0);
        &mut self.J[start..]
    }

    /// Row `i` of a block times x.
    #[inline]
    pub fn times(&self, eq: &Equations, block: &LawBlock, i: usize, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for tie in &self.bodies[block.bodies.clone()] {
            let x = &x[eq.layout.bodies[tie.body].v.clone()];
            let row = &self.J[tie.start + i * x.len()..tie.start + (i + 1) * x.len()];
            sum += row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
        }
        sum
    }

    /// out += k times row `i` of a block.
    #[inline]
    pub fn add(&self, eq: &Equations, block: &LawBlock, i: usize, k: f64, out: &mut [f64]) {
        for tie in &self.bodies[block.bodies.clone()] {
            let out = &mut out[eq.layout.bodies[tie.body].v.clone()];
            let row = &self.J[tie.start + i * out.len()..tie.start + (i + 1) * out.len()];
            out.iter_mut().zip(row).for_each(|(out, a)| *out += k * a);
        }
    }

    /// The rates of all rows, before the step.
    pub fn store_initial_rates(&mut self, eq: &Equations, v: &[f64]) {
        let mut before = std::mem::take(&mut self.initial_rate);
        for block in &self.list {
            for (i, row) in block.rows.clone().enumerate() {
                before[row] = self.times(eq, block, i, v) + self.rate[row];
            }
        }
        self.initial_rate = before;
    }

    /// Whether a block rebounds.
    pub fn rebounds(&self, index: usize) -> bool {
        let block = &self.list[index];
        block.role == BlockRole::Active && self.rate_offset[block.rows.start] < 0.0
    }

    /// Whether the step has an impact.
    pub fn any_impact(&self) -> bool {
        let struck = |b: &usize| self.p[self.list[*b].rows.start] > 0.0;
        let fast = |b: &usize| self.list[*b].landing_fraction.is_some() || self.rebounds(*b);
        (0..self.list.len()).filter(|b| self.list[*b].role == BlockRole::Active).filter(fast).any(|b| struck(&b))
    }

    /// Work of moving stops and driven friction: their rates without J v, times the impulses.
    pub fn driver_work(&self) -> f64 {
        let taking = self.list.iter().filter(|b| b.role != BlockRole::Inactive);
        taking.flat_map(|b| b.rows.clone()).map(|row| -self.p[row] * self.rate[row]).sum()
    }

    /// Work of the impulses of a block between the velocities before the step and those after it, p·(u⁻ + u⁺)/2, of gaps
    /// and of friction, and the sum of the magnitudes of its parts.
    pub fn work_of(&self, eq: &Equations, block: &LawBlock, v: &[f64]) -> ([f64; 2], f64) {
        let (mut work, mut parts) = ([0.0; 2], 0.0);
        if block.role == BlockRole::Inactive {
            return (work, parts);
        }
        for (i, row) in block.rows.clone().enumerate().filter(|(_, row)| self.p[*row] != 0.0) {
            let after = self.times(eq, block, i, v) + self.rate[row];
            let rubs = i > 0 || block.role == BlockRole::Friction;
            work[usize::from(rubs)] += 0.5 * self.p[row] * (self.initial_rate[row] + after);
            parts += 0.5 * self.p[row].abs() * (self.initial_rate[row].abs() + after.abs());
        }
        (work, parts)
    }

    /// The same of all blocks.
    pub fn work(&self, eq: &Equations, v: &[f64]) -> [f64; 2] {
        let of = self.list.iter().map(|block| self.work_of(eq, block, v).0);
        of.fold([0.0; 2], |sum, work| [sum[0] + work[0], sum[1] + work[1]])
    }
}
