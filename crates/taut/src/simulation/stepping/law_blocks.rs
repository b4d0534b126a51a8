//! Rows with a law, collected for one step: contacts of surfaces, gaps and friction of constraints.
//!
//! ```text
//!  u = J v + rate,      (p, u + shift) obeys the law of the block
//! ```

use crate::complementarity::ComplementarityLaw;
use crate::equations::Equations;
use crate::motion::Vec3;
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
    pub rows: BodyRows,
}

/// How the rows of a body are stored.
#[derive(Clone, Copy, Debug)]
pub(super) enum BodyRows {
    /// Row by row in [`LawBlocks::J`], from this index on.
    Jacobian(usize),
    /// Rows of a contact of a rigid body with v = (velocity of the reference point, angular velocity): s (e, r × e) for the normal and the two
    /// tangents, then s (0, e) for torques about them.
    Contact {
        /// Index in [`LawBlocks::axes`].
        axes: usize,
        /// s: −1 for the first surface, 1 for the second.
        sense: f64,
        /// r: from the reference point of the body to the contact.
        arm: Vec3,
    },
}

impl BodyRows {
    /// Writes the first `count` rows, each with `width` entries.
    pub fn write(&self, blocks: &LawBlocks, count: usize, width: usize, out: &mut [f64]) {
        match *self {
            BodyRows::Jacobian(start) => out.copy_from_slice(&blocks.J[start..start + count * width]),
            BodyRows::Contact { axes, sense, arm } => {
                for (i, row) in out.chunks_exact_mut(6).enumerate().take(count) {
                    let (force, turn) = contact_row(&blocks.axes[axes], sense, &arm, i);
                    row[..3].copy_from_slice(force.as_slice());
                    row[3..].copy_from_slice(turn.as_slice());
                }
            }
        }
    }

    /// Row `i` times the velocities of its body.
    #[inline]
    pub fn times(&self, blocks: &LawBlocks, i: usize, x: &[f64]) -> f64 {
        match *self {
            BodyRows::Contact { axes, sense, arm } => {
                let (e, w) = (blocks.axes[axes][i % 3] * sense, Vec3::new(x[3], x[4], x[5]));
                if i < 3 { e.dot(&(Vec3::new(x[0], x[1], x[2]) + w.cross(&arm))) } else { e.dot(&w) }
            }
            BodyRows::Jacobian(start) => {
                let row = &blocks.J[start + i * x.len()..start + (i + 1) * x.len()];
                row.iter().zip(x).map(|(a, x)| a * x).sum()
            }
        }
    }

    /// out += k times row `i`.
    #[inline]
    fn add(&self, blocks: &LawBlocks, i: usize, k: f64, out: &mut [f64]) {
        match *self {
            BodyRows::Contact { axes, sense, arm } => {
                let (force, turn) = contact_row(&blocks.axes[axes], k * sense, &arm, i);
                out.iter_mut().zip(force.iter().chain(&turn)).for_each(|(out, x)| *out += x);
            }
            BodyRows::Jacobian(start) => {
                let row = &blocks.J[start + i * out.len()..start + (i + 1) * out.len()];
                out.iter_mut().zip(row).for_each(|(out, a)| *out += k * a);
            }
        }
    }
}

/// Row `i` of a contact of a rigid body, times s.
#[inline]
fn contact_row(axes: &[Vec3; 3], s: f64, arm: &Vec3, i: usize) -> (Vec3, Vec3) {
    let e = axes[i % 3] * s;
    if i < 3 { (e, arm.cross(&e)) } else { (Vec3::zeros(), e) }
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
    /// Normal and tangents of contacts of rigid bodies.
    pub axes: Vec<[Vec3; 3]>,
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
        self.axes.clear();
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
        self.bodies.push(BlockBody { body, rows: BodyRows::Jacobian(start) });
        block.bodies.end = self.bodies.len();
        self.J.resize(start + block.rows.len() * width, 0.0);
        &mut self.J[start..]
    }

    /// Connects the last block to a rigid body by the geometry of a contact with the last axes.
    pub fn add_rigid_body(&mut self, body: usize, sense: f64, arm: Vec3) {
        let Some(block) = self.list.last_mut() else { return };
        self.bodies.push(BlockBody { body, rows: BodyRows::Contact { axes: self.axes.len() - 1, sense, arm } });
        block.bodies.end = self.bodies.len();
    }

    /// Row `i` of a block times x.
    #[inline]
    pub fn times(&self, eq: &Equations, block: &LawBlock, i: usize, x: &[f64]) -> f64 {
        let ties = self.bodies[block.bodies.clone()].iter();
        ties.map(|tie| tie.rows.times(self, i, &x[eq.layout.bodies[tie.body].v.clone()])).sum()
    }

    /// All rows of a block times x. Rows of one contact share the relative velocity of its points.
    #[inline]
    pub fn times_all(&self, eq: &Equations, block: &LawBlock, x: &[f64]) -> [f64; 6] {
        let (mut out, mut contact) = ([0.0; 6], None);
        let count = block.rows.len();
        for tie in &self.bodies[block.bodies.clone()] {
            let x = &x[eq.layout.bodies[tie.body].v.clone()];
            match tie.rows {
                BodyRows::Contact { axes, sense, arm } => {
                    let (slip, turn, _) = contact.get_or_insert((Vec3::zeros(), Vec3::zeros(), axes));
                    let w = Vec3::new(x[3], x[4], x[5]);
                    *slip += (Vec3::new(x[0], x[1], x[2]) + w.cross(&arm)) * sense;
                    *turn += w * sense;
                }
                BodyRows::Jacobian(_) => {
                    (0..count).for_each(|i| out[i] += tie.rows.times(self, i, x));
                }
            }
        }
        if let Some((slip, turn, axes)) = contact {
            let axes = &self.axes[axes];
            (0..count).for_each(|i| out[i] += axes[i % 3].dot(if i < 3 { &slip } else { &turn }));
        }
        out
    }

    /// out += k times row `i` of a block.
    #[inline]
    pub fn add(&self, eq: &Equations, block: &LawBlock, i: usize, k: f64, out: &mut [f64]) {
        for tie in &self.bodies[block.bodies.clone()] {
            tie.rows.add(self, i, k, &mut out[eq.layout.bodies[tie.body].v.clone()]);
        }
    }

    /// The rates of all rows, before the step.
    pub fn store_initial_rates(&mut self, eq: &Equations, v: &[f64]) {
        let mut before = std::mem::take(&mut self.initial_rate);
        for block in &self.list {
            let found = self.times_all(eq, block, v);
            for (row, found) in block.rows.clone().zip(found) {
                before[row] = found + self.rate[row];
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
        if self.p[block.rows.clone()].iter().all(|p| *p == 0.0) {
            return (work, parts);
        }
        let found = self.times_all(eq, block, v);
        for (i, row) in block.rows.clone().enumerate().filter(|(_, row)| self.p[*row] != 0.0) {
            let after = found[i] + self.rate[row];
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
