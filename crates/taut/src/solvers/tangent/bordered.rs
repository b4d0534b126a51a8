//! The matrix shared by implicit steps, equilibria and linear analyses.

use super::TangentPattern;
use crate::model::Model;
use std::ops::Range;
use taut_sparse::{Number, Singular, SparseLu};

/// The bordered matrix of a model.
///
/// ```text
///  [ body by body      −Bᵀ   ∂r/∂z ]      velocities
///  [ rows by body       E      0   ]      rows
///  [ states by body     0    by z  ]      extra states
/// ```
///
/// Its pattern is that of the model; each analysis fills in its own combination. E keeps the matrix regular if rows are
/// dependent or inactive: with small E > 0 the multipliers approach those of least norm.
#[derive(Debug)]
pub struct BorderedMatrix<T: Number> {
    /// The matrix and its factors.
    pub sparse: SparseLu<T>,
    bodies_by_bodies: Range<usize>,
    rows_by_bodies: Range<usize>,
    reactions: Range<usize>,
    shift: Range<usize>,
    r_by_z: Range<usize>,
    z_by_v: Range<usize>,
    z_by_z: Range<usize>,
    z_diagonal: Range<usize>,
}

impl<T: Number> BorderedMatrix<T> {
    /// Allocates the matrix of a model.
    ///
    /// # Errors
    /// [`Singular`] if the memory does not suffice.
    pub fn new(model: &Model, pattern: &TangentPattern) -> Result<BorderedMatrix<T>, Singular> {
        let (n, m) = (model.sizes.v, model.rows.len());
        let mut entries: Vec<(usize, usize)> = Vec::with_capacity(pattern.values + 2 * model.jacobian_values + m);
        for pair in &pattern.blocks {
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
        let sparse = SparseLu::new(n + m + model.sizes.z, &entries)?;
        Ok(BorderedMatrix {
            sparse,
            bodies_by_bodies: body,
            rows_by_bodies: rows,
            reactions,
            shift,
            r_by_z,
            z_by_v,
            z_by_z,
            z_diagonal: z_own,
        })
    }

    /// Bodies by bodies, laid out like K.
    pub fn bodies_by_bodies(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.bodies_by_bodies.clone()]
    }
    /// Rows by bodies, laid out like A.
    pub fn rows_by_bodies(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.rows_by_bodies.clone()]
    }
    /// Bodies by multipliers, laid out like A.
    pub fn reactions(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.reactions.clone()]
    }
    /// E, row by row.
    pub fn shift(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.shift.clone()]
    }
    /// Bodies by extra states, laid out like [`TangentPattern::r_by_z`].
    pub fn r_by_z(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.r_by_z.clone()]
    }
    /// Extra states by bodies, laid out like [`TangentPattern::z_by_v`].
    pub fn z_by_v(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.z_by_v.clone()]
    }
    /// Extra states by extra states, laid out like [`TangentPattern::z_by_z`].
    pub fn z_by_z(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.z_by_z.clone()]
    }
    /// The diagonal of the extra states, added to the previous block.
    pub fn z_diagonal(&mut self) -> &mut [T] {
        &mut self.sparse.values[self.z_diagonal.clone()]
    }
}
