//! The matrix shared by implicit steps, equilibria and linear analyses.
//!
//! ```text
//!  [ body by body      −Bᵀ   ∂r/∂z ]      velocities
//!  [ rows by body       E      0   ]      rows
//!  [ states by body     0    by z  ]      extra states
//! ```
//!
//! Its pattern is that of the model; each analysis fills in its own combination. E keeps the matrix regular if rows are
//! dependent or inactive: with small E > 0 the multipliers approach those of least norm.

use super::Pattern;
use crate::model::Model;
use std::ops::Range;
use taut_sparse::{Number, Singular, Sparse};

/// The bordered matrix of a model.
#[derive(Debug)]
pub struct Bordered<T: Number> {
    /// The matrix and its factors.
    pub sparse: Sparse<T>,
    body: Range<usize>,
    rows: Range<usize>,
    reactions: Range<usize>,
    shift: Range<usize>,
    r_by_z: Range<usize>,
    z_by_v: Range<usize>,
    z_by_z: Range<usize>,
    z_own: Range<usize>,
}

impl<T: Number> Bordered<T> {
    /// Allocates the matrix of a model.
    ///
    /// # Errors
    /// [`Singular`] if the memory does not suffice.
    pub fn new(model: &Model, pattern: &Pattern) -> Result<Bordered<T>, Singular> {
        let (n, m) = (model.sizes.v, model.rows.len());
        let mut entries: Vec<(usize, usize)> = Vec::with_capacity(pattern.values + 2 * model.jacobian_values + m);
        for pair in &pattern.pairs {
            for column in model.bodies[pair.column].v.clone() {
                entries.extend(model.bodies[pair.row].v.clone().map(|row| (row, column)));
            }
        }
        let body = 0..entries.len();
        // Blocks of A are stored in the order of their starts.
        let mut below = vec![(0, 0); model.jacobian_values];
        for c in &model.constraints {
            for block in &c.blocks {
                let v = &model.bodies[block.body].v;
                for (r, row) in c.rows.clone().enumerate() {
                    for (k, column) in v.clone().enumerate() {
                        below[block.start + r * v.len() + k] = (n + row, column);
                    }
                }
            }
        }
        entries.extend(&below);
        let rows = body.end..entries.len();
        entries.extend(below.iter().map(|(row, column)| (*column, *row)));
        let reactions = rows.end..entries.len();
        entries.extend((0..m).map(|r| (n + r, n + r)));
        let shift = reactions.end..entries.len();
        entries.extend(pattern.r_by_z.iter().map(|(v, z)| (*v, n + m + z)));
        let r_by_z = shift.end..entries.len();
        entries.extend(pattern.z_by_v.iter().map(|(z, v)| (n + m + z, *v)));
        let z_by_v = r_by_z.end..entries.len();
        entries.extend(pattern.z_by_z.iter().map(|(row, column)| (n + m + row, n + m + column)));
        let z_by_z = z_by_v.end..entries.len();
        entries.extend((0..model.sizes.z).map(|z| (n + m + z, n + m + z)));
        let z_own = z_by_z.end..entries.len();
        let sparse = Sparse::new(n + m + model.sizes.z, &entries)?;
        Ok(Bordered { sparse, body, rows, reactions, shift, r_by_z, z_by_v, z_by_z, z_own })
    }

    /// Bodies by bodies, laid out like K.
    pub fn body(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.body.clone()]
    }
    /// Rows by bodies, laid out like A.
    pub fn rows(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.rows.clone()]
    }
    /// Bodies by multipliers, laid out like A.
    pub fn reactions(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.reactions.clone()]
    }
    /// E, row by row.
    pub fn shift(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.shift.clone()]
    }
    /// Bodies by extra states, laid out like [`Pattern::r_by_z`].
    pub fn r_by_z(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.r_by_z.clone()]
    }
    /// Extra states by bodies, laid out like [`Pattern::z_by_v`].
    pub fn z_by_v(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.z_by_v.clone()]
    }
    /// Extra states by extra states, laid out like [`Pattern::z_by_z`].
    pub fn z_by_z(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.z_by_z.clone()]
    }
    /// The diagonal of the extra states, added to the previous block.
    pub fn z_own(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.z_own.clone()]
    }
}
