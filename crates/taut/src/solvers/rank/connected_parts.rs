//! Splits a model into connected parts that share no constraint; each is analysed separately.

use super::elimination::{RowElimination, SparseRow};
use super::{MAX_PART_SIZE, inverse_mass_roots};
use crate::equations::Equations;
use crate::mathematics::magnitude::max_abs;
use crate::mathematics::union_find::UnionFind;
use crate::model::Model;
use crate::state::ConstraintMode;
use nalgebra::{DMatrix, DVector};

/// Bodies connected by constraints, not counting the ground.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectedPart {
    /// Bodies, by index.
    pub bodies: Vec<usize>,
    /// Active constraints, by index.
    pub constraints: Vec<usize>,
    /// Their rows, by index.
    pub rows: Vec<usize>,
    /// Velocities, by index.
    pub velocities: Vec<usize>,
}

/// The connected parts of a model, in the order of their first bodies.
pub(crate) fn connected_parts(model: &Model, modes: &[ConstraintMode]) -> Vec<ConnectedPart> {
    let mut sets = UnionFind::new(model.bodies.len());
    let active = || model.constraints.iter().enumerate().filter(|(i, _)| modes[*i] != ConstraintMode::Idle);
    for (_, c) in active() {
        for pair in c.blocks.windows(2) {
            sets.unite(pair[0].body, pair[1].body);
        }
    }
    let mut parts: Vec<ConnectedPart> = Vec::new();
    let mut part_of = vec![usize::MAX; model.bodies.len()];
    for b in 0..model.bodies.len() {
        let first = sets.root(b);
        if first == b {
            part_of[b] = parts.len();
            parts.push(ConnectedPart::default());
        }
        let part = &mut parts[part_of[first]];
        part.bodies.push(b);
        part.velocities.extend(model.bodies[b].v.clone());
    }
    for (i, c) in active() {
        if let Some(block) = c.blocks.first() {
            let part = &mut parts[part_of[sets.root(block.body)]];
            let held = modes[i].active_rows(&c.law);
            part.rows.extend(c.rows.clone().enumerate().filter(|(k, _)| held.contains(*k)).map(|(_, row)| row));
            part.constraints.push(i);
        }
    }
    parts
}

impl ConnectedPart {
    /// Modes in which only the constraints of this part are active.
    pub fn modes_of_part(&self, modes: &[ConstraintMode]) -> Vec<ConstraintMode> {
        let mut alone = vec![ConstraintMode::Idle; modes.len()];
        self.constraints.iter().for_each(|c| alone[*c] = modes[*c]);
        alone
    }

    /// Largest entry among its rows.
    pub fn largest(&self, x: &[f64]) -> f64 {
        max_abs(self.rows.iter().map(|r| x[*r]))
    }
}

/// Rows of A in the norm of M⁻¹, each of unit length: neither units nor masses influence what counts as dependent.
pub(crate) struct ScaledJacobian<'a> {
    pub model: &'a Model,
    eq: &'a Equations,
    inverse: Vec<DMatrix<f64>>,
    /// 1/length of each row; 1 where it vanishes.
    pub scale: Vec<f64>,
    vanishing: Vec<bool>,
}

impl<'a> ScaledJacobian<'a> {
    /// For assembled equations.
    pub fn new(model: &'a Model, eq: &'a Equations) -> ScaledJacobian<'a> {
        let mut scaled = ScaledJacobian {
            model,
            eq,
            inverse: inverse_mass_roots(model, eq),
            scale: Vec::new(),
            vanishing: Vec::new(),
        };
        let norm = |r: usize| scaled.row(r, 0).iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
        let length: Vec<f64> = (0..model.rows.len()).map(norm).collect();
        let longest = length.iter().fold(0.0, |a: f64, x| a.max(*x));
        scaled.vanishing = length.iter().map(|l| *l <= 1e-12 * longest).collect();
        let one = |(l, vanishes): (&f64, &bool)| if *vanishes { 1.0 } else { 1.0 / l };
        scaled.scale = length.iter().zip(&scaled.vanishing).map(one).collect();
        scaled
    }

    /// Row `r` of A L⁻ᵀ, unscaled; columns counted from `first`.
    fn row(&self, r: usize, first: usize) -> SparseRow {
        let c = self.model.constraint_of_row(r);
        let mut row = SparseRow::new();
        for block in &c.blocks {
            let v = &self.model.bodies[block.body].v;
            let start = block.start + (r - c.rows.start) * v.len();
            let a = &self.inverse[block.body] * DVector::from_column_slice(&self.eq.A[start..start + v.len()]);
            row.extend(v.clone().map(|k| k - first).zip(a.iter().copied()).filter(|(_, x)| *x != 0.0));
        }
        row.sort_by_key(|(k, _)| *k);
        row
    }

    /// The rows of a part; columns are those of `part.velocities`.
    pub fn rows(&self, part: &ConnectedPart) -> Vec<SparseRow> {
        let column = |k: usize| part.velocities.binary_search(&k).unwrap_or(0);
        let one = |r: usize| -> SparseRow {
            if self.vanishing[r] {
                return SparseRow::new();
            }
            self.row(r, 0).into_iter().map(|(k, x)| (column(k), x * self.scale[r])).collect()
        };
        part.rows.iter().map(|r| one(*r)).collect()
    }

    /// Eliminates the rows of a part; none if they are too many.
    pub(crate) fn eliminate(&self, part: &ConnectedPart, threshold: f64, deferred: &[usize]) -> Option<RowElimination> {
        if part.rows.len().max(part.velocities.len()) > MAX_PART_SIZE {
            return None;
        }
        RowElimination::new(&self.rows(part), part.velocities.len(), threshold, deferred)
    }

    /// v = L⁻ᵀ w: velocities of a part from mass-normalised ones.
    pub fn velocities(&self, part: &ConnectedPart, w: &[f64]) -> Vec<f64> {
        let mut v = Vec::with_capacity(w.len());
        for &b in &part.bodies {
            let n = self.model.bodies[b].v.len();
            let own = DVector::from_column_slice(&w[v.len()..v.len() + n]);
            v.extend(self.inverse[b].tr_mul(&own).iter());
        }
        v
    }
}
