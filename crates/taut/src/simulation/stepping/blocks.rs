//! Rows with a law, collected for one step: contacts of surfaces, gaps and friction of constraints.
//!
//! ```text
//!  u = J v + rate,      (p, u + shift) obeys the law of the block
//! ```

use crate::complementarity::Law;
use crate::equations::Equations;
use std::ops::Range;

/// Where a block comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A touch of two surfaces, by its index.
    Touch(usize),
    /// Rows of a constraint of the model, by its index, from this one of its rows on.
    Constraint(usize, usize),
}

/// What a block does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A gap that may have a normal force in this step.
    Presses,
    /// An open gap, checked only for penetration.
    Watched,
    /// Friction without a gap.
    Grips,
}

/// Rows of one body under a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tie {
    pub body: usize,
    /// Where its values start, row by row.
    pub start: usize,
}

/// One block of rows.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub law: Law,
    pub role: Role,
    pub rows: Range<usize>,
    pub ties: Range<usize>,
    /// The gap at the start of the step.
    pub gap: f64,
    /// Permitted penetration.
    pub slack: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Fraction of the step after which the gap closes in an impact without rebound.
    pub landing: Option<f64>,
    pub source: Source,
}

/// All blocks of a step in flat arrays.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub list: Vec<Block>,
    pub ties: Vec<Tie>,
    pub J: Vec<f64>,
    /// The rate without J v.
    pub rate: Vec<f64>,
    /// Offset of the rate in the law.
    pub shift: Vec<f64>,
    /// Rates before the step.
    pub before: Vec<f64>,
    /// Impulses: the start of the solution, then the solution.
    pub p: Vec<f64>,
}

impl Blocks {
    pub fn clear(&mut self) {
        self.list.clear();
        self.ties.clear();
        for x in [&mut self.J, &mut self.rate, &mut self.shift, &mut self.before, &mut self.p] {
            x.clear();
        }
    }

    /// Adds a block with zero rows; its bodies follow.
    pub fn open(&mut self, law: Law, role: Role, source: Source) -> &mut Block {
        let (row, n) = (self.p.len(), law.rows());
        for x in [&mut self.rate, &mut self.shift, &mut self.before, &mut self.p] {
            x.resize(row + n, 0.0);
        }
        let ties = self.ties.len()..self.ties.len();
        let (gap, slack, restitution, landing) = (0.0, 0.0, 0.0, None);
        self.list.push(Block { law, role, rows: row..row + n, ties, gap, slack, restitution, landing, source });
        self.list.last_mut().expect("a block was just pushed")
    }

    /// Connects the last block to a body with `width` velocities. Returns the storage of its rows.
    pub fn tie(&mut self, body: usize, width: usize) -> &mut [f64] {
        let start = self.J.len();
        let Some(block) = self.list.last_mut() else { return &mut [] };
        self.ties.push(Tie { body, start });
        block.ties.end = self.ties.len();
        self.J.resize(start + block.rows.len() * width, 0.0);
        &mut self.J[start..]
    }

    /// Row `i` of a block times x.
    #[inline]
    pub fn times(&self, eq: &Equations, block: &Block, i: usize, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for tie in &self.ties[block.ties.clone()] {
            let x = &x[eq.layout.bodies[tie.body].v.clone()];
            let row = &self.J[tie.start + i * x.len()..tie.start + (i + 1) * x.len()];
            sum += row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
        }
        sum
    }

    /// out += k times row `i` of a block.
    #[inline]
    pub fn add(&self, eq: &Equations, block: &Block, i: usize, k: f64, out: &mut [f64]) {
        for tie in &self.ties[block.ties.clone()] {
            let out = &mut out[eq.layout.bodies[tie.body].v.clone()];
            let row = &self.J[tie.start + i * out.len()..tie.start + (i + 1) * out.len()];
            out.iter_mut().zip(row).for_each(|(out, a)| *out += k * a);
        }
    }

    /// The rates of all rows, before the step.
    pub fn note_rates(&mut self, eq: &Equations, v: &[f64]) {
        let mut before = std::mem::take(&mut self.before);
        for block in &self.list {
            for (i, row) in block.rows.clone().enumerate() {
                before[row] = self.times(eq, block, i, v) + self.rate[row];
            }
        }
        self.before = before;
    }

    /// Whether a block rebounds.
    pub fn rebounds(&self, index: usize) -> bool {
        let block = &self.list[index];
        block.role == Role::Presses && self.shift[block.rows.start] < 0.0
    }

    /// Whether the step has an impact.
    pub fn any_impact(&self) -> bool {
        let struck = |b: &usize| self.p[self.list[*b].rows.start] > 0.0;
        let fast = |b: &usize| self.list[*b].landing.is_some() || self.rebounds(*b);
        (0..self.list.len()).filter(|b| self.list[*b].role == Role::Presses).filter(fast).any(|b| struck(&b))
    }

    /// Work of moving stops and driven friction: their rates without J v, times the impulses.
    pub fn driven(&self) -> f64 {
        let taking = self.list.iter().filter(|b| b.role != Role::Watched);
        taking.flat_map(|b| b.rows.clone()).map(|row| -self.p[row] * self.rate[row]).sum()
    }

    /// Work of the impulses of a block between the velocities before the step and those after it, p·(u⁻ + u⁺)/2, of gaps
    /// and of friction, and the sum of the magnitudes of its parts.
    pub fn work_of(&self, eq: &Equations, block: &Block, v: &[f64]) -> ([f64; 2], f64) {
        let (mut work, mut parts) = ([0.0; 2], 0.0);
        if block.role == Role::Watched {
            return (work, parts);
        }
        for (i, row) in block.rows.clone().enumerate().filter(|(_, row)| self.p[*row] != 0.0) {
            let after = self.times(eq, block, i, v) + self.rate[row];
            let rubs = i > 0 || block.role == Role::Grips;
            work[usize::from(rubs)] += 0.5 * self.p[row] * (self.before[row] + after);
            parts += 0.5 * self.p[row].abs() * (self.before[row].abs() + after.abs());
        }
        (work, parts)
    }

    /// The same of all blocks.
    pub fn work(&self, eq: &Equations, v: &[f64]) -> [f64; 2] {
        let of = self.list.iter().map(|block| self.work_of(eq, block, v).0);
        of.fold([0.0; 2], |sum, work| [sum[0] + work[0], sum[1] + work[1]])
    }
}
